"""How a statement is told: plainly, as the words said, or as an answer; never in a mangled third person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.each import each
from tests.readings import stated
from yesteryear.core.attributes import FactKind
from yesteryear.core.fact import Form, stands_alone
from yesteryear.core.reading import Before, SpeakerStance, Whose
from yesteryear.providers.local.facts.forms import (
    MOST_QUOTED_WORDS,
    NEWS_WORTH,
    ClarityPolicy,
    tell,
)
from yesteryear.providers.local.facts.said import SaidStatement, holder_of, is_of, whose
from yesteryear.testing.builders import NOON

ASKED = Before("assistant", "Good to know. Any allergies?")
NADIA = Before("me", "My sister Nadia came by.")


def said(text: str, words: str = "", *before: Before, earlier: Sequence[str] = (), **changes: object) -> SaidStatement:
    """Return a statement of Joel's in its place; ``earlier`` is what he said in his last message."""
    return SaidStatement(text, stated(text, words, **changes), "Joel", NOON, None, before, earlier=[earlier])


def told(statement: SaidStatement) -> tuple[Form, str]:
    """Return form and words of a statement that can be told."""
    found = tell(statement)
    assert found is not None
    return found


@each(
    ("text", "statement"),
    [
        ("I'm a vegetarian", "Joel is a vegetarian"),
        ("my landlord still refuses to repair the heating", "Joel's landlord still refuses to repair the heating"),
        ("I moved to Leith yesterday.", "Joel moved to Leith on 1 March 2026"),
    ],
)
def test_a_simple_sentence_of_oneself_is_turned_round(text: str, statement: str) -> None:
    """With its speaker's name, and days by their date."""
    assert told(said(text)) == (Form.PLAIN, statement)


@each(
    "text",
    [
        "I left the café because they never paid me",
        "I told Nadia we would think about your plan",
        "I am off coffee (doctor's orders)",
        "It's my birthday and I'm turning forty",
        "tbh I only work nights",
        "I am Joel, 37",
        "I like " + "very " * 20 + "old maps",
    ],
)
def test_what_is_not_simple_or_names_not_everybody_is_quoted(text: str) -> None:
    """Word for word: a quote is never false."""
    assert told(said(text)) == (Form.QUOTE, f'Joel said: "{text.strip()}"')


def test_what_plainly_tells_of_its_speaker_hangs_on_nothing() -> None:
    """Whatever the reader says, and whatever is said behind it."""
    vegetarian = said("I'm vegetarian now, Ellie talked me into it.", "I'm vegetarian now", is_alone=False)
    assert told(vegetarian) == (Form.PLAIN, "Joel is vegetarian now")
    sprained = said("sprained my ankle on the stairs", earlier=["We moved house."], is_alone=False)
    assert told(sprained) == (Form.PLAIN, "Joel sprained their ankle on the stairs")


def test_a_name_within_a_word_is_not_told_twice() -> None:
    """As in "always"."""
    statement = replace(said("I always run in the mornings"), author="al")
    assert told(statement) == (Form.PLAIN, "al always runs in the mornings")


def test_what_needs_its_day_is_quoted_with_it() -> None:
    """Which Friday is meant is unsure; the day is that of the person, whose Tuesday it is already."""
    statement = replace(said("I fly to Rome next friday"), zone="Pacific/Auckland")
    assert told(statement) == (Form.QUOTE, 'Joel said on 2026-03-03: "I fly to Rome next friday"')


def test_a_quote_tells_of_whom_and_when() -> None:
    """Where the words name nobody, and where they speak of a day; what points back takes the sentence before along."""
    of_nadia = said("she'd had her baby yesterday", "", NADIA, earlier=[NADIA.text], whose=Whose.OTHER, name="Nadia")
    words = "My sister Nadia came by. she'd had her baby yesterday"
    assert told(of_nadia) == (Form.QUOTE, f'Joel said on 2026-03-02: "{words}"')
    text = "Nadia was at the door. I was late as ever. she'd had her baby yesterday"
    of_nadia = said(text, "she'd had her baby yesterday", whose=Whose.OTHER, name="Nadia")
    nearest = "Nadia was at the door. … she'd had her baby yesterday"
    assert told(of_nadia) == (Form.QUOTE, f'Joel said on 2026-03-02: "{nearest}"')


