"""Markdown lists of papers: headings or list items as titles, and below each what is known of the paper.

An abstract is what stands after "Abstract:", in a block quote, in <details>, or as a paragraph of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kg.readers.fields import Format, Record, arxiv_in, best_id, bibliographic_paper
from kg.readers.source import Source

__all__ = ["MARKDOWN"]


@dataclass(slots=True)
class Entry:
    """A paper of a list, as far as its lines have been read; `parts` are the lines of its abstract."""

    title: str
    line: int
    url: str | None
    fields: dict[str, str] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)

    indent: int = 0
    linked: bool = False
    listed: bool = False

    @property
    def is_paper(self) -> bool:
        """Whether it is more than a heading over a section and its introduction."""
        known = self.linked or self.fields or self.parts or any(map(_people, self.prose))
        return bool(known or (self.listed and _abstract(self)[0]))


HEADING = re.compile(r"\s{0,3}#{1,6}\s+(?P<text>.*)")
ITEM = re.compile(r"\s{0,8}(?:[-*+]|\d{1,4}[.)])\s+(?P<text>(?:\*\*|__|\[|\"|“).*)")
QUOTE = re.compile(r"\s{0,12}>\s?(?P<text>.*)")
LABELS = (
    r"(?P<label>(?:paper )?title|authors?|abstract|summary|venue|conference|journal|published(?: in| on)?|year|date"
    r"|links?|url|paper|pdf|doi|arxiv|code|github|project(?: page)?|keywords|tags|tl;?dr|bibtex|comments?)"
)
FIELD = re.compile(
    rf"\s{{0,12}}(?:[-*+>]\s+|#{{1,6}}\s+)?(?P<mark>[*_]{{0,3}}|<b>|<strong>){LABELS}"
    r"(?P<end>\s?[:：]?\s?(?:[*_]{1,3}|</b>|</strong>)?\s?[:：.—–-]?)(?:\s+|\Z|(?<=[:：*_>]))(?P<text>.*)",
    re.IGNORECASE,
)
LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]{0,500})\]\((?P<url>[^()\s]{1,2000})[^()]{0,200}\)")
IMAGE = re.compile(r"\[?!\[[^\[\]]{0,500}\]\([^()]{0,2000}\)(?:\]\([^()]{0,2000}\))?")
TITLE_ENDS = ' "“”.'
TAGS = re.compile(r"</?(?:details|summary|br|p|b|strong|em|i|div|blockquote|ul|li)\b[^<>]{0,200}/?>", re.IGNORECASE)
SUMMARY = re.compile(r"<summary>(?P<text>.{0,200}?)</summary>", re.IGNORECASE)
TABLE_ROW = re.compile(r"\s*\|.*\|\s*\Z")
MARKUP = re.compile(r"[*_`]{1,3}")
SENTENCE = re.compile(r"[.!?][\"'”’)\]*_]*\s*\Z")
ABSTRACT_LABEL = re.compile(r"\A\s{0,3}[*_]{0,3}abstract\s?[:：.]?[*_]{0,3}\s?[:：.—–-]?\s*", re.IGNORECASE)
PROSE = 120
"""A paragraph with no label is an abstract from so many characters on, if it ends as a sentence does."""


def _is_markdown(sample: str) -> bool:
    """Whether there are titles as Markdown has them, and abstracts, authors or links under them."""
    titles = bodies = 0
    for line in sample.split("\n"):
        title = HEADING.match(line) or ITEM.match(line)
        linked = title is not None and LINK.search(title["text"]) is not None
        titles += title is not None
        label = _label(line)
        bodies += label is not None and label[0] in ("abstract", "authors") and (line.lstrip()[:1] in "*_#->+<")
        bodies += linked or line.lstrip().startswith(">") or SUMMARY.search(line) is not None
    return titles > 0 and bodies > 0


def _read(source: Source, name: str) -> Iterator[Record]:
    for entry in _entries(source.lines()):
        if entry.is_paper:
            yield bibliographic_paper(_fields(entry), f"{name}, line {entry.line}")


def _entries(lines: Iterable[str]) -> Iterator[Entry]:
    entry: Entry | None = None
    mode = ""
    for number, line in enumerate(_outside_code(lines), start=1):
        text = line.rstrip("\n")
        begun = _begun(text, number)
        if begun is not None and not (entry is not None and entry.listed and begun.indent > entry.indent):
            if entry is not None:
                yield entry
            entry, mode = begun, ""
        elif entry is not None:
            mode = _read_line(entry, text, mode)
    if entry is not None:
        yield entry


def _outside_code(lines: Iterable[str]) -> Iterator[str]:
    """The lines, with empty ones in the place of blocks of code."""
    code = False
    for line in lines:
        fence = line.lstrip().startswith("```")
        yield "\n" if code or fence else line
        code = code != fence


def _begun(text: str, line: int) -> Entry | None:
    """The paper that a line begins: as a heading, as a list item, or after "Title:"."""
    label = _label(text)
    indent = len(text) - len(text.lstrip())
    if label is None:
        return _titled(IMAGE.sub("", text), line, indent)
    if label[0] == "title" and label[1].strip():
        return Entry(_bare(label[1]), line, _address(label[1]), indent=indent, listed=True)
    return None


def _titled(text: str, line: int, indent: int) -> Entry | None:
    found = HEADING.match(text)
    if found is not None:
        title, rest = found["text"].rstrip(" #"), ""
    elif (found := ITEM.match(text)) is not None:
        title, rest = _title_and_rest(found["text"])
    else:
        return None
    url = _address(found["text"])
    bare = _bare(title).strip(TITLE_ENDS)
    if (url is not None and url.startswith("#")) or bare.lower() in NO_TITLES:
        return None  # of a table of contents, or below a paper
    entry = Entry(bare, line, url, indent=indent, linked=url is not None, listed=ITEM.match(text) is not None)
    _add_prose(entry, rest)
    return entry


NO_TITLES = frozenset(
    {"arxiv", "bibtex", "blog", "code", "data", "dataset", "demo", "github", "link", "openreview", "paper", "pdf"}
    | {"project", "project page", "slides", "video", "website"}
)


ITEM_TITLE = re.compile(
    r"(?P<title>\*\*.{1,500}?\*\*|__.{1,500}?__|!?\[[^\[\]]{1,500}\]\([^()\s]{1,2000}\)|\"[^\"]{1,500}\"|“[^”]{1,500}”)"
)


def _title_and_rest(text: str) -> tuple[str, str]:
    found = ITEM_TITLE.match(text)
    return (found["title"], text[found.end() :].lstrip(" -–—:,.")) if found else (text, "")


def _bare(text: str) -> str:
    """A text without Markdown's marks, and with only the words of links."""
    return " ".join(MARKUP.sub("", LINK.sub(lambda link: link["text"], text)).split())


