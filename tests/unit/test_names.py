"""Names of those who take part: out of the text, found in the question."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.each import each
from yesteryear.core.language.dates import find_periods
from yesteryear.core.language.names import NameBook
from yesteryear.core.time import FIRST

TWO = NameBook.of(["Josephine", "Margaret", "user", "assistant"])
NAMES = st.sampled_from(
    "Anna|Anna Smith|Anna Jones|May|Will|Rose Parker|Jean-Luc Picard|O'Brien|j_doe92|小明|山田 太郎|민수|मीरा|José|user"
    "|🦊".split("|")
)
WORDS = st.sampled_from(
    "Anna Smith will Will May said , . ! ? 's \u2019s ( ) @ : - Hey rose Rose Jean-Luc Luc Picard in 7 O'Brien Annna"
    " Ann Josephine 小明 的 민수는 मीरा \n".split(" ")
)
TALK = st.one_of(st.text(), st.lists(WORDS, max_size=12).map(" ".join), st.lists(WORDS, max_size=12).map("".join))
AUTHORS = st.lists(st.one_of(NAMES, st.text(max_size=12)), max_size=6)


@each(
    ("text", "left"),
    [
        ("What did Josephine paint?", "What did paint?"),
        ("Josephine's dog and Margaret\u2019s cat", "dog and cat"),
        ("Hey Margaret, how are you?", "Hey, how are you?"),
        ("Hey Marg, how are you?", "Hey, how are you?"),
        ("Jos, how are you?", "how are you?"),
        ("Thanks, Josephine!", "Thanks!"),
        ("She (Josephine) came.", "She came."),
        ("hi @josephine", "hi"),
        ("Josephine: hello\nMargaret: hi", "hello\nhi"),
        ("I asked Josephine. Margaret knew.", "I asked. knew."),
        ("MARGARET and margaret", "and"),
    ],
)
def test_names_leave_without_a_trace(text: str, left: str) -> None:
    """With possessive endings, signs around them, and clear short forms."""
    assert TWO.strip(text) == left


@each("text", ["Josephine", "Josephine!", "  Margaret's ", "", "   ", "Nobody  here ,  but us\n"])
def test_text_without_names_or_of_names_alone_stays(text: str) -> None:
    """Nothing is embedded empty, and nothing is tidied for its own sake."""
    assert TWO.strip(text) == text


def test_a_book_without_names_changes_nothing() -> None:
    """Roles are no names."""
    book = NameBook.of(["user", "assistant", "Speaker 2", "AI", "", " ", "42", "-", "🦊", "me"])
    text = "You and the user asked me, the AI, 42 - 2"
    assert book.strip(text) == text
    assert book.mentioned("Did the user or Speaker 2 say so?") == frozenset()


def test_full_names_first_names_and_surnames() -> None:
    """Who share a name are both meant, unless the full name tells."""
    smith, jones = "Anna Smith", "Anna Jones"
    book = NameBook.of([smith, jones])
    assert book.mentioned("What did Anna say?") == {smith, jones}
    assert book.mentioned("What did anna jones say?") == {jones}
    assert book.mentioned("What did Jones say?") == {jones}
    assert book.mentioned("Nothing") == frozenset()
    text = "I met Anna Smith and Anna."
    assert book.strip(text) == "I met and."


def test_titles_and_asides_are_no_names() -> None:
    """Nor is a word in small letters a surname."""
    book = NameBook.of(["Dr. Ludmila Orlova (work)", "tamsin at home"])
    assert book.mentioned("Is the doctor at work or at home?") == frozenset()
    text = "work with Orlova at home"
    assert book.strip(text) == "work with at home"


def test_short_forms_must_be_clear() -> None:
    """Not where two first names begin so, and not what is a word."""
    book = NameBook.of(["Josephine", "Joseph", "Theresa", "Hermione"])
    assert book.mentioned("What did Jos say?") == frozenset()
    assert book.mentioned("Where is The one that Her liked?") == frozenset()
    assert book.mentioned("Did There go Hermi?") == {"Hermione"}
    assert TWO.mentioned("She is marg") == frozenset()
    assert TWO.mentioned("Marginal notes") == frozenset()


@each("question", ["Where does Josephina live?", "Jsephine's house", "what is josehpine's job?", "hi margarete, well?"])
def test_names_with_one_letter_wrong_are_found(question: str) -> None:
    """Capitalised, owning something, or called."""
    assert len(TWO.mentioned(question)) == 1


@each("question", ["a josefine in small letters", "Jozefine und Mergarat", "Where is Joe?"])
def test_other_words_are_not_taken_for_misspelt_names(question: str) -> None:
    """Two letters wrong, too short, or nothing that shows a name."""
    assert TWO.mentioned(question) == frozenset()


@each(
    ("question", "author"),
    [
        ("What did May say?", "May"),
        ("May's garden", "May"),
        ("Will said no", "Will"),
        ("Did I tell Will?", "Will"),
        ("Rose, are you there?", "Rose"),
        ("What did May do in May?", "May"),
    ],
)
def test_names_that_are_words_count_where_they_read_as_names(question: str, author: str) -> None:
    """Capitals inside a sentence, a possessive, a verb or comma after them."""
    assert NameBook.of(["May", "Will", "Rose"]).mentioned(question) == {author}


@each(
    "question",
    [
        "May I ask?",
        "Will you come?",
        "what will happen in may",
        "I saw him in May",
        "on May 7",
        "7 May",
        "a rose garden",
        "Rose petals fell",
    ],
)
def test_words_that_are_names_elsewhere_stay_words(question: str) -> None:
    """A verb, a month, a flower."""
    book = NameBook.of(["May", "Will", "Rose"])
    assert book.mentioned(question) == frozenset()
    assert book.strip(question) == question


@each(
    ("author", "text", "left"),
    [
        ("小明", "小明昨天说了什么？", "昨天说了什么？"),
        ("山田 太郎", "太郎さんは元気？", "さんは元気？"),
        ("민수", "민수는 어디 살아?", "는 어디 살아?"),
        ("मीरा", "कल मीरा कहाँ थी?", "कल कहाँ थी?"),
        ("Анна Каренина", "Анна, где Каренина?", "где?"),
        ("משה", "איפה משה גר?", "איפה גר?"),
        ("José", "What did Jose say to JOSE\u0301?", "What did say to?"),
        ("Jean-Luc Picard", "Jean-Luc's ship, jean luc", "ship"),
        ("Siobhán O'Brien", "Ask O\u2019Brien today", "Ask today"),
        ("j_doe92", "did @j_doe92 post?", "did post?"),
    ],
)
def test_names_of_all_kinds(author: str, text: str, left: str) -> None:
    """Scripts without capitals or spaces, accents, hyphens, apostrophes, handles."""
    book = NameBook.of([author])
    assert book.mentioned(text) == {author}
    assert book.strip(text) == left


def test_months_among_the_names_are_told_to_the_dates() -> None:
    """One book serves both."""
    book = NameBook.of(["May Chen", "June"])
    assert book.folded == {"may", "chen", "june"}
    assert find_periods("Was it before May left?", now=FIRST.replace(year=2023), zone=None, names=book.folded) == ()


@given(AUTHORS, TALK)
def test_stripping_is_safe_for_any_text(authors: list[str], text: str) -> None:
    """Twice is once, and something always stays."""
    book = NameBook.of(authors)
    left = book.strip(text)
    assert book.strip(left) == left
    assert bool(left) == bool(text)
    assert len(left) <= len(text)


@given(AUTHORS, TALK)
def test_only_authors_are_mentioned(authors: list[str], text: str) -> None:
    """And their order in the book does not matter."""
    found = NameBook.of(authors).mentioned(text)
    assert found <= set(authors)
    assert found == NameBook.of(reversed(authors)).mentioned(text)
