"""Items know their places, and what was there before."""

from hmem import Memory
from hmem_agents.langgraph import HmemStore
from hmem_agents.langgraph_items import ItemKey, Items

PLACE = ItemKey(("users", "maria"), "home")


def test_a_place_has_a_session_of_its_own() -> None:
    assert PLACE.session == '["users", "maria", "home"]'
    assert ItemKey(("users",), "maria").session != ItemKey(("users", "maria"), "").session


def test_what_an_item_was_before_is_told_until_it_is_withdrawn(memory: Memory) -> None:
    store, items = HmemStore(memory), Items(memory)
    store.put(PLACE.namespace, PLACE.key, {"text": "Porto"})
    (turn,) = memory.list()
    again = memory.add("Lisbon", session=PLACE.session, metadata=turn.metadata)
    assert again.id
    assert items.earlier_versions({PLACE: again.id}) == [turn.id]
    memory.retract(turn.id)
    assert items.earlier_versions({PLACE: again.id}) == []
    assert [held.id for held in items.with_prefix(("users",))] == [again.id]


def test_a_place_is_empty_again_when_its_turns_are_forgotten(memory: Memory) -> None:
    items = Items(memory)
    assert items.existing([PLACE]) == []
    HmemStore(memory).put(PLACE.namespace, PLACE.key, {"text": "Porto"})
    assert items.existing([PLACE]) == [PLACE]
    memory.forget(session=PLACE.session)
    assert items.existing([PLACE]) == []
    assert items.get(PLACE) is None
