"""Evidence that recipes find in our own conversations: among ten turns, and in contexts of several sizes."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.recipes import recipe as load_recipe
from hmem_evals.asking import gold_of, share_in
from hmem_evals.conversations import Conversation
from hmem_evals.metrics import mean, recall
from hmem_evals.run import Progress
from hmem_evals.talks import KINDS

K: Final = 10
TOKENS: Final = (600, 1_272, 4_000)


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """Share of a question's evidence among the first ten turns and, by its tokens, in each context, 0 to 1."""

    kind: str
    found: float
    in_context: dict[int, float] = field(default_factory=dict[int, float])


def measure(
    conversations: Sequence[Conversation],
    recipes: Sequence[str],
    *,
    embedder: str | None = None,
    without: Collection[str] = (),
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return, as JSON, the evidence that each recipe finds of all questions that have some.

    Questions with an id in ``without`` are left out. An implicit cue is given as it is said. ``progress`` gets the
    number of questions asked over all recipes and the total.

    Raises:
        UnknownName: no such recipe or embedder.
    """
    for name in recipes:
        load_recipe(name)
    conversations = [
        replace(each, questions=tuple(question for question in each.questions if question.id not in without))
        for each in conversations
    ]
    found: dict[str, list[EvidenceFound]] = {name: [] for name in recipes}
    asked = sum(bool(question.evidence) for conversation in conversations for question in conversation.questions)
    done, total = 0, asked * len(found)
    for conversation in conversations:
        for name, outcomes in found.items():
            for outcome in _outcomes(conversation, name, embedder):
                outcomes.append(outcome)
                done += 1
                if progress is not None:
                    progress(done, total)
    return {
        "dataset": "talks",
        "conversations": [conversation.id for conversation in conversations],
        "k": K,
        "tokens": list(TOKENS),
        "rows": [{"recipe": name, **_figures(outcomes)} for name, outcomes in found.items()],
    }


def _outcomes(conversation: Conversation, recipe: str, embedder: str | None) -> Iterator[EvidenceFound]:
    with (
        TemporaryDirectory(prefix="hmem-talks-") as folder,
        Memory(f"{folder}/memory.hmem", recipe=recipe, embedder=embedder) as memory,
    ):
        memory.add(conversation.messages)
        memory.flush()
        for question, gold in zip(conversation.questions, gold_of(conversation), strict=True):
            if not gold.evidence:
                continue
            turns = memory.search(question.text, K, at=question.at, min_score=0.0)
            ranked = [turn.message_id for turn in turns if turn.message_id is not None]
            contexts = {tokens: memory.context(question.text, tokens, at=question.at).text for tokens in TOKENS}
            shares = {tokens: share_in(text, gold.texts) or 0.0 for tokens, text in contexts.items()}
            yield EvidenceFound(question.category, recall(ranked, gold.evidence, K), shares)


def _figures(outcomes: Sequence[EvidenceFound]) -> dict[str, Any]:
    kinds = {kind: [outcome for outcome in outcomes if outcome.kind == kind] for kind in KINDS}
    return {**_means(outcomes), "by_kind": {kind: _means(chosen) for kind, chosen in kinds.items() if chosen}}


def _means(outcomes: Sequence[EvidenceFound]) -> dict[str, Any]:
    return {
        "questions": len(outcomes),
        "recall": _rounded(mean(outcome.found for outcome in outcomes)),
        "in_context": {
            str(tokens): _rounded(mean(outcome.in_context[tokens] for outcome in outcomes)) for tokens in TOKENS
        },
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
