import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from hmem.errors import InvalidFile, UnknownName
from hmem.language.analyst.base import Excerpt, Passage
from hmem.language.analyst.recorded import RecordedAnalyst, load
from hmem.language.verbatim import VerbatimAnalyst
from hmem.model.turn import Turn

NOTE = {
    "note": "Ann finds the lake restful.",
    "about": "Ann",
    "sources": [{"message_id": "m1", "text": "The lake was quiet."}],
}
SUMMARY = {
    "summary": "Ann told Ben of the lake. Ben asked for the way.",
    "since": "2024-05-01T10:00:00Z",
    "until": "2024-05-01T11:00:00Z",
    "speakers": ["Ann", "Ben"],
}


def recorded(folder: Path, *records: Mapping[str, Any] | str) -> RecordedAnalyst:
    file = folder / "notes.jsonl"
    lines = [each if isinstance(each, str) else json.dumps(each) for each in records]
    file.write_text("\n".join(lines), "utf-8")
    return load(str(file))


def turn(text: str, message_id: str | None = None) -> Turn:
    return Turn(
        id=f"turn_{text[:4]}", text=text, speaker="Ann", at=datetime.fromisoformat("2024-05-01T10:00:00Z"), session="s",
        message_id=message_id,
    )  # fmt: skip


def notes(analyst: RecordedAnalyst, *turns: Turn) -> list[list[tuple[str, str]]]:
    passage = Passage(turns, speakers=("Ann", "Ben"))
    claims = analyst.claims([passage], analyst.events([passage]))[0]
    return [[(claim.slot, claim.text) for claim in each] for each in claims]


def lines(count: int, *, speaker: str = "Ann") -> Sequence[Excerpt]:
    return [
        Excerpt(f"Line {n} of the lake.", speaker, datetime.fromisoformat(f"2024-05-01T10:{n:02}:00Z"))
        for n in range(count)
    ]


def test_a_recorded_note_is_added_to_what_the_rules_claim(tmp_path: Path) -> None:
    both = turn("The lake was quiet.", "m1"), turn("I have a dog named Rex.", "m2")
    by_rules = VerbatimAnalyst()
    passage = Passage(both, speakers=("Ann", "Ben"))
    own = by_rules.claims([passage], by_rules.events([passage]))[0]
    first, second = notes(recorded(tmp_path, NOTE), *both)
    assert ("noted", "Ann finds the lake restful.") in first
    assert {claim.text for claim in own[0]} <= {text for _, text in first}
    assert [text for _, text in second] == [claim.text for claim in own[1]]


def test_a_recorded_note_is_stated_by_its_own_statement(tmp_path: Path) -> None:
    analyst, passage = recorded(tmp_path, NOTE), Passage((turn("The lake was quiet.", "m1"),))
    statements = analyst.events([passage])[0][0]
    [claim] = [each for each in analyst.claims([passage], [[statements]])[0][0] if each.slot == "noted"]
    assert statements[claim.statement].text == claim.text


def test_a_source_with_another_text_is_another_turn(tmp_path: Path) -> None:
    assert not any(slot == "noted" for slot, _ in notes(recorded(tmp_path, NOTE), turn("I went home.", "m1"))[0])


def test_a_source_may_be_known_by_its_text_alone(tmp_path: Path) -> None:
    by_text = NOTE | {"sources": [{"text": "The lake was quiet."}]}
    assert any(slot == "noted" for slot, _ in notes(recorded(tmp_path, by_text), turn("The lake was quiet."))[0])


def test_a_turn_with_a_recorded_note_is_memorable(tmp_path: Path) -> None:
    [[judged]] = recorded(tmp_path, NOTE).curate([Passage((turn("The lake was quiet.", "m1"),))])
    assert judged.memorable


def test_a_recorded_summary_stands_for_what_was_said_in_its_time(tmp_path: Path) -> None:
    analyst = recorded(tmp_path, SUMMARY)
    assert analyst.summarise([lines(8)], 100) == [SUMMARY["summary"]]
    assert analyst.summarise([lines(8)], 8) == ["Ann told Ben of the lake."]
    assert analyst.told([lines(8)], 100)[0].made_by.startswith("recorded/")


@pytest.mark.parametrize("group", [lines(3), lines(8, speaker="Eve")])
def test_the_rules_summarise_what_no_recorded_summary_covers(tmp_path: Path, group: Sequence[Excerpt]) -> None:
    assert recorded(tmp_path, SUMMARY).told([group], 100) == VerbatimAnalyst().told([group], 100)


def test_the_maker_names_the_contents_of_the_file(tmp_path: Path) -> None:
    one, other = recorded(tmp_path, NOTE).made_by, recorded(tmp_path, NOTE | {"note": "Ann swims."}).made_by
    assert one.startswith("recorded/")
    assert one != other


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "line 2"),
        ('"a text"', "line 2"),
        ('{"note": "", "about": "Ann", "sources": [{"text": "x"}]}', "no text"),
        ('{"note": "Ann swims.", "about": "Ann", "sources": []}', "line 2"),
        ('{"note": "Ann swims.", "about": "Ann", "sources": [{}]}', "text"),
        ('{"note": "Ann swims.", "about": "Ann", "sources": [{"text": "x"}], "kind": "odd"}', "no kind of note"),
        ('{"note": "Ann swims.", "about": "Ann", "sources": [{"text": "x"}], "sauce": 1}', "unknown field: sauce"),
        ('{"summary": "They met.", "since": "soon", "until": "later"}', "line 2"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(InvalidFile, match=why):
        recorded(tmp_path, NOTE, line)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="there is no file"):
        load(str(tmp_path / "none.jsonl"))
    with pytest.raises(UnknownName, match="recorded:FILE"):
        load("")


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidFile, match="JSON lines in UTF-8"):
        load(str(tmp_path / "notes.jsonl"))
