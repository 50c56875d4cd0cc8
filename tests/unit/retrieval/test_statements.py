"""Statements of a model as further wordings of turns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.models import Derived, open_with
from tests.recall import query, sources

from hmem import Memory
from hmem.language.analyst.base import Passage, Statement, TurnExtraction
from hmem.retrieval.statements import model_statements

ANSWER = "Yes, at last, on Friday."
READ = "Nadia adopted a greyhound named Pixel on 6 March 2026."
QUESTION = "Which greyhound did Nadia adopt?"
OTHERS = tuple(f"The tram was {minutes} minutes late and then it rained." for minutes in range(3, 23))


class Telling(Derived):
    """Model that reads in an answer what it tells."""

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        readings = super().read(passage, persona)
        return [
            replace(each, statements=(Statement(READ),), labels=()) if turn.text == ANSWER else each
            for each, turn in zip(readings, passage.targets, strict=True)
        ]


def talk() -> Sequence[dict[str, str]]:
    return [{"speaker": "Nadia", "text": text, "session": "one", "at": "2026-03-08"} for text in (*OTHERS, ANSWER)]


@pytest.fixture(params=["fusion", "evolving", "layered", "notes-episodes", "orchestrated"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with open_with(tmp_path / "m.hmem", Telling(), recipe=request.param) as opened:
        opened.add(talk())
        yield opened


def rank(memory: Memory) -> int:
    found = [item.text for item in memory.search(QUESTION, k=30, min_score=0.0)]
    return found.index(ANSWER) if ANSWER in found else len(found)


def test_a_turn_is_found_by_what_a_model_read_in_it(memory: Memory) -> None:
    before = rank(memory)
    memory.model.run_jobs()
    assert rank(memory) == 0
    assert before > 0


def test_without_a_reading_there_is_nothing_to_add(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.hmem") as memory:
        memory.add(talk())
        with sources(memory) as held:
            assert model_statements(held) is None


def test_what_is_forgotten_is_no_longer_known(tmp_path: Path) -> None:
    with open_with(tmp_path / "m.hmem", Telling()) as memory:
        memory.add(talk())
        memory.model.run_jobs()
        with sources(memory) as held:
            known = model_statements(held)
            assert known is not None
            rows = held.corpus.columns.alive.nonzero()[0]
            terms = {"semantic.turn": rows * 0.0, "lexical.turn": rows * 0.0}
            known.add(query(held, QUESTION, None), rows, terms)
            assert terms["lexical.turn"].argmax() == terms["semantic.turn"].argmax() == len(rows) - 1
        memory.forget(memory.search(QUESTION, k=1)[0].id)
        with sources(memory) as held:
            assert model_statements(held) is not known
