"""The development set-up is one that was tried: every version and hash of it is written down."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import util
from types import ModuleType

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.architecture.tree import ROOT
from tests.each import each

LOCK = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
LOCKED = dict(re.findall(r"^([a-z0-9-]+)==(\S+) \\\n    --hash=sha256:[0-9a-f]{64}$", LOCK, re.MULTILINE))


def tool(name: str) -> ModuleType:
    """Return one of the tools, which are no package."""
    spec = util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_b25_every_requirement_is_locked_with_a_hash() -> None:
    """Else two set-ups of the same commit differ, and whoever takes over a package takes over ours."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    wanted += project["project"]["optional-dependencies"]["server"]
    named = [Requirement(text) for text in wanted]
    outside = [needed for needed in named if canonicalize_name(needed.name) != "yesteryear"]
    assert len(outside) > 30
    missing = [str(needed) for needed in outside if canonicalize_name(needed.name) not in LOCKED]
    assert missing == [], "run: make lock"
    assert [str(needed) for needed in outside if LOCKED[canonicalize_name(needed.name)] not in needed.specifier] == []


def test_b25_the_lock_names_neither_an_index_nor_a_place() -> None:
    """It has to do for everybody who has the files; and nothing large comes in by the way."""
    lines = [line for line in LOCK.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9-]+==\S+ \\|    --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    assert "torch" not in LOCKED


def test_b25_a_lock_for_another_python_is_left_aside() -> None:
    """The hashes are of files for one Python on one platform; elsewhere the set-up says that it goes on without."""
    lock = tool("dev_lock")
    assert re.fullmatch(r"\w+ 3\.\d+, \S+", lock.locked_for(LOCK))
    assert lock.locked_for("# For: CPython 3.99, plan9-vax\n") != lock.here()


def test_b25_without_a_network_known_vulnerabilities_are_skipped_and_not_failed() -> None:
    """A build must not depend on a server elsewhere; that nothing was looked up is said plainly."""
    look = tool("known_vulnerabilities")
    assert look.read_answer("") is None
    assert look.read_answer("ERROR: no route") is None
    assert look.read_answer('{"dependencies": [{"name": "a", "version": "1", "vulns": []}], "fixes": []}') is not None


@each("command", ["demo", "serve", "model"])
def test_a01_a_demo_sets_up_the_product_and_nothing_else(command: str) -> None:
    """Whoever wants to see it should not have to wait for a gigabyte of what it is developed with."""
    done = subprocess.run(
        ["make", "-n", "-B", command, "PYTHON=" + sys.executable], cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "install --editable" in done.stdout
    assert "dev" not in done.stdout.replace(str(ROOT), "").replace("/dev/null", "")
