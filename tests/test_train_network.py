from collections import Counter
from itertools import product

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers  # noqa: E402

from kg.model import MARKS, PAIR_LABELS, PAIRS, READER, TAGS, WEIGHTS, PairLabel, Settings, load_model  # noqa: E402
from kg.records import EntityType, RelationType, Role  # noqa: E402
from kg.train.corpora import Document, Labels, Link, Span  # noqa: E402
from kg.train.evaluate import predicted  # noqa: E402
from kg.train.examples import collate, examples, prepare  # noqa: E402
from kg.train.export import export_model  # noqa: E402
from kg.train.loop import Plan, train  # noqa: E402
from kg.train.loss import Weights, joint_loss, partial_loss  # noqa: E402
from kg.train.network import EncoderConfig, Network  # noqa: E402
from kg.train.predict import predict  # noqa: E402
from kg.train.restore import restore_network  # noqa: E402
from kg.train.vocabulary import prune  # noqa: E402

M, T, D, X = EntityType
TEXT = "We use BERT for parsing. It beats GPT on SQuAD."
ALL = Labels(frozenset(EntityType), frozenset(RelationType), roles=True)
DOCUMENT = Document(
    "d",
    TEXT,
    ((0, 24), (25, 47)),
    (Span(7, 11, M), Span(16, 23, T), Span(34, 37, M), Span(41, 46, D)),
    (Link(0, 1, RelationType.USED_FOR), Link(2, 3, RelationType.EVALUATED_ON)),
    (Role.METHOD, Role.RESULT),
    ALL,
)


