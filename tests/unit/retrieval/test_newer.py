"""What is newer comes along, and the older line says so."""

from collections.abc import Generator
from datetime import UTC, datetime

import pytest

from hmem import Memory

SAID = [
    ("Maria", "user", "I take the number 12 tram to the hospital every morning."),
    ("Ben", "user", "My sister bakes sourdough for the whole street."),
    ("assistant", "assistant", "The number 12 tram to the hospital runs every ten minutes in the morning."),
    ("Maria", "user", "They closed the number 12 tram, so I cycle to the hospital every morning."),
    ("Ben", "user", "We watched a film about penguins."),
]
QUESTIONS = (
    "Which tram does Maria take?",
    "How does Maria get to the hospital?",
    "How does Maria travel in the morning?",
)


@pytest.fixture
def memory() -> Generator[Memory]:
    with Memory(":memory:", embedder="minilm") as made:
        for day, (speaker, role, text) in enumerate(SAID, 1):
            at = f"2026-03-{day:02}T10:00:00Z"
            made.add([{"text": text, "speaker": speaker, "role": role, "at": at, "session": f"s{day}"}])
        made.flush()
        yield made


def line_of(text: str, words: str) -> str:
    return next(line for line in text.splitlines() if words in line)


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_older_line_says_so_whatever_words_the_question_uses(memory: Memory, question: str) -> None:
    context = memory.context(question, 600)
    assert line_of(context.text, "I take the number 12").endswith("[newer]")
    assert "so I cycle" in context.text


def test_what_an_assistant_said_outdates_nothing(memory: Memory) -> None:
    older, _, assistant, newer, _ = memory.list(limit=10)
    found = {item.id: item.why.outdated for item in memory.search(QUESTIONS[0], k=5, min_score=0)}
    assert found[older.id] is not None
    assert found[older.id].by == newer.id != assistant.id
    assert found[older.id].since == datetime(2026, 3, 4, 10, tzinfo=UTC)


def test_what_is_newest_is_not_marked(memory: Memory) -> None:
    text = memory.context(QUESTIONS[0], 600).text
    assert "[newer" not in line_of(text, "so I cycle")
    assert "[newer" not in line_of(text, "sourdough")


def test_what_another_person_says_marks_nothing() -> None:
    with Memory(":memory:", embedder="minilm") as memory:
        memory.add(SAID[0][2], speaker="Maria", at="2026-03-01T10:00:00Z")
        memory.add(
            "They closed the number 12 tram, so Maria cycles to the hospital every morning.",
            speaker="Mallory",
            at="2026-03-04T10:00:00Z",
        )
        memory.flush()
        context = memory.context(QUESTIONS[0], 600)
    assert "[newer" not in context.text
    assert "Mallory: They closed" in context.text


def test_a_search_has_no_more_than_is_asked_for_and_keeps_its_order(memory: Memory) -> None:
    found = memory.search(QUESTIONS[0], k=2, min_score=0)
    assert len(found) == 2
    assert [item.score for item in found] == sorted((item.score for item in found), reverse=True)


def test_what_the_filter_leaves_out_is_not_told_of(memory: Memory) -> None:
    memory.search(QUESTIONS[0], k=5, min_score=0)
    found = memory.search(QUESTIONS[0], k=5, min_score=0, until="2026-03-03")
    assert all(item.why.outdated is None for item in found)
