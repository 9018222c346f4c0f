"""What is liked and disliked, what somebody went off, and what only sounds like it."""

from __future__ import annotations

import pytest

from tests.each import each
from yesteryear.core.language.told.tastes import find_tastes, taste_name

LIKES, DISLIKES = True, False


def tastes(text: str) -> dict[str, bool]:
    """Return the things that a text tells of by name, and whether each is liked."""
    return {taste.thing: taste.is_liked for taste in find_tastes(text) if taste.is_lasting}


@each(
    ("text", "thing", "is_liked"),
    [
        ("I really like cardamom", "cardamom", LIKES),
        ("honestly i'm not into golf", "golf", DISLIKES),
        ("love rain, hate drizzle", "drizzle", DISLIKES),
        ("Big fan of Nina Simone", "Nina Simone", LIKES),
        ("My favourite painter is Hopper", "Hopper", LIKES),
        ("Ella has really grown on me", "Ella", LIKES),
        ("Gone off liquorice completely", "liquorice", DISLIKES),
        ("I used to love karaoke", "karaoke", DISLIKES),
        ("I used to hate swimming", "swimming", LIKES),
        ("I used to adore skating and I still do", "skating", LIKES),
        ("I don't like oysters any more", "oysters", DISLIKES),
        ("Opera doesn't do it for me", "Opera", DISLIKES),
        ("Cricket isn't my thing", "Cricket", DISLIKES),
        ("I find yoga a bit boring", "yoga", DISLIKES),
        ("I've never been keen on beetroot", "beetroot", DISLIKES),
        ("Birmingham I don't like", "Birmingham", DISLIKES),
        ("I've come round to tofu", "tofu", LIKES),
        ("im over crosswords", "crosswords", DISLIKES),
        ("It makes me think how much I like Bach", "Bach", LIKES),
        ("I enjoy films, especially westerns", "westerns", LIKES),
        ("I'm a dog person", "dog", LIKES),
        ("not much of a musicals fan, but I'm a jazz fan", "jazz", LIKES),
        ("I've come round to Leeds, would you believe", "Leeds", LIKES),
        ("Funny, I've gone right off marzipan", "marzipan", DISLIKES),
        ("I'm back to loving chess", "chess", LIKES),
        ("mushrooms are slowly growing on me", "mushrooms", LIKES),
        ("Not gonna lie, country music has grown on me", "country music", LIKES),
        ("olives aren't so bad actually", "olives", LIKES),
        ("Turns out olives aren't that bad after all", "olives", LIKES),
        ("brussel sprouts aren't as bad as I remembered", "brussel sprouts", LIKES),
    ],
)
def test_tastes_are_told(text: str, thing: str, is_liked: bool) -> None:
    """In plain words and in chat."""
    assert tastes(text)[thing] is is_liked


@each(
    ("text", "thing", "told"),
    [
        ("Have you heard Solange? I really like her music.", "Solange's music", "I really like Solange's music"),
        ('Just watched "Paris, Texas" and really loved it!', "Paris, Texas", "I really loved Paris, Texas"),
        ("We saw *Heat* again. I love that film.", "Heat", "I love Heat"),
        ("I used to hate Tom Waits, but now I like him", "Tom Waits", "I like Tom Waits"),
        ("Hey Nia, we played this game Catan. I love it!", "Catan", "I love Catan"),
        ("Ozark! I love it.", "Ozark", "I love Ozark"),
        ("We watched Blade, Alien. I love it.", "Alien", "I love Alien"),
        ("Have you seen Love Actually? I love it", "Love Actually", "I love Love Actually"),
        ("I used to like Tom Waits, but I don't like him now", "Tom Waits", "I used to like Tom Waits"),
        ("I like Ada Lee films, but I've gone off her acting.", "Ada Lee's acting", "I've gone off Ada Lee's acting"),
        ("I like how Ada Lee tells a story", "Ada Lee", "I like how Ada Lee tells a story"),
    ],
)
def test_what_was_named_before_is_named(text: str, thing: str, told: str) -> None:
    """By the title it has, or by whom was spoken of last; of two tellings the clearer stands."""
    assert [(taste.thing, taste.told) for taste in find_tastes(text)] == [(thing, told)]


