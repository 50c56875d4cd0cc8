"""Ids of which only the beginning is given."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory
from hmem.errors import UnknownId
from hmem.interfaces.cli.options import whole_id

SAID = ("I live in Lisbon.", "I adopted a puppy named Coco.", "My sister Anna works at a bank.")


def short(id: str, count: int = 8) -> str:
    """Return an id's kind and its first characters."""
    kind, _, rest = id.partition("_")
    return f"{kind}_{rest[:count]}"


@pytest.fixture
def told(path: Path) -> Path:
    """The path of a memory with a turn of each of three days, and what is formed of them."""
    with Memory(path) as memory:
        memory.add(
            [{"text": text, "at": f"2025-03-0{day}T10:00Z"} for day, text in enumerate(SAID, 1)], speaker="Maria"
        )
    return path


def test_eight_characters_that_one_id_begins_with_are_that_id(run: Run, told: Path) -> None:
    with Memory(told) as memory:
        items = [*memory.events(), *memory.notes()]
    alone = [each for each in items if sum(short(other.id) == short(each.id) for other in items) == 1]
    assert {short(each.id).partition("_")[0] for each in alone} == {"event", "note"}
    for each in alone:
        assert f"id        {each.id}" in run("get", short(each.id), "--memory", told).out.splitlines()


def test_characters_that_several_ids_begin_with_are_refused_with_those_ids(run: Run, told: Path) -> None:
    with Memory(told) as memory:
        ids = [turn.id for turn in memory.list()]
    result = run("get", short(ids[0], 4), "--memory", told, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "UnknownId")
    assert f"begins 3 ids - did you mean {' or '.join(ids)}?" in result.json["error"]["message"]


def test_fewer_than_eight_characters_are_refused_with_the_id(told: Path) -> None:
    with Memory(told) as memory:
        (episode,) = memory.episodes(limit=1)
        memory.delete(*(turn.id for turn in memory.list()[1:]))
        with pytest.raises(UnknownId, match=f"too short.* did you mean {episode.id}"):
            whole_id(memory, short(episode.id, 7))


def test_what_begins_no_id_is_left_to_the_memory(run: Run, told: Path) -> None:
    with Memory(told) as memory:
        for given in ("Maria", "s1", "turn_7ZZZZZZZZZ", "session_01JHDX28H0", f"turn_{'Z' * 26}"):
            assert whole_id(memory, given) == given
    assert "has no turn, event or note 'turn_7ZZZZZZZZZ'" in run("get", "turn_7ZZZZZZZZZ", "--memory", told).err


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (("edit", "retract"), ()), (("edit", "pin"), ()), (("edit", "feedback"), ("approve",)),
        (("correct",), ("I live in Porto.",)), (("forget", "--yes", "--id"), ()), (("history",), ()),
    ],
)  # fmt: skip
def test_commands_take_the_beginning_of_an_id(
    run: Run, path: Path, command: tuple[str, ...], options: tuple[str, ...]
) -> None:
    with Memory(path) as memory:
        kept = memory.add(SAID[0], speaker="Maria").id
    result = run(*command, short(kept), *options, "--memory", path)
    assert result.code == 0, result.err
    with Memory(path) as memory:
        gone = kept not in {turn.id for turn in memory.list()}
    assert gone == (command[0] == "forget")


def test_entities_episodes_and_nodes_are_told_by_their_beginnings(told: Path) -> None:
    with Memory(told) as memory:
        (anna,) = memory.entities(name="Anna")
        episode, day = memory.episodes()[-1], memory.tree("calendar").children[0].children[0]
        assert [whole_id(memory, short(each.id)) for each in (anna, episode)] == [anna.id, episode.id]
        with pytest.raises(UnknownId, match=day.node.id):
            whole_id(memory, day.node.id[:-1])


def test_a_change_is_taken_back_by_its_beginning(run: Run, told: Path) -> None:
    with Memory(told) as memory:
        change = memory.pin(memory.list()[0].id)
    assert run("undo", short(change.id), "--memory", told).code == 0
    with Memory(told) as memory:
        assert not memory.pins()
