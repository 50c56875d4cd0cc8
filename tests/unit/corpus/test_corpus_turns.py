"""Readers of a corpus that let other threads go first."""

from threading import Event, Thread

import pytest

from hmem import Memory
from hmem.corpus.corpus import Corpus, CorpusMoved
from hmem.retrieval.browse import Browser

pytestmark = pytest.mark.example(80)


def waiting(corpus: Corpus, work: Event) -> Thread:
    """A thread that waits for the corpus, and sets an event once it has had it."""

    def read() -> None:
        with corpus.reading():
            work.set()

    thread = Thread(target=read)
    thread.start()
    while not corpus._waiting:
        work.wait(0.001)
    return thread


def give_way_until_moved(corpus: Corpus) -> None:
    while True:
        corpus.give_way()


def test_a_patient_reader_lets_others_go_first_and_goes_on(memory: Memory) -> None:
    corpus, work = memory.corpus, Event()
    with corpus.reading(patient=True), corpus.reading():
        corpus.give_way()
        thread = waiting(corpus, work)
        assert not work.is_set()
        corpus.give_way()
        assert work.is_set()
        assert corpus.columns.alive_count
    thread.join()


@pytest.mark.parametrize("is_within_another", [True, False])
def test_others_wait_for_a_reader_that_is_not_patient(memory: Memory, is_within_another: bool) -> None:
    corpus, work = memory.corpus, Event()
    with corpus.reading(), corpus.reading(patient=is_within_another):
        thread = waiting(corpus, work)
        corpus.give_way()
        assert not work.is_set()
    thread.join()
    assert work.is_set()


def test_a_reader_hears_that_the_memory_changed_while_others_went_first(memory: Memory) -> None:
    corpus = memory.corpus
    thread = Thread(target=lambda: memory.add("Tom adopted a dog."))
    with corpus.reading(patient=True):
        thread.start()
        while not corpus._waiting:
            pass
        with pytest.raises(CorpusMoved):
            give_way_until_moved(corpus)
    thread.join()
    with corpus.reading():
        assert corpus.columns.alive_count


def test_a_view_is_of_one_moment_though_others_go_first(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[Thread] = []
    original = Browser._note

    def note(*arguments: object) -> object:
        if not threads:
            threads.append(Thread(target=lambda: memory.add("I live in Faro.", speaker="Zoe")))
            threads[0].start()
            while not memory.corpus._waiting and threads[0].is_alive():
                pass
        return original(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Browser, "_note", note)
    notes = memory.notes(limit=1_000)
    threads[0].join()
    monkeypatch.undo()
    assert notes in (memory.notes(limit=1_000), tuple(n for n in memory.notes(limit=1_000) if n.subject != "Zoe"))
