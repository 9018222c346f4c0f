"""Look up known vulnerabilities of what is locked. Without a network there is nothing to look up, which is no failure.

Exit code 1 where a locked package has one; each is told with the version that mends it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

LOCK = Path(__file__).resolve().parents[1] / "requirements-dev.lock"
_TIMEOUT_S = 15
"""Most seconds for an answer about one package."""
_LONGEST_S = 180
"""Most seconds for all; a network that answers nothing must not hold up a build."""


def main() -> int:
    """Look up, tell, and return the exit code."""
    command = [sys.executable, "-P", "-m", "pip_audit", "--requirement", str(LOCK), "--disable-pip", "--require-hashes"]
    command += ["--format", "json", "--progress-spinner", "off", "--timeout", str(_TIMEOUT_S)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST_S, check=False)
    except subprocess.TimeoutExpired:
        return _skip(f"no answer within {_LONGEST_S} seconds")
    found = read_answer(done.stdout)
    if found is None:
        lines = done.stderr.strip().splitlines() or ["it said nothing"]
        return _skip(lines[-1][:200])
    weak = [package for package in found if package.get("vulns")]
    for package in weak:
        for vulnerability in package["vulns"]:
            mended = ", ".join(vulnerability["fix_versions"]) or "none yet"
            print(f"{package['name']} {package['version']}: {vulnerability['id']}, mended in: {mended}")
    print(f"{len(found)} locked packages looked up, {len(weak)} with known vulnerabilities")
    return int(bool(weak))


def read_answer(text: str) -> list[dict[str, Any]] | None:
    """Return what was found of each package, or None where it was not looked up."""
    try:
        found: list[dict[str, Any]] = json.loads(text)["dependencies"]
    except (ValueError, KeyError, TypeError):
        return None
    return found


def _skip(reason: str) -> int:
    print(f"SKIPPED: known vulnerabilities were not looked up ({reason}); run `make audit` where there is a network")
    return 0


if __name__ == "__main__":
    sys.exit(main())
