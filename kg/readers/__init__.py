"""Readers: one module for each format that papers come in; `kg.read.FORMATS` lists them.

A reader takes a :class:`~kg.readers.source.Source` and a name for it, and yields papers and, in the place of what
it cannot use, errors that say where. It maps the format's own fields to those of `kg.readers.fields`.
"""
