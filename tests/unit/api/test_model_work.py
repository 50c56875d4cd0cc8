"""The work of a language model, as ``Memory`` does it."""

import threading
from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formation import FormedExample, derived, example, formation, formed
from tests.models import MODEL, Derived, open_with, unread

from hmem import Memory
from hmem.errors import BudgetSpent, ModelGarbled, ModelUnavailable
from hmem.evolution.analyse import ModelWorker, Progress, WorkOptions
from hmem.language.verbatim import VerbatimAnalyst

BY_RULES = VerbatimAnalyst().made_by
QUICK = WorkOptions(backoff=0.01, patience=2.0)


def said(session: str, *texts: str) -> list[dict[str, Any]]:
    return [
        {"text": text, "speaker": ("Maria", "Tom")[i % 2], "session": session, "at": f"2025-03-14T10:{i:02d}:00Z"}
        for i, text in enumerate(texts)
    ]


TALK = [
    *said("s1", "I adopted a puppy named Coco", "Lovely! I live in Lisbon now", "Coco loves the sea"),
    *said("s2", "I moved to Porto last week", "My sister works at Siemens"),
]


@pytest.fixture
def model() -> Derived:
    return Derived()


@pytest.fixture
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, model: Derived, formed_example: FormedExample
) -> Iterator[Memory]:
    """A memory that is empty, or of turns of the example that the model has not read."""
    if (marker := request.node.get_closest_marker("example")) is not None:
        formed_example(tmp_path / "a.hmem", *marker.args, opened=unread)
    with open_with(tmp_path / "a.hmem", model, working=QUICK) as opened:
        yield opened


def makers(memory: Memory) -> set[str]:
    return {event.made_by for event in memory.events(limit=1_000)}


class TestWork:
    def test_adding_asks_no_model_and_work_has_everything_read(self, memory: Memory, model: Derived) -> None:
        memory.add(TALK)
        assert (model.passages, makers(memory)) == ([], {BY_RULES})
        done = memory.model.run_jobs()
        assert (done.turns, done.left, done.failures, done.stopped) == (5, 0, 0, None)
        assert makers(memory) == {MODEL}
        assert {note.made_by for note in memory.notes()} == {MODEL}
        assert all(event.text.endswith("(read)") for event in memory.events())
        assert memory.model.run_jobs().calls == 0
        assert memory.verify().problems == ()

    @pytest.mark.example(60)
    def test_each_session_is_read_in_one_call(self, memory: Memory, model: Derived) -> None:
        memory.model.run_jobs()
        assert len(model.passages) == memory.stats().sessions
        assert sum(len(passage.targets) for passage in model.passages) == 60

    def test_a_part_of_a_session_is_read_with_what_came_before(self, memory: Memory, model: Derived) -> None:
        memory.add(said("s1", *(f"I like tea number {i}" for i in range(50))))
        memory.model.run_jobs()
        assert [(passage.start, len(passage.targets)) for passage in model.passages] == [(0, 25), (6, 25)]

    def test_texts_are_written_in_one_call_and_say_who_wrote_them(self, memory: Memory, model: Derived) -> None:
        memory.add(TALK)
        done = memory.model.run_jobs()
        assert done.texts == len(model.works[0])
        assert memory.tree("calendar", summaries=True).node.summary.startswith("(read) summary of")
        assert [persona.made_by for persona in memory.personas()] == [MODEL, MODEL]
        memory.consolidate()
        assert memory.model.run_jobs().calls == 0

    def test_the_end_of_a_session_is_read_when_it_was_left_alone(self, tmp_path: Path, model: Derived) -> None:
        patient = WorkOptions(idle_seconds=3_600)
        with open_with(tmp_path / "a.hmem", model, working=patient) as memory:
            memory.add(TALK)
            assert (memory.model.run_jobs(drain=False).turns, memory.stats().model.pending) == (0, 5)
        with open_with(tmp_path / "a.hmem", model, working=WorkOptions(idle_seconds=0)) as memory:
            assert memory.model.run_jobs(drain=False).turns == 5

    def test_enough_turns_of_a_session_are_read_while_it_goes_on(self, tmp_path: Path, model: Derived) -> None:
        with open_with(tmp_path / "a.hmem", model, working=WorkOptions(idle_seconds=3_600)) as memory:
            memory.add(said("s1", *(f"I like tea number {i}" for i in range(50))))
            done = memory.model.run_jobs(drain=False)
            assert (done.turns, done.left) == (25, 25)

    @pytest.mark.example(60)
    def test_sessions_are_read_in_their_order(self, memory: Memory, model: Derived) -> None:
        memory.model.run_jobs(concurrency=8)
        read: dict[str, list[str]] = {}
        for passage in model.passages:
            read.setdefault(passage.turns[0].session, []).extend(turn.id for turn in passage.targets)
        assert all(ids == sorted(ids) for ids in read.values())

    @pytest.mark.example(60)
    def test_a_limit_bounds_the_calls(self, memory: Memory, model: Derived) -> None:
        done = memory.model.run_jobs(limit=2)
        assert (done.calls, len(model.passages), len(model.works)) == (2, 2, 0)
        assert done.left > 0

    def test_wait_has_the_turns_read_before_it_returns(self, memory: Memory, model: Derived) -> None:
        memory.add(TALK[:3], wait=True)
        assert makers(memory) == {MODEL}
        memory.add(TALK[3], wait=True)
        assert [len(passage.targets) for passage in model.passages] == [3, 1]
        model.fails = unavailable
        assert memory.add(TALK[4], wait=True).fate == "stored"
        assert memory.stats().model.pending == 1

    def test_the_background_works_by_itself(self, tmp_path: Path, model: Derived) -> None:
        with open_with(tmp_path / "a.hmem", model) as memory:
            memory._model_work._options = WorkOptions(idle_seconds=0)
            memory.add(TALK)
            memory._model_work.start()
            for _ in range(2_400):
                if memory.stats().model.pending == 0:
                    break
                threading.Event().wait(0.05)
            assert makers(memory) == {MODEL}

    def test_turns_from_before_the_model_are_left_to_the_rules(self, tmp_path: Path, model: Derived) -> None:
        with Memory(tmp_path / "a.hmem") as memory:
            memory.add(TALK[:3])
        with open_with(tmp_path / "a.hmem", model) as memory:
            memory.add(TALK[3:])
            assert memory.model.run_jobs().turns == 2
            assert makers(memory) == {MODEL, BY_RULES}
            assert memory.model.reanalyse() == 3
            assert memory.model.run_jobs().turns == 3
            assert makers(memory) == {MODEL}


