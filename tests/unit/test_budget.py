"""What fits into a budget."""

from __future__ import annotations

from yesteryear.recall.budget import (
    ENOUGH,
    NO_ROOM,
    REPEATS,
    Candidate,
    LanePolicy,
    Packed,
    Rendering,
    Wrap,
    pack,
    shown_line,
)

NO_FRAME = ("", "")
PLAIN = {"talk": (LanePolicy(), NO_FRAME)}


def an_offer(item: int, worth: float = 0.0, tokens: int = 10, **more: object) -> Candidate:
    """Return something to be shown at the cost of so many tokens; a character is a token here."""
    fields = {"lane": "talk", "renderings": (Rendering("x" * tokens),), **more}
    return Candidate(id=item, worth=worth, place=(item,), **fields)  # type: ignore[arg-type]


def an_entry(item: int, worth: float = 0.0, *, full: int, short: int, **more: object) -> Candidate:
    """Return something that stands alone and may be shown in two lengths; in full it says more."""
    renderings = (Rendering("x" * full, says=frozenset({item})), Rendering("x" * short))
    return an_offer(item, worth, **{"renderings": renderings, "group": f"entry {item}", **more})


def packed(
    *candidates: Candidate,
    budget: int,
    lanes: dict[str, tuple[LanePolicy, Wrap]] = PLAIN,
    frame: Wrap = NO_FRAME,
    misses: int = 8,
) -> Packed:
    """Pack offers, each character being a token."""
    return pack(candidates, lanes, budget=budget, frame=frame, count=len, misses=misses)


def items(found: Packed) -> list[int]:
    """Return what was taken, in the order in which it was served."""
    return [choice.candidate.id for choice in found.choices]


def refused(found: Packed) -> list[tuple[int, str, int | None]]:
    """Return what was not taken, why, and what it would have cost."""
    return [(refusal.candidate.id, refusal.reason, refusal.tokens) for refusal in found.refusals]


def test_nothing_costs_nothing() -> None:
    """A frame around nothing is not shown."""
    assert packed(budget=100, frame=("[[", "]]")) == Packed(0, [], [])
    assert packed(an_offer(0), budget=13, frame=("[[", "]]")).tokens == 0
    assert packed(an_offer(0), budget=14, frame=("[[", "]]")).tokens == 14


def test_a_header_is_paid_once() -> None:
    """Two lines under one header fit where two headers would not."""
    first, same, other = (an_offer(item, group=group, header=("h" * 6, "/")) for item, group in enumerate("aab"))
    assert [choice.tokens for choice in packed(first, same, budget=27).choices] == [17, 10]
    assert items(packed(first, other, budget=27)) == [0]


def test_a_heading_is_paid_with_the_first_of_a_lane() -> None:
    """Whoever comes first opens the lane."""
    lanes = {"talk": (LanePolicy(), ("heading ", "end")), "other": (LanePolicy(), ("never",))}
    assert [choice.tokens for choice in packed(an_offer(0), an_offer(1), budget=99, lanes=lanes).choices] == [21, 10]


def test_what_does_not_fit_is_skipped_and_the_room_is_filled() -> None:
    """A long line in the middle does not end the list."""
    found = packed(an_offer(0, 3), an_offer(1, 2, tokens=90), an_offer(2, 1), budget=20)
    assert items(found) == [0, 2]
    assert refused(found) == [(1, NO_ROOM, 90)]


def test_after_so_many_misses_the_rest_is_left_out() -> None:
    """What stands far down the list is not worth the room it would just fit into; nobody asks what it costs."""
    candidates = [an_offer(number, -number, tokens=90) for number in range(3)] + [an_offer(3, -9)]
    assert items(packed(*candidates, budget=20, misses=4)) == [3]
    assert refused(packed(*candidates, budget=20, misses=3))[-1] == (3, NO_ROOM, None)


def test_what_was_taken_before_ends_a_row_of_misses() -> None:
    """Else a larger budget, which takes it in the minimum already, would stop looking earlier than a small one."""
    lanes = {"talk": (LanePolicy(min_share=0.5), NO_FRAME)}
    candidates = [
        an_offer(0, 3, tokens=90),
        an_offer(1, 2, tokens=20),
        an_offer(2, 1, tokens=90),
        an_offer(3, 0, tokens=9),
    ]
    assert items(packed(*candidates, budget=40, lanes=lanes, misses=2)) == [1, 3]


