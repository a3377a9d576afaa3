"""The build on Apache Spark: the plan of a local build on the machines of a cluster, its graph in sorted part files.

The papers are read and told apart on one machine, as their records come; all else is done where there is room. Every
table lies as Parquet files in a folder beside the outcome, which all machines see: what is lost with a machine is made
again from the tables before it, and no table is ever made twice with two outcomes.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import pyarrow as pa
from pyoxigraph import RdfFormat, serialize

from kg.assemble import ORDER, PAPER, assemble
from kg.duplicates import Distinct, usable
from kg.engine import Columns, Function, GroupFunction, Row, batches_by, batches_of, over_groups
from kg.errors import GraphError, KgError
from kg.manifest import MANIFEST, TURTLE, Manifest
from kg.packing import pack, unpack, unpack_paper
from kg.packing import pack_paper as packed_paper
from kg.pipeline import Build, BuildOptions, Read, confident, facts
from kg.pool import extract
from kg.read import read_papers
from kg.resolve import BLOCK, DEFINITION, MENTION, Hand, block_rows, known_keys, paper_rows, resolve
from kg.segments import PAPERS_FOLDER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["PARTS", "Parts", "SparkEngine", "build_parts", "spark_session"]

PARTS = "parts"
"""The folder of the part files in that of a build."""

FOUND: Columns = {"paper": pa.string(), "content": pa.string()}
"""A paper's IRI, and the paper (:mod:`kg.packing`)."""

PAPERS_A_TASK = 500
"""So many papers are read by one task, some 40 seconds of work: what is lost where a machine is."""
TASKS_A_CORE = 4
"""So many tasks there are at least, that no core waits long for the last one."""
PAPERS_A_SHUFFLE = 2_000
"""For so many papers, a join or a group-by has one more part; Spark puts small ones together."""
ROWS_A_FILE = 5_000
"""So many rows of the driver go to the machines at a time."""

INSTALL = "pip install 'paperkg[spark]'"


@dataclass(frozen=True, slots=True)
class Parts:
    """A graph in part files: what there is to tell of it, and how many triples and files it has."""

    build: Build
    triples: int
    files: int


class SparkEngine:
    """Tables as Parquet files in `work`, a folder or an address that all machines see; an :class:`kg.engine.Engine`."""

    def __init__(self, session: SparkSession, work: str) -> None:
        self._session = session
        self._work = work
        self._files = _Files(session)
        self._folders: dict[str, str] = {}

    def table(self, name: str, sql: str) -> None:
        """Make a table of what the query finds, in the place of one of that name."""
        self._keep(name, self._session.sql(sql))

    def put(self, name: str, columns: Columns, rows: Iterable[Row]) -> None:
        """Make a table of these rows."""
        folder = self._folder(name)
        coming = iter(rows)
        schema = pa.schema(list(columns.items()))
        some = list(islice(coming, ROWS_A_FILE))
        while True:
            table = pa.Table.from_batches(batches_of(columns, some), schema=schema)
            self._session.createDataFrame(table, _schema(columns)).write.mode("append").parquet(folder)
            if not (some := list(islice(coming, ROWS_A_FILE))):
                break
        self._name(name, folder, _schema(columns))

    def mapped(self, name: str, columns: Columns, sql: str, function: Function, *, tasks: int | None = None) -> None:
        """Make a table of what `function` makes of the rows that the query finds, in so many tasks."""
        found = self._found(sql)
        if tasks is not None:
            found = found.repartition(tasks)
        self._keep(name, found.mapInArrow(partial(batches_by, function, columns), _schema(columns)))

    def grouped(self, name: str, columns: Columns, sql: str, function: GroupFunction, *, by: int = 1) -> None:
        """Make a table of what `function` makes of each group of rows that are alike in their first `by` columns."""
        found = self._found(sql)
        # A group lies in one part as a whole, and a part is given to the function in order.
        together = found.repartition(*found.columns[:by]).sortWithinPartitions(*found.columns)
        self._keep(
            name,
            together.mapInArrow(partial(batches_by, partial(over_groups, function, by), columns), _schema(columns)),
        )

    def rows(self, sql: str) -> Iterator[Row]:
        """The rows that the query finds."""
        return (tuple(row) for row in self._session.sql(sql).toLocalIterator())

    def write_lines(self, sql: str, folder: str, suffix: str) -> int:
        """Write the one column that the query finds as lines, in its order, to files of `folder`; how many there are.

        The folder must not exist. The files are named part-00000 and so on, with the suffix, and are to be read in the
        order of their names.
        """
        self._session.sql(sql).write.text(folder)
        written = sorted(name for name in self._files.names(folder) if name.startswith("part-"))
        for number, name in enumerate(written):
            self._files.move(f"{folder}/{name}", f"{folder}/part-{number:05}{suffix}")
        return len(written)

    def _found(self, sql: str) -> DataFrame:
        """What the query finds, with names of columns that are all different."""
        found = self._session.sql(sql)
        return found.toDF(*(f"c{place}" for place, _ in enumerate(found.columns)))

    def _keep(self, name: str, found: DataFrame) -> None:
        folder = self._folder(name)
        found.write.parquet(folder)
        self._name(name, folder, found.schema)

    def _folder(self, name: str) -> str:
        return f"{self._work}/{name}-{uuid.uuid4().hex[:8]}"

    def _name(self, name: str, folder: str, schema: Any) -> None:
        """Let `name` stand for the files in the folder from now on."""
        self._session.read.schema(schema).parquet(folder).createOrReplaceTempView(name)
        if old := self._folders.get(name):
            self._files.remove(old)
        self._folders[name] = folder


