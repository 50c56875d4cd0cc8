import itertools
import random
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from hmem.derived.slot_timeline import (
    COMPARED,
    NO_DECISIONS,
    NoteState,
    SlotDecisions,
    SlotNote,
    SlotRule,
    SlotStates,
    SlotTimeline,
)
from hmem.language.analyst import Claim, DatedClaim
from hmem.language.analyst.base import Verdict
from hmem.model.span import from_stored

DAY = 86_400
RULES_OF_EQUALS: tuple[SlotRule, ...] = ("newest", "first", "most-frequent")


def entry(number: int, value: str, said: int, slot: str = "home", *, positive: bool = True, **bounds: Any) -> SlotNote:
    claim = Claim("profile", "Maria", slot, value, f"Maria: {value}.", positive)
    stated = DatedClaim(claim, from_stored(said * 1_000_000, 0), f"Maria: {value}.")
    # In a slot with one value at a time all are compared.
    return SlotNote(number, number, said, stated, frozenset({""}) if slot == "home" else words_of(claim), **bounds)


def words_of(claim: Claim) -> frozenset[str]:
    return frozenset(claim.value.split()) - {"a"}


def judge(older: SlotNote, newer: SlotNote) -> Verdict:
    """A small language of our own: what is folded is not what rules of English find."""
    one, other = older.dated_claim.claim, newer.dated_claim.claim
    if one.positive != other.positive:
        return Verdict("contradicts" if words_of(one) == words_of(other) else "independent")
    if words_of(other) <= words_of(one):
        return Verdict("same")
    if words_of(one) < words_of(other):
        return Verdict("extends")
    return Verdict("contradicts" if one.slot == "home" else "independent")


def fold(
    entries: Iterable[SlotNote],
    judge: Callable[[SlotNote, SlotNote], Verdict],
    *,
    rule: SlotRule = "newest",
    decided: SlotDecisions = NO_DECISIONS,
) -> dict[int, NoteState]:
    """Return the state of each note of a slot, folded from the first one on."""
    timeline, ordered = SlotTimeline(judge, rule, decided), sorted(entries, key=lambda each: each.order)
    for each in ordered:
        timeline.add(each)
    return {each.number: timeline.state_of(each.number) for each in ordered}


HOMES = [entry(1, "Porto", DAY), entry(2, "Lisbon", 2 * DAY), entry(3, "Lisbon", 3 * DAY)]


def test_the_newest_value_of_a_slot_takes_the_place_of_the_one_before() -> None:
    told = fold(HOMES, judge)
    assert [told[number].status for number in (1, 2, 3)] == ["superseded", "current", "merged"]
    assert (told[1].end, told[1].successor, told[2].predecessors, told[2].start) == (2 * DAY, 2, (1,), 2 * DAY)


def test_what_is_said_again_reinforces_the_note_and_is_one_of_its_sources() -> None:
    told = fold(HOMES, judge)[2]
    assert (told.turns, told.reinforcements, told.last) == ((2, 3), 1, 3 * DAY)


def test_the_first_value_stays_where_the_rule_says_so() -> None:
    told = fold(HOMES, judge, rule="first")
    assert [told[number].status for number in (1, 2, 3)] == ["current", "superseded", "superseded"]


def test_both_values_are_contested_until_somebody_decides() -> None:
    told = fold(HOMES[:2], judge, rule="ask")
    assert {holding.status for holding in told.values()} == {"contested"}
    assert all(holding.stands for holding in told.values())
    decided = fold(HOMES[:2], judge, rule="ask", decided=SlotDecisions({2: "retire"}))
    assert [decided[number].status for number in (1, 2)] == ["current", "retracted"]


def test_the_value_that_was_said_most_often_stays_where_the_rule_says_so() -> None:
    entries = [*HOMES, entry(4, "Porto", 4 * DAY), entry(5, "Porto", 5 * DAY), entry(6, "Lisbon", 6 * DAY)]
    told = fold(entries, judge, rule="most-frequent")
    assert (told[1].status, told[2].status) == ("superseded", "current")
    before = fold(entries[:-1], judge, rule="most-frequent")
    assert (before[1].status, before[2].status) == ("current", "superseded")
    assert before[1].reinforcements == 2


def test_a_note_that_is_to_be_kept_is_not_retired() -> None:
    told = fold(HOMES, judge, decided=SlotDecisions({1: "keep"}))
    assert (told[1].status, told[2].status) == ("current", "current")


