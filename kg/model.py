"""The extractor at run time: word pieces, the network under onnxruntime, and decoding.

    model = load_model()
    (reading,) = model.read(["We propose SOAP."], [[(0, 16)]])

Nothing here needs torch. Training uses the same pieces, windows, tags and decoding, so that both see the same.
"""

from __future__ import annotations

import hashlib
import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from kg.errors import ModelError
from kg.records import DOMAIN_AND_RANGE, EntityType, RelationType, Role

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

__all__ = [
    "PAIR_LABELS",
    "SHAPE_COUNT",
    "TAGS",
    "FoundRelation",
    "FoundRole",
    "FoundSpan",
    "Model",
    "PairLabel",
    "Pieces",
    "Reading",
    "Settings",
    "Window",
    "allowed_pairs",
    "check_files",
    "decode_tags",
    "load_model",
    "overlapping_windows",
    "piece_shapes",
    "split_pieces",
    "windows",
]

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

WEIGHTS = Path(__file__).with_name("weights")
MANIFEST = "manifest.json"
READER, PAIRS, TOKENIZER, SETTINGS = "reader.onnx", "pairs.onnx", "tokenizer.json", "settings.json"
WORDS = "words.npy"

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The vocabulary's first pieces, in this order."""
PAD, UNK, CLS, SEP, MASK = range(len(MARKS))

SHAPE_COUNT = 16
"""Eight shapes, each without and with a space before the piece."""

TAGS: tuple[tuple[str, EntityType | None], ...] = (
    ("O", None),
    *((place, type_) for type_ in EntityType for place in ("B", "I", "E", "S")),
)
"""What a word can be: outside, or the begin, inside, end or single word of a mention of some type."""


@dataclass(frozen=True, slots=True)
class PairLabel:
    """A relation between the earlier and the later of two mentions; `reverse`: the later one is the head."""

    type: RelationType
    reverse: bool = False


SYMMETRIC = frozenset({RelationType.COMPARED_WITH, RelationType.SAME_ENTITY})

PAIR_LABELS: tuple[PairLabel | None, ...] = (
    None,
    *(
        PairLabel(type_, reverse)
        for type_ in RelationType
        for reverse in (False, True)
        if not (reverse and type_ in SYMMETRIC)
    ),
)
"""What a pair of mentions can be; the first is "no relation"."""


def piece_shape(text: str) -> int:
    """The shape of a word piece, 0 to 7; it tells the uncased encoder what lower-casing lost.

    >>> [piece_shape(piece) for piece in ("", "loss", "Deep", "BERT", "X", "iPad", "42", "-")]
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    if not text:
        return 0
    if text.isdigit():
        return 6
    if not any(character.isalpha() for character in text):
        return 7
    if text == text.lower():
        return 1
    if text == text.upper():
        return 3 if len(text) > 1 else 4
    return 2 if text[1:] == text[1:].lower() else 5


def piece_shapes(text: str, offsets: Sequence[tuple[int, int]]) -> list[int]:
    """The shape of each piece of `text`; 8 is added where white space or nothing stands before it."""
    return [
        piece_shape(text[start:end]) + 8 * (start < end and (start == 0 or text[start - 1].isspace()))
        for start, end in offsets
    ]


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as word pieces, without marks for its beginning and end.

    `words` are the character spans of its words (runs of letters and digits, or single marks), and word k has the
    pieces `firsts[k]` up to `firsts[k + 1]`; `sentences` are spans of words.
    """

    ids: tuple[int, ...]
    shapes: tuple[int, ...]
    firsts: tuple[int, ...]
    words: tuple[tuple[int, int], ...]
    sentences: tuple[tuple[int, int], ...]

    def length(self, first: int, last: int) -> int:
        """How many pieces the words from `first` up to `last` have."""
        return self.firsts[last] - self.firsts[first]


