import pytest
from tests.formation import derived, example, formation

from hmem import Memory
from hmem.derived.texts import KeptText
from hmem.errors import MemoryDamaged
from hmem.storage.base import Chunk


@pytest.mark.example(20)
def test_what_is_stored_is_loaded_by_another(memory: Memory) -> None:
    one, other = derived(memory), derived(memory)
    with memory.corpus.reading():
        one.profiles.replace(3, KeptText("lasting", "recent"))
        assert one.store(one.at.watermark)
        other.catch_up()
        assert other.profiles.get(3) == KeptText("lasting", "recent")
        assert other.at == one.at


@pytest.mark.example(20)
def test_a_step_that_another_took_is_refused_and_what_was_meant_is_dropped(memory: Memory) -> None:
    one, other = derived(memory), derived(memory)
    with memory.corpus.reading():
        one.profiles.replace(3, KeptText("mine"))
        other.profiles.replace(3, KeptText("theirs"))
        assert other.store(other.at.watermark)
        assert not one.store(one.at.watermark)
        one.catch_up()
        assert one.profiles.get(3) == KeptText("theirs")
        assert len(one.judgements) == 20


@pytest.mark.example(20)
def test_texts_that_were_not_stored_are_dropped_when_another_changed_what_they_tell_of(memory: Memory) -> None:
    mine = derived(memory)
    with memory.corpus.reading():
        mine.written["topic"].names.replace(1, KeptText("out of date"))
    memory.add(example(22)[20:])
    memory.flush()
    with memory.corpus.reading():
        mine.catch_up()
        assert mine.written["topic"].names.get(1) is None


@pytest.mark.example(20)
def test_what_was_cleared_is_begun_anew(memory: Memory) -> None:
    mine = derived(memory)
    memory._components.worker.close()
    memory.corpus.storage.clear_formed()
    with memory.corpus.reading():
        mine.catch_up()
        assert len(mine.judgements) == len(mine.notes) == 0
    formation(memory).form()
    with memory.corpus.reading():
        mine.catch_up()
        assert len(mine.judgements) == 20


def test_damage_is_one_named_error(memory: Memory) -> None:
    memory.add(example(5))
    memory.flush()
    storage = memory.corpus.storage
    storage.form([Chunk("notes", 0, b"damaged")], storage.state().progress, storage.state().progress.watermark)
    with pytest.raises(MemoryDamaged, match="hmem rebuild"):
        memory.notes()
    memory.rebuild()
    assert memory.verify().ok


@pytest.mark.example(40)
def test_vectors_of_events_are_their_own_or_their_turns(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        events = [event.number for seq in kept.events.turns() for event in kept.events.of_turn(seq)]
        vectors = kept.vectors_of_events(events)
        own = [event in kept.event_vectors for event in events]
        assert any(own)
        assert not all(own)
        for event, vector, mine in zip(events, vectors, own, strict=True):
            turn = memory.corpus.vectors_of([event >> 6])[0]
            assert bool((vector == turn).all()) != mine
