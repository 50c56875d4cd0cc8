"""The store does what LangGraph's own does, and keeps it."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from hmem import Memory
from hmem.errors import InvalidQuery, InvalidTime, InvalidTurn
from hmem_agents.langgraph import HmemStore

USER = ("users", "maria")
EVERYTHING = 1_000


class Reference(InMemoryStore):
    """LangGraph's store in memory, in which a namespace without items is none, as in its stores in databases."""

    def _handle_list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        for namespace in [namespace for namespace, items in self._data.items() if not items]:
            del self._data[namespace]
        return super()._handle_list_namespaces(op)


@pytest.fixture
def store(memory: Memory) -> HmemStore:
    return HmemStore(memory)


def plain(result: Any) -> Any:
    """A result without times and scores."""
    if isinstance(result, Item):
        return (result.namespace, result.key, result.value)
    return [plain(each) for each in result] if isinstance(result, list) else result


def keys(items: Iterable[Item]) -> list[str]:
    return [item.key for item in items]


# The same as the reference.


@pytest.fixture
def both(store: HmemStore) -> tuple[BaseStore, BaseStore]:
    reference = Reference()
    for each in (store, reference):
        for number, (tags, city) in enumerate([(["a"], "Porto"), (["a", "b"], "Lisbon"), ([], "Porto")]):
            value = {"number": number, "tags": tags, "where": {"city": city, "floor": number * 1.5}, "by": "Maria"}
            each.put(("docs", "reports"), f"r{number}", value)
        each.put(("docs", "drafts"), "d", {"number": 1, "old": True})
        each.put(("docs", "drafts", "v1"), "d", {"number": None})
        each.put(("users",), "maria", {"text": "Maria bakes bread"})
        each.put(("docs", "reports"), "r0", {"number": 7, "tags": None})
    return store, reference


CONDITIONS: list[dict[str, Any] | None] = [
    None,
    {"number": 1},
    {"number": 1.0},
    {"number": {"$eq": 1}},
    {"number": {"$ne": 1}},
    {"number": {"$gt": 1}},
    {"number": {"$gte": 1, "$lt": 2}},
    {"number": {"$lte": "1"}},
    {"tags": ["a"]},
    {"tags": ["a", "b"]},
    {"tags": [{"$ne": "b"}]},
    {"tags": []},
    {"where": {"city": "Porto"}},
    {"where": {"city": "Porto", "floor": {"$gt": 1}}},
    {"where": {}},
    {"by": "Maria", "number": 2},
    {"absent": None},
    {"absent": "x"},
]


def test_a_filter_selects_what_it_selects_in_langgraphs_own_store(
    both: tuple[BaseStore, BaseStore], subtests: pytest.Subtests
) -> None:
    for condition in CONDITIONS:
        with subtests.test(condition=condition):
            mine, theirs = (plain(store.search(("docs", "reports"), filter=condition)) for store in both)
            assert mine == theirs


NAMESPACES: list[dict[str, Any]] = [
    {},
    {"prefix": ("docs",)},
    {"prefix": ("docs", "*")},
    {"prefix": ("*", "drafts")},
    {"suffix": ("v1",)},
    {"suffix": ("drafts", "*")},
    {"prefix": ("docs",), "suffix": ("reports",)},
    {"max_depth": 1},
    {"prefix": ("docs",), "max_depth": 2},
    {"limit": 2, "offset": 1},
    {"prefix": ("a", "b", "c", "d")},
]


def test_namespaces_are_listed_as_in_langgraphs_own_store(
    both: tuple[BaseStore, BaseStore], subtests: pytest.Subtests
) -> None:
    for wanted in NAMESPACES:
        with subtests.test(wanted=wanted):
            mine, theirs = (store.list_namespaces(**wanted) for store in both)
            assert mine == theirs


@pytest.mark.elsewhere
def test_a_batch_reads_the_store_as_it_was_and_the_last_put_of_a_key_counts(
    both: tuple[BaseStore, BaseStore],
) -> None:
    ops: list[Op] = [
        PutOp(USER, "a", {"text": "first"}),
        GetOp(("docs", "reports"), "r1"),
        PutOp(("docs", "reports"), "r1", None),
        GetOp(USER, "a"),
        PutOp(USER, "b", {"text": "kept"}),
        PutOp(USER, "b", None),
        PutOp(USER, "a", {"text": "second"}),
        SearchOp(("docs", "reports"), limit=2, offset=1),
        ListNamespacesOp((MatchCondition("prefix", ("users",)),)),
        PutOp(("docs", "drafts"), "d", None),
        PutOp(("docs", "drafts"), "d", {"text": "again"}),
    ]
    mine, theirs = (plain(store.batch(ops)) for store in both)
    assert mine == theirs
    mine, theirs = (sorted(plain(store.search(())), key=str) for store in both)
    assert mine == theirs


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph", "x"), (1,)])
def test_a_bad_namespace_is_refused_as_by_langgraphs_own_store(store: HmemStore, namespace: Any) -> None:
    for each in (store, Reference()):
        with pytest.raises(InvalidNamespaceError):
            each.put(namespace, "key", {"text": "x"})


