"""Which facts stand whatever is asked, and what the day changes of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.belief_rows import a_fact
from tests.each import each
from yesteryear.core.attributes import FactKind
from yesteryear.core.ended import words_that_hold
from yesteryear.core.fact import ASKED_TO_REMEMBER, DISPUTED_BY, TELLS_ALONG, Fact, FactStatus, Form, Modality, Slot
from yesteryear.core.fading.confidence import ConfidencePolicy
from yesteryear.recall.standing import DayChange, StandingPolicy, changed_by_day, choose_standing, why_standing
from yesteryear.testing.builders import NOON

DAY = timedelta(days=1)
SURE = ConfidencePolicy()


def known(name: str = "f1", attribute: str = "allergy", **changes: object) -> Fact:
    """Return a fact that is sure; what it says of an allergy it says in words."""
    said = {"statement": "Ana is allergic to nuts."} if attribute == "allergy" else {}
    return a_fact(name, **{"attribute": attribute, "confidence": 0.9, "kind": FactKind.EVENT, **said, **changes})


def chosen(*facts: Fact, policy: StandingPolicy | None = None, later: timedelta = timedelta(0)) -> list[str]:
    """Return the ids of what stands at noon, or later the same day."""
    found = choose_standing(facts, policy or StandingPolicy(), SURE, now=NOON + later, night=NOON)
    return [standing.fact.id for standing in found]


@each(
    ("changes", "why"),
    [
        ({"attribute": "allergy"}, "safety"),
        ({"attribute": "diet", "holder": "Marta", "statement": "Marta is vegan."}, "safety"),
        ({"attribute": "", "statement": "Ana takes 20 mg of omeprazole."}, "safety"),
        ({"attribute": "allergy", "statement": "Cashews close up Ana's throat."}, "safety"),
        ({"attribute": "allergy", "statement": "Ana is difficult, not allergic."}, ""),
        ({"attribute": "illness", "statement": "Ana has asthma."}, "health"),
        ({"attribute": "illness", "statement": "Ana sleeps badly."}, ""),
        ({"attribute": "illness", "statement": "Ana sleeps badly.", "status": FactStatus.STABLE}, "health"),
        ({"attribute": "task", "statement": "Ana goes to Porto in April."}, ""),
        ({"attribute": "called"}, "address"),
        ({"attribute": "reply_style", "statement": "Ana wants short answers"}, "address"),
        ({"attribute": "reply_style", "statement": "Ana is terrible with names"}, ""),
        ({"attribute": "reply_style", "statement": "Ana talks to her sister every day"}, ""),
        ({"attribute": "reply_style", "form": Form.QUOTE, "statement": 'Ana said: "only tea, never coffee"'}, ""),
        ({"attribute": "name", "statement": "Ana's full name is Ana Costa"}, "address"),
        ({"attribute": "name", "statement": "Ana's son is called Max"}, "people"),
        ({"attribute": "name", "statement": "Ana's boat is called Daisy"}, ""),
        ({"attribute": "medication", "statement": "Ana takes plomazor"}, "safety"),
        ({"attribute": "medication", "statement": "Ana no longer takes plomazor"}, ""),
        ({"attribute": "medication", "statement": "Ana takes plomazor", "modality": Modality.PLANNED}, ""),
        ({"attribute": "medication", "statement": "Ana takes the bus"}, ""),
        ({"attribute": "diet", "statement": "Ana eats too fast"}, ""),
        ({"attribute": "diet", "statement": "Ana does keto"}, "safety"),
        ({"attribute": "illness", "statement": "Ana has Hashimoto's"}, "health"),
        ({"attribute": "pregnancy", "statement": "Ana is due in March"}, "health"),
        ({"attribute": "drink", "statement": "Ana does not drink coffee anymore"}, ""),
        ({"attribute": "home"}, "who"),
        ({"attribute": "home", "form": Form.QUOTE, "statement": 'Ana said: "Leith it is"'}, ""),
        ({"attribute": "home", "form": Form.QUOTE, "statement": 'Ana said: "I live in Leith"'}, "who"),
        (
            {"attribute": "dwelling", "form": Form.QUOTE, "statement": 'Ana said: "we bought a house. no more damp"'},
            "who",
        ),
        ({"attribute": "job", "form": Form.QUOTE, "statement": 'Ana said: "what a long day"'}, ""),
        ({"attribute": "job", "holder": "Callum", "statement": "Ana's boyfriend Callum is a chef"}, "people"),
        (
            {"attribute": "sibling", "holder": "Kai", "form": Form.QUOTE, "statement": 'Ana said: "got a brother Kai"'},
            "people",
        ),
        ({"attribute": "colleague", "statement": "Ana's boss Ines is away"}, ""),
        ({"attribute": "name", "statement": "Ana's dog is an old collie called Bess"}, "people"),
        ({"attribute": "death", "statement": "Ana's wife Jean passed away"}, "people"),
        ({"attribute": "illness", "statement": "Ana had to have two teeth out"}, ""),
        ({"attribute": "partner"}, "people"),
        ({"attribute": "home", "holder": "Marta"}, ""),
        ({"attribute": "reply_style", "form": Form.QUOTE, "statement": 'Ana said: "no long essays"'}, "address"),
        ({"attribute": "hobby"}, ""),
        ({"attribute": "hobby", "pinned": True}, "pinned"),
        ({"attribute": "hobby", "properties": {ASKED_TO_REMEMBER: "yes"}}, "asked"),
        ({"attribute": "appointment", "modality": Modality.PLANNED, "valid_from": NOON}, "near"),
        ({"attribute": "", "kind": FactKind.IDENTITY, "slot": Slot("residence", "Porto")}, "who"),
        ({"attribute": "", "kind": FactKind.RELATIONSHIP, "status": FactStatus.STABLE}, "people"),
        ({"attribute": "", "kind": FactKind.IDENTITY}, ""),
    ],
)
def test_it_stands_by_its_words_its_attribute_or_by_hand(changes: dict[str, object], why: str) -> None:
    """What is well known and has no attribute stands by its kind, as facts of other analysts do."""
    assert why_standing(known(**changes)) == why  # type: ignore[arg-type]


def test_safety_comes_first_and_own_facts_before_those_of_others() -> None:
    """Then how to address them, who they are, what is near, what they pinned."""
    facts = [
        known("home", "home"),
        known("pinned", "hobby", pinned=True),
        known("theirs", holder="Marta", statement="Marta is allergic to nuts."),
        known("own"),
        known("called", "called"),
        known("soon", "appointment", modality=Modality.PLANNED, valid_from=NOON + 3 * DAY),
        known("hobby", "hobby"),
    ]
    assert chosen(*facts) == ["own", "theirs", "called", "home", "soon", "pinned"]
    few = StandingPolicy(most=(("safety", 1), ("who", 1)))
    assert chosen(*facts, policy=few) == ["own", "home"]


@each(
    ("changes", "later", "stands"),
    [
        ({}, timedelta(0), True),
        ({"status": FactStatus.SUPERSEDED}, timedelta(0), False),
        ({"valid_to": NOON + timedelta(hours=1)}, timedelta(0), True),
        ({"valid_to": NOON + timedelta(hours=1)}, timedelta(hours=2), False),
        ({"confidence": 0.5}, timedelta(0), True),
        ({"confidence": 0.01}, timedelta(0), False),
        ({"statement": 'Ana said: "Right."', "form": Form.QUOTE}, timedelta(0), False),
        ({"statement": 'Ana said: "I have a nut allergy"', "form": Form.QUOTE}, timedelta(0), True),
        ({"statement": 'Ana said: "I\'m vegan."', "form": Form.QUOTE}, timedelta(0), True),
        ({"confidence": 0.01, "pinned": True}, timedelta(0), True),
        ({"attribute": "home", "confidence": 0.5}, timedelta(0), False),
        ({"attribute": "task", "modality": Modality.PLANNED, "valid_from": NOON + 8 * DAY}, timedelta(0), False),
        ({"attribute": "task", "modality": Modality.PLANNED, "valid_from": NOON - 2 * DAY}, timedelta(0), False),
        ({"attribute": "task", "modality": Modality.PLANNED, "resolved_at": NOON, "valid_from": NOON}, DAY / 9, False),
    ],
)
def test_only_what_holds_and_is_sure_enough_stands(
    changes: dict[str, object], later: timedelta, *, stands: bool
) -> None:
    """What concerns safety needs to be less sure; what is done or far off is not near."""
    assert chosen(known(**changes), later=later) == ["f1"] * stands  # type: ignore[arg-type]


def test_of_what_somebody_said_on_safety_only_that_stands() -> None:
    """Not the sentences around it."""
    said = 'Ana said: "Lovely evening. I\'m allergic to nuts, mind. Bring the dog!"'
    (standing,) = choose_standing(
        [known(form=Form.QUOTE, statement=said)], StandingPolicy(), SURE, now=NOON, night=NOON
    )
    assert standing.fact.statement == 'Ana said: "I\'m allergic to nuts, mind."'


@each(
    "right",
    ["sorry i meant shellfish.", "Scratch that, shellfish.", "Actually no, it's shellfish.", "Just kidding."],
)
def test_what_puts_it_right_stands_with_it(right: str) -> None:
    """Else what was wrong stands for somebody's safety."""
    said = f'Ana said: "Im allergic to nuts. {right}'
    fact = known(form=Form.QUOTE, statement=f'{said} Put the kettle on."')
    (standing,) = choose_standing([fact], StandingPolicy(), SURE, now=NOON, night=NOON)
    assert standing.fact.statement == f'{said}"'


