"use strict";
/* What the page holds, and which part of it a view shows. Knows neither the document nor the canvas. */
const PAPER_RELATIONS = ["mentions", "proposes"];

const makeModel = (data) => {
  const nodes = new Map(data.nodes.map((node) => [node.id, node]));
  const edges = data.edges.map((edge, id) => ({ ...edge, id }));
  const touching = new Map(data.nodes.map((node) => [node.id, []]));
  for (const edge of edges) for (const end of new Set([edge.from, edge.to])) touching.get(end).push(edge);
  const types = ["Method", "Task", "Dataset", "Metric", "Paper"];
  const relations = [...new Set(edges.map((edge) => edge.type))].sort();
  const years = [...new Set(data.nodes.flatMap((node) => node.years.map(([year]) => year)))].sort((a, b) => a - b);
  const other = (edge, id) => (edge.from === id ? edge.to : edge.from);

  const initial = () => ({
    select: "", focus: "", depth: 1, path: null, types: new Set(types.filter((type) => type !== "Paper" || data.papers)),
    relations: new Set(relations), from: null, to: null, confidence: 0, support: 1, theme: "", table: false, camera: null, put: new Map(),
  });

  const papersWithin = (counted, view) => counted
    .filter(([year]) => (view.from === null || year >= view.from) && (view.to === null || year <= view.to))
    .reduce((sum, [, papers]) => sum + papers, 0);

  /* The nodes and edges that pass the filters; a filter of relations leaves no node that none of them joins. */
  const filtered = (view) => {
    const dated = view.from !== null || view.to !== null;
    const passes = (node) => view.types.has(node.type) && (!dated || papersWithin(node.years, view) > 0);
    const kept = new Set(data.nodes.filter(passes).map((node) => node.id));
    const holds = (edge) => {
      if (!kept.has(edge.from) || !kept.has(edge.to) || !view.relations.has(edge.type)) return false;
      const support = dated ? papersWithin(edge.years, view) : edge.support;
      return edge.confidence >= view.confidence && support >= (PAPER_RELATIONS.includes(edge.type) ? Math.min(1, view.support) : view.support);
    };
    const held = edges.filter(holds);
    if (view.relations.size === relations.length && view.confidence === 0 && view.support === 1) return { nodes: kept, edges: held };
    const said = held.some((edge) => edge.type !== "mentions") ? held.filter((edge) => edge.type !== "mentions") : held;
    const joined = new Set(said.flatMap((edge) => [edge.from, edge.to]));
    const naming = held.filter((edge) => joined.has(edge.to));
    naming.forEach((edge) => joined.add(edge.from));
    return { nodes: joined, edges: naming.filter((edge) => joined.has(edge.from)) };
  };

  const reach = (start, depth, allowed) => {
    const found = new Set([start]);
    let border = [start];
    for (let step = 0; step < depth; step += 1) {
      border = [...new Set(border.flatMap((id) => touching.get(id).filter((edge) => allowed.has(edge)).map((edge) => other(edge, id))))]
        .filter((id) => !found.has(id));
      border.forEach((id) => found.add(id));
    }
    return found;
  };

  /* The edges of the shortest path, over the best supported of the relations where there is a choice; null without one. */
  const shortestPath = ([start, end], allowed) => {
    const came = new Map([[start, null]]);
    let border = [start];
    while (border.length && !came.has(end)) {
      const next = new Map();
      for (const id of border) {
        for (const edge of touching.get(id)) {
          const far = other(edge, id);
          if (!allowed.has(edge) || came.has(far)) continue;
          const known = next.get(far);
          if (!known || edge.support * edge.confidence > known.support * known.confidence) next.set(far, edge);
        }
      }
      next.forEach((edge, id) => came.set(id, edge));
      border = [...next.keys()];
    }
    if (!came.has(end)) return null;
    const steps = [];
    for (let id = end; came.get(id); id = other(came.get(id), id)) steps.unshift(came.get(id));
    return steps;
  };

  const shown = (view) => {
    const all = filtered(view);
    if (view.path) {
      const steps = all.nodes.has(view.path[0]) && all.nodes.has(view.path[1]) ? shortestPath(view.path, new Set(all.edges)) : null;
      const stops = [view.path[0]];
      for (const edge of steps ?? []) stops.push(other(edge, stops.at(-1)));
      if (!steps && view.path[1] !== view.path[0]) stops.push(view.path[1]);
      return { nodes: new Set(stops), edges: steps ?? [], steps, stops };
    }
    if (!view.focus) return all;
    const near = reach(view.focus, view.depth, new Set(all.edges));
    return { nodes: near, edges: all.edges.filter((edge) => near.has(edge.from) && near.has(edge.to)) };
  };

  const names = new Map(data.nodes.map(({ id }) => [id, [data.details[id].label, ...data.details[id].names].map((name) => name.toLowerCase())]));
  const weight = (node) => (node.type === "Paper" ? 0 : node.size + node.papers / 1e4);

  /* The ids of the nodes that these words mean, the best first. */
  const find = (words, most = 12) => {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return [];
    const rank = (known) => {
      if (known.includes(wanted)) return 0;
      if (known.some((name) => name.startsWith(wanted))) return 1;
      return known.some((name) => name.includes(wanted)) ? 2 : 9;
    };
    return data.nodes.map((node) => [rank(names.get(node.id)), node]).filter(([rank_]) => rank_ < 9)
      .sort(([a, one], [b, two]) => a - b || weight(two) - weight(one)).slice(0, most).map(([, node]) => node.id);
  };

  const label = (id) => data.details[id].label;
  return { nodes, edges, touching, types, relations, years, other, initial, filtered, shown, find, label, weight };
};

const inWords = (name) => name.replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase());
