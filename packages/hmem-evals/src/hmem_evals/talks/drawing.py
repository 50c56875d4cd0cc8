"""Draw the questions that readers answer: ``python -m hmem_evals.talks.drawing`` writes ``data/drawn.json``."""

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Final

from hmem_evals.conversations import Conversation, read_json
from hmem_evals.talks import DATA, load

SEED: Final = 20261128
QUESTION_COUNT: Final = 20
FILE: Final = DATA / "drawn.json"


def draw(
    conversations: Sequence[Conversation], *, count: int = QUESTION_COUNT, seed: int = SEED
) -> dict[str, list[str]]:
    """Draw ids of questions of each conversation: one of each kind that it has, then any, in the file's order."""
    ids: dict[str, list[str]] = {}
    for conversation in conversations:
        shuffled = list(conversation.questions)
        Random(f"{seed}:{conversation.id}").shuffle(shuffled)  # noqa: S311
        first = {question.category: question for question in reversed(shuffled)}
        kinds = [question for question in shuffled if first[question.category] is question]
        remaining = [question for question in shuffled if first[question.category] is not question]
        selected = {question.id for question in (kinds + remaining)[:count]}
        ids[conversation.id] = [question.id for question in conversation.questions if question.id in selected]
    return ids


def drawn_ids() -> frozenset[str]:
    """Return the ids of the questions in the committed draw."""
    return frozenset(question for ids in read_json(FILE)["questions"].values() for question in ids)


def main(file: Path = FILE) -> None:
    """Write the draw of all conversations."""
    content = {"seed": SEED, "each": QUESTION_COUNT, "questions": draw(load())}
    file.write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
