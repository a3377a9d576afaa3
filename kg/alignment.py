"""Links from a graph's entities to a vocabulary: Wikidata extracts, CSO, Linked Papers With Code, a plain table.

Names are compared as they are between papers: by key, by letters, by the fitted score. What was found lies in
`links.tsv` beside the graph, a table in the manner of SSSOM to read and edit, which every later build replays.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pyoxigraph import Literal, NamedNode, RdfFormat, Store, Triple, parse

from kg import vocabulary as v
from kg.alike import Profile, load_scorer
from kg.blocking import candidate_pairs
from kg.errors import InputError
from kg.graph import decimal_literal
from kg.identity import canonical_key, entity_iri, hashed_iri
from kg.reading import nodes, texts
from kg.sameness import key_of, profile_of

__all__ = [
    "LINKS_FILE",
    "Alignment",
    "Term",
    "align",
    "alignment_triples",
    "link_triples",
    "read_links",
    "read_vocabulary",
    "write_links",
]

LINKS_FILE = "links.tsv"
"""Its name, beside the graph."""

COLUMNS = (
    "subject_id",
    "subject_label",
    "predicate_id",
    "object_id",
    "object_label",
    "mapping_justification",
    "confidence",
    "mapping_source",
    "broader",
)
EXACT, CLOSE = "skos:exactMatch", "skos:closeMatch"
PREDICATES = {EXACT: NamedNode(v.SKOS + "exactMatch"), CLOSE: NamedNode(v.SKOS + "closeMatch")}
BROADER = NamedNode(v.SKOS + "broader")
SURE, ALIAS, LETTERS, ACRONYM = 1.0, 0.95, 0.9, 0.7
"""How sure a link is when the names, a name and an alias, the letters, or only an acronym are the same."""

_NAMES = {v.SKOS + "prefLabel", v.RDFS + "label", "https://schema.org/name", "http://schema.org/name"}
_NAMES |= {"http://xmlns.com/foaf/0.1/name", v.DCTERMS + "title"}
_ALIASES = {v.SKOS + "altLabel", "https://schema.org/alternateName", "http://schema.org/alternateName"}
_BROADER = {v.SKOS + "broader", v.RDFS + "subClassOf", "http://www.wikidata.org/prop/direct/P279"}
_NARROWER = {v.SKOS + "narrower", "http://cso.kmi.open.ac.uk/schema/cso#superTopicOf"}
_TABLE_NAMES = {"id": ("id", "iri", "uri"), "name": ("name", "label", "preflabel"), "aliases": ("aliases", "altlabels")}


@dataclass(frozen=True, slots=True)
class Term:
    """A thing that a vocabulary knows: its IRI, its name, its other names, and the IRIs of broader terms."""

    iri: str
    name: str
    aliases: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Alignment:
    """That the entity with this key is, or is close to, a term: by which names, and how sure (0 to 1)."""

    key: str
    label: str
    predicate: str
    iri: str
    name: str
    reason: str
    score: float
    source: str
    broader: tuple[str, ...] = ()


def read_vocabulary(path: Path, *, base: str | None = None) -> list[Term]:
    """The terms of a vocabulary in any RDF format, or in a CSV or TSV with columns id, name and aliases (`|` between).

    A table without ids needs `base`, under which they are made from the names. Raises InputError where nothing can be
    read.
    """
    try:
        terms = list(_read_table(path, base) if path.suffix.lower() in (".csv", ".tsv") else _read_rdf(path))
    except (OSError, SyntaxError, UnicodeDecodeError, csv.Error) as error:
        raise InputError("the vocabulary cannot be read", where=str(path), hint=str(error)) from error
    if not terms:
        raise InputError(
            "the vocabulary names nothing", where=str(path), hint="expected labels of SKOS, RDFS or a table"
        )
    return terms


def _read_rdf(path: Path) -> Iterator[Term]:
    kind = RdfFormat.from_extension(path.suffix.lstrip(".").lower())
    if kind is None:
        hint = "expected .ttl, .nt, .nq, .trig, .rdf, .xml, .jsonld, .csv or .tsv"
        raise InputError("unknown kind of vocabulary", where=str(path), hint=hint)
    names: defaultdict[str, list[str]] = defaultdict(list)
    aliases: defaultdict[str, list[str]] = defaultdict(list)
    broader: defaultdict[str, set[str]] = defaultdict(set)
    for quad in parse(path=str(path), format=kind):
        if not isinstance(quad.subject, NamedNode):
            continue
        subject, predicate, target = quad.subject.value, quad.predicate.value, quad.object
        if isinstance(target, Literal) and (target.language or "en").startswith("en"):
            if predicate in _NAMES:
                names[subject].append(target.value)
            elif predicate in _ALIASES:
                aliases[subject].append(target.value)
        elif isinstance(target, NamedNode):
            if predicate in _BROADER:
                broader[subject].add(target.value)
            elif predicate in _NARROWER:
                broader[target.value].add(subject)
    for iri in sorted(names):
        first, *others = dict.fromkeys(names[iri])
        yield Term(iri, first, tuple(dict.fromkeys([*others, *aliases[iri]])), tuple(sorted(broader[iri])))


def _read_table(path: Path, base: str | None) -> Iterator[Term]:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, delimiter=delimiter)
        columns = {str(name).strip().lower(): name for name in reader.fieldnames or ()}
        found = {use: next((columns[n] for n in names if n in columns), None) for use, names in _TABLE_NAMES.items()}
        if found["name"] is None or (found["id"] is None and base is None):
            missing = "name" if found["name"] is None else "id"
            hint = "expected columns id, name, aliases; a table without ids needs --base"
            raise InputError(f'the table has no column "{missing}"', where=str(path), hint=hint)
        for row in reader:
            name = _cell(row, found["name"])
            iri = _cell(row, found["id"]) or f"{base}{quote(name.replace(' ', '_'), safe='')}"
            more = [_cell(row, columns.get(each)) for each in ("full_name", "full name")]
            aliases = [*more, *_cell(row, found["aliases"]).split("|")]
            if name and _is_iri(iri):
                yield Term(
                    iri, name, tuple(dict.fromkeys(a.strip() for a in aliases if a.strip() and a.strip() != name))
                )


def _cell(row: Mapping[str, Any], column: str | None) -> str:
    return str(row.get(column) or "").strip() if column else ""


def _is_iri(text: str) -> bool:
    try:
        NamedNode(text)
    except ValueError:
        return False
    return ":" in text


def align(store: Store, terms: Sequence[Term], source: str) -> list[Alignment]:
    """The links from the graph's entities to the terms of the vocabulary called `source`, sorted by key.

    An entity is exactly one term at most; where two terms fit equally well, both are only close.
    """
    profiles = {key_of(node): profile_of(store, node) for node in nodes(store, v.ENTITY)}
    labels = {key_of(node): next(texts(store, node, v.PREF_LABEL), key_of(node)) for node in nodes(store, v.ENTITY)}
    found: defaultdict[str, dict[str, tuple[float, str, Term]]] = defaultdict(dict)
    for key, score, reason, term in (*_by_name(profiles, terms), *_by_likeness(profiles, terms)):
        known = found[key].get(term.iri)
        if known is None or score > known[0]:
            found[key][term.iri] = (score, reason, term)
    taken = Counter(iri for links in found.values() for iri, (score, _, _) in links.items() if score >= LETTERS)
    made = []
    for key, links in found.items():
        best = max(score for score, _, _ in links.values())
        first = [link for link in links.values() if link[0] == best]
        for score, reason, term in first:
            exact = len(first) == 1 and score >= LETTERS and taken[term.iri] == 1
            predicate = EXACT if exact else CLOSE
            made.append(
                Alignment(key, labels[key], predicate, term.iri, term.name, reason, score, source, term.broader)
            )
    return sorted(made)


def _by_name(profiles: Mapping[str, Profile], terms: Sequence[Term]) -> Iterator[tuple[str, float, str, Term]]:
    bearers: defaultdict[str, set[str]] = defaultdict(set)
    letters: defaultdict[str, set[str]] = defaultdict(set)
    for key, profile in profiles.items():
        letters[profile.squashed].add(key)
        for name in profile.names:
            bearers[canonical_key(name)].add(key)
    for term in terms:
        for name in (term.name, *term.aliases):
            own, said = canonical_key(name), f"“{name}” is one of its names"
            for key in bearers.get(own, ()):
                if own == key:
                    yield key, SURE if name == term.name else ALIAS, said, term
                else:
                    yield key, ACRONYM if own.isupper() and len(bearers[own]) == 1 else ALIAS - 0.1, said, term
            for key in letters.get(own.replace("_", "").casefold(), set()) - bearers.get(own, set()):
                if own.isupper() == key.isupper():
                    yield key, LETTERS, f"“{name}” has the same letters", term


def _by_likeness(profiles: Mapping[str, Profile], terms: Sequence[Term]) -> Iterator[tuple[str, float, str, Term]]:
    scorer = load_scorer()
    named: defaultdict[str, list[Term]] = defaultdict(list)
    for term in terms:
        for name in (term.name, *term.aliases):
            named[canonical_key(name)].append(term)
    theirs = [Profile(key, names=Counter({terms_[0].name: 1})) for key, terms_ in named.items() if key not in profiles]
    own = set(profiles)
    for one, other in candidate_pairs([*profiles.values(), *theirs]):
        if (one.key in own) == (other.key in own):
            continue
        entity, term_profile = (one, other) if one.key in own else (other, one)
        judgement = scorer.judge(entity, term_profile)
        if judgement.same:
            for term in named[term_profile.key]:
                yield entity.key, min(judgement.score, LETTERS - 0.01), f"“{term.name}” is alike", term


def alignment_triples(link: Alignment, *, base: str) -> Iterator[Triple]:
    """The link of an entity, with its record."""
    entity, term = NamedNode(entity_iri(base, link.key)), NamedNode(link.iri)
    predicate = PREDICATES[link.predicate]
    node = NamedNode(hashed_iri(base, "link", entity.value, predicate.value, link.iri))
    yield Triple(entity, predicate, term)
    yield Triple(node, v.TYPE, v.LINK)
    yield from (Triple(node, p, o) for p, o in ((v.SUBJECT, entity), (v.PREDICATE, predicate), (v.OBJECT, term)))
    yield Triple(node, v.RULE, Literal(link.reason))
    yield Triple(node, v.SCORE, decimal_literal(link.score))
    yield from (Triple(entity, BROADER, NamedNode(iri)) for iri in link.broader if link.predicate == EXACT)


def link_triples(store: Store) -> Iterator[Triple]:
    """The graph's links to vocabularies and their records."""
    for record in nodes(store, v.LINK):
        yield from (quad.triple for quad in store.quads_for_pattern(record, None, None))
    for predicate in (*PREDICATES.values(), BROADER):
        yield from (quad.triple for quad in store.quads_for_pattern(None, predicate, None))