def split_pieces(text: str, sentences: Sequence[tuple[int, int]], tokenizer: Tokenizer) -> Pieces:
    """`text` as word pieces; every word belongs to the sentence in which it begins, or to none."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    firsts: list[int] = []
    words: list[tuple[int, int]] = []
    known: int | None = -1
    for place, (word, (start, end)) in enumerate(zip(encoding.word_ids, encoding.offsets, strict=True)):
        if word != known:
            firsts.append(place)
            words.append((start, end))
            known = word
        else:
            words[-1] = (words[-1][0], end)
    shapes = piece_shapes(text, encoding.offsets)
    starts = [start for start, _ in words]
    spans = [(bisect_left(starts, start), bisect_left(starts, end)) for start, end in sentences]
    return Pieces(tuple(encoding.ids), tuple(shapes), (*firsts, len(encoding.ids)), tuple(words), tuple(spans))


def windows(pieces: Pieces, longest: int, *, first: int | None = None) -> Iterator[tuple[int, int]]:
    """Runs of whole sentences, as spans of `pieces.sentences`, of at most `longest` pieces each.

    The first run has at most `first` pieces. A sentence longer than `longest` makes a run of its own.
    """
    start, limit = 0, longest
    if first is not None:
        limit = first
    for end in range(1, len(pieces.sentences) + 1):
        last = pieces.sentences[end - 1][1]
        if end - start > 1 and pieces.length(pieces.sentences[start][0], last) > limit:
            yield start, end - 1
            start, limit = end - 1, longest
    if start < len(pieces.sentences):
        yield start, len(pieces.sentences)


def allowed_pairs() -> Bools:
    """Which labels a pair of mentions may have, (types, types, labels): the earlier's type, then the later's."""
    types = list(EntityType)
    allowed = np.zeros((len(types), len(types), len(PAIR_LABELS)), dtype=bool)
    allowed[:, :, 0] = True
    for number, label in enumerate(PAIR_LABELS):
        for head, tail in DOMAIN_AND_RANGE[label.type] if label is not None else ():
            first, second = (tail, head) if label is not None and label.reverse else (head, tail)
            allowed[types.index(first), types.index(second), number] = True
    return allowed


def _tag_steps() -> Floats:
    """What a step from one tag to the next costs, (tags, tags): 0 or minus infinity."""
    opens = [place in "BI" for place, _ in TAGS]
    steps = np.full((len(TAGS), len(TAGS)), -np.inf, dtype=np.float32)
    for here, (_, type_) in enumerate(TAGS):
        for there, (place, other) in enumerate(TAGS):
            if opens[here] == (place in "IE") and (not opens[here] or type_ == other):
                steps[here, there] = 0.0
    return steps


_STEPS = _tag_steps()
_STARTS = np.array([-np.inf if place in "IE" else 0.0 for place, _ in TAGS], dtype=np.float32)
_ENDS = np.array([-np.inf if place in "BI" else 0.0 for place, _ in TAGS], dtype=np.float32)


def decode_tags(scores: Floats) -> list[tuple[int, int, EntityType]]:
    """The mentions of the likeliest well-formed tagging of `scores` (words, tags), as spans of words.

    Viterbi, with the begin, inside, end and single tags forced into whole mentions.
    """
    if not len(scores):
        return []
    best, back = scores[0] + _STARTS, []
    for row in scores[1:]:
        paths = best[:, None] + _STEPS
        back.append(paths.argmax(0))
        best = paths.max(0) + row
    tag = int((best + _ENDS).argmax())
    tags = [tag]
    for pointers in reversed(back):
        tag = int(pointers[tag])
        tags.append(tag)
    return _spans(tags[::-1])


def _spans(tags: Sequence[int]) -> list[tuple[int, int, EntityType]]:
    spans, start = [], 0
    for place, tag in enumerate(tags):
        mark, type_ = TAGS[tag]
        if mark in "BS":
            start = place
        if mark in "ES" and type_ is not None:
            spans.append((start, place + 1, type_))
    return spans


@dataclass(frozen=True, slots=True)
class Window:
    """The words from `first` up to `last`, read at once; results count for the words from `own` up to `end`."""

    first: int
    last: int
    own: int
    end: int


def overlapping_windows(pieces: Pieces, longest: int, *, overlap: float = 0.25) -> Iterator[Window]:
    """Windows of at most `longest` pieces in which every word of a sentence counts exactly once.

    A window after the first begins with whole sentences of the one before, at most the share `overlap` of its
    length, as context. A sentence that is too long itself is cut into overlapping parts.
    """
    room = longest - int(longest * overlap)
    for start, end in windows(pieces, longest if _fits(pieces, longest) else room):
        own, last = pieces.sentences[start][0], pieces.sentences[end - 1][1]
        if pieces.length(own, last) > longest:
            yield from _parts(pieces, own, last, longest, overlap)
            continue
        before = start
        while before > 0 and pieces.length(pieces.sentences[before - 1][0], last) <= longest:
            before -= 1
        yield Window(pieces.sentences[before][0], last, own, last)


def _fits(pieces: Pieces, longest: int) -> bool:
    return not pieces.sentences or pieces.length(pieces.sentences[0][0], pieces.sentences[-1][1]) <= longest


def _parts(pieces: Pieces, first: int, last: int, longest: int, overlap: float) -> Iterator[Window]:
    """Parts of one long sentence; half of what two parts share counts in each."""
    own = start = first
    while start < last:
        end = start + 1
        while end < last and pieces.length(start, end + 1) <= longest:
            end += 1
        margin = int((end - start) * overlap / 2) if end < last else 0
        yield Window(start, end, own, end - margin)
        own = end - margin
        start = end if end == last else max(start + 1, own - margin)


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A mention in a text; `confidence` is the calibrated probability that it is right."""

    start: int
    end: int
    type: EntityType
    confidence: float


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation between the spans at the places `head` and `tail` of a reading; symmetric ones stand once."""

    head: int
    tail: int
    type: RelationType
    confidence: float


@dataclass(frozen=True, slots=True)
class FoundRole:
    """The role of a sentence."""

    role: Role
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model reads in one text; `roles` has one entry for each sentence that was given."""

    spans: tuple[FoundSpan, ...] = ()
    relations: tuple[FoundRelation, ...] = ()
    roles: tuple[FoundRole, ...] = ()
    vectors: Floats = field(default_factory=lambda: np.zeros((0, 0), np.float32), compare=False, repr=False)
    """(spans, hidden): the mean of each span's last states, to compare mentions by."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What was tuned on the dev splits, kept beside the weights in settings.json."""

    longest: int = 384
    """Word pieces in a window, its two marks included."""
    outside: float = 0.0
    """Added to the score of "no mention"."""
    least: float = 0.0
    """The probability below which a mention is left out, before it is calibrated."""
    unrelated: float = 0.0
    """Added to the score of "no relation"."""
    doubt: float = 0.0
    """Share of minus the log of two mentions' probability that is added to the score of "no relation" between them."""
    related: tuple[float, ...] = ()
    """Added to the scores of the relations, one for each in the order of `RelationType`; none is as many zeros."""
    alone: float = 0.0
    """The confidence below which a mention is left out, unless it is in a relation."""
    mentions: tuple[float, float] = (1.0, 0.0)
    """Slope and shift of the log odds of a mention (Platt scaling); so are the next two."""
    relations: tuple[float, float] = (1.0, 0.0)
    roles: tuple[float, float] = (1.0, 0.0)


