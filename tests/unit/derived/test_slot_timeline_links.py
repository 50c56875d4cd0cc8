from hmem.derived.slot_timeline import Link, SlotContext, SlotContexts, SlotLinks
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


def test_notes_are_joined_by_way_of_others() -> None:
    links = filled()
    assert links.component(FIRST) == [FIRST, SECOND, THIRD, FAR]
    links.replace(FAR, [])
    assert (links.component(FIRST), links.component(THIRD), links.component(FAR)) == ([FIRST, SECOND], [THIRD], [FAR])
    assert links.dump(FAR >> 14) is None


def test_what_does_not_change_is_not_to_be_stored() -> None:
    links = filled()
    links.changed.clear()
    links.replace(SECOND, [Link(FIRST, "contradicts", "changed")])
    links.replace(THIRD, ())
    assert not links.changed


def test_a_loaded_chunk_replaces_its_own_links_only() -> None:
    links = filled()
    links.load(FIRST >> 14, None)
    assert (links.get(SECOND), links.component(SECOND)) == ((), [SECOND, THIRD, FAR])


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
