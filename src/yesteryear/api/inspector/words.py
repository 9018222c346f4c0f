"""How the pages say days, numbers and names."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from jinja2 import pass_context
from jinja2.runtime import Context

from yesteryear.core.message import BY_HAND, Reason
from yesteryear.core.time import local, say_date, say_day, say_month

STATES: Mapping[str, str] = {
    "tentative": "told, but not in several conversations yet",
    "stable": "several conversations, or your own word, speak for it",
    "needs_review": "what it rested on has changed",
    "deprecated": "not believed any more",
    "merged": "another fact says the same, or more",
    "superseded": "it held until something else took its place",
    "forgotten": "nothing of it is left",
    "pending": "waits to be worked in",
    "active": "found by recall",
    "failed": "was given up after too many failures",
    "archived": "has left recall, and can be brought back",
}
"""What a status means."""
SOURCES: Mapping[str, str] = {
    "said": "the person's own",
    "brought": "text they brought along; nobody says it now",
    "tool": "what a program put in",
    "assistant": "the assistant's",
    "other": "somebody else's, who spoke beside the person",
}
"""Whose words a message is."""
REASONS: Mapping[str, str] = {
    "explicit_request": "you asked to remember it",
    "relational": "about people in your life",
    "decision": "a decision or a plan",
    "personal": "about you",
    "trivial": "small talk",
    "transient": "of the moment only",
    "world_knowledge": "general knowledge",
    "assistant_only": "the assistant's words",
    "hypothetical": "what-if",
    "instruction_injection": "an instruction to the assistant in disguise",
    "echo": "repeats what was recalled",
    "forget_request": "you asked to forget it",
}
"""Why the gate kept or skipped."""
_GUESSES: Mapping[str, str] = {
    "explicit_request": "it reads as if it should be remembered",
    "forget_request": "it reads as if it should not be kept",
}
"""The same of those reasons that speak of a request, where no rule saw one."""
LANES: Mapping[str, str] = {
    "profile": "Profile and pinned",
    "preferences": "Preferences",
    "strengths": "Strengths and success patterns",
    "tactical": "Open goals, blockers, decisions",
    "history": "Recent episodes",
    "facts": "Facts",
    "relevant": "Excerpts of what was said",
    "questions": "A question to ask",
    "frame": "Frame",
}
"""The sections of a context."""
DROPPED: Mapping[str, str] = {
    "no room": "no room was left",
    "already said": "it is said there already",
    "enough of its kind": "there was enough of its kind",
}
"""Why something was left out of a context."""
CHANGES: Mapping[str, str] = {
    "superseded": "Gave way to what was said later",
    "merged": "Merged into what says the same or more",
    "stable": "Stable from now on",
    "restored": "Believed again",
    "resolved": "Done",
    "needs_review": "To be reviewed",
    "deprecated": "Not believed any more",
    "confidence": "Surer or less sure than before",
}
"""What a night does to a fact, in the order in which it is listed."""
STANCES: Mapping[str, str] = {
    "supports": "speaks for it",
    "contradicts": "speaks against it",
    "echo": "repeats what was shown; counts for nothing",
}
"""What a piece of evidence does."""
DONE: Mapping[str, str] = {
    "kept": "Kept. It is worked in within moments.",
    "confirmed": "Confirmed. It is stable now.",
    "both-hold": "Both hold. It is not asked again.",
    "refuted": "Refuted. It is not believed any more.",
    "corrected": "Corrected. The old wording is kept in its history.",
    "resolved": "Marked as done.",
    "told": "Taken down; it stands among the facts once the worker has read it.",
    "pinned": "Pinned. It does not fade.",
    "unpinned": "No longer pinned.",
    "restored": "Brought back.",
    "forgotten": "Forgotten, in the files too.",
    "hidden": "Forgotten. It can be brought back from the gate log for some days.",
    "withdrawn": "Withdrawn. Nothing was forgotten.",
    "undone": "The night was undone.",
    "night": "The night is over. This is what it did.",
    "saved": "Saved.",
    "nothing": "There was nothing to do.",
}
"""What is said after a form was sent, by the name in the address; nothing else can be made to be said there."""


def ground(reason: str, rule: str | None) -> str:
    """Say why the gate kept or skipped something; that somebody asked for it only where a rule saw it."""
    if rule == BY_HAND and reason == Reason.EXPLICIT_REQUEST:
        return "you kept it after all"
    return REASONS[reason] if rule else _GUESSES.get(reason, REASONS[reason])


def plain(name: str) -> str:
    """Return a name of ours in words: ``needs_review`` as "needs review"."""
    return name.replace("_", " ")


def percent(value: float) -> str:
    """Return a share as "85 %"."""
    return f"{value:.0%}".replace("%", " %")


def number(value: float) -> str:
    """Return a count with thin spaces between thousands."""
    return f"{value:,}".replace(",", "\u2009")


@pass_context
def day(context: Context, instant: datetime | None) -> str:
    """Say a day, absolutely and as seen from now; a dash for none."""
    return "–" if instant is None else say_day(instant, now=context["now"], zone=context["zone"])


@pass_context
def date(context: Context, instant: datetime | None) -> str:
    """Say a day; a dash for none."""
    return "–" if instant is None else say_date(instant, zone=context["zone"])


@pass_context
def clock(context: Context, instant: datetime) -> str:
    """Say the time of day."""
    return f"{local(instant, context['zone']):%H:%M}"


@pass_context
def month(context: Context, instant: datetime) -> str:
    """Say a month."""
    return say_month(instant, zone=context["zone"])
