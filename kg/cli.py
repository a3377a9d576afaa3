"""The command line: what is typed goes to a stage, what comes back is printed, an error says what to do."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kg._version import __version__
from kg.errors import KgError

if TYPE_CHECKING:
    from pyoxigraph import Store

    from kg.pipeline import Build
    from kg.query import Result

BASE_HELP = "Where the IRIs of papers and entities live."
EXPORT_FORMATS = ("ttl", "nt", "nq", "trig", "jsonld", "rdfxml", "graphml", "gexf", "csv")
TABLE_FORMATS = ("table", "csv", "tsv", "json", "xml")

graph_option = click.option(
    "-g",
    "--graph",
    default="exports",
    show_default=True,
    type=click.Path(path_type=Path),
    help="A folder that kg build wrote, or an RDF file.",
)


class Commands(click.Group):
    """A group whose errors are one line and an exit status, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; a KgError becomes a message on standard error and exit status 1."""
        try:
            return super().invoke(ctx)
        except KgError as error:
            _complain(error)
            ctx.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="kg")
def main() -> None:
    """Turn paper abstracts into a knowledge graph, and ask it who says what, with the sentence.

    Start with: kg build abstracts.txt, then kg stats, kg query --list, and open exports/graph.html.
    """


@main.command()
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option(
    "-o",
    "--out",
    default="exports",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder to write.",
)
@click.option("--base", default="https://w3id.org/paperkg/", show_default=True, help=BASE_HELP)
@click.option(
    "--min-confidence",
    default=0.0,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Leave out what the extractor is less sure of.",
)
@click.option("--workers", type=click.IntRange(1), help="Processes that extract. [default: one for each core]")
@click.option("--format", "form", help="Format of the inputs (kg formats lists them). [default: by content]")
def build(
    inputs: Sequence[str], out: Path, base: str, min_confidence: float, workers: int | None, form: str | None
) -> None:
    """Build the graph of the abstracts in INPUT: files, folders, or - for standard input.

    Reads text lists (abstracts separated by blank lines), tables, BibTeX, RIS, and what PubMed, arXiv, OpenReview,
    OpenAlex and others export (kg formats), in any usual encoding, gzipped or not. Writes graph.ttl, graph.html,
    manifest.json and the store into the folder.

    Exit status: 0 when all went in, 1 when records were left out, 2 for a wrong call.
    """
    from kg.pipeline import BuildOptions, build_to_folder
    from kg.pipeline import build as build_graph
    from kg.terminal import with_progress

    options = BuildOptions(_checked_base(base), min_confidence, workers or os.cpu_count() or 1, form)
    built = build_graph(inputs, options=options, stdin=sys.stdin.buffer, progress=with_progress)
    for problem in built.problems:
        _complain(problem)
    if not built.papers:
        raise KgError("no abstract was found, so nothing was written", hint="see the messages above")
    build_to_folder(built, out)
    _summarise(built, out)
    if built.problems:
        sys.exit(1)


def _checked_base(base: str) -> str:
    from pyoxigraph import NamedNode

    try:
        NamedNode(base)
    except ValueError as error:
        raise click.BadParameter(f"not an IRI: {error}", param_hint="--base") from error
    if not base.endswith(("/", "#")):
        raise click.BadParameter("an IRI that others are made from must end in / or #", param_hint="--base")
    return base


def _summarise(built: Build, out: Path) -> None:
    from kg.stats import stats
    from kg.store import load_graph

    found = stats(load_graph(out))
    entities = ", ".join(f"{count} {kind}" for kind, count in found.entities.items() if count)
    claims = ", ".join(f"{count} {kind}" for kind, count in found.claims.items() if count)
    records = f"{built.duplicates} duplicates, {len(built.problems)} records left out"
    click.echo(f"papers      {found.papers}  ({records}) in {built.seconds:.1f} s")
    click.echo(f"entities    {sum(found.entities.values())}  ({entities})")
    click.echo(f"statements  {sum(found.statements.values())}")
    click.echo(f"claims      {sum(found.claims.values())}  ({claims})")
    click.echo(f"written to {out}: graph.html to look at, graph.ttl to take along; ask with: kg query --list -g {out}")


@main.command("read")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--format", "form", help="Format of the inputs (kg formats lists them). [default: by content]")
@click.option("--count", is_flag=True, help="Print only how many there are.")
def read(inputs: Sequence[str], form: str | None, count: bool) -> None:
    """Print the papers in INPUT as JSON Lines, without building anything. Exit status as of kg build."""
    from kg.errors import InputError
    from kg.read import json_line, read_papers

    papers = problems = 0
    for record in read_papers(inputs, stdin=sys.stdin.buffer, format=form):
        if isinstance(record, InputError):
            problems += 1
            _complain(record)
        else:
            papers += 1
            if not count:
                click.echo(json_line(record))
    if count:
        click.echo(papers)
    if problems:
        sys.exit(1)


@main.command()
def formats() -> None:
    """List the formats that papers are read from; a file's content tells which it is."""
    from kg.read import FORMATS

    width = max(len(known.name) for known in FORMATS)
    for known in FORMATS:
        click.echo(f"{known.name:<{width}}  {known.about}")


