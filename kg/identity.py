"""Identity from content: keys, hashes and IRIs that depend on what a thing says, never on when it was met.

So merging two graphs is the union of their triples, and the order of the papers changes nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable
from urllib.parse import quote, unquote

from kg.records import Paper
from kg.wordlists import word_list

__all__ = [
    "BASE",
    "as_compound",
    "canonical_key",
    "content_hash",
    "entity_iri",
    "entity_key",
    "hashed_iri",
    "paper_iri",
    "published_id",
    "statement_iri",
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
_STAR = re.compile(r"([A-Z])\*(?!\w)")
_LEADING = re.compile(
    r"^(?:(?:the|a|an|our|this|these|its|their|new|novel|simple|effective|efficient|existing|traditional|vanilla|standard"
    r"|state[\s-]of[\s-]the[\s-]art|sota|proposed|recent|popular|various|conventional"
    r"|ordinary(?!\s+(?:differential|kriging|least|partial|stochastic)))\s+)+(?=\S)",
    re.IGNORECASE,
)
_COUNT_LEFT_OPEN = re.compile(r"^[A-Za-z]-(?:depth|dimensional|iteration|layer|round|step)\s+(?=\S)")
"""The "L-layer" of "L-layer GNN", which says how many by a letter, so that every GNN is one."""
_ROLE = re.compile(r"^(?:base|backbone|underlying)\s+(?=(?:[A-Z]*(?:LM|NN)s?|(?:large )?language models?)$)")
"""The "base" of "base LLM", which says what a paper uses it for; not that of "base BERT", which is a size."""
_SEPARATORS = re.compile(r"[\s_·-]+")
_OWN_ACRONYM = re.compile(r"(?<=\w)\s+\([A-Z][\w-]*s?\)$")
"""The acronym in "mean squared error (MSE)"."""
_ACRONYM = re.compile(r"[A-Z][A-Z0-9]*[A-Z][A-Z0-9]*")
_PROPER = re.compile(r"\d|^[A-Z]\S*[A-Z]|^[a-z]+[A-Z]|[a-z-][A-Z]")
_DIMENSIONS = re.compile(r"\d+[Dd]?")
_HEADS = word_list(
    """
    model models method methods algorithm algorithms approach approaches framework frameworks
    architecture architectures network networks optimizer optimizers optimiser dataset datasets
    benchmark benchmarks corpus corpora score scores metric metrics family
    """
)
"""Nouns that add nothing to a name: the BERT model is BERT."""
_PREFIXES = word_list(
    """
    pre post multi cross semi non sub co auto re inter intra hyper meta anti bi uni un over under fine
    super ultra mis de out counter spatio
    """
)
"""Words that are written together with the next one, with a hyphen, or apart."""
_NUMBER_AT_END = re.compile(r"([a-z]{3,})(\d+(?:\.\d+)?[kmb]?)")
_BRITISH_IZE = re.compile(
    r"(?<=\w)((?:al|el|il|ar|er|or|im|am|om|on|en|an|in|et|it|ut|nt|gn|es|yn|og|od|ic))is(e[ds]?|ers?|ing|ations?|able)$"
)
_NO_IZE = word_list(
    """
    promise promises promised promising compromise compromised compromises comprise treatise
    """
)
_BRITISH_WORDS = {
    "analyse": "analyze",
    "analysing": "analyzing",
    "centre": "center",
    "colour": "color",
    "colours": "colors",
    "defence": "defense",
    "fibre": "fiber",
    "grey": "gray",
    "metre": "meter",
    "catalogue": "catalog",
    "dialog": "dialogue",
    "programme": "program",
    "artefact": "artifact",
    "artefacts": "artifacts",
    "ageing": "aging",
    "judgement": "judgment",
    "tumour": "tumor",
    "tumours": "tumors",
    "behaviour": "behavior",
    "behaviours": "behaviors",
    "behavioural": "behavioral",
    "neighbour": "neighbor",
    "neighbours": "neighbors",
    "neighbourhood": "neighborhood",
    "signalling": "signaling",
    "modelling": "modeling",
    "modelled": "modeled",
    "labelling": "labeling",
    "labelled": "labeled",
    "unlabelled": "unlabeled",
    "channelled": "channeled",
    "travelling": "traveling",
    "tunnelling": "tunneling",
}
_NO_PLURAL = re.compile(r"(?:ss|us|is|ics|ous|ias|as)$")


def content_hash(*parts: object) -> str:
    """A hash of the parts and of where one ends and the next begins."""
    return hashlib.sha256(_written(parts).encode("ascii")).hexdigest()[:_HASH_LENGTH]


_written = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), default=str).encode


def hashed_iri(base: str, kind: str, *parts: object) -> str:
    """The IRI of a thing that has no name of its own, such as a statement or a claim."""
    return f"{base}{kind}/{content_hash(*parts)}"


def statement_iri(base: str, subject: str, predicate: str, target: str) -> str:
    """The IRI of the statement that these three IRIs make."""
    return hashed_iri(base, "statement", subject, predicate, target)


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
    star = _STAR.sub("\\1∗", name) if name.count("*") == 1 else name  # A* is a name, **A** is markup
    plain = " ".join(_MARKUP.sub("", star.translate(_DASHES)).split()).strip(" ,;:.").replace("∗", "*")
    return _LEADING.sub("", plain) or plain


def canonical_key(name: str) -> str:
    """The key under which names of one thing meet; never empty for a name with a letter or digit.

    Case is kept only in a name that is one acronym, where it distinguishes. Spelling is American, prefixes and
    numbers stand as in "pretraining" and "cifar_10", the head noun is singular, and a last "model", "dataset" and the
    like is left out where the rest is a name.

    >>> canonical_key("Graph Neural Networks"), canonical_key("GNNs"), canonical_key("SOAP"), canonical_key("soap")
    ('graph_neural_network', 'GNN', 'SOAP', 'soap')
    >>> canonical_key("GPT-3.5"), canonical_key("C++"), canonical_key("3D object detection")
    ('gpt_3.5', 'c++', '3d_object_detection')
    >>> canonical_key("pre-training optimisation"), canonical_key("CIFAR10 dataset"), canonical_key("diffusion models")
    ('pretraining_optimization', 'cifar_10', 'diffusion_model')
    """
    plain = surface_form(unicodedata.normalize("NFKC", name)) or name
    plain = _ROLE.sub("", _COUNT_LEFT_OPEN.sub("", _OWN_ACRONYM.sub("", plain)))
    words = _without_head(_SEPARATORS.sub(" ", plain).split() or [plain])
    words[-1] = _singular(words[-1])
    if len(words) == 1 and _ACRONYM.fullmatch(words[0]) and not _NUMBER_AT_END.fullmatch(words[0].lower()):
        return words[0]
    return _joined(part for word in words for part in _spelled(word))


def as_compound(head: str, of: str) -> str:
    """The name that says in one compound what "`head` for `of`" says.

    >>> as_compound("distributed algorithms", "LPs")
    'distributed LP algorithms'
    """
    *before, noun = head.split()
    *words, last = of.split()
    return " ".join([*before, *words, _singular(last), noun])


def _without_head(words: list[str]) -> list[str]:
    """The words without a last noun such as "model", if what is left is a name."""
    while len(words) > 1 and words[-1].lower() in _HEADS and _is_name(words[:-1]):
        words = words[:-1]
    return words


def _is_name(words: list[str]) -> bool:
    """Whether the words name something by themselves: BERT, CIFAR-10 or PointNet, not diffusion or Graph Neural."""
    return any(_PROPER.search(word) and not _DIMENSIONS.fullmatch(word) for word in words)


def _spelled(word: str) -> list[str]:
    """A word in American spelling and in lower case, a number at its end apart: resnet50 is resnet 50."""
    lower = word.casefold()
    if number := _NUMBER_AT_END.fullmatch(lower):
        return [number[1], number[2]]
    lower = _BRITISH_IZE.sub(r"\1iz\2", lower) if lower not in _NO_IZE else lower
    return [_BRITISH_WORDS.get(lower, lower)]


def _joined(words: Iterable[str]) -> str:
    """The words with underscores between them, and none after a prefix such as "pre"."""
    joined = ""
    for word in words:
        prefixed = joined.rpartition("_")[2] in _PREFIXES and word.isalpha()
        joined += word if prefixed or not joined else "_" + word
    return joined


def _singular(word: str) -> str:
    stem = word.removesuffix("s")
    if stem != word and _ACRONYM.fullmatch(stem):
        return stem
    if stem[1:].lower() != stem[1:] and stem[-1:].islower():
        return word  # nuScenes is a name, LoRAs are many
    if len(word) < 4 or not word.endswith("s") or not word.isalpha() or _NO_PLURAL.search(word.lower()):
        return word
    if word.lower() in ("series", "species"):
        return word
    if word.endswith(("yses", "theses")):
        return word[:-2] + "is"
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if re.search(r"(?:ches|shes|xes|sses|zzes)$", word) else stem
