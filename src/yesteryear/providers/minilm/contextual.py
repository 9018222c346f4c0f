"""What a question and a message have in common, by how the message was read where it was said.

The embedder's vector of a message is of its words alone; the reader's tells what was meant after what had been said.
Two trained maps of 64 rows bring the vector of a question and the reader's of a message to where what answers is near.
"""

from __future__ import annotations

from functools import lru_cache

from yesteryear.core.reading import MessageReading
from yesteryear.core.vectors import CONTEXTUAL, Matrix, unit_rows
from yesteryear.providers.minilm.trained import TRAINED_MAPS, read_trained
from yesteryear.providers.minilm.weights import MODEL, READER

SAID, ASKED, ALWAYS = "said", "asked", "always"
"""Names of what was taught: the map of messages and that of questions, shape (64, 384), and what every question looks
for, shape (64,)."""


class MiniLMContextual:
    """The maps taught for the installed reader and for questions of the installed embedder."""

    name, asked_by = f"{CONTEXTUAL}1", MODEL

    def of_message(self, reading: MessageReading) -> Matrix | None:
        """Return shape (64,), of any length; None where something else has read the message."""
        if reading.vector is None or reading.reader != READER:
            return None
        vector: Matrix = _maps()[SAID] @ unit_rows(reading.vector)
        return vector

    def of_question(self, vector: Matrix) -> Matrix:
        """Return shape (64,), of any length."""
        maps = _maps()
        sought: Matrix = maps[ASKED] @ vector + maps[ALWAYS]
        return sought


@lru_cache(maxsize=1)
def _maps() -> dict[str, Matrix]:
    tensors, _ = read_trained(TRAINED_MAPS)
    return {name: tensors[name] for name in (SAID, ASKED, ALWAYS)}
