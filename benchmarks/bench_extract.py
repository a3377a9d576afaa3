"""How many abstracts a second the extractor reads, and a BERT-base-sized encoder in 32 bit beside it.

    python benchmarks/bench_extract.py ABSTRACTS.jsonl [--count 200] [--processes 2] [--no-large]

Each process reads its part with one thread. The large encoder has random weights, which do for timing, and reads the
same pieces in the same batches; it needs torch and the train extra once, to be written as a graph.
"""

import argparse
import gzip
import json
import multiprocessing
import tempfile
import time
from collections import deque
from pathlib import Path

import numpy as np

import kg.extract
import kg.pool
from kg.clean import clean
from kg.model import _grouped, _inputs, _session, _tasks, load_model, split_pieces
from kg.records import Paper
from kg.sentences import split_sentences


def read_abstracts(path, count):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as lines:
        texts = [json.loads(line)["abstract"] for line, _ in zip(lines, range(count), strict=False)]
    return [clean(text).text for text in texts]


def large_encoder(folder):
    """BERT-base in 32 bit: 12 layers of 768, as an ONNX graph of pieces and mask."""
    import torch

    from kg.train.network import Encoder, EncoderConfig

    config = EncoderConfig(hidden=768, layers=12, heads=12, inner=3072)
    path = folder / "large.onnx"
    inputs = (
        torch.ones(2, 8, dtype=torch.long),
        torch.ones(2, 8, dtype=torch.long),
        torch.ones(2, 8, dtype=torch.bool),
    )
    names = ["pieces", "shapes", "mask"]
    axes = {name: {0: "b", 1: "n"} for name in [*names, "top"]}
    encoder = Encoder(config).eval()
    torch.onnx.export(
        encoder,
        inputs,
        str(path),
        input_names=names,
        output_names=["top"],
        dynamic_axes=axes,
        dynamo=False,
        opset_version=17,
    )
    return path


def time_ours(texts, batch, ready, out):
    model = load_model(threads=1)
    model.read(texts[:4], [list(split_sentences(text)) for text in texts[:4]])
    ready.wait()
    start = time.perf_counter()
    model.read(texts, [list(split_sentences(text)) for text in texts], batch=batch)
    out.put(time.perf_counter() - start)


def time_large(path, texts, batch, ready, out):
    model = load_model(threads=1)
    session = _session(path, 1)
    ready.wait()
    start = time.perf_counter()
    split = [split_pieces(text, list(split_sentences(text)), model._tokenizer) for text in texts]
    tasks = [task for number, pieces in enumerate(split) for task in _tasks(number, pieces, 382)]
    for group in _grouped(tasks, batch):
        inputs = _inputs(group)
        session.run(None, {name: inputs[name] for name in ("pieces", "shapes", "mask")})
    out.put(time.perf_counter() - start)


def measure(target, texts, processes, make_args):
    context = multiprocessing.get_context("spawn")
    ready, out = context.Barrier(processes), context.Queue()
    workers = [
        context.Process(target=target, args=(*make_args(texts[k::processes]), ready, out)) for k in range(processes)
    ]
    for worker in workers:
        worker.start()
    taken = [out.get() for _ in workers]
    for worker in workers:
        worker.join()
    return len(texts) / max(taken)


def claims_share(texts):
    """The share of the time of extraction that finding the claims takes: measured with that step and without it."""
    papers = [Paper(text) for text in texts]
    find_claims = kg.extract.find_claims
    deque(kg.pool.extract(papers[:4]), maxlen=0)
    taken = {}
    for step, find in (("with", find_claims), ("without", lambda *_: ())):
        kg.extract.find_claims = find
        start = time.perf_counter()
        deque(kg.pool.extract(papers), maxlen=0)
        taken[step] = time.perf_counter() - start
    kg.extract.find_claims = find_claims
    return 1 - taken["without"] / taken["with"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--batch", type=int, default=768, help="word pieces read at once")
    parser.add_argument("--no-large", action="store_true")
    given = parser.parse_args()
    texts = read_abstracts(given.abstracts, given.count)
    ours = measure(time_ours, texts, given.processes, lambda part: (part, given.batch))
    print(
        f"{len(texts)} abstracts of {np.mean([len(t.split()) for t in texts]):.0f} words, {given.processes} processes"
    )
    print(f"ours, all heads, 8 bit:        {ours:6.1f} abstracts/s")
    print(f"claims: {claims_share(texts):.1%} of the time of extraction, one process")
    if not given.no_large:
        with tempfile.TemporaryDirectory() as place:
            path = large_encoder(Path(place))
            some = texts[: max(16, len(texts) // 5)]
            large = measure(time_large, some, given.processes, lambda part: (path, part, given.batch))
        print(f"BERT-base encoder alone, 32 bit: {large:4.1f} abstracts/s; ours is {ours / large:.1f} times as fast")


if __name__ == "__main__":
    main()
