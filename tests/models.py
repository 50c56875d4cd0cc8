"""In-process model for tests, whose marked answers are derived from the turns."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any

from hmem import Memory
from hmem.language.analyst import Claim, PersonaText, ProfileText, Statement, analyst
from hmem.language.analyst.base import Compression, Passage, TurnExtraction
from hmem.language.analyst.language_model import Room, ToCompress, ToJudge, WriteRequest, WriteResult
from hmem.language.analyst.spending import Budget, ModelUsage, SpendingLedger
from hmem.model.evidence import Reaction

RULES = analyst("rules")
MODEL = "test:model/1"

_NUMBERS = count()


class Derived:
    """Model that reads by the rules and marks it: every statement ends with a mark, every text begins with one.

    ``fails`` is called before each call with its number, from 1, and its input; the call fails with its errors.
    """

    def __init__(
        self, made_by: str = MODEL, mark: str = "(read)", fails: Callable[[int, Any], None] = lambda _n, _asked: None
    ) -> None:
        self.made_by = made_by
        self.room = Room()
        self.mark = mark
        self.fails = fails
        self.passages: list[Passage] = []
        self.works: list[WriteRequest] = []
        self._ledger: SpendingLedger | None = None
        self._lock = Lock()
        self._calls = count(1)

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> "Derived":
        self._ledger = ledger
        return self

    def _called(self, asked: Any) -> None:
        if self._ledger is not None:
            purpose = {Passage: "read", WriteRequest: "write"}.get(type(asked), "feedback")
            self._ledger.record(purpose, self.made_by, ModelUsage(1, 100, 10, 0.01))
        with self._lock:
            number = next(self._calls)
        self.fails(number, asked)

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        self._called(passage)
        with self._lock:
            self.passages.append(passage)
        return [self._reading(passage, place) for place in range(passage.start, len(passage.turns))]

    def _reading(self, passage: Passage, place: int) -> TurnExtraction:
        one = Passage(passage.turns[: place + 1], place, passage.speakers)
        said = RULES.events([one])[0][0] or [Statement(passage.turns[place].content)]
        statements = [replace(each, text=f"{each.text} {self.mark}") for each in said]
        return TurnExtraction(
            self.made_by,
            replace(RULES.curate([one])[0][0], memorable=True),
            tuple(statements),
            tuple(self._claims(one, said)),
            RULES.entities([one])[0][0],
            tuple(RULES.labels(said, [passage.turns[place].speaker] * len(said))),
            RULES.importance([one], [""])[0][0],
        )

    def _claims(self, one: Passage, said: Sequence[Statement]) -> Sequence[Claim]:
        return RULES.claims([one], [[said]])[0][0]

    def compress(self, work: ToCompress) -> Compression | None:
        self._called(work)
        return Compression((0,), f"The rest of {len(work.lines)} lines.")

    def distil(self, cases: Sequence[str]) -> tuple[str, Sequence[int]] | None:
        self._called(tuple(cases))
        return f"{self.mark} {len(cases)} cases", range(len(cases))

    def reactions(self, replies: Sequence[ToJudge]) -> list[Reaction | None]:
        self._called(tuple(replies))
        return [self.feedback(each.question, each.answer, each.reply) for each in replies]

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return RULES.feedback(question, answer, reply)

    def write(self, work: WriteRequest) -> WriteResult:
        self._called(work)
        with self._lock:
            self.works.append(work)
        return WriteResult(
            self.made_by,
            tuple(f"{self.mark} summary of {len(each.lines)}" for each in work.summaries),
            tuple(f"{self.mark} name" for _ in work.topics),
            tuple(ProfileText(f"{self.mark} {each.subject.name}", "lately") for each in work.profiles),
            tuple(PersonaText(f"{self.mark} {each.person}", ("calm",)) for each in work.personas),
        )


def open_with(path: Path | str, model: Any, **options: Any) -> Memory:
    """Open a memory whose analyst has this model."""
    memory = Memory(path, analyst=f"openai:test{next(_NUMBERS)}@http://127.0.0.1:9/v1", **options)
    fallback: Any = memory._components.analyst.fallback
    fallback.model = model
    return memory


def unread(path: str) -> Memory:
    """Open a memory with a model that has not read anything yet, as one that forms an example."""
    return open_with(path, Derived())
