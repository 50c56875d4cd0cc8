# ruff: noqa: S101
"""Tests of finding turns by session, user, agent and metadata."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hmem.storage.base import Scalar, Storage
from hmem_testing.conformance.harness import Harness, keep, make_turn, sequence_numbers


class MatchingConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_turns_match_by_session_user_and_agent(self, tmp_path: Path) -> None:
        users = (None, "u", "U")
        turns = [make_turn(session=f"s{i % 2}", user=users[i % 3], agent="a" if i > 5 else None) for i in range(12)]
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            seqs = sequence_numbers(storage)
            assert storage.matching().tolist() == seqs
            assert storage.matching(session="s1").tolist() == seqs[1::2]
            assert storage.matching(user="u").tolist() == seqs[1::3]
            assert storage.matching(agent="a").tolist() == seqs[6:]
            assert storage.matching(with_user=True).tolist() == [seq for i, seq in enumerate(seqs) if i % 3]
            assert storage.matching(with_user=True, agent="a", user="u").tolist() == [seqs[7], seqs[10]]
            assert storage.matching(session="s1", user="u", agent="a").tolist() == [seqs[7]]
            assert storage.matching(session="S1").tolist() == storage.matching(user="").tolist() == []

    def test_turns_match_by_the_values_of_their_metadata(self, tmp_path: Path) -> None:
        values = ["x", 1, True, None, 2.5, "1", ["x"], {"a": "x"}, "ü", 2**60, 2**70]
        with self.open_storage(tmp_path) as storage:
            keep(storage, [*(make_turn(metadata={"a": value}) for value in values), make_turn()])
            for position, value in enumerate(values):
                if not isinstance(value, list | dict):
                    assert _matching(storage, {"a": [value]}) == [position]
            assert _matching(storage, {"a": ["x", 2.5, "none"]}) == [0, 4]
            assert _matching(storage, {"a": [1.0]}) == [1]
            assert _matching(storage, {"a": []}) == _matching(storage, {"A": ["x"]}) == []

    def test_every_field_of_the_metadata_must_match_whatever_its_name(self, tmp_path: Path) -> None:
        names = ["plain", "with blank", "a.b", '"quoted"', "$", "", "[0]", "ü"]
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(metadata={name: i, "all": True}) for i, name in enumerate(names)])
            for i, name in enumerate(names):
                assert _matching(storage, {name: [i], "all": [True]}) == [i]
                assert _matching(storage, {name: [i], "all": [False]}) == []


def _matching(storage: Storage, metadata: Mapping[str, Sequence[Any]]) -> list[int]:
    """Return the positions, in order of arrival, of the matching turns."""
    condition: Mapping[str, Sequence[Scalar]] = metadata
    seqs = sequence_numbers(storage)
    return [seqs.index(seq) for seq in storage.matching(metadata=condition).tolist()]