def read_links(path: Path) -> list[Alignment]:
    """The links in the table at `path`; none if there is no file. Raises InputError with the line that is wrong."""
    if not path.exists():
        return []
    found = []
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for number, row in enumerate(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE), 2):
            cells = [str(row.get(name) or "").strip() for name in COLUMNS]
            key, label, predicate, iri, name, reason, score, source, broader = cells
            broader_iris = tuple(each for each in broader.split() if _is_iri(each))
            try:
                score_number = float(score)
            except ValueError:
                score_number = -1.0
            if not key or predicate not in PREDICATES or not _is_iri(iri) or not 0 <= score_number <= 1:
                hint = "expected subject_id, skos:exactMatch or skos:closeMatch, an IRI, and a confidence from 0 to 1"
                raise InputError("this is no link", where=f"{path}, line {number}", hint=hint)
            found.append(Alignment(key, label, predicate, iri, name, reason, score_number, source, broader_iris))
    return found


def write_links(alignments: Iterable[Alignment], path: Path) -> None:
    """Write the table anew, whole or not at all."""
    out = io.StringIO(newline="")
    out.write("\t".join(COLUMNS) + "\n")
    for each in sorted(alignments):
        cells = (each.key, each.label, each.predicate, each.iri, each.name, each.reason, f"{each.score:.4f}")
        out.write("\t".join(" ".join(cell.split()) for cell in (*cells, each.source, " ".join(each.broader))) + "\n")
    try:
        draft = path.with_name(path.name + ".new")
        draft.write_text(out.getvalue(), encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        raise InputError("the links cannot be written", where=str(path), hint=str(error)) from error
