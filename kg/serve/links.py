"""Addresses within the server for the IRIs of a graph, and which IRIs of others may be a link at all."""

from __future__ import annotations

import re
from urllib.parse import quote

from kg import vocabulary as v

__all__ = ["KINDS", "href", "web_address"]

KINDS = ("paper", "entity", "claim", "statement", "evidence", "mention", "build")
"""The kinds of things that a graph has IRIs for, as they stand in those IRIs."""

_PLAIN = re.compile(rf"(?:{'|'.join(KINDS)})/[A-Za-z0-9._~%:@!$&()*+,;=-]+")
_DOTS = re.compile(r"/\.{1,2}(?:/|$)")
_WEB = re.compile(r"https?://[^\s<>\"'`\\]+", re.IGNORECASE)


def href(iri: str, base: str) -> str:
    """Where this server shows a node.

    >>> href("https://w3id.org/paperkg/entity/c%2B%2B", "https://w3id.org/paperkg/")
    '/entity/c%2B%2B'
    >>> href("javascript:alert(1)", "https://w3id.org/paperkg/")
    '/resource?iri=javascript%3Aalert%281%29'
    >>> href("https://w3id.org/paperkg/ontology#usedFor", "https://w3id.org/paperkg/")
    '/ontology#usedFor'
    """
    if iri.startswith(v.KG) and iri.removeprefix(v.KG).isalpha():
        return f"/ontology#{iri.removeprefix(v.KG)}"
    rest = iri.removeprefix(base)
    if rest != iri and _PLAIN.fullmatch(rest) and not _DOTS.search(rest):
        return f"/{rest}"
    return f"/resource?iri={quote(iri, safe='')}"


def web_address(text: str) -> str | None:
    """The text if it is an address of the web that may stand in a link, else None.

    >>> web_address("https://github.com/a/b"), web_address("javascript:alert(1)")
    ('https://github.com/a/b', None)
    """
    return text if _WEB.fullmatch(text) else None