@main.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("query", required=False)
@graph_option
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice((*TABLE_FORMATS, "ttl")),
    help="[default: table on a terminal, else csv; ttl for triples]",
)
@click.option("--list", "list_queries", is_flag=True, help="Show the named queries and their parameters.")
@click.pass_context
def query(ctx: click.Context, query: str | None, graph: Path, form: str | None, list_queries: bool) -> None:
    """Ask the graph: QUERY is SPARQL, a file that holds it, - for standard input, or a named query.

    The parameters of a named query are options of its own:

        kg query methods-for-task --task "in-context learning"
    """
    if list_queries:
        _list_queries()
        return
    if query is None:
        raise click.UsageError("what to ask? Give SPARQL, a file or a named query; kg query --list shows those")
    from kg.query import named_queries, run, run_named
    from kg.store import load_graph

    store = load_graph(graph)
    arguments = _named_arguments(ctx.args)
    if query in named_queries():
        _print_answer(run_named(store, query, arguments), form)
        return
    if arguments:
        raise click.UsageError(f'no named query is called "{query}"; kg query --list shows those there are')
    _print_answer(run(store, _query_text(query)), form)


def _list_queries() -> None:
    from kg.query import named_queries

    for query in named_queries().values():
        click.secho(query.name, bold=True)
        click.echo(f"  {query.description}")
        for parameter in query.parameters:
            click.echo(f"  --{parameter.name}  {parameter.description}{' (optional)' if parameter.optional else ''}")


def _named_arguments(extra: Sequence[str]) -> dict[str, str]:
    """The arguments of a named query from what click did not know: `--task X` and `--task=X`."""
    found = {}
    left = list(extra)
    while left:
        option, equals, value = left.pop(0).partition("=")
        if not option.startswith("--") or not (equals or left):
            raise click.UsageError(
                f'"{option}" is not an option with a value; a query\'s parameters are given as --name VALUE'
            )
        found[option.removeprefix("--")] = value if equals else left.pop(0)
    return found


def _query_text(query: str) -> str:
    if query == "-":
        return sys.stdin.read()
    if any(c in query for c in "{ \n"):
        return query
    path = Path(query)
    if not path.is_file():
        raise click.UsageError(f'"{query}" is no named query (kg query --list shows those), no file and no SPARQL')
    return path.read_text(encoding="utf-8")


def _print_answer(answer: Result, form: str | None) -> None:
    from pyoxigraph import QueryBoolean, QueryResultsFormat, QuerySolutions, QueryTriples

    from kg.store import turtle
    from kg.terminal import print_solutions

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


@main.command()
@click.option("--method", help="Only results of this method.")
@click.option("--task", help="Only results for this task.")
@click.option("--dataset", help="Only results on this dataset.")
@click.option("--metric", help="Only results measured so.")
@click.option(
    "-f", "--format", "form", type=click.Choice(TABLE_FORMATS), help="[default: table on a terminal, else csv]"
)
@graph_option
def results(form: str | None, graph: Path, **filters: str | None) -> None:
    """Print the results ledger: who reports what, by how much, against what, on what, with the sentence."""
    _print_named("results", graph, form, filters)


