// Suggestions under a search field or a filter, as the combobox of the ARIA practices. Texts are set as text only.
(() => {
  "use strict";
  let count = 0;

  const suggest = (input) => {
    const list = document.createElement("ul");
    list.id = `matches-${++count}`;
    list.className = "matches";
    list.hidden = true;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Suggestions");
    const box = document.createElement("div");
    box.className = "suggesting";
    input.replaceWith(box);
    box.append(input, list);
    for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-controls", list.id], ["aria-autocomplete", "list"]])
      input.setAttribute(name, value);

    const filter = input.dataset.kind || "";
    let found = [];
    let chosen = -1;
    let asked = 0;
    let waiting;

    const close = () => {
      list.hidden = true;
      chosen = -1;
      input.setAttribute("aria-expanded", "false");
      input.removeAttribute("aria-activedescendant");
    };
    const take = (match) => {
      close();
      if (!filter) { location.assign(match.href); return; }
      input.value = match.label;
      input.form.requestSubmit();
    };
    const mark = () => {
      [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === chosen)));
      if (chosen < 0) { input.removeAttribute("aria-activedescendant"); return; }
      input.setAttribute("aria-activedescendant", list.children[chosen].id);
      list.children[chosen].scrollIntoView({ block: "nearest" });
    };
    const show = () => {
      list.replaceChildren(...found.map((match, index) => {
        const item = document.createElement("li");
        item.id = `${list.id}-${index}`;
        item.setAttribute("role", "option");
        item.textContent = filter ? match.label : `${match.label}  ·  ${match.kind}`;
        item.addEventListener("mousedown", (event) => { event.preventDefault(); take(match); });
        return item;
      }));
      chosen = -1;
      mark();
      list.hidden = found.length === 0;
      input.setAttribute("aria-expanded", String(found.length > 0));
    };
    const ask = async () => {
      const number = ++asked;
      const words = input.value.trim();
      if (!words) { found = []; show(); return; }
      const address = `/search?q=${encodeURIComponent(words)}&kind=${encodeURIComponent(filter)}`;
      try {
        const answer = await fetch(address, { headers: { Accept: "application/json" } });
        const matches = answer.ok ? await answer.json() : [];
        if (number === asked && document.activeElement === input) { found = matches; show(); }
      } catch { close(); }
    };

    input.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(ask, 80); });
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && found.length && !list.hidden) {
        event.preventDefault();
        chosen = chosen < 0 && step < 0 ? found.length - 1 : (chosen + step + found.length) % found.length;
        mark();
      } else if (event.key === "Escape" && !list.hidden) {
        event.preventDefault();
        close();
      } else if (event.key === "Enter" && chosen >= 0) {
        event.preventDefault();
        take(found[chosen]);
      }
    });
  };

  document.querySelectorAll("input[data-suggest]").forEach(suggest);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      document.getElementById("search").focus();
    }
  });
})();
