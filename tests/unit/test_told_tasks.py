"""What is told to be done or set for a day, and that it is done, off or moved; what only sounds so."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.core.language.told.endings import change_of_tasks, read_ending_signs
from yesteryear.core.language.told.named_task import TaskState, ToldTask, change_of
from yesteryear.core.language.told.tasks import find_told_tasks, is_for_now, listed_tasks, tell_apart

OPEN, APPOINTED, MOVED, DONE, UNLISTED, DROPPED, MISSED = TaskState


def told(text: str, *, by_name: bool = False) -> list[tuple[TaskState, str]]:
    """Return how each thing stands, and its name, but for what may be none."""
    tasks = (task for task in find_told_tasks(text, by_name=by_name) if not task.in_passing)
    return [(task.state, " ".join(sorted(task.named))) for task in tasks]


def becomes(earlier: str, later: str) -> TaskState | None:
    """Return what the later sentence does to what the earlier tells."""
    [task] = find_told_tasks(earlier)
    return next(filter(None, (change_of(task, each) for each in find_told_tasks(later))), None)


@each(
    ("text", "name"),
    [
        ("I need to water the tomatoes tonight.", "tomato water"),
        ("We have to book the venue by Friday", "book venu"),
        ("I should really call my aunt, it's been weeks", "aunt call"),
        ("I ought to return Kim's drill", "drill kim return"),
        ("I must finish the report by Monday", "finish report"),
        ("gotta pick up the kids at 5", "kid pick"),
        ("Need to buy stamps", "buy stamp"),
        ("I'd better descale the kettle", "descal kettl"),
        ("I've been meaning to clean the gutters", "clean gutter"),
        ("I keep forgetting to cancel my gym membership", "cancel gym membership"),
        ("I still haven't called the dentist", "call dentist"),
        ("haven't paid the gas bill yet", "bill gas pay"),
        ("the passport runs out before we fly, really need to get that renewed", "passport"),
        ("That questionnaire has to go back, it's on the fridge", "questionnair"),
        ("note to self, ring mum tonight", "call mum"),
        ("mustn't forget to give Gemma her dish back", "dish gemma"),
        ("I haven't got round to booking the flights", "book flight"),
        ("still havent called the school", "call school"),
        ("I never got round to calling the bank", "bank call"),
        ("I've yet to pay the rent", "pay rent"),
        ("still not paid the rent", "pay rent"),
        ("parcel not posted yet", "parcel send"),
        ("The rent hasn't been paid yet.", "pay rent"),
        ("my son's flu jab isn't booked yet", "book flu jab son"),
        ("That reminds me, I need to make a dentist appointment", "appoint dentist"),
        ("I need to remember to post the parcel", "parcel send"),
        ("I really need to go for a run later", "run"),
        ("I want to repaint the hallway this weekend", "hallway repaint"),
        ("I need to do my taxes", "tax"),
        ("I'll call the plumber tomorrow", "call plumber"),
        ("gonna call the plumber tmrw", "call plumber"),
        ("I'm going to book the flights tonight", "book flight"),
        ("will finish the report on Friday", "finish report"),
        ("We're planning to repaint the hallway next month", "hallway repaint"),
        ("I was going to call the plumber today but ran out of time", "call plumber"),
        ("I meant to water the plants but forgot", "plant water"),
        ("I forgot to water the plants", "plant water"),
        ("I tried to call the bank but nobody answered", "bank call"),
        ("I planned to buy stamps but the shop was closed", "buy stamp"),
        ("I didn't get a chance to email Tom", "email tom"),
        ("I mustn't forget to buy stamps", "buy stamp"),
        ("I have to exercise today", "exercis"),
        ("Not yet, but I do need to research boilers for the flat today.", "boiler flat research"),
    ],
)
def test_what_somebody_has_to_do_is_known_by_its_words(text: str, name: str) -> None:
    """Whatever words lead to it, and whenever it is to be."""
    assert told(text) == [(OPEN, name)]


@pytest.mark.parametrize(
    "text",
    [
        "I have to say, that was great.",
        "I need to pee",
        "I should go to bed.",
        "we need to talk",
        "must be nice",
        "I must have left my keys there",
        "I should have called her",
        "I need to get some sleep",
        "I need a break",
        "I have to be at work by nine",
        "I need to think about it",
        "do I need to book a table?",
        "If I need to cancel my flight, what happens?",
        "I always have to clean the kitchen",
        "My boss says I should update my CV",
        "I want to learn Farsi",
        "I have to take my pills at 8",
        "I changed my mind about the job",
        "I just found my keys",
        "I finished my coffee",
        "I've read that slugs hate copper",
        "Read the docs first",
        "I missed the bus",
        "I won't keep you any longer",
        "how do I remove a stain from my shirt?",
        "remove the second column from the table",
        "I have a headache today",
        "I have yoga on Tuesdays",
        "My lesson is Monday and Friday",
        "I have 3 days left",
        "My mum's birthday is on 12 July",
        "I got moved to data last winter",
        "I moved to Berlin in May",
        "I'll call the plumber",
        "I'll call you back tomorrow",
        "I'll have lunch at noon tomorrow",
        "I'll take the bus tomorrow",
        "I'm going to Paris tomorrow",
        "My brother will call the bank tomorrow",
        "I was going to buy a car but decided against it",
        "I forgot to mention that I'm vegan",
        "I forgot to water the plants and they died",
        "I almost forgot to call mum",
        "My sister is due in June",
        "The train is due at 5",
        "Ioana's thesis is due on Friday",
        "I eat rice instead of pasta on Fridays",
        "I got a cold",
        "I got new batteries",
        "I went to the bank",
        "I went to the bank but it was closed",
        "I got a birthday card from Tom",
        "The car is parked outside",
        "The house was built in 1900",
        "He is paid well",
        "everything is packed",
        "the results are not posted yet",
        "The shop hasn't opened yet",
        "I'm not sure yet",
        "my brother is not married yet",
        "I shouldnt have called the bank",
        "I still can't find a good doctor yet",
    ],
)
def test_what_only_sounds_so_is_left(text: str) -> None:
    """Turns of speech, needs of a moment, questions, cases, habits, and others' orders."""
    assert told(text) == []


