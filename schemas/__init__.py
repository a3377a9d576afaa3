"""The ontology, its SHACL shapes, the JSON-LD context and the named queries, as data files."""
