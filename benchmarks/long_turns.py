"""What cutting long turns in contexts brings: `python benchmarks/long_turns.py [--recipes fusion,orchestrated]`.

The questions are those of our own conversations with evidence in a turn of 100 words and more, over the recorded
readings: the share of whole turns of evidence, and of the stems of the answer, that stand in contexts of 600 and 1,272
tokens, without cutting, with cutting, and with a model's recorded compressions.
"""

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from hmem import Memory
from hmem.evolution.compress import LONG_WORDS
from hmem.language.analyzer import stems, words
from hmem_evals import talks
from hmem_evals.asking import gold_of, share_in
from hmem_evals.conversations import Conversation
from hmem_evals.metrics import interval
from hmem_evals.talks.reading import RECORDINGS

CONVERSATIONS = ("letters", "coding", "household")
BUDGETS = (600, 1_272)
CUT = "context.compressed"
TOKENS = "96"


def formed(folder: Path, conversation: Conversation, recipe: str, tokens: str) -> Path:
    """Form a conversation, with its long turns compressed if ``tokens`` is not 0."""
    folder.mkdir()
    options = {"recipe": recipe, "settings": {CUT: tokens}, "analyst": f"recorded:{RECORDINGS / conversation.id}"}
    with Memory(folder / "memory.hmem", **options) as memory:
        memory.add(conversation.messages)
        memory.flush()
        while memory.model.run_jobs().calls:
            pass
    return folder


def shares(folder: Path, conversation: Conversation, recipe: str, tokens: str) -> Iterator[tuple[bool, list[float]]]:
    """Yield of each question if its evidence is long, and the shares in each context: of turns, of the answer."""
    texts = {message["message_id"]: message["text"] for message in conversation.messages}
    with TemporaryDirectory() as apart:
        path = shutil.copytree(folder, Path(apart) / "copy") / "memory.hmem"
        with Memory(path, recipe=recipe, settings={CUT: tokens, "retrieval.record": "false"}) as memory:
            for question, gold in zip(conversation.questions, gold_of(conversation), strict=True):
                if question.unanswerable or not gold.evidence:
                    continue
                long = any(len(words(texts[each])) >= LONG_WORDS for each in question.evidence)
                contexts = [memory.context(question.text, budget, at=question.at).text for budget in BUDGETS]
                answer = set(stems(question.answer))
                of_answer = [len(answer & set(stems(text))) / max(len(answer), 1) for text in contexts]
                of_turns = [share_in(text, gold.texts) or 0.0 for text in contexts]
                yield long, [each for pair in zip(of_turns, of_answer, strict=True) for each in pair]


def measure(recipe: str) -> None:
    """Print the shares of a recipe and the differences to no cutting, with their intervals."""
    names = [f"{what} in {budget:,}" for budget in BUDGETS for what in ("turns", "answer")]
    found: dict[str, list[tuple[bool, list[float]]]] = {"not cut": [], "cut": [], "by a model": []}
    with TemporaryDirectory() as folder:
        for conversation in talks.load(*CONVERSATIONS):
            plain = formed(Path(folder) / f"{conversation.id}-0", conversation, recipe, "0")
            compressed = formed(Path(folder) / f"{conversation.id}-1", conversation, recipe, TOKENS)
            for name, where, tokens in (
                ("not cut", plain, "0"),
                ("cut", plain, TOKENS),
                ("by a model", compressed, TOKENS),
            ):
                found[name] += shares(where, conversation, recipe, tokens)
    for only_long in (True, False):
        base = np.array([values for long, values in found["not cut"] if long or not only_long])
        print(f"{recipe}: {len(base)} questions{' with long evidence' if only_long else ''}")
        for name, outcomes in found.items():
            values = np.array([values for long, values in outcomes if long or not only_long])
            for column, label in enumerate(names):
                pairs = (values - base)[:, column].tolist()
                low, high = interval(pairs)
                mean, change = values[:, column].mean(), np.mean(pairs)
                print(f"  {name:12}{label:16}{mean:.4f}  {change:+.4f} [{low:+.4f}, {high:+.4f}]")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recipes", default="fusion,orchestrated")
    for each in parser.parse_args().recipes.split(","):
        measure(each)
