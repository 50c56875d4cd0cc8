from dataclasses import replace
from typing import Any

import numpy as np
from tests.recall import sources
from tests.support import chatter

from hmem import Memory
from hmem.model.evidence import Why
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.exchange import ExchangeOptions, with_exchanges

TALK = [
    {"text": "What is your favourite dinosaur?", "speaker": "Anna", "session": "x"},
    {"text": "The one with three horns.", "speaker": "Ben", "session": "x"},
    {"text": "And which one do you fear?", "speaker": "Ben", "session": "x"},
    {"text": "Wait, I will tell you.", "speaker": "Ben", "session": "x"},
]


def complete(memory: Memory, places: list[int], *, barred: int | None = None, **options: Any) -> list[str]:
    """The texts of what stands there once exchanges are complete, given the turns at some places of the talk."""
    turns = {turn.text: turn for turn in memory.list(session="x")}
    wanted = [turns[TALK[place]["text"]].id for place in places]
    found = {item.id: item for item in memory.search("anything", 1_000)}
    with sources(memory) as read:
        allowed = np.ones(len(read.corpus.columns), np.bool_)
        if barred is not None:
            allowed[barred] = False
        items = with_exchanges(read, [found[name] for name in wanted], ExchangeOptions(**options), allowed)
    return [item.text for item in items]


def texts(*places: int) -> list[str]:
    return [TALK[place]["text"] for place in places]


def test_a_question_gets_the_answer_behind_it(memory: Memory) -> None:
    memory.add(TALK)
    assert complete(memory, [0]) == texts(0, 1)


def test_an_answer_gets_the_question_before_it_when_that_is_short(memory: Memory) -> None:
    memory.add(TALK)
    assert complete(memory, [1]) == texts(1, 0)
    assert complete(memory, [1], question_tokens=3) == texts(1)


def test_one_who_goes_on_talking_does_not_answer(memory: Memory) -> None:
    memory.add(TALK)
    assert complete(memory, [2, 3]) == texts(2, 3)


def test_a_turn_that_stands_already_moves_up_and_not_down(memory: Memory) -> None:
    memory.add(TALK)
    assert complete(memory, [0, 3, 1], slope=1.0, offset=0.5, questions=0) == texts(0, 1, 3)
    assert complete(memory, [0, 1, 3]) == texts(0, 1, 3)


def test_a_turn_that_is_not_allowed_is_not_added(memory: Memory) -> None:
    memory.add(TALK)
    assert complete(memory, [0], barred=1) == texts(0)


def test_what_follows_a_good_turn_is_moved_up(memory: Memory) -> None:
    memory.add(TALK)
    with sources(memory) as read:
        turns = {turn.text: turn for turn in memory.list(session="x")}
        scored = zip((0, 2, 1), (5.0, 2.0, 1.8), strict=True)
        found = [turn_evidence(turns[TALK[place]["text"]], score, Why((), {})) for place, score in scored]
        late = ExchangeOptions(offset=99.0, questions=0)
        moved, still = (with_exchanges(read, found, replace(late, carried=share)) for share in (0.2, 0.0))
    assert [item.text for item in moved] == texts(0, 1, 2)
    assert [item.text for item in still] == texts(0, 2, 1)


def test_what_was_added_tells_why(memory: Memory) -> None:
    memory.add([*TALK, *chatter(20)])
    found = [item for item in memory.search("favourite dinosaur", 2) if "dinosaur" in item.text]
    with sources(memory) as read:
        _, added = with_exchanges(read, found, ExchangeOptions())
        assert with_exchanges(read, [], ExchangeOptions()) == []
    assert added.why.strategies == ("exchange",)
    assert sum(term.contribution for term in added.why.terms.values()) == added.score
    assert added.sources == (added.id,)
