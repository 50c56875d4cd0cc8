"""An encrypted memory: no word in the clear on the disk, whatever happens, and nothing without the key."""

import asyncio
import json
import random
import subprocess
import sys
import traceback
from pathlib import Path

import httpx
import pytest
from tests.formation import example
from tests.integration.importer import BATCH_TURNS, batch
from tests.integration.test_crash import check, import_until_killed
from tests.integration.test_forgetting import SECRET, WORDS, shown
from tests.models import Derived, open_with
from tests.processes import exit_code, running, started
from tests.unit.interfaces.cli.conftest import Run, run

from hmem import AsyncMemory, Memory, MemoryKey, rekey
from hmem.corpus import corpus
from hmem.errors import InputError, KeyNeeded, WrongKey
from hmem.interfaces.mcp.memories import Locations, Memories

__all__ = ["run"]

KEY = "correct horse battery staple"


def in_the_clear(folder: Path, words: list[str]) -> list[str]:
    """Words that stand in any file of a folder."""
    data = b"".join(file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()).lower()
    return [word for word in words if word.lower().encode() in data]


def words_of(messages: list[dict[str, object]]) -> list[str]:
    return sorted({word for each in messages for word in str(each["text"]).lower().split() if len(word) > 5})


def test_no_word_is_on_the_disk_while_it_is_open_and_afterwards(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus, "SAVE_TURNS", 40)
    said = [*example(60), *SECRET]
    words = [*words_of(said), *WORDS, "marmoset", "pangolin", "okapi", "formation.writing", "sqlite"]
    with Memory(path, key=KEY) as memory:
        memory.add(said)
        assert in_the_clear(path.parent, words) == []
        memory.consolidate()
        memory.flush()
        memory.correct(memory.list()[0].id, "It was a marmoset", why="pangolin", by="okapi")
        memory.backup(path.with_name("copy.hmem"))
        assert memory.search("What does Quillon eat?")
        assert (memory.stats().encrypted, memory.stats().index_bytes) == (True, 0)
        assert in_the_clear(path.parent, words) == []
        forgotten = memory.forget(session="hideout")
        assert memory.verify(forgotten.words).problems == ()
        assert [word for word in WORDS if word in shown(memory)] == []
        assert in_the_clear(path.parent, words) == []
    assert in_the_clear(path.parent, words) == []
    with Memory(path, key=KEY) as memory:
        assert memory.verify().ok
        assert memory.search("Which plants?")
    assert not Path(f"{path}-index").exists()


