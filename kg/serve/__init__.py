"""`kg serve`: a SPARQL endpoint and pages for people over a built graph, read-only. Needs the extra `serve`."""
