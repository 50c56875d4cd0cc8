"""Running the command line inside the tests' own process."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hmem import Memory
from hmem.interfaces.cli import main


@dataclass(frozen=True, slots=True)
class Result:
    """What a call left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run `hmem` with arguments, with what is typed into it, and see its code and its two streams."""
    monkeypatch.delenv("HMEM_MEMORY", raising=False)
    # The default memory lies there.
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    monkeypatch.setenv("COLUMNS", "120")

    def call(*arguments: object, typed: str | bytes = "") -> Result:
        with CliRunner().isolation(input=typed) as streams:
            code = main([str(argument) for argument in arguments])
            out, err = (stream.getvalue().decode() for stream in streams[:2])
        return Result(code, out, err)

    return call


@pytest.fixture
def filled(path: Path) -> Path:
    """The path of a memory with two sessions on two days."""
    with Memory(path) as memory:
        memory.add(
            [
                {"text": "I adopted a puppy named Coco", "speaker": "Maria", "message_id": "m1"},
                {"text": "How sweet! What breed is she?", "speaker": "Ben", "message_id": "m2"},
            ],
            session="s1",
            at="2023-08-11T10:00:00+02:00",
        )
        memory.add("We painted the fence green", speaker="Ben", session="s2", at="2023-08-14T09:00:00+02:00")
    return path
