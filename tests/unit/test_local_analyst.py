"""The analyst that works by rules."""

from __future__ import annotations

from dataclasses import replace

from tests.each import each
from tests.talks import a_conversation
from yesteryear.core.episode import Digest, Talk, UserState
from yesteryear.core.language.token_estimate import estimate_tokens
from yesteryear.core.message import Message, Outcome, Reason, Role, Verdict
from yesteryear.providers.local.analyst import LocalAnalyst
from yesteryear.remember.segment import group_exchanges
from yesteryear.testing.builders import a_message

KEPT = Verdict(Outcome.KEEP, Reason.PERSONAL, score=0.9, threshold=0.5)
UNSURE = Verdict(Outcome.UNSURE, Reason.PERSONAL, score=0.6, threshold=0.5)

BAKERY = (
    "hi! so my bakery in Porto opens on 4 May, and the oven still isn't here",
    "How exciting! Who delivers the oven?",
    "a firm in Braga. they promised it for Monday, now they say it is on hold until the customs papers arrive",
    "Customs can take a while. Do you have a second supplier?",
    "no. my brother Rui says I should rent one from the pastry school",
    "Renting would keep your date. What does it cost?",
    "340 euros a month. I've decided: we rent from the school until June",
    "Good plan. Anything else open?",
    "the flour! I only use rye from Trás-os-Montes, and the miller retires this summer. honestly I'm worried sick",
    "That is a loss. Could he name a successor?",
    "maybe his daughter. I'll ask her on Sunday after church",
    "She may be glad of a regular customer.",
)


def digest(*messages: Message, verdicts: dict[int, Verdict] | None = None) -> Digest:
    """Return what the analyst makes of messages, all kept unless a verdict says otherwise."""
    exchanges = tuple(group_exchanges(messages))
    judged = tuple((verdicts or {}).get(position, KEPT) for position in range(len(exchanges)))
    return LocalAnalyst().digest(Talk(exchanges, judged), yield_to_foreground=lambda: None)


def say(*texts: str) -> Digest:
    """Return what the analyst makes of one person's notes."""
    return digest(*(a_message(text, seq=seq) for seq, text in enumerate(texts, 1)))


def test_a_summary_has_a_hundred_to_a_hundred_and_fifty_tokens() -> None:
    """There is that much to say here, and it says who speaks."""
    summary = digest(*a_conversation(*BAKERY)).summary
    assert 100 <= estimate_tokens(summary) <= 150
    assert summary.startswith("Ana: ")


def test_a_summary_tells_the_users_news_in_their_words() -> None:
    """Decisions, dates and obstacles come before what the assistant said."""
    summary = digest(*a_conversation(*BAKERY)).summary
    assert "my bakery in Porto opens on 4 May" in summary
    assert "we rent from the school until June" in summary
    assert "That is a loss" not in summary


def test_a_short_talk_is_told_whole() -> None:
    """Nothing is added where little was said."""
    assert say("I moved my runs to the morning").summary == "Ana: I moved my runs to the morning."


def test_a_person_without_a_name_needs_none_in_the_summary() -> None:
    """Where the author is only a role and speaks alone, the role is left out."""
    spoken = a_message("I moved my runs to the morning.", author="user")
    assert digest(spoken).summary == "I moved my runs to the morning."


def test_two_people_are_told_apart() -> None:
    """Each change of speaker is marked, so that nobody's "I" is taken for another's."""
    lines = [
        ("Ana", "I passed my driving test yesterday!"),
        ("Ben", "I failed mine twice."),
        ("Ana", "My brother Tom taught me."),
    ]
    summary = digest(*a_conversation(*lines)).summary
    assert (
        summary == "Ana: I passed my driving test yesterday! Ben: I failed mine twice. Ana: My brother Tom taught me."
    )


def test_code_and_pasted_text_are_left_out() -> None:
    """What somebody pastes is not what they say."""
    pasted = "```py\nfor x in range(3):\n    print(x)\n```"
    quote = '"The committee regrets to inform you that the post has been filled. We keep your papers."'
    found = say(
        f"my script for the thesis fails again\n{pasted}", f"and the university wrote {quote} so I am out of work"
    )
    assert "print" not in found.summary
    assert "committee" not in found.summary
    assert "my script for the thesis fails again" in found.summary