LABELS = st.sampled_from(["a", "b", "ü*"])
PLACES = st.tuples(st.lists(LABELS, min_size=1, max_size=3).map(tuple), st.sampled_from(["k", "K", "k 2"]))
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "red apples", "", "é"])
VALUES = st.dictionaries(
    st.sampled_from(["one", "two", "$"]),
    SCALARS | st.lists(SCALARS, max_size=2) | st.fixed_dictionaries({"in": SCALARS}),
)
FILTERS = st.none() | st.dictionaries(
    st.sampled_from(["one", "two"]),
    SCALARS | st.fixed_dictionaries({"$ne": SCALARS}) | st.fixed_dictionaries({"in": SCALARS}),
    max_size=2,
)
PUTS = st.builds(lambda place, value: PutOp(place[0], place[1], value), PLACES, VALUES)
DELETES = st.builds(lambda place: PutOp(place[0], place[1], None), PLACES)
GETS = st.builds(lambda place: GetOp(place[0], place[1]), PLACES)
SEARCHES = st.builds(
    lambda prefix, wanted: SearchOp(tuple(prefix), wanted, limit=EVERYTHING), st.lists(LABELS, max_size=2), FILTERS
)
LISTS = st.builds(
    lambda kind, path, depth: ListNamespacesOp((MatchCondition(kind, tuple(path)),), depth),
    st.sampled_from(["prefix", "suffix"]),
    st.lists(LABELS | st.just("*"), max_size=2),
    st.none() | st.integers(1, 3),
)
BATCHES = st.lists(st.lists(PUTS | PUTS | DELETES | GETS | SEARCHES | LISTS, min_size=1, max_size=6), max_size=4)


@given(batches=BATCHES)
def test_whatever_is_done_gives_what_langgraphs_own_store_gives(batches: list[list[Op]]) -> None:
    with Memory(":memory:") as memory:
        store, reference = HmemStore(memory), Reference()
        for ops in [*batches, [SearchOp((), limit=EVERYTHING), ListNamespacesOp()]]:
            for op, mine, theirs in zip(ops, store.batch(ops), reference.batch(ops), strict=True):
                if isinstance(op, SearchOp):
                    # Namespaces come in the order in which each store filled them; their items are compared.
                    assert sorted(plain(mine), key=str) == sorted(plain(theirs), key=str)
                else:
                    assert plain(mine) == plain(theirs)


# Items and their times.


@pytest.mark.elsewhere
def test_an_item_keeps_when_it_was_made_and_tells_when_it_was_put_anew(store: HmemStore) -> None:
    begun = datetime.now(UTC)
    store.put(USER, "food", {"text": "Maria likes plums"})
    first = store.get(USER, "food")
    store.put(USER, "food", {"text": "Maria likes pears"})
    second = store.get(USER, "food")
    assert first is not None
    assert second is not None
    assert begun - timedelta(seconds=1) <= first.created_at == first.updated_at
    assert second.created_at == first.created_at < second.updated_at


def test_items_come_in_the_order_in_which_their_places_were_filled_a_page_at_a_time(store: HmemStore) -> None:
    for number in range(5):
        store.put(USER, f"k{number}", {"text": f"text {number}"})
    store.put(USER, "k1", {"text": "text again"})
    assert keys(store.search(USER)) == ["k0", "k1", "k2", "k3", "k4"]
    pages = [keys(store.search(USER, limit=2, offset=offset)) for offset in range(0, 6, 2)]
    assert pages == [["k0", "k1"], ["k2", "k3"], ["k4"]]


def test_what_an_item_was_before_stays_in_the_history_and_is_found_no_more(store: HmemStore, memory: Memory) -> None:
    store.put(USER, "home", {"text": "Maria lives in Porto"})
    store.put(USER, "home", {"text": "Maria lives in Lisbon"})
    before, now = memory.list()
    assert (before.text, now.text) == ("Maria lives in Porto", "Maria lives in Lisbon")
    assert [found.text for found in memory.search("Where does Maria live?")] == ["Maria lives in Lisbon"]
    assert [change.verb for change in memory.history(before.id)] == ["retract"]


