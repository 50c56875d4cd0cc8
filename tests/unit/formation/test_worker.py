import os
from collections.abc import Callable, Iterator
from threading import Event, Thread, current_thread, main_thread

import pytest

from hmem.errors import EmbedderMismatch
from hmem.formation import worker as module
from hmem.formation.worker import BEHIND_TURNS, STEP_TURNS, WAITING_TURNS, FormationWorker


class Turns:
    """Turns to be formed: how many wait, and each step with its limit, its size and its thread."""

    def __init__(self) -> None:
        self.unformed = 0
        self.steps: list[tuple[int, int, Thread]] = []
        self.formed = Event()

    def add(self, worker: FormationWorker, count: int = 1, most: int = WAITING_TURNS) -> None:
        with worker.adding():
            self.unformed += count
            worker.leave(count, most)

    def form(self, limit: int, *, patient: bool = False) -> int:
        count = min(limit, self.unformed)
        self.unformed -= count
        self.steps.append((limit, count, current_thread()))
        if not self.unformed:
            self.formed.set()
        return count

    def wait(self) -> None:
        assert self.formed.wait(60)
        self.formed.clear()


@pytest.fixture
def turns() -> Turns:
    return Turns()


@pytest.fixture
def worker(turns: Turns) -> Iterator[FormationWorker]:
    made = FormationWorker(turns.form)
    yield made
    made.close()


def ended(worker: FormationWorker) -> bool:
    thread = worker._thread
    if thread is not None:
        thread.join(60)
    return worker._thread is None


def test_turns_are_formed_behind_and_the_thread_ends(worker: FormationWorker, turns: Turns) -> None:
    for _ in range(3):
        turns.add(worker)
        turns.wait()
        assert ended(worker)
    assert [count for _, count, _ in turns.steps if count] == [1, 1, 1]
    assert main_thread() not in {thread for _, _, thread in turns.steps}


