"""Training of the extractor: corpora in, weights out. Needs the extra `train`; never imported at run time."""
