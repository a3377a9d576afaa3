from kg.errors import RecordError
from kg.train.annotations import agreement, compile_annotations, split_corpus
from kg.train.scores import Score

ABSTRACT = "SGDM and SGD are slow. We propose **Foo**, which beats SGD by 2%."
ITEM = {
    "n": 3, "id": "x:1", "title": "t", "abstract": ABSTRACT, "licence": "CC0-1.0", "source": "s",
    "sentences": [[0, 22], [23, len(ABSTRACT)]],
}  # fmt: skip
RAW = {
    "n": 3,
    "proposes": ["Foo"],
    "s": [
        {
            "i": 0, "role": "background", "m": [["M", "SGD"]],
            "claims": [{"kind": "Limitation", "about": ["SGD"], "whose": "prior"}],
        },
        {
            "i": 1, "role": "result", "m": [["M", "Foo"], ["M", "SGD"]], "rel": [["Foo", "comparedWith", "SGD"]],
            "claims": [
                {"kind": "Contribution", "about": ["Foo"], "clause": "We propose **Foo**"},
                {"kind": "Result", "subject": "Foo", "baseline": "SGD", "metric": "speed", "direction": "better",
                 "value": "2", "unit": "%"},
            ],
        },
    ],
}  # fmt: skip


def compiled():
    (abstract,) = compile_annotations([ITEM], {3: RAW})
    return abstract


def test_mentions_are_placed_as_whole_words_in_their_sentence():
    found = [(m["start"], ABSTRACT[m["start"] : m["end"]]) for m in compiled()["mentions"]]
    assert found == [(9, "SGD"), (36, "Foo"), (55, "SGD")]


def test_relations_and_proposals_point_to_mentions():
    assert compiled()["relations"] == [{"head": 1, "tail": 2, "type": "comparedWith"}]
    assert compiled()["proposes"] == [1]


def test_claims_keep_their_clause_and_all_slots():
    limitation, contribution, result = compiled()["claims"]
    assert limitation == {"kind": "Limitation", "start": 0, "end": 22, "about": [0], "whose": "prior"}
    assert ABSTRACT[contribution["start"] : contribution["end"]] == "We propose **Foo**"
    assert result["subject"] == 1
    assert result["baseline"] == 2
    assert result["metric"] == "speed"
    assert (result["direction"], result["value"], result["unit"]) == ("better", "2", "%")


def test_an_annotation_that_does_not_fit_is_reported_in_its_place():
    wrong = RAW | {"s": [RAW["s"][0] | {"m": [["M", "Adam"]]}, RAW["s"][1]]}
    (error,) = compile_annotations([ITEM], {3: wrong})
    assert isinstance(error, RecordError)
    assert "Adam" in str(error)


def test_splits_hold_every_abstract_once_and_mix_the_sources():
    abstracts = [{"id": str(n), "licence": "ab"[n % 2]} for n in range(300)]
    splits = split_corpus(abstracts)
    assert {name: len(group) for name, group in splits.items()} == {"train": 200, "dev": 40, "test": 60}
    assert sum(each["licence"] == "a" for each in splits["test"]) == 30
    assert sorted(each["id"] for group in splits.values() for each in group) == sorted(str(n) for n in range(300))
    assert split_corpus(abstracts[::-1]) == splits


def test_agreement_counts_what_both_passes_say():
    other = compiled()
    other["mentions"] = other["mentions"][:2]
    other["relations"] = []
    scores = agreement([compiled()], [other])
    assert scores["entities"] == Score(2, 2, 3)
    assert scores["relations"] == Score(0, 0, 1)
    assert scores["claims"] == Score(3, 3, 3)
