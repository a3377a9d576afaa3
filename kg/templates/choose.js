"use strict";
/* A text field that offers nodes as one types (the combobox of the ARIA practices). */
const makeChooser = (input, list, model, take) => {
  let at = 0;
  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const options = () => [...list.querySelectorAll("[data-id]")];
  const mark = () => {
    options().forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
    const active = options()[at];
    if (active) {
      input.setAttribute("aria-activedescendant", active.id);
      active.scrollIntoView({ block: "nearest" });
    }
  };
  const choose = (id) => {
    input.value = model.label(id);
    close();
    take(id);
  };
  const none = () => {
    const item = element("li", "Nothing of that name is on this page. kg view --around NAME makes a page around it.");
    item.setAttribute("role", "option");
    item.setAttribute("aria-disabled", "true");
    item.setAttribute("aria-selected", "false");
    return item;
  };
  const offer = () => {
    const ids = model.find(input.value);
    at = 0;
    list.replaceChildren(...ids.map((id, index) => {
      const item = element("li", model.label(id) + "  ·  " + model.nodes.get(id).type);
      item.setAttribute("role", "option");
      item.id = `${list.id}-${index}`;
      item.dataset.id = id;
      item.addEventListener("mousedown", (event) => { event.preventDefault(); choose(id); });
      return item;
    }));
    if (!ids.length && input.value.trim()) list.append(none());
    list.hidden = !list.children.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark();
  };
  input.addEventListener("input", offer);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const items = options();
    const open = !list.hidden;
    if (event.key === "Enter" && !open) offer();
    if (event.key === "Enter" && options().length && !list.hidden) {
      event.preventDefault();
      choose(options()[at].dataset.id);
    }
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      event.preventDefault();
      close();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && open && items.length) {
      event.preventDefault();
      at = (at + step + items.length) % items.length;
      mark();
    }
  });
};