@each(
    ("text", "state", "name"),
    [
        ("I have a mentor coffee meeting in 3 days.", APPOINTED, "coffe meet mentor"),
        ("I've got Dad's party scheduled for August 22nd", APPOINTED, "dad parti"),
        ("My dentist appointment is on Tuesday at 4", APPOINTED, "appoint dentist"),
        ("I'm meeting Lena for lunch tomorrow", APPOINTED, "lena lunch"),
        ("I'm looking forward to attending a folk festival on July 7th", APPOINTED, "festiv folk"),
        ("My book club meeting has been rescheduled to next Tuesday.", MOVED, "book club meet"),
        ("They moved my dentist appointment to Friday", MOVED, "appoint dentist"),
        ("My appointment is on Thursday, not Wednesday.", MOVED, "appoint"),
        ("The eye test is on the 20th now.", MOVED, "eye test"),
        ("We'll go to the zoo on Sunday instead.", MOVED, "go zoo"),
        ("I'm meeting Laura on Thursday instead.", MOVED, "laura"),
        ("Emma's party was moved to Sunday.", MOVED, "emma parti"),
        ("Our Lisbon flight was moved to the 16th.", MOVED, "flight lisbon"),
        ("Dad's operation is on the 14th.", APPOINTED, "dad oper"),
        ("The report is due Friday.", OPEN, "report"),
        ("My essay is now due on Wednesday.", OPEN, "essay"),
        ("I just updated my calendar for the strategy session to 2 PM this Friday", MOVED, "session strategi"),
        ("The workshop is now scheduled for next Tuesday", MOVED, "workshop"),
        ("I can't make it to the wedding", MISSED, "wed"),
        ("I had to cancel the vet appointment", MISSED, "appoint vet"),
        ("The concert was called off", MISSED, "concert"),
        ("finished the report!", DONE, "report"),
        ("I just finished planning out my hobby time.", DONE, "hobbi plan"),
        ("I'm done reviewing the contracts", DONE, "contract review"),
        ("just paid the gas bill", DONE, "bill gas pay"),
        ("I finally got around to fixing the tap", DONE, "fix tap"),
        ("I scheduled my checkup", DONE, "checkup schedul"),
        ("got the gutters done today", DONE, "gutter"),
        ("The flights are booked", DONE, "book flight"),
        ("parcel's posted", DONE, "parcel send"),
        ("The cake is collected.", DONE, "cake pick"),
        ("Dishes are done.", DONE, "dish"),
        ("rent's paid", DONE, "pay rent"),
        ("I got the flights booked", DONE, "book flight"),
        ('I no longer need to track "Call the bank" on my to-do list.', UNLISTED, "bank call"),
        ("Please take 'buy stamps' off my shopping list", UNLISTED, "buy stamp"),
        ("can you cross the gutters off my list?", UNLISTED, "gutter"),
        ("I'd like to remove painting the fence from my tasks", UNLISTED, "fenc paint"),
        ("I don't need to renew my passport after all", DROPPED, "passport renew"),
        ("I've decided not to repaint the hallway", DROPPED, "hallway repaint"),
        ("no need to call the plumber anymore, Sven fixed it", DROPPED, "call plumber"),
        ("I'm no longer planning the picnic", DROPPED, "picnic plan"),
    ],
)
def test_what_is_set_done_or_off_is_known_by_its_words(text: str, state: TaskState, name: str) -> None:
    """What is set for a day, is moved, takes place without them or not at all, is done, off a list, or dropped."""
    assert (state, name) in told(text)
    assert {each for each, _ in told(text)} == {state}


