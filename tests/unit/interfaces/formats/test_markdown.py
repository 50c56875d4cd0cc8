"""Notes in Markdown."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory
from hmem.errors import InvalidFile
from hmem.interfaces.formats.markdown import messages, pieces

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
    assert [(each.text, each.headings, each.line) for each in pieces(NOTES)] == [
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
    read = [each for _, each in messages(tmp_path)]
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
    assert {each.fate for each in memory.add([each for _, each in messages(place.parent)])} == {"stored"}
    place.write_text("- bread\n- milk\n- tea\n- tea\n")
    fates = [each.fate for each in memory.add([each for _, each in messages(place.parent)])]
    assert fates == ["duplicate", "stored", "duplicate", "duplicate"]


def test_a_file_that_is_no_text_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidFile, match="UTF-8"):
        list(messages(tmp_path))


@given(st.text(alphabet="#-*` \n\tab1.~<!>[x]é", max_size=200))
def test_no_text_breaks_it_and_nothing_is_empty(content: str) -> None:
    held = list(pieces(content))
    assert all(each.text.strip() for each in held)
    assert [each.line for each in held] == sorted(each.line for each in held)
