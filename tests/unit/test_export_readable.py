"""The page of an export that a person reads."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from tests.belief_rows import a_fact
from tests.rows import DIGEST, KEPT, SKIPPED, TALK, an_episode, at, in_scope
from yesteryear.core.attributes import FactKind
from yesteryear.core.episode import Detail, Episode, EpisodeStatus
from yesteryear.core.fact import FactStatus
from yesteryear.core.message import Conversation, Message, Outcome, Reason, Verdict
from yesteryear.core.scope import ConversationKey
from yesteryear.testing.builders import a_message
from yesteryear.transfer.export import tell_conversation, tell_facts, tell_settings
from yesteryear.transfer.kinds import DumpedSettings


def page(*rows: Message | Episode, key: ConversationKey = TALK) -> str:
    """Return what is said of a conversation."""
    episodes = [row for row in rows if isinstance(row, Episode)]
    messages = [row for row in rows if isinstance(row, Message)]
    return "\n".join(tell_conversation(Conversation(key), episodes, messages))


def test_an_episode_is_told_with_all_that_was_made_of_it() -> None:
    """Topic, times, state, importance, summary, points, decisions, feelings; then who said what, and why it is kept."""
    said: dict[str, Any] = {"zone": "Asia/Tokyo", "verdict": KEPT}
    rows = [a_message("I moved my runs\nto the morning", **said), a_message("Good idea.", seq=2, author="Bo", **said)]
    assert page(an_episode(status=EpisodeStatus.ACTIVE, zone="Asia/Tokyo", pinned=True), *rows) == (
        "\n"
        "## Conversation c1\n"
        "\n"
        "### Morning runs\n"
        "\n"
        "2 March 2026, 20:55 to 2 March 2026, 21:00\n"
        "\n"
        "- found when it matters\n"
        "- with its words\n"
        "- importance 0.62\n"
        "- pinned: it never fades\n"
        "- you were progressing\n"
        "- feelings: relief\n"
        "\n"
        "Summary: Ana moved her runs to the morning.\n"
        "\n"
        "Key points:\n"
        "\n"
        "- Runs in the morning\n"
        "- Evenings are too hot\n"
        "\n"
        "Decisions:\n"
        "\n"
        "- Run before work\n"
        "\n"
        "**Ana**, 2 March 2026, 21:00, kept (personal)\n"
        "\n"
        "> I moved my runs\n"
        "> to the morning\n"
        "\n"
        "**Bo**, 2 March 2026, 21:00, kept (personal)\n"
        "\n"
        "> Good idea."
    )


def test_what_was_not_kept_says_why() -> None:
    """Skipped and forgotten text, text that was erased, and what nobody has looked at yet."""
    forgotten = Verdict(Outcome.SKIP, Reason.FORGET_REQUEST, 0.0, 0.0, "by_hand")
    told = page(
        a_message("ok", verdict=SKIPPED),
        a_message("", seq=2, verdict=SKIPPED),
        a_message("", seq=3, verdict=forgotten),
        a_message("Hello?", seq=4),
    )
    assert "### In no episode" in told
    for said in (
        "12:00 UTC, skipped (trivial)\n\n> ok\n",
        "12:00 UTC, skipped (trivial)\n\n(the words are not kept any more)\n",
        "12:00 UTC, forgotten\n\n(the words are not kept any more)\n",
        "12:00 UTC, not looked at yet\n\n> Hello?",
    ):
        assert said in told


def test_what_has_faded_says_so() -> None:
    """Gist, archive, failure, and an episode of which nothing is left."""
    told = page(
        an_episode("a", status=EpisodeStatus.ARCHIVED, detail=Detail.GIST),
        an_episode("b", status=EpisodeStatus.FAILED, digest=None),
        an_episode("c", status=EpisodeStatus.FORGOTTEN, digest=None),
    )
    assert "- archived: found only when it is asked for\n- faded: only its summary is left" in told
    assert "### Episode\n\n2 March 2026, 11:55 UTC to 2 March 2026, 12:00 UTC\n\n- could not be worked through" in told
    assert told.endswith("12:00 UTC\n\nForgotten.")


def test_what_fades_says_when_and_what_never_does_says_why() -> None:
    """Pinned, asked for, or a day in the person's own zone."""
    asked = replace(DIGEST, signals={"explicit_request": 1.0})
    told = page(
        an_episode("a", fades_at=at(15 * 60), zone="America/Los_Angeles"),
        an_episode("b", digest=asked, fades_at=at(9)),
        an_episode("c", digest=asked, pinned=True),
    )
    assert [line for line in told.splitlines() if "fades" in line] == [
        "- fades further on 2 March 2026",
        "- you asked that it be remembered: it never fades",
        "- pinned: it never fades",
    ]


