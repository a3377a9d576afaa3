"use strict";
/* The drawing: vis-network draws nodes and edges, this adds the labels that there is room for at each scale. */
const makeCanvas = (container, model, lines) => {
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");
  const probe = document.createElement("i");
  probe.hidden = true;
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  let tints = {};
  let shown = { nodes: new Set(), edges: [] };
  let selected = "";
  let hovered = "";
  let ranked = [];
  let strongest = [];

  const readTints = () => {
    tints = Object.fromEntries([...model.types, "back", "text", "soft", "faint", "edge", "link", "path"].map((name) => [name, colour(name)]));
  };
  readTints();
  const radius = (node, scale) => Math.max(node.size, ((2.7 + node.size / 9) * (shown.nodes.size > 800 ? 0.6 : 1)) / scale);

  /* Shapes never get too small to be told apart, however far one zooms out. */
  const renderer = (node) => ({ ctx, x, y, state }) => {
    const r = radius(node, network.getScale());
    const drawNode = () => {
      ctx.beginPath();
      const corners = cornersOf(node.shape);
      if (corners) corners.forEach(([h, v], at) => ctx[at ? "lineTo" : "moveTo"](x + h * r, y + v * r));
      else ctx.arc(x, y, r, 0, 2 * Math.PI);
      ctx.closePath();
      const marked = state.selected || state.hover;
      ctx.lineWidth = (marked ? 5 : 2.5) / Math.max(1, network.getScale());
      if (marked) ctx.lineWidth = Math.max(ctx.lineWidth, 3 / network.getScale());
      ctx.strokeStyle = marked ? tints.text : tints.back;
      ctx.stroke();
      ctx.fillStyle = tints[node.type];
      ctx.fill();
    };
    return { drawNode, nodeDimensions: { width: 2 * r, height: 2 * r } };
  };
  const points = new vis.DataSet([...model.nodes.values()].map((node) => ({ id: node.id, x: node.x, y: node.y, shape: "custom", ctxRenderer: renderer(node) })));
  const nodes = new vis.DataView(points, { filter: (node) => shown.nodes.has(node.id) });
  const network = new vis.Network(container, { nodes, edges: [] }, {
    physics: false,
    layout: { improvedLayout: false },
    interaction: { hover: true, multiselect: false },
  });

  const pen = document.createElement("canvas").getContext("2d");
  const widths = new Map();
  const FONT = "system-ui, sans-serif";
  /* The width of a text set one pixel high. */
  const width = (text) => {
    if (!widths.has(text)) {
      pen.font = `100px ${FONT}`;
      widths.set(text, pen.measureText(text).width / 100);
    }
    return widths.get(text);
  };

  /* The labels that fit without touching, those of the selection first: text, x of the middle, y of the top, size, all in
     the graph's own units. */
  const labels = (scale, box) => {
    const cell = 60 / scale;
    const taken = new Map();
    const free = (left, top, right, bottom) => {
      const cells = [];
      for (let column = Math.floor(left / cell); column <= Math.floor(right / cell); column += 1) {
        for (let row = Math.floor(top / cell); row <= Math.floor(bottom / cell); row += 1) cells.push(`${column} ${row}`);
      }
      const hit = cells.some((key) => (taken.get(key) ?? []).some(([l, t, r, b]) => left < r && l < right && top < b && t < bottom));
      if (!hit) cells.forEach((key) => taken.set(key, [...(taken.get(key) ?? []), [left, top, right, bottom]]));
      return !hit;
    };
    const places = network.getPositions();
    const placed = [];
    const put = (text, x, y, pixels, extra) => {
      const size = (pixels * Math.max(1, Math.sqrt(scale))) / scale;
      const half = (width(text) * size) / 2 + 3 / scale;
      if (x + half < box.left || x - half > box.right || y + size < box.top || y > box.bottom) return;
      if (free(x - half, y, x + half, y + size * 1.15)) placed.push({ text, x, y, size, ...extra });
    };
    const close = new Set([selected, hovered].filter(Boolean));
    const near = new Set(selected ? shown.edges.filter((edge) => edge.from === selected || edge.to === selected).map((edge) => model.other(edge, selected)) : []);
    const urgency = (node) => (close.has(node.id) ? 2 : near.has(node.id) ? 1 : 0);
    const order = close.size ? [...ranked].sort((a, b) => urgency(b) - urgency(a)) : ranked;
    for (const node of order) {
      if (!places[node.id] || (node.type === "Paper" && !close.has(node.id) && !shown.steps)) continue;
      const { x, y } = places[node.id];
      const bold = close.has(node.id) || shown.steps !== undefined;
      put(node.label, x, y + radius(node, scale) + 2 / scale, Math.min(17, 10.5 + node.size / 7), { bold, soft: false });
    }
    if (shown.steps || (shown.edges.length <= 60 && scale > 0.55)) {
      for (const edge of shown.edges) {
        const [a, b] = [places[edge.from], places[edge.to]];
        if (a && b && (shown.steps || edge.type !== "mentions")) put(inWords(edge.type), (a.x + b.x) / 2, (a.y + b.y) / 2 - 6 / scale, 11, { bold: false, soft: true });
      }
    }
    return placed;
  };

  const viewport = () => {
    const scale = network.getScale();
    const { x, y } = network.getViewPosition();
    const [w, h] = [container.clientWidth / scale, container.clientHeight / scale];
    return { scale, left: x - w / 2, right: x + w / 2, top: y - h / 2, bottom: y + h / 2 };
  };

  /* How an edge is drawn: of the path, of the selected node, or like any other. */
  const manner = (edge) => {
    if (shown.steps) return "path";
    if (selected && (edge.from === selected || edge.to === selected)) return "link";
    return edge.type === "mentions" ? "faint" : "edge";
  };
  const drawEdges = (context) => {
    const scale = network.getScale();
    const pixel = 1 / Math.min(1, scale);
    const places = network.getPositions();
    const far = shown.edges.length > 1200 && scale < 0.4; // too small to see dashes and heads, and slow with them
    const strokes = new Map();
    for (const edge of moving ? strongest : shown.edges) {
      if (!places[edge.from] || !places[edge.to]) continue;
      const stroke = `${manner(edge)} ${edge.width} ${far ? "" : lines[edge.type] ?? ""}`;
      if (!strokes.has(stroke)) strokes.set(stroke, []);
      strokes.get(stroke).push(edge);
    }
    const behind = ["faint", "edge", "link", "path"];
    const order = [...strokes.keys()].sort((a, b) => behind.indexOf(a.split(" ")[0]) - behind.indexOf(b.split(" ")[0]));
    for (const stroke of order) {
      const [how, width, dashes] = stroke.split(" ");
      context.strokeStyle = context.fillStyle = tints[how];
      context.lineWidth = (how === "path" ? 3.5 : 0.6 + Number(width) * 0.5) * pixel;
      context.setLineDash(dashes ? dashes.split(",").map((length) => Number(length) * pixel) : []);
      context.beginPath();
      const heads = new Path2D();
      for (const edge of strokes.get(stroke)) {
        const [a, b] = [places[edge.from], places[edge.to]];
        const long = Math.hypot(b.x - a.x, b.y - a.y) || 1;
        const [h, v] = [(b.x - a.x) / long, (b.y - a.y) / long];
        const stop = radius(model.nodes.get(edge.to), scale) + pixel;
        const [x, y] = [b.x - h * stop, b.y - v * stop];
        context.moveTo(a.x, a.y);
        context.lineTo(x, y);
        if (far || edge.type === "comparedWith" || long < stop * 2) continue;
        const head = (how === "path" ? 11 : 6) * pixel;
        heads.moveTo(x, y);
        heads.lineTo(x - head * (h + v * 0.45), y - head * (v - h * 0.45));
        heads.lineTo(x - head * (h - v * 0.45), y - head * (v + h * 0.45));
        heads.closePath();
      }
      context.stroke();
      context.fill(heads);
    }
    context.setLineDash([]);
  };
  network.on("beforeDrawing", drawEdges);

  /* While one drags or zooms, only the best supported edges of a dense drawing are drawn. */
  let moving = 0;
  const move = () => {
    if (shown.edges.length <= MOST_MOVING) return;
    clearTimeout(moving);
    moving = setTimeout(() => { moving = 0; network.redraw(); }, 200);
  };
  for (const event of ["zoom", "dragging"]) network.on(event, move);

  network.on("afterDrawing", (context) => {
    const { scale, ...box } = viewport();
    context.textAlign = "center";
    context.textBaseline = "top";
    context.lineJoin = "round";
    for (const label of labels(scale, box)) {
      context.font = `${label.bold ? "600 " : ""}${label.size}px ${FONT}`;
      context.lineWidth = 3.5 / scale;
      context.strokeStyle = tints.back;
      context.strokeText(label.text, label.x, label.y);
      context.fillStyle = label.soft ? tints.soft : tints.text;
      context.fillText(label.text, label.x, label.y);
    }
  });
  network.on("hoverNode", ({ node }) => { hovered = node; });
  network.on("blurNode", () => { hovered = ""; });

  const show = (part, places) => {
    shown = part;
    strongest = part.edges.length > MOST_MOVING ? [...part.edges].sort((a, b) => b.support - a.support).slice(0, MOST_MOVING) : part.edges;
    ranked = [...part.nodes].map((id) => model.nodes.get(id)).sort((a, b) => model.weight(b) - model.weight(a) || (a.id < b.id ? -1 : 1));
    const now = network.getPositions();
    points.update([...part.nodes].map((id) => ({ id, ...places.get(id) })).filter(({ id, x, y }) => now[id]?.x !== x || now[id]?.y !== y));
    nodes.refresh();
  };

  const select = (id) => {
    selected = shown.nodes.has(id) ? id : "";
    network.setSelection({ nodes: selected ? [selected] : [], edges: [] });
    network.redraw();
  };
  const restyle = () => {
    readTints();
    network.redraw();
  };
  const animation = () => (calm.matches ? false : { duration: 300, easingFunction: "easeInOutQuad" });
  /* Shows all that is drawn, with room for labels and for what lies over the drawing. */
  const fit = (moving = true) => {
    const spots = Object.values(network.getPositions([...shown.nodes]));
    if (!spots.length) return;
    const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const [w, h] = [container.clientWidth, container.clientHeight];
    const scale = Math.max(0.02, Math.min(1.3, (w - 2 * FREE.side) / (right - left + 1), (h - FREE.above - FREE.below) / (bottom - top + 1)));
    look([(left + right) / 2, (top + bottom) / 2 - (FREE.above - FREE.below) / 2 / scale, scale], moving);
  };
  const camera = () => {
    const { x, y } = network.getViewPosition();
    return [Math.round(x), Math.round(y), Number(network.getScale().toPrecision(3))];
  };
  const look = ([x, y, scale], moving = false) => network.moveTo({ position: { x, y }, scale, animation: moving && animation() });
  const bringIntoView = (id) => {
    const { scale, ...box } = viewport();
    const { x, y } = network.getPosition(id);
    const edge = 60 / scale;
    if (x < box.left + edge || x > box.right - edge || y < box.top + edge || y > box.bottom - edge) look([x, y, Math.max(scale, 0.6)], true);
  };
  return {
    network, show, select, restyle, fit, camera, look, bringIntoView, labels, viewport, radius, manner,
    tints: () => tints, shown: () => shown, positions: () => network.getPositions([...shown.nodes]),
  };
};

const MOST_MOVING = 1500;
const FREE = { side: 90, above: 50, below: 105 };

/* The corners of a shape of radius one; a dot has none. */
const cornersOf = (shape) => ({
  triangle: [[0, -1.15], [1.15, 0.85], [-1.15, 0.85]],
  square: [[-0.95, -0.95], [0.95, -0.95], [0.95, 0.95], [-0.95, 0.95]],
  diamond: [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]],
  hexagon: [0, 1, 2, 3, 4, 5].map((side) => [Math.cos((side * Math.PI) / 3), Math.sin((side * Math.PI) / 3)]),
}[shape]);
