"""Identity from content: keys, hashes and IRIs that depend on what a thing says, never on when it was met.

So merging two graphs is the union of their triples, and the order of the papers changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from urllib.parse import quote, unquote

from kg.records import Paper

__all__ = [
    "BASE",
    "canonical_key",
    "content_hash",
    "entity_iri",
    "entity_key",
    "hashed_iri",
    "paper_iri",
    "published_id",
    "surface_form",
]

BASE = "https://w3id.org/paperkg/"
"""Where the things of a graph live, unless `--base` says otherwise."""

_HASH_LENGTH = 20  # hex digits: 80 bits, a collision among a billion things has odds of one in a million

_DOI = re.compile(r"\b(10\.\d{4,9}/[^\s\"<>]+)")
_ARXIV = re.compile(
    r"(?:^|arxiv[:./]|/abs/|/pdf/)(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?$", re.IGNORECASE
)
_OPENREVIEW = re.compile(r"(?:^openreview:|openreview\.net/(?:forum|pdf)\?id=)([\w-]{6,})")

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_MARKUP = re.compile(r"[\"“”„«»`*{}$\\]|(?<!\w)['‘’]|['‘’](?!\w)")
_LEADING = re.compile(
    r"^(?:(?:the|a|an|our|this|these|its|their|new|novel|simple|effective|efficient|existing|traditional|vanilla|standard"
    r"|state[\s-]of[\s-]the[\s-]art|sota|proposed|recent|popular|various)\s+)+(?=\S)",
    re.IGNORECASE,
)
_SEPARATORS = re.compile(r"[\s_-]+")
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]*[A-Z][A-Z0-9]*")
_NO_PLURAL = re.compile(r"(?:ss|us|is|ics|ous|ias|as)$")


def content_hash(*parts: object) -> str:
    """A hash of the parts and of where one ends and the next begins."""
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:_HASH_LENGTH]


def hashed_iri(base: str, kind: str, *parts: object) -> str:
    """The IRI of a thing that has no name of its own, such as a statement or a claim."""
    return f"{base}{kind}/{content_hash(*parts)}"


def entity_iri(base: str, key: str) -> str:
    """The IRI of the entity with this key: readable, reversible, no two keys alike.

    >>> entity_iri(BASE, "c++")
    'https://w3id.org/paperkg/entity/c%2B%2B'
    """
    return f"{base}entity/{quote(key, safe='')}"


def entity_key(base: str, iri: str) -> str | None:
    """The key that :func:`entity_iri` made this IRI from, or None if it is no entity's IRI."""
    prefix = f"{base}entity/"
    return unquote(iri[len(prefix) :]) if iri.startswith(prefix) else None


def paper_iri(base: str, paper: Paper) -> str:
    """The paper's IRI: from its DOI, arXiv or OpenReview id, else from its normalised title and abstract."""
    for given in (paper.id, paper.url):
        if given and (known := published_id(given.strip())):
            scheme, value = known
            return f"{base}paper/{scheme}:{quote(value, safe='')}"
    return hashed_iri(base, "paper", _squashed(paper.title or ""), _squashed(paper.abstract))


def published_id(given: str) -> tuple[str, str] | None:
    """The scheme and number of a DOI, an arXiv number in any version, or an OpenReview forum, or None.

    >>> published_id("https://arxiv.org/abs/2104.12255v3"), published_id("10.48550/arXiv.2104.12255")
    (('arxiv', '2104.12255'), ('arxiv', '2104.12255'))
    """
    if match := _ARXIV.search(given):
        return "arxiv", match[1].lower()
    if match := _DOI.search(given):
        return "doi", match[1].rstrip(".,;)").lower()
    if match := _OPENREVIEW.search(given):
        return "openreview", match[1]
    return None


def _squashed(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def surface_form(name: str) -> str:
    """The name as it is shown: markup, determiners and evaluative adjectives gone, spaces single.

    >>> surface_form("the  novel **graph  transformer**")
    'graph transformer'
    """
    plain = " ".join(_MARKUP.sub("", name.translate(_DASHES)).split()).strip(" ,;:.")
    return _LEADING.sub("", plain) or plain


def canonical_key(name: str) -> str:
    """The key under which names of one thing meet; never empty for a name with a letter or digit.

    Case is kept only in a name that is one acronym, where it distinguishes.

    >>> canonical_key("Graph Neural Networks"), canonical_key("GNNs"), canonical_key("SOAP"), canonical_key("soap")
    ('graph_neural_network', 'GNN', 'SOAP', 'soap')
    >>> canonical_key("GPT-3.5"), canonical_key("C++"), canonical_key("3D object detection")
    ('gpt_3.5', 'c++', '3d_object_detection')
    """
    plain = surface_form(unicodedata.normalize("NFKC", name)) or name
    *words, head = _SEPARATORS.sub(" ", plain).split() or [plain]
    head = _singular(head)
    if not words and _ACRONYM.fullmatch(head):
        return head
    return "_".join([*words, head]).casefold()


def _singular(word: str) -> str:
    stem = word.removesuffix("s")
    if stem != word and _ACRONYM.fullmatch(stem):
        return stem
    if len(word) < 4 or not word.endswith("s") or not word.isalpha() or _NO_PLURAL.search(word.lower()):
        return word
    if word.lower() in ("series", "species"):
        return word
    if word.endswith(("yses", "theses")):
        return word[:-2] + "is"
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if re.search(r"(?:ches|shes|xes|sses|zzes)$", word) else stem
