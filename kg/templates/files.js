"use strict";
/* What is shown as a file: the picture as SVG or PNG, the network as GEXF. Made here, sent nowhere. */
const SVG = "http://www.w3.org/2000/svg";
const GEXF = "http://www.gexf.net/1.2draft";
const VIZ = "http://www.gexf.net/1.2draft/viz";
/* What no XML document can hold is replaced. */
const inXml = (text) => String(text).replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");

const near = (value) => Math.round(value * 10) / 10;

/* A shape as SVG. */
const symbolOf = (make, shape, x, y, r, fill) => {
  const corners = cornersOf(shape);
  if (!corners) return make("circle", { cx: near(x), cy: near(y), r: near(r), fill });
  return make("polygon", { points: corners.map(([h, v]) => `${near(x + h * r)},${near(y + v * r)}`).join(" "), fill });
};

const drawSvg = (canvas, model, lines) => {
  const { scale, left, right, top, bottom } = canvas.viewport();
  const tints = canvas.tints();
  const make = (tag, facts, text) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(facts)) made.setAttribute(name, inXml(value));
    if (text !== undefined) made.textContent = inXml(text);
    return made;
  };
  const [w, h] = [right - left, bottom - top];
  const picture = make("svg", { viewBox: [left, top, w, h].map(Math.round).join(" "), width: Math.round(w * scale), height: Math.round(h * scale) });
  picture.append(make("title", {}, "Knowledge graph of papers, made with paperkg"));
  picture.append(make("rect", { x: Math.round(left), y: Math.round(top), width: Math.round(w), height: Math.round(h), fill: tints.back }));
  const places = canvas.positions();
  const { nodes, edges } = canvas.shown();
  const inside = ({ x, y }, room) => x > left - room && x < right + room && y > top - room && y < bottom + room;
  const crosses = (a, b) => Math.max(a.x, b.x) > left && Math.min(a.x, b.x) < right && Math.max(a.y, b.y) > top && Math.min(a.y, b.y) < bottom;

  const pixel = 1 / Math.min(1, scale);
  const drawn = make("g", { fill: "none" });
  for (const edge of edges) {
    const [a, b] = [places[edge.from], places[edge.to]];
    if (!crosses(a, b)) continue;
    const long = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const stop = canvas.radius(model.nodes.get(edge.to), scale) + pixel;
    const [x, y] = [near(b.x - ((b.x - a.x) / long) * stop), near(b.y - ((b.y - a.y) / long) * stop)];
    const how = canvas.manner(edge);
    const facts = { x1: a.x, y1: a.y, x2: x, y2: y, stroke: tints[how], "stroke-width": near((how === "path" ? 3.5 : 0.6 + edge.width * 0.5) * pixel) };
    if (lines[edge.type]) facts["stroke-dasharray"] = lines[edge.type].map((length) => near(length * pixel)).join(" ");
    drawn.append(make("line", facts));
    if (edge.type === "comparedWith") continue;
    const turn = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
    const head = (how === "path" ? 11 : 6) * pixel;
    drawn.append(make("path", { d: `M0 0l${near(-head)} ${near(-head * 0.45)}v${near(head * 0.9)}z`, fill: tints[how], transform: `translate(${x} ${y}) rotate(${turn.toFixed(1)})` }));
  }
  const marks = make("g", { stroke: tints.back, "stroke-width": 1.5 });
  for (const id of nodes) {
    const node = model.nodes.get(id);
    const { x, y } = places[id];
    if (inside(places[id], 4 * node.size)) marks.append(symbolOf(make, node.shape, x, y, canvas.radius(node, scale), tints[node.type]));
  }
  const words = make("g", { "font-family": "system-ui, sans-serif", "text-anchor": "middle", stroke: tints.back, "stroke-width": (3.5 / scale).toFixed(2), "stroke-linejoin": "round", "paint-order": "stroke" });
  for (const label of canvas.labels(scale, { left, right, top, bottom })) {
    const facts = { x: label.x, y: (label.y + label.size * 0.9).toFixed(1), "font-size": label.size.toFixed(1), fill: label.soft ? tints.soft : tints.text };
    words.append(make("text", label.bold ? { ...facts, "font-weight": 600 } : facts, label.text));
  }
  picture.append(drawn, marks, words, key(make, model, canvas, tints, { scale, left, bottom }));
  return new XMLSerializer().serializeToString(picture);
};

/* The legend of a picture: the types that are in it. */
const key = (make, model, canvas, tints, { scale, left, bottom }) => {
  const group = make("g", { transform: `translate(${left + 16 / scale} ${bottom - 18 / scale}) scale(${1 / scale})`, "font-family": "system-ui, sans-serif", "font-size": 13, fill: tints.text });
  let x = 0;
  const kinds = new Map([...canvas.shown().nodes].map((id) => [model.nodes.get(id).type, model.nodes.get(id).shape]));
  for (const type of model.types.filter((one) => kinds.has(one))) {
    group.append(symbolOf(make, kinds.get(type), x, -4.5, 6, tints[type]), make("text", { x: x + 11, y: 0 }, type));
    x += 34 + type.length * 7.5;
  }
  return group;
};

const drawGexf = (canvas, model) => {
  const file = document.implementation.createDocument(GEXF, "gexf");
  const root = file.documentElement;
  const add = (parent, tag, facts = {}, space = GEXF) => {
    const made = file.createElementNS(space, space === VIZ ? `viz:${tag}` : tag);
    for (const [name, value] of Object.entries(facts)) made.setAttribute(name, inXml(value));
    parent.append(made);
    return made;
  };
  const values = (parent, facts) => {
    const box = add(parent, "attvalues");
    for (const [name, value] of Object.entries(facts)) add(box, "attvalue", { for: name, value });
  };
  const declare = (graph, kind, types) => {
    const box = add(graph, "attributes", { class: kind, mode: "static" });
    for (const [name, type] of Object.entries(types)) add(box, "attribute", { id: name, title: name, type });
  };
  root.setAttribute("version", "1.2");
  const graph = add(root, "graph", { defaultedgetype: "directed", mode: "static" });
  declare(graph, "node", { kind: "string", papers: "integer" });
  declare(graph, "edge", { relation: "string", support: "integer", confidence: "double" });
  const [nodes, edges] = [add(graph, "nodes"), add(graph, "edges")];
  const places = canvas.positions();
  const part = canvas.shown();
  for (const id of part.nodes) {
    const node = model.nodes.get(id);
    const made = add(nodes, "node", { id, label: model.label(id) });
    values(made, { kind: node.type, papers: node.papers });
    const [r, g, b] = canvas.tints()[node.type].match(/\d+/g);
    add(made, "color", { r, g, b }, VIZ);
    add(made, "position", { x: places[id].x, y: -places[id].y, z: 0 }, VIZ);
    add(made, "size", { value: node.size }, VIZ);
  }
  for (const edge of part.edges) {
    const made = add(edges, "edge", { id: edge.id, source: edge.from, target: edge.to, weight: edge.support });
    values(made, { relation: edge.type, support: edge.support, confidence: edge.confidence });
  }
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(file);
};

const MOST_PIXELS = 8192;
const asPng = async (svg) => {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await image.decode();
  const times = Math.min(2, MOST_PIXELS / Math.max(image.width, image.height));
  const sheet = document.createElement("canvas");
  [sheet.width, sheet.height] = [image.width * times, image.height * times];
  sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
  return new Promise((done) => { sheet.toBlob(done, "image/png"); });
};

const save = (content, name, type) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
