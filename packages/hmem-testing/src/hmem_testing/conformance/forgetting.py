# ruff: noqa: S101
"""Tests of forgetting: names and log texts go with the turns, and after a purge no file holds them."""

from pathlib import Path

from hmem.model.span import to_stored
from hmem.storage.base import LogEntry
from hmem_testing.conformance.harness import (
    START,
    Harness,
    erasure,
    keep,
    make_turn,
    make_turns,
    sequence_numbers,
    state,
)

_TIME = to_stored(START)[0]
_WORDS = ["quillon", "nadia", "hideout", "zebrafish", "reason"]


class ForgettingConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_speakers_and_sessions_without_turns_lose_their_names(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(), make_turn(speaker="Nadia", session="hideout"), make_turn(speaker="Nadia")])
            first, second, third = sequence_numbers(storage)
            maria, nadia = storage.speakers()
            deletion = erasure(storage).forget([second])
            assert (deletion.turns, deletion.sessions, deletion.speakers) == (1, 1, 0)
            assert storage.speakers() == [maria, nadia]
            deletion = erasure(storage).forget([third])
            assert (deletion.turns, deletion.sessions, deletion.speakers) == (1, 0, 1)
            assert storage.speakers() == [maria]
            assert storage.matching(session="hideout").tolist() == []
            assert storage.problems() == []
            assert storage.turns([first])[0].turn.speaker == "Maria"

    def test_a_number_of_one_who_was_forgotten_is_nobody_elses(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(), make_turn(speaker="Nadia", session="hideout")])
            nadia = storage.speakers()[1]
            erasure(storage).forget(sequence_numbers(storage)[1:])
            keep(storage, [make_turn(speaker="Tom"), make_turn(speaker="Nadia", session="hideout")])
            numbers = [speaker.number for speaker in storage.speakers()]
            assert [speaker.name for speaker in storage.speakers()] == ["Maria", "Tom", "Nadia"]
            assert nadia.number not in numbers
            assert [session.turns for session in storage.sessions()] == [2, 1]
            assert storage.problems() == []

    def test_a_role_that_only_a_forgotten_turn_gave_goes_with_it(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(), make_turn(role="user"), make_turn(speaker="Tom", role="assistant")])
            assert [speaker.role for speaker in storage.speakers()] == ["user", "assistant"]
            erasure(storage).forget(sequence_numbers(storage)[1:2])
            assert [speaker.role for speaker in storage.speakers()] == [None, "assistant"]

    def test_the_log_and_the_settings_change_with_the_turns_or_not_at_all(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            storage.record([LogEntry(_TIME, "Nadia", "correct", "Nadia", "why", "before", "after", "link", "key")])
            original = storage.recorded()[0]
            redaction = original._replace(by="", target="", why=None, before=None, after=None, link=None)
            entry = LogEntry(_TIME, "user", "forget", "id", after="1 turn")
            erasure(storage).forget(sequence_numbers(storage)[:1], [entry], [redaction], {"forget.pending": "1"})
            assert storage.recorded() == [redaction, entry._replace(number=original.number + 1)]
            assert storage.state().settings["forget.pending"] == "1"

    def test_forgetting_nothing_is_no_change_of_the_turns(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            before = state(storage)
            assert erasure(storage).forget([999_999]).turns == 0
            assert state(storage) == before

    def test_after_a_purge_the_files_have_no_trace_of_it(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(200))
            secret = make_turn(
                "Quillon is a zebrafish", speaker="Nadia", session="hideout", metadata={"a": "zebrafish"}
            )
            keep(storage, [secret])
            keep(storage, make_turns(200))
            assert {trace.word for trace in erasure(storage).residue(_WORDS)} == set(_WORDS) - {"reason"}
            erasure(storage).forget([storage.locate([secret.id])[secret.id]])
            assert erasure(storage).purge()
            assert erasure(storage).residue(_WORDS) == []
            before = state(storage)
            assert erasure(storage).purge()
            assert state(storage) == before
            assert storage.problems() == []

    def test_a_word_that_is_kept_is_found_whole_and_whatever_its_case(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn("The category of Müllers Zebrafish")])
            assert {trace.word for trace in erasure(storage).residue(["zebraFISH", "MÜLLERS"])} == {
                "zebrafish",
                "müllers",
            }
            assert erasure(storage).residue(["cat", "zebra"]) == []
            assert erasure(storage).residue([]) == []

    def test_settings_are_the_storages_own_words(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            storage.put_settings({"retain.days": "365"})
            assert "365" in erasure(storage).vocabulary()
