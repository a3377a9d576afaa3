"""The same paper from several sources as one paper, whichever came first.

Two records are one paper when they bear one published identifier (a DOI, an arXiv number in any version, an OpenReview
forum, a PubMed, OpenAlex or Semantic Scholar number), when their abstracts are the same words, or when their titles are
and they share the first author, or most words of their abstracts, or, where one names no author, the year within one. A
title of few words asks for author and year, and one that many papers bear, such as "Editorial", tells nothing.

What is held in memory is numbers, a few for each record; the records themselves wait in a file.
"""

from __future__ import annotations

import json
import re
import tempfile
import unicodedata
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from itertools import combinations, pairwise
from typing import BinaryIO, NamedTuple

from kg.errors import InputError, RecordError
from kg.identity import paper_iri, published_id
from kg.packing import pack_paper, unpack_paper
from kg.records import Paper

__all__ = ["Distinct", "Same", "groups", "merged", "record_keys", "usable"]

SPOOLED = 2**24
"""Bytes of records that are held in memory before they go to a file."""


class Same(NamedTuple):
    """A paper as all its records together tell it, and those records.

    `astray` holds those of them whose abstract shares less than half of its words with the one that was kept: perhaps
    they bear the identifier of another paper.
    """

    paper: Paper
    records: tuple[Paper, ...]
    astray: tuple[Paper, ...] = ()

    def problems(self) -> Iterator[RecordError]:
        """What is to be said of those astray."""
        for left_out in self.astray:
            name = left_out.id or left_out.url or left_out.title
            fault = f"another record of {name} has a different abstract"
            yield RecordError(fault, where=left_out.source, hint="the longer abstract was kept; is it one paper?")


def usable(records: Iterable[Paper | InputError], report: Callable[[InputError], object]) -> Iterator[Paper]:
    """The papers among the records; `report` is told of those that cannot be used, as they pass."""
    for record in records:
        if isinstance(record, InputError):
            report(record)
        else:
            yield record


class Distinct:
    """Each paper once, in the order in which the first record of each came; `len` tells how many there are.

    All records are read at once; each paper is put together when its turn comes.
    """

    def __init__(self, papers: Iterable[Paper]) -> None:
        self._spool = _Spool(tempfile.SpooledTemporaryFile(SPOOLED))  # noqa: SIM115 (closed when nobody holds it)
        self._first = _groups(papers, self._spool)
        self._number = sum(number == group for number, group in enumerate(self._first))

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Same]:
        members: defaultdict[int, list[int]] = defaultdict(list)
        for number, group in enumerate(self._first):
            if number != group:
                members[group].append(number)
        for number, group in enumerate(self._first):
            if number == group:
                yield merged([self._spool[each] for each in (number, *members.pop(number, ()))])


class _Spool:
    """Records in a file, by number."""

    def __init__(self, file: BinaryIO | tempfile.SpooledTemporaryFile[bytes]) -> None:
        self._file = file
        self._places = array("Q")

    def kept(self, papers: Iterable[Paper]) -> Iterator[Paper]:
        """The papers, each written down as it passes."""
        for paper in papers:
            self._places.append(self._file.tell())
            self._file.write(pack_paper(paper).encode("ascii") + b"\n")
            yield paper

    def __getitem__(self, number: int) -> Paper:
        self._file.seek(self._places[number])
        return unpack_paper(self._file.readline())


# Which records are one paper


def groups(papers: Iterable[Paper]) -> Sequence[int]:
    """For each paper the number, from 0, of the first one that is the same."""
    with tempfile.SpooledTemporaryFile(SPOOLED) as file:
        return _groups(papers, _Spool(file))


def _groups(papers: Iterable[Paper], spool: _Spool) -> Sequence[int]:
    union = _Union()
    bearers: dict[int, int] = {}
    titled: defaultdict[int, list[_Titled]] = defaultdict(list)
    for number, paper in enumerate(spool.kept(papers)):
        union.add()
        for key in _keys(paper):
            union.join(bearers.setdefault(key, number), number)
        if (title := _title(paper.title)) is not None:
            first = _author(paper.authors[0]) if paper.authors else frozenset()
            titled[title.key].append(_Titled(number, first, paper.year, title.tells))
    for alike in titled.values():
        if len(alike) > 1:
            if alike[0].tells:
                _join_by_words(alike, spool, union)
            _join_titled(alike, union)
    return union.roots()


class _Union:
    """Sets of numbers that grow together; each is named by its least number."""

    def __init__(self) -> None:
        self._parents = array("q")

    def add(self) -> None:
        self._parents.append(len(self._parents))

    def root(self, number: int) -> int:
        while (parent := self._parents[number]) != number:
            self._parents[number] = number = self._parents[parent]
        return number

    def join(self, one: int, other: int) -> bool:
        """Joins the sets of two numbers; whether they were two."""
        less, more = sorted((self.root(one), self.root(other)))
        self._parents[more] = less
        return less != more

    def roots(self) -> Sequence[int]:
        return array("q", map(self.root, range(len(self._parents))))