def test_a_tie_with_an_s_is_named_already() -> None:
    """Whose it is goes by the tie that opens it, and is not told twice."""
    assert told(said("Dad's off the tablets, his doctor stopped them.", whose=Whose.OTHER)) == (
        Form.QUOTE,
        'Joel said: "Dad\'s off the tablets, his doctor stopped them."',
    )


def test_what_hangs_on_the_sentence_before_takes_it_along() -> None:
    """Of the same speaker, in the message or the one before; marks and lines of its own do not end the quote."""
    text = 'We looked at the "big" flat\nThat one was far too dear.'
    assert told(said(text, "That one was far too dear.", is_alone=False)) == (
        Form.QUOTE,
        "Joel said: \"We looked at the 'big' flat. That one was far too dear.\"",
    )
    later = said("That one was far too dear.", is_alone=False, earlier=["We looked at the flat"])
    assert told(later)[1] == 'Joel said: "We looked at the flat. That one was far too dear."'


def test_what_says_of_itself_who_does_what_hangs_on_no_other_message() -> None:
    """Whatever the reader says of it; a sentence that points at something does."""
    earlier = ("I was born in Bath.",)
    assert told(said("I have two kids here", earlier=earlier, is_alone=False))[1].count("Bath") == 1
    assert told(said("I have two young kids", earlier=earlier, is_alone=False)) == (
        Form.PLAIN,
        "Joel has two young kids",
    )


def test_what_is_only_pointed_at_is_told_with_what_it_is() -> None:
    """Where "this" names nothing alone, as "this week" does; and thanks to somebody make nothing clear."""
    text = "We had clay left over. Thanks, Nia! I painted this after the course."
    assert "clay" in told(said(text, "I painted this after the course."))[1]
    assert "Thanks" not in told(said(text, "I painted this after the course."))[1]
    for alone in ("I painted all this week.", "I love this flat in Leith."):
        assert "clay" not in told(said(f"We had clay left over. {alone}", alone))[1]


def test_it_is_told_with_what_says_something_and_was_meant() -> None:
    """Filler is passed over, and what was not meant as it stands ends it."""
    text = "The gearbox is stuffed. I quit. Haha. 4800 bucks."
    statement = said(text, "4800 bucks.", is_alone=False)
    assert told(statement)[1] == 'Joel said: "The gearbox is stuffed. I quit. … 4800 bucks."'
    joke = text.index("I quit")
    assert told(replace(statement, not_meant=[(joke, joke + 7)]))[1] == 'Joel said: "4800 bucks."'


@each("text", ["I have cancer. Not. it was a cold.", "I'm pregnant. no. it was the pizza."])
def test_a_denial_is_never_left_out(text: str) -> None:
    """Whatever stands before it would be told as so."""
    assert text.partition(". ")[2] in told(said(text, text.rpartition(". ")[2], is_alone=False))[1]


def test_what_takes_something_back_comes_with_it() -> None:
    """Where there is room for one thing before a statement, too."""
    statement = said("I have cancer. No. it was a cold.", "it was a cold.", is_alone=False)
    _, words = tell(statement, policy=ClarityPolicy(most=1)) or ("", "")
    assert words == f'Joel said: "{statement.text}"'


def test_a_denial_that_opens_the_next_message_is_not_left_out_either() -> None:
    """Told without it, the message before would be taken for true."""
    statement = said("no. it was a cold.", "it was a cold.", is_alone=False, earlier=["I have cancer."])
    assert told(statement)[1] == 'Joel said: "I have cancer. no. it was a cold."'


def test_what_goes_on_from_another_message_takes_along_what_makes_it_clear() -> None:
    """Not what only stands nearer, nor what was said before something that was not meant."""
    earlier = ["The gearbox of the van is stuffed", "I am so tired"]
    clear = said("4800 bucks.", earlier=earlier)
    assert told(clear)[1] == 'Joel said: "The gearbox of the van is stuffed. I am so tired. 4800 bucks."'
    short = ClarityPolicy(most=1)
    assert tell(clear, policy=short) == (Form.QUOTE, 'Joel said: "The gearbox of the van is stuffed … 4800 bucks."')
    text = "I quit. 4800 bucks."
    after_joke = said(text, "4800 bucks.", is_alone=False, earlier=earlier)
    assert told(replace(after_joke, not_meant=[(0, 7)]))[1] == 'Joel said: "4800 bucks."'


