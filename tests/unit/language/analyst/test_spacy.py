"""The rules over another pipeline of spaCy."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import spacy

import hmem_english
from hmem.errors import UnknownName
from hmem.language.analyst import analyst
from hmem.language.analyst.base import Passage
from hmem.language.analyst.spacy import load
from hmem.language.english import RulesAnalyst
from hmem.model.turn import Turn


def passage(text: str) -> Passage:
    return Passage((Turn(id="t", speaker="Ana", text=text, at=datetime(2025, 1, 1, tzinfo=UTC), session="s"),))


def test_a_pipeline_that_is_not_installed_is_named_in_the_error() -> None:
    with pytest.raises(UnknownName, match="no-such-model"):
        load("no-such-model")


def test_a_pipeline_must_be_named() -> None:
    with pytest.raises(UnknownName, match="spacy:MODEL"):
        analyst("spacy")


def test_a_pipeline_with_other_labels_is_refused(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    labelled = nlp.add_pipe("parser")
    for label in ("nsubj", "dobj", "prep", "pobj"):
        labelled.add_label(label)
    nlp.initialize()
    nlp.to_disk(tmp_path / "clear")
    with pytest.raises(UnknownName, match="Universal Dependencies"):
        load(str(tmp_path / "clear"))


def test_the_rules_read_by_another_pipeline_and_say_so(tmp_path: Path) -> None:
    hmem_english.load().to_disk(tmp_path / "own")
    found, rules = load(str(tmp_path / "own")), RulesAnalyst()
    told = passage("I moved to Lisbon with my husband Pedro.")
    assert found.events([told]) == rules.events([told])
    assert found.entities([told]) == rules.entities([told])
    assert found.made_by.startswith(f"{rules.made_by}+spacy:")
    assert "0.1.0" in found.made_by