def calibrated(probability: float, scale: tuple[float, float]) -> float:
    """The probability whose log odds are slope * log odds + shift.

    >>> round(calibrated(0.5, (1.0, math.log(3))), 2)
    0.75
    """
    safe = min(max(probability, 1e-6), 1 - 1e-6)
    odds = scale[0] * math.log(safe / (1 - safe)) + scale[1]
    return 1 / (1 + math.exp(-odds))


def check_files(folder: Path) -> str:
    """The hash of the model in `folder`, after each file was found there and has the hash that the manifest says."""
    hint = "install paperkg again, or train it with `kg train`"
    try:
        manifest: dict[str, str] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            "the list of the model's files cannot be read", where=str(folder / MANIFEST), hint=hint
        ) from error
    for name, expected in manifest.items():
        path = folder / name
        if not path.is_file():
            raise ModelError("a file of the model is missing", where=str(path), hint=hint)
        found = hashlib.sha256(path.read_bytes()).hexdigest()
        if found != expected:
            fault = f"a file of the model is damaged: its SHA-256 is {found[:12]}…, not {expected[:12]}…"
            raise ModelError(fault, where=str(path), hint=hint)
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def load_model(path: Path | None = None, *, threads: int = 1) -> Model:
    """The model in the folder `path`, by default the one shipped in the package; its files are checked first."""
    folder = path or WEIGHTS
    digest = check_files(folder)
    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        content = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        settings = _settings(content)
        sessions = [_session(folder / name, threads) for name in (READER, PAIRS)]
    except Exception as error:
        raise ModelError("the model cannot be loaded", where=str(folder), hint=str(error)) from error
    return Model(sessions[0], sessions[1], tokenizer, settings, digest)


