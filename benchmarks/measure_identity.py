"""How well names are told apart and together: `python benchmarks/measure_identity.py DATA`.

DATA is a folder with the corpora of `kg/train/README.md` and the Papers-with-Code term lists. Acronyms are scored on
SciER, SciERC, our own abstracts and sentences of other fields; coreference on the named mentions of SciERC; aliases on
the list of methods; near pairs on `tests/identity/pairs.tsv`.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kg.acronyms import find_definitions, likeliest_long_form, stands_for
from kg.alignment import align, read_vocabulary
from kg.alike import Profile, load_scorer
from kg.blocking import candidate_pairs
from kg.identity import BASE, canonical_key
from kg.pipeline import graph_of
from kg.records import EntityType, Extraction, Mention, Paper, Relation, RelationType
from kg.resolve import resolve_entities
from kg.store import memory_store
from kg.train.alike import read_pairs
from kg.train.corpora import Document, Json, _lines, join_tokens, read_own, read_scier

ROOT = Path(__file__).parents[1]
Span = tuple[int, int]


@dataclass
class Count:
    """Right, wrong and missed items."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, gold: set[object], found: set[object]) -> None:
        """Count one text's items."""
        self.right += len(gold & found)
        self.wrong += len(found - gold)
        self.missed += len(gold - found)

    def __str__(self) -> str:
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        f1 = 2 * self.right / max(1, 2 * self.right + self.wrong + self.missed)
        counts = f"{self.right} right, {self.wrong} wrong, {self.missed} missed"
        return f"P {precision:.3f}  R {recall:.3f}  F1 {f1:.3f}  ({counts})"


def is_acronym(text: str) -> bool:
    """Whether a gold mention is the short form of a pair."""
    letters = [c for c in text if c.isalpha()]
    capitals = sum(c.isupper() for c in letters)
    return " " not in text and len(text) <= 12 and capitals >= 2 and capitals * 2 >= len(letters)


def acronyms(documents: Iterable[Document]) -> Count:
    """Definitions by the exact spans of both forms; a found one counts where the corpus pairs its short form at all."""
    count = Count()
    for document in documents:
        gold = set()
        for link in document.relations:
            if link.type is RelationType.SAME_ENTITY:
                ends = [document.mentions[link.head], document.mentions[link.tail]]
                ends.sort(key=lambda each: is_acronym(document.text[each.start : each.end]))
                if [is_acronym(document.text[each.start : each.end]) for each in ends] == [False, True]:
                    gold.add(((ends[0].start, ends[0].end), (ends[1].start, ends[1].end)))
        shorts = {short for _, short in gold}
        count.add(gold, {(d.long, d.short) for d in find_definitions(document.text) if d.short in shorts})
    return count


def scierc_acronyms(documents: Iterable[Json]) -> Count:
    """SciERC marks "long form (SF)" with all its modifiers as one mention: right is a long form that ends it so."""
    count = Count()
    for document in documents:
        tokens = [token for sentence in document["sentences"] for token in sentence]
        text, places = join_tokens(tokens)
        gold: dict[Span, Span] = {}
        for first, last, _ in (mention for sentence in document["ner"] for mention in sentence):
            for number in range(first + 1, last - 1):
                if tokens[number] in ("-LRB-", "-LSB-") and tokens[number + 2] in ("-RRB-", "-RSB-"):
                    short = places[number + 1]
                    if is_acronym(tokens[number + 1]):
                        gold[short] = (places[first][0], places[number - 1][1])
        found = {d.short: d.long for d in find_definitions(text) if d.short in gold}
        right = {s for s, long in found.items() if gold[s][0] <= long[0] and long[1] == gold[s][1]}
        count.add(set(gold), right)
        count.wrong += len(found) - len(right)
    return count


def other_fields() -> Count:
    """The sentences of other fields that were written for this."""
    count = Count()
    path = ROOT / "tests" / "identity" / "acronyms.tsv"
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        text, definitions = line.split("\t")
        gold = {tuple(each.split("=", 1)) for each in definitions.split("; ") if each}
        count.add(gold, {(text[slice(*d.short)], text[slice(*d.long)]) for d in find_definitions(text)})
    return count


def b_cubed(documents: Iterable[Json]) -> tuple[float, float, float]:
    """B³ (Bagga and Baldwin, 1998) of the named mentions of SciERC within an abstract; generic ones are left out."""
    precision = recall = 0.0
    mentions = 0
    for document in documents:
        tokens = [token for sentence in document["sentences"] for token in sentence]
        text, places = join_tokens(tokens)
        kinds = {(a, b): kind for sentence in document["ner"] for a, b, kind in sentence}
        named = sorted(span for span, kind in kinds.items() if kind != "Generic" and _has_noun(tokens, span))
        cluster = {tuple(span): number for number, spans in enumerate(document["clusters"]) for span in spans}
        gold = {span: cluster.get(span, -1 - number) for number, span in enumerate(named)}
        found = dict(zip(named, _resolved(text, [(places[a][0], places[b][1]) for a, b in named]), strict=True))
        for span in named:
            own = {other for other in named if found[other] == found[span]}
            right = {other for other in named if gold[other] == gold[span]}
            precision += len(own & right) / len(own)
            recall += len(own & right) / len(right)
        mentions += len(named)
    precision, recall = precision / mentions, recall / mentions
    return precision, recall, 2 * precision * recall / (precision + recall)


def _has_noun(tokens: list[str], span: Span) -> bool:
    words = " ".join(tokens[span[0] : span[1] + 1]).lower()
    return words not in {"it", "they", "this", "these", "its", "their", "which", "that", "one", "them"}


