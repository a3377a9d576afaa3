"""What a SPARQL text would do, told before it is asked: whether it reaches for another server, whether it updates.

Oxigraph shows no parse tree, and it needs no space between words (`trueSERVICE<…>{}` calls another server). So
whatever may hide the word SERVICE is taken out: strings, comments, IRIs, variables and local names. If it is
still there, or if it cannot be told whether it is, the query counts as one that reaches out.
"""

from __future__ import annotations

import re

__all__ = ["is_update", "reaches_out"]

_QUOTED = r'"""(?:"{0,2}(?:[^"\\]|\\.))*"""' + r"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''"
_SHORT = r'"(?:[^"\\\n\r]|\\.)*"' + r"|'(?:[^'\\\n\r]|\\.)*'"
_IRI = r"<[^\x00-\x20<>\"{}|^`]*>"
_HIDING = re.compile(rf"{_QUOTED}|{_SHORT}|#[^\n\r]*|(?P<iri>{_IRI})|[?$]\w+|:[\w:%\\-]+", re.DOTALL)
_SERVICE = re.compile("service", re.IGNORECASE)
_CERTAIN = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*://")
"""How an IRI begins that cannot be a comparison: nowhere else do two slashes follow a colon."""
_PROLOGUE = re.compile(r"\s*(?:(?:BASE\s*|PREFIX\s+[\w.-]*:?\s*)\s*)*", re.IGNORECASE)
_UPDATE = re.compile(r"(?:INSERT|DELETE|LOAD|CLEAR|DROP|CREATE|ADD|MOVE|COPY|WITH)\b", re.IGNORECASE)


def reaches_out(text: str) -> bool:
    """Whether the query may call another server.

    >>> reaches_out("ASK { SERVICE <http://a/> {} }"), reaches_out('ASK { ?service ex:service "SERVICE" }')
    (True, False)
    """
    if _SERVICE.search(text) is None:
        return False
    left = _HIDING.sub(" ", text)
    return _SERVICE.search(left) is not None or "'" in left or '"' in left or any(map(_unsure, _HIDING.finditer(text)))


def _unsure(hiding: re.Match[str]) -> bool:
    """Whether what looks like an IRI may be a comparison with a string or a comment in it, as in ``?a<'>'``."""
    iri = hiding["iri"]
    return iri is not None and ("'" in iri or "#" in iri) and _CERTAIN.match(iri) is None


def is_update(text: str) -> bool:
    """Whether the text is, by its first word, an update.

    >>> is_update("PREFIX a: <http://a/> INSERT DATA { a:b a:c a:d }"), is_update("SELECT * { ?insert ?p ?o }")
    (True, False)
    """
    plain = _HIDING.sub(" ", text)
    start = _PROLOGUE.match(plain)
    return start is not None and _UPDATE.match(plain, start.end()) is not None
