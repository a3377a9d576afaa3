"""The commands that answer what people want to know without SPARQL."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

import click

from kg.options import graph_option

__all__ = ["COMMANDS"]

TYPES = ("Method", "Task", "Dataset", "Metric")
form_option = click.option(
    "-f", "--format", "form", type=click.Choice(("table", "csv", "json")), default="table", show_default=True
)


@click.command()
@click.argument("question", nargs=-1, required=True)
@click.option("--sparql/--no-sparql", default=True, show_default=True, help="Show the query that was asked.")
@click.option("-f", "--format", "form", type=click.Choice(("table", "csv", "tsv", "json", "xml")))
@graph_option
def ask(question: Sequence[str], sparql: bool, form: str | None, graph: Path) -> None:
    """Ask a QUESTION in words, such as "which methods are used for in-context learning?"

    It is matched to a named query by its form and by the names in it, and the query is shown; no language model is
    involved. What has no known form is not answered; then the forms that there are, are shown.
    """
    from kg.answers import print_answer
    from kg.ask import ask as answer
    from kg.store import load_graph

    found = answer(load_graph(graph), " ".join(question))
    arguments = "".join(f' --{name} "{value}"' for name, value in found.arguments)
    click.secho(f"# kg query {found.query}{arguments}", dim=True, err=True)
    if sparql:
        click.secho(found.sparql.strip(), dim=True, err=True)
    print_answer(found.result, form)


@click.command()
@click.option("--task", help="Only methods for this task.")
@click.option("--method", help="Only tasks for this method.")
@click.option("--top", default=20, show_default=True, type=click.IntRange(1))
@form_option
@graph_option
def gaps(task: str | None, method: str | None, top: int, form: str, graph: Path) -> None:
    """Methods and tasks that no paper joins, though near ones are joined: what nobody seems to have tried."""
    from kg.gaps import find_gaps
    from kg.lookup import find_entity
    from kg.store import load_graph
    from kg.terminal import plain

    store = load_graph(graph)
    ends = [find_entity(store, name, (kind,)) if name else None for name, kind in ((task, "Task"), (method, "Method"))]
    found = find_gaps(store, task=ends[0], method=ends[1], top=top)
    if form == "table":
        for number, gap in enumerate(found, 1):
            click.secho(plain(f"{number:>3}  {gap.method} for {gap.task}  ({gap.score:.2f})"), bold=True)
            for reason in gap.reasons:
                click.echo(plain(f"       {reason}"))
        if not found:
            click.echo("no gap: nothing near is full enough", err=True)
        return
    rows = [(g.method, g.task, round(g.score, 4), "; ".join(map(str, g.reasons))) for g in found]
    _print_rows(("method", "task", "score", "reasons"), rows, form)


@click.command()
@click.argument("names", nargs=-1)
@click.option("--type", "kind", type=click.Choice(TYPES, case_sensitive=False), default="Method", show_default=True)
@click.option("--top", default=20, show_default=True, type=click.IntRange(1))
@form_option
@graph_option
def trend(names: Sequence[str], kind: str, top: int, form: str, graph: Path) -> None:
    """Papers by year for NAMES, or for the entities of a type whose share of the papers grew most."""
    from kg.errors import QueryError
    from kg.lookup import find_entity
    from kg.store import load_graph
    from kg.trend import papers_by_year, trends

    store = load_graph(graph)
    years = sorted(papers_by_year(store))
    if not years:
        raise QueryError("no paper in this graph has a year", hint="tables, BibTeX and most exports bring years along")
    found = trends(store, kind=kind, only=[find_entity(store, name) for name in names], top=top)
    header = (kind.lower() if not names else "name", *map(str, years), "change")
    rows = [
        (t.label, *(t.papers.get(year, 0) for year in years), "new" if t.change is None else f"×{t.change:.1f}")
        for t in found
    ]
    _print_rows(header, rows, form)


def _print_rows(header: Sequence[str], rows: Sequence[Sequence[object]], form: str) -> None:
    if form == "json":
        click.echo(json.dumps([dict(zip(header, row, strict=True)) for row in rows], indent=1, ensure_ascii=False))
    elif form == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
        click.echo(out.getvalue(), nl=False)
    else:
        from kg.terminal import plain

        cells = [[plain(str(cell)) for cell in row] for row in (header, *rows)]
        widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
        for row in cells:
            first = row[0].ljust(widths[0])
            rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            click.echo("  ".join([first, *rest]).rstrip())


COMMANDS: Sequence[click.Command] = (ask, gaps, trend)
