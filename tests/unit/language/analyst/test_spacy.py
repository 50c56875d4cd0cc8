"""Names by spaCy, behind the same method."""

from datetime import UTC, datetime

import pytest

from hmem.errors import UnknownName
from hmem.language.analyst.base import Passage
from hmem.language.analyst.spacy import entities_with, load
from hmem.model.turn import Turn


def test_a_model_that_is_not_installed_is_named_in_the_error() -> None:
    with pytest.raises(UnknownName, match="no-such-model"):
        load("no-such-model")


def test_names_of_spacy_come_with_those_that_only_the_rules_find() -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns(
        [{"label": "GPE", "pattern": "Quadrille"}, {"label": "CARDINAL", "pattern": "two"}]
    )
    text = "I moved to Quadrille with my husband Pedro and two dogs."
    given = Turn(id="turn", speaker="Ana", text=text, at=datetime(2025, 1, 1, tzinfo=UTC), session="s1")
    [extraction] = entities_with(nlp)(Passage((given,)))
    assert [(naming.surface, naming.type) for naming in extraction.namings] == [
        ("Quadrille", "location"),
        ("Pedro", "person"),
    ]
    assert ("Ana", "lives_in", "Quadrille") in {(tie.source, tie.label, tie.target) for tie in extraction.ties}
