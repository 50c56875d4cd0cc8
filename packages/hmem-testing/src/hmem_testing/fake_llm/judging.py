"""The tasks of evaluation: ``judge_answer`` and ``simplify_answer``."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from hmem.corpus.index.analyzer import stems
from hmem_evals.metrics import token_f1
from hmem_testing.fake_llm.recalling import read_lines
from hmem_testing.fake_llm.wire import Json

Data = Mapping[str, Any]

# An answer that has half of the gold answer's words, or all of those that say something, is right.
_RIGHT: Final = 0.5
# An answer has no time of its own; any will do, so long as it is the same each time.
_SAID: Final = datetime(2025, 1, 1, tzinfo=UTC)
_UNKNOWN: Final = re.compile(
    r"\b(?:not (?:tell|mention|say|know|sure|specif|provide|state|available)\w*"
    r"|no (?:information|mention|answer|evidence)"
    r"|unknown|unanswerable|(?:don't|doesn't|do not|does not|cannot|can't) (?:know|tell|say|answer))",
    re.IGNORECASE,
)


def judge_answer(data: Data) -> Json:
    """Whether an answer says what the gold answer says; of a question that has none, whether it abstains."""
    gold, said = str(data["gold"]), str(data["answer"])
    if data.get("kind") in ("adversarial", "abstention") or not gold.strip():
        correct, why = _UNKNOWN.search(said) is not None, "it abstains or not"
    else:
        wanted = set(stems(gold))
        correct = token_f1(said, gold) >= _RIGHT or (bool(wanted) and wanted <= set(stems(said)))
        why = "by the words that they share"
    return {"correct": correct, "why": why}


def simplify_answer(data: Data) -> Json:
    """The words of an answer that answer the question; all of it when they cannot be told from the rest."""
    said = str(data["answer"]).strip()
    line = {"n": 1, "text": said, "speaker": None, "when": _SAID.isoformat()}
    text, _, _ = read_lines([str(data["question"])], _SAID, [line])[0] if said else (None, [], 0.0)
    return {"answer": text if text and len(text) < len(said) else said}