def test_what_they_asked_to_be_remembered_comes_first_and_nothing_twice() -> None:
    """A friend's cashews stood behind everything of one's own, and the same words stood in a row."""
    asked = {ASKED_TO_REMEMBER: "yes"}
    theirs = known("theirs", holder="Ola", statement="Ola is allergic to cashews.", properties=asked)
    assert chosen(known("own"), known("again"), theirs) == ["theirs", "own"]


def news(before: Fact | None, after: Fact) -> list[Fact]:
    """Return what a day tells of one fact."""
    stood = [] if before is None else [before]
    standing = choose_standing(stood, StandingPolicy(), SURE, now=NOON, night=NOON)
    day = {after.id: DayChange(before, after)}
    return [each.fact for each in changed_by_day(standing, day, StandingPolicy(), SURE, now=NOON)]


def test_a_day_tells_what_is_new_and_what_ended() -> None:
    """Not what was only told again, nor what never stood."""
    old = known()
    over = replace(old, status=FactStatus.SUPERSEDED, valid_to=NOON)
    disputed = replace(old, properties={DISPUTED_BY: "f2"})
    assert news(None, old) == [old]
    assert news(old, over) == [over]
    assert news(old, replace(old, sessions=4)) == []
    assert news(old, disputed) == [disputed]
    assert news(None, over) == news(None, known(attribute="hobby")) == []


