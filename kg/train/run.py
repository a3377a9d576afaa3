"""From corpora to shipped weights, as a configuration file says: `kg train --config kg/train/config.toml`.

Every stage leaves its result in the work folder and is skipped when that is there, so a run that was stopped goes
on where it was.
"""

from __future__ import annotations

import json
import logging
import random
import tomllib
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from kg.errors import InputError
from kg.model import Settings, load_model
from kg.train.corpora import Corpora, read_corpora, read_plain
from kg.train.examples import Prepared, prepare
from kg.train.export import export_model, write_settings
from kg.train.loop import Plan, train
from kg.train.loss import Weights
from kg.train.network import Encoder, EncoderConfig, Network, load_minilm, minilm_folder
from kg.train.pretrain import Masking, pretrain
from kg.train.renaming import collect_names, read_term_lists, renamed
from kg.train.tune import DevText, calibrate, choose_biases, choose_floors
from kg.train.vocabulary import Vocabulary, count_pieces, prune

__all__ = ["Config", "read_config", "run"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Config:
    """A training run. Paths count from the folder of the configuration file."""

    data: Path
    """The published corpora, in the layout of the project's shared data."""
    own: Path
    """The project's own annotated abstracts."""
    work: Path
    """Checkpoints and logs."""
    weights: Path
    """Where the finished model goes."""
    plan: Plan
    masking: Masking = field(default_factory=Masking)
    pretraining: int = 1
    """Passes of masked-word training over the plain abstracts; 0 for none."""
    abstracts: int = 18_000
    """How many plain abstracts a pass reads."""
    fewest: int = 5
    """A word piece is kept if it occurs so often in the plain abstracts."""
    marker_layers: int = 2
    threads: int = 2


def read_config(path: Path) -> Config:
    """The configuration in a TOML file."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        paths = {name: path.parent / content.pop(name) for name in ("data", "own", "work", "weights")}
        plan = content.pop("plan", {})
        weights = Weights(**plan.pop("weights", {}))
        masking = Masking(**content.pop("masking", {}))
        return Config(**paths, plan=Plan(**plan, weights=weights), masking=masking, **content)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError("not a configuration of a training run", where=str(path), hint=str(error)) from error


def run(path: Path) -> Path:
    """Train, export and tune what the configuration at `path` describes; the folder of the finished model."""
    config = read_config(path)
    torch.set_num_threads(config.threads)
    corpora = read_corpora(config.data, config.own)
    vocabulary = _vocabulary(config)
    network = start_network(_encoder(config), vocabulary, config.marker_layers, seed=config.plan.seed)
    trained = _train(network, corpora, vocabulary, config)
    network.load_state_dict(torch.load(trained, weights_only=True))
    export_model(network, vocabulary.tokenizer, Settings(), config.weights)
    tune_model(config.weights, corpora)
    return config.weights


def _vocabulary(config: Config) -> Vocabulary:
    config.work.mkdir(parents=True, exist_ok=True)
    kept = config.work / "vocabulary.json"
    if not kept.exists():
        tokenizer = Tokenizer.from_file(str(minilm_folder() / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        texts = read_plain(config.data, config.own)
        kept.write_text(json.dumps(asdict(prune(tokenizer, count_pieces(texts, tokenizer), config.fewest))))
    content: dict[str, Any] = json.loads(kept.read_text())
    return Vocabulary(content["tokenizer"], tuple(content["origins"]))


def _encoder(config: Config) -> Encoder:
    """The encoder before fine-tuning, with the full vocabulary."""
    encoder = Encoder(EncoderConfig())
    load_minilm(encoder, minilm_folder())
    if config.pretraining:
        done = config.work / "pretrained" / "done"
        path = config.work / "pretrained" / "encoder.pt"
        if not done.exists():
            texts = list(islice(read_plain(config.data, config.own), config.abstracts))
            path = pretrain(texts, config.work / "pretrained", config.masking, passes=config.pretraining)
            done.touch()
        encoder.load_state_dict(torch.load(path, weights_only=True))
    return encoder


def start_network(encoder: Encoder, vocabulary: Vocabulary, marker_layers: int, *, seed: int = 1) -> Network:
    """A network with new heads around `encoder`, cut down to the pieces of `vocabulary`."""
    torch.manual_seed(seed)
    weights = encoder.state_dict()
    weights["words.weight"] = weights["words.weight"][list(vocabulary.origins)]
    config = replace(EncoderConfig(), pieces=len(vocabulary.origins))
    network = Network(config, marker_layers=marker_layers)
    network.encoder.load_state_dict(weights)
    network.start_markers()
    return network


def _train(network: Network, corpora: Corpora, vocabulary: Vocabulary, config: Config) -> Path:
    tokenizer = Tokenizer.from_str(vocabulary.tokenizer)
    chosen = {name: texts for name, texts in corpora.train.items() if name in config.plan.shares}
    train_texts = {name: [prepare(each, tokenizer) for each in texts] for name, texts in chosen.items()}
    dev_texts = {name: [prepare(each, tokenizer) for each in texts] for name, texts in corpora.dev.items()}
    names = collect_names(chain.from_iterable(chosen.values()), read_term_lists(config.data / "pwc"))

    def rewriting(text: Prepared, rng: random.Random) -> Prepared:
        return prepare(renamed(text.document, names, config.plan.renaming, rng), tokenizer)

    return train(network, train_texts, dev_texts, config.plan, config.work / "network", rewriting)


def tune_model(folder: Path, corpora: Corpora) -> None:
    """Choose biases, calibrate, and choose floors on the dev texts; rewrites the settings of the model in `folder`."""
    model = load_model(folder, threads=torch.get_num_threads())
    dev = [
        DevText(corpora.dev["scier"], 192),
        *(DevText(corpora.dev[name]) for name in ("own", "csabstruct") if name in corpora.dev),
    ]
    model.settings = choose_biases(model, dev[:2])
    model.settings, report = calibrate(model, dev)
    for name, calibration in report.items():
        log.info("calibration of %s: %s", name, calibration)
    write_settings(choose_floors(model, dev[:2]), folder)
