"""The command line: what is typed goes to a stage, what comes back is printed, an error says what to do."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kg._version import __version__
from kg.cli_ask import COMMANDS as ASKING
from kg.cli_identity import COMMANDS as IDENTITY
from kg.cli_update import COMMANDS as UPDATING
from kg.cli_update import build_options, summarise
from kg.errors import KgError
from kg.options import graph_option, making_options

if TYPE_CHECKING:
    from pyoxigraph import Store

    from kg.pipeline import BuildOptions
    from kg.selection import Selection

BASE_HELP = "Where the IRIs of papers and entities live."
EXPORT_FORMATS = ("ttl", "nt", "nq", "trig", "jsonld", "rdfxml", "graphml", "gexf", "csv")
SOURCES = ("arxiv", "openreview", "openalex", "s2")
TABLE_FORMATS = ("table", "csv", "tsv", "json", "xml")


class Commands(click.Group):
    """A group whose errors are one line and an exit status, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; a KgError becomes a message on standard error and exit status 1."""
        try:
            return super().invoke(ctx)
        except KgError as error:
            from kg.terminal import complain

            complain(error)
            ctx.exit(1)


def _checked_email(_context: click.Context, _parameter: click.Parameter, email: str | None) -> str | None:
    if email is not None and not re.fullmatch(r"[!-~]+@[!-~]+\.[!-~]+", email):
        raise click.BadParameter("not an address such as ada@example.org")
    return email


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="kg")
def main() -> None:
    """Turn paper abstracts into a knowledge graph, and ask it who says what, with the sentence.

    Start with: kg build abstracts.txt, then kg stats, kg query --list, and open exports/graph.html.
    """
    gc.set_threshold(*GARBAGE)


GARBAGE = 100_000, 50, 100
"""Millions of records pass that hold no cycles; to look for some as often as Python does takes a tenth of the time."""

for command in (*UPDATING, *ASKING, *IDENTITY):
    main.add_command(command)


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
@making_options
@click.option(
    "--curation",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="People's decisions about entities. [default: curation.tsv in the folder, if it is there]",
)
@click.option(
    "--engine",
    type=click.Choice(("local", "spark")),
    default="local",
    show_default=True,
    help="What computes: this process, or Apache Spark (extra spark), which writes parts/*.nt.",
)
@click.option("--master", metavar="URL", help="Where Spark runs. [default: as Spark is set up, else this machine]")
def build(
    inputs: Sequence[str],
    out: Path,
    base: str,
    min_confidence: float,
    workers: int | None,
    form: str | None,
    cache: bool,
    curation: Path | None,
    engine: str,
    master: str | None,
) -> None:
    """Build the graph of the abstracts in INPUT: files, folders, or - for standard input.

    Reads text lists (abstracts separated by blank lines), tables, BibTeX, RIS, and what PubMed, arXiv, OpenReview,
    OpenAlex and others export (kg formats), in any usual encoding, gzipped or not. Writes graph.ttl, graph.html,
    manifest.json and the store into the folder.

    Exit status: 0 when all went in, 1 when records were left out, 2 for a wrong call.
    """
    from kg.pipeline import build_to_folder
    from kg.terminal import complain, with_progress

    options = build_options(out, workers=workers, form=form, curation=curation, cache=cache)
    options = replace(options, base=_checked_base(base), min_confidence=min_confidence)
    if engine == "spark":
        _build_on_spark(inputs, out, options, master)
        return
    if master is not None:
        raise click.UsageError("--master goes with --engine spark")
    built = build_to_folder(inputs, out, options=options, stdin=sys.stdin.buffer, progress=with_progress)
    for problem in built.problems:
        complain(problem)
    if not built.papers:
        raise KgError("no abstract was found, so nothing was written", hint="see the messages above")
    summarise(built, out)
    if built.problems:
        sys.exit(1)


def _build_on_spark(inputs: Sequence[str], out: Path, options: BuildOptions, master: str | None) -> None:
    from kg.spark import build_parts
    from kg.terminal import complain

    parts = build_parts(inputs, out, options=options, master=master, stdin=sys.stdin.buffer)
    built = parts.build
    for problem in built.problems:
        complain(problem)
    if not built.papers:
        raise KgError("no abstract was found, so nothing was written", hint="see the messages above")
    for decision in built.unapplied:
        click.echo(f"kg: a decision no longer applies, for no paper has the name: {decision}", err=True)
    records = f"{built.duplicates} records merged, {len(built.problems)} left out"
    click.echo(f"papers      {built.papers}  ({records}) in {built.seconds:.1f} s")
    click.echo(f"triples     {parts.triples}")
    click.echo(f"written to {out}: parts/*.nt ({parts.files} files), build.nq and manifest.json")
    if built.problems:
        sys.exit(1)


def _checked_base(base: str) -> str:
    _checked_iri(base, "--base")
    if not base.endswith(("/", "#")):
        raise click.BadParameter("an IRI that others are made from must end in / or #", param_hint="--base")
    return base


def _checked_iri(iri: str, option: str) -> None:
    from pyoxigraph import NamedNode

    try:
        NamedNode(iri)
    except ValueError as error:
        raise click.BadParameter(f"not an IRI: {error}", param_hint=option) from error


@main.command("read")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--format", "form", help="Format of the inputs (kg formats lists them). [default: by content]")
@click.option("--count", is_flag=True, help="Print only how many there are.")
@click.option("--every", is_flag=True, help="Print every record as it comes, and leave those of one paper apart.")
def read(inputs: Sequence[str], form: str | None, count: bool, every: bool) -> None:
    """Print the papers in INPUT as JSON Lines, without building anything.

    The records of one paper, from several files or sources, are merged as kg build does: by DOI, arXiv number in any
    version, the words of the abstract, or title with author, year or most of those words. Exit status as of kg build.
    """
    from kg.duplicates import Distinct, Same, usable
    from kg.errors import InputError
    from kg.read import json_line, read_papers
    from kg.terminal import complain

    problems: list[InputError] = []

    def report(problem: InputError) -> None:
        problems.append(problem)
        complain(problem)

    papers = usable(read_papers(inputs, stdin=sys.stdin.buffer, format=form), report)
    number = merged = 0
    for same in (Same(paper, (paper,)) for paper in papers) if every else Distinct(papers):
        number += 1
        merged += len(same.records) - 1 - len(same.astray)
        for problem in same.problems():
            report(problem)
        if not count:
            click.echo(json_line(same.paper))
    if count:
        click.echo(number)
    if merged:
        click.echo(f"kg: {merged} records were merged with others of the same paper", err=True)
    if problems:
        sys.exit(1)


@main.command()
@click.argument("source", type=click.Choice(SOURCES))
@click.argument("query")
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="File of JSON Lines to write.")
@click.option("--limit", type=click.IntRange(1), help="How many papers the file should hold. [default: all]")
@click.option("--email", callback=_checked_email, help="Where the source can reach you; some answer faster then.")
@click.option("--endpoint", metavar="URL", help="A mirror to ask instead of the source itself.")
@click.option("--restart", is_flag=True, help="Begin anew, and replace what the file holds.")
def fetch(
    source: str, query: str, out: Path, limit: int | None, email: str | None, endpoint: str | None, restart: bool
) -> None:
    """Fetch the papers that QUERY finds at a public source into a file that kg build reads.

    SOURCE is arxiv (words, or fields as in "cat:cs.CL AND abs:prompt"), openreview (a venue such as
    ICLR.cc/2025/Conference, an invitation, or words), openalex (words, or a filter such as
    publication_year:2025,title.search:graph) or s2, Semantic Scholar (words, with + | - and quotes). Keys are read from
    OPENALEX_API_KEY and S2_API_KEY.

    It asks no faster than the source allows and tries again when that is busy. The same command goes on where it was
    stopped, from FILE.state beside the file. Records without an abstract are left out.
    """
    from kg.apis import APIS
    from kg.fetch import fetch as fetch_papers
    from kg.terminal import plain

    api = APIS[source]
    show = sys.stderr.isatty()
    fetched = fetch_papers(
        api,
        query,
        out,
        limit=limit,
        endpoint=endpoint,
        email=email,
        key=os.environ.get(api.key) if api.key else None,
        restart=restart,
        notice=lambda words: click.echo(f"kg: {plain(words)}", err=True),
        progress=lambda now: click.echo(f"  {now.papers:,} of {now.total or '?':,}" if show else "", err=True, nl=show),
    )
    left_out = f"; {fetched.without_abstract:,} without an abstract left out" if fetched.without_abstract else ""
    click.echo(f"{out}: {fetched.papers:,} papers, {fetched.added:,} of them new{left_out}")
    click.echo("that is all the source has (--restart asks anew)" if fetched.whole else "there are more: raise --limit")


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
    from kg.answers import print_answer
    from kg.query import named_queries, run, run_named
    from kg.store import load_graph

    store = load_graph(graph)
    arguments = _named_arguments(ctx.args)
    if query in named_queries():
        print_answer(run_named(store, query, arguments), form)
        return
    if arguments:
        raise click.UsageError(f'no named query is called "{query}"; kg query --list shows those there are')
    print_answer(run(store, _query_text(query)), form)


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
    from kg.answers import print_answer
    from kg.query import run_named

    arguments = {name: value for name, value in filters.items() if value is not None}
    print_answer(run_named(_load(graph), query, arguments), form)


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
@click.argument("graph", default="exports", type=click.Path(path_type=Path))
@click.option("--endpoint", required=True, metavar="URL", help="The server's graph store.")
@click.option("--graph", "name", metavar="IRI", help="The graph to send it into. [default: the default graph]")
@click.option("--replace", is_flag=True, help="Take away what that graph held.")
@click.option("--batch", default=20_000, show_default=True, type=click.IntRange(1), help="Triples in a request.")
@click.option("--gzip", "compressed", is_flag=True, help="Compress what is sent.")
@click.option("--user", help="Your name there; the password is KG_PASSWORD in the environment, or asked for.")
@click.option("--token-env", metavar="NAME", help="The environment variable that holds a token.")
def push(
    graph: Path,
    endpoint: str,
    name: str | None,
    replace: bool,
    batch: int,
    compressed: bool,
    user: str | None,
    token_env: str | None,
) -> None:
    """Send GRAPH to a server that speaks the SPARQL 1.1 Graph Store Protocol, in batches.

    GRAPH is a folder that kg build wrote, or an RDF file. The graph store is at http://HOST:7878/store of Oxigraph and
    http://HOST:3030/DATASET/data of Fuseki. It tries again when the server is busy; the same command may be given
    again, and doubles nothing.
    """
    from kg.push import push as send
    from kg.terminal import plain

    if name is not None:
        _checked_iri(name, "--graph")
    show = sys.stderr.isatty()
    pushed = send(
        _load(graph),
        endpoint,
        graph=name,
        batch=batch,
        replace=replace,
        compressed=compressed,
        authorization=_authorization(user, token_env),
        notice=lambda words: click.echo(f"kg: {plain(words)}", err=True),
        progress=lambda now: click.echo(f"  {now.arrived:,} of {now.total:,}" if show else "", err=True, nl=show),
    )
    click.echo(f"{pushed.arrived:,} triples sent to {endpoint} in {pushed.requests} requests")


def _authorization(user: str | None, token_env: str | None) -> str | None:
    from kg.push import basic, bearer

    if user is not None and token_env is not None:
        raise click.UsageError("give --user or --token-env, not both")
    if token_env is not None:
        token = os.environ.get(token_env, "").strip()
        if not token:
            raise click.BadParameter(f"the environment variable {token_env} is not set", param_hint="--token-env")
        return bearer(token)
    if user is not None:
        return basic(user, os.environ.get("KG_PASSWORD") or click.prompt("Password", hide_input=True, err=True))
    return None


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
@click.argument("graph", default="exports", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Page to write. [default: graph.html]")
@click.option("--around", metavar="ENTITY", help="Only what is near this entity or paper, given by name or IRI.")
@click.option(
    "--depth",
    default=1,
    show_default=True,
    type=click.IntRange(1, 6),
    help="How many relations away is still near, for --around.",
)
@click.option("--query", "query_text", metavar="FILE", help="Only the entities in what this CONSTRUCT query gives.")
@click.option(
    "--top",
    type=click.IntRange(1),
    help="How many entities at most, the most connected. [default: 300 on a page, 40 in a picture]",
)
@click.option("--papers/--no-papers", default=None, help="Show papers from the start. [default: on pages of all]")
@click.option("--svg", type=click.Path(path_type=Path), help="Draw a picture into this file instead.")
@click.option("--png", type=click.Path(path_type=Path), help="The same as PNG. Both need the extra plot.")
def view(
    graph: Path,
    out: Path | None,
    around: str | None,
    depth: int,
    query_text: str | None,
    top: int | None,
    papers: bool | None,
    svg: Path | None,
    png: Path | None,
) -> None:
    """Make a page to explore GRAPH in a browser, or a picture of it for a paper or a slide.

    GRAPH is a folder that kg build wrote, or an RDF file. The page needs nothing else: it can be sent around. It
    holds the most connected entities unless --around or --query choose others.
    """
    if around is not None and query_text is not None:
        raise click.UsageError("--around and --query each choose what is shown; give one of them")
    store = _load(graph)
    pictures = {"svg": svg, "png": png}
    if any(pictures.values()):
        from kg.picture import draw_graph

        drawn = _selected(store, around, depth, query_text, top or 40)
        for kind, file in pictures.items():
            if file is not None:
                draw_graph(drawn.graph, file, form=kind, papers=bool(papers))
                _say_shown(drawn, file)
    if out is not None or not any(pictures.values()):
        held = _selected(store, around, depth, query_text, top or 300)
        from kg.view import write_html

        target = out or Path("graph.html")
        write_html(store, target, held, papers=papers)
        _say_shown(held, target)


def _selected(store: Store, near: str | None, depth: int, query_text: str | None, top: int) -> Selection:
    """The part of the graph that the options of kg view choose."""
    from pyoxigraph import QueryTriples

    from kg.lookup import find_node
    from kg.query import run
    from kg.selection import around, most_connected, of_triples

    if near is not None:
        return around(store, find_node(store, near), depth=depth, top=top)
    if query_text is None:
        return most_connected(store, top=top)
    answer = run(store, _query_text(query_text))
    if not isinstance(answer, QueryTriples):
        raise click.BadParameter("this query gives no triples; CONSTRUCT { ... } does", param_hint="--query")
    return of_triples(store, answer, top=top)


def _say_shown(selection: Selection, file: Path) -> None:
    from kg.terminal import plain

    held = sum(1 for _, kind in selection.graph.nodes(data="type") if kind != "Paper")
    click.echo(plain(f"written to {file}: {held} of {selection.matching} entities {selection.what}".rstrip()))


@main.command()
@graph_option
@click.option(
    "--top",
    default=10,
    show_default=True,
    type=click.IntRange(1),
    help="How many entities of each type to name.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    help="Draw methods by year and tasks by papers into this file, svg, png or pdf. Needs the extra plot.",
)
def stats(graph: Path, top: int, plot: Path | None) -> None:
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
    if plot is not None:
        _draw_trends(store, plot)


def _draw_trends(store: Store, file: Path) -> None:
    from kg.picture import draw_trends
    from kg.stats import trends

    draw_trends(trends(store), file)
    click.echo(f"written to {file}")


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
