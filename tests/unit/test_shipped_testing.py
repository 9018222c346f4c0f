"""What importing the shipped test help brings along."""

from __future__ import annotations

import subprocess
import sys


def test_only_the_conformance_suite_needs_pytest() -> None:
    """Builders can be used by programs that have no pytest."""
    script = "import sys, yesteryear.testing.builders; sys.exit('pytest' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
