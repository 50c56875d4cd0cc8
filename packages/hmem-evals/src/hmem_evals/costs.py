"""Usage of models in an evaluation, the judged accuracy, and an estimate of the costs in advance."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil, fsum, sqrt
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.language.tokens import count_tokens
from hmem.model.answer import Usage
from hmem_evals.asking import Outcome, TimedAnswer
from hmem_evals.conversations import Conversation
from hmem_evals.judge import JUDGE, SIMPLIFY, examiner
from hmem_evals.metrics import mean

FORMATION: Final = "formation"
# Stages whose calls the memory makes; the evaluation makes the others.
MEMORY_STAGES: Final = (FORMATION, "plan", "answer")
STAGES: Final = (*MEMORY_STAGES, JUDGE, SIMPLIFY)


def together(usages: Iterable[Usage]) -> Usage:
    """Return the sum of usages."""
    total = Usage()
    for usage in usages:
        total = Usage(
            total.calls + usage.calls,
            total.input_tokens + usage.input_tokens,
            total.output_tokens + usage.output_tokens,
            total.cost + usage.cost,
            total.milliseconds + usage.milliseconds,
        )
    return total


def model_figures(outcomes: Sequence[Outcome], formation: Usage, judge: str | None, repeats: int) -> dict[str, Any]:
    """Return the ``model`` figures. Calls and tokens are those of the memory; the judge's stand under ``stages``."""
    answers = [answer for outcome in outcomes for answer in outcome.answers]
    used = {name: together(answer.stages[name] for answer in answers if name in answer.stages) for name in STAGES}
    used[FORMATION] = formation
    memory_usage = together(used[name] for name in MEMORY_STAGES)
    return {
        "calls": memory_usage.calls,
        "input_tokens": memory_usage.input_tokens,
        "output_tokens": memory_usage.output_tokens,
        "cost": round(together(used.values()).cost, 6),
        "judged_accuracy": accuracy(answers),
        "repeats": repeats if judge is not None or repeats > 1 else None,
        "judge": judge,
        "unjudged": sum(answer.correct is None for answer in answers) if judge is not None else None,
        "answered_by_rules": sum(answer.failed for answer in answers),
        "calls_per_answer": _per(used["plan"].calls + used["answer"].calls, len(answers)),
        "tokens_per_answer": _per(used["plan"].input_tokens + used["answer"].input_tokens, len(answers)),
        "stages": {
            **{name: _stage_figures(stage, len(answers)) for name, stage in used.items()},
            "recall": {"ms_per_answer": _per(fsum(map(_own_ms, answers)), len(answers))},
        },
        "spread": spread(outcomes, repeats) if repeats > 1 else None,
    }


def accuracy(answers: Sequence[TimedAnswer]) -> float | None:
    """Return the share of right answers among the judged ones; None if none was judged."""
    share = mean(float(answer.correct) for answer in answers if answer.correct is not None)
    return None if share is None else round(share, 4)


def by_category(outcomes: Sequence[Outcome]) -> Mapping[str, float | None]:
    """Return the judged accuracy of each category."""
    names = sorted({outcome.question.category for outcome in outcomes})
    return {
        name: accuracy(
            [answer for outcome in outcomes if outcome.question.category == name for answer in outcome.answers]
        )
        for name in names
    }


def spread(outcomes: Sequence[Outcome], repeats: int) -> dict[str, Any]:
    """Return the judged accuracy's mean and deviation over the repeats, and the share of questions judged unequally."""
    runs = [accuracy([outcome.answers[i] for outcome in outcomes if len(outcome.answers) > i]) for i in range(repeats)]
    accuracies = [run for run in runs if run is not None]
    split = mean(float(len({answer.correct for answer in outcome.answers}) > 1) for outcome in outcomes)
    return {
        "judged_accuracy": {"runs": runs, **deviation(accuracies)},
        "divided": None if split is None else round(split, 4),
    }


def deviation(values: Sequence[float]) -> dict[str, float | None]:
    """Return the mean, and the sample deviation (over n - 1) of two values or more."""
    middle = mean(values)
    if middle is None or len(values) < 2:
        return {"mean": middle, "deviation": None}
    squares = fsum((value - middle) ** 2 for value in values)
    return {"mean": round(middle, 4), "deviation": round(sqrt(squares / (len(values) - 1)), 4)}


def _own_ms(answer: TimedAnswer) -> float:
    """Return the milliseconds of an answer without waiting for models."""
    return max(
        answer.ask_ms - fsum(answer.stages[name].milliseconds for name in MEMORY_STAGES if name in answer.stages), 0.0
    )


