"""What an evaluation with models would take: counted beforehand, without asking anybody.

Episodes are those into which the rules cut the conversations; tokens are counted with the bundled tokenizer, another
model's differ by some per cent. What a model will say is not known: so many tokens of it are supposed as are usual.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.interfaces.formats.conversations import Conversation
from hmem.language.tokens import count_tokens
from hmem_evals.judge import JUDGE, SIMPLIFY, examiner
from hmem_evals.taken import FORMATION

# Tokens around a turn as data, said of a turn, of a plan, of an answer, by a judge, of an answer made short.
_AROUND: Final = 30
_OF_A_TURN: Final = 150
_OF_A_PLAN: Final = 120
_OF_AN_ANSWER: Final = 120
_OF_A_VERDICT: Final = 25
_OF_WORDS: Final = 15
# Summaries, names, profiles and verdicts: turns for each call that writes them, how often each turn is shown, and what
# is said in a call. As it was on the example conversation.
_TURNS_OF_A_CALL: Final = 80
_SHOWN_AGAIN: Final = 4
_OF_TEXTS: Final = 4_000
# Most answers are short as they are: one of so many is not.
_LONG: Final = 4
# Turns before an episode that are shown with it.
_BEFORE: Final = 6


def estimate(
    conversations: Sequence[Conversation],
    *,
    analyst: str,
    judge: str | None,
    repeats: int,
    tokens: int,
    recipe: str,
) -> dict[str, Any]:
    """Calls, tokens and, where prices are known, money, by stage and in all.

    Raises:
        UnknownName: no such analyst, judge or recipe.
    """
    questions = [question for conversation in conversations for question in conversation.questions]
    stages: dict[str, dict[str, Any]] = {}
    if analyst.partition(":")[0] not in ("rules", "spacy"):
        stages |= _forming(conversations, analyst, recipe)
        asked = sum(count_tokens(question.text) + _AROUND for question in questions)
        stages["plan"] = _stage(analyst, "plan", len(questions), asked, _OF_A_PLAN)
        shown = (asked + tokens * len(questions)) * repeats
        stages["answer"] = _stage(analyst, "answer", len(questions) * repeats, shown, _OF_AN_ANSWER)
    if judge is not None:
        answers = sum(not question.unanswerable for question in questions) * repeats
        gold = sum(count_tokens(f"{each.text} {each.answer}") for each in questions if not each.unanswerable) * repeats
        data = gold + answers * (_AROUND + _OF_WORDS)
        stages[JUDGE] = _stage(judge, "judge_answer", answers, data, _OF_A_VERDICT)
        stages[SIMPLIFY] = _stage(judge, "simplify_answer", ceil(answers / _LONG), data / _LONG, _OF_WORDS)
    return {"questions": len(questions), "repeats": repeats, "stages": stages, **_total(stages)}


def _forming(conversations: Sequence[Conversation], analyst: str, recipe: str) -> dict[str, dict[str, Any]]:
    episodes = turns = said = 0
    for conversation in conversations:
        with Memory(":memory:", recipe=recipe) as memory:
            memory.add(conversation.messages)
            episodes += len(memory.episodes())
            lengths = [count_tokens(f"{turn.speaker} {turn.content}") + _AROUND for turn in memory.list(limit=10**9)]
        turns += len(lengths)
        said += sum(lengths)
    shown = said + ceil(said / max(turns, 1)) * _BEFORE * episodes
    read = _stage(analyst, "read_episode", episodes, shown, _OF_A_TURN * turns / max(episodes, 1))
    write = _stage(analyst, "write_texts", ceil(turns / _TURNS_OF_A_CALL), said * _SHOWN_AGAIN, _OF_TEXTS)
    return {f"{FORMATION}: read": read, f"{FORMATION}: write": write}


def _stage(model: str, task: str, calls: int, data: float, said: float) -> dict[str, Any]:
    """Calls of one task whose data have so many tokens in all, and which say so many each."""
    asked = examiner(model)
    sent, received = round(data + calls * asked.overhead(task)), round(said * calls)
    return {"calls": calls, "input_tokens": sent, "output_tokens": received, "cost": asked.cost(sent, received)}


def _total(stages: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """All stages together; the money is None when that of one is not known."""
    costs = [stage["cost"] for stage in stages.values()]
    return {
        **{name: sum(stage[name] for stage in stages.values()) for name in ("calls", "input_tokens", "output_tokens")},
        "cost": None if not costs or None in costs else round(sum(costs), 4),
    }