def test_a_question_that_hangs_on_more_is_asked_where_there_is_nothing_else() -> None:
    """Who reads "your chest?" learns little by it."""
    asked, text = Before("them", "Your chest?"), "ok, my chest hates the cat. asthma."
    assert told(said(text, "asthma.", asked, is_alone=False))[1] == f'Joel said: "{text}"'
    assert told(said("asthma.", "", asked))[1] == 'Asked "Your chest?", Joel said: "asthma."'
    assert told(said("asthma.", "", Before("them", "Any illness of the lungs?")))[0] is Form.ANSWER


def test_an_answer_tells_what_was_asked() -> None:
    """The last question alone, of somebody else."""
    assert told(said("Nuts.", "", ASKED, is_alone=False)) == (Form.ANSWER, 'Asked "Any allergies?", Joel said: "Nuts."')


@each("before", [(), (Before("me", ""),), (Before("assistant", "I see."),)])
@each("text", ["Nuts.", "she can't have any more of those"])
def test_what_nobody_could_understand_is_not_told(text: str, before: tuple[Before, ...]) -> None:
    """A few words that answer nothing, and what is said of somebody whom nobody named."""
    assert tell(said(text, "", *before, is_alone=False, whose=Whose.OTHER, worth=NEWS_WORTH - 0.01)) is None


def test_plans_of_whom_nobody_named_are_not_told() -> None:
    """They would stand among what the speaker has to do."""
    assert tell(said("she's moving out", is_alone=False, whose=Whose.OTHER, stance=SpeakerStance.PLANNED)) is None
    assert tell(said("she has to pay", is_alone=False, whose=Whose.OTHER, kind=FactKind.GOAL)) is None


def test_what_may_harm_is_told_though_it_is_only_pointed_at() -> None:
    """But for what denies, of which it is not known what."""
    assert told(said("turns out it's coeliac", is_alone=False)) == (Form.QUOTE, 'Joel said: "turns out it\'s coeliac"')
    assert tell(said("it's not an allergy", is_alone=False)) is None


@each(
    ("text", "whose", "statement"),
    [
        ("he proposed!", Whose.OTHER, 'Joel said of somebody: "he proposed!"'),
        ("her mum died", Whose.OTHER, 'Joel said of somebody: "her mum died"'),
        ("she's left me", Whose.SELF, 'Joel said: "she\'s left me"'),
    ],
)
def test_news_is_told_though_nobody_is_named(text: str, whose: Whose, statement: str) -> None:
    """As it was said, and of somebody: a quote is never false."""
    assert told(said(text, is_alone=False, whose=whose, worth=NEWS_WORTH)) == (Form.QUOTE, statement)


@each("text", ["she's allergic to eggs", "turns out he's coeliac", "her epilepsy is back"])
def test_what_may_harm_is_said_of_somebody(text: str) -> None:
    """Though nobody says of whom, and whatever it is worth: what keeps somebody safe is never lost."""
    assert told(said(text, is_alone=False, whose=Whose.OTHER, worth=0.6)) == (
        Form.QUOTE,
        f'Joel said of somebody: "{text}"',
    )


@each("text", ["Maybe I will.", "yes, I did", "I was there too", "working on it."])
@each("before", [(), (Before("them", "Really?"),)])
def test_what_says_nothing_is_not_told(text: str, before: tuple[Before, ...]) -> None:
    """Words of any talk; but for the answer to a question that says what it is about."""
    assert tell(said(text, "", *before)) is None
    assert told(said(text, "", Before("them", "Did you see the parade on the harbour?")))[0] is Form.ANSWER


@each("text", ["I've got MS", "I'm in NZ", "I'm 34", "back's fine again"])
def test_little_is_something(text: str) -> None:
    """Two letters may be an illness, or a country; what fills any talk may be a part of the body."""
    assert told(said(text))


def test_a_few_words_of_oneself_are_quoted() -> None:
    """Whose they are is known, if not what they answer."""
    assert told(said("Nuts.", is_alone=False)) == (Form.QUOTE, 'Joel said: "Nuts."')


def test_a_long_quote_is_cut() -> None:
    """And says so."""
    form, statement = told(said("sail " * 300))
    assert form is Form.QUOTE
    assert statement.endswith(' …"')
    assert statement.count("sail") == MOST_QUOTED_WORDS