def test_ties_go_to_the_first() -> None:
    """The caller's order decides, so the same question gets the same answer."""
    assert items(packed(an_offer(5), an_offer(3), budget=10)) == [5]


def test_a_lane_is_served_its_minimum_before_others_compete() -> None:
    """However little its items are worth beside others."""
    lanes = {"talk": (LanePolicy(), NO_FRAME), "quiet": (LanePolicy(min_share=0.2), NO_FRAME)}
    candidates = [
        *(an_offer(number, 9) for number in range(9)),
        *(an_offer(number, lane="quiet") for number in (10, 11)),
    ]
    found = packed(*candidates, budget=50, lanes=lanes)
    assert items(found) == [10, 0, 1, 2, 3]


def test_a_lane_never_gets_more_than_its_maximum() -> None:
    """Not even where there is room for more."""
    lanes = {"talk": (LanePolicy(max_share=0.25, max_items=2), NO_FRAME)}
    candidates = [an_offer(number) for number in range(3)]
    assert refused(packed(*candidates, budget=79, lanes=lanes)) == [(1, NO_ROOM, 10), (2, NO_ROOM, 10)]
    assert refused(packed(*candidates, budget=200, lanes=lanes)) == [(2, ENOUGH, None)]


def test_weight_decides_between_lanes() -> None:
    """It is added to the worth of all items of a lane."""
    lanes = {"talk": (LanePolicy(), NO_FRAME), "loud": (LanePolicy(weight=2), NO_FRAME)}
    assert items(packed(an_offer(0, 1), an_offer(1, 0, lane="loud"), budget=10, lanes=lanes)) == [1]


def test_a_shorter_form_is_tried_before_giving_up() -> None:
    """And the cost that is named is that of the shortest."""
    entry = an_entry(0, full=30, short=10)
    assert [packed(entry, budget=budget).tokens for budget in (30, 29, 10, 9)] == [30, 10, 10, 0]
    assert refused(packed(entry, budget=9)) == [(0, NO_ROOM, 10)]


def test_a_minimum_holds_many_in_short_before_it_holds_one_in_full() -> None:
    """What is left of it makes the best of them fuller."""
    lanes = {"talk": (LanePolicy(min_share=0.5, max_share=0.5), NO_FRAME)}
    candidates = [an_entry(number, -number, full=30, short=10) for number in range(3)]
    levels = {
        budget: [choice.level for choice in packed(*candidates, budget=budget, lanes=lanes).choices]
        for budget in (60, 98, 100, 140)
    }
    assert levels == {60: [1, 1, 1], 98: [1, 1, 1], 100: [0, 1, 1], 140: [0, 0, 1]}


def test_what_is_short_becomes_fuller_in_its_turn() -> None:
    """A larger budget, whose minimum holds it in short, does not show less of it than a small one."""
    lanes = {"talk": (LanePolicy(min_share=0.1), NO_FRAME)}
    found = packed(an_entry(0, full=30, short=10), budget=100, lanes=lanes)
    assert [(choice.level, choice.tokens) for choice in found.choices] == [(0, 30)]


def test_what_was_shown_is_not_said_again() -> None:
    """An offer that says nothing new is refused; one that says something new besides is not."""
    one, two, both = (
        an_offer(item, -item, renderings=(Rendering("x" * 10, says=frozenset(says)),))
        for item, says in enumerate([{1}, {1}, {1, 2}])
    )
    found = packed(one, two, both, budget=99)
    assert (items(found), refused(found)) == ([0, 2], [(1, REPEATS, None)])


def test_what_a_short_form_leaves_out_may_be_said_by_others() -> None:
    """Only the lines that are shown count as said."""
    said = Rendering("x" * 12, says=frozenset({0}))
    line = an_offer(1, -1, renderings=(said,))
    assert items(packed(an_entry(0, full=90, short=10), line, budget=40)) == [0, 1]
    assert items(packed(an_entry(0, full=20, short=10), line, budget=40)) == [0]