def _resolved(text: str, spans: list[Span]) -> Iterator[str]:
    """The key of each span, after the paper's own definitions and the joining of alike names."""
    names = [text[start:end] for start, end in spans]
    split = [_own_acronym(name) for name in names]
    mentions, same = [], []
    for (start, end), (long, short) in zip(spans, split, strict=True):
        mention = Mention(start, end, EntityType.METHOD, long)
        mentions.append(mention)
        if short:
            other = Mention(start, end, EntityType.METHOD, short)
            mentions.append(other)
            same.append(Relation(mention, RelationType.SAME_ENTITY, other, start, end))
    for definition in find_definitions(text):
        long, short = (
            Mention(*part, EntityType.METHOD, text[slice(*part)]) for part in (definition.long, definition.short)
        )
        mentions += [long, short]
        same.append(Relation(long, RelationType.SAME_ENTITY, short, long.start, short.end))
    resolution = resolve_entities([("p", Extraction(Paper(text), mentions=tuple(mentions), relations=tuple(same)))])
    return (resolution.keys["p", long] for long, _ in split)


def _own_acronym(name: str) -> tuple[str, str | None]:
    """ "hidden Markov model (HMM)" as its two names."""
    head, bracket, rest = name.partition(" (")
    short = rest.partition(")")[0]
    return (head, short) if bracket and short and stands_for(short, head) else (name, None)


def aliases(path: Path) -> Count:
    """For every method of the list with another full name: is the one found from the other, among all of the list?"""
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [(row["name"], row["full_name"]) for row in csv.DictReader(stream, delimiter="\t")]
    full = {canonical_key(long): long for _, long in rows}
    scorer, count = load_scorer(), Count()
    by_letter: defaultdict[str, list[str]] = defaultdict(list)
    for long in dict.fromkeys(long for _, long in rows):
        by_letter[long[:1].lower()].append(long)
    alike: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
    known = [Profile(key, names=Counter({name: 1})) for key, name in full.items()]
    asked = {
        key: Profile(key, names=Counter({name: 1}))
        for name, long in rows
        if name != long
        for key in [canonical_key(name)]
    }
    asked = {key: each for key, each in asked.items() if key not in full}
    for one, other in candidate_pairs([*known, *asked.values()]):
        for alias, term in ((one, other), (other, one)):
            if alias.key in asked and term.key in full:
                judgement = scorer.judge(alias, term)
                if judgement.same:
                    alike[alias.key].append((judgement.score, full[term.key]))
    for alias, long in rows:
        if alias == long:
            continue
        found = _meaning(alias, full, alike, by_letter)
        count.right += found == long
        count.wrong += found not in (None, long)
        count.missed += found != long
    return count


def _meaning(
    alias: str, full: dict[str, str], alike: dict[str, list[tuple[float, str]]], by_letter: dict[str, list[str]]
) -> str | None:
    key = canonical_key(alias)
    if key in full:
        return full[key]
    if alike.get(key):
        return max(alike[key])[1]
    return likeliest_long_form(alias, by_letter[alias[:1].lower()])


def links(path: Path) -> Count:
    """A graph that knows each method by one of its two names, linked to the list that knows both."""
    terms = read_vocabulary(path, base=BASE)
    texts = [(term, Paper(alias)) for term in terms for alias in term.aliases[:1]]
    named = [(f"urn:{n}", _naming(paper)) for n, (_, paper) in enumerate(texts)]
    store, resolution = memory_store(graph_of(named)), resolve_entities(named)
    found = defaultdict(set)
    for each in align(store, terms, "pwc"):
        found[each.key].add(each.iri)
    count = Count()
    for number, (term, paper) in enumerate(texts):
        iris = found[resolution.keys[f"urn:{number}", paper.abstract]]
        count.add({term.iri}, iris if len(iris) == 1 else set())
    return count


def _naming(paper: Paper) -> Extraction:
    mention = Mention(0, len(paper.abstract), EntityType.METHOD, paper.abstract)
    return Extraction(paper, mentions=(mention,))


def near_pairs() -> float:
    """The share of the near pairs that are told right."""
    scorer = load_scorer()
    pairs = list(read_pairs(ROOT / "tests" / "identity" / "pairs.tsv"))
    judged = [(p.one.key == p.other.key or scorer.judge(p.one, p.other).same) == p.same for p in pairs]
    print(f"near pairs: {sum(judged) / len(judged):.3f} of {len(judged)}")
    return sum(judged) / len(judged)


def main(data: Path) -> None:
    """Print all figures."""
    scier = [
        *read_scier(data / "scier/PLM/train_reconstructed.jsonl"),
        *read_scier(data / "scier/PLM/dev.jsonl"),
        *read_scier(data / "scier/PLM/test.jsonl"),
    ]
    scierc = {name: list(_lines(data / f"scierc/processed_json/{name}.json")) for name in ("train", "dev", "test")}
    own = [each for name in ("train", "dev", "test") for each in read_own(ROOT / f"kg/train/data/{name}.jsonl")]
    counts = {
        "SciER": acronyms(scier),
        "SciERC": scierc_acronyms([each for split in scierc.values() for each in split]),
        "own abstracts": acronyms(own),
    }
    total = Count()
    for name, count in counts.items():
        print(f"acronyms, {name}: {count}")
        total = Count(total.right + count.right, total.wrong + count.wrong, total.missed + count.missed)
    print(f"acronyms, the three together: {total}")
    print(f"acronyms, other fields: {other_fields()}")
    methods = data / "pwc/pwc_methods.tsv"
    for name, split in scierc.items():
        print("SciERC {}, named mentions, B³: P {:.3f}  R {:.3f}  F1 {:.3f}".format(name, *b_cubed(split)))
    print(f"Papers with Code, alias to full name by its letters alone: {aliases(methods)}")
    print(f"Papers with Code, an entity named by the alias, linked to the list: {links(methods)}")
    near_pairs()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
