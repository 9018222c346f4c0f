"""Patterns that processes of the tests take from each other are those that ``re`` makes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.startup.sitecustomize import FOLDER

KEEPING = """
import re, sys
from pathlib import Path
from tests.startup.sitecustomize import LONG, keep_patterns

folder = Path(sys.argv[1])
text = "(?P<who>ana|ben)" + "".join(f"|(?:word{n})" for n in range(LONG)) + "|[a-f\\u0430-\\u044f]+(?P<end>$)"
plain = re.compile(text, re.IGNORECASE | re.MULTILINE)
keep_patterns(folder, adds=True)
made, short = (re._compiler.compile(each, re.IGNORECASE | re.MULTILINE) for each in (text, "(ana)"))
assert len(list(folder.iterdir())) == 1
taken = re._compiler.compile(text, re.IGNORECASE | re.MULTILINE)
other = re._compiler.compile(text)
assert len(list(folder.iterdir())) == 2
assert plain == made == taken != other
assert plain.groupindex == taken.groupindex and plain.flags == taken.flags != other.flags
assert taken.fullmatch("BEN")["who"] == "BEN" and other.fullmatch("BEN") is None
"""


def test_what_is_taken_is_what_would_have_been_made(tmp_path: Path) -> None:
    """With its groups and flags; of another text or other flags nothing is taken, and nothing short is kept."""
    root = Path(__file__).parents[2]
    env = {name: value for name, value in os.environ.items() if name != FOLDER}
    done = subprocess.run([sys.executable, "-c", KEEPING, str(tmp_path)], cwd=root, env=env, check=False)
    assert done.returncode == 0
