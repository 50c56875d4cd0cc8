"""Memories formed by older rules: they open, recall, and are formed anew, with the decisions of people about them.

Two are kept as they were made and never edited: one by commit d675a669 (version 0.2.0), one by commit ecb443f.
"""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.models import MODEL, Derived, open_with
from tests.unit.interfaces.cli.conftest import Run, run

from hmem import Memory
from hmem.language.analyst import analyst

__all__ = ["run"]

FIXTURE = Path(__file__).parents[1] / "fixtures" / "older_memory" / "rules.db"
# What the rules wrote, in words that nobody said.
WORDING = ("Maria is allergic", "Maria works as", "Ben hates", "Ben plays", "Maria has a red", "Maria lives in")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(FIXTURE, tmp_path / "memory.db"))


@pytest.fixture(params=[False, True], ids=["opened", "rebuilt"])
def formed(path: Path, request: pytest.FixtureRequest) -> Iterator[Memory]:
    """A memory that was formed anew when it was first read, or by a rebuild."""
    with Memory(path) as memory:
        if request.param:
            memory.rebuild()
        memory.consolidate()
        yield memory


def shown(memory: Memory) -> str:
    """Return what a memory shows of itself."""
    texts = [memory.context(words).text for words in ("What does Ben hate?", "Where does Maria work and live?")]
    answers = [memory.ask(words).text for words in ("What is Maria allergic to?", "What does Ben hate?")]
    formed = [each.text for some in (memory.notes(), memory.events(), memory.personas()) for each in some]
    return "\n".join([*texts, *filter(None, answers), *formed])


def test_nothing_of_older_rules_stands_in_a_memory_that_can_only_be_read(path: Path) -> None:
    with Memory(path, read_only=True) as memory:
        assert not any(words in shown(memory) for words in WORDING)
        assert (memory.notes(), memory.events(), memory.entities()) == ((), (), ())
        assert any("I live in Lisbon." in each.text for each in memory.search("Where does Maria live?", k=3))
        assert not memory.verify().problems


def test_new_turns_of_an_older_memory_are_formed_with_the_old_ones(path: Path) -> None:
    with Memory(path) as memory:
        memory.add("I bought a house in Faro.", speaker="Maria", wait=True)
        assert {"I bought a house in Faro.", "I live in Lisbon."} <= {each.text for each in memory.events()}
        assert memory.stats().formed_by == {PRESENT: memory.stats().turns}


def test_what_older_rules_formed_is_formed_anew_as_people_decided(formed: Memory) -> None:
    assert [maker.partition("/")[0] for maker in formed.stats().formed_by] == ["verbatim"]
    assert not any(words in shown(formed) for words in WORDING)
    verified = formed.verify()
    assert (verified.problems, verified.remarks) == ((), ())
    # Withdrawn sentences do not return; their neighbours stay, and so does what replaces them.
    texts = [each.text for some in (formed.notes(), formed.events(), formed.personas()) for each in some]
    assert not any("cilantro" in text or "nurse" in text for text in texts)
    assert {"My favourite colour is green.", "I work as a surgeon."} <= {each.text for each in formed.events()}
    # A retraction that was undone withdraws nothing.
    assert any("hiking" in each.text for each in formed.events())
    assert formed.conflict_rules()["home"] == "ask"
    persona = formed.persona("Ben")
    assert persona is not None
    assert persona.text.startswith("Ben bakes and has a puppy.")
    assert "Family and home" in str(formed.tree("topic").to_dict())
    assert not any({"Lisbon", "Porto"} <= {each.name, *each.aliases} for each in formed.entities())
    assert not any("555 0199" in text for text in [shown(formed), *(each.text for each in formed.search("phone"))])


def test_a_pin_stays_on_its_sentence(formed: Memory) -> None:
    (pin,) = formed.pins()
    assert pin.after == "I am allergic to peanuts."
    assert "1 I am allergic to peanuts." in formed.context("Hello").text
    formed.unpin(pin.target)
    assert formed.pins() == ()


def test_an_undone_retraction_of_older_times_brings_the_sentence_back(formed: Memory) -> None:
    (change,) = [each for each in formed.history() if each.verb == "correct"]
    formed.undo(change.id)
    assert "I work as a nurse." in [each.text for each in formed.events()]
    formed.rebuild()
    assert "I work as a nurse." in [each.text for each in formed.events()]