@each(
    ("earlier", "later", "state"),
    [
        ("I need to schedule my annual checkup", "I scheduled my checkup", DONE),
        ("I need to schedule my annual checkup", "Yes, I'm done scheduling the annual checkup", DONE),
        ("I've been meaning to read some poetry books", "I did finish reading a poetry book", DONE),
        ("I have to write the report", "finished the report", DONE),
        ("I need to organise my desk", "just organized my desk", DONE),
        ("I need to pay the rent", "I already paid the rent", DONE),
        ("I need to buy stamps", "'Buy stamps' is no longer needed", UNLISTED),
        ("I should plan a date night", "I'm no longer tracking 'Plan date night' in my to-do list", UNLISTED),
        ("I need to go for a walk later", "I'm taking 'Exercise/walk' off my list", UNLISTED),
        ("I need to read the report", "I just wrote the report", None),
        ("I need to plan some family time", "I just finished planning my hobby time", None),
        ("I need to call my aunt", "I called my uncle", None),
        ("I need to call Ines", "I called Ines", DONE),
        ("I need to go to the post office.", "I went to the post office.", DONE),
        ("I need to go to the gym tonight", "been to the gym", DONE),
        ("I have to go to the dentist", "I'm back from the dentist", DONE),
        ("I need to go to the bank", "I went to the bank but it was closed", None),
        ("I need to call the dentist", "I went to the dentist", None),
        ("I need to buy a birthday card for Tom.", "I got a birthday card for Tom.", DONE),
        ("I need to buy a birthday card for Tom.", "I got a card for Tom.", None),
        ("I need to buy a birthday card", "I got a birthday card from Tom.", None),
        ("I have to read the contract", "read the contract last night", DONE),
        ("I have to read the contract", "read the contract for me", None),
        ("I have to get new batteries.", "I got new batteries.", DONE),
        ("I have to get new batteries.", "Bought batteries", DONE),
        ("I need to get a haircut", "got a haircut", DONE),
        ("I must pick up the cake", "I got the cake", DONE),
        ("I need to feed the dog", "I got a dog", None),
        ("I need to phone Mum", "I rang Mum", DONE),
        ("I need to call Tom", "I bought Tom a phone", None),
        ("I need to send the parcel", "parcel's posted", DONE),
        ("I need to pick up the cake", "The cake is collected.", DONE),
        ("I need to cancel my flights", "The flights are booked", None),
        ("I need to renew my passport", "Passport renewed!", DONE),
        ("I need to renew my contract", "my contract wasn't renewed", None),
        ("I need to do the dishes", "Dishes are done.", DONE),
        ("I need to book the van", "the van's booked for the 3rd", DONE),
        ("I need to plan the wedding", "the wedding is set for the 3rd", None),
        ("I need to book my flu jab", "I booked my son's flu jab", None),
        ("I need to book my son's flu jab", "I booked my son's flu jab", DONE),
        ("I have a wedding on June 20th", "We missed my cousin's wedding", None),
        ("I have a flight on June 20th", "I missed my flight last year", None),
        ("I need to prepare the meeting", "I missed the meeting", None),
        ("I have a book club meeting on June 20th", "My book club meeting was moved to June 27th", MOVED),
        ("I have a book club meeting on June 20th", "I had to miss the book club meeting", MISSED),
        ("I'll go to the zoo on Friday", "I'll go to the zoo on Sunday instead", MOVED),
        ("I'm meeting Laura on Friday", "I'm meeting Laura on Thursday instead", MOVED),
        ("I need to prepare the meeting", "The meeting was moved to Friday", None),
        ("I have to pay the rent", "The rent is paid", DONE),
        ("The report is due Friday", "I finished the report", DONE),
        ("I have a vet appointment on Friday", "I have a vet appointment on Monday", None),
    ],
)
def test_a_later_word_changes_what_it_names(earlier: str, later: str, state: TaskState | None) -> None:
    """The same verb in whatever form, nouns in either number, and the shorter name within the longer."""
    assert becomes(earlier, later) is state