@pytest.fixture(scope="module")
def tokenizer():
    words = ["we", "use", "bert", "for", "pars", "##ing", "it", "beats", "gp", "##t", "on", "sq", "##uad", "."]
    letters = [mark + letter for letter in "abcdefghijklmnopqrstuvwxyz" for mark in ("", "##")]
    vocabulary = {piece: place for place, piece in enumerate([*MARKS, *words, *letters])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


@pytest.fixture
def network(tokenizer):
    torch.manual_seed(0)
    config = EncoderConfig(pieces=tokenizer.get_vocab_size(), positions=64, hidden=24, layers=3, heads=2, inner=32)
    made = Network(config, marker_layers=2)
    made.start_markers()
    return made.eval()


def only(document, tokenizer, longest=64):
    (example,) = examples(prepare(document, tokenizer), longest)
    return example


def tag(place, type_=None):
    return TAGS.index((place, type_))


def test_targets_of_a_full_annotation_allow_one_tag_a_word(tokenizer):
    example = only(DOCUMENT, tokenizer)
    assert (example.tags.sum(1) == 1).all()
    assert example.tags.argmax(1).tolist() == [
        *[tag("O")] * 2, tag("S", M), tag("O"), tag("S", T), *[tag("O")] * 3, tag("S", M), tag("O"), tag("S", D),
        tag("O"),
    ]  # fmt: skip


def test_types_that_a_corpus_does_not_annotate_stay_possible(tokenizer):
    document = Document("d", TEXT, DOCUMENT.sentences, DOCUMENT.mentions[1:2], annotates=Labels(frozenset({T, D})))
    example = only(document, tokenizer)
    assert example.tags[2, [tag("O"), tag("S", M), tag("B", X)]].all()
    assert not example.tags[2, tag("S", D)]
    assert example.tags[4].sum() == 1


def test_nothing_is_known_of_a_span_without_a_type(tokenizer):
    document = Document("d", TEXT, DOCUMENT.sentences, (Span(7, 11, None),), annotates=Labels(frozenset(EntityType)))
    example = only(document, tokenizer)
    assert example.tags[2].all()
    assert len(example.mentions) == 0


def test_pairs_stay_in_their_sentence_and_know_their_direction(tokenizer):
    example = only(DOCUMENT, tokenizer)
    assert example.pairs.tolist() == [[0, 1], [2, 3]]
    assert PAIR_LABELS[int(example.labels[0].argmax())] == PairLabel(RelationType.USED_FOR)
    turned = Document(
        "d", TEXT, DOCUMENT.sentences, (Span(16, 23, M), Span(34, 37, M), Span(7, 11, M)),
        (Link(0, 2, RelationType.PART_OF),), annotates=ALL,
    )  # fmt: skip
    turned = Document(
        "d", TEXT, turned.sentences, tuple(sorted(turned.mentions)), (Link(1, 0, RelationType.PART_OF),), annotates=ALL
    )
    assert PAIR_LABELS[int(only(turned, tokenizer).labels[0].argmax())] == PairLabel(RelationType.PART_OF, reverse=True)


def test_mentions_carry_their_pieces_and_sentence(tokenizer):
    assert only(DOCUMENT, tokenizer).mentions.tolist() == [[3, 3, 0, 0], [5, 6, 1, 0], [10, 11, 0, 1], [13, 14, 2, 1]]


def test_short_windows_split_between_sentences_and_lose_no_mention(tokenizer):
    prepared = prepare(DOCUMENT, tokenizer)
    first, second = examples(prepared, 12)
    assert len(first.mentions) == len(second.mentions) == 2
    assert [second.word, second.sentence] == [6, 1]


def test_a_loss_on_sets_is_zero_where_all_probability_is_allowed():
    scores = torch.tensor([[9.0, 9.0, -50.0], [0.0, 0.0, 0.0]])
    allowed = torch.tensor([[True, True, False], [True, True, True]])
    assert partial_loss(scores, allowed).item() == pytest.approx(0.0, abs=1e-5)


def test_a_corpus_of_roles_trains_no_other_head(network, tokenizer):
    document = Document("d", TEXT, DOCUMENT.sentences, roles=DOCUMENT.roles, annotates=Labels(roles=True))
    tags, relations, roles = joint_loss(network, collate([only(document, tokenizer)]), Weights())
    assert tags.item() == relations.item() == 0.0
    assert roles.item() > 0


def test_padding_does_not_change_what_the_network_says(network, tokenizer):
    prepared = prepare(DOCUMENT, tokenizer)
    short, long = next(iter(examples(prepared, 12))), only(DOCUMENT, tokenizer)
    with torch.no_grad():
        alone, padded = (collate(group) for group in ([short], [short, long]))
        one, two = (network(b.pieces, b.shapes, b.mask, b.firsts) for b in (alone, padded))
    count = len(short.firsts)
    torch.testing.assert_close(one.words[0, :count], two.words[0, :count], atol=1e-5, rtol=1e-4)


def test_types_forbid_relations_whatever_the_weights_say(network, tokenizer):
    batch = collate([only(DOCUMENT, tokenizer)])
    with torch.no_grad():
        states = network(batch.pieces, batch.shapes, batch.mask, batch.firsts)
        scores = network.relations(states, batch.mask, batch.mentions, batch.mention_mask, batch.pairs)
    possible = {label.type for label, score in zip(PAIR_LABELS, scores[0], strict=True) if label and score > -9000}
    assert possible == {RelationType.USED_FOR}


def test_onnx_says_what_torch_says(network, tokenizer, tmp_path):
    export_model(network, tokenizer.to_str(), Settings(longest=64), tmp_path, bits=32)
    model = load_model(tmp_path)
    (reading,) = model.read([TEXT], [DOCUMENT.sentences])
    (expected,) = predict(network, [prepare(DOCUMENT, tokenizer)], 64)
    found = predicted(DOCUMENT, reading)
    by_sentence = {(m.start, m.end, m.type) for m in expected.mentions}
    assert {(m.start, m.end, m.type) for m in found.mentions} == by_sentence
    assert len(reading.roles) == 2


def test_scores_of_onnx_and_torch_differ_by_rounding_alone(network, tokenizer, tmp_path):
    export_model(network, tokenizer.to_str(), Settings(longest=64), tmp_path, bits=32)
    batch = collate([only(DOCUMENT, tokenizer)])
    session = load_model(tmp_path)._reader
    inputs = {
        "pieces": batch.pieces.numpy(), "shapes": batch.shapes.numpy(), "mask": batch.mask.numpy(),
        "firsts": batch.firsts.numpy(), "sentences": batch.sentences.numpy(),
    }  # fmt: skip
    tags, roles, *_ = session.run(None, inputs)
    with torch.no_grad():
        states = network(batch.pieces, batch.shapes, batch.mask, batch.firsts)
        np.testing.assert_allclose(tags, network.tags(states.words).numpy(), atol=1e-4)
        np.testing.assert_allclose(roles, network.roles(states.words, batch.sentences).numpy(), atol=1e-4)


def test_eight_bits_stay_close_to_thirty_two(network, tokenizer, tmp_path):
    inputs = None
    made = []
    for bits in (32, 8):
        export_model(network, tokenizer.to_str(), Settings(longest=64), tmp_path / str(bits), bits=bits)
        batch = collate([only(DOCUMENT, tokenizer)])
        inputs = {
            "pieces": batch.pieces.numpy(), "shapes": batch.shapes.numpy(), "mask": batch.mask.numpy(),
            "firsts": batch.firsts.numpy(), "sentences": batch.sentences.numpy(),
        }  # fmt: skip
        made.append(load_model(tmp_path / str(bits))._reader.run(None, inputs)[0])
    assert np.abs(made[0] - made[1]).max() < 0.2 * np.abs(made[0]).max()


def test_no_two_products_in_eight_bits_share_weights(network, tokenizer, tmp_path):
    onnx = pytest.importorskip("onnx")
    export_model(network, tokenizer.to_str(), Settings(longest=64), tmp_path)
    for folder, name in product((tmp_path, WEIGHTS), (READER, PAIRS)):
        products = [node for node in onnx.load(str(folder / name)).graph.node if node.op_type == "MatMulInteger"]
        weights = [node.input[1] for node in products]
        assert len(weights) == len(set(weights)) > 0


def test_what_was_exported_in_eight_bits_comes_back_within_a_step_of_each_scale(network, tokenizer, tmp_path):
    for parameter in network.parameters():  # the exporter keeps equal tensors once
        torch.nn.init.normal_(parameter)
    weights = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    config = network.encoder.config
    export_model(network, tokenizer.to_str(), Settings(longest=64), tmp_path)
    restored = restore_network(tmp_path, config).state_dict()
    assert restored.keys() == weights.keys()
    for name, tensor in weights.items():
        assert (restored[name] - tensor).abs().max() <= tensor.abs().max() / 100, name


def test_training_learns_a_text_by_heart_and_resumes(network, tokenizer, tmp_path):
    prepared = [prepare(DOCUMENT, tokenizer)]
    plan = Plan(
        passes=25,
        shares={"own": 6.0},
        batch=128,
        rate=3e-3,
        head_rate=1e-2,
        averaging=0.5,
        longest=64,
        longest_abstract=64,
    )
    path = train(network, {"own": prepared}, {}, plan, tmp_path)
    network.load_state_dict(torch.load(path, weights_only=True))
    (found,) = predict(network, prepared, 64)
    assert [(m.start, m.end, m.type) for m in found.mentions] == [(m.start, m.end, m.type) for m in DOCUMENT.mentions]
    assert found.roles == DOCUMENT.roles
    before = path.stat().st_mtime_ns
    train(network, {"own": prepared}, {}, plan, tmp_path)
    assert path.stat().st_mtime_ns == before


def test_a_pruned_vocabulary_still_reads_every_word(tokenizer):
    counts = Counter({tokenizer.token_to_id("bert"): 9, tokenizer.token_to_id("use"): 4})
    vocabulary = prune(tokenizer, counts, 5)
    small = Tokenizer.from_str(vocabulary.tokenizer)
    assert small.encode("bert use", add_special_tokens=False).tokens == ["bert", "u", "##s", "##e"]
    assert [small.token_to_id(mark) for mark in MARKS] == list(range(5))
