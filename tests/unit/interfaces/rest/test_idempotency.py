"""A request with an Idempotency-Key is done once."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from hmem.errors import InvalidRequest, RepeatConflict, UnknownId
from hmem.interfaces.rest.idempotency import Answer, IdempotencyStore, IdempotentRequest


class Doing:
    """What is done, and how often."""

    def __init__(self, answer: Answer = (200, b'{"n":1}')) -> None:
        self.times = 0
        self.answer = answer

    async def __call__(self) -> Answer:
        self.times += 1
        await asyncio.sleep(0.01)
        return self.answer


def asked(what: str = "k1", said: str = "x", who: str = "ann") -> IdempotentRequest:
    return IdempotentRequest.of(who, what, "m", "add", {"text": said})


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


def test_what_a_memory_forgets_is_not_kept_here(tmp_path: Path) -> None:
    path = tmp_path / "repeats.db"
    repeats = IdempotencyStore(path)
    asyncio.run(repeats.once(asked(), Doing((200, b'{"before":"the fern"}'))))
    report = (200, b'{"turns":1,"words":["fern"],"samples":["the fern"]}')
    repeats.forget("m")
    asyncio.run(repeats.once(asked("k2"), Doing(report)))
    repeats.close()
    assert all(b"fern" not in file.read_bytes() for file in tmp_path.iterdir())
    assert sqlite3.connect(path).execute("select count(*) from repeats").fetchone() == (1,)


@pytest.mark.parametrize("what", ["", "x" * 201, "a\nb"])
def test_a_key_has_a_form(what: str) -> None:
    with pytest.raises(InvalidRequest):
        asked(what)
