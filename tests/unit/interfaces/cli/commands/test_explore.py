"""`hmem explore`: what it serves, what it prints and opens, and what it refuses before that."""

import webbrowser
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory
from hmem.interfaces.rest import explorer


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "letters.hmem"
    with Memory(path) as memory:
        memory.add("I adopted a kitten named Coco", speaker="Ann")
    return path


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links that the browser would open; the server ends as soon as it listens."""
    links: list[str] = []
    monkeypatch.setattr(explorer, "built_page", lambda: {"index.html": b""})
    monkeypatch.setattr(webbrowser, "open", links.append)

    def run(_: uvicorn.Server, sockets: list[Any]) -> None:
        for each in sockets:
            each.close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    return links


def test_its_link_is_printed_and_opened(run: Run, file: Path, opened: list[str]) -> None:
    done = run("explore", file)
    assert done.code == 0
    assert opened == [done.out.strip()]
    assert opened[0].startswith("http://127.0.0.1:")
    assert "/explore#token=" in opened[0]


def test_the_browser_may_be_left_alone(run: Run, file: Path, opened: list[str]) -> None:
    done = run("explore", "--no-browser", "--json", "--memory", file)
    assert (done.json["place"], opened) == (str(file), [])
    assert done.json["link"].startswith(done.json["address"])


def test_what_is_wrong_with_a_memory_is_told_before_anything_is_served(
    run: Run, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.hmem"
    Memory(secret, key="right").close()
    wrong = tmp_path / "key"
    wrong.write_text("wrong")
    assert "MemoryNotFound" in run("explore", "--json").out
    assert "MemoryNotFound" in run("explore", tmp_path / "none.hmem", "--json").out
    assert "KeyNeeded" in run("explore", secret, "--json").out
    assert "WrongKey" in run("explore", secret, "--key-file", wrong, "--json").out
    wrong.write_text("right")
    assert run("explore", secret, "--key-file", wrong).code == 0
    monkeypatch.setattr(explorer, "built_page", dict)
    assert "make explore" in run("explore", secret, "--key-file", wrong).err
    assert len(opened) == 1
