"use strict";
/* Where the nodes of a small part stand: near each other as their relations draw them, labels apart. */
const MOST_PLACED = 500;
const ROOM = 95;

/* `start` maps each id to {x, y}, `halves` to half the width and height of its box; the middle stays in the middle. The same part gives the same places. */
const arrange = (ids, edges, start, halves, middle) => {
  const order = [...ids].sort();
  const index = new Map(order.map((id, at) => [id, at]));
  const centre = start.get(middle) ?? { x: 0, y: 0 };
  const farthest = Math.max(1, ...order.map((id) => Math.hypot(start.get(id).x - centre.x, start.get(id).y - centre.y)));
  const spread = (ROOM * Math.sqrt(order.length)) / farthest;
  const x = order.map((id, at) => (start.get(id).x - centre.x) * spread + Math.cos(at * 2.4));
  const y = order.map((id, at) => (start.get(id).y - centre.y) * spread + Math.sin(at * 2.4));
  const rounds = order.length > 250 ? 60 : 160;
  for (let round = 0; round < rounds; round += 1) {
    const dx = x.map((value) => -value * 0.02);
    const dy = y.map((value) => -value * 0.03);
    for (let a = 0; a < order.length; a += 1) {
      for (let b = 0; b < a; b += 1) {
        const [h, v] = [x[a] - x[b], y[a] - y[b]];
        const push = (ROOM * ROOM) / Math.max(25, h * h + v * v);
        dx[a] += h * push; dy[a] += v * push; dx[b] -= h * push; dy[b] -= v * push;
      }
    }
    for (const edge of edges) {
      const [a, b] = [index.get(edge.from), index.get(edge.to)];
      const [h, v] = [x[a] - x[b], y[a] - y[b]];
      const pull = Math.hypot(h, v) / ROOM;
      dx[a] -= h * pull; dy[a] -= v * pull; dx[b] += h * pull; dy[b] += v * pull;
    }
    const heat = ROOM * 0.6 * (1 - round / rounds) + 1;
    order.forEach((id, at) => {
      if (id === middle) return;
      const length = Math.hypot(dx[at], dy[at]) || 1;
      x[at] += (dx[at] / length) * Math.min(length, heat);
      y[at] += (dy[at] / length) * Math.min(length, heat);
    });
  }
  pushApart(x, y, order.map(halves), index.get(middle));
  return new Map(order.map((id, at) => [id, { x: Math.round(x[at]), y: Math.round(y[at]) }]));
};

const pushApart = (x, y, halves, fixed) => {
  for (let round = 0; round < 120; round += 1) {
    let moved = false;
    for (let a = 0; a < x.length; a += 1) {
      for (let b = 0; b < a; b += 1) {
        const across = halves[a][0] + halves[b][0] - Math.abs(x[a] - x[b]);
        const down = halves[a][1] + halves[b][1] - Math.abs(y[a] - y[b]);
        if (across <= 0 || down <= 0) continue;
        moved = true;
        const axis = down <= across ? y : x;
        const push = (axis[a] < axis[b] ? -0.5 : 0.5) * Math.min(down, across);
        axis[a] += a === fixed ? 0 : push;
        axis[b] -= b === fixed ? 0 : push;
      }
    }
    if (!moved) return;
  }
};

/* The stops of a path from left to right, up and down in turn, as far apart as their labels are long. */
const inLine = (stops, letters) => {
  let x = 0;
  return new Map(stops.map((id, at) => {
    x += at ? Math.max(190, (letters(id) + letters(stops[at - 1])) * 4.5 + 60) : 0;
    return [id, { x, y: at % 2 ? 90 : 0 }];
  }));
};
