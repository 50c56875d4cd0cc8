"""`hmem get`."""

from pathlib import Path

from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_a_turn_is_shown_whole_with_its_ids(run: Run, path: Path) -> None:
    text = f"First line\n{'long ' * 200}\x1b[2Jend"
    with Memory(path) as memory:
        kept = memory.add({"text": text, "caption": "a dog"}, speaker="Maria", session="s1", at="2023-08-11T10:00Z").id
    said = run("get", kept, "--memory", path).out
    assert said.startswith("First line\nlong ")
    assert "\x1b" not in said
    for part in ("said by   Maria, Fri 11 Aug 2023 10:00", "photo     a dog", "session   s1", f"id        {kept}"):
        assert part in said.splitlines()


def test_notes_and_events_name_what_they_are_made_from(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        turn = memory.add("I live in Lisbon.", speaker="Maria", at="2023-08-11T10:00Z", wait=True).id
        note, event = memory.notes()[0], memory.events()[0]
    said = run("get", note.id, "--memory", path).out
    assert "note      Maria, home: Lisbon" in said
    assert f"made from {turn}" in said
    assert f"made from {turn}" in run("get", event.id, "--memory", path).out


def test_its_json_is_that_of_the_memory(run: Run, filled: Path) -> None:
    with Memory(filled) as memory:
        turn = memory.list()[0]
    assert run("get", turn.id, "--memory", filled, "--json").json == turn.to_dict()


def test_an_unknown_id_is_refused_by_name(run: Run, filled: Path) -> None:
    result = run("get", "turn_1", "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "UnknownId")
