"""Files of a synced folder: lines are read as they were written."""

from hypothesis import example, given
from hypothesis import strategies as st

from hmem_import.sync_folder import Line, canonical, parse

TEXT = st.text(
    st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("-*#>|`~ \n\t<!>[]1.")), max_size=60
).filter(lambda text: bool(canonical(text)))


@given(st.lists(TEXT, min_size=1, max_size=4), st.sampled_from(["turn_1", "note_1", "fact_1"]), st.booleans())
@example(
    ["* * *", "- -", "# a", "| a |", "> a", "```\nx", "---", "1. a", "<!-- turn_2 -->", "a\n\n\n  b\n- c"],
    "turn_1",
    False,
)
def test_lines_are_read_as_they_were_written(texts: list[str], key: str, crlf: bool) -> None:
    lines = [Line(canonical(text), f"{key}{place}") for place, text in enumerate(texts)]
    speaker = "A *strange*: name" if key.startswith("turn") else None
    content = "\n".join(["# Head", "", *(line.render(speaker) for line in lines), ""])
    read = parse(content.replace("\n", "\r\n") if crlf else content)
    assert [(line.id, line.text) for line in read if not line.raw] == [(line.id, line.text) for line in lines]
    assert "\n".join(line.render(speaker) for line in read) == content


def test_what_is_no_line_is_kept_and_paragraphs_are_lines() -> None:
    content = (
        "---\ntags: x\n---\n# Head\n\nA paragraph\nof two rows\n\n```sh\nls\n```\n| a |\n> b\n<!-- c -->\n---\n"
        "* an item\n  more\n\n  still\n\nend\n"
    )
    read = parse(content)
    assert [line.text for line in read if not line.raw] == [
        "A paragraph\nof two rows", "an item\nmore\n\nstill", "end",
    ]  # fmt: skip
    assert [line.text for line in read if line.raw and line.text] == [
        "---", "tags: x", "---", "# Head", "```sh", "ls", "```", "| a |", "> b", "<!-- c -->", "---",
    ]  # fmt: skip


def test_an_item_with_an_id_below_another_is_its_own() -> None:
    read = parse("- one <!-- turn_1 -->\n  - two <!-- turn_2 -->\n    more\n")
    assert [(line.id, line.text) for line in read if not line.raw] == [("turn_1", "one"), ("turn_2", "two\n  more")]
