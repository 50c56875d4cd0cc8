"""`hmem list`, `hmem notes`, and `hmem show`."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory

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


@pytest.mark.parametrize("what", EVERYTHING)
def test_of_an_empty_memory_there_is_nothing_to_show(run: Run, path: Path, what: tuple[str, ...]) -> None:
    Memory(path).close()
    lines, written = run(*what, "--memory", path), run(*what, "--memory", path, "--json")
    assert (lines.code, lines.err, written.code, written.err) == (0, "", 0, "")
    assert lines.out == "nothing to show yet\n"
    assert isinstance(written.json, dict | list)


@pytest.mark.parametrize("name", TREES)
def test_the_json_of_a_tree_is_its_root(run: Run, told: Path, name: str) -> None:
    root = run("show", "tree", name, "--memory", told, "--json").json
    for node in nodes(root):
        assert list(node) == ["id", "level", "label", "start", "end", "size", "summary", "children", "leaves"]
        assert node["size"] == sum(child["size"] for child in node["children"]) + len(node["leaves"])
    assert root["start"] == "2023-08-11T10:00:00+00:00"
    leaf = "turn" if name in ("calendar", "topic") else "event"
    assert all(each.startswith(f"{leaf}_") for node in nodes(root) for each in node["leaves"])


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


def test_summaries_are_written_when_asked_for(run: Run, told: Path) -> None:
    shown = ("show", "tree", "calendar", "--memory", told, "--json")
    assert {node["summary"] for node in nodes(run(*shown).json)} == {""}
    assert run(*shown, "--summaries").json["children"][0]["summary"]


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


def test_the_json_of_sessions_is_a_list(run: Run, filled: Path) -> None:
    made = run("show", "sessions", "--memory", filled, "--json").json
    assert [session["id"] for session in made] == ["s1", "s2"]
    assert set(made[0]) == {"id", "start", "end", "turns", "speakers", "opening"}
    assert made[0]["start"] == "2023-08-11T10:00:00+02:00"


def test_sessions_come_in_pages(run: Run, filled: Path) -> None:
    made = run("show", "sessions", "--memory", filled, "--json", "--limit", 1, "--offset", 1).json
    assert [session["id"] for session in made] == ["s2"]


def test_episodes_are_those_of_a_session_and_come_in_pages(run: Run, told: Path) -> None:
    shown = ("show", "episodes", "--memory", told)
    made = run(*shown, "--json").json
    assert {episode["session"] for episode in made} == {"s1", "s2"}
    assert set(made[0]) == {"id", "session", "start", "end", "cut", "turns", "summary", "notes"}
    assert {episode["session"] for episode in run(*shown, "--session", "s2", "--json").json} == {"s2"}
    assert run(*shown, "--json", "--limit", 1, "--offset", 1).json == made[1:2]
    assert run(*shown, "--limit", 1).err == "go on with --offset 1\n"


def test_notes_are_chosen_by_subject_slot_and_kind(run: Run, told: Path) -> None:
    shown = ("notes", "--memory", told, "--json")
    made = run(*shown).json
    assert {"id", "kind", "subject", "slot", "value", "text", "sources", "recorded", "status", "positive"} <= set(
        made[0]
    )
    for name in ("subject", "slot", "kind"):
        value = made[-1][name]
        assert run(*shown, f"--{name}", value).json == [note for note in made if note[name] == value]
    assert run("notes", "--memory", told, "--subject", "Nobody").out == "nothing to show yet\n"


def test_the_graph_is_shown_around_an_entity(run: Run, told: Path) -> None:
    made = run("show", "graph", "--memory", told, "--json").json
    assert list(made) == ["entities", "relations", "overlaps", "profiles"]
    assert set(made["entities"][0]) == {"id", "name", "type", "aliases", "mentions", "user"}
    counts = [entity["mentions"] for entity in made["entities"]]
    assert counts == sorted(counts, reverse=True)
    around = run("show", "graph", "--memory", told, "--entity", "Coco", "--json").json
    assert around["entities"][0]["name"] == "Coco"
    assert len(run("show", "graph", "--memory", told, "--limit", 1, "--json").json["entities"]) == 1


def test_an_entity_that_is_not_known_is_told_of(run: Run, told: Path) -> None:
    result = run("show", "graph", "--memory", told, "--entity", "Zanzibar", "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "UnknownId")


def test_a_persona_is_that_of_a_speaker(run: Run, told: Path) -> None:
    made = run("show", "persona", "--memory", told, "--json").json
    assert set(made[0]) == {"id", "speaker", "version", "text", "traits", "at", "sources", "made_by", "user"}
    one = run("show", "persona", "--memory", told, "--speaker", made[-1]["speaker"], "--json").json
    assert one == made[-1:]
    assert run("show", "persona", "--memory", told, "--speaker", "Nobody").code == 2


def test_the_tiers_count_their_turns(run: Run, told: Path) -> None:
    made = run("show", "tiers", "--memory", told, "--json").json
    assert list(made) == ["cache", "buffer", "sessions", "counts"]
    assert list(made["counts"]) == ["cache", "buffer", "archive"]
    assert len(made["cache"]) == made["counts"]["cache"] == 5
    assert len(run("show", "tiers", "--memory", told, "--limit", 1).out.splitlines()) == 4


@pytest.mark.parametrize("shown", [each for each in EVERYTHING if each not in (("list",), ("show", "sessions"))])
def test_what_is_shown_is_as_it_was_known_or_true_then(run: Run, tmp_path: Path, shown: tuple[str, ...]) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add("I live in Porto.", speaker="Maria", at="2024-01-05T10:00:00Z", session="january")
        memory.add("I have a dog named Biscuit.", speaker="Maria", at="2024-03-12T10:00:00Z", session="march")
    present = run(*shown, "--memory", path, "--json")
    for option in ("--as-of", "--valid-at"):
        then = run(*shown, option, "2024-02-01", "--memory", path, "--json")
        assert (then.code, then.err) == (0, "")
        assert "2024-03" not in then.out
        assert then.out != present.out


def test_what_belongs_to_one_user_is_shown_alone(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        for user, home in (("alice", "Porto"), ("bob", "Rome")):
            memory.add(f"I live in {home}.", speaker="user", user=user)
    for what in (("notes",), ("show", "persona"), ("show", "graph")):
        shown = run(*what, "--memory", path, "--user", "alice").out
        assert "Porto" in shown
        assert "Rome" not in shown
    for name in TREES:
        assert "Rome" not in run("show", "tree", name, "--memory", path, "--user", "alice").out
    assert [each["user"] for each in run("show", "persona", "--memory", path, "--json").json] == ["alice", "bob"]
    edited = run("edit", "persona", "user", "--user", "bob", "--text", "Likes trains.", "--memory", path, "--json").json
    assert edited["target"] == "bob/user"
    history = run("show", "persona", "--memory", path, "--history", "--json").json
    assert [each["text"] for each in history if "trains" in each["text"]] == ["Likes trains."]
    assert run("forget", "--user", "alice", "--yes", "--memory", path, "--json").json["turns"] == 1


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


def test_a_profile_of_one_of_several_users_is_asked_for(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        for user, work in (("alice", "baker"), ("bob", "pilot")):
            memory.add(f"Big news: I started a job as a {work} in Faro last week!", speaker="user", user=user)
    shown = run("profile", "--user", "alice", "--memory", path)
    assert "baker" in shown.out
    assert "pilot" not in shown.out
    assert "several users" in run("profile", "--memory", path).err
