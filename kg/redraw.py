"""The page of a graph after a change, for :mod:`kg.drawing`.

Before the order comes, the process loads the program, reads the page as it was, and asks the graph what will be needed.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyoxigraph import RdfFormat, Store, Triple, parse

from kg._version import __version__
from kg.errors import GraphError
from kg.folder import current
from kg.manifest import PAGE, read_manifest
from kg.panel import Earlier, read_page, touched_by
from kg.selection import NOTHING_KNOWN, Known, Partners
from kg.store import load_graph
from kg.view import render_html

__all__ = ["main"]


def main() -> None:
    """Read which folder from the command line, the order from standard input, and write the page to standard output."""
    gc.disable()  # to look for cycles among all that a page holds takes long, and the process ends soon
    folder = Path(sys.argv[1])
    page = read_page(current(folder, PAGE)) if _is_ours(folder) else None
    before = _known(folder, page) if page else NOTHING_KNOWN
    order = sys.stdin.buffer.read()
    if not order:
        return  # nothing changes, or the one who would give the order has ended
    place, removed, added = map(Path, json.loads(order))
    store = Store.read_only(str(place))
    lost, gained = _triples(removed), _triples(added)
    earlier = Earlier(page, before, lost, gained, touched_by(store, lost | gained)) if page else None
    sys.stdout.buffer.write(render_html(store, earlier=earlier).encode())


def _known(folder: Path, page: Mapping[str, Any]) -> Known:
    """What the graph in the folder tells of the nodes on its page and of those next to them."""
    partners = Partners(*page["partners"]) if page["partners"] else Partners(0, {})
    shown = (node["id"] for node in page["nodes"] if node["type"] != "Paper")
    return Known.of(load_graph(folder), partners, shown)


def _is_ours(folder: Path) -> bool:
    """Whether this version of the program wrote the page in the folder."""
    try:
        return read_manifest(folder).facts.get("version") == __version__
    except GraphError:
        return False


def _triples(path: Path) -> frozenset[Triple]:
    return frozenset(quad.triple for quad in parse(path=str(path), format=RdfFormat.N_TRIPLES))


if __name__ == "__main__":
    main()
