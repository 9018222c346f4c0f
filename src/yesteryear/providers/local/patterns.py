"""One way to write lists of phrases as patterns."""

from __future__ import annotations

import re


def any_of(listed: str) -> re.Pattern[str]:
    """Compile patterns divided by white space into one that matches any of them as whole words.

    ``_`` stands for a space. The text to search must have gone through ``lexicon.fold``.
    """
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrase.replace('_', ' ') for phrase in listed.split())})(?!\w)")
