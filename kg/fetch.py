"""Fetching: the papers that a query finds at a public interface, into a file of JSON Lines that `kg build` reads.

The file holds the records as the source gives them. Beside it stands a small state file that says where to go on. A
page's records are on the disk before the state moves past it, and a record that is in the file is not written again;
so a run that is stopped at any moment and started anew neither loses nor repeats one.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import BinaryIO

from kg.apis import Api, Asked, Json, Page
from kg.errors import InputError, WebError
from kg.identity import content_hash
from kg.readers.json_papers import read_object
from kg.records import Paper
from kg.web import Ask, Clock, Web, checked_address

__all__ = ["Fetched", "fetch", "state_file"]


@dataclass(slots=True)
class Fetched:
    """What the file holds after a run: `papers` in all, `added` of them new; `whole` when the query gives no more.

    `total` is what the source says it has; `without_abstract` counts records that were left out, of this run.
    """

    papers: int = 0
    added: int = 0
    without_abstract: int = 0
    total: int | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """What was asked, and the position of the next page, None after the last."""

    api: str
    query: str
    endpoint: str
    next: str | None


def state_file(out: Path) -> Path:
    """Where the state of a fetch into this file stands; no reader takes a file of its name for papers."""
    return out.with_name(f"{out.name}.state")


def fetch(
    api: Api,
    query: str,
    out: Path,
    *,
    limit: int | None = None,
    endpoint: str | None = None,
    email: str | None = None,
    key: str | None = None,
    restart: bool = False,
    clock: Clock = Clock(),  # noqa: B008  (frozen)
    notice: Callable[[str], None] = lambda _: None,
    progress: Callable[[Fetched], None] = lambda _: None,
) -> Fetched:
    """Writes what the query finds to `out` until it holds `limit` papers, going on where an earlier run stopped.

    `restart` begins anew. `progress` is called after each page. Raises WebError when the source fails, with all
    that came before in the file, and InputError when `out` cannot be written or is of another fetch.
    """
    wanted = _State(api.name, " ".join(query.split()), checked_address(endpoint or api.endpoint), api.first)
    if not wanted.query:
        raise InputError("the query is empty", hint="what is to be fetched?")
    web = Web(pause=api.pause, email=email, clock=clock, notice=notice)
    try:
        with _opened(out) as file:
            state, resumed = _begun(wanted, file, out, restart=restart)
            known = _known(file, out, api)
            fetched = Fetched(papers=len(known), whole=state.next is None)
            for page in _pages(api, state, web, Asked("", "", _size(api, limit), email, key), resumed, fetched, limit):
                reached = _append(file, page, api, known, fetched, limit)
                if not reached:
                    _save(replace(state, next=page.next), out)
                    fetched.whole = page.next is None
                progress(fetched)
            return fetched
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", where=str(out)) from error


def _size(api: Api, limit: int | None) -> int:
    return api.size if limit is None else max(1, min(api.size, limit))


def _pages(
    api: Api, state: _State, web: Web, asked: Asked, resumed: bool, fetched: Fetched, limit: int | None
) -> Iterator[Page]:
    """The pages from the state's position on, as long as there are any and more papers are wanted."""
    position = state.next
    while position is not None and (limit is None or fetched.papers < limit):
        wish = asked._replace(query=state.query, position=position)
        try:
            page = _page(api, api.ask(state.endpoint, wish), wish, web)
        except WebError as error:
            if not (resumed and position != api.first and error.status in FORGOTTEN):
                kept = f"{fetched.papers:,} papers are in the file, and the same command goes on from there"
                error.hint = f"{error.hint}; {kept}" if error.hint else kept
                raise
            position, resumed = api.first, False  # what is in the file will be passed over
            continue
        resumed = False
        fetched.total = page.total
        yield page
        position = page.next


FORGOTTEN = frozenset({400, 404, 410, 422})
"""Statuses with which a server may answer to a cursor or token of an earlier day."""


def _page(api: Api, ask: Ask, asked: Asked, web: Web) -> Page:
    def read(body: bytes) -> Page:
        try:
            return api.read(body, asked)
        except WebError as error:
            error.where = error.where or ask.url.partition("?")[0]
            raise

    try:
        return web.ask(ask, read)
    except WebError as error:
        if error.status in (401, 403, 429) and api.key and not asked.key:
            error.hint = f"a key helps: put it into the environment variable {api.key}"
        raise


# The file


@contextmanager
def _opened(out: Path) -> Iterator[BinaryIO]:
    """The file, to read and to add to, for this process alone."""
    with out.open("a+b") as file:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise InputError("another run is writing this file", where=str(out), hint="wait for it") from error
        yield file


def _begun(wanted: _State, file: BinaryIO, out: Path, *, restart: bool) -> tuple[_State, bool]:
    """The state to go on from, and whether it is that of an earlier run. Raises InputError for another fetch's file."""
    if restart:
        state_file(out).unlink(missing_ok=True)
        file.truncate(0)
    old = _load(out)
    if old is None:
        if file.seek(0, os.SEEK_END):
            raise InputError(
                "this file is no unfinished fetch", where=str(out), hint="choose another -o, or --restart to replace it"
            )
        _save(wanted, out)
        return wanted, False
    if replace(old, next=None) != replace(wanted, next=None):
        raise InputError(
            f'this file is of another fetch: {old.api} "{old.query}" from {old.endpoint}',
            where=str(out),
            hint="choose another -o, or --restart to replace it",
        )
    return old, True


def _known(file: BinaryIO, out: Path, api: Api) -> set[str]:
    """The identifiers of the records in the file; a last line that was cut off is taken away."""
    known = set()
    file.seek(0)
    whole = 0
    for number, line in enumerate(file, start=1):
        try:
            record = json.loads(line)
            if not line.endswith(b"\n") or not isinstance(record, dict):
                raise ValueError("no whole record")
        except ValueError as error:
            if file.read(1):
                fault = "this line is none that was fetched"
                raise InputError(fault, where=f"{out}, line {number}", hint="--restart fetches all anew") from error
            file.truncate(whole)
            break
        whole += len(line)
        known.add(_identity(record, api))
    return known


def _identity(record: Json, api: Api) -> str:
    return api.identify(record) or content_hash(record)


def _append(file: BinaryIO, page: Page, api: Api, known: set[str], fetched: Fetched, limit: int | None) -> bool:
    """Writes the page's new records, as far as they are wanted; whether the limit was reached before its end."""
    reached = False
    for record in page.records:
        identity = _identity(record, api)
        if identity in known:
            continue
        if not _is_paper(record):
            fetched.without_abstract += 1
            continue
        if limit is not None and fetched.papers >= limit:
            reached = True
            break
        file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n")
        known.add(identity)
        fetched.papers += 1
        fetched.added += 1
    file.flush()
    os.fsync(file.fileno())
    return reached


def _is_paper(record: Json) -> bool:
    """Whether the readers find a paper in it: a review, or a record without an abstract, is none."""
    found: Iterable[object] = read_object(record, "")
    return any(isinstance(paper, Paper) for paper in found)


# The state


def _load(out: Path) -> _State | None:
    path = state_file(out)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return _State(**said)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise InputError("this state file is damaged", where=str(path), hint="--restart begins anew") from error


def _save(state: _State, out: Path) -> None:
    """Puts the state in the place of the old one, at once."""
    path = state_file(out)
    work = path.with_name(f"{path.name}.new")
    with work.open("w", encoding="utf-8") as file:
        json.dump(asdict(state), file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    work.replace(path)
    with suppress(OSError):  # the folder's entry too, where the system lets one
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