def test_a_deleted_item_is_erased_with_what_it_was_before(store: HmemStore, memory: Memory) -> None:
    store.put(USER, "home", {"text": "Maria lives in Porto"})
    store.put(USER, "home", {"text": "Maria lives in Lisbon"})
    store.put(USER, "work", {"text": "Maria is a baker"})
    store.delete(USER, "home")
    store.delete(USER, "never there")
    assert store.get(USER, "home") is None
    assert [turn.text for turn in memory.list()] == ["Maria is a baker"]


def test_a_copy_of_an_item_that_was_searched_outlives_it(store: HmemStore) -> None:
    store.put(USER, "home", {"text": "Maria lives in the old house by the river in Porto"})
    (found,) = store.search(USER, query="Where does Maria live?")
    store.put(("users", "ben"), "home of a friend", found.value)
    store.delete(USER, "home")
    assert [item.value for item in store.search(())] == [found.value]


@pytest.mark.elsewhere
def test_what_a_person_retracts_or_corrects_is_no_item_any_more(store: HmemStore, memory: Memory) -> None:
    store.put(USER, "home", {"text": "Maria lives in Porto"})
    store.put(USER, "work", {"text": "Maria is a baker"})
    home, work = memory.list()
    retracted = memory.retract(home.id)
    memory.correct(work.id, "Maria is a cook")
    assert store.search(()) == []
    assert store.get(USER, "home") is None
    memory.undo(retracted.id)
    assert keys(store.search(())) == ["home"]


def test_a_value_that_is_not_json_is_refused_and_nothing_is_put(store: HmemStore, memory: Memory) -> None:
    with pytest.raises(InvalidTurn, match="JSON"):
        store.batch([PutOp(USER, "good", {"text": "x"}), PutOp(USER, "bad", {"when": datetime.now(UTC)})])
    assert memory.list() == []


def test_an_operator_that_does_not_exist_is_refused(store: HmemStore) -> None:
    store.put(USER, "a", {"number": 1})
    with pytest.raises(InvalidQuery, match=r"\$near"):
        store.search(USER, filter={"number": {"$near": 1}})
    with pytest.raises(InvalidQuery, match="number"):
        store.search(USER, filter={"number": {"$gt": "one"}})


# Queries.


@pytest.fixture
def filled(store: HmemStore) -> HmemStore:
    store.put(USER, "dog", {"text": "Maria adopted a puppy named Coco", "kind": "pet"})
    store.put(USER, "work", {"text": "Maria works as a baker in Porto", "kind": "work"})
    store.put(USER, "fence", {"text": "The fence was painted green", "kind": "house"})
    store.put(("users", "ben"), "dog", {"text": "Ben walks his dog at the river", "kind": "pet"})
    return store


def test_a_query_gives_the_best_item_first_within_the_prefix(filled: HmemStore) -> None:
    found = filled.search(USER, query="Which dog does she have?")
    assert found[0].key == "dog"
    assert {item.namespace for item in found} == {USER}
    scores = [item.score for item in found if item.score is not None]
    assert scores
    assert scores == sorted(scores, reverse=True)
    assert {item.namespace for item in filled.search((), query="dog")[:2]} == {USER, ("users", "ben")}


@pytest.mark.elsewhere
def test_a_query_with_a_limit_pages_through_all_that_can_be_found(filled: HmemStore) -> None:
    whole = keys(filled.search(USER, query="baker"))
    assert sorted(whole) == ["dog", "fence", "work"]
    assert [
        *keys(filled.search(USER, query="baker", limit=1)),
        *keys(filled.search(USER, query="baker", offset=1)),
    ] == whole


def test_a_query_and_a_filter_must_both_be_met(filled: HmemStore) -> None:
    assert keys(filled.search(USER, query="dog", filter={"kind": {"$ne": "pet"}}))[0] in ("work", "fence")
    assert keys(filled.search((), query="puppy", filter={"kind": "pet"}, limit=1)) == ["dog"]


def test_many_items_that_meet_a_filter_are_ranked_too(store: HmemStore) -> None:
    puts = [PutOp(USER, f"k{i}", {"text": f"note number {i} of the ledger", "kind": int(i >= 10)}) for i in range(220)]
    store.batch(puts)
    store.put(USER, "wanted", {"text": "The violin was repaired in Coimbra", "kind": 1})
    assert store.search(USER, query="violin repaired", filter={"kind": 1}, limit=3)[0].key == "wanted"


def test_an_item_that_is_not_to_be_indexed_is_found_by_its_key_only(filled: HmemStore) -> None:
    filled.put(USER, "secret", {"text": "The puppy Coco bites"}, index=False)
    assert "secret" not in keys(filled.search(USER, query="puppy Coco"))
    assert "secret" in keys(filled.search(USER))
    assert filled.get(USER, "secret") is not None


