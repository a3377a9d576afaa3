"""The commands that keep a graph current, and what they share with the one that builds it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kg.options import folder_option, making_options

if TYPE_CHECKING:
    from kg.pipeline import Build, BuildOptions
    from kg.update import Update

__all__ = ["COMMANDS", "build_options", "summarise"]


def build_options(
    folder: Path, *, workers: int | None, form: str | None, curation: Path | None, cache: bool
) -> BuildOptions:
    """What was typed, with the decisions, the links and the cache that lie in the folder."""
    from kg.alignment import LINKS_FILE, read_links
    from kg.cache import CACHE_FILE
    from kg.curation import CURATION_FILE, read_curation
    from kg.pipeline import BuildOptions

    return BuildOptions(
        workers=workers or os.cpu_count() or 1,
        format=form,
        curation=read_curation(curation or folder / CURATION_FILE),
        links=tuple(read_links(folder / LINKS_FILE)),
        cache=folder / CACHE_FILE if cache else None,
    )


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@folder_option
@making_options
def add(inputs: Sequence[str], graph: Path, workers: int | None, form: str | None, cache: bool) -> None:
    """Add the papers in INPUT to a graph, as if they had been there when it was built.

    It takes as long as the papers are worth, not the graph. A paper that the graph has already is put together from
    all its records. Either all of it happens or nothing. Exit status as of kg build.
    """
    from kg.terminal import with_progress
    from kg.update import add_papers

    options = build_options(graph, workers=workers, form=form, curation=None, cache=cache)
    _report(add_papers(inputs, graph, options=options, stdin=sys.stdin.buffer, progress=with_progress), graph)


@click.command()
@click.argument("papers", nargs=-1, required=True, metavar="PAPER...")
@folder_option
def remove(papers: Sequence[str], graph: Path) -> None:
    """Take papers out of a graph: PAPER is an identifier, an IRI, or a title or part of it that only one has.

    What only they support goes with them; all else stays as it is.
    """
    from kg.update import remove_papers

    options = build_options(graph, workers=1, form=None, curation=None, cache=False)
    _report(remove_papers(papers, graph, options=options), graph)


@click.command()
@click.argument("inputs", nargs=-1, metavar="[INPUT...]")
@folder_option
@making_options
def update(inputs: Sequence[str], graph: Path, workers: int | None, form: str | None, cache: bool) -> None:
    """Bring a graph up to date: with new records of its papers, or with what people decided since.

    With INPUT, what it tells of a paper takes the place of what the graph was told before, and papers that are new are
    added. Without, the graph is made again from the papers that it has: with curation.tsv and links.tsv as they are
    now, and with the extractor of this paperkg. Exit status as of kg build.
    """
    from kg.terminal import with_progress
    from kg.update import add_papers, rebuild

    options = build_options(graph, workers=workers, form=form, curation=None, cache=cache)
    if inputs:
        stdin = sys.stdin.buffer
        told = add_papers(inputs, graph, replacing=True, options=options, stdin=stdin, progress=with_progress)
        _report(told, graph)
    else:
        summarise(rebuild(graph, options=options, progress=with_progress), graph)


def _report(update: Update, graph: Path) -> None:
    from kg.terminal import complain

    for problem in update.problems:
        complain(problem)
    left_out = f", {len(update.problems)} records left out" if update.problems else ""
    papers = f"{update.added} added, {update.removed} removed, {update.changed} changed{left_out}"
    click.echo(f"papers      {papers} in {update.seconds:.1f} s")
    if update.added + update.removed + update.changed:
        click.echo(f"written to {graph}")
    else:
        click.echo(f"nothing changes in {graph}")
    if update.problems:
        sys.exit(1)


def summarise(built: Build, out: Path) -> None:
    """Say what a build made, and which decisions of people no longer apply."""
    from kg.stats import stats
    from kg.store import load_graph

    for decision in built.unapplied:
        click.echo(f"kg: a decision no longer applies, for no paper has the name: {decision}", err=True)
    found = stats(load_graph(out))
    entities = ", ".join(f"{count} {kind}" for kind, count in found.entities.items() if count)
    claims = ", ".join(f"{count} {kind}" for kind, count in found.claims.items() if count)
    records = f"{built.duplicates} records merged, {len(built.problems)} left out"
    click.echo(f"papers      {found.papers}  ({records}) in {built.seconds:.1f} s")
    click.echo(f"entities    {sum(found.entities.values())}  ({entities})")
    click.echo(f"statements  {sum(found.statements.values())}")
    click.echo(f"claims      {sum(found.claims.values())}  ({claims})")
    click.echo(f"written to {out}: graph.html to look at, graph.ttl to take along; ask with: kg query --list -g {out}")


COMMANDS: Sequence[click.Command] = (add, remove, update)
