"""Work of models in all memories of a place: what is due is found, claimed, done and settled."""

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from hmem import Memory
from hmem.api.catalog_work import CatalogWork
from hmem.errors import InputError, StorageUnavailable
from hmem.model.span import now, to_stored
from hmem.storage.catalog import WorkBoard, WorkClaim, open_catalog
from hmem.storage.location import Location
from hmem.storage.sqlite.folder import FolderCatalog
from hmem_testing.fake_llm import StandIn


class Board(FolderCatalog, WorkBoard):
    """A folder that tells of due work: times by name, and claims."""

    def __init__(self, folder: Path) -> None:
        super().__init__(Location.parse(folder))
        self.due: dict[str, int] = {}
        self.claimed: dict[str, int] = {}
        self.settled: list[tuple[str, int | None]] = []
        self.is_unreachable = False

    @property
    def work(self) -> WorkBoard:
        return self

    def claim(self, at: int, until: int, limit: int) -> list[WorkClaim]:
        if self.is_unreachable:
            raise StorageUnavailable("the database is away - try again")
        free = [name for name, due in sorted(self.due.items()) if due <= at and self.claimed.get(name, 0) <= at]
        self.claimed |= dict.fromkeys(free[:limit], until)
        return [WorkClaim(name, until) for name in free[:limit]]

    def settle(self, claim: WorkClaim, due: int | None) -> None:
        self.settled.append((claim.name, due))
        del self.claimed[claim.name]
        if due is None:
            del self.due[claim.name]
        else:
            self.due[claim.name] = due


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[StandIn]:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    with StandIn() as running:
        yield running


@pytest.fixture
def board(tmp_path: Path, model: StandIn) -> Board:
    """Three memories with a model, whose turns wait for it."""
    board = Board(tmp_path)
    for name in ("a", "b", "c"):
        with Memory(board.locate(name), analyst=f"openai:stand-in@{model.url}") as memory:
            memory.add([{"text": f"I live in {place}", "speaker": "Maria"} for place in ("Lisbon", "Porto")])
        board.due[name] = 0
    return board


def pending(board: Board, name: str) -> int:
    with Memory(board.locate(name)) as memory:
        stats = memory.stats().model
    assert stats is not None
    return stats.pending


def test_what_is_due_is_done_and_settled(board: Board) -> None:
    done = CatalogWork(board).run_jobs(drain=True)
    assert (done.turns, done.left, done.stopped) == (6, 0, None)
    assert board.settled == [("a", None), ("b", None), ("c", None)]
    assert not board.due
    assert [pending(board, name) for name in "abc"] == [0, 0, 0]
    assert CatalogWork(board).run_jobs().calls == 0


def test_a_session_that_may_go_on_is_due_again_later(board: Board) -> None:
    before = to_stored(now())[0]
    done = CatalogWork(board).run_jobs()
    assert (done.turns, done.left) == (0, 6)
    assert set(board.due) == {"a", "b", "c"}
    assert all(before + 50_000_000 < due < before + 600_000_000 for due in board.due.values())


def test_two_workers_share_the_memories(board: Board) -> None:
    workers = [CatalogWork(board) for _ in range(2)]
    done: list[int] = []
    threads = [
        Thread(target=lambda worker=worker: done.append(worker.run_jobs(drain=True).turns)) for worker in workers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(done) == 6
    assert sorted(name for name, _ in board.settled) == ["a", "b", "c"]


def test_a_limit_ends_a_run_and_the_rest_stays_due(board: Board) -> None:
    done = CatalogWork(board).run_jobs(1, drain=True)
    assert done.calls == 1
    assert {"b", "c"} <= set(board.due)


def test_a_memory_that_is_gone_or_has_no_model_is_due_no_more(board: Board) -> None:
    board.drop("a")
    with Memory(board.locate("b"), analyst="rules"):
        pass
    assert CatalogWork(board).run_jobs(drain=True).turns == 2
    assert board.settled == [("a", None), ("b", None), ("c", None)]


def test_a_worker_that_is_halted_does_no_more(board: Board) -> None:
    worker = CatalogWork(board)
    worker.stop_jobs()
    assert worker.run_jobs(drain=True).calls == 0
    assert len(board.due) == 3


def test_a_place_that_is_away_is_told_and_one_without_an_account_refused(board: Board, tmp_path: Path) -> None:
    board.is_unreachable = True
    with pytest.raises(StorageUnavailable):
        CatalogWork(board).run_jobs()
    with pytest.raises(InputError, match="--memory"):
        CatalogWork(open_catalog(tmp_path))
