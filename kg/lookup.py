"""From what a person types to the node that is meant: IRIs, prefixed names, and names in any spelling."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Collection, Iterator

from pyoxigraph import Literal, NamedNode, Store

from kg import vocabulary as v
from kg.errors import NameUnknownError, QueryError
from kg.identity import canonical_key
from kg.reading import label_of, literals, nodes, subjects
from kg.turtle import prefixes

__all__ = ["find_entity", "find_node", "find_paper", "find_property"]

_FAR_MORE = 5  # times as many papers
_LABELS = (v.PREF_LABEL, v.ALT_LABEL)


def find_node(store: Store, name: str) -> NamedNode:
    """The entity or, failing that, the paper that `name` means. Raises NameUnknownError or QueryError."""
    try:
        return find_entity(store, name)
    except NameUnknownError as unknown:
        try:
            return find_paper(store, name)
        except NameUnknownError:
            raise unknown from None


def find_entity(store: Store, name: str, kinds: Collection[str] = v.ENTITY_TYPES) -> NamedNode:
    """The entity of one of these types that bears `name`: its IRI, or a label in any case, number or hyphenation.

    Raises NameUnknownError when none does, with near names, and QueryError when several do of which none stands out.
    """
    if node := _iri(name):
        return node
    allowed = {node for kind in kinds for node in nodes(store, v.kg(kind))}
    exact = _labelled(store, Literal(name)) & allowed
    if not exact:
        labels = _labels(store, allowed)
        exact = labels.get(canonical_key(name), set())
        if not exact:
            raise NameUnknownError(name, _near(name, store, allowed))
    if len(exact) > 1 and (outstanding := _outstanding(store, exact)):
        return outstanding
    if len(exact) > 1:
        meanings = "; ".join(f"{label_of(store, node)} <{node.value}>" for node in sorted(exact, key=lambda n: n.value))
        raise QueryError(f'"{name}" means several things here: {meanings}', hint="give the IRI of the one you mean")
    return exact.pop()


def _outstanding(store: Store, meanings: Collection[NamedNode]) -> NamedNode | None:
    """The meaning that is mentioned by far more papers than any other, or None."""
    papers = {node: sum(1 for _ in store.quads_for_pattern(None, v.MENTIONS, node)) for node in meanings}
    first, second, *_ = sorted(meanings, key=lambda node: (-papers[node], node.value))
    return first if papers[first] >= _FAR_MORE * papers[second] else None


def find_paper(store: Store, name: str) -> NamedNode:
    """The paper with this IRI, identifier or title; part of a title is enough where only one paper has it."""
    if node := _iri(name):
        return node
    for predicate in (v.IDENTIFIER, v.TITLE):
        found = set(subjects(store, predicate, Literal(name)))
        if len(found) == 1:
            return found.pop()
    wanted = name.casefold()
    titles = list(literals(store, v.TITLE))
    found = {node for node, title in titles if wanted in title.casefold()}
    if len(found) == 1:
        return found.pop()
    if found:
        fault = f'"{name}" stands in the titles of {len(found)} papers'
        raise QueryError(fault, hint="give more of the title, the identifier or the IRI")
    raise NameUnknownError(name, difflib.get_close_matches(name, [title for _, title in titles], n=3))


def find_property(name: str) -> NamedNode:
    """The property between entities with this IRI or local name, such as `usedFor`, `kg:usedFor` or "used for"."""
    if node := _iri(name):
        return node
    known = {local.lower(): local for local in (*v.RELATIONS, "proposes", "mentions", "states", "code")}
    local = known.get("".join(name.lower().split()).replace("_", "").replace("-", ""))
    if local is None:
        raise NameUnknownError(name, list(known.values()))
    return v.kg(local)


def _iri(name: str) -> NamedNode | None:
    text = name.strip().removeprefix("<").removesuffix(">")
    prefix, colon, local = text.partition(":")
    if colon and not local.startswith("//") and prefix in (known := prefixes()):
        text = known[prefix] + local
    if "://" not in text:
        return None
    try:
        return NamedNode(text)
    except ValueError as error:
        raise QueryError(f"not a valid IRI: {error}", where=name) from error


def _labelled(store: Store, label: Literal) -> set[NamedNode]:
    return {node for predicate in _LABELS for node in subjects(store, predicate, label)}


def _labels(store: Store, allowed: Collection[NamedNode]) -> dict[str, set[NamedNode]]:
    found: defaultdict[str, set[NamedNode]] = defaultdict(set)
    for node, label in _all_labels(store, allowed):
        found[canonical_key(label)].add(node)
    return found


def _near(name: str, store: Store, allowed: Collection[NamedNode]) -> list[str]:
    known = {label.casefold(): label for _, label in _all_labels(store, allowed)}
    wanted = name.casefold()
    close = difflib.get_close_matches(wanted, sorted(known), n=3, cutoff=0.7)
    longer = sorted((label for label in known if wanted in label), key=lambda label: (len(label), label))[:2]
    return [known[label] for label in dict.fromkeys([*close, *longer])]


def _all_labels(store: Store, allowed: Collection[NamedNode]) -> Iterator[tuple[NamedNode, str]]:
    for predicate in _LABELS:
        yield from ((node, label) for node, label in literals(store, predicate) if node in allowed)