@main.command()
@click.option("--kind", help="Only contributions, results, findings or limitations.")
@click.option("--about", help="Only claims about this method, task, dataset or metric.")
@click.option(
    "-f", "--format", "form", type=click.Choice(TABLE_FORMATS), help="[default: table on a terminal, else csv]"
)
@graph_option
def claims(form: str | None, graph: Path, **filters: str | None) -> None:
    """Print what the papers claim, each with its kind, its paper and its sentence."""
    _print_named("claims", graph, form, filters)


def _print_named(query: str, graph: Path, form: str | None, filters: Mapping[str, str | None]) -> None:
    from kg.query import run_named

    arguments = {name: value for name, value in filters.items() if value is not None}
    _print_answer(run_named(_load(graph), query, arguments), form)


@main.command()
@click.argument("subject")
@click.argument("predicate", required=False)
@click.argument("object", required=False)
@graph_option
def explain(subject: str, predicate: str | None, object: str | None, graph: Path) -> None:  # noqa: A002
    """Show the sentences behind what the graph says of SUBJECT, or behind one triple.

    SUBJECT and OBJECT are names or IRIs, PREDICATE is a relation such as usedFor.
    """
    from kg.explain import explain as explanations
    from kg.lookup import find_node, find_property
    from kg.terminal import print_explanation

    store = _load(graph)
    relation = find_property(predicate) if predicate else None
    other = find_node(store, object) if object else None
    found = explanations(store, find_node(store, subject), relation, other)
    if not found:
        raise KgError(f"the graph holds no statement {subject} {predicate or ''} {object or ''}".rstrip())
    for explanation in found:
        print_explanation(explanation)


@main.command()
@click.option("-f", "--format", "form", required=True, type=click.Choice(EXPORT_FORMATS))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="File to write; for csv a folder. [default: graph.FORMAT]",
)
@graph_option
def export(form: str, out: Path | None, graph: Path) -> None:
    """Write the graph in another format.

    csv writes nodes.csv and edges.csv as neo4j-admin and pandas read them; Gephi and Cytoscape read graphml
    and gexf.
    """
    from kg.export import export as write

    target = out or (Path("graph-csv") if form == "csv" else Path(f"graph.{'rdf' if form == 'rdfxml' else form}"))
    write(_load(graph), form, target)
    click.echo(f"written to {target}")


@main.command()
@graph_option
def validate(graph: Path) -> None:
    """Check the form of the graph against its SHACL shapes. Exit status 1 when something breaks one."""
    from kg.terminal import plain
    from kg.validate import validate as violations

    found = violations(_load(graph))
    for violation in found:
        click.echo(plain(f"{violation.node}  {violation.path}  {violation.message}"))
    click.echo(f"{len(found)} violations" if found else "valid: every shape holds")
    sys.exit(bool(found))


@main.command()
@graph_option
def verify(graph: Path) -> None:
    """Cut every quote out of its abstract again. Exit status 1 when one differs."""
    from kg.terminal import plain
    from kg.validate import verify as check

    total, misquotes = check(_load(graph))
    for misquote in misquotes:
        click.echo(plain(f"{misquote.evidence}\n  quoted: {misquote.quote}\n  found:  {misquote.found}"))
    share = 100 * (total - len(misquotes)) / total if total else 100.0
    click.echo(f"{total - len(misquotes)} of {total} quotes stand in their abstracts word for word ({share:.2f} %)")
    sys.exit(bool(misquotes))


@main.command()
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
def diff(old: Path, new: Path) -> None:
    """Say what changed from graph OLD to graph NEW: papers, entities, statements and claims."""
    from kg.diff import diff as changes
    from kg.terminal import plain

    colours = {"added": "green", "removed": "red", "altered": "yellow"}
    found = changes(_load(old), _load(new))
    for change in found:
        click.secho(plain(f"{change.how} {change.what}: {change.words}"), fg=colours[change.how])
    numbers = Counter(change.how for change in found)
    click.echo(", ".join(f"{numbers[how]} {how}" for how in colours))