def _settings(content: dict[str, Any]) -> Settings:
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in content.items()}
    return Settings(**values)


def _session(path: Path, threads: int) -> InferenceSession:
    from onnxruntime import InferenceSession, SessionOptions

    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry(*EXACT)
    return InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


EXACT = ("session.x64quantprecision", "1")
"""Sums of 8-bit products are exact on every processor. Without this, those that lack VNNI let them saturate at 16 bits
and read an abstract otherwise than others do, and worse; with it, they lose a fifth of their speed."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One window of one text."""

    text: int
    pieces: Pieces
    window: Window
    sentences: tuple[int, ...]
    """The places, in the text, of the sentences that lie in the window."""

    @property
    def length(self) -> int:
        return self.pieces.length(self.window.first, self.window.last) + 2

    def span(self, sentence: int) -> tuple[int, int]:
        """The words of a sentence, counted in the window."""
        first, last = self.pieces.sentences[sentence]
        return max(0, first - self.window.first), min(last, self.window.last) - self.window.first


@dataclass(slots=True)
class _Draft:
    """A reading in the making: spans of words with their probability, and the rest as in a reading."""

    spans: list[tuple[int, int, EntityType, float]]
    relations: list[tuple[int, int, RelationType, float]]
    roles: dict[int, tuple[int, float]]
    vectors: list[Floats]