def test_retiring_a_note_restores_the_one_whose_place_it_took() -> None:
    told = fold(HOMES[:2], judge, decided=SlotDecisions({2: "retire"}))
    assert (told[1].status, told[1].end, told[2].status) == ("current", None, "retracted")


def test_an_earlier_time_that_is_told_later_does_not_end_what_holds() -> None:
    told = fold([entry(1, "Porto", DAY, start=900), entry(2, "Rome", 2 * DAY, start=100)], judge)
    assert (told[1].status, told[2].status, told[2].end) == ("current", "superseded", 900)


def test_one_who_says_more_tells_what_was_said_before() -> None:
    told = fold([entry(1, "a dog", DAY, "pet"), entry(2, "dog Coco", 2 * DAY, "pet")], judge)
    assert (told[1].status, told[1].successor) == ("merged", 2)
    assert (told[2].turns, told[2].reinforcements, told[2].predecessors) == ((1, 2), 1, (1,))


def test_a_liking_of_a_part_leaves_the_wider_one() -> None:
    told = fold([entry(1, "dogs", DAY, "likes"), entry(2, "small dogs", 2 * DAY, "likes")], judge)
    assert (told[1].status, told[2].status) == ("current", "current")


def test_a_note_is_compared_with_few_others_however_many_there_are() -> None:
    asked: list[int] = []

    def counting(older: SlotNote, newer: SlotNote) -> Verdict:
        asked.append(newer.number)
        return Verdict("independent")

    ledger = SlotTimeline(counting)
    for number in range(200):
        ledger.add(entry(number, f"red thing {number}", number, "owns"))
    assert max(asked.count(number) for number in set(asked)) == COMPARED


VALUES = st.lists(
    st.tuples(st.sampled_from(["Porto", "Lisbon", "Rome", "a flat in Rome"]), st.booleans()), min_size=2, max_size=7
)
RULES = st.sampled_from(["newest", "most-frequent", "first", "ask"])


@given(VALUES, RULES, st.booleans())
def test_the_newest_is_reached_by_following_what_replaced_each_note(
    values: list[tuple[str, bool]], rule: SlotRule, is_stored: bool
) -> None:
    states = SlotStates()
    timeline = SlotTimeline(judge, rule, states=states)
    for number, (value, positive) in enumerate(values, 1):
        timeline.add(entry(number, value, DAY * number, positive=positive))
    if is_stored:
        stored, states = states, SlotStates()
        states.load(0, stored.dump(0))
    for number in range(1, len(values) + 1):
        newest, path = number, {number}
        while not (state := timeline.state_of(newest)).stands and state.successor is not None:
            newest = state.successor
            # The rule of the most frequent may let two notes stand for each other.
            assume(newest not in path)
            path.add(newest)
        assert states.newest(number) == newest


def test_two_notes_that_stand_for_each_other_are_not_followed_for_good() -> None:
    states = SlotStates()
    timeline = SlotTimeline(judge, "most-frequent", states=states)
    for number, value in enumerate(["Rome", "Porto", "Rome", "a flat in Rome"], 1):
        timeline.add(entry(number, value, DAY * number))
    assert states.newest(3) in (1, 4)


@given(VALUES, RULES, st.integers(0, 1_000))
def test_the_order_of_arrival_does_not_matter(values: list[tuple[str, bool]], rule: SlotRule, seed: int) -> None:
    said = [(value, positive, DAY * place) for place, (value, positive) in enumerate(values)]

    def told(order: list[int]) -> list[Any]:
        numbers = {place: number for number, place in enumerate(order)}
        entries = [entry(numbers[i], said[i][0], said[i][2], positive=said[i][1]) for i in order]
        places = {number: place for place, number in numbers.items()}
        note_states = fold(entries, judge, rule=rule)
        return [
            (
                each.status, each.start, each.end, each.successor is not None and places[each.successor],
                [places[number] for number in each.predecessors], [places[number] for number in each.turns],
                each.reinforcements, each.last, each.reason,
            )
            for place in range(len(said))
            for each in [note_states[numbers[place]]]
        ]  # fmt: skip

    order = list(range(len(said)))
    shuffled = random.Random(seed).sample(order, len(order))
    assert told(order) == told(shuffled)


