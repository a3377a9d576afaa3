"""What the files of a graph are called in its folder, and the one that tells what made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kg.errors import GraphError
from kg.folder import current

__all__ = ["MANIFEST", "PAGE", "TURTLE", "Manifest", "read_manifest"]

TURTLE, PAGE, MANIFEST = "graph.ttl", "graph.html", "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What made a graph: where its IRIs live, and the facts about program, extractor, papers and options."""

    base: str
    facts: Mapping[str, str]

    def text(self) -> str:
        """It as JSON."""
        return json.dumps({"program": "paperkg", "base": self.base, **self.facts}, indent=2) + "\n"

    def write(self, folder: Path) -> None:
        """Write it down in this folder."""
        (folder / MANIFEST).write_text(self.text(), encoding="utf-8")


def read_manifest(folder: Path) -> Manifest:
    """What made the graph in this folder. Raises GraphError where no build lies there."""
    try:
        told: dict[str, str] = json.loads(current(folder, MANIFEST).read_text(encoding="utf-8"))
        base = told.pop("base")
    except (OSError, ValueError, KeyError) as error:
        hint = "build one first: kg build INPUT... -o FOLDER"
        raise GraphError("no graph that kg build wrote lies here", where=str(folder), hint=hint) from error
    return Manifest(base, {name: value for name, value in told.items() if name != "program"})
