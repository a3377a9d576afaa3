"""PubMed: XML as efetch and the yearly files give it, and the tagged text of "Send to: Citation manager" (nbib).

https://dtd.nlm.nih.gov/ncbi/pubmed/doc/out/190101/, https://www.nlm.nih.gov/bsd/mms/medlineelements.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from kg.readers.fields import Format, Record, best_id, bibliographic_paper, given_first, labelled, person
from kg.readers.source import Source
from kg.readers.tagged import Tagged, read_tagged
from kg.readers.xml_text import begins_with, child_text, read_elements, text_of
from kg.sections import role_of

__all__ = ["NBIB", "PUBMED"]


def _read_xml(source: Source, name: str) -> Iterator[Record]:
    for element in read_elements(source.pieces(), {"PubmedArticle", "PubmedBookArticle"}, name):
        yield _article(*element) if isinstance(element, tuple) else element


def _article(article: Element, where: str) -> Record:
    number = child_text(article, "MedlineCitation/PMID", "BookDocument/PMID")
    doi = child_text(
        article,
        "PubmedData/ArticleIdList/ArticleId[@IdType='doi']",
        ".//ELocationID[@EIdType='doi']",
        "BookDocument/ArticleIdList/ArticleId[@IdType='doi']",
    )
    title = next((element for element in article.iter("ArticleTitle")), article.find(".//BookTitle"))
    return bibliographic_paper(
        {
            "title": text_of(title) or None,
            "abstract": _abstract(article) or None,
            "id": best_id(doi=doi, own=_own(number)),
            "year": child_text(article, ".//PubDate/Year", ".//PubDate/MedlineDate", ".//ArticleDate/Year"),
            "venue": child_text(article, "MedlineCitation/Article/Journal/Title", ".//MedlineTA", ".//BookTitle"),
            "authors": [name for author in article.iterfind(".//AuthorList/Author") if (name := _author(author))],
            "url": _url(number),
            "keywords": [text_of(keyword) for keyword in article.iterfind(".//KeywordList/Keyword")],
        },
        where,
    )


def _abstract(article: Element) -> str:
    """The abstract's parts with their labels; one in another language only if there is no other."""
    for path in ("MedlineCitation/Article/Abstract", "BookDocument/Abstract", "MedlineCitation/OtherAbstract"):
        for abstract in article.iterfind(path):
            parts = [(_label(part), text_of(part)) for part in abstract.iterfind("AbstractText")]
            if text := labelled(parts):
                return text
    return ""


def _label(part: Element) -> str | None:
    """The label that the journal gave a part, after the NLM's category for it where the label's own words tell none."""
    label, category = part.get("Label"), part.get("NlmCategory", "")
    if category not in CATEGORIES or (label and role_of(label) is not None):
        return label
    return f"{category} ({label})" if label and label.upper() != category else category


CATEGORIES = frozenset({"BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS"})


def _author(author: Element) -> str | None:
    given = child_text(author, "ForeName", "Initials")
    return person(given=given, family=child_text(author, "LastName"), whole=child_text(author, "CollectiveName"))


def _own(number: str | None) -> str | None:
    return f"PMID:{number}" if number else None


def _url(number: str | None) -> str | None:
    return f"https://pubmed.ncbi.nlm.nih.gov/{number}/" if number else None


PUBMED = Format(
    "pubmed",
    "PubMed XML",
    begins_with("PubmedArticleSet", "PubmedArticle", "PubmedBookArticleSet", "PubmedBookArticle"),
    _read_xml,
)


# nbib

TAG = re.compile(r"(?P<tag>[A-Z]{2,4}) {0,3}- (?P<text>.*)")


def _read_nbib(source: Source, name: str) -> Iterator[Record]:
    for record in read_tagged(source.lines(), TAG, name, opens="PMID"):
        yield bibliographic_paper(_fields(record), record.where)


def _fields(record: Tagged) -> dict[str, object]:
    number = record.first("PMID")
    dois = (text for text in (*record.all("LID"), *record.all("AID")) if text.endswith("[doi]"))
    return {
        "title": record.first("TI", "BTI"),
        "abstract": record.text("AB"),
        "id": best_id(doi=next(dois, None), own=_own(number)),
        "year": record.first("DP", "DEP"),
        "venue": record.first("JT", "TA"),
        "authors": [given_first(author) for author in record.all("FAU") or record.all("AU")],
        "url": _url(number),
        "keywords": record.all("OT"),
    }


def _is_nbib(sample: str) -> bool:
    return re.match(r"\s*PMID- {0,3}\d", sample) is not None


NBIB = Format("nbib", "PubMed's MEDLINE text (nbib)", _is_nbib, _read_nbib)