def test_every_order_of_four_turns_gives_the_same() -> None:
    said = ["Porto", "Lisbon", "Lisbon", "Porto"]
    stands: set[tuple[str, ...]] = set()
    for order in itertools.permutations(range(4)):
        numbers = {place: number for number, place in enumerate(order)}
        told = fold([entry(numbers[i], said[i], DAY * i) for i in order], judge)
        stands.add(tuple(told[numbers[i]].status for i in range(4)))
    assert stands == {("superseded", "superseded", "merged", "current")}


# Authority.

OWN, OTHERS, TOOLS = 2, 1, 0


def test_a_note_of_less_authority_disputes_and_changes_nothing() -> None:
    said = [entry(1, "Porto", DAY, authority=OWN), entry(2, "Oslo", 2 * DAY, authority=OTHERS)]
    for rule in RULES_OF_EQUALS:
        told = fold(said, judge, rule=rule)
        assert (told[1], told[1].end) == (NoteState(turns=(1,), last=DAY), None)
        assert (told[2].status, told[2].disputes, told[2].rivals, told[2].stands) == ("contested", (1,), (1,), False)


def test_a_note_of_more_authority_takes_the_place_of_a_disputing_one_whatever_the_rule() -> None:
    said = [entry(1, "Oslo", DAY, authority=TOOLS), entry(2, "Porto", 2 * DAY, authority=OWN)]
    for rule in RULES_OF_EQUALS:
        assert [state.status for state in fold(said, judge, rule=rule).values()] == ["superseded", "current"]
    # Of an earlier time, it says nothing against it, but still comes first.
    earlier = [entry(1, "Oslo", DAY, authority=TOOLS, start=9), entry(2, "Porto", 2 * DAY, authority=OWN, start=1)]
    assert [state.status for state in fold(earlier, judge).values()] == ["contested", "current"]


def test_others_neither_stand_for_own_words_nor_reinforce_them() -> None:
    said = [
        entry(1, "Porto", DAY, authority=OWN),
        entry(2, "Porto", 2 * DAY, authority=OTHERS),
        entry(3, "Porto by the sea", 3 * DAY, authority=OTHERS),
    ]
    told = fold(said, judge)
    assert told[1] == NoteState(turns=(1,), last=DAY)
    assert [told[2].status, told[2].successor, told[3].status] == ["merged", 1, "current"]
    own_later = [entry(1, "Porto", DAY, authority=OTHERS), entry(2, "Porto", 2 * DAY, authority=OWN)]
    told = fold(own_later, judge)
    assert (told[1].status, told[1].successor, told[2].status, told[2].turns) == ("merged", 2, "current", (1, 2))


def test_a_dispute_ends_when_own_words_change_or_somebody_decides() -> None:
    said = [entry(1, "Porto", DAY, authority=OWN), entry(2, "Oslo", 2 * DAY, authority=OTHERS)]
    moved = fold([*said, entry(3, "Rome", 3 * DAY, authority=OWN)], judge)
    assert [state.status for state in moved.values()] == ["superseded", "superseded", "current"]
    for kept, statuses in ((2, ["superseded", "current"]), (1, ["current", "superseded"])):
        decided = fold(said, judge, decided=SlotDecisions({kept: "keep"}))
        assert [state.status for state in decided.values()] == statuses
    assert fold(said, judge, decided=SlotDecisions({2: "retire"}))[2].status == "retracted"


def test_how_often_others_repeat_an_old_value_counts_for_nothing() -> None:
    said = [entry(1, "Porto", DAY, authority=OWN), entry(2, "Oslo", 2 * DAY, authority=OWN)]
    said += [entry(number, "Porto", number * DAY, authority=OTHERS) for number in range(3, 9)]
    assert [fold(said, judge, rule="most-frequent")[number].status for number in (1, 2)] == ["superseded", "current"]


def test_what_outdates_takes_the_place_of_a_note_of_more_authority_as_that_of_an_equal() -> None:
    def outdates(_older: SlotNote, _newer: SlotNote) -> Verdict:
        return Verdict("outdates")

    said = [entry(1, "19 minutes", DAY, authority=OWN), entry(2, "8 minutes", 2 * DAY, authority=TOOLS)]
    for rule, expected in (
        ("newest", ["superseded", "current"]),
        ("first", ["current", "superseded"]),
        ("ask", ["contested", "contested"]),
    ):
        assert [state.status for state in fold(said, outdates, rule=rule).values()] == expected
    kept = fold(said, outdates, decided=SlotDecisions({1: "keep"}))
    assert [state.status for state in kept.values()] == ["current", "superseded"]