def _keys(paper: Paper) -> Iterator[int]:
    """What no two papers share: identifiers, and the words of the abstract where there are enough."""
    for given in (paper.id, paper.url, *paper.aliases):
        if given and (known := _identifier(given.strip())):
            yield _hash(*known)
    words = _words(paper.abstract)
    if len(words) >= TELLING_ABSTRACT:
        yield _hash("abstract", "".join(words))
    yield _hash("iri", paper_iri("", paper))


TELLING_ABSTRACT = 40
"""So many words are the same only in the same abstract, and not in "No abstract is available"."""


def _identifier(given: str) -> tuple[str, str] | None:
    if known := published_id(given):
        return known
    for scheme, pattern in OTHER_IDENTIFIERS.items():
        if match := pattern.search(given):
            return scheme, match[1].lower()
    return None


OTHER_IDENTIFIERS = {
    "pubmed": re.compile(r"(?:^PMID:\s?|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)(\d{1,9})\b"),
    "openalex": re.compile(r"openalex\.org/(?:works/)?(W\d+)", re.IGNORECASE),
    "semanticscholar": re.compile(r"semanticscholar\.org/paper/(?:[^/\s]+/)?([0-9a-f]{40})"),
}
"""Numbers that sources give, beside those that papers are published under."""


def _hash(*parts: str) -> int:
    return int.from_bytes(blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest())


def _words(text: str) -> list[str]:
    """The words without case, accents and signs; a character that is a word by itself is one."""
    if text.isascii():
        return WORD.findall(text.lower())
    plain = unicodedata.normalize("NFKD", text).casefold()
    return WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))


WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]|[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")


def record_keys(paper: Paper) -> Iterator[int]:
    """Numbers below 2**63 of which any two records of one paper share one, or are joined by others that do."""
    title = _title(paper.title)
    for key in {*_keys(paper), *((title.key,) if title else ())}:
        yield key >> 1


# By title


class _Title(NamedTuple):
    """The hash of a title's words, and whether these are enough to tell it from others."""

    key: int
    tells: bool


class _Titled(NamedTuple):
    """A record by what counts beside its title: its number, the names of its first author, its year."""

    number: int
    author: frozenset[int]
    year: int | None
    tells: bool


def _title(title: str | None) -> _Title | None:
    """The title, unless it is one that many papers bear."""
    words = _words(title or "")
    joined = "".join(words)
    if len(words) <= MOST_WORDS_OF_A_HEADING and COMMON.fullmatch(" ".join(words)):
        return None
    tells = len(words) >= TELLING_TITLE and len(joined) >= 3 * TELLING_TITLE
    return _Title(_hash("title", joined), tells) if len(joined) > 2 else None


TELLING_TITLE = 4
MOST_WORDS_OF_A_HEADING = 8
COMMON = re.compile(
    r"(?:(?:guest|invited) )?(?:editorials?|introductions?|prefaces?|forewords?|afterwords?|abstracts?|contents|index"
    r"|errat(?:um|a)|corrigend(?:um|a)|corrections?|retractions?|repl(?:y|ies)|responses?|comments?|commentary"
    r"|discussions?|conclusions?|news|obituary|untitled|panel|keynotes?|posters?|tutorials?|demos?|proceedings|overview"
    r"|summary|acknowledg?e?ments?|announcements?|book reviews?|reviewers?|letters?|notes?|appendix|in memoriam"
    r"|in this issue|no title(?: available)?|n a|title page|(?:front|back) matter|table of contents|author index"
    r"|call for papers"
    r"|editorial (?:board|note|introduction)|letters? to the editors?|(?:about|from) the (?:editors?|authors?|chairs?)"
    r"|(?:notes?|message|welcome|letter) (?:from|by|of) the .{1,40}|introduction to the (?:special )?(?:issue|section)"
    r"|list of (?:reviewers|contributors|papers)|(?:workshop|conference|panel|session) (?:summary|report|overview))"
)
"""Titles that tell nothing: the headings of journals and proceedings."""


def _author(name: str) -> frozenset[int]:
    """The names, but for initials, of a person: "Lovelace, A." and "Ada Lovelace" share one."""
    return frozenset(_hash(word) for word in _words(name) if len(word) > 1)


SAME_AUTHOR_YEARS = 5
"""Years from a preprint to its publication, at most; later stands another edition of it."""


MOST_ALIKE = 50
"""A title that more records bear is one whose abstracts are not compared, each with each."""

ENOUGH_WORDS = 20
SHARED_WORDS = 0.6
"""Different words that an abstract must have to be compared, and their share that must be in the other one too."""


def _join_by_words(alike: Sequence[_Titled], spool: _Spool, union: _Union) -> None:
    """Joins those of one title whose abstracts share most of their words, unless many years lie between."""
    if len(alike) > MOST_ALIKE or len({union.root(record.number) for record in alike}) == 1:
        return
    words = {record.number: set(_words(spool[record.number].abstract)) for record in alike}
    for one, other in combinations(alike, 2):
        if one.year is not None and other.year is not None and abs(one.year - other.year) > SAME_AUTHOR_YEARS:
            continue
        fewer, more = sorted((words[one.number], words[other.number]), key=len)
        if len(fewer) >= ENOUGH_WORDS and len(fewer & more) >= SHARED_WORDS * len(fewer):
            union.join(one.number, other.number)


def _join_titled(alike: Sequence[_Titled], union: _Union) -> None:
    """Joins those of one title that are one paper, until there is nothing more to join: so no order counts."""
    by_name: defaultdict[int, list[_Titled]] = defaultdict(list)
    for record in alike:
        for name in record.author:
            by_name[name].append(record)
    nameless = [record for record in alike if not record.author and record.tells]
    joined = True
    while joined:
        joined = sum(_join_by_author(records, union) for records in by_name.values()) > 0
        joined |= _join_by_year(nameless, alike, union)


def _join_by_author(records: Sequence[_Titled], union: _Union) -> bool:
    """Joins records of one author: those near in time, and those without a year if there is but one they can be."""
    tells = records[0].tells
    joined = _join_neighbours(records, SAME_AUTHOR_YEARS if tells else 1, union)
    dated = {union.root(record.number) for record in records if record.year is not None}
    if tells and len(dated) <= 1:
        numbers = [*dated, *(record.number for record in records if record.year is None)]
        joined |= sum(union.join(numbers[0], number) for number in numbers[1:]) > 0
    return joined


def _join_by_year(nameless: Sequence[_Titled], alike: Sequence[_Titled], union: _Union) -> bool:
    """Joins records without author that are near in time, and each lot with the only paper near it, if it is one."""
    joined = _join_neighbours(nameless, 1, union)
    of_year: defaultdict[int, set[int]] = defaultdict(set)
    for record in alike:
        if record.author and record.year is not None and len(of_year[record.year]) < 2:  # two are as bad as many
            of_year[record.year].add(union.root(record.number))
    lots: defaultdict[int, set[int]] = defaultdict(set)
    for record in nameless:
        for year in () if record.year is None else range(record.year - 1, record.year + 2):
            lots[union.root(record.number)] |= of_year.get(year, set())
    for lot, papers in lots.items():
        if len(papers) == 1:
            joined |= union.join(lot, *papers)
    return joined


def _join_neighbours(records: Iterable[_Titled], gap: int, union: _Union) -> bool:
    dated = sorted((record.year, record.number) for record in records if record.year is not None)
    near = ((one, other) for (year, one), (later, other) in pairwise(dated) if later - year <= gap)
    return sum(union.join(one, other) for one, other in near) > 0


# What they tell together


def merged(records: Sequence[Paper]) -> Same:
    """The record with the longest abstract, with what the others know beside: the same in any order of the records.

    The identifiers and addresses of all are kept; the first is a DOI, else of arXiv, else of OpenReview.
    """
    if len(records) == 1:
        return Same(records[0], (records[0],))
    *_, best = ordered = sorted(records, key=_richness)
    ids = {paper.id for paper in records if paper.id}
    urls = {paper.url for paper in records if paper.url}
    id_, url = max(ids, key=_rank, default=None), max(urls, key=_rank, default=None)
    paper = replace(
        best,
        title=best.title or max((p.title for p in records if p.title), key=lambda t: (len(t), t), default=None),
        id=id_,
        url=url,
        aliases=tuple(_others(id_, url, ids | urls | {alias for paper in records for alias in paper.aliases})),
        year=max((p.year for p in records if p.year is not None), default=None),
        venue=max((p.venue for p in records if p.venue), key=lambda v: (len(v), v), default=None),
        authors=max((p.authors for p in records), key=lambda names: (len(names), sum(map(len, names)), names)),
        keywords=max((p.keywords for p in records), key=lambda words: (len(words), words)),
    )
    kept = set(_words(best.abstract))
    return Same(paper, tuple(ordered), tuple(p for p in ordered if not _agrees(p.abstract, kept)))


def _others(id_: str | None, url: str | None, known: set[str]) -> list[str]:
    """What is known beside id and address, and says what neither of them says."""
    told = {_identifier(given) or given for given in (id_, url) if given}
    others = {_identifier(given) or given: given for given in sorted(known, key=_rank)}
    return sorted(given for what, given in others.items() if what not in told)


def _richness(paper: Paper) -> tuple[int, str, str]:
    return len(paper.abstract), paper.abstract, json.dumps(asdict(paper), sort_keys=True)


def _rank(given: str) -> tuple[int, str]:
    known = published_id(given)
    return (SCHEMES.index(known[0]) if known else -1), given


SCHEMES = ("openreview", "arxiv", "doi")
"""The schemes of identifiers, the best known one last."""


def _agrees(abstract: str, words: set[str]) -> bool:
    own = set(_words(abstract))
    return 2 * len(own & words) >= len(own)
