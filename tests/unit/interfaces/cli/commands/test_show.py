"""`hmem show` and what it shows."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory

TREES = ["timeline", "topics", "layers", "evolution"]
EVERYTHING = [*TREES, "sessions", "episodes", "notes", "graph", "persona", "tiers"]


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


@pytest.mark.parametrize("what", EVERYTHING)
def test_everything_is_shown_in_the_terminal_and_as_json(run: Run, told: Path, what: str) -> None:
    drawn, written = run("show", what, "--memory", told), run("show", what, "--memory", told, "--json")
    assert (drawn.code, drawn.err, written.code, written.err) == (0, "", 0, "")
    assert drawn.out.splitlines()[0] == str(told)
    assert len(drawn.out.splitlines()) > 1
    assert written.json


@pytest.mark.parametrize("what", EVERYTHING)
def test_of_an_empty_memory_there_is_nothing_to_show(run: Run, path: Path, what: str) -> None:
    Memory(path).close()
    drawn, written = run("show", what, "--memory", path), run("show", what, "--memory", path, "--json")
    assert (drawn.code, drawn.err, written.code, written.err) == (0, "", 0, "")
    assert drawn.out == "nothing to show yet\n"
    assert isinstance(written.json, dict | list)


@pytest.mark.parametrize("what", TREES)
def test_the_json_of_a_tree_is_its_root(run: Run, told: Path, what: str) -> None:
    root = run("show", what, "--memory", told, "--json").json
    for node in nodes(root):
        assert list(node) == ["id", "level", "label", "start", "end", "size", "summary", "children", "leaves"]
        assert node["size"] == sum(child["size"] for child in node["children"]) + len(node["leaves"])
    assert root["start"] == "2023-08-11T10:00:00+00:00"
    leaf = "turn" if what in ("timeline", "topics") else "event"
    assert all(each.startswith(f"{leaf}_") for node in nodes(root) for each in node["leaves"])


def test_the_timeline_shows_years_months_days_and_turns(run: Run, told: Path) -> None:
    lines = run("show", "timeline", "--memory", told).out.splitlines()
    assert lines[1:6] == [
        "└── 2023  5 turns",
        "    ├── August 2023  3 turns",
        "    │   └── Fri 11 Aug 2023  3 turns",
        "    │       ├── 10:00 Maria: I adopted a puppy named Coco in Lisbon.",
        "    │       ├── 10:01 Ben: I live in Porto and I work as a carpenter.",
    ]


def test_a_tree_is_shown_to_a_depth_with_so_many_nodes_and_leaves(run: Run, told: Path) -> None:
    shown = ("show", "timeline", "--memory", told)
    assert len(nodes(run(*shown, "--depth", 1, "--json").json)) == 2
    assert len(run(*shown, "--depth", 1).out.splitlines()) == 2
    assert "… 1 more" in run(*shown, "--limit", 1).out
    assert "… 2 more" in run(*shown, "--leaves", 1).out
    assert "Maria" not in run(*shown, "--leaves", 0).out


def test_summaries_are_written_when_asked_for(run: Run, told: Path) -> None:
    shown = ("show", "timeline", "--memory", told, "--json")
    assert {node["summary"] for node in nodes(run(*shown).json)} == {""}
    assert run(*shown, "--summaries").json["children"][0]["summary"]


def test_sessions_stand_under_their_days(run: Run, filled: Path) -> None:
    lines = run("show", "sessions", "--memory", filled).out.splitlines()
    assert "Fri 11 Aug 2023" in lines[1]
    assert "10:00 s1: Maria, Ben, 2 turns  I adopted a puppy named Coco" in lines[2]
    assert "Mon 14 Aug 2023" in lines[3]
    assert "09:00 s2: Ben, 1 turn  We painted the fence green" in lines[4]


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
    assert "… go on with --offset 1" in run(*shown, "--limit", 1).out


def test_notes_are_chosen_by_subject_slot_and_kind(run: Run, told: Path) -> None:
    shown = ("show", "notes", "--memory", told, "--json")
    made = run(*shown).json
    assert {"id", "kind", "subject", "slot", "value", "text", "sources", "recorded", "status", "positive"} <= set(
        made[0]
    )
    for name in ("subject", "slot", "kind"):
        value = made[-1][name]
        assert run(*shown, f"--{name}", value).json == [note for note in made if note[name] == value]
    assert run("show", "notes", "--memory", told, "--subject", "Nobody").out == "nothing to show yet\n"


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
    assert "… 4 more" in run("show", "tiers", "--memory", told, "--limit", 1).out


@pytest.mark.parametrize(
    "shown", ["timeline", "topics", "layers", "evolution", "episodes", "notes", "graph", "persona"]
)
def test_what_is_shown_is_as_it_was_known_or_true_then(run: Run, tmp_path: Path, shown: str) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add("I live in Porto.", speaker="Maria", at="2024-01-05T10:00:00Z", session="january")
        memory.add("I have a dog named Biscuit.", speaker="Maria", at="2024-03-12T10:00:00Z", session="march")
    present = run("show", shown, "--memory", path, "--json")
    for option in ("--as-of", "--valid-at"):
        then = run("show", shown, option, "2024-02-01", "--memory", path, "--json")
        assert (then.code, then.err) == (0, "")
        assert "2024-03" not in then.out
        assert then.out != present.out


def test_what_belongs_to_one_user_is_shown_alone(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        for user, home in (("alice", "Porto"), ("bob", "Rome")):
            memory.add(f"I live in {home}.", speaker="user", user=user)
    for what in ("notes", "persona", "graph", "timeline", "topics", "layers", "evolution", "episodes", "tiers"):
        shown = run("show", what, "--memory", path, "--user", "alice").out
        assert "Porto" in shown or what in ("timeline", "topics", "layers", "evolution", "episodes")
        assert "Rome" not in shown
    assert [each["user"] for each in run("show", "persona", "--memory", path, "--json").json] == ["alice", "bob"]
    edited = run("edit-persona", "user", "--user", "bob", "--text", "Likes trains.", "--memory", path, "--json").json
    assert edited["target"] == "bob/user"
    history = run("show", "persona", "--memory", path, "--history", "--json").json
    assert [each["text"] for each in history if "trains" in each["text"]] == ["Likes trains."]
    assert run("forget", "--user", "alice", "--yes", "--memory", path, "--json").json["turns"] == 1
