"""Answers of queries, printed in the form that was asked for."""

from __future__ import annotations

import sys

import click
from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, QueryTriples

from kg.query import Result
from kg.terminal import print_solutions
from kg.turtle import turtle

__all__ = ["print_answer"]


def print_answer(answer: Result, form: str | None) -> None:
    """Print the answer as table, csv, tsv, json, xml or, for triples, ttl; by default what suits where it goes.

    Raises click.BadParameter for a form that the kind of answer does not have.
    """
    if isinstance(answer, QueryTriples):
        if form not in (None, "ttl"):
            raise click.BadParameter("this query gives triples; they come as ttl", param_hint="--format")
        _write(turtle(answer))
        return
    form = form or ("table" if sys.stdout.isatty() else "csv")
    if form == "ttl":
        raise click.BadParameter("this query gives a table, not triples", param_hint="--format")
    if isinstance(answer, QueryBoolean) and form not in ("json", "xml"):
        click.echo("yes" if answer else "no")
    elif isinstance(answer, QuerySolutions) and form == "table":
        if print_solutions(answer) == 0:
            click.echo("no answer in this graph", err=True)
    else:
        kind = QueryResultsFormat.from_extension({"xml": "srx", "json": "srj"}.get(form, form))
        _write(answer.serialize(format=kind) or b"")


def _write(content: bytes) -> None:
    sys.stdout.buffer.write(content if content.endswith(b"\n") else content + b"\n")
