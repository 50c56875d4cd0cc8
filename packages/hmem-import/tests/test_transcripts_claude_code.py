"""What is taken from a transcript."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transcripts import line, said

from hmem.language.prompt_text import framed
from hmem_import.transcripts import messages_since


def messages(place: Path, start: int = 0) -> list[dict[str, Any]]:
    return [each.message for each in messages_since(place, start) if each.message is not None]


def of(tmp_path: Path, *lines: str) -> list[dict[str, Any]]:
    (tmp_path / "t.jsonl").write_text("".join(lines), "utf-8")
    return messages(tmp_path / "t.jsonl")


def test_what_people_and_the_agent_said_is_taken_with_its_id_and_time(transcript: Path) -> None:
    assert messages(transcript) == [
        {"role": "user", "content": "We use pnpm in this repository, never npm", "message_id": "u1",
         "agent": "claude-code", "at": "2026-03-01T10:00:00.000Z"},
        {"role": "assistant", "content": "Understood, pnpm it is.", "message_id": "a1",
         "agent": "claude-code", "at": "2026-03-01T10:00:00.000Z"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "unsaid",
    [
        line("user", "Caveat: the messages below", "x", isMeta=True),
        line("user", "You are a helper that looks for files", "x", isSidechain=True),
        line("user", "This session is being continued from a previous conversation", "x", isCompactSummary=True),
        line("user", [{"type": "tool_result", "tool_use_id": "t", "content": "file.txt"}], "x"),
        line("user", "<command-name>/clear</command-name>\n<command-message>clear</command-message>", "x"),
        line("user", "<local-command-stdout>on branch main</local-command-stdout>", "x"),
        line("user", "[Request interrupted by user]", "x"),
        line("user", "<system-reminder>The date has changed.</system-reminder>", "x"),
        line("assistant", [{"type": "thinking", "thinking": "hm"}], "x"),
        line("assistant", [{"type": "text", "text": "API Error: 500"}], "x", isApiErrorMessage=True),
        line("user", framed("what was recalled"), "x"),
        line("user", None, "x"),
        line("user", [None, 3, {"type": "text"}, {"type": "image", "source": {}}], "x"),
        line("user", "no id", None),  # type: ignore[arg-type]
        '{"type": "summary", "summary": "Shop", "leafUuid": "a1"}\n',
        '{"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}\n',
        '{"type": "system", "subtype": "stop_hook_summary", "uuid": "x"}\n',
        "[1, 2]\n",
        "nonsense\n",
        "\n",
        '{"type": "user", "uuid": "x", "message": "text"}\n',
        "[" * 100_000 + "\n",
    ],
)
def test_what_nobody_said_is_left_out(tmp_path: Path, unsaid: str) -> None:
    assert [each["message_id"] for each in of(tmp_path, unsaid, line("user", "mine", "u9"))] == ["u9"]


def test_what_was_recalled_into_a_prompt_is_cut_out_of_it(tmp_path: Path) -> None:
    said_by_me = f"Fix the build.\n{framed('We use pnpm')}\n<system-reminder>remember</system-reminder>"
    assert [each["content"] for each in of(tmp_path, line("user", said_by_me, "u1"))] == ["Fix the build."]


def test_parts_of_a_message_are_joined_and_pictures_left_out(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "Look"}, {"type": "image", "source": {}}, {"type": "text", "text": "here"}]
    assert [each["content"] for each in of(tmp_path, line("user", parts, "u1"))] == ["Look\n\nhere"]


def test_reading_goes_on_where_it_ended_and_leaves_a_line_that_is_not_ended(tmp_path: Path) -> None:
    place = tmp_path / "t.jsonl"
    first, second = line("user", "one", "u1"), said("two", "a1")
    place.write_text(first + second[:40], "utf-8")
    read = list(messages_since(place))
    assert [each.end for each in read] == [len(first.encode())]
    place.write_text(first + second, "utf-8")
    assert [each["content"] for each in messages(place, read[-1].end)] == ["two"]


def test_a_position_behind_the_end_means_another_file(transcript: Path) -> None:
    assert len(messages(transcript, 1_000_000)) == 2


def test_a_line_of_many_megabytes_is_passed_over(tmp_path: Path) -> None:
    place = tmp_path / "t.jsonl"
    place.write_text(line("user", "x" * 9_000_000, "big") + line("user", "small", "u1"), "utf-8")
    read = list(messages_since(place))
    assert [each.message and each.message["message_id"] for each in read] == [None, "u1"]
    assert read[-1].end == place.stat().st_size


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=60).filter(lambda b: b"\n" not in b),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                lambda inner: (
                    st.lists(inner, max_size=3)
                    | st.dictionaries(st.sampled_from(["type", "uuid", "message", "content", "text", "a"]), inner)
                ),
                max_leaves=8,
            ).map(lambda value: json.dumps(value).encode()),
        ),
        max_size=10,
    )
)
def test_no_line_whatsoever_breaks_it(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]) -> None:
    place = tmp_path_factory.mktemp("t") / "t.jsonl"
    place.write_bytes(b"".join(each + b"\n" for each in lines))
    assert [each.end for each in messages_since(place)][-1:] == [place.stat().st_size] * bool(lines)