@each(
    ("statement", "name"),
    [
        (said("my sister Nadia is a nurse", whose=Whose.OTHER, name="nadia"), "Nadia"),
        (said("my mum is a nurse", whose=Whose.OTHER, name="mum"), "mum"),
        (said("she is a nurse", "", NADIA, whose=Whose.OTHER, name="Nadia"), "Nadia"),
        (said("my mum is a nurse", whose=Whose.OTHER), "mum"),
        (said("The baby only gets the bottle now.", whose=Whose.OTHER), "baby"),
        (said("Dad and I are off the tablets", whose=Whose.OTHER), ""),
        (said("lives in Hull", "", NADIA, whose=Whose.OTHER, name="Nadia"), ""),
        (said("Nadia called. lives in Hull", "lives in Hull", whose=Whose.OTHER, name="Nadia"), ""),
        (said("Nadia called. she's in Hull", "she's in Hull", whose=Whose.OTHER, name="Nadia"), "Nadia"),
        (said("the nurse knows she will", "", NADIA, whose=Whose.OTHER, name="Nadia"), ""),
        (said("she is a nurse", whose=Whose.OTHER, name="Monday"), ""),
        (said("my nephew got a top mark, he is ten", whose=Whose.OTHER, name="Mark"), "nephew"),
        (said("my mother-in-law can't have nuts", whose=Whose.OTHER, name="mother"), "mother-in-law"),
        (said("Josh plays hockey on Saturdays", "", NADIA, whose=Whose.OTHER, name="Nadia"), "Josh"),
        (said("My brother Alan drives a truck", "", NADIA, whose=Whose.OTHER, name="Nadia"), "Alan"),
        (said("My boss is Mr. Chen. He wants it by May", "He wants it by May", whose=Whose.OTHER, name="Ed"), "boss"),
        (said("My sister's friend came. She has asthma", "She has asthma", NADIA, whose=Whose.OTHER, name="Nadia"), ""),
        (said("My brother met Tom. He is a plumber", "He is a plumber", whose=Whose.OTHER, name="Tom"), "Tom"),
        (said("Joel is what she calls me", whose=Whose.OTHER, name="Joel"), ""),
        (said("dads knee is bad", whose=Whose.OTHER, name="dads"), "dad"),
        (said("my dad has a wife. shes ill", "shes ill", whose=Whose.OTHER, name="dad"), ""),
        (said("My mum saw Al. He has asthma", "He has asthma", whose=Whose.OTHER, name="mum"), ""),
        (said("mum in law is ill", whose=Whose.OTHER, name="mum"), ""),
        (said("mum rang. shes ill", "shes ill", whose=Whose.OTHER), "mum"),
        (said("I am a nurse", name="Nadia"), ""),
    ],
)
def test_whose_it_is_goes_by_name_or_tie(statement: SaidStatement, name: str) -> None:
    """As the reader points at it, where a name in the words, or a pronoun that takes one up, bears that out."""
    assert whose(statement) == name


def test_safety_is_of_whom_it_begins_with_whoever_it_was_read_of() -> None:
    """But not where it is the speaker's, too."""
    for text, of in (("my sisters on the pill", "sister"), ("my wife's allergic to nuts and so am I", "")):
        statement = said(text)
        assert whose(replace(statement, read=replace(statement.read, attribute="allergy"))) == of


@each(
    "text",
    [
        "my boyfriends mum is ill",
        "my kids dad died",
        "devs mum has gout",
        "mums boyfriend has gout",
        "ellas best friend is ill",
        "my dad met a woman, shes ill",
        "my boss has a son, he died",
        "dad told mum hes ill",
    ],
)
def test_what_is_so_of_anothers_or_may_be_is_of_none_that_is_known(text: str) -> None:
    """Somebody else's mother is not one's own, and "she" may be the one who was just brought in."""
    statement = said(text, whose=Whose.OTHER, name="mum")
    assert not is_of(statement, holder_of(statement))


@each("text", ["Mondays mum is at dialysis", "yes dad is ill", "my mum is ill", "that's mum's car"])
def test_what_begins_with_another_word_in_s_is_of_ones_own(text: str) -> None:
    """No mum is of Mondays."""
    assert holder_of(said(text, whose=Whose.OTHER, name="dad" if "dad" in text else "mum")) in ("mum", "dad")