class TestReanalyse:
    def test_what_another_model_made_is_made_again(self, tmp_path: Path) -> None:
        with open_with(tmp_path / "a.hmem", Derived("old/1", "(old)")) as memory:
            memory.add(TALK)
            memory.model.run_jobs()
        with open_with(tmp_path / "a.hmem", Derived("new/1", "(new)")) as memory:
            assert memory.stats().model.pending == 0
            assert memory.model.reanalyse() == 5
            assert makers(memory) == {"old/1"}
            done = memory.model.run_jobs()
            assert (done.turns, makers(memory)) == (5, {"new/1"})
            assert memory.tree("calendar", summaries=True).node.summary.startswith("(new)")
            assert memory.model.run_jobs().calls == 0


def unavailable(number: int, asked: Any) -> None:
    raise ModelUnavailable("the provider is asleep - try later")


class TestFailing:
    @pytest.mark.example(90)
    def test_every_third_call_that_fails_loses_nothing(self, memory: Memory, model: Derived) -> None:
        def fails(number: int, asked: Any) -> None:
            if number % 3 == 0:
                raise ModelUnavailable("busy - wait", retry_after=0.01)

        model.fails = fails
        done = memory.model.run_jobs()
        assert (done.turns, done.left, done.stopped) == (90, 0, None)
        assert done.failures >= len(model.passages) // 3
        assert makers(memory) == {MODEL}

    def test_a_provider_that_is_down_ends_the_run_and_keeps_the_queue(self, memory: Memory, model: Derived) -> None:
        model.fails = unavailable
        memory.add(TALK)
        done = memory.model.run_jobs()
        assert (done.turns, done.left, done.stopped) == (0, 5, "the provider is asleep - try later")
        assert memory.stats().model.error == "the provider is asleep - try later"
        assert makers(memory) == {BY_RULES}
        model.fails = lambda number, asked: None
        assert memory.model.run_jobs().turns == 5
        assert memory.stats().model.error is None

    def test_what_somebody_has_to_mend_first_ends_the_run_at_once(self, memory: Memory, model: Derived) -> None:
        def keyless(number: int, asked: Any) -> None:
            raise ModelUnavailable("there is no key - set one", lasting=True)

        model.fails = keyless
        memory.add(TALK)
        done = memory.model.run_jobs(concurrency=1)
        assert (done.calls, done.failures, done.left, done.stopped) == (1, 1, 5, "there is no key - set one")
        model.fails = lambda number, asked: None
        assert memory.model.run_jobs().turns == 5

    def test_what_cannot_be_read_is_left_to_the_rules_after_three_attempts(
        self, memory: Memory, model: Derived
    ) -> None:
        def fails(number: int, asked: Any) -> None:
            if not hasattr(asked, "turns") or "Coco" in asked.turns[0].text:
                raise ModelGarbled("it said nothing - take a larger model")

        model.fails = fails
        memory.add(TALK)
        done = memory.model.run_jobs()
        assert (done.turns, done.left) == (2, 0)
        assert memory.stats().model.given_up == 3
        assert makers(memory) == {MODEL, BY_RULES}
        assert memory.model.run_jobs().calls == 0
        model.fails = lambda number, asked: None
        assert memory.model.reanalyse() == 3
        assert memory.model.run_jobs().turns == 3

    def test_what_is_due_again_while_something_is_formed_is_read_in_the_same_run(
        self, memory: Memory, model: Derived
    ) -> None:
        def fails(number: int, asked: Any) -> None:
            if number == 1:
                raise ModelUnavailable("it is away - wait")

        def dawdles() -> int:
            # Before the worker reads, before it looks again, and before it waits.
            sleep(2 * again if next(times) == 3 else 0)
            return late.form()

        times, again, late = count(1), 0.3, formation(memory)
        model.fails = fails
        memory.add(TALK[:1])
        options = WorkOptions(backoff=again)
        worker = ModelWorker(memory.corpus, derived(memory), lambda turn: turn, dawdles, 0, options)
        assert worker.run(model, Progress(), drain=True) == 0

    def test_a_slip_of_the_model_is_an_answer_that_cannot_be_used(self, memory: Memory, model: Derived) -> None:
        def slips(number: int, asked: Any) -> None:
            raise KeyError(number)

        model.fails = slips
        memory.add(TALK)
        assert memory.model.run_jobs().stopped == "KeyError in test:model/1"
        assert memory.model.run_jobs().left == 0
        assert memory.stats().model.given_up == 5

    def test_a_spent_budget_stops_the_work_until_it_is_raised(self, memory: Memory, model: Derived) -> None:
        def spent(number: int, asked: Any) -> None:
            raise BudgetSpent("1 call may be made today - wait")

        memory.add(TALK)
        memory.model.budget(day_calls=1)
        model.fails = spent
        done = memory.model.run_jobs(concurrency=1)
        assert (done.turns, done.left, done.stopped) == (0, 5, "1 call may be made today - wait")
        assert "1 call may be spent today" in (memory.stats().model.problem or "")
        memory.model.budget(day_calls=None)
        model.fails = lambda number, asked: None
        assert memory.model.run_jobs().left == 0
        assert memory.stats().model.problem is None