class Model:
    """The extractor: an encoder with tag and role heads, and a relation head, each an onnxruntime session."""

    def __init__(
        self,
        reader: InferenceSession,
        pairs: InferenceSession,
        tokenizer: Tokenizer,
        settings: Settings,
        digest: str,
    ) -> None:
        self._reader = reader
        self._pairs = pairs
        self._tokenizer = tokenizer
        self.settings = settings
        self.digest = digest
        """A hash of all files of the model."""

    def read(
        self,
        texts: Sequence[str],
        sentences: Sequence[Sequence[tuple[int, int]]],
        *,
        batch: int = 1,
        longest: int | None = None,
    ) -> list[Reading]:
        """What each text says; `sentences` are the character spans of its sentences.

        Windows of like length are read together while they hold at most `batch` pieces. The 8-bit weights scale by
        all that is read together, so only a window that is read alone, as by default, gives the same in any company;
        on a CPU it takes no longer. A text that is longer than `longest` pieces, by default as in the settings, is
        read in overlapping windows and joined.
        """
        room = (longest or self.settings.longest) - 2
        split = [split_pieces(text, spans, self._tokenizer) for text, spans in zip(texts, sentences, strict=True)]
        tasks = [task for text, pieces in enumerate(split) for task in _tasks(text, pieces, room)]
        drafts = [_Draft([], [], {}, []) for _ in texts]
        for group in _grouped(tasks, batch):
            self._read(group, drafts)
        return [
            self._reading(draft, pieces, len(spans))
            for draft, pieces, spans in zip(drafts, split, sentences, strict=True)
        ]

    def _read(self, tasks: Sequence[_Task], drafts: Sequence[_Draft]) -> None:
        """Read the windows of `tasks` and add what they say to `drafts`."""
        inputs = _inputs(tasks)
        tags, roles, top, *below = self._reader.run(None, inputs)
        tags[..., 0] += self.settings.outside
        found = [self._spans(task, _softmax(tags[row])) for row, task in enumerate(tasks)]
        relations = self._relations(tasks, found, inputs["mask"], [top, *below])
        for row, task in enumerate(tasks):
            draft = drafts[task.text]
            self._add_roles(task, _softmax(roles[row]), draft)
            kept = [
                k
                for k, span in enumerate(found[row])
                if task.window.own <= span[0] + task.window.first < task.window.end
            ]
            places = {k: len(draft.spans) + number for number, k in enumerate(kept)}
            for k in kept:
                first, last, type_, probability = found[row][k]
                draft.spans.append((first + task.window.first, last + task.window.first, type_, probability))
                start, end = _piece_span(task, first, last)
                draft.vectors.append(top[row, start : end + 1].mean(0))
            draft.relations += [
                (places[head], places[tail], type_, probability)
                for head, tail, type_, probability in relations[row]
                if head in places and tail in places
            ]

    def _spans(self, task: _Task, chances: Floats) -> list[tuple[int, int, EntityType, float]]:
        """The mentions of each sentence in the window, with the least probability of their words' tags."""
        spans = []
        for sentence in task.sentences:
            first, last = task.span(sentence)
            for start, end, type_ in decode_tags(np.log(chances[first:last] + 1e-9)):
                chance = _span_chance(chances[first + start : first + end], type_)
                if chance >= self.settings.least:
                    spans.append((first + start, first + end, type_, chance))
        return spans

    def _add_roles(self, task: _Task, chances: Floats, draft: _Draft) -> None:
        for number, sentence in enumerate(task.sentences):
            if task.window.own <= max(task.pieces.sentences[sentence][0], task.window.first) < task.window.end:
                best = int(chances[number].argmax())
                draft.roles.setdefault(sentence, (best, float(chances[number, best])))

    def _relations(
        self,
        tasks: Sequence[_Task],
        found: Sequence[Sequence[tuple[int, int, EntityType, float]]],
        mask: Bools,
        states: Sequence[Floats],
    ) -> list[list[tuple[int, int, RelationType, float]]]:
        """The relations of each window, between places in its list of mentions."""
        relations: list[list[tuple[int, int, RelationType, float]]] = [[] for _ in tasks]
        placed = [_placed(task, spans) for task, spans in zip(tasks, found, strict=True)]
        pairs = [
            (row, one, other)
            for row, mentions in enumerate(placed)
            for one in range(len(mentions))
            for other in range(one + 1, len(mentions))
            if mentions[one][3] == mentions[other][3]
        ]
        if not pairs:
            return relations
        scores = self._score_pairs(placed, pairs, mask, states)
        both = np.array([found[row][one][3] * found[row][other][3] for row, one, other in pairs])
        chances = _softmax(scores + self._pair_biases(both))
        best = chances.argmax(-1).tolist()
        for (row, one, other), label, chance in zip(pairs, best, chances.max(-1) * both, strict=True):
            named = PAIR_LABELS[label]
            if named is not None:
                head, tail = (other, one) if named.reverse else (one, other)
                relations[row].append((head, tail, named.type, float(chance)))
        return relations

    def _pair_biases(self, both: NDArray[np.floating[Any]]) -> Floats:
        """What the settings add to the scores of pairs, (pairs, labels), whose mentions have the probability `both`."""
        added = dict(zip(RelationType, self.settings.related, strict=False))
        biases = np.array([0.0 if label is None else added.get(label.type, 0.0) for label in PAIR_LABELS])
        rows: Floats = np.tile(biases, (len(both), 1)).astype(np.float32)
        rows[:, 0] += self.settings.unrelated - self.settings.doubt * np.log(both + 1e-9)
        return rows

    def _score_pairs(
        self,
        placed: Sequence[Sequence[tuple[int, int, int, int]]],
        pairs: Sequence[tuple[int, int, int]],
        mask: Bools,
        states: Sequence[Floats],
    ) -> Floats:
        most = max(map(len, placed))
        mentions = np.zeros((len(placed), most, 4), dtype=np.int64)
        mention_mask = np.zeros((len(placed), most), dtype=bool)
        for row, places in enumerate(placed):
            if places:
                mentions[row, : len(places)] = places
                mention_mask[row, : len(places)] = True
        names = [value.name for value in self._pairs.get_inputs()]
        given: dict[str, Any] = {"mask": mask, "mentions": mentions, "mention_mask": mention_mask}
        given |= {"pairs": np.array(pairs, dtype=np.int64), "top": states[0]}
        given |= {f"below{number}": state for number, state in enumerate(states[1:])}
        scores: Floats = self._pairs.run(None, {name: given[name] for name in names})[0]
        return scores

    def _reading(self, draft: _Draft, pieces: Pieces, sentences: int) -> Reading:
        """The draft in text order, in characters and with calibrated confidences."""
        sure = [calibrated(probability, self.settings.mentions) for *_, probability in draft.spans]
        related = {end for head, tail, *_ in draft.relations for end in (head, tail)}
        kept = (number for number, chance in enumerate(sure) if chance >= self.settings.alone or number in related)
        order = sorted(kept, key=lambda number: draft.spans[number][:2])
        places = {old: new for new, old in enumerate(order)}
        spans = tuple(
            FoundSpan(pieces.words[first][0], pieces.words[last - 1][1], type_, sure[number])
            for number in order
            for first, last, type_, _ in [draft.spans[number]]
        )
        relations = tuple(
            FoundRelation(places[head], places[tail], type_, calibrated(probability, self.settings.relations))
            for head, tail, type_, probability in sorted(draft.relations)
        )
        roles = tuple(self._role(draft.roles.get(number)) for number in range(sentences))
        vectors = np.array([draft.vectors[number] for number in order], dtype=np.float32)
        return Reading(spans, relations, roles, vectors)

    def _role(self, found: tuple[int, float] | None) -> FoundRole:
        if found is None:  # a sentence without a word
            return FoundRole(Role.OTHER, 0.0)
        return FoundRole(list(Role)[found[0]], calibrated(found[1], self.settings.roles))


