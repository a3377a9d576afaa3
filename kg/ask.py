"""Questions as people ask them, matched to the named queries by their form and by the names in them.

No language model: a question has one of the forms of `questions.toml`, or it is not answered and the forms are shown.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pyoxigraph import Store

from kg.errors import NameUnknownError, QueryError
from kg.query import Result, bound_query, run

__all__ = ["Answer", "Form", "ask", "forms"]


@dataclass(frozen=True, slots=True)
class Form:
    """A form of question: an example, the named query that answers it, and how its words are read.

    What a group of a pattern holds is the name that the query takes as `parameter`.
    """

    example: str
    query: str
    patterns: tuple[re.Pattern[str], ...]
    parameter: str = ""
    fixed: tuple[tuple[str, str], ...] = ()
    """Further arguments of the query."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a question was taken to mean, as a named query with its arguments and as SPARQL, and the answer."""

    query: str
    arguments: tuple[tuple[str, str], ...]
    sparql: str
    result: Result


@cache
def forms() -> tuple[Form, ...]:
    """The questions that can be answered, the more particular forms first."""
    content = tomllib.loads((files("kg") / "questions.toml").read_text(encoding="utf-8"))
    return tuple(_form(each, content) for each in content["forms"])


def _form(said: dict[str, Any], content: dict[str, Any]) -> Form:
    patterns = (p.replace("{what}", content["what"]).replace("{done}", content["done"]) for p in said["patterns"])
    compiled = tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    fixed = tuple(said.get("fixed", {}).items())
    return Form(said["example"], said["query"], compiled, said.get("parameter", ""), fixed)


def ask(store: Store, question: str) -> Answer:
    """The answer to a question in words.

    Raises QueryError with the forms that can be answered if it has none of them, or NameUnknownError, with near names,
    if it has one but the graph does not know what it asks about.
    """
    words = " ".join(question.strip().rstrip("?!. ").split())
    unknown: NameUnknownError | None = None
    for form, name in _readings(words):
        arguments = (*form.fixed, *(((form.parameter, name),) if name else ()))
        try:
            sparql = bound_query(store, form.query, dict(arguments))
        except NameUnknownError as error:
            unknown = unknown or error
            continue
        except QueryError:
            continue
        return Answer(form.query, arguments, sparql, run(store, sparql))
    if unknown is not None:
        raise unknown
    examples = "; ".join(form.example for form in forms())
    raise QueryError("I can't answer that", hint=f"these I can: {examples}")


def _readings(words: str) -> Iterator[tuple[Form, str | None]]:
    """Every form that the question has, with the name that it asks about."""
    for form in forms():
        for pattern in form.patterns:
            if match := pattern.fullmatch(words):
                name = next((value for value in match.groups() if value), None)
                for each in _plain(name) if name else (None,):
                    yield form, each


def _plain(name: str) -> Iterator[str]:
    """The name without quotes, and without what people put around it."""
    bare = name.strip("\"'“”«»")
    shorter = _AROUND.sub("", bare)
    yield from dict.fromkeys(each for each in (bare, shorter) if each)


_AROUND = re.compile(
    r"^(?:the|a|an|this|that|using|doing|task of|problem of|method|model)\s+"
    r"|\s+(?:task|method|model|dataset|problem|algorithm|benchmark)s?$",
    re.IGNORECASE,
)
