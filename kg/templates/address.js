"use strict";
/* A view as the part of the address after #, and back. What is read there is checked: anyone may have written it. */
const writeAddress = (view, model) => {
  const start = model.initial();
  const said = new URLSearchParams();
  const list = (name, chosen, usual) => {
    if (chosen.size !== usual.size || [...chosen].some((one) => !usual.has(one))) said.set(name, [...chosen].sort().join(","));
  };
  if (view.select) said.set("select", view.select);
  if (view.focus) said.set("focus", view.focus);
  if (view.depth !== 1) said.set("depth", view.depth);
  if (view.path) said.set("path", view.path.join(" "));
  list("types", view.types, start.types);
  list("relations", view.relations, start.relations);
  if (view.from !== null) said.set("from", view.from);
  if (view.to !== null) said.set("to", view.to);
  if (view.confidence) said.set("confidence", view.confidence);
  if (view.support > 1) said.set("support", view.support);
  if (view.theme) said.set("theme", view.theme);
  if (view.table) said.set("table", "1");
  for (const [id, { x, y }] of view.put) said.append("put", `${id} ${x} ${y}`);
  if (view.camera) said.set("at", view.camera.join(","));
  return said.toString();
};

const readAddress = (text, model) => {
  const view = model.initial();
  const said = new URLSearchParams(text.replace(/^#/, ""));
  const node = (id) => (model.nodes.has(id) ? id : "");
  const number = (name, usual, least, most) => {
    const value = said.get(name);
    return value && Number.isFinite(Number(value)) ? Math.min(most, Math.max(least, Number(value))) : usual;
  };
  const whole = (name, usual, least, most) => {
    const value = number(name, usual, least, most);
    return value === null ? null : Math.round(value);
  };
  const known = (name, all) => all.filter((one) => said.get(name).split(",").includes(one));
  view.select = node(said.get("select"));
  view.focus = node(said.get("focus"));
  view.depth = whole("depth", 1, 1, 3);
  const ends = (said.get("path") ?? "").split(" ").map(node);
  if (ends.length === 2 && ends.every(Boolean)) view.path = ends;
  if (said.has("types")) view.types = new Set(known("types", model.types));
  if (said.has("relations")) view.relations = new Set(known("relations", model.relations));
  view.from = whole("from", null, 0, 9999);
  view.to = whole("to", null, 0, 9999);
  view.confidence = number("confidence", 0, 0, 1);
  view.support = whole("support", 1, 1, 1e6);
  if (["light", "dark"].includes(said.get("theme"))) view.theme = said.get("theme");
  view.table = said.get("table") === "1";
  for (const [id, ...place] of said.getAll("put").map((text_) => text_.split(" "))) {
    const [x, y] = place.map(Number);
    if (node(id) && place.length === 2 && [x, y].every((value) => Number.isFinite(value) && Math.abs(value) < 1e6)) view.put.set(id, { x, y });
  }
  const at = (said.get("at") ?? "").split(",").map(Number);
  if (at.length === 3 && at.every((value) => Number.isFinite(value) && Math.abs(value) < 1e6) && at[2] >= 0.01 && at[2] <= 10) view.camera = at;
  return view;
};