class TestSpending:
    def test_stats_say_what_was_spent_on_what(self, memory: Memory, model: Derived) -> None:
        memory.add(TALK)
        memory.model.run_jobs()
        told = memory.stats().model
        assert told is not None
        assert (told.name, told.pending, told.read) == (MODEL, 0, {MODEL: 5})
        assert [(each.purpose, each.calls, each.input_tokens) for each in told.spent] == [
            ("read", 2, 200),
            ("write", 1, 100),
        ]
        assert told.today == told.spent


class TestForming:
    def test_sessions_of_an_owner_are_read_in_order_and_see_the_notes_of_those_before(self, model: Derived) -> None:
        with open_with(":memory:", model) as memory:
            memory.add(example(40))
            memory.model.run_jobs(concurrency=4)
        firsts = [passage.targets[0].at for passage in model.passages]
        assert len(firsts) > 2
        assert firsts == sorted(firsts)
        assert [bool(passage.notes) for passage in model.passages] == [False, *[True] * (len(firsts) - 1)]

    @pytest.mark.example(90)
    def test_formed_anew_it_comes_to_the_same_without_a_call(self, memory: Memory, model: Derived) -> None:
        memory.model.run_jobs()
        before, calls = formed(memory), (len(model.passages), len(model.works))
        memory.rebuild()
        after = formed(memory)
        for part in ("judgements", "events", "notes"):
            assert after[part] == before[part]
        # A persona of the last session's notes is written when the next one begins, or by work.
        memory.model.run_jobs()
        after = formed(memory)
        assert [text for _, *text in after["personas"].values()] == [text for _, *text in before["personas"].values()]
        assert (len(model.passages), len(model.works)) == calls
        assert memory.verify().problems == ()

    @settings(max_examples=5)
    @given(cuts=st.lists(st.integers(1, 23), max_size=4), works=st.lists(st.booleans(), min_size=5, max_size=5))
    def test_whenever_turns_are_read_the_same_comes_of_them(self, cuts: list[int], works: list[bool]) -> None:
        turns, states = example(24), list[Any]()
        for bounds in ([0, 24], [0, *sorted(set(cuts)), 24]):
            with open_with(":memory:", Derived()) as memory:
                for i, (start, end) in enumerate(pairwise(bounds)):
                    memory.add(turns[start:end])
                    if works[i % len(works)]:
                        memory.model.run_jobs()
                memory.model.run_jobs()
                state = formed(memory)
                states.append({part: state[part] for part in ("judgements", "events", "notes")})
        assert states[0] == states[1]


