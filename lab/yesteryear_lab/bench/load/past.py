"""A long past, generated: talk with the shape of talk and no meaning, the same for the same seed on every machine.

Words come as often as in English, from a few dozen that say little to thousands of rare ones; a person and an assistant
take turns, in sessions with pauses between them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate, product
from math import log

import yesteryear

BUDGET = 1000  # tokens of the contexts that are asked for
WARM_UP_QUESTIONS = 20  # asked before what is measured, where indexes are to be warm
_LITTLE = """
    the I to and a you of it that in is was my for on we have with but so me this at be not do are just your they what
    all like out about up would get when there if from can or one had really them then more some as by her will how no
""".split()
"""Words that say little, most frequent first."""
_PLAIN = """
    time day work home week friend good people house family think night year make go take see want help need feel love
    start plan talk morning school job book food walk dinner run call move weekend trip car garden coffee doctor sister
    brother mother kitchen money music office meeting city train winter summer party birthday dog cat letter phone
    weather project team boss report exam class teacher paint picture photo story song game match ticket flight hotel
    beach lake river mountain forest bike road bridge market shop price gift dress shoes colour chair table window door
    roof floor lamp box bag key paper pencil computer screen bread soup salad cheese apple lemon onion rice tea wine
    water glass cup plate knife oven recipe salt sugar butter egg fish chicken cake sleep dream rest pain knee back
    tooth nurse medicine habit goal idea reason question answer problem choice change chance luck worry hope joy fear
    tired happy busy quiet early late new old small big cold warm long short strong open close begin finish learn teach
    write read draw sing dance cook clean repair build buy sell send bring keep lose find wait visit travel drive swim
""".split()
"""Words for what talk is about."""
_FIRST = """
    rain moon sun snow wind fire stone wood iron gold silver sand leaf grass corn apple pear plum rose oak pine ash elm
    bird wolf bear fox deer goose duck bee ant crab whale seal salt milk honey butter silk wool cotton paper glass brick
    clay tin copper coal oil gas steam spring autumn summer winter north south east west upper lower inner outer night
    day dawn dusk noon mid high low deep broad long short old new red blue green black white grey brown
""".split()
_SECOND = """
    field light stone water wood house yard gate wall road way side land hill ford bridge mill barn shed room hall stair
    bench board box case bag pot pan cup bowl plate knife wheel cart boat ship sail rope net hook trap cage nest wing
    tail foot hand head neck back bone skin hair coat cap shoe belt ring bell horn drum pipe song word book page line
    mark point spot ball stick rod pole post beam frame work man fellow child mate maker keeper watch guard trail bank
""".split()
"""Halves of rare words, such as "rainfield": nobody says them, and a model reads them in two pieces."""
_RANK_SHIFT, _RANK_POWER = 2.7, 1.2
"""Zipf and Mandelbrot: the word of rank r comes in proportion to (r + 2.7) ** -1.2. So half of all words say little,
and 14,000 words hold about 2,400 different ones; in the chats of LoCoMo it is half and about 1,650."""
_MIDDLE_LENGTH, _LENGTH_SPREAD = log(13), 0.6  # of the logarithm of how many words a message has
_WORDS = (3, 30)  # fewest and most of a message
_SENTENCE_WORDS = 9
_ENDS = (".", ".", ".", ".", "!", "?")
_SESSION_MESSAGES = (12, 17)  # so many make one episode
_REPLY_S = (15, 150)
_PAUSE_H = (3, 30)
_SESSIONS_OF_CONVERSATION = 10
_BEGIN = datetime(2024, 1, 1, 8, tzinfo=UTC)
_QUESTIONS = (
    "When did I first mention the {0} and the {1}?",
    "What did I decide about the {0} after the {1}?",
    "Who told me last week that the {0} would need a {1}?",
    "Which {0} did I like better than the {1}?",
    "How did it go with the {0} in May?",
    "What did you suggest for my {0} and the {1}?",
    "Where is the {0} now?",
    "Why was I so worried about the {0} and my {1}?",
)
"""With the words put in they have 13 tokens on average, as the questions of LoCoMo."""


@dataclass(frozen=True, slots=True)
class Past:
    """What one person and an assistant have said."""

    messages: tuple[Mapping[str, str], ...]  # as ``observe`` takes them, oldest first
    now: datetime  # a pause after the last of them; when questions are asked

    @property
    def last_conversation(self) -> str:
        """The conversation that was the last to go on."""
        return self.messages[-1]["conversation"]

    def question(self, number: int) -> str:
        """Return a question about something that was said; the same for the same number."""
        chance = random.Random(number)
        said = chance.choice(self.messages)["content"].lower().split()
        telling = [word for word in said if word not in _LITTLE and word.isalpha()]
        return chance.choice(_QUESTIONS).format(*chance.sample([*telling, *_PLAIN[:2]], k=2))

    def ask(self, memory: yesteryear.Memory, question: str) -> None:
        """Ask somebody's memory for a context, in the conversation that was the last to go on."""
        memory.context(question, conversation=self.last_conversation, budget=BUDGET, at=self.now)


def make_past(messages: int, *, seed: int) -> Past:
    """Return a past of so many messages."""
    chance = random.Random(seed)
    said = _Words(chance)
    made: list[Mapping[str, str]] = []
    at = _BEGIN
    session = 0
    while len(made) < messages:
        for turn in range(min(chance.randint(*_SESSION_MESSAGES), messages - len(made))):
            at += timedelta(seconds=chance.randint(*_REPLY_S))
            made.append(
                {
                    "content": said.message(),
                    "role": "assistant" if turn % 2 else "user",
                    "conversation": f"chat-{session // _SESSIONS_OF_CONVERSATION}",
                    "at": at.isoformat(),
                }
            )
        at += timedelta(hours=chance.randint(*_PAUSE_H))
        session += 1
    return Past(tuple(made), at)


class _Words:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        rare = ["".join(halves) for halves in product(_FIRST, _SECOND)]
        random.Random(0).shuffle(rare)  # which words are frequent does not depend on who speaks
        self._known = [*_LITTLE, *_PLAIN, *rare]
        self._weights = list(accumulate((rank + _RANK_SHIFT) ** -_RANK_POWER for rank, _ in enumerate(self._known, 1)))

    def message(self) -> str:
        """Return the next one."""
        shortest, longest = _WORDS
        length = int(self._chance.lognormvariate(_MIDDLE_LENGTH, _LENGTH_SPREAD))
        words = self._chance.choices(self._known, cum_weights=self._weights, k=max(shortest, min(longest, length)))
        return " ".join(self._sentences(words))

    def _sentences(self, words: list[str]) -> Iterator[str]:
        for start in range(0, len(words), _SENTENCE_WORDS):
            sentence = " ".join(words[start : start + _SENTENCE_WORDS])
            yield sentence[0].upper() + sentence[1:] + self._chance.choice(_ENDS)
