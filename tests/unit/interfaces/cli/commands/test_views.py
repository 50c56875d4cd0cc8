"""`hmem list`, `hmem notes`, and `hmem show`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory
from hmem.model.node import NodeShape
from hmem.model.plain import plain

TREES = ["calendar", "topic", "layers", "evolution"]
LISTS = [("list",), ("notes",), *(("show", each) for each in ("sessions", "episodes", "events", "entities", "persona"))]
EVERYTHING = [*LISTS, ("show", "graph"), *(("show", "tree", each) for each in TREES)]


@pytest.fixture
def told(path: Path) -> Path:
    """The path of a memory of which everything that is shown has something."""
    said = [
        ("s1", "2023-08-11T10:00:00Z", "Maria", "I adopted a puppy named Coco in Lisbon."),
        ("s1", "2023-08-11T10:01:00Z", "Ben", "I live in Porto and I work as a carpenter."),
        ("s1", "2023-08-11T10:02:00Z", "Maria", "I love oat milk and I hate olives."),
        ("s2", "2023-10-14T09:00:00Z", "Ben", "Maria and Coco visited me in Porto last weekend."),
        ("s2", "2023-10-14T09:01:00Z", "Maria", "Coco chewed up my sister's green umbrella."),
    ]
    with Memory(path) as memory:
        memory.add([dict(zip(("session", "at", "speaker", "text"), each, strict=True)) for each in said])
    return path


def nodes(tree: dict[str, Any]) -> list[dict[str, Any]]:
    return [tree, *(node for child in tree["children"] for node in nodes(child))]


@pytest.mark.parametrize("what", [*EVERYTHING, ("show", "tiers")])
def test_everything_is_shown_in_the_terminal_and_as_json(run: Run, told: Path, what: tuple[str, ...]) -> None:
    lines, written = run(*what, "--memory", told), run(*what, "--memory", told, "--json")
    assert (lines.code, lines.err, written.code, written.err) == (0, "", 0, "")
    assert len(lines.out.splitlines()) > 1
    assert written.json


@pytest.mark.parametrize("what", [("list",), ("show", "persona"), ("show", "graph"), ("show", "tree", "topic")])
def test_of_an_empty_memory_there_is_nothing_to_show(run: Run, path: Path, what: tuple[str, ...]) -> None:
    Memory(path).close()
    assert run(*what, "--memory", path).out == "nothing to show yet\n"


@pytest.mark.parametrize(
    ("command", "value"),
    [
        ("list --speaker Maria --limit 2", lambda memory: memory.list(speaker="Maria", limit=2)),
        ("notes --subject Ben --slot home --kind fact",
         lambda memory: memory.notes(subject="Ben", slot="home", kind="fact")),
        ("notes --user nobody", lambda memory: memory.notes(user="nobody")),
        ("show sessions --limit 1 --offset 1", lambda memory: memory.sessions(limit=1, offset=1)),
        ("show episodes --session s2", lambda memory: memory.episodes(session="s2")),
        ("show events --as-of 2023-09-01", lambda memory: memory.as_of("2023-09-01").events()),
        ("show entities --name mar", lambda memory: memory.entities(name="mar")),
        ("show graph --entity Coco --limit 3", lambda memory: memory.graph("Coco", limit=3)),
        ("show persona --speaker Maria", lambda memory: [memory.persona("Maria")]),
        ("show persona --speaker Ben --history", lambda memory: memory.persona_history("Ben")),
        ("show tree layers --valid-at 2023-09-01", lambda memory: memory.valid_at("2023-09-01").tree("layers")),
        ("show tree calendar --depth 1 --summaries",
         lambda memory: NodeShape.from_branch(memory.tree("calendar", summaries=True), 1)),
    ],
)  # fmt: skip
def test_the_json_is_what_the_memory_gives(
    run: Run, told: Path, command: str, value: Callable[[Memory], object]
) -> None:
    made = run(*command.split(), "--memory", told, "--json")
    with Memory(told) as memory:
        assert made.json == json.loads(json.dumps(plain(value(memory))))


def test_the_calendar_shows_years_months_days_and_turns(run: Run, told: Path) -> None:
    lines = run("show", "tree", "calendar", "--memory", told).out.splitlines()
    assert lines[:3] == ["2023 (5)", "  2023-08 (3)", "    2023-08-11 (3)"]
    assert lines[3].startswith("      turn_")
    assert lines[3].endswith("2023-08-11 10:00  Maria: I adopted a puppy named Coco in Lisbon.")


def test_a_tree_is_shown_to_a_depth_with_so_many_nodes(run: Run, told: Path) -> None:
    shown = ("show", "tree", "calendar", "--memory", told)
    assert len(nodes(run(*shown, "--depth", 1, "--json").json)) == 2
    assert run(*shown, "--depth", 1).out == "2023 (5)\n"
    assert "… 1 more" in run(*shown, "--limit", 1).out


def test_turns_are_listed_in_order_and_by_pages(run: Run, filled: Path) -> None:
    listed = run("list", "--memory", filled)
    assert [line.partition("  ")[2] for line in listed.out.splitlines()] == [
        "2023-08-11 10:00  Maria: I adopted a puppy named Coco",
        "2023-08-11 10:00  Ben: How sweet! What breed is she?",
        "2023-08-14 09:00  Ben: We painted the fence green",
    ]
    first = run("list", "--limit", 1, "--memory", filled)
    whole = first.err.split()[-1]
    assert first.err == f"go on with --after {whole}\n"
    assert len(run("list", "--after", whole, "--memory", filled).out.splitlines()) == 2
    assert len(run("list", "--speaker", "Ben", "--session", "s2", "--memory", filled).out.splitlines()) == 1


def test_a_note_shows_its_value_time_and_text(run: Run, told: Path) -> None:
    said = run("notes", "--subject", "Ben", "--slot", "home", "--memory", told).out.splitlines()
    assert "Ben, home: Porto  (said 11 Aug 2023" in said[0]
    assert said[1] == "    I live in Porto and I work as a carpenter."


def test_sessions_show_their_speakers_and_opening(run: Run, filled: Path) -> None:
    lines = run("show", "sessions", "--memory", filled).out.splitlines()
    assert lines[0] == "s1  2023-08-11 10:00  Maria, Ben, 2 turns: I adopted a puppy named Coco"
    assert lines[1] == "s2  2023-08-14 09:00  Ben, 1 turn: We painted the fence green"


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


def test_a_profile_is_written_for_a_prompt_and_as_json(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(
            "Big news: I started a job as a baker in Faro last week!", speaker="Maria", at="2024-03-12T10:00:00Z"
        )
        memory.add({"role": "assistant", "content": "Maria works as a pilot."}, at="2024-03-13T10:00:00Z")
        profile = memory.profile("Maria")
    assert "baker" in profile.text
    written = run("profile", "Maria", "--memory", path)
    assert (written.code, written.out, written.err) == (0, f"{profile.text}\n", "")
    assert run("profile", "maria", "--memory", path, "--json").json == profile.to_dict()
    assert run("profile", "--memory", path).out == written.out
    assert run("profile", "--tokens", 1, "--memory", path).out == "nothing is known yet\n"
    assert run("profile", "--as-of", "2024-01-01", "--memory", path).out == "nothing is known yet\n"
    assert run("profile", "Nobody", "--memory", path).code == 2
    assert run("profile", "--tokens", 0, "--memory", path).code == 2
