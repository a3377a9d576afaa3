"use strict";
/* The side panel: what the page says of the selected node, of a path, or of itself. Text of papers enters the page
   through textContent only. */
const element = (tag, text = "", className = "") => {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
};
const button = (text, className, act) => {
  const made = element("button", text, className);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
};
/* A link to a node, which wraps as text does. */
const linkTo = (id, text, select) => {
  const made = element("a", text, "go");
  made.href = "#" + new URLSearchParams({ select: id });
  made.addEventListener("click", (event) => { event.preventDefault(); select(id); });
  return made;
};
const number = (value) => value.toLocaleString("en");
const counted = (value, one, many = one + "s") => `${number(value)} ${value === 1 ? one : many}`;

/* `acts` holds what buttons do: select(id), focus(id), startPath(id), back(). */
const makePanel = (panel, data, model, acts) => {
  const link = (id, text) => (model.nodes.has(id) ? linkTo(id, text, acts.select) : element("span", text));
  const name = (entry) => entry.label ?? model.label(entry.other);

  const quote = (at, about) => {
    const sentence = data.sentences[at];
    const block = element("blockquote");
    let position = 0;
    for (const [start, end, entity] of sentence.marks) {
      if (start < position || !about.includes(data.entities[entity])) continue;
      block.append(sentence.text.slice(position, start), element("mark", sentence.text.slice(start, end)));
      position = end;
    }
    block.append(sentence.text.slice(position));
    const source = element("p", "", "soft");
    source.append(link(sentence.paper, data.titles[sentence.paper]));
    block.append(source);
    return block;
  };

  const relationEntry = (id, entry) => {
    const [box, line, sentences] = [element("div", "", "entry"), element("p"), element("div")];
    const far = link(entry.other, name(entry));
    const fold = button("▸", "fold", () => {
      sentences.hidden = !sentences.hidden;
      fold.textContent = sentences.hidden ? "▸" : "▾";
      fold.setAttribute("aria-expanded", String(!sentences.hidden));
    });
    fold.setAttribute("aria-expanded", "false");
    fold.setAttribute("aria-label", `Sentences: ${inWords(entry.type)} ${name(entry)}`);
    sentences.hidden = true;
    line.append(fold, " ", ...(entry.out ? [inWords(entry.type) + " ", far] : [far, " " + inWords(entry.type) + " this"]));
    if (entry.papers > 1) line.append(" ", element("span", counted(entry.papers, "paper"), "count soft"));
    sentences.append(...entry.sentences.map((sentence) => quote(sentence, [id, entry.other])));
    if (entry.papers > entry.sentences.length) sentences.append(element("p", `The sentences of ${number(entry.sentences.length)} of ${counted(entry.papers, "paper")}.`, "soft"));
    box.append(line, sentences);
    return box;
  };

  const claimEntry = (id, claim) => {
    const box = element("div");
    if (claim.slots.length) {
      const slots = element("p", "", "slots");
      claim.slots.forEach(([slot, value], index) => slots.append(index ? ", " : "", slot + " ", element("b", value)));
      box.append(slots);
    }
    box.append(...claim.sentences.map((sentence) => quote(sentence, [id])));
    return box;
  };

  const heading = (text, held, all) => element("h3", held < all ? `${text} (${number(held)} of ${number(all)})` : `${text} (${number(all)})`);

  const node = (id) => {
    const entry = data.details[id];
    const { type, papers } = model.nodes.get(id);
    const facts = element("p", type + (papers ? `, named by ${counted(papers, "paper")}` : ""), "soft");
    const deeds = element("div", "", "acts");
    deeds.append(button("Neighbourhood", "", () => acts.focus(id)), button("Path from here", "", () => acts.startPath(id)));
    panel.append(element("h2", entry.label), facts, deeds);
    if (entry.names.length) panel.append(element("p", "also: " + entry.names.join(", ")));
    const relations = entry.relations.filter((r) => !["proposes", "code"].includes(r.type) || r.out);
    const proposed = entry.relations.filter((r) => r.type === "proposes" && !r.out);
    const more = entry.relationsInAll - entry.relations.length;
    if (proposed.length) panel.append(element("h3", "Proposed by"), ...proposed.map((r) => relationEntry(id, r)));
    if (relations.length) panel.append(heading("Relations", relations.length, relations.length + more), ...relations.map((r) => relationEntry(id, r)));
    for (const [kind, all] of Object.entries(entry.claimsInAll)) {
      const claims = entry.claims.filter((claim) => claim.kind === kind);
      panel.append(heading(kind + "s", claims.length, all), ...claims.map((claim) => claimEntry(id, claim)));
    }
  };

  const path = (view, part) => {
    const [from, to] = view.path.map(model.label);
    const back = element("div", "", "acts");
    back.append(button("Back to the graph", "", acts.back));
    if (!part.steps) {
      panel.append(element("h2", "No path"), element("p", `Over what the filters let through, nothing on this page joins ${from} and ${to}.`), back);
      return;
    }
    const list = element("ol", "", "steps");
    part.steps.forEach((edge, at) => {
      const [here, there] = [part.stops[at], part.stops[at + 1]];
      const item = element("li");
      item.append(link(edge.from, model.label(edge.from)), ` ${inWords(edge.type)} `, link(edge.to, model.label(edge.to)));
      if (edge.support > 1) item.append(" ", element("span", counted(edge.support, "paper"), "count soft"));
      const entry = [...data.details[here].relations, ...data.details[there].relations]
        .find((r) => r.type === edge.type && [here, there].includes(r.other));
      if (entry) item.append(...entry.sentences.slice(0, 1).map((sentence) => quote(sentence, [here, there])));
      list.append(item);
    });
    panel.append(element("h2", `From ${from} to ${to}`), element("p", counted(part.steps.length, "step"), "soft"), back, list);
  };

  const welcome = () => {
    const entities = data.nodes.filter((held) => held.type !== "Paper").length;
    const papers = data.nodes.length - entities;
    const { total, what } = data;
    const part = entities < total.matching || total.matching < total.entities
      ? `${what ? `Of ${counted(total.matching, "entity", "entities")} ${what}, this page holds the ${number(entities)} nearest or most connected` : "This page holds the most connected part"}; the graph has ${counted(total.entities, "entity", "entities")} and ${counted(total.papers, "paper")}.`
      : "Every entity is on this page.";
    panel.append(
      element("h2", `${counted(entities, "entity", "entities")}, ${counted(papers, "paper")}`),
      element("p", part),
      element("p", "Search, or click a node: its names, relations and claims appear here, each with the sentence it comes from. A double click shows what is around it.", "soft"),
    );
    const most = [...model.nodes.values()].filter((held) => held.type !== "Paper").sort((a, b) => model.weight(b) - model.weight(a)).slice(0, 12);
    const list = element("ul", "", "steps");
    most.forEach((held) => { const item = element("li"); item.append(link(held.id, model.label(held.id)), " ", element("span", held.type, "count soft")); list.append(item); });
    if (most.length) panel.append(element("h3", "Most connected here"), list);
  };

  return (view, part) => {
    panel.replaceChildren();
    if (view.select) node(view.select);
    else if (view.path) path(view, part);
    else welcome();
    panel.scrollTop = 0;
  };
};