def test_only_the_texts_at_the_paths_are_searched(memory: Memory) -> None:
    store = HmemStore(memory, fields=["title", "parts[*].text"])
    store.put(USER, "a", {"title": "Violins", "parts": [{"text": "old"}, {"text": "new"}], "hidden": "trumpet"})
    store.put(USER, "b", {"hidden": "trumpet"})
    store.put(USER, "c", {"title": "Drums", "hidden": "trumpet"}, index=["hidden"])
    assert [turn.text for turn in memory.list()] == ["Violins\nold\nnew", "b", "trumpet"]
    assert keys(store.search(USER, query="trumpet"))[0] == "c"
    assert "b" not in keys(store.search(USER, query="trumpet"))


def test_conversations_of_the_same_memory_are_no_items(filled: HmemStore, memory: Memory) -> None:
    memory.add("My puppy Coco ate the fence", speaker="Maria")
    memory.add("A puppy of another store", metadata={"store": "another"})
    assert len(filled.search((), query="puppy")) == len(filled.search(())) == 4


# Time to live.


@pytest.mark.elsewhere
def test_an_item_is_gone_when_its_time_to_live_is_over(store: HmemStore) -> None:
    store.put(USER, "short", {"text": "The code is 4711"}, ttl=0.001)
    store.put(USER, "long", {"text": "The code is 4712"}, ttl=10)
    deadline = datetime.now(UTC) + timedelta(seconds=5)
    while store.get(USER, "short", refresh_ttl=False) is not None and datetime.now(UTC) < deadline:
        pass
    assert store.get(USER, "short") is None
    assert keys(store.search(USER)) == keys(store.search(USER, query="code")) == ["long"]


def test_reading_an_item_lets_its_time_to_live_begin_anew(memory: Memory) -> None:
    def expiry() -> float:
        return max(turn.expires.timestamp() for turn in memory.list() if turn.expires)

    store = HmemStore(memory, ttl={"default_ttl": 0.3, "refresh_on_read": True})
    store.put(USER, "a", {"text": "Read now and then"})
    made, first = store.get(USER, "a"), expiry()
    assert made is not None
    while expiry() == first:
        sleep(0.1)
        item = store.get(USER, "a")
        assert item is not None
        assert (item.created_at, item.updated_at) == (made.created_at, made.updated_at)
    assert expiry() > first + 1
    assert len(memory.list()) == 2


def test_a_read_need_not_put_off_expiry_and_a_fresh_item_is_not_written_again(store: HmemStore, memory: Memory) -> None:
    store.put(USER, "a", {"text": "Only read"}, ttl=60)
    store.get(USER, "a")
    store.search(USER, query="read")
    assert len(memory.list()) == 1


def test_a_time_to_live_of_nothing_is_refused(store: HmemStore, memory: Memory) -> None:
    with pytest.raises(InvalidTime):
        store.put(USER, "a", {"text": "x"}, ttl=0)
    assert memory.list() == []


# Files, processes, asynchronous code.


@pytest.fixture
def other(opens: Callable[[], Memory], memory: Memory) -> Iterator[HmemStore]:
    """A store over the same memory, as another process has it."""
    with opens() as opened:
        yield HmemStore(opened)


def test_a_store_is_there_again_when_the_memory_is_reopened(path: Path) -> None:
    with Memory(path) as memory:
        store = HmemStore(memory)
        store.put(USER, "a", {"text": "Maria lives in Porto"})
        store.put(USER, "b", {"text": "Maria is a baker"})
        store.put(USER, "a", {"text": "Maria lives in Lisbon"})
        before = [item.dict() for item in store.search(())]
    with Memory(path) as memory:
        assert [item.dict() for item in HmemStore(memory).search(())] == before


@pytest.mark.elsewhere
def test_two_stores_on_one_file_see_each_others_puts_and_deletes(store: HmemStore, other: HmemStore) -> None:
    store.put(USER, "a", {"text": "one"})
    other.put(USER, "a", {"text": "two"})
    other.put(USER, "b", {"text": "three"})
    assert plain(store.search(USER)) == [(USER, "a", {"text": "two"}), (USER, "b", {"text": "three"})]
    store.delete(USER, "a")
    assert other.get(USER, "a") is None
    assert keys(other.search(USER, query="three")) == ["b"]


@pytest.mark.elsewhere
def test_asynchronous_calls_do_the_same(store: HmemStore) -> None:
    async def run() -> list[str]:
        await asyncio.gather(*(store.aput(USER, f"k{i}", {"text": f"text {i}"}) for i in range(4)))
        await store.adelete(USER, "k0")
        assert await store.aget(USER, "k0") is None
        assert await store.alist_namespaces(prefix=("users",)) == [USER]
        return sorted(keys(await store.asearch(USER)))

    assert asyncio.run(run()) == ["k1", "k2", "k3"]