def test_the_same_words_are_told_once() -> None:
    """Repetition adds nothing."""
    assert say(*["I sold the boat in May."] * 4).summary == "Ana: I sold the boat in May."


def test_what_is_put_right_is_told_with_what_does_so() -> None:
    """In the message or the next; it is not told twice."""
    assert say("My rent is 421 a month.", "412. not 421. I am tired").summary == (
        "Ana: My rent is 421 a month. 412. not 421. I am tired."
    )
    assert say("The party's on the 3rd. Actually, the 4th.").key_points == (
        "The party's on the 3rd. Actually, the 4th.",
    )


def test_key_points_are_the_users_statements() -> None:
    """At most five, none of them a question or the assistant's."""
    points = digest(*a_conversation(*BAKERY)).key_points
    assert 3 <= len(points) <= 5
    assert not any(point.endswith("?") for point in points)
    assert all(point.rstrip(".") in " ".join(BAKERY[::2]) for point in points)


def test_the_topic_is_a_brief_title_in_the_users_words() -> None:
    """A reader sees at once what it was about."""
    topic = digest(*a_conversation(*BAKERY)).topic
    assert 5 <= len(topic) <= 60
    assert "bakery" in topic.casefold() or "oven" in topic.casefold()


@each(
    "decision",
    [
        "From tomorrow I run at lunch instead, that's settled",
        "I've decided to keep the flat",
        "we're going with the blue tiles",
        "No more coffee after six",
        "I gave notice this morning",
    ],
)
def test_decisions_are_found(decision: str) -> None:
    """What somebody settled is named as they said it."""
    assert decision in say("The week was long.", decision).decisions


@each(
    "undecided",
    [
        "I haven't decided about the flat",
        "maybe we'll go with the blue tiles",
        "should I quit my job?",
        "imagine I quit and became a pirate, that's settled",
        "they decided to close the road",
    ],
)
def test_what_is_open_or_imagined_is_no_decision(undecided: str) -> None:
    """Weighing, asking and inventing decide nothing."""
    assert say(undecided).decisions == ()


def test_a_bare_decision_is_shown_with_what_it_decides() -> None:
    """The word alone says nothing, so its sentence comes along."""
    assert say("First of December I stop smoking. Decided.").decisions == (
        "First of December I stop smoking. Decided.",
    )


@each(
    ("text", "emotion"),
    [
        ("I'm so proud, I did it on my own", "pride"),
        ("phew, the scan was benign, such a relief", "relief"),
        ("I'm terrified, my hands are shaking", "fear"),
        ("I miss him, I cried all night", "sadness"),
        ("I'm furious, he lied to me", "anger"),
        ("nothing works, I'm fed up with this printer", "frustration"),
        ("I'm so worried about the exam I can't sleep", "anxiety"),
        ("I'm grateful, thank you for listening", "gratitude"),
        ("best day ever, I can't stop smiling 🥳", "joy"),
    ],
)
def test_feelings_are_named(text: str, emotion: str) -> None:
    """The strongest comes first."""
    assert say(text).emotions[0] == emotion


def test_a_negated_feeling_is_not_named() -> None:
    """Who is not afraid shows no fear, and plain talk shows nothing."""
    assert "fear" not in say("I'm not afraid of the dentist").emotions
    assert say("The meeting is at nine in room four").emotions == ()


def test_the_assistants_feelings_do_not_count() -> None:
    """Only the person's own words tell how they feel."""
    assert digest(*a_conversation("the bus comes at nine", "How sad! I am so sorry, terrified even.")).emotions == ()


@each(
    ("texts", "state"),
    [
        (("I'm stuck, I don't know how to start", "I keep rewriting page one, nothing works"), UserState.STUCK),
        (("the permit is on hold, they won't sign", "still waiting for the inspector"), UserState.BLOCKED),
        (("I passed! we did it", "champagne and cake tonight"), UserState.CELEBRATING),
        (("it's getting better, halfway through now", "up to 40 pages, on track"), UserState.PROGRESSING),
        (("the bus comes at nine",), UserState.NEUTRAL),
    ],
)
def test_the_state_of_the_person_is_named_where_it_is_plain(texts: tuple[str, ...], state: UserState) -> None:
    """Several cues make a state, none makes none."""
    assert say(*texts).user_state is state


