"""Readings and answers, as they are kept."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.unit.language.analyst.test_cached_model import READING

from hmem.derived.changes import ModelOutputs, encode_answer, extraction_of, kept_extraction, sound, texts_of_models
from hmem.derived.chunks import MOST, encode
from hmem.errors import MemoryDamaged
from hmem.language.analyst import Claim, Extraction, Statement, Tie
from hmem.language.analyst.base import TurnExtraction
from hmem.model.span import Span
from hmem.storage import open_storage
from hmem_testing.conformance.harness import keep, make_turns, sequence_numbers

SPAN = Span(datetime(2025, 3, 14, tzinfo=UTC), datetime(2025, 3, 15, tzinfo=timezone(timedelta(hours=1))))


@pytest.mark.parametrize(
    "reading",
    [
        READING,
        TurnExtraction("m/1", READING.curation),
        replace(READING, statements=(Statement("one", SPAN, 2), Statement("two \ud800")), labels=(), cues=None),
        replace(READING, claims=(Claim("fact", "a", "b", "c", "d", positive=False, valid=SPAN, statement=0),)),
        replace(READING, extraction=Extraction((), (Tie("a", "person", "b", "location", "lives in", 0.5),))),
    ],
)
def test_a_reading_comes_back_as_it_was_kept(reading: TurnExtraction) -> None:
    assert extraction_of(kept_extraction(7, reading, 5, 9)) == reading


def test_a_reading_that_is_not_there_or_was_taken_back_is_none() -> None:
    assert extraction_of(None) is None
    assert extraction_of(kept_extraction(7, READING, 5, 9)._replace(content=None)) is None


def test_a_reading_in_the_form_of_the_first_version_is_none() -> None:
    kept = [[True, ["a fact"]], [["Ann has a dog.", None, 0]], [], None, [], 7, None]
    assert extraction_of(kept_extraction(7, READING, 5, 9)._replace(content=encode(kept))) is None


def test_what_cannot_be_read_is_a_named_error() -> None:
    with pytest.raises(MemoryDamaged, match="reanalyse"):
        extraction_of(kept_extraction(7, READING, 5, 9)._replace(content=b"x"))
    with pytest.raises(MemoryDamaged, match="reanalyse"):
        extraction_of(kept_extraction(7, READING, 5, 9)._replace(content=encode({"curation": 1})))


def test_only_so_much_of_a_reading_is_kept_as_formation_can_hold() -> None:
    claim = READING.claims[0]
    wild = replace(
        READING,
        statements=READING.statements * 100,
        labels=READING.labels * 99,
        claims=tuple(replace(claim, statement=each) for each in (0, 63, 64, -1)),
        importance=99,
    )
    tame = sound(wild)
    assert (len(tame.statements), len(tame.labels), tame.importance) == (MOST, MOST, 10)
    assert [each.statement for each in tame.claims] == [0, 63, 0, 0]
    assert sound(replace(READING, labels=())).labels == ()
    assert sound(replace(READING, labels=READING.labels * 2)).labels == ()


def test_readings_are_looked_up_by_turn_and_anew_when_there_are_more(tmp_path: Path) -> None:
    storage = open_storage(":memory:", create=True, busy_seconds=1)
    storage.put_settings({"vectors.generation": "1"})
    turns = make_turns(2)
    keep(storage, turns)
    first, second = sequence_numbers(storage)
    readings = ModelOutputs(storage)
    readings.catch_up(storage.state().settings)
    assert (readings.active, readings.extractions([turns[0].id, "turn_x"])) == (False, {})
    for seq in (first, second):
        storage.lease([seq], "me", 0, 9, 9)
        storage.keep_readings([kept_extraction(seq, READING, first, second)], "me", [seq])
    readings.catch_up(storage.state().settings)
    assert (readings.active, readings.number) == (True, 2)
    assert readings.extractions([turn.id for turn in turns]) == {turn.id: READING for turn in turns}
    storage.forget([first])
    readings.catch_up(storage.state().settings)
    assert readings.extractions([turn.id for turn in turns]) == {}
    storage.close()


def test_answers_that_could_not_be_given_are_none_and_all_others_can_be_searched() -> None:
    storage = open_storage(":memory:", create=True, busy_seconds=1)
    storage.keep_answers([encode_answer(b"a", "name", "m/1", "sea"), encode_answer(b"b", "name", "m/1", None)], None)
    assert ModelOutputs(storage).answers([b"a", b"b", b"a"]) == {b"a": ("m/1", "sea")}
    assert list(texts_of_models(storage)) == [("name by a model", "sea")]
    storage.close()
