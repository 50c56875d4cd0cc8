"""What an adapter knows of a memory, whoever else writes into it."""

from collections.abc import Mapping
from typing import Any

from tests.serving import Site

import hmem
from hmem import Memory
from hmem.interfaces.client.remote import RemoteMemory
from hmem_agents.turns import ChangeLogView, TurnReader, turns_of


def looked(turns: TurnReader) -> tuple[list[int], list[str]]:
    with turns.reading():
        gone, fresh = turns.news()
        return gone, [turn.text for _, turn in fresh]


def test_what_people_withdraw_is_told_from_what_the_framework_replaced(memory: Memory) -> None:
    turns = turns_of(memory, "framework")
    first, second, third = (memory.add(f"The code is {number}").id for number in (1, 2, 3))
    assert first
    assert second
    assert third
    assert turns.log() == ChangeLogView()
    memory.retract(first, by="framework")
    change = memory.retract(second)
    correction = memory.correct(third, "The code is 4")
    assert correction.link
    corrections = frozenset({correction.link})
    assert turns.log() == ChangeLogView(frozenset({first, second, third}), frozenset({second, third}), corrections)
    undone = memory.undo(change.id)
    assert turns.log().by_people == {third}
    memory.undo(undone.id)
    memory.undo(memory.history(third)[0].id)
    assert turns.log() == ChangeLogView(frozenset({first, second}), frozenset({second}), corrections)
    assert turns.log() == turns_of(memory, "framework").log()


def test_the_log_of_a_server_is_read_once(site: Site) -> None:
    asked: list[str] = []

    class Watched(RemoteMemory):
        def _fetch(self, name: str, arguments: Mapping[str, Any]) -> Any:
            if name == "history":
                asked.append(str(arguments.get("since")))
            return super()._fetch(name, arguments)

    address = f"{site.address}/read-once"
    with hmem.connect(address, create=True) as memory:
        memory.__class__ = Watched
        turns = turns_of(memory, "framework")
        said = memory.add("The code is 1").id
        assert said
        change = memory.retract(said)
        assert turns.log().by_people == turns.log().by_people == {said}
        assert site.http.delete("/v1/memories/read-once").is_success
        hmem.connect(address, create=True).close()
        assert turns.log() == ChangeLogView()
    assert asked == ["None", change.id, change.id, "None"]


def test_what_is_new_and_what_is_gone_is_told_once(memory: Memory) -> None:
    turns = turns_of(memory, "framework")
    assert looked(turns) == ([], [])
    ids = [memory.add(text).id for text in ("one", "two", "three")]
    assert looked(turns) == ([], ["one", "two", "three"])
    assert looked(turns) == ([], [])
    with turns.reading():
        memory.add("four")
        _, fresh = turns.news()
        ((number, turn),) = list(fresh)
    assert turns.numbered([number, number + 99]) == {number: turn}
    assert ids[2]
    memory.forget(ids[2])
    memory.forget(turn.id)
    memory.add("five")
    gone, texts = looked(turns)
    assert (len(gone), texts) == (2, ["five"])
    assert number in gone
    assert turns.numbered([number]) == {}
    assert looked(turns) == ([], [])
