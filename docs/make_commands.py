"""Writes docs/commands.md from the help texts of the command line (`make docs`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from kg.cli import main
from kg.query import named_queries

OUT = Path(__file__).with_name("commands.md")


def document() -> str:
    """The page: every command with its help, then every named query with its parameters."""
    return "\n".join([*_commands(), *_queries()])


def _commands() -> Iterator[str]:
    context = click.Context(main, info_name="kg", **main.context_settings)
    yield "# Commands\n"
    yield "Made from the help texts by `make docs`; `kg COMMAND --help` prints the same.\n"
    for name in sorted(main.commands):
        command = main.commands[name]
        with click.Context(command, info_name=name, parent=context, max_content_width=100, terminal_width=100) as inner:
            yield f"## kg {name}\n\n```text\n{command.get_help(inner)}\n```\n"


def _queries() -> Iterator[str]:
    yield "# Named queries\n"
    for query in named_queries().values():
        options = "".join(
            f"\n- `--{parameter.name}`: {parameter.description}{' (optional)' * parameter.optional}"
            for parameter in query.parameters
        )
        yield f"## {query.name}\n\n{query.description}\n{options}\n"


if __name__ == "__main__":
    OUT.write_text(document(), encoding="utf-8")
