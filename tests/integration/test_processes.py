"""Several processes with one memory open: each sees what the others wrote, and nothing is lost."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.processes import PROCESSES, SECONDS, exit_code, started

from hmem import Memory
from hmem.corpus import corpus

TURNS = 40
ROUNDS = 25


def turn(who: str, number: int) -> dict[str, str]:
    """What a writer says: one word in it is in no other turn."""
    text = f"I am {who} and I noticed {who}word{number} today"
    return {"text": text, "speaker": who, "session": f"s{number % 30}", "message_id": f"{who}{number}"}


@contextmanager
def running(task: Callable[..., None], path: Path, *arguments: Any) -> Generator[Connection]:
    """A process with the task, and a line to it; its failure is ours."""
    ours, theirs = PROCESSES.Pipe()
    process = started(task, theirs, str(path), *arguments)
    theirs.close()
    try:
        yield ours
        assert exit_code(process) == 0
    finally:
        process.kill()
        ours.close()


def receive(line: Connection) -> Any:
    assert line.poll(SECONDS)
    return line.recv()


def write_and_search(line: Connection, path: str, who: str, other: str) -> None:
    """Write turn by turn, and find each of the other's turns as soon as it says that it is written."""
    corpus.ALONE_TURNS = 0
    corpus.SAVE_TURNS = 15
    with Memory(path) as memory:
        for number in range(ROUNDS):
            memory.add(turn(who, number))
            line.send(number)
            assert line.recv() == number
            assert turn(other, number)["text"] in [item.text for item in memory.search(f"{other}word{number}", k=5)]
            assert turn(who, number)["text"] in [item.text for item in memory.search(f"{who}word{number}", k=5)]


def test_a_search_finds_what_another_process_wrote_just_before(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with running(write_and_search, path, "ann", "bob") as ann, running(write_and_search, path, "bob", "ann") as bob:
        for number in range(ROUNDS):
            assert receive(ann) == receive(bob) == number
            ann.send(number)
            bob.send(number)
    check_all(path, "ann", "bob", turns=ROUNDS)


def check_all(path: Path, *writers: str, turns: int = TURNS) -> None:
    """Nothing is lost, nothing is twice, everything is found, and the indices agree."""
    with Memory(path) as memory:
        assert memory.verify().problems == ()
        kept = [kept.text for kept in memory.list(limit=100_000)]
        assert sorted(kept) == sorted(turn(who, number)["text"] for who in writers for number in range(turns))
        for who in writers:
            assert turn(who, 7)["text"] in [item.text for item in memory.search(f"{who}word7", k=5)]


def write(line: Connection, path: str, who: str, batch: int) -> None:
    """Write as fast as it goes."""
    corpus.ALONE_TURNS = 0
    corpus.SAVE_TURNS = 20
    with Memory(path, busy_seconds=SECONDS) as memory:
        line.send("ready")
        line.recv()
        for start in range(0, TURNS, batch):
            receipts = memory.add([turn(who, number) for number in range(start, start + batch)])
            assert [receipt.fate for receipt in receipts] == ["stored"] * batch
            assert turn(who, start)["text"] in [item.text for item in memory.search(f"{who}word{start}", k=5)]
        line.send("done")
        line.recv()
        assert memory.verify().problems == ()


def test_processes_that_write_and_flush_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with (
        running(write, path, "ann", 1) as ann,
        running(write, path, "bob", 5) as bob,
        running(write, path, "cat", 10) as cat,
    ):
        for line in (ann, bob, cat):
            assert receive(line) == "ready"
        for line in (ann, bob, cat):
            line.send("go")
        for line in (ann, bob, cat):
            assert receive(line) == "done"
        for line in (ann, bob, cat):
            line.send("verify")
    check_all(path, "ann", "bob", "cat")


def read(line: Connection, path: str) -> None:
    """Search until told to stop; a turn that was seen once is always seen again, with those before it."""
    with Memory(path, create=False) as memory:
        line.send("ready")
        seen = 0
        while not line.poll():
            turns = memory.stats().turns
            assert turns >= seen
            assert len(memory.list(limit=100_000)) >= turns
            if turns:
                assert turn("ann", turns - 1)["text"] in [
                    item.text for item in memory.search(f"annword{turns - 1}", k=5)
                ]
            seen = turns
        line.recv()
        assert memory.stats().turns == TURNS
        assert memory.verify().problems == ()


def test_several_read_while_one_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path):
        pass
    with running(read, path) as one, running(read, path) as other, running(write, path, "ann", 1) as ann:
        for line in (one, other, ann):
            assert receive(line) == "ready"
        ann.send("go")
        assert receive(ann) == "done"
        for line in (one, other, ann):
            line.send("stop")
    check_all(path, "ann")


def delete_every_second(line: Connection, path: str) -> None:
    with Memory(path) as memory:
        ids = [kept.id for kept in memory.list(limit=100_000)]
        for name in ids[::2]:
            memory.delete(name)
            line.send(name)


def test_a_deletion_by_another_process_is_seen_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add([turn("ann", number) for number in range(16)])
        memory.flush()
        texts = {kept.id: kept.text for kept in memory.list()}
        with running(delete_every_second, path) as line:
            for _ in range(8):
                gone = receive(line)
                assert texts[gone] not in [evidence.text for evidence in memory.search(texts[gone], k=16)]
        assert memory.stats().turns == 8
        assert memory.verify().problems == ()
        memory.flush()
        assert memory.verify().problems == ()
