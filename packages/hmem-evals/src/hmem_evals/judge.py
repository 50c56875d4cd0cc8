"""A language model that judges answers: right or wrong, by one of two rules, and each answer as few words for its F1.

``orchestrated`` (HMO) is the strict one: right only when an answer holds all that is essential, a part of it is wrong.
``evolving`` (H-Mem, tree and graph) takes an answer that tells the same thing, though not each detail. Both see the
whole answer; what was made short of it serves token F1 and BLEU only. An answer that abstains is judged without a
call: it is right exactly where the history does not tell, and there nothing else is.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter, sleep
from typing import Final, TypeVar

from hmem.errors import ModelGarbled, ModelUnavailable, UnknownName
from hmem.interfaces.formats.conversations import Question
from hmem.language.analyst import analyst
from hmem.language.analyst.language_model import JudgeModel
from hmem.language.analyst.spending import Budget
from hmem.model.answer import Usage
from hmem_evals.asking import TimedAnswer

RULES: Final[Mapping[str, str]] = {"orchestrated": "essential", "evolving": "same"}
JUDGE: Final = "judge"
SIMPLIFY: Final = "simplify"

# An answer of so many words is short as it is.
_SHORT: Final = 5
_TRIES: Final = 4
_LONGEST_WAIT: Final = 30.0

_Given = TypeVar("_Given")


def examiner(name: str) -> JudgeModel:
    """The model of an analyst, to judge with.

    Raises:
        UnknownName: there is no such analyst, or it has no model.
        ExtraMissing: what it needs is not installed.
    """
    model: JudgeModel | None = getattr(analyst(name), "model", None)
    if model is None:
        raise UnknownName(f"{name!r} cannot judge - name a language model, such as openai:gpt-4o-mini")
    return model


class Judge:
    """Judges answers with a model, by one rule.

    Raises:
        UnknownName: there is no such model or protocol.
    """

    def __init__(self, name: str, protocol: str = "orchestrated") -> None:
        if protocol not in RULES:
            raise UnknownName(f"no protocol of judging is called {protocol!r} - choose one of: {', '.join(RULES)}")
        self._model = examiner(name)
        self._rule = RULES[protocol]

    @property
    def made_by(self) -> str:
        """The model and the version of what it is asked."""
        return self._model.made_by

    def marked(self, question: Question, said: TimedAnswer) -> TimedAnswer:
        """An answer with what the judge makes of it; ``correct`` is None where the judge cannot be understood.

        Raises:
            ModelUnavailable: the judge cannot be reached, even after some tries.
            BudgetSpent: nothing more may be spent.
        """
        if said.abstained or question.unanswerable:
            return replace(said, correct=said.abstained and question.unanswerable)
        stages, simple = dict(said.stages), said.text
        verdict, stages[JUDGE] = self._asked(
            lambda model: model.judge(question.text, question.answer, said.text, question.category, self._rule)
        )
        if len(said.text.split()) > _SHORT:
            shortened, stages[SIMPLIFY] = self._asked(lambda model: model.simplify(question.text, said.text))
            simple = shortened or said.text
        return replace(said, correct=None if verdict is None else verdict[0], simple=simple, stages=stages)

    def _asked(self, ask: Callable[[JudgeModel], _Given]) -> tuple[_Given | None, Usage]:
        """What the model says, and what that took; a model that is busy is asked again."""
        model, began = self._model.charged(None, Budget()), perf_counter()
        given: _Given | None = None
        for attempt in range(1, _TRIES + 1):
            try:
                given = ask(model)
                break
            except ModelGarbled:
                break
            except ModelUnavailable as error:
                if attempt == _TRIES or error.lasting:
                    raise
                sleep(min(error.retry_after or 0.25 * 2**attempt, _LONGEST_WAIT))
        spent, took = model.spent, (perf_counter() - began) * 1_000
        return given, Usage(spent.calls, spent.input_tokens, spent.output_tokens, spent.cost, took)
