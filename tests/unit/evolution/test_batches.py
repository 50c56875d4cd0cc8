"""What is to be read, episode by episode."""

from collections.abc import Sequence

from tests.formation import derived, example

from hmem import Memory
from hmem.derived.episodes import TurnJudgements
from hmem.evolution.batches import MOST_TURNS, Batch, batches, kept_at
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


def test_each_episode_is_one_batch_behind_what_came_before_in_its_session() -> None:
    with Memory(":memory:") as memory:
        memory.add(example(80))
        found, kept = due(memory), derived(memory).judgements
        assert [seq for batch in found for seq in batch.seqs] == list(range(1, 81))
        assert all(kept.of(batch.seqs[0]).cut is not None for batch in found)
        assert all(kept.of(seq).cut is None for batch in found for seq in batch.seqs[1:])
        for batch in found:
            sessions = {kept.of(seq).session for seq in batch.shown}
            assert sessions == {batch.session}
            assert batch.context == tuple(range(batch.seqs[0] - len(batch.context), batch.seqs[0]))
        lasts = {batch.session: batch for batch in found}
        assert [batch for batch in found if batch.open] == list(lasts.values())


def test_only_what_waits_is_read_and_what_lies_between() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": f"I like tea number {i}", "speaker": "Maria", "session": "s"} for i in range(4)])
        whole = due(memory)[0].seqs
        some = [Waiting(whole[0], 1, attempts=2, due=7), Waiting(whole[-1], 1)]
        assert [(batch.seqs, batch.attempts, batch.due) for batch in due(memory, some)] == [(whole, 2, 7)]
        assert [batch.context for batch in due(memory, some[1:])] == [whole[:-1][-4:]]
        assert due(memory, []) == []


def test_a_long_episode_is_read_in_several_calls() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": "yes", "speaker": "Maria", "session": "s"} for _ in range(100)])
        assert max(len(batch.seqs) for batch in due(memory)) <= MOST_TURNS


def test_turns_that_were_not_formed_wait() -> None:
    with Memory(":memory:") as memory:
        memory.add(example(10))
        assert due(memory, judgements=TurnJudgements()) == []


def test_when_a_turn_was_kept_stands_in_its_id() -> None:
    before = to_stored(now())[0]
    assert abs(kept_at(to_id("turn", new_key())) - before) < 5_000_000
    assert kept_at("no id") == 0