def _tasks(text: int, pieces: Pieces, longest: int) -> Iterator[_Task]:
    for window in overlapping_windows(pieces, longest):
        inside = tuple(
            number
            for number, (first, last) in enumerate(pieces.sentences)
            if first < last and first < window.last and last > window.first
        )
        if inside:
            yield _Task(text, pieces, window, inside)


def _grouped(tasks: Sequence[_Task], size: int) -> Iterator[list[_Task]]:
    """The tasks in batches of like length, of at most `size` pieces where one task alone does not have more."""
    group: list[_Task] = []
    for task in sorted(tasks, key=lambda task: task.length):
        if group and task.length * (len(group) + 1) > size:
            yield group
            group = []
        group.append(task)
    if group:
        yield group


def _inputs(tasks: Sequence[_Task]) -> dict[str, NDArray[Any]]:
    """What the reader's graph wants: pieces, shapes, mask, firsts and sentences of each window, padded."""
    longest = max(task.length for task in tasks)
    words = max(task.window.last - task.window.first for task in tasks)
    most = max(len(task.sentences) for task in tasks)
    pieces, shapes = (np.zeros((len(tasks), longest), dtype=np.int64) for _ in range(2))
    mask = np.zeros((len(tasks), longest), dtype=bool)
    firsts = np.zeros((len(tasks), words), dtype=np.int64)
    sentences = np.zeros((len(tasks), most, 2), dtype=np.int64)
    for row, task in enumerate(tasks):
        first, last = task.window.first, task.window.last
        start, end = task.pieces.firsts[first], task.pieces.firsts[last]
        pieces[row, : task.length] = (CLS, *task.pieces.ids[start:end], SEP)
        shapes[row, 1 : task.length - 1] = task.pieces.shapes[start:end]
        mask[row, : task.length] = True
        firsts[row, : last - first] = np.array(task.pieces.firsts[first:last]) - start + 1
        sentences[row, : len(task.sentences)] = [task.span(sentence) for sentence in task.sentences]
    return {"pieces": pieces, "shapes": shapes, "mask": mask, "firsts": firsts, "sentences": sentences}


def _piece_span(task: _Task, first: int, last: int) -> tuple[int, int]:
    """The first and the last piece of the words from `first` up to `last` of a window."""
    firsts, base = task.pieces.firsts, task.window.first
    return firsts[base + first] - firsts[base] + 1, firsts[base + last] - firsts[base]


def _placed(task: _Task, spans: Sequence[tuple[int, int, EntityType, float]]) -> list[tuple[int, int, int, int]]:
    """Each mention's first piece, last piece, type and sentence."""
    types = list(EntityType)
    ends = [task.span(sentence)[1] for sentence in task.sentences]
    homes = [bisect_right(ends, first) for first, *_ in spans]
    return [
        (*_piece_span(task, first, last), types.index(type_), home)
        for (first, last, type_, _), home in zip(spans, homes, strict=True)
    ]


def _span_chance(words: Floats, type_: EntityType) -> float:
    """The least probability, over a mention's words (words, tags), of the tag that each has in it."""
    marks = ["S"] if len(words) == 1 else ["B", *["I"] * (len(words) - 2), "E"]
    return min(float(row[TAGS.index((mark, type_))]) for row, mark in zip(words, marks, strict=True))


def _softmax(scores: Floats) -> Floats:
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    chances: Floats = (powers / powers.sum(-1, keepdims=True)).astype(np.float32)
    return chances
