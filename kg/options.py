"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

__all__ = ["folder_option", "graph_option", "making_options"]


def _graph_option(meaning: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        "-g", "--graph", default="exports", show_default=True, type=click.Path(path_type=Path), help=meaning
    )


graph_option = _graph_option("A folder that kg build wrote, or an RDF file.")
folder_option = _graph_option("A folder that kg build wrote.")


def making_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a command that reads papers into a graph."""
    for option in (
        click.option(
            "--cache/--no-cache",
            default=True,
            show_default=True,
            help="Keep what was read in extractions.sqlite in the folder, and do not read it again.",
        ),
        click.option("--format", "form", help="Format of the inputs (kg formats lists them). [default: by content]"),
        click.option("--workers", type=click.IntRange(1), help="Processes that extract. [default: one for each core]"),
    ):
        command = option(command)
    return command
