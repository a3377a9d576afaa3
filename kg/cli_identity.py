"""The commands about what is one thing: why it is, and what people decide about it."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kg.options import graph_option

if TYPE_CHECKING:
    from pyoxigraph import Store

    from kg.alike import Judgement
    from kg.curation import Action
    from kg.sameness import Sameness

__all__ = ["COMMANDS"]

TYPES = ("Method", "Task", "Dataset", "Metric")
SHOWN = 3
"""So many sentences are shown for a reason."""
comment_option = click.option("--comment", default="", help="Why; kept in the file.")


@click.command("why-same")
@click.argument("name")
@click.argument("other")
@graph_option
def why_same_command(name: str, other: str, graph: Path) -> None:
    """Say why NAME and OTHER are one entity, or why they are not."""
    from kg.reading import label_of
    from kg.sameness import why_same
    from kg.store import load_graph
    from kg.terminal import plain

    store = load_graph(graph)
    found = why_same(store, name, other)
    if found.same:
        click.echo(f'"{name}" and "{other}" are one entity: {plain(label_of(store, found.one))} <{found.one.value}>')
        for line in _steps(found, store):
            click.echo(line)
        return
    click.echo(f'"{name}" and "{other}" are two entities:')
    for node in (found.one, found.other):
        click.echo(f"  {plain(label_of(store, node))} <{node.value}>")
    if found.judgement is not None:
        for line in _judged(found.judgement, found.threshold):
            click.echo(line)


def _steps(found: Sameness, store: Store) -> Iterator[str]:
    from pyoxigraph import NamedNode

    from kg.reading import label_of
    from kg.terminal import plain

    for step in found.steps:
        papers = len({piece.paper for piece in step.evidence})
        said = f", {papers} paper{'s' * (papers != 1)}" if papers else ""
        yield f'  "{step.name}": {step.rule} ({step.score:.2f}{said})'
        for piece in step.evidence[:SHOWN]:
            yield f"    “{plain(piece.quote)}”"
            yield f"      {plain(label_of(store, NamedNode(piece.paper)))}"


def _judged(judgement: Judgement, threshold: float) -> Iterator[str]:
    if judgement.veto:
        yield f"  ruled out: {judgement.veto}"
    yield f"  likeness {judgement.score:.2f}; from {threshold:.2f} on two names are one"
    for reason, weight in judgement.reasons:
        yield f"    {'for' if weight > 0 else 'against'}: {reason} ({weight:+.2f})"


@click.command()
@click.argument("name")
@click.argument("other")
@comment_option
@graph_option
def merge(name: str, other: str, comment: str, graph: Path) -> None:
    """Decide that NAME is OTHER: one entity, under the IRI of OTHER."""
    from kg.curation import Action

    _decide(graph, Action.MERGE, _entity_name(graph, name), _entity_name(graph, other), comment)


@click.command()
@click.argument("name")
@click.option("--from", "entity", required=True, metavar="ENTITY", help="The entity that NAME is not.")
@comment_option
@graph_option
def split(name: str, entity: str, comment: str, graph: Path) -> None:
    """Decide that NAME is another thing than ENTITY, though it stands among its names."""
    from kg.curation import Action

    _entity_name(graph, name)
    _decide(graph, Action.SPLIT, name, _entity_name(graph, entity), comment)


@click.command()
@click.argument("entity")
@click.argument("label")
@comment_option
@graph_option
def rename(entity: str, label: str, comment: str, graph: Path) -> None:
    """Decide that ENTITY is shown as LABEL."""
    from kg.curation import Action

    _decide(graph, Action.RENAME, _entity_name(graph, entity), label, comment)


@click.command()
@click.argument("entity")
@click.argument("kind", type=click.Choice(TYPES, case_sensitive=False), metavar="TYPE")
@comment_option
@graph_option
def retype(entity: str, kind: str, comment: str, graph: Path) -> None:
    """Decide that ENTITY is a Method, Task, Dataset or Metric."""
    from kg.curation import Action

    _decide(graph, Action.RETYPE, _entity_name(graph, entity), kind, comment)


@click.command()
@click.argument("name")
@comment_option
@graph_option
def block(name: str, comment: str, graph: Path) -> None:
    """Decide that NAME names nothing worth a place in the graph."""
    from kg.curation import Action

    _decide(graph, Action.BLOCK, name, "", comment)


@click.command()
@click.argument("name")
@graph_option
def unblock(name: str, graph: Path) -> None:
    """Take back that NAME is blocked."""
    from kg.curation import read_curation, write_curation

    path = _curation_file(graph)
    write_curation(read_curation(path).without_block(name), path)
    click.echo(f'"{name}" is blocked no more; kg update -g {path.parent} applies it')


def _decide(graph: Path, action: Action, subject: str, target: str, comment: str) -> None:
    from kg.curation import Decision, read_curation, write_curation

    path = _curation_file(graph)
    today = datetime.now(tz=UTC).date().isoformat()
    decision = Decision(action, subject, target, _author(), today, comment)
    write_curation(read_curation(path).with_decision(decision), path)
    click.echo(f"written to {path}: {decision}; kg update -g {path.parent} applies it")


def _author() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _curation_file(graph: Path) -> Path:
    from kg.curation import CURATION_FILE

    return (graph if graph.is_dir() else graph.parent) / CURATION_FILE


def _entity_name(graph: Path, name: str) -> str:
    """The name under which every later build finds the entity that `name` means in this graph."""
    from kg.lookup import find_entity
    from kg.sameness import key_name
    from kg.store import load_graph

    store = load_graph(graph)
    return key_name(store, find_entity(store, name))


@click.command()
@click.option(
    "--vocabulary",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="SKOS, OWL or labels in any RDF format, or a CSV or TSV with columns id, name, aliases.",
)
@click.option("--base", help="Where the IRIs live of a table that has no ids.")
@graph_option
def link(vocabulary: Path, base: str | None, graph: Path) -> None:
    """Link the entities of the graph to the terms of a vocabulary, offline.

    The links go into the graph and into links.tsv beside it, a table to read and edit that every later build replays.
    """
    from kg.alignment import EXACT, LINKS_FILE, align, read_links, read_vocabulary, write_links
    from kg.errors import GraphError
    from kg.store import load_graph
    from kg.update import link_graph

    if not graph.is_dir():
        raise GraphError("links go into a folder that kg build wrote", where=str(graph))
    terms = read_vocabulary(vocabulary, base=base)
    found = align(load_graph(graph), terms, vocabulary.name)
    others = [each for each in read_links(graph / LINKS_FILE) if each.source != vocabulary.name]
    write_links([*others, *found], graph / LINKS_FILE)
    link_graph(graph, [*others, *found])
    exact = sum(each.predicate == EXACT for each in found)
    click.echo(f"{len(terms)} terms; {exact} entities are one of them, {len(found) - exact} links are only close")
    click.echo(f"written to {graph / LINKS_FILE} and into the graph")


COMMANDS: Sequence[click.Command] = (why_same_command, merge, split, rename, retype, block, unblock, link)
