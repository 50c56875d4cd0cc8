"""Vaults of Obsidian and of Logseq."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem_import.formats import recognise
from hmem_import.tree import open_tree


def read(place: Path, format: str) -> list[dict[str, Any]]:
    tree = open_tree(place)
    assert recognise(tree).name == format
    return [item.message for item in recognise(tree).read(tree)]


def texts(place: Path, format: str) -> list[str]:
    return [each["text"] for each in read(place, format)]


@pytest.fixture
def obsidian(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "hidden.md").write_text("no")
    (vault / "People").mkdir()
    (vault / "People" / "Ana.md").write_text(
        "---\ncreated: 2025-02-03\ntags: [person]\n---\n"
        "Works with [[Ben|Benjamin]] at [[The Bakery#Kitchen]]. ^a1b2\n\n%% a comment\nof two lines %%\n"
        "# Food\n- likes ==tea==\n- [x] invited to [[Dinner]]\n- [ ] ask for the recipe\n\n"
        "> [!note] Mind\n> allergic to nuts\n\n![[ana.png|100]]\n\n```dataview\nLIST FROM #person\n```\n"
        "Birthday:: 3 May\n",
        "utf-8",
    )
    (vault / "2025-03-01.md").write_text("Rain \U0001f327\n", "utf-8")
    (vault / "board.canvas").write_text('{"nodes": []}')
    return vault


@pytest.mark.parametrize("packed", [False, True])
def test_notes_of_obsidian_are_read_without_its_marks(obsidian: Path, tmp_path: Path, packed: bool) -> None:
    place = Path(shutil.make_archive(str(tmp_path / "v"), "zip", obsidian)) if packed else obsidian
    assert texts(place, "obsidian") == [
        "Rain \U0001f327",
        "Ana: Works with Benjamin at The Bakery, Kitchen.",
        "Ana, Food: likes tea",
        "Ana, Food: invited to Dinner",
        "Ana, Food: ask for the recipe",
        "Ana, Food: > Mind\n> allergic to nuts",
        "",
        "Ana, Food: Birthday: 3 May",
    ]


def test_a_note_of_obsidian_has_its_date_tasks_and_pictures(obsidian: Path) -> None:
    rain, works, _, done, todo, _, picture, _ = read(obsidian, "obsidian")
    assert (rain["at"], works["at"]) == ("2025-03-01", "2025-02-03T00:00:00")
    assert (done["metadata"]["task"], todo["metadata"]["task"]) == ("done", "open")
    assert (picture["caption"], picture["attachments"]) == ("ana.png", ["ana.png"])
    assert works["metadata"] == {"file": "People/Ana.md"}


def test_a_vault_that_grows_adds_what_is_new(obsidian: Path, memory: Memory) -> None:
    assert {each.fate for each in memory.add(read(obsidian, "obsidian"))} == {"stored"}
    (obsidian / "2025-03-02.md").write_text("Sun")
    assert [each.fate for each in memory.add(read(obsidian, "obsidian"))].count("stored") == 1


@pytest.fixture
def logseq(tmp_path: Path) -> Path:
    graph = tmp_path / "graph"
    for folder in ("logseq", "journals", "pages"):
        (graph / folder).mkdir(parents=True)
    (graph / "logseq" / "config.edn").write_text("{}")
    (graph / "logseq" / "bak.md").write_text("no")
    (graph / "journals" / "2026_03_01.md").write_text(
        "- Met [[Ana Reis]] #[[the bakery]]\n  id:: 64f0a1b2-0000-4000-8000-000000000000\n  collapsed:: true\n"
        "\t- she bakes ((64f0a1b2-0000-4000-8000-000000000001))\n"
        "- TODO [#A] call Ben\n  :LOGBOOK:\n  CLOCK: [2026-03-01 Sun 10:00:00]\n  :END:\n- DONE pay the rent\n"
        "- {{query (task todo)}}\n",
        "utf-8",
    )
    (graph / "pages" / "Travel___Porto.md").write_text("type:: [[city]]\n\n- has bridges\n", "utf-8")
    return graph


def test_notes_of_logseq_are_read_without_its_marks(logseq: Path) -> None:
    held = read(logseq, "logseq")
    assert [each["text"] for each in held] == [
        "Met Ana Reis the bakery\n\t- she bakes", "call Ben", "pay the rent",
        "Travel/Porto: type: city", "Travel/Porto: has bridges",
    ]  # fmt: skip
    assert [each["at"] for each in held[:3]] == ["2026-03-01"] * 3
    assert [each["metadata"].get("task") for each in held[:3]] == [None, "open", "done"]


def test_a_note_that_is_no_text_is_told_of_and_the_others_are_read(logseq: Path) -> None:
    (logseq / "pages" / "broken.md").write_bytes(b"\xff\xfe")
    tree = open_tree(logseq)
    held = list(recognise(tree).read(tree))
    assert ["broken.md is not UTF-8" in str(item.error) for item in held].count(True) == 1
    assert len(held) == 6


def test_a_text_made_to_be_slow_is_not(logseq: Path) -> None:
    (logseq / "pages" / "slow.md").write_text(
        "- "
        + "[[a|" * 50_000
        + ":LOGBOOK:" * 20_000
        + "%%"
        + "((" * 50_000
        + "![[" * 50_000
        + "a" * 200_000
        + " " * 200_000
        + "^"
    )
    assert len(read(logseq, "logseq")) == 6