def test_what_is_told_of_somebodys_safety_loses_none_of_its_words() -> None:
    """Where a sentence of another fact goes, the places of others in the whole quote say nothing any more."""
    told = 'Ana said: "Lea has moved in. She carries an epipen for her nut allergy."'
    start = told.index("Lea has")
    properties = {TELLS_ALONG: f"f2:{start}-{start + len('Lea has moved in.')}"}
    quote = known(statement=told, form=Form.QUOTE, properties=properties)
    (standing,) = choose_standing([quote], StandingPolicy(), SURE, now=NOON, night=NOON)
    over = known("f2", attribute="home", status=FactStatus.SUPERSEDED, statement="Lea has moved in")
    shown = words_that_hold(standing.fact, {"f2": over}.get, now=NOON)
    assert shown == 'Ana said: "She carries an epipen for her nut allergy."'


def standing(*facts: Fact, later: timedelta = timedelta(0)) -> list[str]:
    """Return the statements that stand at noon, or later."""
    now = NOON + later
    return [each.fact.statement for each in choose_standing(facts, StandingPolicy(), SURE, now=now, night=now)]


def quoted(name: str, attribute: str, words: str, **changes: object) -> Fact:
    """Return a fact in the words that somebody said."""
    return known(name, attribute, form=Form.QUOTE, statement=f'Ana said: "{words}"', **changes)


