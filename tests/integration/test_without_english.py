"""A memory without a language package stores, forms and finds; dates and slots are not read."""

from datetime import UTC, datetime
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem.language import plugins
from hmem.language.analyst import analyst
from hmem.language.languages import LanguageRules, language_rules

SAID = datetime(2026, 5, 20, 10, tzinfo=UTC)


@pytest.fixture
def without_english(monkeypatch: pytest.MonkeyPatch) -> Any:
    def found(**which: str) -> list[EntryPoint]:
        return [each for each in entry_points(**which) if each.group != "hmem.languages"]

    monkeypatch.setattr(plugins, "entry_points", found)
    language_rules.cache_clear()
    yield
    language_rules.cache_clear()


@pytest.mark.usefixtures("without_english")
def test_a_memory_without_a_language_package_finds_what_was_said(tmp_path: Path) -> None:
    assert type(language_rules()) is LanguageRules
    texts = (
        "My allergy is peanuts, and I live in Tarragona since last Friday.",
        "I adopted a tortoise called Bertil from the shelter yesterday.",
        "My allergy is peanuts? You told me that I live in Tarragona since last Friday.",
    )
    with Memory(tmp_path / "me.hmem") as memory:
        memory.add([{"speaker": "Ines", "text": text, "at": SAID} for text in texts])
        found = memory.search("Which tortoise did I adopt last week?", k=1)
        assert found.evidence[0].content == texts[1]
        notes = memory.notes()
        assert notes
        assert {note.slot for note in notes} == {"thread"}
        assert memory.context("Where does Ines live?").text
        assert memory.ask("Where does Ines live?").text
    lexicon = analyst("verbatim").lexicon
    assert lexicon.find_dates(texts[1], SAID) == ()
    assert [piece.text for piece in lexicon.split("One. Two.")] == ["One.", "Two."]
