// The query field as an editor: colours, brackets, faults, and the terms of our ontology as completions.
(() => {
  "use strict";
  const field = document.getElementById("query");
  if (typeof Yasqe === "undefined" || !field) return;

  const named = /^[\w-]*:[\w-]*$/;
  const start = ({ prefixes, terms }) => {
    const declared = Object.entries(prefixes).map(([prefix, iri]) => `${prefix}: <${iri}>`);
    const ofPrefixes = Yasqe.Autocompleters.prefixes;
    Yasqe.registerAutocompleter({ ...ofPrefixes, get: declared, persistenceId: null }, false);
    Yasqe.registerAutocompleter({
      name: "terms",
      bulk: true,
      autoShow: true,
      persistenceId: null,
      get: [
        ...terms.map((term) => `kg:${term.name}`),
        ...["skos:prefLabel", "skos:altLabel", "dcterms:title", "dcterms:abstract", "dcterms:identifier", "dcterms:issued",
          "dcterms:creator", "rdf:type", "rdf:subject", "rdf:predicate", "rdf:object", "rdfs:label", "schema:keywords", "schema:url"],
      ],
      isValidCompletionPosition: (yasqe) => named.test(yasqe.getCompleteToken().string),
    }, false);

    const place = document.createElement("div");
    place.className = "editor";
    field.after(place);
    const keys = { "Ctrl-Enter": () => run(), "Cmd-Enter": () => run() };
    const yasqe = new Yasqe(place, {
      value: field.value,
      autocompleters: ["prefixes", "terms", "variables"],
      showQueryButton: false,
      createShareableLink: null,
      consumeShareLink: null,
      persistenceId: null,
      resizeable: false,
      editorHeight: "auto",
      pluginButtons: undefined,
    });
    yasqe.setOption("extraKeys", { ...yasqe.getOption("extraKeys"), ...keys });
    yasqe.getInputField().setAttribute("aria-label", "Query");
    field.hidden = true;
    document.querySelector("label[for=query]").removeAttribute("for");
    const form = field.form;
    const run = () => form.requestSubmit();
    form.addEventListener("submit", () => { field.value = yasqe.getValue(); });
    document.documentElement.dataset.editor = "ready";
  };

  fetch(field.dataset.completions)
    .then((answer) => answer.json())
    .then(start)
    .catch((error) => console.error(error));
})();
