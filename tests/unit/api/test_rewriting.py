"""Going over to another embedder at an endpoint, which the stand-in plays and which fails as it is told to."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import chatter

from hmem import Memory, reembed
from hmem.errors import EmbedderMismatch, EmbedderUnavailable
from hmem.language.embed import embedder
from hmem.util.caches import clear_caches
from hmem_testing.fake_llm import ReplyRule, StandIn

pytest.importorskip("httpx2")

TURNS = 600


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setattr("hmem.language.json_service._WAIT", 0.0)
    monkeypatch.setenv("HMEM_CACHE", str(tmp_path / "cache"))
    clear_caches()
    embedder.cache_clear()
    with StandIn() as started:
        yield started


@pytest.fixture
def name(server: StandIn) -> str:
    return f"openai:small@{server.url}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a memory of so many turns, no two of which say the same."""
    folder = tmp_path_factory.mktemp("made")
    with Memory(folder / "test.hmem", recipe="flat") as memory:
        memory.add([message | {"text": f"{message['text']} {place}"} for place, message in enumerate(chatter(TURNS))])
    return folder


@pytest.fixture
def filled(made: Path, path: Path) -> Path:
    """A copy of that memory."""
    shutil.copytree(made, path.parent, dirs_exist_ok=True)
    return path


def paid(server: StandIn, name: str) -> Counter[str]:
    """How often the vector of each turn was asked for and given."""
    given = [call.request["input"] for call in server.calls if call.status == 200 and call.did == "right"]
    return Counter(text for texts in given for text in texts if text.startswith(("Anna: ", "Ben: ")))


def test_an_endpoint_is_paid_for_each_turn_once(server: StandIn, name: str, filled: Path) -> None:
    assert reembed(filled, name) == TURNS
    counted = paid(server, name)
    assert len(counted) == TURNS
    assert set(counted.values()) == {1}
    with Memory(filled) as memory:
        assert memory.stats().embedder == name
        assert memory.verify().ok


def test_an_endpoint_that_fails_midway_loses_nothing_and_is_paid_for_nothing_twice(
    server: StandIn, name: str, filled: Path
) -> None:
    server.follow([ReplyRule("error", task="embeddings", calls="after:3")])
    with pytest.raises(EmbedderUnavailable, match="what was made is kept"):
        reembed(filled, name)
    with Memory(filled) as memory:
        assert memory.stats().embedder == "wordllama"
        assert memory.verify().ok
        assert memory.search("violin")
        memory.add("said meanwhile", speaker="Anna")
    kept = len(paid(server, name))
    assert 0 < kept < TURNS
    # Another process remembers nothing.
    clear_caches()
    server.follow([])
    assert reembed(filled, name) == TURNS + 1 - kept
    counted = paid(server, name)
    assert len(counted) == TURNS + 1
    assert set(counted.values()) == {1}


def test_progress_goes_on_where_an_interrupted_run_stopped(server: StandIn, name: str, filled: Path) -> None:
    seen: list[tuple[int, int]] = []
    server.follow([ReplyRule("unauthorized", task="embeddings", calls="after:3")])
    with pytest.raises(EmbedderUnavailable):
        reembed(filled, name, progress=lambda done, total: seen.append((done, total)))
    server.follow([])
    reembed(filled, name, progress=lambda done, total: seen.append((done, total)))
    assert seen == sorted(seen)
    assert seen[-1] == (TURNS, TURNS)


def test_a_call_that_fails_now_and_then_stops_nothing(server: StandIn, name: str, filled: Path) -> None:
    server.follow([ReplyRule("error", task="embeddings", calls="every:3")])
    assert reembed(filled, name) == TURNS
    assert set(paid(server, name).values()) == {1}


def test_another_embedder_after_an_interrupted_run_begins_anew(server: StandIn, name: str, filled: Path) -> None:
    server.follow([ReplyRule("unauthorized", task="embeddings", calls="after:3")])
    with pytest.raises(EmbedderUnavailable):
        reembed(filled, name)
    assert reembed(filled, "wordllama:64") == TURNS
    with Memory(filled) as memory:
        assert memory.verify().ok
    server.follow([])
    clear_caches()
    assert reembed(filled, name) == TURNS


def test_a_turn_that_is_forgotten_meanwhile_gets_no_vector(server: StandIn, name: str, filled: Path) -> None:
    def forget(done: int, total: int) -> None:
        with Memory(filled) as memory:
            if memory.sessions()[0].id == "s0":
                memory.forget(session="s0")

    reembed(filled, name, progress=forget)
    with Memory(filled) as memory:
        assert memory.stats().turns == memory.stats().vectors == TURNS * 9 // 10
        assert memory.verify().ok


def test_who_has_the_memory_open_works_on_until_the_switch_and_is_then_told(
    server: StandIn, name: str, filled: Path
) -> None:
    found: list[int] = []
    with Memory(filled) as other:
        reembed(filled, name, progress=lambda done, total: found.append(len(other.search("violin"))))
        assert min(found) > 0
        with pytest.raises(EmbedderMismatch, match="open it again"):
            other.search("violin")


def test_one_leaves_an_endpoint_that_is_gone(server: StandIn, name: str, filled: Path) -> None:
    reembed(filled, name)
    server.follow([ReplyRule("unauthorized")])
    clear_caches()
    with Memory(filled) as memory:
        memory.add("said while the endpoint was away", speaker="Anna")
    assert reembed(filled, "wordllama") == TURNS + 1
    with Memory(filled) as memory:
        assert memory.verify().ok
        assert memory.search("endpoint")[0].text == "said while the endpoint was away"


def test_an_endpoint_that_has_moved_costs_nothing(server: StandIn, name: str, filled: Path) -> None:
    reembed(filled, name)
    with StandIn() as moved:
        there = f"openai:small@{moved.url}"
        assert reembed(filled, there) == 0
        # It is measured where it is now, and no turn is embedded.
        assert not paid(moved, there)
        with Memory(filled) as memory:
            assert memory.stats().embedder == there
            assert memory.search("violin")


def test_an_endpoint_that_fails_after_the_switch_is_made_up_for_by_consolidating(
    server: StandIn, name: str, path: Path
) -> None:
    with Memory(path) as memory:
        said = ((each["text"], each["speaker"]) for each in chatter(60))
        memory.add(
            [
                {
                    "text": f"I adopted a cat called {text.split()[0].title()} last week. I moved to the {text}.",
                    "speaker": speaker,
                }
                for text, speaker in said
            ]
        )
    server.follow([ReplyRule("unauthorized", task="embeddings", calls="after:2")])
    with pytest.raises(EmbedderUnavailable, match="run `hmem consolidate`"):
        reembed(path, name)
    server.follow([])
    with Memory(path) as memory:
        assert memory.stats().embedder == name
        memory.consolidate()
        assert memory.stats().unformed == 0
        assert memory.verify().ok
