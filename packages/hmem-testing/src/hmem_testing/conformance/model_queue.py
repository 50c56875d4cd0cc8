# ruff: noqa: S101
"""Tests of model work: readings and texts of language models, the queue of turns to read, and the spending."""

from pathlib import Path

from hmem.storage.base import LogEntry, Storage
from hmem.storage.model_queue import ERASURES, READINGS, Attempt, KeptAnswer, KeptReading, PendingReaction, Spending
from hmem_testing.conformance.harness import (
    Harness,
    erasure,
    keep,
    make_turn,
    make_turns,
    queue,
    sequence_numbers,
    state,
)

_MODEL = "openai:small/1"
_WORDS = ["zebrafish", "quillon"]


def _due(storage: Storage, after: int = 0, stale: int = 0, made_by: str = _MODEL) -> list[int]:
    return [waiting.seq for waiting in queue(storage).awaiting(after, stale, made_by)]


def _read(storage: Storage, seqs: list[int], content: bytes = b"said", made_by: str = _MODEL) -> bool:
    """Store the reading of turns by one call that saw them all."""
    assert queue(storage).lease(seqs, "me", 0, 9, 1_000)
    readings = [KeptReading(seq, seqs[0], seqs[-1], made_by, content) for seq in seqs]
    return queue(storage).keep_readings(readings, "me", seqs)


class ModelQueueConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_every_turn_behind_a_number_waits_until_it_is_read(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            assert READINGS not in storage.state().settings
            keep(storage, make_turns(4))
            first, second, third, fourth = sequence_numbers(storage)
            assert _due(storage) == [first, second, third, fourth]
            assert _due(storage, after=second) == [third, fourth]
            assert _read(storage, [third, fourth])
            assert _due(storage) == [first, second]
            assert storage.state().settings[READINGS] == "2"

    def test_readings_come_back_whole_in_the_order_of_their_numbers(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            first, second, third = sequence_numbers(storage)
            _read(storage, [second, third], bytes(range(256)))
            _read(storage, [first])
            readings = [
                KeptReading(second, second, third, _MODEL, bytes(range(256)), 1),
                KeptReading(third, second, third, _MODEL, bytes(range(256)), 2),
                KeptReading(first, first, first, _MODEL, b"said", 3),
            ]
            assert queue(storage).readings() == readings
            assert queue(storage).readings(since=1) == readings[1:]
            assert queue(storage).readings(limit=1) == readings[:1]
            assert queue(storage).readings(seqs=[first, third]) == readings[1:]

    def test_a_reading_by_another_waits_again_when_it_is_called_stale(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            seqs = sequence_numbers(storage)
            _read(storage, seqs, made_by="openai:old/1")
            assert _due(storage) == []
            assert _due(storage, stale=1) == seqs[:1]
            assert _due(storage, stale=2) == seqs
            assert _due(storage, stale=2, made_by="openai:old/1") == []

    def test_nobody_else_holds_turns_of_a_session_that_is_held(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [*make_turns(2), make_turn(session="s2")])
            first, second, third = sequence_numbers(storage)
            assert queue(storage).lease([first], "me", 0, 100, 0)
            assert queue(storage).lease([first], "me", 0, 100, 0)
            assert not queue(storage).lease([first], "you", 50, 150, 0)
            assert not queue(storage).lease([second], "you", 50, 150, 0)
            assert queue(storage).lease([third], "you", 50, 150, 0)
            assert queue(storage).holders(50) == ["me", "you"]
            assert queue(storage).holders(100) == ["you"]
            assert queue(storage).lease([first, second], "you", 100, 150, 0)

    def test_turns_that_are_gone_or_read_meanwhile_are_not_held(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            first, second = sequence_numbers(storage)
            _read(storage, [first])
            assert not queue(storage).lease([first], "you", 0, 9, 0)
            assert queue(storage).lease([first], "you", 0, 9, 1)
            assert not queue(storage).lease([second, 999_999], "you", 0, 9, 0)

    def test_of_two_who_read_a_turn_one_has_effect(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(1))
            (seq,) = sequence_numbers(storage)
            assert queue(storage).lease([seq], "slow", 0, 10, 0)
            assert queue(storage).lease([seq], "quick", 10, 20, 0)
            assert not queue(storage).keep_readings([KeptReading(seq, seq, seq, _MODEL, b"slow")], "slow", [seq])
            assert queue(storage).keep_readings([KeptReading(seq, seq, seq, _MODEL, b"quick")], "quick", [seq])
            assert not queue(storage).keep_readings([KeptReading(seq, seq, seq, _MODEL, b"slow")], "slow", [seq])
            assert [reading.content for reading in queue(storage).readings()] == [b"quick"]
            assert storage.state().settings[READINGS] == "1"

    def test_a_failed_attempt_is_noted_and_one_that_is_given_up_waits_no_more(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            first, second = sequence_numbers(storage)
            queue(storage).lease([first, second], "me", 0, 9, 0)
            queue(storage).release([first, second], "you", Attempt(5, "not mine"))
            queue(storage).release([first], "me", Attempt(1_000, "it said nothing"))
            queue(storage).release([second], "me", Attempt(2_000, "busy", is_counted=False))
            waiting = queue(storage).awaiting(0, 0, _MODEL)
            assert [(record.seq, record.attempts, record.due, record.holder) for record in waiting] == [
                (first, 1, 1_000, None),
                (second, 0, 2_000, None),
            ]
            queue(storage).lease([first], "me", 0, 9, 0)
            queue(storage).release([first], "me", Attempt(3_000, "it said nothing", given_up=True))
            assert _due(storage) == [second]
            counts = queue(storage).model_counts(5)
            assert (counts.given_up, counts.leased_turns, counts.error) == (1, 0, "it said nothing")
            queue(storage).requeue({"model.from": "0"}, _MODEL)
            assert _due(storage) == [first, second]
            assert storage.state().settings["model.from"] == "0"
            assert queue(storage).model_counts(5).error is None

    def test_what_somebody_held_who_is_gone_can_be_held_by_others(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(1))
            (seq,) = sequence_numbers(storage)
            queue(storage).lease([seq], "dead", 0, 1_000, 0)
            assert not queue(storage).lease([seq], "me", 1, 9, 0)
            queue(storage).dismiss(["dead", "nobody"])
            assert queue(storage).lease([seq], "me", 1, 9, 0)

    def test_a_forgotten_turn_takes_its_reading_and_those_that_were_shown_it(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [*make_turns(4), make_turn(session="s2")])
            first, second, third, fourth, alone = sequence_numbers(storage)
            _read(storage, [first, second])
            _read(storage, [third, fourth])
            _read(storage, [alone])
            queue(storage).lease([second], "me", 0, 9, 99)
            erasure(storage).forget([second])
            assert [(record.seq, record.content, record.number) for record in queue(storage).readings()] == [
                (third, b"said", 3), (fourth, b"said", 4), (alone, b"said", 5), (first, None, 6),
            ]  # fmt: skip
            assert storage.state().settings[READINGS] == "7"
            assert _due(storage, after=alone) == [first]
            assert queue(storage).holders(1) == []
            assert storage.problems() == []

    def test_what_was_read_while_a_turn_of_it_was_forgotten_is_refused(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            first, second = sequence_numbers(storage)
            queue(storage).lease([second], "me", 0, 9, 0)
            erasure(storage).forget([first])
            assert not queue(storage).keep_readings(
                [KeptReading(second, first, second, _MODEL, b"s")], "me", [first, second]
            )
            assert queue(storage).readings() == []
            assert queue(storage).lease([second], "you", 0, 9, 0)

    def test_readings_can_be_called_new(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            first, second, third = sequence_numbers(storage)
            _read(storage, [first, second])
            queue(storage).renumber([first, third])
            assert [(record.seq, record.number) for record in queue(storage).readings()] == [(second, 2), (first, 3)]
            assert storage.state().settings[READINGS] == "3"

    def test_readings_can_be_taken_back(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            first, second, third = sequence_numbers(storage)
            _read(storage, [first, second])
            queue(storage).renumber([second, third], clear=True)
            queue(storage).renumber([second], clear=True)
            assert [(record.seq, record.content, record.number) for record in queue(storage).readings()] == [
                (first, b"said", 1), (second, None, 3),
            ]  # fmt: skip
            assert _due(storage, after=third) == [second]

    def test_answers_are_kept_by_digest_and_go_with_whatever_is_forgotten(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            summary, two = (
                KeptAnswer(b"\1" * 16, "summary", _MODEL, b"text"),
                KeptAnswer(b"\2" * 16, "name", "old/1", None),
            )
            assert queue(storage).keep_answers([summary, two], None)
            assert queue(storage).answers([summary.digest, b"?"]) == [summary]
            assert queue(storage).answers() == [summary, two]
            assert queue(storage).model_counts(0).answers == 1
            queue(storage).requeue({}, _MODEL)
            assert queue(storage).answers() == [summary]
            erasure(storage).forget(sequence_numbers(storage)[:1])
            assert queue(storage).answers() == []
            assert not queue(storage).keep_answers([summary], None)
            assert queue(storage).keep_answers([summary], storage.state().settings[ERASURES])

    def test_reactions_wait_in_their_order_until_they_are_judged(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            first, second, third = sequence_numbers(storage)
            assert queue(storage).add_reaction(second, b"second", 2, None)
            assert not queue(storage).add_reaction(second, b"again", 2, None)
            assert not queue(storage).add_reaction(99, b"gone", 2, None)
            assert queue(storage).add_reaction(first, b"first", 2, None)
            assert queue(storage).pending_reactions() == [
                PendingReaction(first, b"first"),
                PendingReaction(second, b"second"),
            ]
            assert queue(storage).add_reaction(third, b"third", 2, None)
            assert [record.seq for record in queue(storage).pending_reactions()] == [second, third]
            assert queue(storage).lease_reaction(second, "me", 0, 9)
            assert not queue(storage).settle_reaction(second, "you", [LogEntry(1, "you", "feedback", "x")])
            assert queue(storage).settle_reaction(second, "me", [LogEntry(1, "me", "feedback", "x", after="reject")])
            assert not queue(storage).settle_reaction(second, "me", [LogEntry(2, "me", "feedback", "x")])
            assert [record.seq for record in queue(storage).pending_reactions()] == [third]
            assert [(record.by, record.after) for record in storage.recorded()] == [("me", "reject")]

    def test_a_reaction_is_held_by_one_and_tried_again_or_given_up(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(1))
            (seq,) = sequence_numbers(storage)
            assert not queue(storage).lease_reaction(seq, "me", 0, 9)
            queue(storage).add_reaction(seq, b"x", 9, None)
            assert queue(storage).lease_reaction(seq, "me", 0, 9)
            assert queue(storage).lease_reaction(seq, "me", 0, 9)
            assert not queue(storage).lease_reaction(seq, "you", 5, 15)
            assert (queue(storage).holders(5), queue(storage).holders(9)) == (["me"], [])
            queue(storage).release_reaction(seq, "you", Attempt(7))
            queue(storage).release_reaction(seq, "me", Attempt(7))
            assert queue(storage).pending_reactions() == [PendingReaction(seq, b"x", 1, 7)]
            assert queue(storage).lease_reaction(seq, "you", 5, 15)
            queue(storage).dismiss(["you"])
            assert queue(storage).pending_reactions() == [PendingReaction(seq, b"x", 1, 7)]
            assert queue(storage).lease_reaction(seq, "you", 5, 15)
            queue(storage).release_reaction(seq, "you", Attempt(given_up=True))
            assert queue(storage).pending_reactions() == []

    def test_reactions_go_with_whatever_is_forgotten_and_with_their_turn(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(300))
            first, second, *_ = sequence_numbers(storage)
            queue(storage).add_reaction(first, b"\0 Quillon keeps a zebrafish " * 40, 9, None)
            queue(storage).lease_reaction(first, "me", 0, 9)
            erasure(storage).forget([second])
            assert queue(storage).pending_reactions() == []
            assert not queue(storage).settle_reaction(first, "me", [LogEntry(1, "me", "feedback", "x")])
            assert not queue(storage).add_reaction(first, b"x", 9, None)
            assert queue(storage).add_reaction(first, b"x", 9, storage.state().settings[ERASURES])
            assert erasure(storage).purge()
            assert erasure(storage).residue(_WORDS) == []
            erasure(storage).forget([first])
            assert queue(storage).pending_reactions() == []

    def test_what_was_spent_adds_up_and_outlasts_what_it_was_spent_on(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(1))
            first = Spending("2026-11-20", "read", _MODEL, 1, 100, 10, 0.25)
            queue(storage).spend([first, first, first._replace(day="2026-11-21", failures=1)])
            erasure(storage).forget(sequence_numbers(storage))
            assert queue(storage).spending() == [
                Spending("2026-11-20", "read", _MODEL, 2, 200, 20, 0.5),
                Spending("2026-11-21", "read", _MODEL, 1, 100, 10, 0.25, 1),
            ]
            assert [record.calls for record in queue(storage).spending("2026-11-20")] == [2]

    def test_after_a_purge_no_file_has_what_a_model_made_of_it(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(300))
            seqs = sequence_numbers(storage)
            _read(storage, seqs[100:103], b"\0 Quillon keeps a zebrafish " * 40)
            queue(storage).keep_answers(
                [KeptAnswer(b"d", "summary", _MODEL, b"\0 the zebrafish of Quillon " * 40)], None
            )
            queue(storage).lease([seqs[5]], "me", 0, 9, 99)
            queue(storage).release([seqs[5]], "me", Attempt(0, "it said: zebrafish"))
            erasure(storage).forget(seqs[101:102])
            assert erasure(storage).purge()
            assert erasure(storage).residue(_WORDS) == []

    def test_the_work_of_models_is_no_change_of_the_turns(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            before = state(storage)[:-1]
            _read(storage, sequence_numbers(storage))
            queue(storage).keep_answers([KeptAnswer(b"d", "name", _MODEL, b"x")], None)
            queue(storage).spend([Spending("2026-11-20", "read", _MODEL, 1)])
            assert state(storage)[:-1] == before
            assert storage.problems() == []

    def test_the_work_of_models_outlasts_closing(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            seqs = sequence_numbers(storage)
            _read(storage, seqs[:1])
            queue(storage).lease(seqs[1:], "me", 0, 9, 9)
            queue(storage).spend([Spending("2026-11-20", "read", _MODEL, 1)])
        with self.open_storage(tmp_path) as storage:
            assert [reading.seq for reading in queue(storage).readings()] == seqs[:1]
            assert queue(storage).holders(1) == ["me"]
            assert queue(storage).spending()[0].calls == 1
