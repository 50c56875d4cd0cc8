"""Questions that training makes of statements."""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "training"))

from questions import named, question
from treebank import Sentence, Word, text

PAST = "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"


def statement() -> Sentence:
    """Return "She bought a car for him."."""
    rows = [
        ("She", "she", "PRON", "Case=Nom|PronType=Prs", 1, "nsubj"), ("bought", "buy", "VERB", PAST, 1, "ROOT"),
        ("a", "a", "DET", "", 3, "det"), ("car", "car", "NOUN", "Number=Sing", 1, "obj"),
        ("for", "for", "ADP", "", 5, "case"), ("him", "he", "PRON", "Case=Acc", 1, "obl"),
        (".", ".", "PUNCT", "", 1, "punct"),
    ]  # fmt: skip
    return Sentence([Word(*row, space=row[0] not in {"him", "."}) for row in rows])


def made() -> dict[str, Sentence]:
    """Return the questions of many throws of the dice, by text."""
    found = [question(statement(), ["Maria"], random.Random(seed)) for seed in range(300)]
    return {text([one]): one for one in found if one is not None}


def test_a_part_of_a_statement_is_asked_for() -> None:
    assert {
        "What did Maria buy for him?", "Which car did Maria buy for him?", "Who bought a car for him?",
        "Who did Maria buy a car for?", "Did Maria buy a car for him?", "Why did Maria buy a car for him?",
    } <= set(made())  # fmt: skip


def test_a_question_keeps_the_tree() -> None:
    tree = made()["What did Maria buy for him?"].words
    assert [(word.form, word.relation, tree[word.head].form) for word in tree] == [
        ("What", "obj", "buy"), ("did", "aux", "buy"), ("Maria", "nsubj", "buy"), ("buy", "ROOT", "buy"),
        ("for", "case", "him"), ("him", "obl", "buy"), ("?", "punct", "buy"),
    ]  # fmt: skip


def test_a_question_is_no_statement_to_be_turned() -> None:
    asked = statement()
    asked.words[-1] = Word("?", "?", "PUNCT", "", 1, "punct", space=False)
    assert all(question(asked, ["Maria"], random.Random(seed)) is None for seed in range(20))


def test_a_name_stands_where_a_pronoun_was() -> None:
    one = named(statement(), ["Maria"], random.Random(0))
    assert one is not None
    assert text([one]) == "Maria bought a car for him."
    assert named(one, ["Maria"], random.Random(0)) is None