def test_unsure_verdicts_are_answered() -> None:
    """What the gate left open is settled by its score, what it decided is not touched."""
    talk = a_conversation("I moved to Oslo", "Nice.", "the bus is late", "Oh.", "my job is new", "Good.")
    low = replace(UNSURE, score=0.4)
    answers = digest(*talk, verdicts={1: low, 2: UNSURE}).verdicts
    assert {position: verdict.outcome for position, verdict in answers.items()} == {1: Outcome.SKIP, 2: Outcome.KEEP}


def test_what_is_not_kept_is_not_told() -> None:
    """An exchange that falls short leaves no trace in the digest."""
    talk = a_conversation("I moved to Oslo in May", "Nice.", "the bus to the harbour is late", "Oh.")
    found = digest(*talk, verdicts={1: replace(UNSURE, score=0.4)})
    assert "Oslo" in found.summary
    assert "bus" not in f"{found.topic} {found.summary} {found.key_points}"


def test_signals_follow_the_talk() -> None:
    """Each factor of importance rises with what it stands for."""
    plain = say("The bus comes at nine in the morning").signals
    warm = say("I decided to marry her, I'm so happy I cried", "my mother was born in Oslo like me").signals
    asked = digest(
        a_message("remember this"), verdicts={0: replace(KEPT, reason=Reason.EXPLICIT_REQUEST, rule="asks_to_remember")}
    ).signals
    pasted = say('look: "the committee regrets to inform you of this"').signals
    assert warm["emotion"] > plain["emotion"] == 0
    assert warm["commitment"] > plain["commitment"] == 0
    assert warm["relationship"] > plain["relationship"] == 0
    assert warm["self_relevance"] > plain["self_relevance"]
    assert asked["explicit_request"] == 1 > plain["explicit_request"] == 0
    assert pasted["reliability"] < plain["reliability"] == 1


def test_what_the_assistant_said_first_is_not_new() -> None:
    """Repeating what was heard adds less than telling."""
    heard = a_conversation("hm", "Your sister Wanjiru lives in Nairobi.", "my sister Wanjiru lives in Nairobi")
    assert digest(*heard).signals["novelty"] < say("my sister Wanjiru lives in Nairobi").signals["novelty"]


def test_a_pasted_book_is_read_at_its_ends() -> None:
    """A megabyte takes no longer than what is read of it, and no sentence is cut."""
    middle = "This page is about the history of salt. " * 25_000
    found = say(f"I moved to Oslo in May.\n{middle}\nMy sister Ana stays in Porto.")
    assert found.summary.startswith("Ana: I moved to Oslo in May.")
    assert "My sister Ana stays in Porto." in found.summary
    assert estimate_tokens(found.summary) <= 150


def test_other_languages_are_summarised_without_word_lists() -> None:
    """Chinese is cut at its own full stops and told as it was said."""
    found = say("我昨天终于把厨房装修完了。我妻子非常高兴。")
    assert found.summary == "Ana: 我昨天终于把厨房装修完了。 我妻子非常高兴。"
    assert found.topic
    assert found.emotions == ()


def test_talk_without_words_is_digested_too() -> None:
    """An emoji, code alone or a tool's output give a digest rather than an error."""
    for message in (a_message("👍"), a_message("```\nx = 1\n```"), a_message("ok: 3 rows", role=Role.TOOL)):
        found = digest(message)
        assert found.topic
        assert found.summary


def test_the_analyst_gives_way_while_it_works() -> None:
    """A caller who waits is let through many times in a talk."""
    calls: list[int] = []
    exchanges = tuple(group_exchanges(a_conversation(*BAKERY)))
    talk = Talk(exchanges, (KEPT,) * len(exchanges))
    LocalAnalyst().digest(talk, yield_to_foreground=lambda: calls.append(1))
    assert len(calls) > len(BAKERY)
