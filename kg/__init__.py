"""paperkg: paper abstracts in, a knowledge graph with evidence for every edge out.

>>> import kg
>>> graph = kg.build("examples/iclr2025.txt")
>>> len(graph.query("SELECT ?paper { ?paper a kg:Paper }"))
19
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg._version import __version__

if TYPE_CHECKING:
    from kg.errors import (
        GraphError,
        InputError,
        KgError,
        ModelError,
        NameUnknownError,
        QueryError,
        RecordError,
    )
    from kg.library import Graph, build, load

__all__ = [
    "Graph",
    "GraphError",
    "InputError",
    "KgError",
    "ModelError",
    "NameUnknownError",
    "QueryError",
    "RecordError",
    "__version__",
    "build",
    "load",
]


def __getattr__(name: str) -> object:
    """The public names, imported when first used, so that `import kg` and `kg --help` answer at once."""
    if name not in __all__:
        raise AttributeError(f"module 'kg' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("kg.errors" if name.endswith("Error") else "kg.library"), name)
