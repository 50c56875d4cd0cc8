# ruff: noqa: S101
"""Model-based test: after any sequence of writes a storage equals a plain dict of turns."""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hmem.model.turn import Turn
from hmem.storage.base import BLOCK_TURNS, Storage
from hmem_testing.conformance.harness import (
    DIMENSION,
    START,
    Harness,
    all_turns,
    erasure,
    keep,
    keep_plain,
    make_turn,
    sequence_numbers,
    unit_vectors,
)


@dataclass
class Model:
    """Expected content of a storage: turns by id, and the ids that have a vector."""

    turns: dict[str, Turn] = field(default_factory=dict[str, Turn])
    embedded: set[str] = field(default_factory=set[str])

    def append(self, turns: Sequence[Turn], *, embedded: bool) -> list[tuple[str, str | None]]:
        return [self._append(turn, embedded=embedded) for turn in turns]

    def _append(self, turn: Turn, *, embedded: bool) -> tuple[str, str | None]:
        duplicates = [earlier for earlier in self.turns.values() if earlier.message_id == turn.message_id is not None]
        if duplicates:
            alike = (duplicates[0].speaker, duplicates[0].text) == (turn.speaker, turn.text)
            return ("duplicate", duplicates[0].id) if alike else ("rejected", None)
        self.turns[turn.id] = turn
        if embedded:
            self.embedded.add(turn.id)
        return ("stored", turn.id)

    def delete(self, ids: Sequence[str]) -> tuple[int, int]:
        vectors = len(self.embedded.intersection(ids))
        self.embedded.difference_update(ids)
        return sum(self.turns.pop(name, None) is not None for name in ids), vectors


class ModelConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_any_sequence_of_writes_leaves_what_a_plain_model_holds(self) -> None:
        name = st.sampled_from(["a", "b", "ü\0"])
        message = st.one_of(st.none(), st.sampled_from(["m1", "m2", "m3"]))
        message_data = st.tuples(name, name, st.text(max_size=3), message, st.integers(-3, 3))
        append = st.tuples(st.just("append"), st.lists(message_data, max_size=4), st.booleans())
        large = st.tuples(st.just("many"), st.integers(BLOCK_TURNS - 1, BLOCK_TURNS + 1), name)
        delete = st.tuples(st.just("delete"), st.lists(st.integers(0, 200), max_size=4, unique=True))
        fill = st.tuples(st.just("fill"), st.integers(0, 5))

        @settings(max_examples=30, deadline=None, database=None)
        @given(st.lists(st.one_of(append, large, delete, fill), max_size=8))
        def agrees(operations: list[tuple[Any, ...]]) -> None:
            with tempfile.TemporaryDirectory() as folder, self.open_storage(Path(folder)) as storage:
                model = Model()
                for operation in operations:
                    before = storage.state().change
                    changes = _OPERATIONS[operation[0]](storage, model, *operation[1:])
                    assert (storage.state().change > before) == changes
                    compare(storage, model)

        agrees()


def _append(storage: Storage, model: Model, message_data: Sequence[tuple[Any, ...]], embedded: bool) -> bool:  # noqa: FBT001
    turns = [
        make_turn(text, speaker=speaker, session=session, message_id=message, at=START + timedelta(minutes=minutes))
        for speaker, session, text, message, minutes in message_data
    ]
    outcomes = model.append(turns, embedded=embedded)
    results = (keep if embedded else keep_plain)(storage, turns)
    assert [(result.fate, result.id) for result in results] == outcomes
    return "stored" in [fate for fate, _ in outcomes]


def _append_many(storage: Storage, model: Model, count: int, session: str) -> bool:
    turns = [make_turn(f"text {i}", session=session) for i in range(count)]
    assert [(place.fate, place.id) for place in keep(storage, turns)] == model.append(turns, embedded=True)
    return True


def _delete(storage: Storage, model: Model, positions: Sequence[int]) -> bool:
    numbers, ids = sequence_numbers(storage), list(model.turns)
    existing = [result for result in positions if result < len(ids)]
    deletion = erasure(storage).forget([numbers[result] for result in existing])
    assert (deletion.turns, deletion.vectors) == model.delete([ids[result] for result in existing])
    return bool(existing)


def _fill(storage: Storage, model: Model, limit: int) -> bool:
    missing = [name for name in model.turns if name not in model.embedded][:limit]
    vectorless = storage.without_vector(1, limit)
    before = storage.state().change
    assert [record.turn.id for record in vectorless] == missing
    storage.put_vectors([record.seq for record in vectorless], unit_vectors(len(vectorless)), 1)
    model.embedded.update(missing)
    return storage.state().change > before


_OPERATIONS: dict[str, Callable[..., bool]] = {
    "append": _append,
    "many": _append_many,
    "delete": _delete,
    "fill": _fill,
}


def compare(storage: Storage, model: Model) -> None:
    """Compare every answer of the storage with the model's."""
    turns = list(model.turns.values())
    assert all_turns(storage) == turns
    assert storage.locate([*model.turns, "turn_unknown"]) == dict(
        zip(model.turns, sequence_numbers(storage), strict=True)
    )
    _compare_counts(storage, turns, model)
    _compare_sessions(storage, turns)
    _compare_blocks(storage, turns)
    assert storage.problems() == []


def _compare_counts(storage: Storage, turns: Sequence[Turn], model: Model) -> None:
    counts = storage.counts()
    assert (counts.turns, counts.vectors) == (len(turns), len(model.embedded))
    assert counts.sessions == len({turn.session for turn in turns})
    assert counts.speakers == len({turn.speaker for turn in turns})
    assert counts.first == min((turn.at for turn in turns), default=None)
    assert counts.last == max((turn.at for turn in turns), default=None)
    embedded, _ = storage.vectors(sequence_numbers(storage), 1, DIMENSION)
    assert {record.turn.id for record in storage.turns(embedded.tolist())} == model.embedded


def _compare_sessions(storage: Storage, turns: Sequence[Turn]) -> None:
    by_session: dict[str, list[Turn]] = defaultdict(list)
    for turn in turns:
        by_session[turn.session].append(turn)
    sessions = storage.sessions()
    starts = [session.start for session in sessions]
    assert starts == sorted(starts)
    assert {session.id for session in sessions} == set(by_session)
    for session in sessions:
        session_turns = by_session[session.id]
        assert (session.turns, session.opening) == (len(session_turns), session_turns[0].text)
        assert (session.start, session.end) == (
            min(turn.at for turn in session_turns),
            max(turn.at for turn in session_turns),
        )
        assert sorted(session.speakers) == sorted({turn.speaker for turn in session_turns})
        assert [record.turn for record in storage.page(0, 10_000, session=session.id)] == session_turns


def _compare_blocks(storage: Storage, turns: Sequence[Turn]) -> None:
    blocks = storage.changed_blocks(0)
    numbers = [block.number for block in blocks]
    members, contents = storage.members(numbers), storage.contents(numbers)
    assert [(member.block, member.seq) for member in members] == [(block, seq) for block, seq, _ in contents]
    assert sorted(member.seq for member in members) == sequence_numbers(storage)
    assert sorted(text for _, _, text in contents) == sorted(turn.content for turn in turns)
    sessions: dict[int, set[int]] = defaultdict(set)
    by_block: dict[int, int] = defaultdict(int)
    for member in members:
        sessions[member.block].add(member.session)
        by_block[member.block] += 1
    assert all(len(names) == 1 for names in sessions.values())
    assert all(by_block[block.number] == block.turns <= BLOCK_TURNS for block in blocks)
