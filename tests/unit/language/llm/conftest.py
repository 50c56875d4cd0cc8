"""Models to ask: each test's own, served by a stand-in on this machine."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from hmem.language.analyst import Passage
from hmem.language.llm.model import LanguageModel, load
from hmem.model.turn import Turn
from hmem_testing.fake_llm import ReplyRule, StandIn

SAID = datetime(2023, 8, 11, 10, tzinfo=UTC)
EPISODE = (
    ("Maria", "Hi Ben!"),
    ("Maria", "I adopted a puppy named Coco two weeks ago."),
    ("Ben", "Lovely! I moved to Lisbon in March 2022 for a job at Siemens."),
    ("Maria", "I'm allergic to peanuts."),
)

ServedBy = Callable[..., LanguageModel]


def passage(lines: Sequence[tuple[str, str]] = EPISODE, start: int = 0) -> Passage:
    """A passage of turns a minute apart."""
    turns = [
        Turn(f"turn-{place}", speaker, text, SAID + timedelta(minutes=place), "s1")
        for place, (speaker, text) in enumerate(lines)
    ]
    return Passage(tuple(turns), start, tuple(dict.fromkeys(speaker for speaker, _ in lines)))


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees a key of whoever runs it, nor their settings."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OLLAMA_API_KEY", "OPENAI_BASE_URL", "OLLAMA_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in (
        "HMEM_API_KEY",
        "HMEM_KEY_COMMAND",
        "HMEM_MODEL_TIMEOUT",
        "HMEM_MODEL_PRICE",
        "HMEM_MODEL_CONCURRENCY",
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def standin() -> Iterator[StandIn]:
    """A stand-in that answers rightly until it is given a script."""
    with StandIn() as started:
        yield started


@pytest.fixture
def model(standin: StandIn) -> Iterator[ServedBy]:
    """Makes a model that the stand-in serves, which follows these rules; ``variant`` comes behind its address."""
    made: list[LanguageModel] = []

    def served(*rules: ReplyRule, variant: str = "") -> LanguageModel:
        standin.follow(rules)
        one = load("openai", f"test@{standin.url}{variant}").model
        made.append(one)
        return one

    yield served
    for one in made:
        one.close()
