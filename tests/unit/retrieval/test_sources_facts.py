from pathlib import Path

import numpy as np
import pytest
from tests.formation import formation
from tests.recall import sources

from hmem import Memory
from hmem.corpus.index.analyzer import stems
from hmem.retrieval.sources import HELD, Sources, TurnContent


def kept(memory: Memory, *texts: str) -> list[int]:
    """The sequence numbers of some turns, which are formed."""
    memory.add([{"text": text, "speaker": "Ann", "session": "s", "at": "2025-01-06T10:00Z"} for text in texts])
    memory.consolidate()
    with memory.corpus.reading():
        return memory.corpus.columns.seq.tolist()


def held_by(told: TurnContent, place: int) -> dict[str, float]:
    """What a turn holds, by name."""
    return dict(zip(HELD, told.held[place].tolist(), strict=True))


def columns_of(told: TurnContent) -> tuple[np.ndarray, ...]:
    """What is told of turns, whatever the places of their events are."""
    return told.held, told.events, told.vectors, *told.happened()


def told_of(held: Sources, seqs: list[int]) -> TurnContent:
    return held.facts.of(held.corpus, held.derived, np.array(seqs, np.int64))


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
        facts = held_by(told_of(held, seqs), 0)
        assert held.facts.asking(held.corpus, np.array(seqs, np.int64)).tolist() == [question]
    assert (facts["has.number"], facts["has.name"], facts["has.question"]) == (number, name, question)


@pytest.mark.example(40)
def test_the_columns_hold_what_was_read_from_each_turn(memory: Memory) -> None:
    memory.consolidate()
    with sources(memory) as held:
        seqs = held.corpus.columns.seq.tolist()
        told = told_of(held, seqs)
        events = [held.derived.events.of(seq) for seq in seqs]
        stated = [event for own in events for event in own]
        every = held.derived.vectors_of_events([event.number for event in stated])
        assert told.events.tolist() == told.held[:, HELD.index("events")].tolist() == [len(own) for own in events]
        weights = held.facts.weighed({stem: 1.0 for event in stated for stem in stems(event.text)})
        assert weights[told.places].tolist() == [len(set(stems(event.text))) for event in stated]
        assert np.array_equal(told.vectors, every)
        bounds = [[(event.start, event.end) for event in own if event.start and event.end] for own in events]
        times, dated = told.happened()
        assert dated.tolist() == [len(own) for own in bounds]
        assert times.tolist() == [list(each) for own in bounds for each in own]
        for place, seq in enumerate(seqs):
            judgement, facts = held.derived.judgements.of(seq), held_by(told, place)
            assert judgement is not None
            assert facts["memorable"] == judgement.memorable
            assert facts["importance"] == pytest.approx(judgement.importance / 10)
            assert facts["has.time"] == bool(bounds[place])
    assert times.size
    assert {*told.held[:, HELD.index("memorable")].tolist()} == {0, 1}


def test_each_event_has_the_stems_of_its_text(memory: Memory) -> None:
    seqs = kept(memory, "I adopted a greyhound named Biscuit.", "We moved to Oslo. My sister bought a boat.")
    with sources(memory) as held:
        told = told_of(held, seqs[::-1])
        stated = [event for seq in seqs[::-1] for event in held.derived.events.of(seq)]
        for stem in ("greyhound", "boat", "oslo", "nowher"):
            having = held.facts.weighed({stem: 1.0})[told.places]
            assert having.tolist() == [float(stem in stems(event.text)) for event in stated]
    assert len(stated) >= 2


@pytest.mark.example(30)
def test_the_facts_of_a_turn_do_not_depend_on_whom_it_is_read_with(memory: Memory) -> None:
    memory.consolidate()
    with sources(memory) as held:
        seqs = held.corpus.columns.seq.tolist()
        together = told_of(held, seqs)
        again = told_of(held, seqs[:3] + seqs[:3])
    with sources(memory) as held:
        alone = [told_of(held, [seq]) for seq in reversed(seqs)][::-1]
    for column in range(len(columns_of(together))):
        each = [columns_of(told)[column] for told in alone]
        assert np.array_equal(columns_of(together)[column], np.concatenate(each))
        assert np.array_equal(columns_of(again)[column], np.concatenate([*each[:3], *each[:3]]))


def test_a_turn_that_is_gone_has_the_facts_of_an_empty_one(memory: Memory) -> None:
    memory.add("I moved to Oslo with three cats. Why not?", speaker="Ann")
    with sources(memory) as held:
        told = told_of(held, [7_000])
        assert held.facts.asking(held.corpus, np.array([7_000], np.int64)).tolist() == [False]
        assert len(told_of(held, []).held) == len(held.facts.asking(held.corpus, np.array([], np.int64))) == 0
    assert not told.held.any()
    assert not any(map(len, (told.vectors, told.places, told.happened()[0])))


@pytest.mark.example(30)
def test_when_too_much_is_remembered_it_is_read_anew(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.consolidate()
    with sources(memory) as held:
        seqs = held.corpus.columns.seq.tolist()
        usual = told_of(held, seqs[10:])
        monkeypatch.setattr("hmem.retrieval.sources._FACTS_KEPT", 15)
        for start in range(10):
            told_of(held, seqs[start : start + 12])
            assert len(held.facts) <= 15
        for one, other in zip(columns_of(usual), columns_of(told_of(held, seqs[10:])), strict=True):
            assert np.array_equal(one, other)


def test_what_was_not_formed_yet_tells_more_once_it_is(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add("I adopted a greyhound named Biscuit in May 2024.", speaker="Ann", at="2025-01-06T10:00Z")
        with sources(memory) as held:
            seqs = held.corpus.columns.seq.tolist()
            assert told_of(held, seqs).events.tolist() == [0]
            formation(memory).form()
            held.begin()
            told = told_of(held, seqs)
            assert len(held.facts) == 1
    assert told.events.all()
    assert told.happened()[1].all()


def test_which_stems_a_turn_has_is_told_however_often_it_is_asked(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    seqs = kept(memory, "My brother owns three parrots.", "Where did you put the ladder?")
    terms = ("ladder", "parrot", "nowher")
    with sources(memory) as held:
        for bound in (400_000, 0):
            monkeypatch.setattr("hmem.retrieval.sources._STEMS", bound)
            told_of(held, seqs)
            told = held.facts.having(held.corpus, np.array([*seqs, 7_000, seqs[0]], np.int64), terms)
            assert told.T.tolist() == [[False, True, False], [True, False, False], [False] * 3, [False, True, False]]
        assert held.facts.having(held.corpus, np.array([], np.int64), terms).shape == (3, 0)
        assert held.facts.having(held.corpus, np.array(seqs, np.int64), ()).shape == (0, 2)
