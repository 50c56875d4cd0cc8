"""`hmem add`."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_add_makes_the_memory_and_prints_the_receipt(run: Run, path: Path) -> None:
    result = run("add", "I adopted a puppy", "--memory", path)
    fate, name = result.out.split()
    assert (result.code, result.err, fate) == (0, "", "stored")
    with Memory(path, create=False) as memory:
        assert memory.get(name).text == "I adopted a puppy"


def test_add_keeps_every_field(run: Run, path: Path) -> None:
    fields = {"--speaker": "Maria", "--session": "s30", "--caption": "a small dog", "--message-id": "m1"}
    options = [part for pair in fields.items() for part in pair]
    at = ("--at", "2023-08-11T10:00:00", "--zone", "Europe/Lisbon")
    result = run("add", "Look!", *options, *at, "--metadata", '{"mood": "glad"}', "--memory", path, "--json")
    with Memory(path, create=False) as memory:
        turn = memory.get(result.json["id"])
    assert (turn.speaker, turn.session, turn.caption, turn.message_id) == ("Maria", "s30", "a small dog", "m1")
    assert turn.at.isoformat() == "2023-08-11T10:00:00+01:00"
    assert turn.metadata == {"mood": "glad"}


def test_the_same_message_id_is_kept_once(run: Run, path: Path) -> None:
    call = ("add", "Hello", "--message-id", "m1", "--memory", path, "--json")
    first, again = run(*call).json, run(*call).json
    assert (first["fate"], again["fate"], again["id"]) == ("stored", "duplicate", first["id"])


def test_a_dash_reads_the_text_from_stdin(run: Run, path: Path) -> None:
    result = run("add", "-", "--memory", path, "--json", typed="First line\nsecond ünlü\n")
    with Memory(path, create=False) as memory:
        assert memory.get(result.json["id"]).text == "First line\nsecond ünlü"


def test_a_text_from_stdin_that_is_not_utf8_is_refused(run: Run, path: Path) -> None:
    result = run("add", "-", "--memory", path, "--json", typed=b"caf\xe9")
    assert (result.code, result.json["error"]["name"]) == (2, "InvalidTurn")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("",), "InvalidTurn"),
        ((" \n",), "InvalidTurn"),
        (("Hello", "--at", "yesterday"), "InvalidTime"),
        (("Hello", "--zone", "Atlantis"), "InvalidTime"),
        (("Hello", "--metadata", "[1]"), "UsageError"),
        (("Hello", "--metadata", "{"), "UsageError"),
        (("Hello", "--embedder", "nothing"), "UnknownName"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(run: Run, path: Path, arguments: tuple[str, ...], name: str) -> None:
    result = run("add", *arguments, "--memory", path, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)
    assert result.err.count("\n") == 1
    assert " - " in result.err