def test_two_things_to_do_are_two() -> None:
    """Each with its verb, or with that of the one before."""
    assert told("I need to call the vet and book a haircut") == [(OPEN, "call vet"), (OPEN, "book haircut")]
    assert told("I need to wash towels and sheets") == [(OPEN, "towel wash"), (OPEN, "sheet wash")]


@each(
    ("text", "names"),
    [
        (
            "I've got to pay the electricity bill, return the shoes and call Mum.",
            "bill electr pay|return shoe|call mum",
        ),
        ("I need to pay the rent today, then call the bank, and book a haircut.", "pay rent|bank call|book haircut"),
        ("I'll call the bank tomorrow, pay the rent and book the flights", "bank call|pay rent|book flight"),
        ("I need to call the bank and then email Tom", "bank call|email tom"),
        ("I need to buy milk, eggs and bread", "buy milk|buy egg|bread buy"),
        ("I need to water the plants, feed the cat and take out the bins", "plant water|cat feed|bin"),
        ("I have to finish my essay, clean my room, pack", "essay finish|clean room|pack"),
        ("I need to call the bank, set me a reminder", "bank call"),
        ("I need to call Tom, text messages don't work", "call tom"),
        ("I need to call my mum, she is ill", "call mum"),
        ("I need to buy a coat, any ideas", "buy coat"),
        ("I need to wash the car, which is dirty and old", "car wash"),
    ],
)
def test_all_of_a_list_is_told(text: str, names: str) -> None:
    """Each with its verb; what follows a comma and begins with none, or is asked of whoever listens, is no part."""
    assert told(text) == [(OPEN, name) for name in names.split("|")]


def test_what_is_done_or_set_may_be_listed_too() -> None:
    """In one form of the verb, and each with its day before it."""
    done = [(DONE, name) for name in ("pay rent", "car wash", "laundri")]
    assert told("I paid the rent, washed the car and did the laundry") == done
    days = "on Monday I have a dentist appointment and on Wednesday I have a haircut"
    assert told(days) == [(APPOINTED, "appoint dentist"), (APPOINTED, "haircut")]
    assert told("On Mondays I have a yoga class") == []


@each(
    ("text", "names"),
    [
        ("Put 'buy stamps' on my to-do list.", "buy stamp"),
        ("add milk and eggs to my shopping list", "buy milk|buy egg"),
        ("Add calling the vet to my list.", "call vet"),
        ("Can you put booking the flights on my list, please?", "book flight"),
        ("todo: milk, eggs, bread, call the vet", "milk|egg|bread|call vet"),
        ("My shopping list: milk and eggs", "buy milk|buy egg"),
        ("- pay rent\n- call dentist", "pay rent|call dentist"),
        ("Remind me to call the bank tomorrow", "bank call"),
        ("todo: I love this movie", ""),
        ("add a chart to my list of figures", ""),
        ("add the numbers in this list", ""),
        ("add an item to my list", ""),
        ("put steak on my plate", ""),
        ("- keep it short", ""),
    ],
)
def test_what_is_put_on_a_list_is_to_be_done(text: str, names: str) -> None:
    """By an order, behind its name, or as one of its items; no other list is meant."""
    assert told(text) == [(OPEN, name) for name in names.split("|") if name]


