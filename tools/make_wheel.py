"""Build the wheel into ``dist``, with the embedding model inside where this machine has it installed.

The model is no part of the repository: it is laid beside the code while the wheel is built, and taken away again.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from yesteryear.providers.minilm.weights import cache_folder, find_model, packaged_folder, verify

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"


def main() -> int:
    """Build; return the exit code."""
    installed = find_model(cache_folder())
    shutil.rmtree(DIST, ignore_errors=True)
    try:
        if installed is None:
            print("the embedding model is not installed; the wheel goes without it")
        else:
            names = ["manifest.json", *verify(installed).sha256]
            packaged_folder().mkdir(exist_ok=True)
            for name in names:
                shutil.copyfile(installed / name, packaged_folder() / name)
        pip = [sys.executable, "-P", "-m", "pip"]
        done = subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", DIST, ROOT], check=False)
    finally:
        shutil.rmtree(packaged_folder(), ignore_errors=True)
    for wheel in DIST.glob("*.whl"):
        print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