@each(
    ("statement", "words"),
    [
        (said("Sam is my brother", earlier=["I bought bread."]), "Sam is Joel's brother"),
        (said("Kim's my boss.", earlier=["I bought bread."]), "Kim's Joel's boss"),
        (said("Mia turned four", earlier=["I bought bread."], whose=Whose.OTHER), "Mia turned four"),
        (said("Emily got the permit", whose=Whose.OTHER), "Emily got the permit"),
        (said("Alan passed, he is a sergeant now", whose=Whose.OTHER), "Alan passed, he is a sergeant now"),
        (said("mums on a new dose", earlier=["I bought bread."], whose=Whose.OTHER), "Joel's mum's on a new dose"),
        (said("priya hates figs", whose=Whose.OTHER, name="priya"), "Priya hates figs"),
        (said("devs moving out", earlier=["dev lives here"], whose=Whose.OTHER, name="devs"), "Dev's moving out"),
    ],
)
def test_who_is_named_first_is_told_of_plainly(statement: SaidStatement, words: str) -> None:
    """Whatever was said before, and though the reader thinks it hangs on that."""
    assert told(replace(statement, read=replace(statement.read, is_alone=False))) == (Form.PLAIN, words)


@each(
    "text",
    [
        "Mark got a new job, he likes the people",
        "I don't teach maths any more, they put me in charge of year nine",
        "Dad's cast is off.",
        "We stopped bringing the meals.",
    ],
)
def test_a_first_clause_that_says_who_does_what_is_enough(text: str) -> None:
    """What follows takes up what that tells of: nothing said before is told with it."""
    statement = said(text, earlier=["I bought bread."], whose=Whose.OTHER)
    statement = replace(statement, read=replace(statement.read, is_alone=False))
    assert told(statement)[1] in (
        f'Joel said: "{text}"',
        text.rstrip("."),
        f"Joel's {text[:1].lower()}{text[1:].rstrip('.')}",
    )


def test_what_points_at_nothing_that_is_told_is_no_statement() -> None:
    """Nobody was asked, and the speaker had said nothing before."""
    assert tell(said("hate it, honestly", is_alone=False)) is None


@each(
    "statement",
    [
        said("Zoe changed her mind, she wants to join the police.", whose=Whose.OTHER, name="Zoe"),
        said("My wife dropped her Polish course."),
        said("They let me go home today."),
        said("I've given up Italian, it's Greek for me now."),
        said("Handed in the thesis this morning!", is_alone=False),
        said("I sleep till seven these days."),
        said("not going to Spain anymore", is_alone=False),
        said("no longer a smoker", is_alone=False),
    ],
)
def test_what_points_within_the_sentence_is_told(statement: SaidStatement) -> None:
    """At somebody who is named before it, at the speaker's own clause, at whoever it was, or at the time of day."""
    assert told(statement)


@each(
    "text",
    [
        "not anymore",
        "no longer",
        "She changed her mind, she wants to join the police.",
        "told her yesterday, honestly",
        "they were late",
    ],
)
def test_what_points_out_of_the_sentence_is_not(text: str) -> None:
    """Where nobody is named whom it may mean, and it is no news."""
    assert tell(said(text, is_alone=False, whose=Whose.OTHER, worth=NEWS_WORTH - 0.01)) is None


def test_a_name_within_a_word_is_nobody() -> None:
    """Al is not named in "all": what was said of him before is told along."""
    _, words = told(said("all that he paints", earlier=["My friend Al called."], whose=Whose.OTHER, name="Al"))
    assert words == 'Joel said: "My friend Al called. all that he paints"'


@each("kind", FactKind)
@each(
    "statement",
    [
        said("I'm a vegetarian"),
        said("my sister Nadia is a nurse", whose=Whose.OTHER, name="Nadia"),
        said("she had her baby", "", NADIA, earlier=[NADIA.text], whose=Whose.OTHER, name="Nadia"),
        said("Nuts.", "", ASKED, is_alone=False),
        said("hate mornings, honestly", is_alone=False),
    ],
)
def test_every_form_stands_alone(kind: FactKind, statement: SaidStatement) -> None:
    """Whatever kind of statement it is."""
    placed = SaidStatement(
        statement.text,
        stated(statement.text, whose=statement.read.whose, name=statement.read.name, kind=kind),
        *("Joel", NOON, None, statement.before, (), statement.earlier),
    )
    form, words = told(placed)
    assert stands_alone(words, "Joel", form, holder=whose(placed))
