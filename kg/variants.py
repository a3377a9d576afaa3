"""Sizes of models: "Qwen2-1.5B" names a kind of Qwen2, and says so by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kg.records import EntityType, Mention, Relation, RelationType, Sentence
from kg.sentences import around

__all__ = ["find_families"]

_SIZED = re.compile(
    r"(?P<family>(?=[^\W\d_]{2})[\w.-]+?(?:[ -][\w.-]+?){0,2})[-_– ]"
    r"(?:\d{1,2}x)?(?:\d{1,4}(?:\.\d{1,2})?B|\d{2,3}M)\b(?!.param)",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\S*[A-Z\d]\S*$")


def find_families(mentions: Iterable[Mention], sentences: Sequence[Sentence]) -> Iterator[Relation]:
    """For each model that is named with the number of its parameters, that it is a kind of what stands before that.

    >>> sized = Mention(3, 24, EntityType.METHOD, "Qwen2-1.5B-Instruct", 0.9)
    >>> next(find_families([sized], [])).tail
    Mention(start=3, end=8, type=<EntityType.METHOD: 'Method'>, name='Qwen2', confidence=0.9)
    """
    for mention in mentions:
        sized = _SIZED.match(mention.name) if mention.type is EntityType.METHOD else None
        if sized and _NAMED.search(sized["family"]):
            name = sized["family"]
            family = Mention(mention.start, mention.start + len(name), mention.type, name, mention.confidence)
            yield Relation(mention, RelationType.KIND_OF, family, *around(sentences, mention), mention.confidence)
