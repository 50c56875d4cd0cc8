"""Names by spaCy, behind the same method."""

from datetime import UTC, datetime

import pytest

from hmem.errors import ExtraMissing, UnknownName
from hmem.language.analyst.base import Passage
from hmem.language.analyst.spacy import SpacyAnalyst, entities_with, load
from hmem.model.turn import Turn


def test_a_model_that_is_not_installed_is_named_in_the_error() -> None:
    with pytest.raises((UnknownName, ExtraMissing), match=r"no-such-model|hmem\[spacy\]"):
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


def test_a_memory_can_be_formed_with_the_names_of_spacy() -> None:
    spacy = pytest.importorskip("spacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "GPE", "pattern": "quadrille"}])
    analyst = SpacyAnalyst(nlp, "blank")
    given = Turn(
        id="t", speaker="Ana", text="i live in quadrille now", at=datetime(2025, 1, 1, tzinfo=UTC), session="s"
    )
    assert analyst.made_by.endswith("+spacy:blank")
    assert [naming.surface for naming in analyst.entities([Passage((given,))])[0][0].namings] == ["quadrille"]
    assert analyst.curate([Passage((given,))])[0][0].memorable
