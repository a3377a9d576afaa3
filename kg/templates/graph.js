"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const panel = document.getElementById("panel");
  const search = document.getElementById("search");
  const matches = document.getElementById("matches");
  const relation = document.getElementById("relation");
  const styles = getComputedStyle(document.documentElement);
  const tint = (name) => styles.getPropertyValue(name).trim();
  const shown = new Set(["Method", "Task", "Dataset", "Metric", "Paper"]);
  const typeOf = new Map(data.nodes.map((node) => [node.id, node.type]));

  const nodes = new vis.DataView(new vis.DataSet(data.nodes), { filter: (node) => shown.has(node.type) });
  const edges = new vis.DataView(
    new vis.DataSet(data.edges.map((edge, id) => ({ ...edge, id, arrows: edge.type === "comparedWith" ? "" : "to" }))),
    { filter: (edge) => shown.has(typeOf.get(edge.from)) && shown.has(typeOf.get(edge.to)) && (!relation.value || edge.type === relation.value) },
  );
  const network = new vis.Network(document.getElementById("network"), { nodes, edges }, {
    physics: false,
    layout: { improvedLayout: false },
    interaction: { hover: true, hideEdgesOnDrag: data.edges.length > 800, keyboard: { bindToWindow: false } },
    nodes: { font: { size: 20, color: tint("--text"), strokeWidth: 4, strokeColor: tint("--back") }, borderWidth: 1, scaling: { label: { enabled: false, drawThreshold: 3 } } },
    edges: { color: { color: tint("--edge"), highlight: tint("--link"), hover: tint("--soft") }, smooth: false, arrows: { to: { scaleFactor: 0.5 } },
      font: { size: 12, color: tint("--soft"), strokeWidth: 3, strokeColor: tint("--back") } },
  });

  /* Text of papers enters the page through textContent only. */
  const element = (tag, text = "", className = "") => {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = className;
    return made;
  };
  const inWords = (name) => name.replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase());

  const link = (id, text) => {
    if (!typeOf.has(id)) return element("span", text);
    const button = element("button", text, "go");
    button.type = "button";
    button.addEventListener("click", () => select(id, true));
    return button;
  };

  const quote = (id, about) => {
    const sentence = data.sentences[id];
    const block = element("blockquote");
    let position = 0;
    for (const [start, end, entity] of sentence.marks) {
      if (start < position || !about.includes(entity)) continue;
      block.append(sentence.text.slice(position, start), element("mark", sentence.text.slice(start, end)));
      position = end;
    }
    block.append(sentence.text.slice(position));
    const source = element("p", "", "soft");
    source.append(link(sentence.paper, sentence.title));
    block.append(source);
    return block;
  };

  const heading = (text) => element("h3", text);

  const relationEntry = (id, entry) => {
    const box = element("details");
    const summary = element("summary");
    const other = link(entry.other, entry.label);
    summary.append(...(entry.out ? [inWords(entry.type) + " ", other] : [other, " " + inWords(entry.type) + " this"]));
    box.append(summary, ...entry.sentences.map((sentence) => quote(sentence, [id, entry.other])));
    return box;
  };

  const claimEntry = (id, claim) => {
    const box = element("div");
    if (claim.slots.length) {
      const slots = element("p", "", "slots");
      claim.slots.forEach(([name, value], index) => slots.append(index ? ", " : "", name + " ", element("b", value)));
      box.append(slots);
    }
    box.append(...claim.sentences.map((sentence) => quote(sentence, [id])));
    return box;
  };

  const show = (id) => {
    const entry = data.details[id];
    panel.replaceChildren(element("h2", entry.label), element("p", typeOf.get(id), "soft"));
    if (entry.names.length) panel.append(element("p", "also: " + entry.names.join(", ")));
    const relations = entry.relations.filter((r) => !["proposes", "code"].includes(r.type) || r.out);
    const proposed = entry.relations.filter((r) => r.type === "proposes" && !r.out);
    if (proposed.length) panel.append(heading("Proposed by"), ...proposed.map((r) => relationEntry(id, r)));
    if (relations.length) panel.append(heading("Relations"), ...relations.map((r) => relationEntry(id, r)));
    for (const kind of ["Contribution", "Result", "Finding", "Limitation"]) {
      const claims = entry.claims.filter((claim) => claim.kind === kind);
      if (claims.length) panel.append(heading(kind + "s"), ...claims.map((claim) => claimEntry(id, claim)));
    }
    panel.scrollTop = 0;
  };

  const welcome = () => {
    const drawn = data.nodes.filter((node) => node.type !== "Paper").length;
    const papers = data.nodes.length - drawn;
    panel.replaceChildren(
      element("h2", `${drawn} entities, ${papers} papers`),
      element("p", drawn < data.total.entities
        ? `The most connected of ${data.total.entities} entities and ${data.total.papers} papers are drawn.`
        : "Every entity is drawn."),
      element("p", "Search, or click a node: its names, relations and claims appear here, each with the sentence it comes from.", "soft"),
    );
  };

  const select = (id, move) => {
    const type = typeOf.get(id);
    if (!shown.has(type)) {
      document.querySelector(`#types input[value="${type}"]`).checked = true;
      shown.add(type);
      refresh();
    }
    network.selectNodes([id]);
    if (move) network.focus(id, { scale: 1.1, animation: { duration: 350 } });
    show(id);
  };

  const refresh = () => { nodes.refresh(); edges.refresh(); };

  const found = (words) => {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return [];
    const rank = (id) => {
      const names = [data.details[id].label, ...data.details[id].names].map((name) => name.toLowerCase());
      if (names.includes(wanted)) return 0;
      if (names.some((name) => name.startsWith(wanted))) return 1;
      return names.some((name) => name.includes(wanted)) ? 2 : 9;
    };
    return data.nodes.map((node) => [rank(node.id), node.id]).filter(([r]) => r < 9).sort(([a], [b]) => a - b).slice(0, 12).map(([, id]) => id);
  };

  let chosen = 0;
  const offer = () => {
    const ids = found(search.value);
    chosen = 0;
    matches.replaceChildren(...ids.map((id, index) => {
      const item = element("li", data.details[id].label + "  ·  " + typeOf.get(id));
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(index === chosen));
      item.dataset.id = id;
      item.addEventListener("mousedown", () => take(id));
      return item;
    }));
    matches.hidden = ids.length === 0;
    search.setAttribute("aria-expanded", String(ids.length > 0));
  };
  const take = (id) => {
    matches.hidden = true;
    search.setAttribute("aria-expanded", "false");
    select(id, true);
  };

  search.addEventListener("input", offer);
  search.addEventListener("blur", () => { matches.hidden = true; });
  search.addEventListener("keydown", (event) => {
    const items = [...matches.children];
    if (event.key === "Enter" && items.length) take(items[chosen].dataset.id);
    if (event.key === "Escape") matches.hidden = true;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length) {
      event.preventDefault();
      chosen = (chosen + step + items.length) % items.length;
      items.forEach((item, index) => item.setAttribute("aria-selected", String(index === chosen)));
    }
  });
  document.getElementById("types").addEventListener("change", (event) => {
    shown[event.target.checked ? "add" : "delete"](event.target.value);
    refresh();
  });
  relation.addEventListener("change", refresh);
  document.getElementById("fit").addEventListener("click", () => { network.unselectAll(); network.fit({ animation: true }); welcome(); });
  network.on("click", (event) => { if (event.nodes.length) select(event.nodes[0], false); });

  welcome();
  network.once("afterDrawing", () => document.documentElement.setAttribute("data-ready", "true"));
})();