@each(
    ("text", "thing"),
    [
        ("my friend Sarah loves horror movies but I can't stand them", "horror movies"),
        ("My friend Sarah loves horror movies. I can't stand them.", "horror movies"),
        ("Tom likes his new flat but I don't like it", "Tom's new flat"),
        ("My brother likes his new flat but I don't like it", "my brother's new flat"),
        ("My parents love their new house but I hate it", "my parents' new house"),
        ("Tom's really into techno, I hate it", "techno"),
        ("my wife Ann can't stand coriander, but I like it", "coriander"),
        ("Nobody likes sprouts but I love them", "sprouts"),
        ("Sarah is obsessed with Radiohead but I can't stand them", "Radiohead"),
        ("We went to Rome with Sarah and I loved it", "Rome"),
        ("I work with Python and I love it", "Python"),
        ("It looks like Arsenal won, I love them", "Arsenal"),
        ("I saw The Killers with Jo and I loved them", "The Killers"),
        ("I love Heat. Sarah hates it, but I still love it", "Heat"),
    ],
)
def test_a_thing_is_never_somebody(text: str, thing: str) -> None:
    """What another likes comes before who that is."""
    assert [taste.thing for taste in find_tastes(text)] == [thing]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "Mum made risotto and I love it",
            "Jo says olives are great but I hate them",
            "My friend Al is fun, I love it",
        ),
        *("I read Sarah's new book and I love it", "My friend Sarah loves horror but I can't stand them"),
        *("I'd like a window seat", "I like how you put that", "I love you", "love it!", "I like your idea"),
        *("do I like jazz?", "if I like jazz I'll say so", "she says I hate dogs", "I hate it when it rains"),
        *(
            "My brother likes jazz",
            "I like it here",
            "like, whatever",
            "I'm over 60",
            "I'm a morning person",
            "I'm a good person",
            "I like to think so",
        ),
        *("I'm over the moon about it", "I went off the road", "hate speech is a problem here"),
        *("I hate my mum right now", "I hated olives as a kid", "I can't bear children", "A mole has grown on me"),
        *("Love and kindness can be found everywhere", "Love is magical", "Enjoy the good weather tomorrow!"),
        *(
            "Thanks, Nia! I love it!",
            "Yeah, I love it.",
            "Actually, I'm done with that.",
            "I love it when you sing",
            "I hate how Dave chews",
            "Migraines aren't so bad now",
            "The rash is growing on me",
            "I'm into making this lately",
        ),
        *("Wow, Nia, that's amazing! Love all the details", "I love seeing them eat fruit"),
        *("It looks like rain", "I'm tired of waiting", "I love this song", "I enjoyed talking to you"),
    ],
)
def test_what_only_sounds_like_a_taste(text: str) -> None:
    """Nobody could say next month what is liked, or it was never said."""
    assert tastes(text) == {}


@each(
    ("one", "other"),
    [
        ("Gareth Edwards' work", "Gareth Edwards"),
        ("Ólafur Arnalds' music", "Ólafur Arnalds"),
        ("Simone de Beauvoir's writing", "Simone de Beauvoir"),
        ("books by Ali Smith", "Ali Smith's novels"),
        ("folk music", "folk"),
        ("films that deal with grief", "films about grief"),
    ],
)
def test_one_thing_has_one_name(one: str, other: str) -> None:
    """Whatever kind of thing it is called."""
    assert taste_name(one) == taste_name(other) != ""


def test_two_things_have_two_names() -> None:
    """A word more is another thing."""
    assert taste_name("indie folk") != taste_name("folk")
    assert taste_name("my dad's cooking") != taste_name("my dad")
    assert taste_name("Radiohead's new album") != taste_name("Radiohead")
    assert taste_name("some music") == ""


def test_a_run_of_capitals_is_read_in_linear_time() -> None:
    """Whoever shouts must not keep a process busy for years."""
    assert tastes(f"I love {'A' * 200} so much") == {"A" * 200: True}
