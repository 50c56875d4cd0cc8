from hmem.derived.slot_timeline import Link, SlotContext, SlotContexts, SlotLinks
from hmem.model.scope import scoped

HOME = scoped("", "Maria"), "home"
FIRST, SECOND, THIRD, FAR = 64, 130, 200, 64 * 900


def filled() -> SlotLinks:
    links = SlotLinks()
    links.put(SECOND, [Link(FIRST, "contradicts", "changed")])
    links.put(FAR, [Link(THIRD, "extends", "says more"), Link(SECOND, "same", "said again")])
    return links


def test_links_come_back_from_their_chunks() -> None:
    kept, loaded = filled(), SlotLinks()
    for number in kept.changed:
        loaded.load(number, kept.dump(number))
    assert [loaded.of(number) for number in (FIRST, SECOND, FAR)] == [kept.of(n) for n in (FIRST, SECOND, FAR)]
    assert (len(loaded), loaded.changed) == (3, set())


def test_notes_are_joined_by_way_of_others() -> None:
    links = filled()
    assert links.joined(FIRST) == [FIRST, SECOND, THIRD, FAR]
    links.put(FAR, [])
    assert (links.joined(FIRST), links.joined(THIRD), links.joined(FAR)) == ([FIRST, SECOND], [THIRD], [FAR])
    assert links.dump(FAR >> 14) is None


def test_what_does_not_change_is_not_to_be_stored() -> None:
    links = filled()
    links.changed.clear()
    links.put(SECOND, [Link(FIRST, "contradicts", "changed")])
    links.put(THIRD, ())
    assert not links.changed


def test_a_loaded_chunk_replaces_its_own_links_only() -> None:
    links = filled()
    links.load(FIRST >> 14, None)
    assert (links.of(SECOND), links.joined(SECOND)) == ((), [SECOND, THIRD, FAR])


def test_contexts_come_back_and_tell_whether_all_links_are_kept() -> None:
    kept, loaded = SlotContexts(), SlotContexts()
    kept.put(HOME, SlotContext("abc", disordered=True))
    assert kept.dump(0) is None
    kept.hold_for("newest")
    loaded.load(0, kept.dump(0))
    assert (loaded.rule, loaded.slots(), loaded.of(HOME)) == ("newest", [HOME], SlotContext("abc", disordered=True))
    loaded.put(HOME, SlotContext())
    assert (loaded.slots(), loaded.changed) == ([], {0})
    loaded.load(0, None)
    assert loaded.rule is None
