"""The wheel, installed elsewhere: a fresh environment, far from this folder."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from conftest import SEED

ROOT = SEED.parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)], check=True, capture_output=True
    )
    (made,) = out.glob("*.whl")
    return made


def test_the_wheel_holds_the_schemas_and_the_page_template(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        f"kg/schemas/{p.relative_to(ROOT / 'schemas')}"
        for p in (ROOT / "schemas").rglob("*.*")
        if p.suffix in (".ttl", ".rq", ".jsonld")
    }
    assert len(shipped) >= 11
    assert (
        shipped | {"kg/templates/graph.html", "kg/templates/graph.js", "kg/templates/graph.css", "kg/py.typed"} <= names
    )
    served = {
        f"kg/serve/{p.relative_to(ROOT / 'kg' / 'serve')}"
        for p in (ROOT / "kg" / "serve").rglob("*.*")
        if p.suffix in (".html", ".css", ".js", ".svg", ".txt")
    }
    assert len(served) >= 15
    assert served <= names
    assert not [name for name in names if name.startswith(("tests/", "examples/", "exports/"))]


def test_the_installed_wheel_builds_a_graph(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True)
    bin_folder = tmp_path / "venv" / "bin"
    subprocess.run([bin_folder / "pip", "install", "--quiet", wheel], check=True, cwd=tmp_path)
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    run = subprocess.run(
        [bin_folder / "kg", "build", SEED, "-o", "out"],
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
        check=True,
    )
    assert re.search(r"papers +19 ", run.stdout)
    asked = subprocess.run(
        [bin_folder / "kg", "query", "--list"], cwd=tmp_path, env=clean, capture_output=True, text=True, check=True
    )
    assert "methods-for-task" in asked.stdout
    checked = subprocess.run(
        [bin_folder / "kg", "validate", "-g", "out"],
        cwd=tmp_path,
        env=clean,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "valid" in checked.stdout
