"""What is left of an episode once its words are gone: sentences of its digest, each by whom it was said."""

from __future__ import annotations

import re
from typing import NamedTuple

from yesteryear.core.episode import Digest
from yesteryear.core.language.fingerprints import fingerprint
from yesteryear.core.language.sentences import split_sentences

_SPEAKER = re.compile(r"([^\W\d_][^\s:]*(?: [^\s:]+){0,3}): (?=\S)")


class GistLine(NamedTuple):
    """One sentence that is left."""

    text: str
    speaker: str
    """Who said it, or what else stood before a colon; empty where nothing did."""


def gist_lines(digest: Digest) -> list[GistLine]:
    """Return the sentences of a digest's summary, key points and decisions, each once, in this order.

    A sentence that begins with up to four words and a colon is taken to be theirs who are named there, and so are those
    behind it in the same text up to the next such name; whoever knows who spoke can tell a name from a note.
    """
    lines: dict[int, GistLine] = {}
    for told in (digest.summary, *digest.key_points, *digest.decisions):
        speaker = ""
        for sentence in split_sentences(told):
            named = _SPEAKER.match(sentence)
            speaker = named[1] if named else speaker
            text = sentence[named.end() :] if named else sentence
            lines.setdefault(fingerprint(text), GistLine(text, speaker))
    return list(lines.values())
