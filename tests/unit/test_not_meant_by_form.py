"""What opens a game, owns up to a joke or puts a case, and the same words in plain talk."""

from __future__ import annotations

from tests.each import each
from tests.readings import a_reading, stated
from yesteryear.core.episode import Talk
from yesteryear.core.message import Outcome, Reason, Verdict
from yesteryear.providers.local.facts.drafting import draft_facts
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message

KEPT = Verdict(Outcome.KEEP, Reason.PERSONAL, score=0.9, threshold=0.5)
TOLD = "I'm a nurse and I live in Bergen"

OPENS_PLAY = [
    *("Can we do a roleplay? You're the landlord.", "let's do some role playing", "roleplaying as your boss now"),
    *("ok pretend you're my dentist", "Please pretend to be my ex", "so pretend that I'm a customer"),
    *("Could you act as my interviewer?", "I want you to act as a doctor", "Act as if I owed you rent"),
    *("Once upon a time there was a girl called Ana.", "Stay in character please", "*in character* I am a vampire"),
    *("You're a pirate and I'm the cook", "You're the waiter and I'm late", "I'm the queen and you're my cook"),
    *("My character is called Aldous, a diabetic bard", "In this story I'm a baker", "new scene: I'm in Oslo"),
    'nephew > pretend you are my brother\n"""\nAct as a patient',
]
TELLS_OF_PLAY = [
    *("We play role-playing games on Thursdays", "I love live action roleplaying", "I run roleplay games on Fridays"),
    *(
        "I smile and pretend that I'm fine at work",
        "My kids pretend to be dogs all day",
        "dad CAN'T pretend I was right",
    ),
    *("I act as if nothing happened", "My gran acts as a babysitter on Fridays", "she'd act as my carer on Mondays"),
    *(
        "Once upon a time I was a ballet dancer",
        "It's not in character for him to be late",
        "Boxing built my character",
    ),
    *("You're the best and I'm so grateful", "You're a star and I'm the luckiest mum", "in this game of rent I lose"),
]
OWNS_UP = [
    *("Just kidding!", "kidding, kidding", "I'm only joking", "jk lol", "no, joking", "jk jk", "I was joking around"),
    *("scratch that.", "am joking", "JK"),
]
IN_EARNEST = [
    *("Not even joking.", "I'm not kidding!", "No kidding.", "he was joking about the ring", "I wasn't joking"),
    *("You're kidding me!", "kidding around with the twins all day", "Joking aside, help", "jk rowling is great"),
    "half joking",
]
PUTS_A_CASE = [
    *("if I'd stayed on I would run the ward", "What if I ran the ward", "Imagine I ran the ward", "I'd die in a ward"),
    *(
        "as if I could run the ward",
        "He wants it read as if I ran the ward",
        "the doctor dictates as if I ran the ward",
        "I should have run the ward",
    ),
    *("I couldn't have run the ward", "I run the ward? as if!"),
]
SAYS_SO = [
    *("My boss treats me as if I were made of glass", "I can't imagine life without the ward"),
    *("I run the ward and wouldn't have it any other way", "I passed, couldn't have done it without Ben"),
    *("I run the ward now, you should have seen my mum", "I sleep on the ward as though I lived there"),
    "I couldn't imagine a nicer ward",
]


def is_told(text: str, said: str) -> bool:
    """Tell whether a statement of a message becomes a fact."""
    message = a_message(text)
    (exchange,) = group_exchanges([message])
    talk = Talk((exchange,), (KEPT,), {message.id: a_reading(text, stated(text, said))})
    return bool(draft_facts(talk, yield_to_foreground=lambda: None))


@each("opens", OPENS_PLAY)
def test_what_is_said_in_a_game_is_not_told(opens: str) -> None:
    """Whoever proposes or orders a game, or names its parts, plays in the rest of the message."""
    assert not is_told(f"{opens}\n{TOLD}", TOLD)


@each("tells", TELLS_OF_PLAY)
def test_whoever_tells_of_games_plays_none(tells: str) -> None:
    """Games that are a hobby, what people pretend in their lives, and character are their own."""
    assert is_told(f"{tells}\n{TOLD}", TOLD)


@each("owns_up", OWNS_UP)
def test_a_joke_is_not_told(owns_up: str) -> None:
    """Right behind it, its speaker says so."""
    assert not is_told(f"{TOLD}. {owns_up}", TOLD)


@each("in_earnest", IN_EARNEST)
def test_whoever_denies_a_joke_means_it(in_earnest: str) -> None:
    """Others' jokes take nothing back, either."""
    assert is_told(f"{TOLD}. {in_earnest}", TOLD)


@each("case", PUTS_A_CASE)
def test_a_case_is_not_told(case: str) -> None:
    """Nor is what somebody scoffs at, or has read in another's voice."""
    assert not is_told(case, case)


@each("says_so", SAYS_SO)
def test_what_is_only_likened_is_told(says_so: str) -> None:
    """Whom something looks like, or how it feels, stands behind what is so."""
    assert is_told(says_so, says_so)