def _label(text: str) -> tuple[str, str] | None:
    """The label of a line, in lower case, and what stands after it; a bare word is a label only if it is marked."""
    found = FIELD.match(SUMMARY.sub(r"**\g<text>:** ", text) if "<summary>" in text.lower() else text)
    if found is None:
        found = FIELD.match(TAGS.sub("", SUMMARY.sub(r"**\g<text>:** ", text)).strip())
    if found is None or not (found["mark"] or re.search(r"[:：]", found["end"]) or not found["text"].strip()):
        return None
    label = found["label"].lower()
    return {"author": "authors", "paper title": "title"}.get(label, label), found["text"]


def _read_line(entry: Entry, text: str, mode: str) -> str:
    """Adds a line to an entry; the mode says whether the lines that follow are of its abstract."""
    if (label := _label(text)) is not None:
        return _read_label(entry, *label)
    if TABLE_ROW.match(text):
        return mode
    if ITEM.match(text):
        mode = ""
    quote = QUOTE.match(text)
    content = TAGS.sub("", quote["text"] if quote else text).strip()
    closes = "</details>" in text.lower()
    if mode == "abstract" or quote is not None:
        entry.parts.append(content)
    elif mode != "ignored":
        _add_prose(entry, content)
    return "" if closes else mode


def _read_label(entry: Entry, label: str, text: str) -> str:
    content = TAGS.sub("", text).strip()
    closes = "</details>" in text.lower()
    if label in ("abstract", "summary"):
        entry.parts.append(content)
        return "" if closes else "abstract"
    if content:
        entry.fields.setdefault(label, content)
    entry.url = entry.url or _address(content)
    return "ignored" if label in ("bibtex", "tldr", "tl;dr") else ""


def _address(text: str) -> str | None:
    link = LINK.search(text) or re.search(r"(?P<url>https?://[^\s<>()\[\]]{1,2000})", text)
    return link["url"] if link else None


def _add_prose(entry: Entry, text: str) -> None:
    entry.url = entry.url or _address(text)
    if text or entry.prose:
        entry.prose.append(text)


# From an entry to a paper


def _fields(entry: Entry) -> dict[str, object]:
    abstract, notes = _abstract(entry)
    doi = entry.fields.get("doi") or (entry.url if entry.url and "doi.org/" in entry.url else None)
    venue = next((entry.fields[name] for name in ("venue", "conference", "journal") if name in entry.fields), None)
    dates = (entry.fields.get("year"), entry.fields.get("date"), entry.fields.get("published"), venue, *notes)
    return {
        "title": entry.title or None,
        "abstract": abstract or None,
        "id": best_id(doi=doi, arxiv=arxiv_in(entry.url) or entry.fields.get("arxiv")),
        "year": next((date for date in dates if date and re.search(r"\b(?:19|20)\d\d\b", date)), None),
        "venue": _bare(venue) if venue else None,
        "authors": _bare(entry.fields.get("authors") or next(filter(None, map(_people, notes)), "")),
        "url": entry.url,
        "keywords": _bare(entry.fields.get("keywords") or entry.fields.get("tags") or ""),
    }


def _abstract(entry: Entry) -> tuple[str, list[str]]:
    """The abstract, marked or else found among the paragraphs, and the other paragraphs."""
    paragraphs = [paragraph for paragraph in "\n".join(entry.prose).split("\n\n") if paragraph.strip()]
    marked = ABSTRACT_LABEL.sub("", "\n".join(entry.parts).strip(), count=1) if any(entry.parts) else ""
    if marked:
        return marked, paragraphs
    prose = [text for text in paragraphs if len(text) >= PROSE and SENTENCE.search(text)]
    return "\n".join(prose).strip(), [text for text in paragraphs if text not in prose]


def _people(text: str) -> str | None:
    """A line of names: several, with neither numbers nor links."""
    bare = _bare(text.strip())
    names = re.split(r",|\band\b|;", bare)
    plain = len(names) > 1 and all(0 < len(name.split()) < 6 for name in names if name.strip())
    return bare if plain and not re.search(r"\d|https?:", bare) and not LINK.search(text) else None


MARKDOWN = Format("markdown", "Markdown lists of papers", _is_markdown, _read)
