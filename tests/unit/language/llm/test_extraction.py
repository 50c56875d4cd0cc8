"""What is believed of a model's extraction."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from tests.unit.language.llm.conftest import SAID, passage

from hmem.language.analyst import Labels, Passage
from hmem.language.analyst.base import KnownNote, Revises, TurnExtraction
from hmem.language.llm.extraction import (
    CLAIMS,
    ENTITIES,
    STATEMENTS,
    extractions,
    missing_turns,
    parse_validity,
    span_of,
    turns_data,
    validated,
    verbatim_extractions,
)
from hmem.language.llm.tasks import ReadTurns, SaidTurn
from hmem.model.span import OPEN, Span

COCO = "Maria adopted a puppy named Coco."


def read(place: int = 1, **said: Any) -> TurnExtraction:
    return validated(passage(), place, SaidTurn.model_validate({"n": place + 1, **said}), "openai:test/1")


def statement(text: str = COCO, **more: Any) -> dict[str, Any]:
    return {"text": text, **more}


def claim(kind: str = "fact", slot: str = "pet", value: str = "a puppy named Coco") -> str:
    return f"{kind} | Maria | {slot} | {value}"


def test_a_reading_says_which_model_and_prompts_made_it() -> None:
    assert read().made_by == "openai:test/1"


def test_a_statement_has_the_time_when_it_happened() -> None:
    found = read(statements=[statement(when="2023-07-28", context=9)])
    (one,) = found.statements
    assert one.happened is not None
    assert (one.text, str(one.happened.start.date()), one.happened.length.days) == (COCO, "2023-07-28", 1)
    assert one.context == 1  # No more turns come before it.


def test_a_statement_of_what_nobody_said_is_left_out() -> None:
    said = [statement("Maria owns a yacht in Monaco."), statement(), statement(), statement(""), statement("x" * 601)]
    assert [one.text for one in read(statements=said).statements] == [COCO]


def test_a_statement_may_take_its_words_from_the_turns_that_it_needs() -> None:
    said = "Ben congratulates Maria on adopting a puppy."
    assert read(2, statements=[statement(said, context=1)]).statements
    assert not read(2, statements=[statement(said)]).statements


def test_a_line_break_in_a_statement_becomes_a_space() -> None:
    assert read(statements=[statement("Maria adopted\n\x00 a puppy.")]).statements[0].text == "Maria adopted a puppy."


@pytest.mark.parametrize("surface", ["Coco", "coco", "COCO"])
def test_an_entity_stands_where_it_is_named(surface: str) -> None:
    extraction = read(names=[f"{surface} = Person"]).extraction
    assert extraction is not None
    (naming,) = extraction.namings
    turn = passage().turns[1]
    assert turn.content[naming.start : naming.end] == naming.surface == "Coco"
    assert naming.type == "person"


def test_an_entity_that_is_not_named_in_the_turn_is_left_out() -> None:
    said = [f"{name} = person" for name in ("Rex", "Ben", "Coc", "", "o" * 200)]
    extraction = read(names=said).extraction
    assert extraction is not None
    assert extraction.namings == ()


def test_entities_do_not_overlap_and_an_unknown_type_is_other() -> None:
    said = ["puppy = beast", "a puppy named Coco = beast", "Coco"]
    extraction = read(names=said).extraction
    assert extraction is not None
    assert [(one.surface, one.type) for one in extraction.namings] == [("a puppy named Coco", "other")]


def test_a_relation_joins_what_is_named_and_who_speaks() -> None:
    said = ["Maria | Adopted | coco", "Maria|adopted|coco", "Maria | owns | Rex", "Coco | is | Coco", "Maria owns", ""]
    extraction = read(names=["Coco = person"], relations=said).extraction
    assert extraction is not None
    (tie,) = extraction.ties
    assert (tie.source, tie.source_type, tie.target, tie.label, tie.confidence) == (
        "Maria",
        "person",
        "Coco",
        "adopted",
        1.0,
    )


def test_a_claim_stands_on_a_statement_that_is_validated() -> None:
    said = [statement("Maria owns a yacht in Monaco.", claims=[claim(slot="owns")]), statement(claims=[claim()])]
    (one,) = read(statements=said).claims
    assert (one.statement, one.subject, one.slot, one.value, one.text) == (
        0,
        "Maria",
        "pet",
        "a puppy named Coco",
        COCO,
    )


def test_a_claim_that_lacks_a_part_is_left_out() -> None:
    said = ["", "fact", "fact | Maria | pet", "fact | | pet | Coco", "a puppy", claim(value="x" * 161)]
    assert read(statements=[statement(claims=said)]).claims == ()


def test_slots_are_spelt_as_the_rules_spell_them() -> None:
    said = [claim("not Preference", "Favorite_Color"), claim("whim")]
    first, other = read(statements=[statement(when="2023-07", claims=said)]).claims
    assert (first.slot, first.kind, first.positive) == ("favourite color", "preference", False)
    assert (other.kind, other.positive) == ("fact", True)


def test_a_state_holds_from_its_time_on_and_a_happening_for_its_time() -> None:
    said = [claim("profile", "home"), claim("fact", "event")]
    home, event = read(statements=[statement(when="2023-07", claims=said)]).claims
    assert home.valid == Span(SAID.replace(month=7, day=1, hour=0), OPEN)
    assert event.valid == Span(SAID.replace(month=7, day=1, hour=0), SAID.replace(month=8, day=1, hour=0))


def test_labels_come_one_for_each_statement() -> None:
    said = [
        statement(path="Pets/Dog/puppy Coco"),
        statement("Maria adopted Coco.", path="Pets"),
    ]
    labels = read(statements=said).labels
    assert labels[0] == Labels("pets", "dog", "puppy Coco")
    assert len(labels) == 2
    assert labels[1].domain != "Pets"


@pytest.mark.parametrize(("said", "believed_to_be"), [(0, 1), (-3, 1), (7, 7), (99, 10)])
def test_importance_is_between_one_and_ten(said: int, believed_to_be: int) -> None:
    assert read(importance=said).importance == believed_to_be


def test_shift_and_emotion_are_shares_and_the_words_are_the_turn_s() -> None:
    cues = read(shift=3.0, emotion="nan").cues
    assert cues is not None
    assert (cues.shift, cues.emotion) == (1.0, 0.0)
    assert "puppi" in cues.words


def test_there_is_an_end_to_everything() -> None:
    found = read(
        statements=[statement(f"Maria adopted puppy number {count}.", claims=[claim()] * 9) for count in range(500)],
        names=passage().turns[1].content.split() * 50,
    )
    assert found.extraction is not None
    assert (len(found.statements), len(found.claims)) == (STATEMENTS, CLAIMS)
    assert len(found.extraction.namings) <= ENTITIES


def at(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "last", "start", "end"),
    [
        ("2023", None, at(2023, 1, 1), at(2024, 1, 1)),
        ("2023-12", "2023-12", at(2023, 12, 1), at(2024, 1, 1)),
        ("2023-05-07", "2023-05-07", at(2023, 5, 7), at(2023, 5, 8)),
        ("2023-05-07", "2023-05-09", at(2023, 5, 7), at(2023, 5, 10)),
        ("2023-05-07T18:30", None, at(2023, 5, 7, 18, 30), at(2023, 5, 7, 18, 31)),
        ("2023-05-07T18:30Z", "2023-05-07T20:00Z", at(2023, 5, 7, 18, 30), at(2023, 5, 7, 20)),
        ("2023-05-07 18:30:12.5+02:00", None, at(2023, 5, 7, 16, 30), at(2023, 5, 7, 16, 31)),
        ("2023-05-09", "2023-05-07", at(2023, 5, 9), at(2023, 5, 10)),
        (None, "2023-05-07", at(2023, 5, 7), at(2023, 5, 8)),
    ],
)
def test_a_time_is_as_long_as_it_is_exact(first: str, last: str, start: datetime, end: datetime) -> None:
    assert span_of(first, last, UTC) == Span(start, end)


@pytest.mark.parametrize(
    "said", [None, "", "soon", "2023-13", "2023-02-30", "0000", "9999", "20230507", "\uff12\uff10\uff12\uff13"]
)
def test_what_is_no_time_is_none(said: str | None) -> None:
    assert span_of(said, said, UTC) is None


def test_a_time_without_an_offset_has_that_of_the_turn() -> None:
    zone = timezone(timedelta(hours=2))
    found = span_of("2023-05-07", None, zone)
    assert found is not None
    assert found.start.utcoffset() == timedelta(hours=2)


def test_what_has_no_end_holds_for_good() -> None:
    assert parse_validity("2023-05", UTC) == Span(at(2023, 5, 1), OPEN)
    assert parse_validity("2023-05/2023-06", UTC) == Span(at(2023, 5, 1), at(2023, 7, 1))
    assert parse_validity("soon", UTC) is None


def lines(shown: Passage) -> list[Any]:
    return [line for day in turns_data(shown, "")["days"] for line in day["said"]]


def test_turns_before_are_numbered_up_to_nought_and_wanted_ones_from_one() -> None:
    data = turns_data(passage(start=2), "a vet")
    (day,) = data["days"]
    assert (day["day"], day["said"][0]) == ("2023-08-11, Friday", [-1, "10:00", "Maria", "Hi Ben!"])
    assert [line[0] for line in day["said"]] == [-1, 0, 1, 2]
    assert (data["persona"], data["speakers"]) == ("a vet", ["Maria", "Ben"])


def test_a_picture_and_a_role_are_shown_where_there_are_any() -> None:
    plain = passage()
    turn = replace(plain.turns[0], caption="a dog", role="tool")
    assert lines(Passage((turn,), 0, ("Maria",)))[0][4] == {"picture": "a dog", "role": "tool"}
    assert len(lines(Passage((replace(plain.turns[0], role="user"),), 0, ("Maria",)))[0]) == 4
    assert len(lines(plain)[0]) == 4


def test_a_long_paste_is_cut() -> None:
    turn = replace(passage().turns[0], text="word " * 100_000)
    assert len(lines(Passage((turn,)))[0][3]) == 12_000


def test_turns_that_were_left_out_are_named() -> None:
    said = ReadTurns.model_validate({"turns": [{"n": 2}, {"n": 9}], "filler": [3]})
    assert missing_turns(passage(), said) == "neither turns nor filler has n 1, 4; each stands in one of them"


def test_filler_is_read_as_nothing_memorable_and_its_names_are_the_verbatim_analyst_s() -> None:
    said = ReadTurns.model_validate({"turns": [{"n": 2, "statements": [statement()]}], "filler": [1, 2, 3, 4]})
    greeting, told, *_ = extractions(passage(), said, "openai:test/1")
    assert (greeting.made_by, greeting.curation.memorable, greeting.statements) == ("openai:test/1", False, ())
    assert (greeting.extraction, greeting.importance) == (None, 1)
    assert [one.text for one in told.statements] == [COCO]


def test_a_reading_without_the_model_is_whole() -> None:
    reading = verbatim_extractions(passage())[1]
    assert reading.made_by.startswith("verbatim/")
    assert reading.statements
    assert reading.extraction
    assert len(reading.labels) == len(reading.statements)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("replaces 101", Revises("contradicts", "turn-x", "The button was blue.")),
        ("Confirms #101", Revises("same", "turn-x", "The button was blue.")),
        ("extends 1", Revises("extends", "turn-0")),
        ("replaces 2", None),
        ("replaces 102", Revises("contradicts", "", seq=2)),
        ("replaces -9", None),
        ("denies 101", None),
        ("", None),
    ],
)
def test_a_claim_revises_a_note_that_was_shown_or_an_earlier_turn(said: str, expected: Revises | None) -> None:
    known = KnownNote("turn-x", 1, SAID.date(), "The button was blue.")
    shown = replace(passage(), notes=(known,))
    assert turns_data(shown, "")["notes"] == [[101, "2023-08-11", "The button was blue."]]
    turn = SaidTurn.model_validate({"n": 2, "statements": [statement(claims=[f"{claim()} | {said}"])]})
    assert validated(shown, 1, turn, "openai:test/1").claims[0].revises == expected