def test_of_one_matter_the_newest_stands_in_the_words_that_tell_it() -> None:
    """One home, one line for each who is close, and no lines that say less than one before."""
    facts = [
        known("old", "home", statement="Ana lives in Porto"),
        quoted("new", "home", "What a week. We moved to Braga. The tram is late", first_observed=NOON + DAY),
        known("sister", "job", holder="Lea", statement="Ana's sister Lea is a vet", first_observed=NOON - DAY),
        quoted("again", "trip", "my sister Lea is in Rome"),
        known("son", "child", statement="Ana's son Max is six"),
        quoted("less", "child", "my son Max"),
    ]
    assert standing(*facts) == [
        'Ana said: "We moved to Braga."',
        "Ana's son Max is six",
        'Ana said: "my sister Lea is in Rome"',
    ]


def test_who_somebody_is_and_who_is_close_stand_by_turns() -> None:
    """So that neither takes all of the room; words that are too many stand not at all."""
    facts = [
        known("job", "job", statement="Ana is a nurse"),
        known("home", "home", statement="Ana lives in Porto"),
        known("pet", "pet", statement="Ana has a cat"),
        known("partner", "partner", statement="Ana's partner is Jo"),
        quoted("long", "studies", f"I study {' and '.join(['this'] * 20)}"),
    ]
    assert chosen(*facts) == ["home", "partner", "job", "pet"]


def test_what_ails_a_pet_and_a_pregnancy_that_must_be_over_are_no_safety() -> None:
    """What ails a person is, and what somebody is pregnant with now."""
    cat = known("cat", "name", statement="Ana's old cat is called Miso")
    ill = known("ill", "illness", holder="Miso", statement="Miso has diabetes")
    theirs = known("theirs", "illness", holder="Lea", statement="Lea has diabetes")
    pregnant = known("pregnant", "pregnancy", holder="Lea", statement="Lea is pregnant")
    assert set(chosen(cat, ill, theirs, pregnant)) == {"cat", "theirs", "pregnant"}
    assert standing(pregnant, later=300 * DAY) == []
    stood = choose_standing([cat], StandingPolicy(), SURE, now=NOON, night=NOON)
    day = {"ill": DayChange(None, ill)}
    assert changed_by_day(stood, day, StandingPolicy(), SURE, now=NOON) == []


def test_of_safety_no_sentence_stands_twice() -> None:
    """Nor a plain statement and the words for the same; what is told of another person stays."""
    facts = [
        quoted("heart", "medication", "I'm on warfarin for my heart."),
        quoted("both", "medication", "I'm on warfarin for my heart. I also take ramipril.", confidence=0.8),
        known("nuts"),
        quoted("said", "allergy", "I'm allergic to nuts", confidence=0.7),
        quoted("due", "pregnancy", "I'm on warfarin for my heart. Due in May.", confidence=0.7),
        quoted("hers", "allergy", "She's allergic to nuts", holder="Lea"),
    ]
    assert sorted(standing(*facts)) == [
        "Ana is allergic to nuts.",
        'Ana said: "I also take ramipril."',
        'Ana said: "I\'m on warfarin for my heart. Due in May."',
        'Ana said: "I\'m on warfarin for my heart."',
        'Ana said: "She\'s allergic to nuts"',
    ]
