"""What must not decide a test: somebody's settings, how wide their terminal is, how busy their machine."""

from __future__ import annotations

import os

from hypothesis import settings

for name in [name for name in os.environ if name.startswith("YESTERYEAR_") or name in ("COLUMNS", "LINES")]:
    del os.environ[name]

# A time limit for each example would fail on a busy machine and nowhere else. `make test-all` looks for new examples.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.load_profile("steady")
