"""Which words show by themselves who somebody is and who is close to them."""

from __future__ import annotations

from tests.each import each
from yesteryear.core.language.told.called import close_one, is_of_pet, pets_named, shows_attribute, telling_part


@each(
    ("words", "attribute", "shows"),
    [
        ("been living in Lagos since 2019", "home", True),
        ("home sweet home lol", "home", False),
        ("I'm a structural engineer", "job", True),
        ("it was such a long day", "job", False),
        ("final year of nursing now", "studies", True),
        ("handed in the essay at last", "studies", False),
        ("I have three brothers", "sibling", True),
        ("a dad at the school gate said hi", "parent", False),
        ("we have an old tabby", "pet", True),
        ("I saw a dog in the park", "pet", False),
        ("just turned 30", "age", True),
        ("I'm 41 and tired", "age", True),
        ("82.4 this morning", "age", False),
        ("I'm 5 minutes away", "age", False),
        ("I like tea", "drink", False),
    ],
)
def test_words_show_what_they_were_read_as_or_do_not(words: str, attribute: str, *, shows: bool) -> None:
    """Whatever a reader took them for."""
    assert shows_attribute(words, attribute) is shows


@each(
    ("words", "attribute", "part"),
    [
        ("Had a storm. I live in Ghent.", "home", "I live in Ghent."),
        ("I live in Ghent. The tram is late.", "home", "I live in Ghent."),
        ("Mum rang. She lives in Cork.", "trip", "Mum rang. She lives in Cork."),
        ("… My wife Jo sings.", "", "My wife Jo sings."),
        ("Ok then.", "job", "Ok then."),
    ],
)
def test_of_several_sentences_that_is_told_which_tells_it(words: str, attribute: str, part: str) -> None:
    """With the one before it where it points back."""
    assert telling_part(words, attribute, "Ana") == part


@each(
    ("statement", "close"),
    [
        ("my brother Tomas is a plumber", ("sibling", "tomas")),
        ("Ana's husband Luis cooks", ("partner", "luis")),
        ("my boss Ines is away", ("", "")),
        ("my ex-wife Lara called", ("", "")),
        ("I saw Tomas", ("", "")),
    ],
)
def test_somebody_close_is_named_by_tie(statement: str, close: tuple[str, str]) -> None:
    """Nobody from work, and nobody who was it once."""
    assert close_one(statement, "Ana") == close


@each(
    ("words", "holder", "is_of"),
    [
        ("our dog is on antibiotics", "", True),
        ("Bess has an ear infection", "", True),
        ("had a seizure", "Bess", True),
        ("had a seizure", "the cat", True),
        ("she was at the vet's with a chronic cough", "", True),
        ("I have asthma, so no dogs", "", False),
        ("I work at the vet's and I have lupus", "", False),
        ("my lab partner has epilepsy", "", False),
        ("my mum's cat allergy is a chronic illness", "mum", False),
    ],
)
def test_words_are_about_a_pet_or_about_a_person(words: str, holder: str, *, is_of: bool) -> None:
    """By whose they are and how they begin, not because an animal turns up in them."""
    pets = pets_named("Ana's dog is an old collie called Bess", "Ana")
    assert pets == {"bess"}
    assert is_of_pet(words, holder, pets) is is_of
