"use strict";
/* The page: one view, what changes it, and what follows from a change. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const model = makeModel(data);
  let view = readAddress(location.hash, model);
  document.documentElement.style.colorScheme = view.theme || "light dark";
  const canvas = makeCanvas(at("network"), model, data.lines);
  const home = new Map(data.nodes.map((node) => [node.id, { x: node.x, y: node.y }]));
  const halves = (id) => {
    const { type, label, size } = model.nodes.get(id);
    return type === "Paper" ? [14, 12] : [Math.max(size + 8, label.length * 4 + 12), size + 16];
  };
  const say = (text) => { at("say").textContent = text; };

  const arranged = (part) => {
    if (part.stops) return inLine(part.stops, (id) => model.nodes.get(id).label.length);
    if (view.focus && part.nodes.size <= MOST_PLACED) return arrange(part.nodes, part.edges, home, halves, view.focus);
    return home;
  };
  const places = (part) => (view.put.size ? new Map([...arranged(part), ...view.put]) : arranged(part));

  /* Takes over some of the view. `step`: the back button leads here; `camera`: where to look, "keep" for here. */
  const change = (some, { step = false, camera = "keep" } = {}) => {
    const before = view;
    view = { ...view, ...some };
    const moved = ["focus", "path"].some((name) => String(view[name]) !== String(before[name])) || (view.focus && view.depth !== before.depth);
    if (moved) Object.assign(view, { camera: null, put: new Map() });
    render();
    if (moved || camera === "fit") canvas.fit();
    address(step);
  };

  let written = location.hash.replace(/^#/, "");
  const address = (step) => {
    const text = writeAddress(view, model);
    if (text === written) return;
    written = text;
    history[step ? "pushState" : "replaceState"](null, "", "#" + text);
  };

  const render = () => {
    const part = model.shown(view);
    canvas.show(part, places(part));
    canvas.select(view.select);
    panel(view, part);
    controls();
    note(part);
    if (view.table) table(part);
  };

  const note = (part) => {
    const papers = [...part.nodes].filter((id) => model.nodes.get(id).type === "Paper").length;
    const shown = `${counted(part.nodes.size - papers, "entity", "entities")}${papers ? ` and ${counted(papers, "paper")}` : ""}`;
    const here = view.path ? `Path from ${model.label(view.path[0])} to ${model.label(view.path[1])}: ` : view.focus ? `Around ${model.label(view.focus)}, ${counted(view.depth, "step")}: ` : "";
    const held = data.nodes.filter((node) => node.type !== "Paper").length;
    const whole = held < data.total.entities ? ` This page holds ${number(held)} of the graph's ${number(data.total.entities)} entities.` : "";
    at("note").replaceChildren(`${here}${shown} shown.${whole} `);
    if (view.path || view.focus) at("note").append(button("Show all", "go", back));
  };

  const filters = () => [
    view.relations.size < model.relations.length, view.from !== null || view.to !== null, view.confidence > 0, view.support > 1,
  ].filter(Boolean).length;

  const controls = () => {
    at("types").querySelectorAll("input").forEach((box) => { box.checked = view.types.has(box.value); });
    at("relations").querySelectorAll("input").forEach((box) => { box.checked = view.relations.has(box.value); });
    const values = { depth: view.depth, "year-from": view.from ?? "", "year-to": view.to ?? "", confidence: view.confidence, support: view.support, theme: view.theme };
    for (const [id, value] of Object.entries(values)) if (document.activeElement !== at(id) || at(id).type === "range") at(id).value = value;
    at("confidence-out").value = view.confidence.toFixed(2);
    at("filter-count").textContent = filters() ? `(${filters()})` : "";
    at("table").open = view.table;
    document.documentElement.style.colorScheme = view.theme || "light dark";
  };

  /* What makes a node visible: its type on, and nothing else in the way that would hide it. */
  const unhide = (id) => {
    const types = new Set(view.types).add(model.nodes.get(id).type);
    const open = { types };
    const seen = model.filtered({ ...view, types }).nodes.has(id);
    return seen ? open : { ...model.initial(), types, theme: view.theme, table: view.table, depth: view.depth };
  };
  const select = (id) => {
    const open = unhide(id);
    const inPart = model.shown({ ...view, ...open }).nodes.has(id);
    change({ ...open, select: id, ...(inPart ? {} : { focus: "", path: null }) }, { step: true });
    canvas.bringIntoView(id);
    say(`${model.label(id)}, ${model.nodes.get(id).type}`);
  };
  const focus = (id) => {
    change({ ...unhide(id), select: id, focus: id, path: null }, { step: true });
    say(`${at("note").textContent}`);
  };
  const back = () => change({ focus: "", path: null }, { step: true });
  const startPath = (id) => {
    at("path-menu").open = true;
    ends[0] = id;
    at("path-from").value = model.label(id);
    at("path-to").focus();
  };

  const panel = makePanel(at("panel"), data, model, { select, focus, startPath, back });
  const table = makeTable(at("rows"), model, select);

  makeChooser(at("search"), at("matches"), model, focus);
  const ends = ["", ""];
  ["from", "to"].forEach((end, index) => {
    makeChooser(at(`path-${end}`), at(`path-${end}-matches`), model, (id) => {
      ends[index] = id;
      at(index ? "path-find" : "path-to").focus();
    });
    at(`path-${end}`).addEventListener("input", () => { ends[index] = ""; });
  });
  at("path-find").addEventListener("click", () => {
    const path = ends.map((id, index) => id || model.find(at(index ? "path-to" : "path-from").value, 1)[0] || "");
    if (!path.every(Boolean)) {
      at(path[0] ? "path-to" : "path-from").focus();
      return;
    }
    at("path-menu").open = false;
    change({ path, focus: "", select: "", types: new Set([...view.types, ...path.map((id) => model.nodes.get(id).type)]) }, { step: true });
    say(at("panel").querySelector("h2").textContent + ", " + at("note").textContent);
  });

  at("depth").addEventListener("change", () => change({ depth: Number(at("depth").value) }, { step: true }));
  const ticked = (id) => new Set([...at(id).querySelectorAll("input:checked")].map((box) => box.value));
  at("relations").querySelectorAll("span").forEach((name) => { name.textContent = inWords(name.textContent); });
  at("types").addEventListener("change", () => change({ types: ticked("types") }));
  at("relations").addEventListener("change", () => change({ relations: ticked("relations") }));
  const year = (id) => (at(id).value === "" ? null : Number(at(id).value));
  at("years").hidden = model.years.length === 0;
  for (const id of ["year-from", "year-to"]) {
    [at(id).min, at(id).max] = [model.years[0], model.years.at(-1)];
    at(id).placeholder = String(model.years.at(id === "year-from" ? 0 : -1) ?? "");
    at(id).addEventListener("change", () => change({ from: year("year-from"), to: year("year-to") }));
  }
  at("confidence").addEventListener("input", () => change({ confidence: Number(at("confidence").value) }));
  at("support").addEventListener("change", () => change({ support: Math.max(1, Math.round(Number(at("support").value)) || 1) }));
  at("reset").addEventListener("click", () => {
    const { types, relations, from, to, confidence, support } = model.initial();
    change({ types, relations, from, to, confidence, support });
  });
  at("theme").addEventListener("change", () => { change({ theme: at("theme").value }); canvas.restyle(); });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => canvas.restyle());
  at("table").addEventListener("toggle", () => {
    if (at("table").open === view.table) return;
    change({ table: at("table").open });
  });
  at("fit").addEventListener("click", () => {
    change({ focus: "", path: null, select: "", camera: null, put: new Map() }, { step: true, camera: "fit" });
    at("search").value = "";
  });

  at("save-svg").addEventListener("click", () => save(drawSvg(canvas, model, data.lines), "graph.svg", "image/svg+xml"));
  at("save-png").addEventListener("click", async () => save(await asPng(drawSvg(canvas, model, data.lines)), "graph.png", "image/png"));
  at("save-gexf").addEventListener("click", () => save(drawGexf(canvas, model), "graph.gexf", "application/xml"));

  const menus = [...document.querySelectorAll(".menu")];
  document.addEventListener("click", (event) => menus.forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; }));
  document.addEventListener("keydown", (event) => {
    const open = menus.find((menu) => menu.open);
    if (event.key === "Escape" && open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
    if (event.key === "/" && !event.target.closest("input, select")) {
      event.preventDefault();
      at("search").select();
    }
  });

  /* The shown node that lies nearest in a direction, as seen from the selected one. */
  const towards = (h, v) => {
    const spots = canvas.positions();
    const from = spots[view.select];
    if (!from) return [...canvas.shown().nodes].sort((a, b) => model.weight(model.nodes.get(b)) - model.weight(model.nodes.get(a)))[0];
    const far = (id) => {
      const [dx, dy] = [spots[id].x - from.x, spots[id].y - from.y];
      const along = dx * h + dy * v;
      return along > 0 ? along + 2 * Math.abs(dx * v - dy * h) : Infinity;
    };
    const [best] = Object.keys(spots).filter((id) => far(id) < Infinity).sort((a, b) => far(a) - far(b));
    return best;
  };
  const moveBy = (h, v, times = 1) => {
    const [x, y, scale] = canvas.camera();
    canvas.look([x + (h * 120) / scale, y + (v * 120) / scale, Math.min(10, Math.max(0.01, scale * times))]);
    looked();
  };
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const keys = {
    "+": () => moveBy(0, 0, 1.25), "=": () => moveBy(0, 0, 1.25), "-": () => moveBy(0, 0, 0.8),
    0: () => change({ camera: null }, { camera: "fit" }),
    Enter: () => { if (view.select) focus(view.select); },
    p: () => { if (view.select) startPath(view.select); },
    Escape: () => { if (view.path || view.focus) back(); else change({ select: "" }, { step: true }); },
  };
  at("network").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = arrows[event.key];
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!arrow && !act) return;
    event.preventDefault();
    if (!arrow) act();
    else if (event.shiftKey) moveBy(...arrow);
    else {
      const next = towards(...arrow);
      if (next) select(next);
    }
  });

  const looked = () => {
    view.camera = canvas.camera();
    clearTimeout(looked.soon);
    looked.soon = setTimeout(() => address(false), 250);
  };
  canvas.network.on("resize", () => { if (!view.camera) canvas.fit(false); });
  canvas.network.on("zoom", looked);
  canvas.network.on("dragEnd", ({ nodes }) => {
    if (!nodes.length) return looked();
    const spots = canvas.positions();
    return change({ put: new Map([...view.put, ...nodes.map((id) => [id, spots[id]])]) });
  });
  canvas.network.on("click", (event) => {
    if (event.nodes.length) select(event.nodes[0]);
    else if (view.select) change({ select: "" });
  });
  canvas.network.on("doubleClick", (event) => { if (event.nodes.length) focus(event.nodes[0]); });
  window.addEventListener("popstate", () => {
    written = location.hash.replace(/^#/, "");
    view = readAddress(location.hash, model);
    render();
    canvas.restyle();
    if (view.camera) canvas.look(view.camera);
    else canvas.fit();
  });

  render();
  if (view.camera) canvas.look(view.camera);
  else canvas.fit(false);
  canvas.network.once("afterDrawing", () => document.documentElement.setAttribute("data-ready", "true"));
})();
