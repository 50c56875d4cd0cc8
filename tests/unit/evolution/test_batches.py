"""What is to be read, session by session."""

import re
from collections.abc import Sequence

from tests.formation import derived, example
from tests.models import Derived, open_with

from hmem import Memory
from hmem.derived.episodes import TurnJudgements
from hmem.evolution.batches import MOST_NOTES, MOST_TURNS, Batch, batches, storage_time
from hmem.language.analyst import Claim, Curation, Passage, Statement
from hmem.language.analyst.base import TurnExtraction
from hmem.model.ids import new_key, to_id
from hmem.model.span import now, to_stored
from hmem.storage.model_queue import Waiting


def due(
    memory: Memory, waiting: Sequence[Waiting] | None = None, judgements: TurnJudgements | None = None
) -> list[Batch]:
    formed = derived(memory).judgements if judgements is None else judgements
    with memory.corpus.reading():
        some = memory.corpus.model_queue.awaiting(0, 0, "m/1") if waiting is None else waiting
        return [batch for chain in batches(memory.corpus, formed, some, 4).values() for batch in chain]


def test_a_session_is_one_batch() -> None:
    with Memory(":memory:") as memory:
        memory.add(example(80))
        found, kept = due(memory), derived(memory).judgements
        assert [seq for batch in found for seq in batch.seqs] == list(range(1, 81))
        assert [{batch.session} for batch in found] == [
            {kept.get(seq).session for seq in batch.passage_seqs} for batch in found
        ]
        assert len({batch.session for batch in found}) == len(found)
        assert all(batch.open for batch in found)


def test_only_what_waits_is_read_and_what_lies_between() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": f"I like tea number {i}", "speaker": "Maria", "session": "s"} for i in range(4)])
        whole = due(memory)[0].seqs
        some = [Waiting(whole[0], 1, attempts=2, due=7), Waiting(whole[-1], 1)]
        assert [(batch.seqs, batch.attempts, batch.due) for batch in due(memory, some)] == [(whole, 2, 7)]
        assert [batch.context for batch in due(memory, some[1:])] == [whole[:-1][-4:]]
        assert due(memory, []) == []


def test_a_long_session_is_read_in_parts_of_like_size_behind_what_came_before() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": "yes", "speaker": "Maria", "session": "s"} for _ in range(2 * MOST_TURNS + 1)])
        found = due(memory)
        assert [len(batch.seqs) for batch in found] == [27, 27, 27]
        assert [batch.open for batch in found] == [False, False, True]
        for batch in found[1:]:
            assert batch.context == tuple(range(batch.seqs[0] - 4, batch.seqs[0]))


def test_long_turns_are_read_few_at_a_time() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": "word " * 1_500, "speaker": "Maria", "session": "s"} for _ in range(5)])
        assert [len(batch.seqs) for batch in due(memory)] == [2, 2, 1]


def test_what_could_not_be_read_is_read_in_smaller_parts() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": "yes", "speaker": "Maria", "session": "s"} for _ in range(MOST_TURNS)])
        tried = [Waiting(seq, 1, attempts=1) for batch in due(memory) for seq in batch.seqs]
        assert [len(batch.seqs) for batch in due(memory, tried)] == [MOST_TURNS // 2] * 2


def test_what_was_read_is_not_read_again_between_waiting_turns_that_lie_far_apart() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": "yes", "speaker": "Maria", "session": "s"} for _ in range(20)])
        (whole,) = due(memory)
        some = [Waiting(whole.seqs[place], 1) for place in (0, 2, 12)]
        assert [batch.seqs for batch in due(memory, some)] == [whole.seqs[:3], whole.seqs[12:13]]


def test_turns_that_were_not_formed_wait() -> None:
    with Memory(":memory:") as memory:
        memory.add(example(10))
        assert due(memory, judgements=TurnJudgements()) == []


def test_when_a_turn_was_kept_stands_in_its_id() -> None:
    before = to_stored(now())[0]
    assert abs(storage_time(to_id("turn", new_key())) - before) < 5_000_000
    assert storage_time("no id") == 0


class Lister(Derived):
    """Model that makes a statement and a note of each sentence of a turn."""

    def _reading(self, passage: Passage, place: int) -> TurnExtraction:
        texts = [text for text in re.split(r"(?<=\.) ", passage.turns[place].text) if text]
        claims = (Claim("fact", "Ann", f"matter {i}", text, text, statement=i) for i, text in enumerate(texts))
        return TurnExtraction(self.made_by, Curation(memorable=True), tuple(map(Statement, texts)), tuple(claims))


def test_the_nearest_notes_are_shown_and_not_all_of_turns_that_are_near() -> None:
    def said(day: int, text: str) -> dict[str, str]:
        return {"text": text, "speaker": "Ann", "at": f"2026-01-{day:02}", "session": f"s{day}"}

    # Two turns that are near to most of what is read have more notes than are shown.
    things = [
        f"{thing} of the {room}" for thing in ("roof", "door", "wall", "lamp") for room in ("barn", "hall", "shed")
    ]
    with open_with(":memory:", model := Lister()) as memory:
        for day, colour in ((1, "red"), (2, "grey")):
            memory.add(said(day, " ".join(f"The {thing} is {colour}." for thing in things)))
        memory.add([said(3, "The dog is scared of the stairs."), said(4, "The dog has learnt the stairs.")])
        memory.add([said(4, f"The {room} has a new roof, door, wall and lamp.") for room in ("barn", "hall", "shed")])
        memory.model.run_jobs(concurrency=1)
        shown = [note.text for note in model.passages[-1].notes]
        assert len(shown) == MOST_NOTES
        assert "The dog is scared of the stairs." in shown
