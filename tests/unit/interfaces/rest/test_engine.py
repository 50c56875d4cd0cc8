"""What does the work behind the server, in its own process."""

import asyncio
import json
from pathlib import Path

import pytest

from hmem.errors import MemoryNotFound, ServerUnavailable
from hmem.interfaces.rest.engine import Threads, engine_for
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.rest.workers import Workers


def test_the_settings_choose_the_engine(tmp_path: Path) -> None:
    assert isinstance(engine_for(Settings(tmp_path)), Threads)
    assert isinstance(engine_for(Settings(tmp_path, workers=1)), Workers)


def test_calls_are_done_until_it_is_closed(tmp_path: Path) -> None:
    async def work() -> None:
        engine = Threads(Settings(tmp_path, threads=2))
        assert not engine.ready
        await engine.start()
        assert engine.ready
        await engine.call("a", "create_memory", {})
        told = [engine.call("a", "add", {"text": f"Turn {number}"}) for number in range(10)]
        assert {json.loads(each)["fate"] for each in await asyncio.gather(*told)} == {"stored"}
        assert await engine.figures() == {"open": 1}
        with pytest.raises(MemoryNotFound):
            await engine.call("b", "stats", {})
        await engine.close()
        assert not engine.ready
        with pytest.raises(ServerUnavailable):
            await engine.call("a", "stats", {})

    asyncio.run(work())
