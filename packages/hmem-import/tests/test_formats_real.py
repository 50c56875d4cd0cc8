import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem.errors import InvalidFile
from hmem_import.formats import read

from .real_forms import EXPECTED, FOLDER, became


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items())
def test_a_real_form_becomes_its_turns(tmp_path: Path, name: str, expected: Any) -> None:
    assert became(name, tmp_path) == expected


@pytest.mark.parametrize("name", [name for name in EXPECTED if name not in ("log.txt", "prose.txt", "imessage.sql")])
def test_a_second_import_has_the_ids_of_the_first(name: str) -> None:
    ids = [
        [item.message.get("message_id") or item.message.get("id") for item in read(FOLDER / name).items] for _ in "12"
    ]
    assert ids[0] == ids[1]
    assert name == "responses.json" or (all(ids[0]) and len({*ids[0]}) == len(ids[0]))


def test_columns_are_named_and_an_unknown_table_says_what_it_has(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("Wann,Wer,Was\n3.1.2026 9:15,Rui,Hallo\n", "utf-8")
    with pytest.raises(InvalidFile, match=r"has the columns Wann, Wer, Was, .*--columns text=NAME"):
        list(read(table).items)
    (item,) = read(table, columns={"text": "Was", "speaker": "Wer", "at": "Wann"}).items
    assert (item.message["at"], item.message["speaker"], item.message["text"]) == (
        "2026-01-03T09:15:00",
        "Rui",
        "Hallo",
    )
    with pytest.raises(InvalidFile, match="no column 'Wo'; it has Wann, Wer, Was"):
        list(read(table, columns={"text": "Wo"}).items)


def test_a_dry_run_shows_three_turns_and_keeps_nothing(run: Run, tmp_path: Path) -> None:
    memory = tmp_path / "a.hmem"
    head, *turns = run("import", FOLDER / "openai.jsonl", "--memory", memory, "--dry-run").out.splitlines()
    assert head.startswith("messages: ")
    assert len(turns) == 3
    assert turns[1].endswith("user (user): I row on Sundays")
    shown = run("import", FOLDER / "mem0.json", "--memory", memory, "--dry-run", "--json").out
    assert json.loads(shown)["turns"][0]["text"] == "Rows on Sundays"
    assert not memory.exists()


@pytest.mark.parametrize(
    ("page", "says"),
    [("<html><script>var jsonData = [{", "import conversations.json"), ("<html><div class='_a6-g'>", "choose JSON")],
)
def test_a_page_of_a_whole_account_is_no_document_unless_asked(tmp_path: Path, page: str, says: str) -> None:
    (tmp_path / "chat.html").write_text(page)
    with pytest.raises(InvalidFile, match=f"{says}.*--format document"):
        read(tmp_path / "chat.html")


@pytest.mark.parametrize(
    "chat", ["2025. 12. 31. 11:58, Ana: Hi\n2026. 1. 1. 0:02, Rui: Hello\n", "Ana 10:00\nHi\nRui 10:01 PM\nHello\n"]
)
def test_a_chat_of_an_unknown_form_is_no_document_unasked(tmp_path: Path, chat: str) -> None:
    (tmp_path / "chat.txt").write_text(chat, "utf-8")
    with pytest.raises(InvalidFile, match="a form that is not known"):
        read(tmp_path / "chat.txt")
    assert read(tmp_path / "chat.txt", "document").format == "document"


def test_who_and_when_are_known_names_of_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Body,Who,When\nI have a cat,Tom,02/13/2026 5:00 PM\n", "utf-8")
    (item,) = read(tmp_path / "a.csv").items
    assert (item.message["speaker"], item.message["at"]) == ("Tom", "2026-02-13T17:00:00")


def test_a_guess_of_day_and_month_is_told_and_can_be_chosen(run: Run, tmp_path: Path) -> None:
    chat = tmp_path / "WhatsApp Chat with Ana.txt"
    chat.write_text("01/02/2026, 09:15 - Ana: I row\n02/03/2026, 09:15 - Rui: I ski\n")
    memory = tmp_path / "a.hmem"
    shown = run("import", chat, "--memory", memory, "--dry-run").out.splitlines()
    assert shown[-1] == (
        "note: dates such as 01/02 are taken with the day first (1 February): nothing in the file tells - "
        "--dates month-first reads them the other way"
    )
    assert run("import", chat, "--memory", memory, "--json").json["remarks"] == [shown[-1].removeprefix("note: ")]
    shown = run("import", chat, "--memory", memory, "--dry-run", "--dates", "month-first").out.splitlines()
    assert shown[1].startswith("line 1: 2026-01-02T09:15")
    assert len(shown) == 3
    # The file tells.
    chat.write_text("01/02/2026, 09:15 - Ana: I row\n13/02/2026, 09:15 - Rui: I ski\n")
    shown = run("import", chat, "--memory", memory, "--dry-run", "--dates", "month-first").out.splitlines()
    assert [line[8:18] for line in shown[1:]] == ["2026-02-01", "2026-02-13"]


def test_a_row_with_an_unreadable_date_is_refused_and_one_without_is_told_of(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("who,when,text\nAna,soon,I row\nRui,2026-01-31 09:15,I ski\nAna,,I swim\n")
    done = run("import", table, "--memory", tmp_path / "a.hmem", "--json")
    assert (done.code, done.json["stored"]) == (1, 2)
    assert done.json["problems"] == [
        {"line": 2, "error": "'soon' is no date that can be read - write it as 2026-01-31 09:15, or empty it"}
    ]
    assert done.json["remarks"] == [
        "a.csv: 1 row has no date and counts as said now - --columns at=NAME names the column"
    ]


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_empty_text_is_said_to_be_empty(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(InvalidFile, match="is empty - name a file"):
        read(tmp_path / "a.txt")
