"""A request with an Idempotency-Key is done once."""

import asyncio
import json
from pathlib import Path

import pytest

from hmem.errors import InvalidRequest, RepeatConflict, UnknownId
from hmem.interfaces.operations import OPERATIONS
from hmem.interfaces.rest.idempotency import Answer, IdempotencyStore, IdempotentRequest, changes_of, without_words


class Doing:
    """What is done, and how often."""

    def __init__(self, answer: Answer = (200, b'{"n":1}')) -> None:
        self.times = 0
        self.answer = answer

    async def __call__(self) -> Answer:
        self.times += 1
        await asyncio.sleep(0.01)
        return self.answer


def asked(
    what: str = "k1", said: str = "x", who: str = "ann", operation: str = "flush", memory: str = "memory_1"
) -> IdempotentRequest:
    return IdempotentRequest.build(who, what, memory, OPERATIONS[operation], {"text": said}, name="m")


def test_a_repeated_request_has_the_first_answer_also_after_a_restart(tmp_path: Path) -> None:
    doing = Doing()
    for attempt in range(3):
        repeats = IdempotencyStore(tmp_path / "own" / "repeats.db")
        assert asyncio.run(repeats.once(asked(), doing)) == ((200, b'{"n":1}'), attempt > 0)
        repeats.close()
    assert doing.times == 1


def test_requests_at_the_same_time_are_done_once(tmp_path: Path) -> None:
    repeats, doing = IdempotencyStore(tmp_path / "repeats.db"), Doing()

    async def many() -> list[tuple[Answer, bool]]:
        return list(await asyncio.gather(*(repeats.once(asked(), doing) for _ in range(10))))

    found = asyncio.run(many())
    assert doing.times == 1
    assert sorted(before for _, before in found) == [False] + [True] * 9


def test_another_request_under_the_same_key_is_refused(tmp_path: Path) -> None:
    repeats, doing = IdempotencyStore(tmp_path / "repeats.db"), Doing()
    asyncio.run(repeats.once(asked(), doing))
    with pytest.raises(RepeatConflict):
        asyncio.run(repeats.once(asked(said="y"), doing))
    asyncio.run(repeats.once(asked(said="y", who="ben"), doing))
    assert doing.times == 2


def test_what_failed_is_not_kept(tmp_path: Path) -> None:
    repeats = IdempotencyStore(tmp_path / "repeats.db")

    async def fail() -> Answer:
        raise UnknownId("no such thing - look again")

    with pytest.raises(UnknownId):
        asyncio.run(repeats.once(asked(), fail))
    assert asyncio.run(repeats.once(asked(), Doing())) == ((200, b'{"n":1}'), False)


WORDS: dict[str, object] = {
    "add": {"fate": "stored", "id": "turn_1", "error": None},
    "add_batch": [
        {"fate": "stored", "id": "turn_1", "error": None},
        {"fate": "rejected", "id": None, "error": "'the fern' is no role - use another"},
    ],
    "correct": {"id": "change_1", "at": "2025-01-01T00:00:00Z", "before": "the fern", "after": "fern", "why": "fern"},
    "feedback": [{"id": "change_1", "at": "2025-01-01T00:00:00Z", "target": "the fern"}],
    "forget": {"turns": 1, "words": ["fern"], "samples": ["the fern"]},
    "run_model_jobs": {"calls": 1, "stopped": "the model said fern"},
}


@pytest.mark.parametrize("operation", WORDS)
def test_no_word_of_an_answer_or_a_request_is_kept(tmp_path: Path, operation: str) -> None:
    repeats = IdempotencyStore(tmp_path / "repeats.db")
    answer = (200, json.dumps(WORDS[operation]).encode())
    given = asked("key of the fern", "the fern", operation=operation)
    assert asyncio.run(repeats.once(given, Doing(answer))) == (answer, False)
    (_, again), before = asyncio.run(repeats.once(given, Doing()))
    assert before
    assert b"fern" not in again
    repeats.close()
    assert all(b"fern" not in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("name", [name for name, each in OPERATIONS.items() if each.writes])
def test_it_is_known_of_every_write_what_is_kept(name: str) -> None:
    sample = {"id": "i", "at": "2025", "error": None, "fate": "stored"}
    listed = "list" in str(OPERATIONS[name].result)
    kept = without_words(OPERATIONS[name], json.dumps([sample] if listed else sample).encode())
    assert json.loads(kept) is not None
    about = changes_of(OPERATIONS[name], kept)
    assert (about is None) == ("Change" not in str(OPERATIONS[name].result))


def test_an_answer_about_a_memory_is_none_about_another_of_its_name(tmp_path: Path) -> None:
    repeats, doing = IdempotencyStore(tmp_path / "repeats.db"), Doing()
    for memory, before in (("memory_1", False), ("memory_1", True), ("memory_2", False)):
        assert asyncio.run(repeats.once(asked(memory=memory), doing)) == ((200, b'{"n":1}'), before)
    assert doing.times == 2


@pytest.mark.parametrize("what", ["", "x" * 201, "a\nb"])
def test_a_key_has_a_form(what: str) -> None:
    with pytest.raises(InvalidRequest):
        asked(what)