@main.command()
@graph_option
@click.option(
    "--top",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="How many entities of each type to name.",
)
def stats(graph: Path, top: int) -> None:
    """Count what the graph holds, name the most used entities, and show what it may have missed."""
    from kg.stats import coverage
    from kg.stats import stats as count
    from kg.terminal import plain, print_rows

    store = _load(graph)
    found = count(store, top=top)
    click.echo(f"{found.papers} papers, {found.evidence} pieces of evidence")
    for title, counts in (
        ("entities", found.entities),
        ("statements", found.statements),
        ("claims", found.claims),
    ):
        print_rows([title, "number"], [[name, str(number)] for name, number in counts.items()])
    for kind, names in found.top.items():
        if names:
            print_rows([f"most used: {kind}", "papers"], [[plain(name), str(number)] for name, number in names])
    covered = coverage(store)
    asserting = f"{covered.with_cue} of {covered.sentences} sentences assert something"
    click.echo(f"{asserting}, {len(covered.missed)} of them have left nothing in the graph:")
    for sentence in covered.missed[:top]:
        click.echo(f"  {plain(sentence)}")


@main.command()
@click.argument("graph", default="exports", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at; 0.0.0.0 for all.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 for any free one."
)
@click.option("--cors", multiple=True, metavar="ORIGIN", help="Web origin whose pages may ask, or *; repeatable.")
@click.option(
    "--timeout", default=10.0, show_default=True, type=click.FloatRange(0.1), help="Seconds a query may take."
)
@click.option("--memory", default=512, show_default=True, type=click.IntRange(64), help="MiB of memory for a query.")
@click.option(
    "--rows", default=100_000, show_default=True, type=click.IntRange(1), help="Rows or triples an answer may have."
)
@click.option(
    "--workers", type=click.IntRange(1), help="Queries that run at once. [default: one for each core, at least 4]"
)
def serve(
    graph: Path,
    host: str,
    port: int,
    cors: Sequence[str],
    timeout: float,
    memory: int,
    rows: int,
    workers: int | None,
) -> None:
    """Serve GRAPH, a folder that kg build wrote or an RDF file: pages for people, SPARQL for programs.

    Pages show each entity and paper with its sentences, the results ledger, a SPARQL editor and the graph explorer.
    Programs ask at /sparql (SPARQL 1.1 Protocol), read graphs at /data (Graph Store Protocol), and get every page
    as RDF. The graph is only read: SERVICE, LOAD and updates are refused, and a query that takes too long or too
    much is stopped. An answer larger than --rows is refused, never cut.
    """
    try:
        from kg.serve.answer import Limits
        from kg.serve.run import Address, run
    except ImportError as error:
        raise KgError(f"serving needs more packages: {error.name}", hint="pip install 'paperkg[serve]'") from error
    limits = Limits(timeout, memory * 2**20, rows, workers or max(4, os.cpu_count() or 1))
    run(graph, Address(host, port, tuple(cors)), limits, ready=lambda url: click.echo(f"serving {graph} at {url}"))


@main.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-f", "--format", "form", type=click.Choice(("table", "json")), default="table", show_default=True)
@click.option(
    "--min-confidence", default=0.0, show_default=True, type=click.FloatRange(0, 1), help="Leave out what is less sure."
)
def evaluate(file: Path, form: str, min_confidence: float) -> None:
    """Score the extractor on an annotated corpus: precision, recall and F1 of entities, relations and roles.

    FILE is in SciER's or CSAbstruct's JSON Lines form, or in that of the project's own corpus.
    """
    from kg.model import load_model
    from kg.train.evaluate import as_json, as_table
    from kg.train.evaluate import evaluate as scores

    found = scores(file, load_model(), min_confidence=min_confidence)
    click.echo(as_json(found) if form == "json" else as_table(found))


@main.command()
@click.option(
    "--config", required=True, type=click.Path(path_type=Path), help="The run's TOML file, as kg/train/config.toml."
)
def train(config: Path) -> None:
    """Train the extractor anew from the corpora that the configuration names. Hours; goes on where it was stopped."""
    try:
        from kg.train.run import run
    except ImportError as error:
        raise KgError(f"training needs more packages: {error.name}", hint="pip install 'paperkg[train]'") from error
    click.echo(f"written to {run(config)}")


def _load(graph: Path) -> Store:
    from kg.store import load_graph

    return load_graph(graph)


def _complain(error: KgError) -> None:
    from kg.terminal import plain

    click.secho(f"kg: {plain(str(error))}", err=True, fg="red" if sys.stderr.isatty() else None)
