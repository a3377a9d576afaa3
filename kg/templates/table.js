"use strict";
/* What is shown as two tables: for screen readers, and for whoever would rather read than look. */
const MOST_ROWS = 500;

const makeTable = (place, model, select) => {
  const row = (cells, tag) => {
    const line = element("tr");
    line.append(...cells.map((cell) => {
      const box = element(tag, typeof cell === "object" ? "" : String(cell), typeof cell === "number" ? "number" : "");
      if (tag === "th") box.scope = "col";
      if (typeof cell === "object") box.append(cell);
      return box;
    }));
    return line;
  };
  const table = (title, head, rows) => {
    const made = element("table");
    const cut = rows.length > MOST_ROWS ? `, the first ${number(MOST_ROWS)}; filter to see others` : "";
    const [top, body] = [element("thead"), element("tbody")];
    top.append(row(head, "th"));
    body.append(...rows.slice(0, MOST_ROWS).map((cells) => row(cells(), "td")));
    made.append(element("caption", `${title} (${number(rows.length)})${cut}`), top, body);
    return made;
  };
  const link = (id) => linkTo(id, model.label(id), select);
  return (part) => {
    const nodes = [...part.nodes].map((id) => model.nodes.get(id)).sort((a, b) => model.weight(b) - model.weight(a) || (a.id < b.id ? -1 : 1));
    const edges = [...part.edges].sort((a, b) => b.support - a.support || a.id - b.id);
    place.replaceChildren(
      table("Nodes", ["Name", "Type", "Papers"], nodes.map((node) => () => [link(node.id), node.type, node.type === "Paper" ? "" : node.papers])),
      table("Relations", ["From", "Relation", "To", "Papers", "Confidence"], edges.map((edge) => () => [link(edge.from), inWords(edge.type), link(edge.to), edge.support, edge.confidence])),
    );
  };
};