def test_what_says_nothing_in_particular_never_repeats() -> None:
    """Without fingerprints there is nothing to compare."""
    assert items(packed(an_offer(0), an_offer(1), budget=20)) == [0, 1]


def test_a_name_is_paid_where_the_speaker_changes() -> None:
    """A line that comes between two others takes the name of the one below away, or gives it back."""
    talk = {
        item: an_offer(item, worth, renderings=(Rendering(f"{who}: {item}\n", f"  {item}\n"),), speaker=who)
        for item, worth, who in [(1, 3, "Ana"), (3, 2, "Ana"), (2, 1, "Ben"), (0, 0, "Ana")]
    }
    found = packed(*talk.values(), budget=99)
    assert [choice.tokens for choice in found.choices] == [
        len("Ana: 1\n"),
        len("  3\n"),
        len("Ben: 2\nAna: 3\n  3\n") - 8,
        7 - 3,
    ]
    lines = [shown_line(talk[0].renderings[0], "Ana", None)]
    for above, below in zip((0, 1, 2), (1, 2, 3), strict=True):
        lines.append(shown_line(talk[below].renderings[0], talk[below].speaker, talk[above].speaker))
    assert "".join(lines) == "Ana: 0\n  1\nBen: 2\nAna: 3\n"
    assert found.tokens == len("".join(lines))


def test_what_stands_below_a_fuller_line_is_charged_by_what_is_shown() -> None:
    """A line that grew has grown for those who join it later, too."""
    lanes = {"talk": (LanePolicy(min_share=0.4), NO_FRAME)}
    grows = an_entry(2, 1, full=30, short=10, group="one", speaker="Ana")
    bare = (grows.renderings[0]._replace(bare="x" * 8), grows.renderings[1]._replace(bare="x" * 7))
    joins = an_offer(1, 0, tokens=25, group="one", speaker="Ana")
    found = packed(grows._replace(renderings=bare), joins, budget=78, lanes=lanes)
    assert (items(found), found.tokens) == ([2, 1], 8 + 25)


def test_shares_of_a_budget_below_nothing_are_nothing() -> None:
    """A frame that alone costs more than there is leaves no room, whatever the minimum says."""
    lanes = {"talk": (LanePolicy(min_share=1.0), NO_FRAME)}
    found = packed(an_offer(0), budget=12, frame=("[" * 9, ""), lanes=lanes)
    assert (found.tokens, refused(found)) == (0, [(0, NO_ROOM, 10)])


def test_what_is_retold_is_not_taken_once_it_was_told() -> None:
    """A fact behind the words it was told in; in front of them both are taken, for they say more."""
    words = an_offer(0, 1.0)
    behind = an_offer(1, 0.5, retells=frozenset({0, 7}))
    in_front = an_offer(2, 2.0, retells=frozenset({0}))
    assert refused(packed(words, behind, budget=99)) == [(1, REPEATS, None)]
    assert items(packed(words, in_front, budget=99)) == [2, 0]
    assert items(packed(an_offer(3, 1.0), behind, budget=99)) == [3, 1]


def test_a_full_lane_does_not_end_the_round() -> None:
    """What finds no room in its lane says nothing about the room that others have."""
    lanes = {"talk": (LanePolicy(), NO_FRAME), "facts": (LanePolicy(max_share=0.1), NO_FRAME)}
    facts = [an_offer(item, 2.0, lane="facts") for item in range(4)]
    found = packed(*facts, an_offer(9), budget=100, lanes=lanes, misses=1)
    assert items(found) == [0, 9]
    assert refused(found) == [(item, NO_ROOM, 10) for item in (1, 2, 3)]


def test_lines_that_nobody_says_are_shown_fuller_among_others() -> None:
    """Below one heading, each for itself, as far as there is room."""
    lanes = {"talk": (LanePolicy(min_share=1.0), NO_FRAME)}
    candidates = [an_entry(item, -item, full=20, short=5, group="all", header=("h", "")) for item in range(3)]
    found = packed(*candidates, budget=46, lanes=lanes)
    assert [(choice.candidate.id, choice.level) for choice in found.choices] == [(0, 0), (1, 0), (2, 1)]
    assert found.tokens == 46
