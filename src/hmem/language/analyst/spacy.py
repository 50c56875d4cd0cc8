"""Names found by spaCy, with an installed model, in place of the rules' own. An extra.

Names that spaCy misses and the rules find are kept; the rules still read phrases and relations. spaCy is imported only
when a model is named.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final, Protocol

from hmem.errors import ExtraMissing, UnknownName
from hmem.language.analyst.base import Extraction, Naming, Passage
from hmem.language.english.analyst import RulesAnalyst
from hmem.language.english.entities import MOST, entities_by
from hmem.language.english.names import names
from hmem.language.english.readable import english, where_read
from hmem.model.entity import EntityType
from hmem.model.turn import Turn

_MODEL: Final = "en_core_web_sm"

# spaCy's labels (OntoNotes 5); those left out, such as numbers and dates, are not entities.
_TYPES: Final[dict[str, EntityType]] = {
    "PERSON": "person",
    "PER": "person",
    "ORG": "organization",
    "GPE": "location",
    "LOC": "location",
    "FAC": "location",
    "EVENT": "event",
    "PRODUCT": "product",
    "WORK_OF_ART": "work",
    "LAW": "work",
    "LANGUAGE": "other",
    "MISC": "other",
}


class SpacyEntity(Protocol):
    """Part of a spaCy entity that is used here."""

    @property
    def text(self) -> str: ...
    @property
    def label_(self) -> str: ...
    @property
    def start_char(self) -> int: ...
    @property
    def end_char(self) -> int: ...


class SpacyDocument(Protocol):
    """Part of a spaCy document that is used here."""

    @property
    def ents(self) -> Sequence[Any]: ...


def entities_with(nlp: Callable[[str], SpacyDocument]) -> Callable[[Passage], list[Extraction]]:
    """Return the analyst's ``entities`` for one passage, with names found by a spaCy pipeline."""

    def find(turn: Turn, people: frozenset[str]) -> list[Naming]:
        by_rules = names(turn.content, people, len(turn.text), MOST)
        found = _namings(nlp(turn.content).ents)
        missed = [
            one for one in by_rules if not any(one.start < other.end and other.start < one.end for other in found)
        ]
        return sorted([*found, *missed], key=lambda naming: naming.start)[:MOST]

    def entities(passage: Passage) -> list[Extraction]:
        return entities_by(find, passage)

    return entities


class SpacyAnalyst(RulesAnalyst):
    """The rules, with names found by a spaCy pipeline. ``model`` is the pipeline's name."""

    def __init__(self, nlp: Callable[[str], SpacyDocument], model: str) -> None:
        self._model = model
        self._entities = entities_with(nlp)

    @property
    def made_by(self) -> str:
        return f"{super().made_by}+spacy:{self._model}"

    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        return [where_read(passage, self._entities(english(passage)), lambda _: Extraction()) for passage in passages]


def load(variant: str) -> SpacyAnalyst:
    """Return the analyst ``spacy:MODEL``; the small English model if the name is empty.

    Raises:
        ExtraMissing: spaCy is not installed.
        UnknownName: the model is not installed.
    """
    model = variant or _MODEL
    try:
        nlp = import_module("spacy").load(model)
    except ImportError as error:
        raise ExtraMissing("names by spaCy need spaCy - run `pip install 'hmem[spacy]'`") from error
    except OSError as error:
        raise UnknownName(f"spaCy has no model {model!r} here - install it with `python -m spacy download`") from error
    return SpacyAnalyst(nlp, model)


def _namings(found: Sequence[SpacyEntity]) -> list[Naming]:
    return [
        Naming(entity.text, _TYPES[entity.label_], entity.start_char, entity.end_char)
        for entity in found
        if entity.label_ in _TYPES and entity.text.strip()
    ]
