"""The documents say what the program does: every command is in them, and every example of the README runs."""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from click.testing import CliRunner
from conftest import SEED

import kg
from kg.cli import main

ROOT = SEED.parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXAMPLES = [line for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]
COMMANDS = [line.removeprefix("$ ") for line in EXAMPLES if line.startswith("$ kg ")]


def test_the_page_of_commands_is_what_the_help_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    page = import_module("make_commands")
    assert page.OUT.read_text(encoding="utf-8") == page.document(), "run make docs"


@pytest.mark.parametrize("name", main.commands)
def test_every_command_has_help_and_an_example_in_the_readme(name: str) -> None:
    assert main.commands[name].help
    assert any(command.startswith(f"kg {name}") for command in COMMANDS) or f"`kg {name} " in README


def test_the_examples_of_the_readme_run_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("examples", "kg"):
        (tmp_path / name).symlink_to(ROOT / name)
    for command in COMMANDS:
        result = CliRunner().invoke(main, shlex.split(command)[1:])
        assert result.exit_code == 0, f"{command}: {result.output}"


def test_the_demo_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    demo = re.findall(r"^\t@?\$\(BIN\)/kg (.*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(demo) >= 4
    for command in demo:
        result = CliRunner().invoke(main, shlex.split(command))
        assert result.exit_code == 0, f"{command}: {result.output}"
        assert len(result.output.splitlines()) > 1, f"{command} shows nothing"


def test_the_python_example_of_the_readme_prints_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(example, {}, "README", "README.md", 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=sys.stdout.write)
    assert runner.summarize(verbose=False).failed == 0


MODULES = [
    *(module.name for module in iter_modules(kg.__path__)),
    *(f"serve.{module.name}" for module in iter_modules([f"{kg.__path__[0]}/serve"])),
]


@pytest.mark.parametrize("name", sorted(MODULES))
def test_the_examples_in_docstrings_print_what_they_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in ("__main__", "schemas", "train"):
        pytest.skip("a program, data, or a package that needs an extra")
    monkeypatch.chdir(ROOT)
    assert doctest.testmod(import_module(f"kg.{name}")).failed == 0


def test_no_link_within_the_documents_is_dead() -> None:
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
