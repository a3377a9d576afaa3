"""What share of the abstracts in real files arrives whole; each file's abstracts are found by other means.

python benchmarks/bench_formats.py ../shared/data/formats
"""

from __future__ import annotations

import csv
import html
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kg.read import read_papers
from kg.records import Paper


def squashed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def of_tagged(text: str) -> list[str]:
    """RIS and Web of Science: the lines of AB or else N2, up to the next tag."""
    records = re.split(r"^(?:ER\b(?! then)|PT J).*$", text, flags=re.MULTILINE)
    found = []
    gap = "  -" if "TY  -" in text else "(?: |$)"
    for record in records:
        for tag in ("AB", "N2"):
            part = re.search(rf"^{tag}(?:  -)? (.*(?:\n(?![A-Z][A-Z0-9]{gap}).*)*)", record, re.MULTILINE)
            if part and part[1].strip():
                found.append(part[1])
                break
    return found


def of_json(value: object) -> Iterator[str]:
    held = None if isinstance(value, list) else value.get("results") or value.get("data")
    records = value if isinstance(value, list) else held if isinstance(held, list) else [value]
    for record in records:
        data = record.get("data", record)
        content = data.get("content")
        index = data.get("abstract_inverted_index")
        if isinstance(content, dict):
            yield content["abstract"]["value"]
        elif index:
            words = {place: word for word, places in index.items() for place in places}
            yield " ".join(words[place] for place in sorted(words))
        elif text := data.get("abstract") or data.get("abstractNote"):
            yield html.unescape(re.sub(r"<[^<>]*>", "", text))


def abstracts(path: Path) -> list[str]:
    text = path.read_text("utf-8-sig")
    if path.suffix == ".json":
        return list(of_json(json.loads(text)))
    if path.suffix == ".bib":
        return re.findall(r"^abstract=\{(.*?)\},?$", text, re.MULTILINE | re.DOTALL)
    if path.suffix == ".csv":
        return [row["Abstract"] for row in csv.DictReader(text.splitlines(keepends=True)) if row["Abstract"]]
    if path.suffix == ".xml" and "<feed" in text:
        entries = re.findall(r"<entry>(.*?)</entry>", text, re.DOTALL)
        kept = (entry for entry in entries if "api/errors" not in entry)
        return [html.unescape(re.search(r"<summary[^>]*>(.*?)</summary>", e, re.DOTALL)[1]) for e in kept]
    if path.suffix == ".xml":
        parts = re.findall(r"<AbstractText(?: Label=\"(\w+)\")?[^>]*>(.*?)</AbstractText>", text, re.DOTALL)
        whole = " ".join(f"{label}: {re.sub(r'<[^<>]*>', '', part)}" for label, part in parts)
        return [html.unescape(whole)]
    return of_tagged(text)


def responses(path: Path) -> Iterator[str]:
    """The bodies of the answers in a recorded session of an API."""
    import yaml

    for interaction in yaml.safe_load(path.read_text())["interactions"]:
        response = interaction["response"]
        yield response.get("content") or response["body"]["string"]


def compare(path: Path, expected: list[str]) -> tuple[Counter[str], list[str]]:
    records = list(read_papers([path]))
    read = Counter(squashed(record.abstract) for record in records if isinstance(record, Paper))
    whole, lost = 0, []
    for text in expected:
        wanted = squashed(text)
        found = next((r for r in read if r and (r == wanted or is_notice(wanted, r))), None)
        if found is None:
            lost.append(text)
        else:
            read[found] -= 1
            read += Counter()
            whole += 1
    count = {"records": len(records), "with abstract": len(expected), "whole": whole, "papers": sum(read.values())}
    return Counter({**count, "papers": whole + sum(read.values())}), lost


def is_notice(wanted: str, read: str) -> bool:
    return wanted.startswith(read) and re.match(r"©|\([cC]\)", wanted[len(read) :]) is not None


def main(folder: Path) -> None:
    total: Counter[str] = Counter()
    print(f"{'file':58} {'records':>8} {'abstract':>8} {'whole':>6} {'papers':>6}")
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".bib", ".ris", ".xml", ".json", ".csv", ".txt", ".yaml"} or "LICENSE" in path.name:
            continue
        cases = [(path, abstracts(path))] if path.suffix != ".yaml" else []
        with tempfile.TemporaryDirectory() as scratch:
            for number, body in enumerate(responses(path) if path.suffix == ".yaml" else ()):
                answer = Path(scratch) / f"{number}.json"
                answer.write_text(body)
                cases.append((answer, abstracts(answer)))
            count: Counter[str] = Counter()
            for case in cases:
                part, lost = compare(*case)
                count.update(part)
                for text in lost:
                    print("    lost:", text[:100])
        total.update(count)
        shown = [count[key] for key in ("records", "with abstract", "whole", "papers")]
        print(f"{path.relative_to(folder)!s:58} {shown[0]:8} {shown[1]:8} {shown[2]:6} {shown[3]:6}")
    print(dict(total), "share whole:", round(total["whole"] / total["with abstract"], 4))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
