"""The log, folded: what holds of it."""

from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.news import NewsFeed
from hmem.derived.changes import ActiveChanges, ChangeFold, Decisions, change_id, change_number, change_of, fold
from hmem.storage import open_storage
from hmem.storage.base import LogEntry


def entry(number: int, verb: str = "retract", target: str = "turn_1", link: str | None = None) -> LogEntry:
    return LogEntry(number * 1_000, "Maria", verb, target, link=link, number=number)


def undo(number: int, undone: LogEntry) -> LogEntry:
    return entry(number, "undo", undone.target, change_id(undone))


def test_an_entry_is_in_force_until_it_is_taken_back() -> None:
    first = entry(1)
    assert fold([first]).withdrawn == {"turn_1": 1_000}
    taken = fold([first, undo(2, first)])
    assert taken.withdrawn == {}
    assert taken.undone == {1}


def test_what_took_back_can_be_taken_back() -> None:
    first = entry(1)
    second = undo(2, first)
    again = fold([first, second, undo(3, second)])
    assert again.withdrawn == {"turn_1": 1_000}
    assert again.undone == {2}


@given(st.lists(st.integers(0, 8), max_size=8))
def test_an_even_number_of_undoings_in_a_chain_leaves_everything_as_it_was(chain: list[int]) -> None:
    entries = [entry(1)]
    for number in range(2, 2 + len(chain)):
        entries.append(undo(number, entries[-1]))
    assert bool(fold(entries).withdrawn) == (len(chain) % 2 == 0)


VERBS = ("retract", "revise", "renew", "undo", "undo", "undo")


def told(active: ActiveChanges) -> tuple[object, ...]:
    in_force, back = ({verb: list(found) for verb, found in each.items() if found} for each in
                      (active.by_verb, active.revoked))  # fmt: skip
    return in_force, back, set(active.undone)


@given(st.lists(st.tuples(st.sampled_from(VERBS), st.integers(-1, 14)), max_size=14))
def test_a_log_folded_as_it_grows_is_the_log_folded_at_once(made: list[tuple[str, int]]) -> None:
    folding, entries = ChangeFold(), list[LogEntry]()
    for number, (verb, link) in enumerate(made, 1):
        target = change_id(entry(link)) if verb == "undo" and link >= 0 else None
        entries.append(entry(number, verb, link=target))
        folding.add(entries[-1])
        assert told(folding.active) == told(fold(entries))


def test_what_the_engine_logs_by_itself_decides_nothing() -> None:
    storage = open_storage(":memory:", create=True, busy_seconds=1)
    decisions = Decisions(storage, NewsFeed(storage))
    storage.record([entry(0), entry(0, "revise"), entry(0, "renew"), entry(0, "feedback")])
    decisions.catch_up()
    assert (decisions.last, decisions.decided) == (4, 1)
    storage.record([undo(0, entry(2, "revise"))])
    decisions.catch_up()
    assert (decisions.last, decisions.decided) == (5, 5)
    assert decisions.touched(4) == ["turn_1"]
    storage.close()


def test_the_first_of_several_withdrawals_counts() -> None:
    active = fold([entry(1), entry(2, "correct", link="turn_9")])
    assert active.withdrawn == {"turn_1": 1_000}
    assert [each.number for each in active.entries_of("retract", "correct")] == [1, 2]


def test_an_earlier_time_sees_what_was_there_then() -> None:
    storage = open_storage(":memory:", create=True, busy_seconds=1)
    decisions = Decisions(storage, NewsFeed(storage))
    assert not decisions.catch_up()
    storage.record([entry(0), entry(0, target="turn_2")._replace(at=5_000)])
    assert decisions.catch_up()
    assert not decisions.catch_up()
    assert set(decisions.active_changes().withdrawn) == {"turn_1", "turn_2"}
    assert set(decisions.active_changes(4_999).withdrawn) == {"turn_1"}
    storage.close()


def test_a_change_tells_its_entry() -> None:
    first = entry(1, "correct", link="turn_2")
    change = change_of(first, fold([first, undo(2, first)]))
    assert (change.verb, change.target, change.link, change.undone) == ("correct", "turn_1", "turn_2", True)
    assert change_number(change.id) == 1
    assert change_number("turn_1") == -1
