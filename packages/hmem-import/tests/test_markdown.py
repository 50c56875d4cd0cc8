"""Notes in Markdown."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory
from hmem.errors import InvalidFile
from hmem_import.markdown import messages, split_markdown
from hmem_import.opening import ImportLimits
from hmem_import.tree import open_tree

NOTES = """---
title: Memory
---
# Memory

The oven is from 1998,
and needs a new door.

## People
- Ana prefers tea
  - and never coffee
* [x] Ben moved out

1. First
2) Second

---
<!-- not
this -->
### 2026-03-01
```sh
# no heading

- no item
```
"""


def test_a_paragraph_an_item_and_a_block_of_code_are_pieces_under_their_headings() -> None:
    assert [(each.text, each.headings, each.line) for each in split_markdown(NOTES)] == [
        ("The oven is from 1998,\nand needs a new door.", ("Memory",), 6),
        ("Ana prefers tea\n  - and never coffee", ("Memory", "People"), 10),
        ("Ben moved out", ("Memory", "People"), 12),
        ("First", ("Memory", "People"), 14),
        ("Second", ("Memory", "People"), 15),
        ("```sh\n# no heading\n\n- no item\n```", ("Memory", "People", "2026-03-01"), 21),
    ]


def test_a_piece_was_said_on_the_day_of_its_heading_or_its_file_or_when_it_was_changed(tmp_path: Path) -> None:
    (tmp_path / "2026-02-03.md").write_text("Rain\n\n# 2026-02-04, Wednesday\n\nSun\n")
    (tmp_path / "MEMORY.md").write_text("# People\n- Ana prefers tea\n")
    os.utime(tmp_path / "MEMORY.md", (1_700_000_000, 1_700_000_000))
    (tmp_path / ".obsidian").mkdir()
    (tmp_path / ".obsidian" / "x.md").write_text("hidden")
    (tmp_path / "photo.png").write_bytes(b"\xff")
    read = [each for _, each, _ in messages(open_tree(tmp_path))]
    assert [(each["text"], each["at"], each["session"]) for each in read] == [
        ("Rain", "2026-02-03", "markdown:2026-02-03.md"),
        ("Sun", "2026-02-04", "markdown:2026-02-03.md"),
        ("People: Ana prefers tea", "2023-11-14T22:13:20+00:00", "markdown:MEMORY.md"),
    ]
    assert read[2]["metadata"] == {"file": "MEMORY.md", "heading": "People"}


def test_notes_that_grow_add_what_is_new(tmp_path: Path, memory: Memory) -> None:
    place = tmp_path / "notes" / "MEMORY.md"
    place.parent.mkdir()
    place.write_text("- tea\n- tea\n- bread\n")
    assert {each.fate for each in memory.add([each for _, each, _ in messages(open_tree(place.parent))])} == {"stored"}
    place.write_text("- bread\n- milk\n- tea\n- tea\n")
    fates = [each.fate for each in memory.add([each for _, each, _ in messages(open_tree(place.parent))])]
    assert fates == ["duplicate", "stored", "duplicate", "duplicate"]


def test_a_file_that_is_no_text_is_told_of_and_the_rest_of_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "b.md").write_text("- tea\n")
    (_, _, error), (_, tea, _) = messages(open_tree(tmp_path))
    assert "a.md is not UTF-8" in str(error)
    assert isinstance(tea, dict)
    assert tea["text"] == "tea"
    with pytest.raises(InvalidFile, match="UTF-8"):
        list(messages(open_tree(tmp_path / "a.md")))


def test_links_pipes_and_what_is_hidden_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("the wifi code is 0000")
    notes = tmp_path / "notes"
    (notes / ".trash").mkdir(parents=True)
    (notes / "a.md").write_text("- tea\n")
    (notes / "b.md").symlink_to(tmp_path / "secret.md")
    (notes / "c").symlink_to(tmp_path, target_is_directory=True)
    (notes / ".trash" / "d.md").write_text("gone")
    os.mkfifo(notes / "e.md")
    assert [each["text"] for _, each, _ in messages(open_tree(notes))] == ["tea"]
    with pytest.raises(InvalidFile, match="a symbolic link"):
        list(messages(open_tree(notes / "b.md")))


def test_a_folder_is_read_within_limits(tmp_path: Path) -> None:
    (tmp_path / "one" / "two").mkdir(parents=True)
    for number in range(3):
        (tmp_path / f"{number}.md").write_text(f"note {number} of 3, and what else there is to say\n")
    with pytest.raises(InvalidFile, match=r"more than 2 files - .*--max-files"):
        list(messages(open_tree(tmp_path, ImportLimits(files=2))))
    with pytest.raises(InvalidFile, match=r"more than 1 deep - .*--max-depth"):
        list(messages(open_tree(tmp_path, ImportLimits(depth=1))))
    read = [each for _, each, _ in messages(open_tree(tmp_path, ImportLimits(bytes=100)))]
    assert [each is None for each in read] == [False, False, True]


def test_a_text_made_to_be_slow_is_not(tmp_path: Path) -> None:
    # A comment that never ends, and a heading of blanks: what backtracks takes hours for these.
    content = "<!--" * 100_000 + "\n#" + " " * 200_000 + "x\n"
    assert sum(1 for _ in split_markdown(content)) == 1


@given(st.text(alphabet="#-*` \n\tab1.~<!>[x]é", max_size=200))
def test_no_text_breaks_it_and_nothing_is_empty(content: str) -> None:
    held = list(split_markdown(content))
    assert all(each.text.strip() for each in held)
    assert [each.line for each in held] == sorted(each.line for each in held)


def test_a_task_tells_if_it_is_done_and_front_matter_when_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        '---\ntitle: x\ndate: "2025-01-02T10:00:00+01:00"\n---\n- [ ] one\n- [x] two\n- three\n'
    )
    held = [each for _, each, _ in messages(open_tree(tmp_path))]
    assert [each["metadata"].get("task") for each in held] == ["open", "done", None]
    assert {each["at"] for each in held} == {"2025-01-02T10:00:00+01:00"}
