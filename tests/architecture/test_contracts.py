"""Who may import whom: the contracts hold, and they bite."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.tree import LABORATORY, PACKAGE, ROOT, package

pytestmark = pytest.mark.sampled

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]

WRONG_IMPORTS = {
    "core knows a stage": ("core/scope.py", "import yesteryear.recall.signals", "Layers point inward"),
    "a stage knows another": ("recall/signals.py", "import yesteryear.remember.gate", "Layers point inward"),
    "a step knows a database": ("lifecycle/drain.py", "import yesteryear.storage.sqlite.store", "Layers point inward"),
    "a store knows a policy": ("storage/rows.py", "import yesteryear.remember.journal", "Adapters know ports"),
    "a provider knows the engine's settings": (
        "providers/clock.py",
        "import yesteryear.config.settings",
        "Only bootstrap",
    ),
    "a store knows another": (
        "storage/sqlite/store.py",
        "import yesteryear.storage.postgres.store",
        "Stores know neither",
    ),
    "a provider knows another": ("providers/hashing.py", "import yesteryear.providers.minilm.weights", "Providers do"),
    "a policy asks for the time": ("remember/segment.py", "import time", "Policies and core touch nothing"),
    "a policy reads the store": ("remember/gate.py", "import yesteryear.ports", "Policies and core touch nothing"),
    "core runs a model": ("core/vectors.py", "import onnxruntime", "Policies and core touch nothing"),
    "a step knows the event loop": ("remember/make_episodes.py", "import asyncio", "Only memory/calls.py knows"),
    "the worker reads settings": (
        "worker.py",
        "import yesteryear.config.settings",
        "Only bootstrap and the command line",
    ),
    "a benchmark cheats": (
        "../../lab/yesteryear_lab/bench/load/talk.py",
        "import yesteryear.storage.sqlite.store",
        "Benchmarks see what users see",
    ),
    "a module without a layer": ("surprise.py", "", "Layers point inward"),
}
"""What is wrong, the file it is put into, the line, and how the name of the contract begins that must find it."""


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the package below ``folder``."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    return subprocess.run(
        [*command, "--no-cache", "--config", str(folder / "pyproject.toml")],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder / 'lab'}",
            "NO_COLOR": "1",
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def copy_of_package(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package, to be spoiled."""
    ignore = shutil.ignore_patterns("__pycache__", "weights")
    shutil.copytree(PACKAGE, tmp_path / "src" / "yesteryear", ignore=ignore)
    shutil.copytree(LABORATORY, tmp_path / "lab" / "yesteryear_lab", ignore=ignore)
    shutil.copyfile(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    return tmp_path


def test_the_contracts_are_kept() -> None:
    """Imports point inward everywhere."""
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken" in done.stdout


@pytest.mark.parametrize("what", WRONG_IMPORTS)
def test_a_wrong_import_is_found(what: str, copy_of_package: Path) -> None:
    """A contract that finds nothing is no contract."""
    file, line, contract = WRONG_IMPORTS[what]
    path = copy_of_package / "src" / "yesteryear" / file
    text = path.read_text(encoding="utf-8") if path.exists() else '"""A new module."""\n'
    path.write_text(f"{text}\n{line}\n", encoding="utf-8")
    done = lint_imports(copy_of_package)
    assert done.returncode != 0
    broken = [line for line in done.stdout.splitlines() if " BROKEN" in line]
    if file == "surprise.py":
        assert "yesteryear.surprise" in done.stdout + done.stderr
    else:
        assert any(name.startswith(contract) for name in broken), done.stdout + done.stderr


def test_every_file_of_a_stage_is_a_step_or_a_pure_policy() -> None:
    """A file that is neither has escaped the contract on policies; a file that is both breaks it."""
    pure = next(contract["source_modules"] for contract in CONTRACTS if contract["id"] == "pure-policies")
    for source in package():
        stage, _, file = source.name.partition("/")
        if stage not in ("remember", "recall") or file == "__init__.py":
            continue
        name = f"yesteryear.{stage}.{file.removesuffix('.py').replace('/', '.')}"
        is_step = source.text.startswith('"""STEP: ')
        assert is_step != (name in pure), f"{source.name} should say STEP in its first line, or be held to purity"
