from pathlib import Path

import numpy as np
import pytest
from tests.formation import example, former
from tests.recall import sources

from hmem import Memory
from hmem.index.analyze import stems


def kept(memory: Memory, *texts: str) -> list[int]:
    """The sequence numbers of some turns, which are formed."""
    memory.add([{"text": text, "speaker": "Ann", "session": "s", "at": "2025-01-06T10:00Z"} for text in texts])
    memory.consolidate()
    with memory.corpus.reading():
        return memory.corpus.columns.seq.tolist()


@pytest.mark.parametrize(
    ("text", "number", "name", "question"),
    [
        ("My brother owns three parrots.", True, False, False),
        ("The bill was 45 euros.", True, False, False),
        ("We went to Oslo by train.", False, True, False),
        ("I finished \u201cDune\u201d at last.", False, True, False),
        ("Where did you put the ladder?", False, False, True),
        ("The garden is quiet.", False, False, False),
    ],
)
def test_what_a_turn_holds_is_read_from_its_text(
    memory: Memory, text: str, number: bool, name: bool, question: bool
) -> None:
    seqs = kept(memory, text)
    with sources(memory) as held:
        (facts,) = held.facts.of(held.corpus, held.arrangement, seqs)
        assert held.facts.asking(held.corpus, seqs) == [question]
    assert (facts.number, facts.name, facts.question) == (number, name, question)


def test_the_events_of_a_turn_come_with_their_stems_and_unit_vectors(memory: Memory) -> None:
    memory.add(example(40))
    memory.consolidate()
    with sources(memory) as held:
        seqs = held.corpus.columns.seq.tolist()
        facts = held.facts.of(held.corpus, held.arrangement, seqs)
        for seq, each in zip(seqs, facts, strict=True):
            events = held.arrangement.events.of(seq)
            assert each.said == tuple(frozenset(stems(event.text)) for event in events)
            assert each.vectors.shape == (len(events), held.corpus.embedder.dimension)
            assert np.linalg.norm(each.vectors, axis=1) == pytest.approx(np.ones(len(events)), abs=1e-3)
            assert 0 <= each.importance <= 1
            assert all(start <= end for start, end in each.times)
    assert any(each.said for each in facts)
    assert any(each.times for each in facts)
    assert {each.memorable for each in facts} == {True, False}


def test_the_facts_of_a_turn_do_not_depend_on_whom_it_is_read_with(memory: Memory) -> None:
    memory.add(example(30))
    memory.consolidate()
    with sources(memory) as held:
        seqs = held.corpus.columns.seq.tolist()
        together = held.facts.of(held.corpus, held.arrangement, seqs)
    with sources(memory) as held:
        alone = [held.facts.of(held.corpus, held.arrangement, [seq])[0] for seq in reversed(seqs)][::-1]
        again = held.facts.of(held.corpus, held.arrangement, seqs[:3] + seqs[:3])
    for one, other in zip(together + together[:3] + together[:3], alone + again, strict=True):
        assert one[:-1] == other[:-1]
        assert np.array_equal(one.vectors, other.vectors)


def test_a_turn_that_is_gone_has_the_facts_of_an_empty_one(memory: Memory) -> None:
    memory.add("I moved to Oslo with three cats. Why not?", speaker="Ann")
    with sources(memory) as held:
        (facts,) = held.facts.of(held.corpus, held.arrangement, [7_000])
        assert held.facts.asking(held.corpus, [7_000]) == [False]
        assert held.facts.of(held.corpus, held.arrangement, []) == []
        assert held.facts.asking(held.corpus, []) == []
    assert not any((facts.number, facts.name, facts.question, facts.memorable, facts.importance, facts.said))
    assert len(facts.vectors) == 0


def test_what_was_not_formed_yet_tells_more_once_it_is(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add("I adopted a greyhound named Biscuit in May 2024.", speaker="Ann", at="2025-01-06T10:00Z")
        with sources(memory) as held:
            seqs = held.corpus.columns.seq.tolist()
            assert held.facts.of(held.corpus, held.arrangement, seqs)[0].said == ()
            former(memory).form()
            held.begin()
            (facts,) = held.facts.of(held.corpus, held.arrangement, seqs)
    assert facts.said
    assert facts.times


def test_the_words_of_a_turn_are_its_stems_however_often_they_are_asked_for(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["My brother owns three parrots.", "Where did you put the ladder?"]
    seqs = kept(memory, *texts)
    expected = [frozenset(stems(text)) for text in texts]
    with sources(memory) as held:
        assert held.facts.words(held.corpus, seqs) == expected
        monkeypatch.setattr("hmem.read.facts._STEMS", 0)
        assert held.facts.words(held.corpus, [*seqs, 7_000]) == [*expected, frozenset()]
        assert held.facts.words(held.corpus, []) == []
