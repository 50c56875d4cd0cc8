"""A memory in Postgres is the same memory: its answers, its erasure, and its neighbours in the database."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.formation import example, formed
from tests.postgres import Postgres

from hmem import Memory
from hmem.errors import MemoryNotFound
from hmem.storage.catalog import open_catalog

QUESTIONS = ("Where does Maria live?", "Who adopted a dog?", "What did they do in spring?", "Who is Maria's sister?")
AT = "2025-11-30T12:00:00Z"
SAID = "My zebrafish Quillon eats plankton from Vladivostok"
WORDS = ("quillon", "zebrafish", "vladivostok")


def answers(memory: Memory, question: str) -> dict[str, Any]:
    """All that a memory answers to a question, without its ids."""
    answer = memory.ask(question, at=AT)
    return {
        "search": [(each.text, each.score, each.relevance) for each in memory.search(question, k=20, at=AT)],
        "context": memory.context(question, at=AT).text,
        "ask": (answer.text, [each.text for each in answer.evidence]),
    }


def test_postgres_answers_as_sqlite_does_score_for_score(path: Path, postgres: Postgres) -> None:
    with Memory(path) as one, Memory(postgres.location()) as other:
        for memory in (one, other):
            memory.add(example())
        for question in QUESTIONS:
            assert answers(other, question) == answers(one, question)
        assert formed(other) == formed(one)
        assert [note.text for note in other.notes(limit=1000)] == [note.text for note in one.notes(limit=1000)]
        assert other.verify().problems == ()


def test_it_answers_the_same_after_opening_again(postgres: Postgres, tmp_path: Path) -> None:
    location = postgres.location()
    with Memory(location) as memory:
        memory.add(example(120))
        before = [(each.id, each.score) for each in memory.search(QUESTIONS[1], at=AT)]
    with Memory(location) as memory:
        assert [(each.id, each.score) for each in memory.search(QUESTIONS[1], at=AT)] == before
    assert [*tmp_path.iterdir()] == []


def test_what_is_forgotten_is_in_no_row(postgres: Postgres) -> None:
    name = "forgetful"
    with Memory(postgres.location(name)) as memory:
        memory.add(example(60))
        kept = memory.add(SAID, speaker="Nadja", session="hideout")
        memory.search("What does Quillon eat?")
        memory.consolidate(texts=5)
        assert rows_with(postgres, name, WORDS)
        report = memory.forget(kept.id)
        assert report.turns == 1
        assert memory.verify().problems == ()
    assert rows_with(postgres, name, WORDS) == []


def rows_with(postgres: Postgres, name: str, words: tuple[str, ...]) -> list[str]:
    """The tables in which a memory has a word, in letters or in bytes, read by nothing of ours."""
    with psycopg.connect(postgres.admin()) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'hmem' AND column_name = 'memory'"
        ).fetchall()
        found: list[str] = []
        for (table,) in tables:
            for row in connection.execute(f"SELECT * FROM hmem.{table} WHERE memory = %s", (name,)):  # type: ignore[arg-type]
                data = b" ".join(bytes_of(value) for value in row).lower()
                found += [f"{table}: {word}" for word in words if word.encode() in data]
    return found


def bytes_of(value: Any) -> bytes:
    if isinstance(value, list):
        return b" ".join(bytes_of(each) for each in value)
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()


def test_a_memory_sees_nothing_of_its_neighbours(postgres: Postgres) -> None:
    with Memory(postgres.location("one")) as one, Memory(postgres.location("other")) as other:
        one.add(SAID)
        other.add("I adopted a puppy")
        assert [each.text for each in other.search("What does Quillon eat?")] == ["I adopted a puppy"]
        assert other.stats().turns == one.stats().turns == 1


def test_a_memory_that_was_dropped_is_not_found_by_those_who_have_it_open(postgres: Postgres) -> None:
    catalog = open_catalog(postgres.url())
    with Memory(postgres.location("dropped")) as memory:
        memory.add("I adopted a puppy")
        catalog.drop("dropped")
        with pytest.raises(MemoryNotFound):
            memory.add("I adopted a kitten")
        with pytest.raises(MemoryNotFound):
            memory.search("Who adopted a kitten?")
        with Memory(postgres.location("dropped")) as anew:
            assert anew.stats().turns == 0
            with pytest.raises(MemoryNotFound, match="replaced"):
                memory.add("I adopted a kitten")
    catalog.close()


def test_a_location_names_a_memory_and_shows_no_password(postgres: Postgres) -> None:
    with Memory(postgres.location("shown").replace("hmem_app@", "hmem_app:puppy@")) as memory:
        assert "puppy" not in memory.stats().path + repr(memory)
        assert "memory=shown" in memory.stats().path