def test_items_are_to_be_done_where_a_message_is_their_list() -> None:
    """Else they tell what an answer is to be like."""
    assert not is_for_now("- pay rent", "To-do:\n- pay rent\n- call dentist")
    assert not is_for_now("1. pay rent", "1. pay rent\n2. call dentist")
    assert is_for_now("- pay rent", "")
    assert is_for_now("- sort the names", "Write me a script:\n- sort the names\n- print the sums")
    assert told("- [x] pay rent") == [(DONE, "pay rent")]


def test_a_list_is_done_once_all_of_it_is() -> None:
    """Until then the rest is to be done."""
    listed = read_ending_signs("I've got to pay the electricity bill, return the shoes and call Mum.")
    assert change_of_tasks(listed, read_ending_signs("I paid the electricity bill.")) is OPEN
    all_done = "I've paid the electricity bill, returned the shoes and called Mum."
    assert change_of_tasks(listed, read_ending_signs(all_done)) is DONE


def test_a_fact_tells_of_its_person_by_name() -> None:
    """As facts do, and only where that is asked for."""
    assert told("Robin needs to call the bank", by_name=True) == [(OPEN, "bank call")]
    assert told("Robin has a vet appointment on Friday", by_name=True) == [(APPOINTED, "appoint vet")]
    assert told("Robin needs to call the bank") == []
    assert told("Robin is done with the report", by_name=True) == [(DONE, "report")]
    assert told("Robin has paid the rent.", by_name=True) == [(DONE, "pay rent")]
    assert told("rent's paid", by_name=True) == [(DONE, "pay rent")]
    assert told("Parcel is not posted yet", by_name=True) == [(OPEN, "parcel send")]
    assert told("Emma's party was moved to Sunday.", by_name=True) == [(MOVED, "emma parti")]


def test_a_name_of_one_word_is_none_of_many() -> None:
    """Else "the book" would be every book."""
    book = ToldTask(DONE, frozenset({"book"}))
    assert ToldTask(OPEN, frozenset({"read", "book"})).is_named_by(book)
    assert not ToldTask(OPEN, frozenset({"read", "poetri", "book"})).is_named_by(book)
    assert not ToldTask(OPEN, frozenset({"book"})).is_named_by(ToldTask(DONE, frozenset()))


@each(
    ("sentence", "behind", "is_now"),
    [
        ("I need to write an essay about bees", "Can you outline it?", True),
        ("I need to write an essay about bees", "", False),
        ("I need to call the dentist", "Can you tell me a joke?", False),
        ("I need to update the function", "", True),
        ("I need to update the API docs by Friday", "", False),
    ],
)
def test_what_is_done_while_one_talks_is_on_no_list(sentence: str, behind: str, is_now: bool) -> None:
    """What an assistant is asked to help with, and code of which no time is told."""
    assert is_for_now(sentence, f"{sentence}. {behind}") is is_now


@each(
    ("statement", "told"),
    [
        ("Ana needs to buy stamps and post the parcel", ["Ana needs to buy stamps", "Ana needs to post the parcel"]),
        (
            "Ana has got to pay the bill, return the shoes and call Mum",
            ["Ana has got to pay the bill", "Ana has got to return the shoes", "Ana has got to call Mum"],
        ),
        ("Ana needs to buy eggs and flour", ["Ana needs to buy eggs and flour"]),
        ("Ana has to call Ann and Ben", ["Ana has to call Ann and Ben"]),
        ("Ana must finish the report and send it to Bo", ["Ana must finish the report and send it to Bo"]),
        ("Ana bought stamps and posted the parcel", ["Ana bought stamps and posted the parcel"]),
    ],
)
def test_several_things_to_do_are_told_one_by_one(statement: str, told: list[str]) -> None:
    """Where each can be understood by itself."""
    assert tell_apart(statement) == told


@each(
    ("sentence", "items"),
    [
        (
            "On my list: creosote the fence, write to Bo and ring Alan",
            ["creosote the fence", "write to Bo", "ring Alan"],
        ),
        ("1) email HR 2) book the tour", ["email HR", "book the tour"]),
        ("By the way: eggs, milk and bread", []),
        ("This week: rain, wind and snow", []),
        ("On my list: paint the fence", []),
        ("Today: fix my car, I cried, call Bo", []),
        ("By the way: call me Bo, not Robert.", []),
    ],
)
def test_each_item_of_a_list_is_a_deed(sentence: str, items: list[str]) -> None:
    """Where one has no verb it is no list of things to do."""
    assert listed_tasks(sentence) == items