@pytest.mark.parametrize("seed", range(2))
def test_whoever_is_killed_leaves_no_word_and_loses_nothing(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMEM_KEY", KEY)
    chance, path, acknowledged = random.Random(seed), tmp_path / "a.hmem", set[int]()
    for _ in range(4):
        batches, _ = import_until_killed(path, chance.randint(0, 3), chance.uniform(0, 0.03))
        acknowledged |= batches
        assert in_the_clear(tmp_path, [f"item{number}" for number in batch(0)] + ["speaker", "session"]) == []
    assert check(path, acknowledged) >= BATCH_TURNS * len(acknowledged)
    monkeypatch.delenv("HMEM_KEY")
    with pytest.raises(KeyNeeded):
        Memory(path)


def test_what_a_model_reads_and_writes_is_encrypted_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_KEY", KEY)
    with open_with(path, Derived()) as memory:
        memory.add(example(20))
        memory.model.run_jobs()
        assert memory.stats().model is not None
        memory.consolidate()
        assert in_the_clear(path.parent, [*words_of(example(20)), "reading", "answer"]) == []


def test_a_key_is_needed_and_the_right_one(path: Path) -> None:
    with Memory(path, key=KEY) as memory:
        memory.add("I live in Lisbon", speaker="Ada")
    for key, error in ((None, KeyNeeded), ("wrong", WrongKey), ("ab" * 32, WrongKey)):
        for read_only in (False, True):
            with pytest.raises(error) as caught:
                Memory(path, key=key, read_only=read_only)
            assert KEY not in (told := "".join(traceback.format_exception(caught.value)))
            assert key is None or key not in told.replace("key=key", "")
    with Memory(path, key=KEY, read_only=True) as memory:
        assert memory.search("Where?")[0].text == "I live in Lisbon"


def test_a_memory_in_the_clear_takes_no_key(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("I live in Lisbon", speaker="Ada")
    with pytest.raises(WrongKey, match="hmem encryption on"):
        Memory(path, key=KEY)
    with pytest.raises(InputError, match="the same"):
        rekey(path, key=None, new_key=None)
    rekey(path, key=None, new_key=KEY)
    with Memory(path, key=KEY) as memory:
        assert memory.stats().turns == 1


def test_asynchronous_code_gives_a_key_too(path: Path) -> None:
    async def kept() -> bool:
        async with await AsyncMemory.open(path, key=KEY) as memory:
            await memory.add("I live in Lisbon", speaker="Ada")
            await memory.backup(path.with_name("copy.hmem"))
            return (await memory.stats()).encrypted

    assert asyncio.run(kept())
    with pytest.raises(KeyNeeded):
        Memory(path.with_name("copy.hmem"))


def test_the_command_line_takes_keys_from_files_commands_and_the_environment(
    run: Run, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one := tmp_path / "one.key").write_text(f"{KEY}\n")
    (two := tmp_path / "two.key").write_text("ab" * 32)
    command = f"{sys.executable} -c \"print(open('{one}').read())\""
    of = ("--memory", path, "--json")
    assert run("add", "I live in Lisbon", "--speaker", "Ada", *of).code == 0
    assert run("encryption", "on", *of).json["error"]["name"] == "KeyUnavailable"
    assert run("encryption", "on", *of, "--key-file", one).json == {"memory": str(path), "encrypted": True}
    assert run("stats", *of).json["error"]["name"] == "KeyNeeded"
    assert run("stats", *of, "--key-file", two).json["error"]["name"] == "WrongKey"
    assert run("stats", *of, "--key-file", tmp_path / "none").json["error"]["name"] == "KeyUnavailable"
    for named in (("--key-file", one), ("--key-command", command)):
        assert run(*named, "stats", *of).json["encrypted"]
        assert run("search", "Where?", *of, *named).code == 0
    assert "encrypted" in run("doctor", "--memory", path, "--key-file", one).out
    copy = tmp_path / "copy.hmem"
    assert run("backup", copy, *of, "--key-file", one, "--new-key-file", two).json["file"] == str(copy)
    assert run("encryption", "rekey", *of, "--key-file", one, "--new-key-file", two).json["encrypted"]
    monkeypatch.setenv("HMEM_KEY_FILE", str(two))
    for each in (path, copy):
        assert run("stats", "--memory", each, "--json").json["turns"] == 1
    assert run("reembed", "--embedder", "wordllama:64", *of).json["vectors"] == 1
    assert run("encryption", "off", *of).json == {"memory": str(path), "encrypted": False}
    monkeypatch.delenv("HMEM_KEY_FILE")
    assert not run("stats", *of).json["encrypted"]


def test_a_key_itself_is_no_option(run: Run, path: Path) -> None:
    """Whoever lists the processes sees their arguments."""
    assert run("stats", "--memory", path, "--key", KEY).code == 2


def make(path: str) -> None:
    with Memory(path, key=KEY) as memory:
        memory.add("I live in Lisbon", speaker="Ada")


def test_processes_that_make_the_same_memory_at_once_all_open_it(path: Path) -> None:
    """Each draws a salt for a file that is still empty; one of them is that of the file."""
    for number in range(3):
        name = str(path.with_name(f"{number}.hmem"))
        children = [started(make, name) for _ in range(4)]
        assert [exit_code(child) for child in children] == [0] * 4
        with Memory(name, key=KEY) as memory:
            assert memory.stats().turns == 4


def test_a_server_encrypts_its_memories_and_what_it_keeps_beside_them(tmp_path: Path) -> None:
    (file := tmp_path / "server.key").write_text(KEY)
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(tmp_path / "root"), "--port", "0", "--json"]
    command += ["--workers", "1", "--key-file", str(file)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        with httpx.Client(base_url=f"{address}/v1/", timeout=100, trust_env=False) as client:
            assert client.post("memories", json={"name": "a"}).status_code == 201
            turn = {"text": "Quillon is a zebrafish", "speaker": "Nadja"}
            added = client.post("memories/a/turns", json=turn, headers={"Idempotency-Key": "marmoset"})
            assert added.json()["fate"] == "stored"
            assert client.get("memories/a").json()["encrypted"]
        assert in_the_clear(tmp_path / "root", ["quillon", "zebrafish", "nadja", "marmoset", "turn_"]) == []
        process.kill()
        assert process.stderr is not None
        assert KEY not in process.stderr.read()
    assert in_the_clear(tmp_path / "root", ["quillon", "zebrafish", "nadja", "marmoset", KEY]) == []
    with Memory(tmp_path / "root" / "a.hmem", key=KEY) as memory:
        assert memory.list()[0].speaker == "Nadja"


def test_mcp_serves_encrypted_memories_and_names_where_their_key_is(run: Run, tmp_path: Path) -> None:
    (file := tmp_path / "key").write_text(KEY)
    entry = run("mcp", "--memory", tmp_path / "a.hmem", "--key-file", file, "--json").json
    assert entry["args"][-2:] == ["--key-file", str(file)]
    memories = Memories(Locations(project=tmp_path / "a.hmem"), key=MemoryKey(KEY))
    memories.get().add("Quillon is a zebrafish")
    memories.close()
    assert in_the_clear(tmp_path, ["quillon", "zebrafish"]) == []