def _stage_figures(usage: Usage, answers: int) -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost": round(usage.cost, 6),
        "ms": round(usage.milliseconds, 1),
        "ms_per_answer": _per(usage.milliseconds, answers),
    }


def _per(value: float, count: int) -> float | None:
    return round(value / count, 3) if count else None


# Tokens around a turn in the data; output tokens for a turn, a plan, an answer, a verdict, a shortened answer.
_OVERHEAD_TOKENS: Final = 30
_OF_A_TURN: Final = 150
_OF_A_PLAN: Final = 120
_OF_AN_ANSWER: Final = 120
_OF_A_VERDICT: Final = 25
_OF_WORDS: Final = 15
# For summaries, names, profiles and verdicts: turns per call, times that each turn is shown, and output tokens per
# call, as measured on the example conversation.
_TURNS_OF_A_CALL: Final = 80
_TEXT_REPEATS: Final = 4
_OF_TEXTS: Final = 4_000
# Answers for each one that is long enough to be shortened.
_LONG: Final = 4
# Turns of a session that are read at once.
_AT_ONCE: Final = 40


def estimate(
    conversations: Sequence[Conversation],
    *,
    analyst: str,
    judge: str | None,
    repeats: int,
    tokens: int,
    recipe: str,
) -> dict[str, Any]:
    """Estimate calls, tokens and, where prices are known, money, by stage and in total.

    Raises:
        UnknownName: no such analyst, judge or recipe.
    """
    questions = [question for conversation in conversations for question in conversation.questions]
    stages: dict[str, dict[str, Any]] = {}
    if analyst.partition(":")[0] != "verbatim":
        stages |= _forming(conversations, analyst, recipe)
        question_tokens = sum(count_tokens(question.text) + _OVERHEAD_TOKENS for question in questions)
        stages["plan"] = _stage(analyst, "plan", len(questions), question_tokens, _OF_A_PLAN)
        input_tokens = (question_tokens + tokens * len(questions)) * repeats
        stages["answer"] = _stage(analyst, "answer", len(questions) * repeats, input_tokens, _OF_AN_ANSWER)
    if judge is not None:
        answers = sum(not question.unanswerable for question in questions) * repeats
        gold = (
            sum(
                count_tokens(f"{question.text} {question.answer}")
                for question in questions
                if not question.unanswerable
            )
            * repeats
        )
        data = gold + answers * (_OVERHEAD_TOKENS + _OF_WORDS)
        stages[JUDGE] = _stage(judge, "judge_answer", answers, data, _OF_A_VERDICT)
        stages[SIMPLIFY] = _stage(judge, "simplify_answer", ceil(answers / _LONG), data / _LONG, _OF_WORDS)
    return {"questions": len(questions), "repeats": repeats, "stages": stages, **_total(stages)}


def _forming(conversations: Sequence[Conversation], analyst: str, recipe: str) -> dict[str, dict[str, Any]]:
    calls = turns = token_count = 0
    for conversation in conversations:
        with Memory(":memory:", recipe=recipe) as memory:
            memory.add(conversation.messages)
            stored_turns = memory.list(limit=10**9)
            lengths = [count_tokens(f"{turn.speaker} {turn.content}") + _OVERHEAD_TOKENS for turn in stored_turns]
            calls += sum(ceil(count / _AT_ONCE) for count in Counter(turn.session for turn in stored_turns).values())
        turns += len(lengths)
        token_count += sum(lengths)
    read = _stage(analyst, "read_turns", calls, token_count, _OF_A_TURN * turns / max(calls, 1))
    write = _stage(analyst, "write_texts", ceil(turns / _TURNS_OF_A_CALL), token_count * _TEXT_REPEATS, _OF_TEXTS)
    return {f"{FORMATION}: read": read, f"{FORMATION}: write": write}


def _stage(model: str, task: str, calls: int, data: float, reply_tokens: float) -> dict[str, Any]:
    """Return calls, tokens and cost of a task: ``data`` input tokens in all, ``reply_tokens`` per call."""
    client = examiner(model)
    input_tokens, output_tokens = round(data + calls * client.overhead(task)), round(reply_tokens * calls)
    return {
        "calls": calls,
        "input_tokens": input_tokens,
        "output_tokens": output_tokens,
        "cost": client.cost(input_tokens, output_tokens),
    }


def _total(stages: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sum of all stages; the cost is None if that of one is unknown."""
    costs = [stage["cost"] for stage in stages.values()]
    return {
        **{name: sum(stage[name] for stage in stages.values()) for name in ("calls", "input_tokens", "output_tokens")},
        "cost": None if not costs or None in costs else round(sum(costs), 4),
    }
