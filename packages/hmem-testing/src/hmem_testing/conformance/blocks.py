# ruff: noqa: S101
"""Tests of blocks and changes, by which derived indices find new turns."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from hmem.storage.base import BLOCK_TURNS, GENERATION, Block, Storage
from hmem_testing.conformance.harness import Harness, erasure, keep, make_turn, make_turns, sequence_numbers


def blocks_of(storage: Storage) -> dict[int, Block]:
    """Return all blocks by number."""
    return {block.number: block for block in storage.changed_blocks(0)}


class BlockConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_a_block_holds_turns_of_one_session_up_to_its_limit(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            turns = make_turns(150)
            keep(storage, [turn for i, turn in enumerate(turns) for turn in (turn, make_turn(session=f"t{i % 2}"))])
            for turn in make_turns(20):
                keep(storage, [turn])
            by_block: dict[int, list[int]] = defaultdict(list)
            sessions: dict[int, set[int]] = defaultdict(set)
            for member in storage.members(list(blocks_of(storage))):
                by_block[member.block].append(member.seq)
                sessions[member.block].add(member.session)
            assert {len(numbers) for numbers in sessions.values()} == {1}
            assert max(len(seqs) for seqs in by_block.values()) <= BLOCK_TURNS
            assert sorted(seq for seqs in by_block.values() for seq in seqs) == sequence_numbers(storage)

    def test_a_block_holds_turns_of_one_user_or_of_none(self, tmp_path: Path) -> None:
        users = ("alice", "bob", None, "alice")
        with self.open_storage(tmp_path) as storage:
            for _ in range(2):
                keep(storage, [replace(make_turn(), user=user) for user in users])
            by_block: dict[int, set[str | None]] = defaultdict(set)
            members = storage.members(list(blocks_of(storage)))
            turns = {record.seq: record.turn for record in storage.turns([member.seq for member in members])}
            for member in members:
                by_block[member.block].add(turns[member.seq].user)
            assert {len(names) for names in by_block.values()} == {1}
            assert len(by_block) == len(set(users))
            assert len({member.session for member in members}) == 1

    def test_a_session_fills_its_blocks_in_the_order_of_arrival(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            for _ in range(5):
                keep(storage, make_turns(BLOCK_TURNS // 2))
            blocks = sorted(blocks_of(storage))
            members = storage.members(blocks)
            assert [block.turns for block in blocks_of(storage).values()] == [
                BLOCK_TURNS,
                BLOCK_TURNS,
                BLOCK_TURNS // 2,
            ]
            assert [member.seq for member in members] == sequence_numbers(storage)

    def test_members_tell_the_place_of_each_turn(self, tmp_path: Path) -> None:
        turns = [make_turn("one two", session="a"), make_turn("three", session="b", speaker="Tom")]
        turns.append(make_turn("four", session="a", speaker="Tom"))
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            names = {speaker.number: speaker.name for speaker in storage.speakers()}
            members = {member.seq: member for member in storage.members(list(blocks_of(storage)))}
            in_order = [members[seq] for seq in sequence_numbers(storage)]
        assert [member.words for member in in_order] == [2, 1, 1]
        assert [names[member.speaker] for member in in_order] == ["Maria", "Tom", "Tom"]
        assert in_order[0].session == in_order[2].session != in_order[1].session
        assert in_order[0].block == in_order[2].block != in_order[1].block
        assert {member.said for member in in_order} == {int(turns[0].at.timestamp()) * 1_000_000}

    def test_contents_are_text_and_caption_in_the_order_of_members(self, tmp_path: Path) -> None:
        turns = [turn for i in range(5) for turn in (make_turn(f"a{i}", session="a"), make_turn(f"b{i}", session="b"))]
        turns.append(make_turn("a text", caption="and a caption", session="a"))
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            blocks = list(blocks_of(storage))[::-1]
            members, contents = storage.members(blocks), storage.contents(blocks)
            texts = dict(zip(sequence_numbers(storage), (turn.content for turn in turns), strict=True))
        assert [(member.block, member.seq) for member in members] == [(block, seq) for block, seq, _ in contents]
        assert [(block, seq) for block, seq, _ in contents] == sorted((block, seq) for block, seq, _ in contents)
        assert {seq: text for _, seq, text in contents} == texts

    def test_members_and_contents_of_unknown_blocks_are_none(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn()])
            assert storage.members([]) == storage.members([999]) == []
            assert storage.contents([]) == storage.contents([999]) == []

    def test_every_change_of_what_is_kept_raises_the_counter(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            changes = [storage.state().change]
            keep(storage, make_turns(3))
            changes.append(storage.state().change)
            keep(storage, [make_turn(session="s2")])
            changes.append(storage.state().change)
            erasure(storage).forget(sequence_numbers(storage)[:2])
            changes.append(storage.state().change)
            assert storage.switch_generation(1, {})
            changes.append(storage.state().change)
        assert changes == sorted(set(changes))

    def test_what_changes_nothing_leaves_the_counter(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3, session="s1"))
            before = storage.state().change, storage.changed_blocks(0)
            storage.page(0, 10)
            storage.sessions()
            storage.counts()
            storage.problems()
            erasure(storage).forget([])
            erasure(storage).forget([999_999])
            assert not storage.switch_generation(7, {GENERATION: "7"})
            assert (storage.state().change, storage.changed_blocks(0)) == before

    def test_changed_blocks_are_those_behind_a_change_oldest_first(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            changes = [storage.state().change]
            for session in ("a", "b", "a", "c"):
                keep(storage, make_turns(2, session=session))
                changes.append(storage.state().change)
            blocks = blocks_of(storage)
            by_change = [(block.change, block.number) for block in storage.changed_blocks(0)]
            assert by_change == sorted(by_change)
            assert [block.change for block in blocks.values()] == [changes[2], changes[3], changes[4]]
            assert [block.turns for block in blocks.values()] == [2, 4, 2]
            for change in range(changes[-1] + 2):
                later = [block for block in blocks.values() if block.change > change]
                assert storage.changed_blocks(change) == later

    def test_blocks_of_one_batch_are_stamped_with_changes_of_that_batch(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            before = storage.state().change
            keep(storage, [make_turn(session=f"s{i % 40}") for i in range(200)])
            fresh_blocks = storage.changed_blocks(before)
            assert len(fresh_blocks) == 40
            assert all(before < block.change <= storage.state().change for block in fresh_blocks)

    def test_a_deletion_is_a_change_of_its_blocks_only(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [*make_turns(3, session="a"), *make_turns(3, session="b")])
            before = storage.state().change
            first = sequence_numbers(storage)[0]
            erasure(storage).forget([first])
            (block,) = storage.changed_blocks(before)
            assert block.change == storage.state().change
            assert block.turns == 2
            assert first not in [member.seq for member in storage.members([block.number])]

    def test_an_emptied_block_is_told_of(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            before = storage.state().change
            erasure(storage).forget(sequence_numbers(storage))
            (block,) = storage.changed_blocks(before)
            assert (block.turns, storage.members([block.number])) == (0, [])
            assert storage.problems() == []
