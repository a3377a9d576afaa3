"""What the command line shows: text from papers made harmless, tables, quotes with marks, a progress bar."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence
from shutil import get_terminal_size

import click
from pyoxigraph import BlankNode, Literal, NamedNode, QuerySolutions

from kg.errors import KgError
from kg.explain import Explanation, Quote
from kg.records import Extraction
from kg.turtle import prefixes

__all__ = ["complain", "plain", "print_explanation", "print_rows", "print_solutions", "with_progress"]


_PAGE = 160  # columns of what is not a terminal
_READABLE = 36  # columns in which a longer text is still read with ease
_STEERING = ("Cc", "Cf", "Cs")
"""Unicode categories of what may steer a terminal: controls, formats such as right-to-left marks, surrogates."""


def plain(text: str) -> str:
    """The text without control characters: a title must not steer the terminal it is printed on."""
    return "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c) not in _STEERING)


def shown(term: NamedNode | BlankNode | Literal | None) -> str:
    """A term as people read it: a literal's text, an IRI with its prefix."""
    if term is None:
        return ""
    if isinstance(term, NamedNode):
        return _prefixed(term.value)
    return plain(str(getattr(term, "value", term)))


def _prefixed(iri: str) -> str:
    for prefix, start in prefixes().items():
        if iri.startswith(start) and iri != start:
            return plain(f"{prefix}:{iri[len(start) :]}")
    return plain(iri)


def print_solutions(solutions: QuerySolutions) -> int:
    """Prints the rows of a SELECT query as a table; gives back their number."""
    names = [variable.value for variable in solutions.variables]
    rows = [[shown(row[name]) for name in names] for row in solutions]
    print_rows(names, rows)
    return len(rows)


def print_rows(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table, or where it would not fit the terminal, a block of lines for each row."""
    width = get_terminal_size().columns if sys.stdout.isatty() else _PAGE
    least = sum(min(_READABLE, max([len(name), *(len(row[n]) for row in rows)])) + 3 for n, name in enumerate(names))
    if least > width:
        _print_blocks(names, rows)
    else:
        _print_table(names, rows, width)


def _print_blocks(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    indent = max(map(len, names)) + 2
    for row in rows:
        for name, cell in zip(names, row, strict=True):
            if cell:
                click.echo(click.style(f"{name:<{indent}}", dim=True) + cell)
        click.echo()


def _print_table(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for index, name in enumerate(names):
        numeric = bool(rows) and all(row[index].replace(".", "", 1).lstrip("-").isdigit() for row in rows if row[index])
        table.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(width=width, highlight=False).print(table)


def print_explanation(explanation: Explanation) -> None:
    """Prints a statement and, under it, each sentence that supports it with what it is about marked."""
    head = plain(f"{explanation.subject}  {explanation.predicate}  {explanation.object}")
    click.secho(head, bold=True)
    for quote in explanation.quotes:
        click.echo(f"  “{_marked(quote)}”")
        found = quote.evidence
        click.secho(f"    {plain(quote.title)}  ·  <{found.paper}>  ·  confidence {found.confidence:.2f}", dim=True)


def _marked(quote: Quote) -> str:
    """The quote with its marks in bold, or between asterisks where nothing can be bold."""
    text = quote.evidence.quote
    pieces, position = [], 0
    for start, end in quote.marks:
        if start >= position:
            word = plain(text[start:end])
            bold = click.style(word, bold=True) if sys.stdout.isatty() else f"**{word}**"
            pieces += [plain(text[position:start]), bold]
            position = end
    return "".join([*pieces, plain(text[position:])])


def complain(error: KgError) -> None:
    """Say on standard error what is wrong."""
    click.secho(f"kg: {plain(str(error))}", err=True, fg="red" if sys.stderr.isatty() else None)


def with_progress(extractions: Iterable[Extraction], total: int) -> Iterable[Extraction]:
    """The extractions, with a progress bar on standard error where that is a terminal."""
    if not sys.stderr.isatty():
        return extractions
    from rich.console import Console
    from rich.progress import track

    return track(extractions, "Reading abstracts", total=total, console=Console(stderr=True), transient=True)
