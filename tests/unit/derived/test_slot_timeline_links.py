from hmem.derived.chunks import encode
from hmem.derived.slot_timeline import Link, SlotContext, SlotContexts, SlotLinks, SlotState, SlotStates
from hmem.model.scope import scoped

HOME = scoped("", "Maria"), "home"
FIRST, SECOND, THIRD, FAR = 64, 130, 200, 64 * 900


def filled() -> SlotLinks:
    links = SlotLinks()
    links.replace(SECOND, [Link(FIRST, "contradicts", "changed")])
    links.replace(FAR, [Link(THIRD, "extends", "says more"), Link(SECOND, "same", "said again")])
    return links


def test_links_come_back_from_their_chunks() -> None:
    kept, loaded = filled(), SlotLinks()
    for number in kept.changed:
        loaded.load(number, kept.dump(number))
    assert [loaded.get(number) for number in (FIRST, SECOND, FAR)] == [kept.get(n) for n in (FIRST, SECOND, FAR)]
    assert (len(loaded), loaded.changed) == (3, set())


def test_states_come_back_from_their_chunks() -> None:
    kept, loaded = SlotStates(), SlotStates()
    kept.replace(
        FIRST, SlotState(FIRST, "merged", is_closed=True, successor=SECOND, own_turns=(1, 3), last=5, reason="a")
    )
    kept.replace(SECOND, SlotState(SECOND, extended=((FIRST, 2),), own_turns=(2, 9), reinforcements=3, last=9, start=0))
    kept.replace(FAR, SlotState(FAR, "contested", own_turns=(900,), rivals=(FIRST,), disputes=(FIRST, SECOND), end=7))
    loaded.fill([(number, encode(kept.dump(number))) for number in sorted(kept.changed)])
    assert (loaded.merged(), kept.merged(), loaded.last_successor(FIRST)) == ({FIRST}, {FIRST}, SECOND)
    for number in (FIRST, SECOND, FAR, THIRD):
        assert loaded.get(number) == kept.get(number)
    assert (loaded.get(THIRD), loaded.changed) == (None, set())
    second = kept.get(SECOND)
    assert second is not None
    assert (second.turn_count, tuple(loaded.freeze(second).turns)) == (4, (1, 3, 2, 9))
    assert loaded.merged() == {FIRST}
    loaded.replace(FIRST, None)
    assert (loaded.changed, loaded.merged()) == ({FIRST >> 11}, set())


def test_a_note_has_the_turns_that_another_had_when_it_extended_it() -> None:
    states = SlotStates()
    for number in range(1, 5_000):
        states.replace(
            number << 6,
            SlotState(number << 6, extended=((number - 1 << 6, number - 1),) * (number > 1), own_turns=(number,)),
        )
    last = states.get(4_999 << 6)
    assert last is not None
    turns = states.freeze(last).turns
    assert (len(turns), turns[0], turns[-1]) == (4_999, 1, 4_999)
    assert turns == tuple(turns)


def test_what_does_not_change_is_not_to_be_stored() -> None:
    links = filled()
    links.changed.clear()
    links.replace(SECOND, [Link(FIRST, "contradicts", "changed")])
    links.replace(THIRD, ())
    assert not links.changed


def test_a_loaded_chunk_replaces_its_own_links_only() -> None:
    links = filled()
    links.load(FIRST >> 14, None)
    assert (links.get(SECOND), len(links.get(FAR))) == ((), 2)


def test_contexts_come_back_and_tell_whether_all_links_are_kept() -> None:
    kept, loaded = SlotContexts(), SlotContexts()
    kept.replace(HOME, SlotContext("abc", disordered=True))
    assert kept.dump(0) is None
    kept.hold_for("newest")
    loaded.load(0, kept.dump(0))
    assert (loaded.rule, loaded.slots(), loaded.get(HOME)) == ("newest", [HOME], SlotContext("abc", disordered=True))
    loaded.replace(HOME, SlotContext())
    assert (loaded.slots(), loaded.changed) == ([], {0})
    loaded.load(0, None)
    assert loaded.rule is None
