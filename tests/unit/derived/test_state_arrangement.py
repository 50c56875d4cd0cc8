import numpy as np
import pytest
from numpy.typing import NDArray
from tests.formation import derived, example, formation

from hmem import Memory
from hmem.derived.texts import KeptText
from hmem.errors import MemoryDamaged
from hmem.storage.base import Chunk


@pytest.mark.example(20)
def test_what_is_stored_is_loaded_by_another(memory: Memory) -> None:
    one, other = derived(memory), derived(memory)
    with memory.corpus.reading():
        one.profiles.put(3, KeptText("lasting", "recent"))
        assert one.store(one.at.watermark)
        other.catch_up()
        assert other.profiles.of(3) == KeptText("lasting", "recent")
        assert other.at == one.at


@pytest.mark.example(20)
def test_a_step_that_another_took_is_refused_and_what_was_meant_is_dropped(memory: Memory) -> None:
    one, other = derived(memory), derived(memory)
    with memory.corpus.reading():
        one.profiles.put(3, KeptText("mine"))
        other.profiles.put(3, KeptText("theirs"))
        assert other.store(other.at.watermark)
        assert not one.store(one.at.watermark)
        one.catch_up()
        assert one.profiles.of(3) == KeptText("theirs")
        assert len(one.judgements) == 20


@pytest.mark.example(20)
def test_texts_that_were_not_stored_are_dropped_when_another_changed_what_they_tell_of(memory: Memory) -> None:
    mine = derived(memory)
    with memory.corpus.reading():
        mine.written["topic"].names.put(1, KeptText("out of date"))
    memory.add(example(22)[20:])
    memory.flush()
    with memory.corpus.reading():
        mine.catch_up()
        assert mine.written["topic"].names.of(1) is None


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
    storage.form([Chunk("notes", 0, b"damaged")], storage.state().formed, storage.state().formed.watermark)
    with pytest.raises(MemoryDamaged, match="hmem rebuild"):
        memory.notes()
    memory.rebuild()
    assert memory.verify().ok


@pytest.mark.example(40)
def test_vectors_of_events_are_their_own_or_their_turns(memory: Memory) -> None:
    kept = derived(memory)
    with memory.corpus.reading():
        events = [event.number for seq in kept.events.turns() for event in kept.events.of(seq)]
        vectors = kept.vectors_of_events(events)
        own = [event in kept.event_vectors for event in events]
        assert any(own)
        assert not all(own)
        for event, vector, mine in zip(events, vectors, own, strict=True):
            turn = memory.corpus.vectors_of([event >> 6])[0]
            assert bool((vector == turn).all()) != mine


def test_topics_are_what_is_said_whoever_says_it() -> None:
    # The search finds "Ana: ..." by her name; the trees must not.
    found: list[NDArray[np.float32]] = []
    for name in ("Ana", "Bartholomew"):
        with Memory(":memory:") as memory:
            memory.add("I adopted a zebrafish in spring.", speaker=name)
            kept = derived(memory)
            with memory.corpus.reading():
                event = kept.events.of(1)[0].number
                found += [kept.topics_of_turns([1])[0], kept.topics_of_events([event])[0]]
                assert not (memory.corpus.vectors_of([1])[0] == found[-2]).all()
    for one, other in (found[::2], found[1::2]):
        assert (one == other).all()


def test_a_topic_is_stored_only_where_no_other_vector_says_the_same(memory: Memory) -> None:
    said = ["I adopted a zebrafish in spring.", "The kiln in Porto was sold. The lighthouse in Faro was painted."]
    memory.add(said[0], speaker="Ana")
    memory.add(said[1], speaker="Ana")
    kept = derived(memory)
    with memory.corpus.reading():
        alone, *parts = [event.number for seq in (1, 2) for event in kept.events.of(seq)]
        assert len(parts) > 1
        # The turn's words are the event's; of several events each has a vector, which is no other than its topic.
        assert len(kept.event_topics) == 0
        assert (kept.topics_of_events([alone]) == kept.topics_of_turns([1])).all()
        assert (kept.topics_of_events(parts) == kept.vectors_of_events(parts)).all()
        mixed = kept.topics_of_events([parts[0], alone])
        assert (mixed == np.concatenate([kept.vectors_of_events(parts[:1]), kept.topics_of_turns([1])])).all()


def test_a_topic_without_the_speakers_names_is_an_events_own(memory: Memory) -> None:
    memory.add("Ana sold the kiln in Porto. Ana bought a boat in Faro.", speaker="Ana")
    kept = derived(memory)
    with memory.corpus.reading():
        events = [event.number for event in kept.events.of(1)]
        own = [event for event in events if event in kept.event_topics]
        assert own
        assert not (kept.topics_of_events(own) == kept.vectors_of_events(own)).all()


def test_what_is_forgotten_leaves_no_topic(memory: Memory) -> None:
    memory.add(example(10))
    kept = derived(memory)
    with memory.corpus.reading():
        assert len(kept.turn_topics)
        assert len(kept.event_topics)
    for turn in memory.list():
        memory.delete(turn.id)
    kept = derived(memory)
    with memory.corpus.reading():
        assert not len(kept.turn_topics)
        assert not len(kept.event_topics)