def test_decisions_on_notes_as_they_are_stored_now_outlast_other_rules(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"
    with Memory(path) as memory:
        memory.add(["I live in Lisbon.", "My dog is called Rex."], speaker="Maria", wait=True)
        texts = [note.text for note in memory.notes()]
        memory.retract(memory.notes()[0].id, by="Maria")
        memory.corpus.storage.put_settings({"formation.sentences": "0"})
    with Memory(path) as memory:
        memory.rebuild()
        assert [note.text for note in memory.notes()] == texts[1:]


@pytest.mark.parametrize("name", ["rules", "spacy:en_core_web_sm"])
def test_analysts_of_older_memories_open_as_verbatim(path: Path, name: str) -> None:
    with Memory(path, analyst=name) as memory:
        memory.rebuild()
        assert [maker.partition("/")[0] for maker in memory.stats().formed_by] == ["verbatim"]


def test_what_a_model_read_in_the_first_edition_is_formed_anew_without_asking_it(tmp_path: Path) -> None:
    with open_with(tmp_path / "m.hmem", Derived()) as memory:
        memory.add("I live in Faro.", speaker="Maria")
        memory.model.run_jobs()
        assert set(memory.stats().formed_by) == {MODEL}
        memory.corpus.storage.put_settings({"formation.sentences": None, "formation.owners": None})
    with open_with(tmp_path / "m.hmem", Derived()) as memory:
        assert [each.text for each in memory.events()] == ["I live in Faro. (read)"]
        assert memory.stats().formed_by == {MODEL: 1}
        assert not memory.verify().problems


# Of commit ecb443f, whose schema was the first.

EARLIEST = Path(__file__).with_name("memory-ecb443f.sql")
TURNS = 41
PRESENT = analyst("verbatim").made_by
RECALLED = {
    "What is the name of Paul's puppy?": "I adopted a puppy named Waffle yesterday.",
    "When is the wedding?": "The wedding is on 6 September in Sintra.",
    "a brown puppy asleep in a bread basket": "I adopted a puppy named Waffle yesterday.",
    "What is Figo allergic to?": "Yes, Figo came with me. He is allergic to fish, can you believe it?",
}


@pytest.fixture
def earliest(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "earliest.hmem")) as connection:
        connection.executescript(EARLIEST.read_text("utf-8"))
    return tmp_path / "earliest.hmem"


def test_turns_of_the_earliest_schema_are_recalled_and_forgotten(earliest: Path) -> None:
    with Memory(earliest) as memory:
        for question, told in RECALLED.items():
            assert told in [item.text for item in memory.search(question, k=3)]
        memory.add("I adopted a second puppy named Biscuit in August.", speaker="Paul", session="autumn")
        memory.tree("calendar", summaries=True)
        gone = memory.forget(speaker="Paul")
        assert {"waffle", "biscuit", "bakery", "shoe", "pastry"} <= set(gone.words)
        verified = memory.verify(gone.words)
        assert verified.problems == ()
        assert verified.checked["words"] == len(gone.words)
        assert {turn.speaker for turn in memory.list(limit=TURNS)} == {"Ines"}
        assert "Waffle" not in str((memory.events(), memory.notes(), memory.graph(), memory.history()))


def test_a_memory_of_the_earliest_schema_is_formed_anew(earliest: Path, run: Run) -> None:
    assert run("consolidate", "--memory", earliest).code == 0
    with Memory(earliest) as memory:
        assert memory.stats().formed_by == {PRESENT: TURNS}
        assert memory.verify().problems == ()
        assert {each.made_by for each in (*memory.events(), *memory.notes())} == {PRESENT}
        assert memory.search("When is the wedding?", k=1)[0].text == RECALLED["When is the wedding?"]


def test_neither_present_rules_nor_what_a_model_read_are_remarked_on(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.hmem") as memory:
        memory.add("I moved to Sintra in July.", speaker="Ines")
        assert (memory.stats().formed_by, memory.verify().remarks) == ({PRESENT: 1}, ())
    with open_with(tmp_path / "n.hmem", Derived()) as memory:
        memory.add("I moved to Sintra in July.", speaker="Ines")
        memory.model.run_jobs()
        assert memory.stats().formed_by == {MODEL: 1}
    with Memory(tmp_path / "n.hmem", analyst="rules") as memory:
        assert memory.verify().remarks == ()