class TestForgetting:
    def test_what_a_model_made_of_it_goes_with_what_is_forgotten(self, tmp_path: Path, model: Derived) -> None:
        path = tmp_path / "a.hmem"
        with open_with(path, model) as memory:
            memory.add(TALK)
            memory.add(said("s3", "Quillonia is my zebrafish", "What a name", "Quillonia eats a lot"))
            memory.model.run_jobs()
            gone = memory.forget(session="s3")
            assert {"quillonia", "zebrafish"} <= set(gone.words)
            assert memory.verify(["quillonia", "zebrafish"]).problems == ()
            assert memory.corpus.model_queue.answers() == []
            assert memory.model.run_jobs().turns == 0

    def test_those_read_with_a_forgotten_turn_are_read_again_without_it(self, memory: Memory, model: Derived) -> None:
        receipts = memory.add(TALK)
        memory.model.run_jobs()
        memory.forget(receipts[0].id or "")
        assert makers(memory) == {MODEL, BY_RULES}
        assert memory.verify(["adopted"]).problems == ()
        model.passages.clear()
        assert memory.model.run_jobs().turns == 2
        assert all("adopted" not in turn.text for passage in model.passages for turn in passage.turns)
        assert makers(memory) == {MODEL}

    @pytest.mark.parametrize("name", ["quillonia", "éloïse"])
    def test_what_a_model_said_elsewhere_of_what_is_forgotten_goes_too(
        self, memory: Memory, model: Derived, name: str
    ) -> None:
        model.mark = f"({name})"
        memory.add([*TALK, *said("s3", f"{name.title()} is my zebrafish", "Good night")])
        memory.model.run_jobs()
        places = [problem.partition(" stands in ")[2].partition(" - ")[0] for problem in memory.verify([name]).problems]
        assert {"formed readings", "formed summary by a model"} <= {*places}
        memory.forget(memory.list(session="s3")[0].id)
        assert memory.verify([name, "zebrafish"]).problems == ()
        assert makers(memory) == {BY_RULES}
        # Its readings are taken back by now.
        memory.forget(session="s3")
        assert memory.verify(["quillonia", "zebrafish"]).problems == ()
        assert makers(memory) == {BY_RULES}
        model.mark = "(read)"
        assert memory.model.run_jobs().turns == 5

    def test_what_is_forgotten_while_it_is_read_is_not_kept(self, memory: Memory, model: Derived) -> None:
        receipts = memory.add(TALK[:3])

        def forgets(number: int, asked: Any) -> None:
            if number == 1:
                memory.forget(receipts[0].id or "")

        model.fails = forgets
        memory.model.run_jobs()
        assert memory.verify(["adopted"]).problems == ()
        assert [len(passage.targets) for passage in model.passages] == [3, 2]
        assert makers(memory) == {MODEL}


class TestSharing:
    def test_two_workers_read_nothing_twice(self, tmp_path: Path) -> None:
        first, second = Derived(), Derived()
        with open_with(tmp_path / "a.hmem", first) as one, open_with(tmp_path / "a.hmem", second) as two:
            one.add(example(70))
            threads = [threading.Thread(target=each.model.run_jobs) for each in (one, two)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            one.model.run_jobs()
            read = [turn.id for model in (first, second) for passage in model.passages for turn in passage.targets]
            assert len(read) == len(set(read)) == 70
            assert makers(two) == {MODEL}
            assert one.verify().problems == ()
            assert formed(one) == formed(two)