def test_turns_added_in_quick_succession_are_formed_together(
    worker: FormationWorker, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE", 100.0)
    for _ in range(10):
        turns.add(worker)
    assert not turns.steps
    monkeypatch.setattr(module, "PAUSE", 0.0)
    turns.add(worker, 0)
    turns.wait()
    assert [count for _, count, _ in turns.steps] == [10]


def test_an_addition_holds_the_thread_off(
    worker: FormationWorker, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.0)
    with worker.adding():
        turns.add(worker, STEP_TURNS + 1)
        assert not turns.formed.wait(0.2)
        assert not turns.steps
    turns.wait()
    assert ended(worker)
    assert [limit for limit, _, _ in turns.steps] == [STEP_TURNS, STEP_TURNS]


def test_more_turns_than_may_wait_are_formed_by_who_adds_them(worker: FormationWorker, turns: Turns) -> None:
    with worker.adding():
        turns.add(worker, WAITING_TURNS)
        assert not turns.steps
        turns.add(worker)
        assert turns.steps == [(WAITING_TURNS + 1 + BEHIND_TURNS, WAITING_TURNS + 1, main_thread())]
        turns.add(worker, WAITING_TURNS)
        assert len(turns.steps) == 1


def test_where_none_may_wait_each_addition_forms_its_own_and_some_more(worker: FormationWorker, turns: Turns) -> None:
    turns.unformed = 200
    for _ in range(4):
        turns.add(worker, 1, most=0)
    sizes = [BEHIND_TURNS + 1] * 3 + [204 - 3 * (BEHIND_TURNS + 1)]
    assert turns.steps == [(BEHIND_TURNS + 1, size, main_thread()) for size in sizes]


def test_the_thread_goes_on_to_the_end_of_a_backlog(worker: FormationWorker, turns: Turns) -> None:
    turns.unformed = 3 * STEP_TURNS
    turns.add(worker)
    turns.wait()
    assert ended(worker)
    assert [count for _, count, _ in turns.steps] == [STEP_TURNS] * 3 + [1]


def test_a_reader_forms_what_waits_without_a_pause(
    worker: FormationWorker, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE", 100.0)
    worker.finish()
    assert not turns.steps
    turns.add(worker, 5)
    worker.finish()
    worker.finish()
    assert turns.steps == [(5 + BEHIND_TURNS, 5, main_thread())]


def test_a_reader_waits_for_no_more_than_a_part_of_a_backlog(worker: FormationWorker, turns: Turns) -> None:
    with worker.adding():
        turns.unformed = 1_000
        turns.add(worker)
        worker.finish()
        worker.finish()
        assert turns.unformed == 1_001 - 1 - BEHIND_TURNS


def test_turns_that_were_left_during_a_step_are_formed_after_it(turns: Turns) -> None:
    again = iter([True])

    def form(limit: int, *, patient: bool = False) -> int:
        if next(again, False):
            worker.leave(1)
            return 0
        return turns.form(limit)

    worker = FormationWorker(form)
    turns.add(worker)
    turns.wait()
    assert ended(worker)
    assert turns.unformed == 0


def test_turns_that_cannot_be_formed_are_tried_again_with_the_next(turns: Turns) -> None:
    tried = Event()

    def form(limit: int, *, patient: bool = False) -> int:
        tried.set()
        return 0

    worker = FormationWorker(form)
    turns.add(worker)
    assert tried.wait(60)
    assert ended(worker)
    worker._form = turns.form
    worker.finish()
    assert not turns.steps
    turns.add(worker)
    turns.wait()
    worker.close()
    assert turns.unformed == 0


def test_an_error_of_the_thread_is_kept_as_its_problem(turns: Turns) -> None:
    def form(limit: int, *, patient: bool = False) -> int:
        raise EmbedderMismatch("the memory was re-embedded meanwhile - close it and open it again")

    worker = FormationWorker(form)
    turns.add(worker)
    assert ended(worker)
    assert worker.problem == "the memory was re-embedded meanwhile - close it and open it again"
    worker.close()


def test_closing_leaves_the_turns_to_the_next_opening_if_the_embedder_was_replaced(
    turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    def form(limit: int, *, patient: bool = False) -> int:
        raise EmbedderMismatch("the memory was re-embedded meanwhile - close it and open it again")

    monkeypatch.setattr(module, "PAUSE", 100.0)
    worker = FormationWorker(form)
    turns.add(worker)
    worker.close()
    assert worker._thread is None


def test_closing_forms_what_waits_at_once(turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE", 100.0)
    worker = FormationWorker(turns.form)
    turns.add(worker, 3)
    worker.close()
    worker.close()
    assert turns.steps == [(3 + BEHIND_TURNS, 3, main_thread())]
    turns.add(worker)
    assert (len(turns.steps), worker._thread) == (1, None)


def refused(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(("owner", "name", "value"), [(Thread, "start", refused), (module, "_ending", lambda: True)])
def test_turns_are_formed_at_once_where_no_thread_can_be_started(
    turns: Turns, monkeypatch: pytest.MonkeyPatch, owner: object, name: str, value: Callable[..., object]
) -> None:
    worker = FormationWorker(turns.form)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, value)
        turns.add(worker)
    assert [(count, thread) for _, count, thread in turns.steps] == [(1, main_thread())]
    worker.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_forked_process_leaves_the_turns_to_its_parent(worker: FormationWorker, turns: Turns) -> None:
    with worker.adding():
        turns.add(worker)
        child = os.fork()
        if child == 0:
            worker.close()
            os._exit(len(turns.steps))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    turns.wait()
    assert turns.unformed == 0


def test_a_reader_does_not_wait_for_a_backlog_that_the_thread_is_at(
    worker: FormationWorker, turns: Turns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE", 100.0)
    turns.unformed = WAITING_TURNS + 1
    assert worker.form_behind(turns.unformed)
    worker.finish_for_reader()
    assert not turns.steps
    monkeypatch.setattr(module, "PAUSE", 0.0)
    worker.form_behind(turns.unformed)
    turns.wait()
    assert main_thread() not in {thread for _, _, thread in turns.steps}


def test_a_backlog_waits_for_a_reader_or_the_next_opening(turns: Turns, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.0)
    worker = FormationWorker(turns.form)
    turns.add(worker, WAITING_TURNS + 1, most=1_000)
    assert worker._thread is None
    worker.close()
    assert not turns.steps
    reader = FormationWorker(turns.form)
    reader.form_behind(turns.unformed)
    turns.wait()
    reader.close()