def test_each_message_stands_with_its_episode() -> None:
    """What was said between two episodes belongs to neither."""
    rows = [a_message(f"message {seq}", seq=seq, verdict=KEPT) for seq in range(1, 7)]
    told = page(an_episode("a", first_seq=2, last_seq=3), an_episode("b", first_seq=5, last_seq=5), *rows)
    order = ["In no", "message 1", "Morning", "message 2", "message 3", "In no", "message 4", "Morning", "message 5"]
    for part in [*order, "In no", "message 6"]:
        assert part in told
        told = told.partition(part)[2]


def test_nothing_that_was_said_is_taken_for_a_heading() -> None:
    """Whatever ends a line in Markdown, the next one is quoted, too; names and topics stay on theirs."""
    text = "# one\n## two\r\n### three\r#### four"
    told = page(a_message(text, author="# Ana\u2028#"), key=ConversationKey("a\u2028b", "tutor", "# c"))
    headings = [line for line in told.splitlines() if line.startswith("#")]
    assert headings == ["## Conversation # c (project a b, agent tutor)", "### In no episode"]
    assert "> # one\n> ## two\n> ### three\n> #### four" in told
    assert "**# Ana #**" in told


def test_settings_are_told_by_level() -> None:
    """The person's own, then each project's."""
    told = "\n".join(tell_settings([DumpedSettings(None, {"b": 2, "a": True}), DumpedSettings("thesis", {"c": "x"})]))
    assert told == "\n## Settings\n\n- a: True\n- b: 2\n\n## Settings of project thesis\n\n- c: x"


def test_dates_are_the_persons_own() -> None:
    """What was said late in the evening in Los Angeles was not said the next day."""
    told = page(a_message(at=at(15 * 60), zone="America/Los_Angeles"), a_message(seq=2, at=at(15 * 60)))
    assert "2 March 2026, 19:00," in told
    assert "3 March 2026, 03:00 UTC," in told


def test_a13_a_month_begins_where_the_person_is() -> None:
    """A fact that holds since September would be told as since the 31st of August."""
    fact = a_fact("a", "Ana lives in Athens.", valid_from=datetime(2026, 8, 31, 21, tzinfo=UTC))

    assert any("since 1 September 2026" in line for line in tell_facts([fact], zone="Europe/Athens"))


def test_what_is_believed_is_told_before_what_was() -> None:
    """Each with what it is, since when and until when; what was forgotten is not told."""
    superseded = {"status": FactStatus.SUPERSEDED, "superseded_by": "b", "valid_to": at(0)}
    told = tell_facts(
        [
            a_fact("a", "A.", minutes=-1440 * 9, confidence=0.5, **superseded),
            a_fact("b", "Ana lives\nin Lisbon.", status=FactStatus.STABLE, confidence=0.8125, valid_from=at(0)),
            a_fact("c", "Ana wants to run.", kind=FactKind.GOAL, scope=in_scope("sport"), resolved_at=at(0)),
            a_fact("d", "Ana likes tea.", status=FactStatus.DEPRECATED),
            a_fact("e", "Ana runs at seven.", kind=FactKind.WORK_PATTERN, pinned=True, status=FactStatus.NEEDS_REVIEW),
            a_fact("f").blank(),
        ],
        zone=None,
    )
    assert list(told) == [
        "",
        "## What is believed",
        "",
        "- Ana lives in Lisbon. (preference, first told 2 March 2026, since 2 March 2026; confidence 0.81)",
        "- Ana runs at seven. (work pattern, first told 2 March 2026, perhaps no longer so, pinned; confidence 0.00)",
        "",
        "## What was believed before",
        "",
        "- A. (preference, first told 21 February 2026, until 2 March 2026, replaced; confidence 0.50)",
        "- Ana wants to run. (goal, project sport, first told 2 March 2026, settled 2 March 2026; confidence 0.00)",
        "- Ana likes tea. (preference, first told 2 March 2026, not believed any more; confidence 0.00)",
    ]
    assert list(tell_facts([], zone=None)) == []
