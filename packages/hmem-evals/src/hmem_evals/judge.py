"""Judge of answers by a language model: right or wrong under one of two rules, and a shortened answer for token F1.

``orchestrated`` (HMO) is strict: a right answer holds everything essential; a partial one is wrong. ``evolving``
(H-Mem, tree and graph) accepts an answer of the same meaning without every detail. Both see the whole answer; the
shortened one serves token F1 and BLEU only. Abstentions and unanswerable questions need no call: an answer to an
unanswerable question is right if it abstains, and an abstention elsewhere is wrong.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import perf_counter, sleep
from typing import Final, TypeVar

from hmem.errors import ModelGarbled, ModelUnavailable, UnknownName
from hmem.language.analyst import analyst
from hmem.language.analyst.language_model import JudgeModel
from hmem.language.analyst.spending import Budget
from hmem.model.answer import Usage
from hmem_evals.asking import TimedAnswer
from hmem_evals.conversations import Question

RULES: Final[Mapping[str, str]] = {"orchestrated": "essential", "evolving": "same"}
JUDGE: Final = "judge"
SIMPLIFY: Final = "simplify"

# Most words of an answer that needs no shortening.
_SHORT: Final = 5
_TRIES: Final = 4
_LONGEST_WAIT: Final = 30.0

_Output = TypeVar("_Output")


def examiner(name: str) -> JudgeModel:
    """Return the model of an analyst, to judge with.

    Raises:
        UnknownName: there is no such analyst, or it has no model.
        ExtraMissing: its extra is not installed.
    """
    model: JudgeModel | None = getattr(analyst(name), "model", None)
    if model is None:
        raise UnknownName(f"{name!r} cannot judge - name a language model, such as openai:gpt-4o-mini")
    return model


class Judge:
    """Judge of answers with a model, by one rule.

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
        """Model and version of its prompts."""
        return self._model.made_by

    def marked(self, question: Question, answer: TimedAnswer) -> TimedAnswer:
        """Return an answer with the judge's verdict; ``correct`` is None if the judge's output is invalid.

        Raises:
            ModelUnavailable: the judge cannot be reached after several tries.
            BudgetSpent: the budget is spent.
        """
        if answer.abstained or question.unanswerable:
            return replace(answer, correct=answer.abstained and question.unanswerable)
        stages, simple = dict(answer.stages), answer.text
        verdict, stages[JUDGE] = self._ask_model(
            lambda model: model.judge(question.text, question.answer, answer.text, question.category, self._rule)
        )
        if len(answer.text.split()) > _SHORT:
            shortened, stages[SIMPLIFY] = self._ask_model(lambda model: model.simplify(question.text, answer.text))
            simple = shortened or answer.text
        return replace(answer, correct=None if verdict is None else verdict[0], simple=simple, stages=stages)

    def _ask_model(self, ask: Callable[[JudgeModel], _Output]) -> tuple[_Output | None, Usage]:
        """Return the model's output, None if it is invalid, and the usage; retry a busy model."""
        model, start = self._model.charged(None, Budget()), perf_counter()
        output: _Output | None = None
        for attempt in range(1, _TRIES + 1):
            try:
                output = ask(model)
                break
            except ModelGarbled:
                break
            except ModelUnavailable as error:
                if attempt == _TRIES or error.lasting:
                    raise
                sleep(min(error.retry_after or 0.25 * 2**attempt, _LONGEST_WAIT))
        usage, milliseconds = model.usage, (perf_counter() - start) * 1_000
        return output, Usage(usage.calls, usage.input_tokens, usage.output_tokens, usage.cost, milliseconds)
