"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["graph_option"]

graph_option = click.option(
    "-g",
    "--graph",
    default="exports",
    show_default=True,
    type=click.Path(path_type=Path),
    help="A folder that kg build wrote, or an RDF file.",
)
