"""Keys: where they come from, and that they are never shown."""

import pickle
import sys
import traceback
from pathlib import Path

import pytest

from hmem import MemoryKey
from hmem.errors import KeyUnavailable
from hmem.model.key import COMMAND_VARIABLE, FILE_VARIABLE, VARIABLE

WORDS = "correct horse battery"


def test_a_key_is_shown_nowhere(tmp_path: Path) -> None:
    key = MemoryKey(WORDS)
    assert WORDS not in f"{key!r} {key} {[key]} {vars(type(key))}"
    assert pickle.loads(pickle.dumps(key)) == key  # noqa: S301


def test_digits_are_the_key_itself_and_anything_else_is_a_passphrase() -> None:
    assert bytes.fromhex(MemoryKey("aB" * 32).material()) == b"raw:" + b"aB" * 32
    assert bytes.fromhex(MemoryKey("ab" * 31).material()) == b"ab" * 31
    assert bytes.fromhex(MemoryKey("it's \0 \u00fc").material()) == "it's \0 \u00fc".encode()


def test_a_file_holds_a_key_and_the_end_of_its_line(tmp_path: Path) -> None:
    (file := tmp_path / "key").write_text(f" {WORDS} \r\n", newline="")
    assert MemoryKey.from_file(file) == MemoryKey(f" {WORDS} ")
    file.write_text("\n")
    with pytest.raises(KeyUnavailable, match="empty"):
        MemoryKey.from_file(file)
    with pytest.raises(KeyUnavailable, match="cannot be read"):
        MemoryKey.from_file(tmp_path / "none")


def test_a_command_writes_a_key() -> None:
    assert MemoryKey.from_command(f"{sys.executable} -c 'print(\"{WORDS}\")'") == MemoryKey(WORDS)
    for wrong in (f"{sys.executable} -c 'print(\"{WORDS}\"); exit(3)'", "no-such-command-at-all", "", "'"):
        with pytest.raises(KeyUnavailable) as caught:
            MemoryKey.from_command(wrong)
        assert WORDS not in "".join(traceback.format_exception(caught.value))


def test_the_environment_names_a_key_by_itself_or_a_file_or_a_command(tmp_path: Path) -> None:
    (file := tmp_path / "key").write_text("from the file")
    named = {COMMAND_VARIABLE: "echo command", FILE_VARIABLE: str(file), VARIABLE: "itself"}
    assert MemoryKey.from_environment({}) is None
    assert MemoryKey.from_environment({VARIABLE: ""}) is None
    for expected in ("itself", "from the file", "command"):
        assert MemoryKey.from_environment(named) == MemoryKey(expected)
        named.popitem()
