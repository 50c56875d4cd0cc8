"""Formation: the same however turns arrive, durable, caught up, and nothing left of what was deleted."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formation import FormedExample, example, formation, formed

from hmem import Memory
from hmem.errors import StorageFull, UnknownName
from hmem.formation import pipeline, worker
from hmem.recipes import WITHOUT

TURNS = 48


@pytest.fixture(scope="module")
def in_one_batch() -> dict[str, object]:
    with Memory(":memory:") as memory:
        memory.add(example(TURNS))
        return formed(memory)


def test_everything_is_formed_when_it_is_looked_at(memory: Memory) -> None:
    memory.add(example(TURNS))
    stats = memory.stats()
    assert (stats.unformed, stats.formation_problem) == (0, None)
    assert stats.events > TURNS / 3
    assert stats.notes > 5
    assert stats.entities > 10
    assert memory.verify().ok
    assert memory.verify().checked["formed"] == TURNS


@pytest.mark.parametrize("later", [False, True])
def test_turns_one_by_one_come_to_the_same_as_a_batch(later: bool, in_one_batch: dict[str, object]) -> None:
    with Memory(":memory:", form_later=later) as memory:
        for message in example(TURNS):
            memory.add(message)
        assert formed(memory) == in_one_batch


@pytest.mark.any_storage
def test_turns_with_the_memory_closed_in_between_come_to_the_same(path: Path, in_one_batch: dict[str, object]) -> None:
    messages = example(TURNS)
    for start in range(0, TURNS, 7):
        with Memory(path) as memory:
            memory.add(messages[start : start + 7])
    with Memory(path) as memory:
        assert formed(memory) == in_one_batch


@settings(max_examples=3)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_batches_of_any_size_come_to_the_same(sizes: list[int]) -> None:
    messages = example(60)
    with Memory(":memory:") as one, Memory(":memory:") as other:
        one.add(messages)
        rest = messages
        for size in sizes:
            other.add(rest[:size])
            rest = rest[size:]
        other.add(rest)
        assert formed(other) == formed(one)


def test_sessions_that_are_told_side_by_side_come_to_the_same(path: Path) -> None:
    messages = example(80)
    for i, message in enumerate(messages):
        message["session"] = f"side {i % 3}"
    with Memory(":memory:") as batch:
        batch.add(messages)
        with Memory(path) as memory:
            for message in messages:
                memory.add(message)
            assert formed(memory) == formed(batch)


def test_forming_anew_gives_the_same(memory: Memory, in_one_batch: dict[str, object]) -> None:
    for message in example(TURNS):
        memory.add(message)
    memory.rebuild()
    assert formed(memory) == in_one_batch


def test_nothing_depends_on_the_order_of_hashes(in_one_batch: dict[str, object]) -> None:
    script = (
        "from tests.formation import example, formed; from hmem import Memory; m = Memory(':memory:');"
        f"m.add(example({TURNS})); print(sorted(map(str, formed(m).items())).__repr__())"
    )
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[2], env={
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "HMEM_EMBEDDER": os.environ["HMEM_EMBEDDER"],
        },
        capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    assert done.stdout == f"{sorted(map(str, in_one_batch.items()))!r}\n"


def test_steps_of_any_size_come_to_the_same(
    memory: Memory, in_one_batch: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "STEP_TURNS", 11)
    memory.add(example(TURNS))
    assert formed(memory) == in_one_batch


# Deleting.


def test_a_deleted_turn_leaves_nothing_behind(memory: Memory) -> None:
    ids = [receipt.id or "" for receipt in memory.add(example(TURNS))]
    told = memory.add("I adopted a zebrafish named Quillon yesterday in Zanzibar", speaker="Nadia").id or ""
    assert "Quillon" in str(memory.graph(limit=500)) + str(memory.events(limit=1000))
    memory.consolidate()
    memory.delete(told, *ids[10:40])
    assert memory.verify().ok
    memory.consolidate()
    everything = [
        *(memory.tree(name, summaries=True) for name in ("calendar", "topic", "layers", "evolution")),
        memory.episodes(limit=1000), memory.events(limit=1000), memory.notes(limit=1000),
        memory.graph(limit=1000), memory.personas(), memory.tiers(),
    ]  # fmt: skip
    for word in ("Quillon", "zebrafish", told):
        assert word not in str(everything)


@settings(max_examples=3)
@given(st.randoms(use_true_random=False))
def test_deleting_in_any_order_leaves_no_orphan(chance: random.Random) -> None:
    with Memory(":memory:") as memory:
        ids = [receipt.id or "" for receipt in memory.add(example(18))]
        memory.consolidate()
        chance.shuffle(ids)
        while ids:
            some = [ids.pop() for _ in range(min(len(ids), chance.randint(1, 12)))]
            memory.delete(*some)
            assert memory.verify().problems == ()
        assert memory.stats().events == memory.stats().notes == memory.stats().entities == 0
        assert all(memory.tree(name).children == () for name in ("calendar", "topic", "layers", "evolution"))


# What goes wrong.


def test_what_was_not_formed_is_formed_later(path: Path) -> None:
    with Memory(path) as memory:
        memory.corpus.append([])
        memory.add(example(5))
    with Memory(path, recipe="flat") as memory:
        turns = memory.list()
        memory.corpus.storage.clear_formed()
    assert len(turns) == 5
    with Memory(path) as memory:
        assert memory.stats().unformed == 5
        memory.add("And then I moved to Porto.", speaker="Nadia")
        assert memory.stats().unformed == 0
        assert memory.verify().ok


@pytest.mark.any_storage
def test_formation_that_is_behind_is_taken_up_bit_by_bit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "BEHIND_TURNS", 20)
    with Memory(path) as memory:
        memory.add(example(50))
    with Memory(path, form_later=False) as memory:
        memory.corpus.storage.clear_formed()
        memory.add("And then I moved to Porto.", speaker="Nadia")
        assert memory.stats().unformed == 51 - 21
        assert memory.consolidate().turns == 30
        assert memory.stats().unformed == 0


@pytest.mark.any_storage
def test_a_turn_is_kept_when_it_cannot_be_formed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The thread may fail often enough for a pause between two tries.
    monkeypatch.setattr(pipeline, "_PAUSE", 0.0)
    with Memory(path) as memory:
        memory.add(example(5))
        memory.flush()

        def full(*_: object, **__: object) -> None:
            raise StorageFull("no space left - free some")

        with monkeypatch.context() as patch:
            patch.setattr(type(memory.corpus.storage), "form", full)
            receipt = memory.add("I moved to Porto.", speaker="Nadia")
            assert receipt.fate == "stored"
            assert memory.stats().formation_problem == "no space left - free some"
            for _ in range(5):
                memory._components.formation.pipeline.catch_up()
            assert memory.stats().unformed == 1
        memory.add("It is warm there.", speaker="Nadia")
        assert memory.stats().formation_problem is None
        assert memory.stats().unformed == 0
        assert memory.verify().ok


@pytest.mark.any_storage
def test_two_who_have_the_memory_open_form_each_turn_once(path: Path, in_one_batch: dict[str, object]) -> None:
    with Memory(path) as one, Memory(path) as other:
        for i, message in enumerate(example(TURNS)):
            (one, other)[i % 2].add(message)
        # Each forms what it added; the last turn is the other's.
        assert formed(other) == in_one_batch
        assert formed(one) == in_one_batch


@pytest.mark.any_storage
def test_a_step_that_another_took_is_taken_up_and_gone_on_from(
    path: Path, in_one_batch: dict[str, object], formed_example: FormedExample
) -> None:
    formed_example(path, 30)
    with Memory(path) as memory:
        late = formation(memory)
        late.form()
        for message in example(TURNS)[30:45]:
            memory.add(message)
        messages = example(TURNS)[45:]
        with Memory(path, recipe="flat") as writer:
            writer.add(messages)
        late.form()
        memory.stats()
        assert formed(memory) == in_one_batch


@pytest.mark.any_storage
def test_another_embedder_forms_the_trees_anew(path: Path) -> None:
    from hmem import reembed

    with Memory(path) as memory:
        memory.add(example(40))
    reembed(path, "wordllama:64")
    with Memory(path) as memory:
        memory.add("And then I moved to Porto.", speaker="Nadia")
        assert memory.stats().unformed == 0
        assert memory.verify().ok


# Switches.


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_every_mechanism_can_be_left_out(name: str) -> None:
    with Memory(":memory:", settings=WITHOUT[name]) as memory:
        memory.add(example(24))
        assert memory.verify().ok
        memory.consolidate()
        shown = {
            "calendar": memory.tree("calendar").children, "topic": memory.tree("topic").children,
            "evolution": memory.tree("evolution").children, "layers": memory.tree("layers").children,
            "graph": memory.graph().entities, "notes": memory.notes(), "persona": memory.personas(),
            "profiles": memory.graph().profiles,
        }  # fmt: skip
    dependent = {"notes": {"notes", "persona"}, "graph": {"graph", "profiles"}}.get(name, {name})
    for mechanism, found in shown.items():
        assert bool(found) == (mechanism not in dependent), mechanism


def test_the_way_of_forming_stays_with_the_memory(path: Path) -> None:
    with Memory(path, recipe="dual-tree") as memory:
        memory.add(example(20))
        assert memory.tree("topic").children
        assert not memory.notes()
    with Memory(path) as memory:
        memory.add(example(30)[20:])
        assert not memory.notes()
        assert not memory.tree("layers").children
    with Memory(path, recipe="fusion") as memory:
        memory.rebuild()
        assert memory.notes()
        assert memory.tree("layers").children


def test_the_analyst_stays_with_the_memory(path: Path) -> None:
    with Memory(path, analyst="verbatim") as memory:
        memory.add(example(5))
    with Memory(path) as memory:
        assert memory.corpus.storage.state().settings["formation.analyst"] == "verbatim"
        assert all(event.made_by.startswith("verbatim/") for event in memory.events())
    with pytest.raises(UnknownName, match=r"choose one of: .*verbatim"):
        Memory(path, analyst="oracle")