def _schema(columns: Columns) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(pa.schema(list(columns.items())))


class _Files:
    """Folders and files wherever Spark reads and writes: on this machine, in HDFS, in an object store."""

    def __init__(self, session: SparkSession) -> None:
        context: Any = session.sparkContext
        self._path = context._jvm.org.apache.hadoop.fs.Path
        self._settings = context._jsc.hadoopConfiguration()

    def exists(self, path: str) -> bool:
        system, place = self._at(path)
        return bool(system.exists(place))

    def names(self, folder: str) -> list[str]:
        system, place = self._at(folder)
        return [str(status.getPath().getName()) for status in system.listStatus(place)]

    def remove(self, path: str) -> None:
        system, place = self._at(path)
        system.delete(place, True)

    def move(self, old: str, new: str) -> None:
        system, place = self._at(old)
        if not system.rename(place, self._path(new)):
            raise GraphError("cannot move the graph to its place", where=new)

    def write(self, path: str, content: bytes) -> None:
        system, place = self._at(path)
        stream = system.create(place, True)
        try:
            stream.write(bytearray(content))
        finally:
            stream.close()

    def _at(self, path: str) -> tuple[Any, Any]:
        place = self._path(path)
        return place.getFileSystem(self._settings), place


# The build


def build_parts(
    inputs: Iterable[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    options: BuildOptions = BuildOptions(),  # noqa: B008  (frozen)
    master: str | None = None,
    stdin: BinaryIO | None = None,
) -> Parts:
    """Build the graph of the papers in `inputs` on Spark, as N-Triples in files of the folder `parts` of `out`.

    `out` is a folder that all machines see, or an address such as s3a://BUCKET/FOLDER. The files, read in the order of
    their names, are the same bytes on any number of machines. `options.workers` and `options.cache` have no meaning
    here. Nothing is written where no paper was found. Raises KgError without pyspark or Java, and GraphError where
    something is in the way or Spark fails.
    """
    started = time.perf_counter()
    with spark_session(master) as session, _translated():
        place, files = _place(out), _Files(session)
        _refuse_to_overwrite(place, files)
        work = f"{place}/.build-{uuid.uuid4().hex[:8]}"
        try:
            parts = _build(inputs, options, stdin, SparkEngine(session, work), session, work)
            if parts.build.papers:
                _put_in_place(parts.build, work, place, files)
        finally:
            files.remove(work)
    return replace(parts, build=replace(parts.build, seconds=time.perf_counter() - started))


def _build(
    inputs: Iterable[str | os.PathLike[str]],
    options: BuildOptions,
    stdin: BinaryIO | None,
    engine: SparkEngine,
    session: SparkSession,
    work: str,
) -> Parts:
    hand = Hand(options.curation)
    read = Read(options.base)
    found = Distinct(usable(read_papers(inputs, stdin=stdin, format=options.format), read.problems.append))
    if not len(found):
        return Parts(Build(Manifest(options.base, {}), 0, problems=read.problems), 0, 0)
    cores = session.sparkContext.defaultParallelism
    session.conf.set("spark.sql.shuffle.partitions", max(cores, 1 + len(found) // PAPERS_A_SHUFFLE))
    engine.put("found", FOUND, ((iri, packed_paper(same.paper)) for iri, same in read.noted(found)))
    take_in(engine, hand, options.min_confidence, tasks=max(TASKS_A_CORE * cores, 1 + len(found) // PAPERS_A_TASK))
    resolve(engine, hand)
    assemble(engine, options.base, options.links)
    files = engine.write_lines(_LINES, f"{work}/{PARTS}", ".nt")
    ((triples,),) = engine.rows("SELECT COUNT(*) FROM triple")
    built = Build(
        manifest=Manifest(options.base, facts(options, read.hash)),
        papers=len(found),
        problems=read.problems,
        duplicates=read.merged,
        unapplied=hand.unapplied(known_keys(engine, hand)),
    )
    return Parts(built, int(triples), files)


_LINES = f"SELECT CONCAT(subject, ' ', predicate, ' ', object, ' .') AS line FROM triple ORDER BY {ORDER}"


def take_in(engine: SparkEngine, hand: Hand, min_confidence: float, *, tasks: int) -> None:
    """Make the tables that :func:`kg.resolve.resolve` and :func:`kg.assemble.assemble` read, from `found`."""
    engine.mapped(
        "paper",
        PAPER,
        "SELECT paper, content FROM found",
        partial(extracted_rows, min_confidence=min_confidence),
        tasks=tasks,
    )
    papers = "SELECT paper, extraction FROM paper"
    engine.mapped("mention", MENTION, papers, partial(mention_rows, hand=hand))
    engine.mapped("definition", DEFINITION, papers, partial(definition_rows, hand=hand))
    engine.mapped("block", BLOCK, "SELECT DISTINCT key FROM mention", block_rows)


def extracted_rows(rows: Iterable[Row], min_confidence: float) -> Iterator[Row]:
    """The rows of PAPER of rows of FOUND; a process loads the model once, whatever it is given."""
    for iri, content in rows:
        (extraction,) = extract([unpack_paper(content)])
        yield iri, pack(confident(extraction, min_confidence))


def mention_rows(rows: Iterable[Row], hand: Hand) -> Iterator[Row]:
    """The rows of MENTION of rows of PAPER."""
    for iri, extraction in rows:
        yield from paper_rows(iri, unpack(extraction), hand).mentions


def definition_rows(rows: Iterable[Row], hand: Hand) -> Iterator[Row]:
    """The rows of DEFINITION of rows of PAPER."""
    for iri, extraction in rows:
        yield from paper_rows(iri, unpack(extraction), hand).definitions


# Where it goes


def _place(out: str | os.PathLike[str]) -> str:
    """The folder or address to write to, as Hadoop names it.

    >>> _place(Path("s3a://bucket/graph")), _place("hdfs:///graph"), _place(Path("/data/graph"))
    ('s3a://bucket/graph', 'hdfs:///graph', 'file:///data/graph')
    """
    given = os.fspath(out)
    if match := re.fullmatch(r"([a-z][a-z0-9+.-]+):/+(.*)", given):
        return given if "://" in given else f"{match[1]}://{match[2]}"  # a Path has one slash less
    return Path(given).absolute().as_uri()


def _refuse_to_overwrite(place: str, files: _Files) -> None:
    for name in (TURTLE, PAPERS_FOLDER):
        if files.exists(f"{place}/{name}"):
            raise GraphError("a local build lies here", where=f"{place}/{name}", hint="choose another -o")
    parts = f"{place}/{PARTS}"
    if files.exists(parts) and not files.exists(f"{parts}/_SUCCESS"):
        raise GraphError("a folder is in the way that no build has made", where=parts, hint="choose another -o")


def _put_in_place(built: Build, work: str, place: str, files: _Files) -> None:
    """Moves what was written to where it belongs, in the place of an earlier build."""
    files.remove(f"{place}/{MANIFEST}")
    files.remove(f"{place}/{PARTS}")
    files.move(f"{work}/{PARTS}", f"{place}/{PARTS}")
    files.write(f"{place}/build.nq", serialize(built.quads(), format=RdfFormat.N_QUADS) or b"")
    files.write(f"{place}/{MANIFEST}", built.manifest.text().encode())


# Spark itself


@contextmanager
def spark_session(master: str | None = None) -> Iterator[SparkSession]:
    """A session of the running Spark application, or of one that is started and ended here.

    Without `master`, it runs where Spark's own settings say, else on all cores of this machine.
    """
    try:
        from pyspark import SparkConf
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise KgError("building on Spark needs pyspark", hint=INSTALL) from error
    running = SparkSession.getActiveSession()
    if running is not None:
        yield _own(running)
        return
    _check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = SparkConf()
    chosen = master or settings.get("spark.master", "local[*,4]")
    for name, value in _settings(chosen).items():
        settings.setIfMissing(name, value)
    try:
        started = SparkSession.builder.config(conf=settings.setMaster(chosen)).getOrCreate()
    except (PySparkException, _java_error()) as error:
        raise GraphError(f"Spark does not start: {_first_line(error)}", where=chosen, hint="is it running?") from error
    try:
        yield _own(started)
    finally:
        started.stop()


def _settings(master: str) -> dict[str, str]:
    """What we choose where the user has not; a master on this machine needs no network, and finds this package."""
    chosen = {
        "spark.app.name": "paperkg",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
    }
    if master.startswith("local"):
        package = str(Path(__file__).parents[1])
        chosen |= {
            "spark.ui.enabled": "false",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.executorEnv.PYTHONPATH": os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH")))),
        }
    return chosen


def _own(session: SparkSession) -> SparkSession:
    """A session with tables and settings of its own."""
    own = session.newSession()
    own.conf.set("spark.sql.parquet.compression.codec", "zstd")
    own.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 2_000)  # an extraction has some kilobytes
    return own


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=str(Path(home, "bin"))) if home else shutil.which("java")
    if java is None:
        where = f"JAVA_HOME={home}" if home else "PATH"
        raise KgError("Spark needs Java, and there is none", where=where, hint="install Java 17 or later")


def _java_error() -> type[Exception]:
    from py4j.protocol import Py4JError

    found: type[Exception] = Py4JError
    return found


@contextmanager
def _translated() -> Iterator[None]:
    """Errors of Spark as ours, with the first line of what it says."""
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, _java_error()) as error:
        raise GraphError(f"Spark failed: {_first_line(error)}", hint="its log tells more") from error


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
