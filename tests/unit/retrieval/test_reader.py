from collections.abc import Iterator

import pytest

from hmem import Memory
from hmem.language.tokens import count_tokens

STEPS = " ".join(
    f"Step {place}: mix developer {place} with water at {20 + place} degrees and wait {place} minutes."
    for place in range(1, 40)
)


@pytest.fixture
def layered() -> Iterator[Memory]:
    with Memory(":memory:", recipe="layered") as memory:
        memory.add("I am allergic to peanuts.", speaker="Maria", at="2025-01-05T10:00:00Z")
        memory.add("I adopted a puppy named Coco.", speaker="Maria", at="2025-02-05T10:00:00Z")
        memory.add("I work as a nurse.", speaker="Dora", at="2025-02-06T10:00:00Z")
        yield memory


def test_a_context_of_layered_begins_with_the_profile_of_who_is_asked_about(layered: Memory) -> None:
    context = layered.context("What did Maria adopt?")
    known, _, turns = context.text.partition("2025")
    assert "peanuts" in known
    assert "nurse" not in known
    assert "Coco" in turns
    persona = layered.persona("Maria")
    assert persona is not None
    assert persona.id in context.citations.values()


def test_a_filtered_question_gets_no_profile(layered: Memory) -> None:
    assert "Known:" not in layered.context("What did Maria adopt?", since="2025-02-01").text


def test_each_turn_of_layered_has_its_strength_as_its_confidence(layered: Memory) -> None:
    # A recall counts as a use, the first one of an hour.
    layered.search("What did Maria adopt?", k=1)
    found = layered.search("What did Maria adopt?", k=1)[0]
    assert found.why.confidence is not None
    assert 0 < found.why.confidence <= 1
    context = layered.context("What did Maria adopt?")
    assert f"{found.text} [confidence {found.why.confidence:.2f}]" in context.text
    layered.feedback(found, "reject")
    (again,) = [item for item in layered.search("What did Maria adopt?", k=5) if item.id == found.id]
    assert again.why.confidence is not None
    assert again.why.confidence < found.why.confidence


def test_another_recipe_tells_no_confidence(memory: Memory) -> None:
    memory.add("I adopted a puppy named Coco.", speaker="Maria")
    assert memory.search("What did Maria adopt?")[0].why.confidence is None
    assert "confidence" not in memory.context("What did Maria adopt?").text


def test_a_long_turn_is_compressed_in_the_context_and_kept_as_it_was_said() -> None:
    with Memory(":memory:", recipe="orchestrated", settings={"context.compressed": "96"}) as memory:
        memory.add("How do I develop film?", speaker="Maria")
        kept = memory.add(STEPS, speaker="Dora")
        context = memory.context("How do I develop film?", tokens=2_000)
        assert kept.id in context.citations.values()
        assert STEPS not in context.text
        assert "Step" in context.text
        assert count_tokens(context.text) < count_tokens(STEPS) / 2
        assert memory.get(kept.id).text == STEPS
        assert memory.search("How do I develop film?")[0].text in (STEPS, "How do I develop film?")


def test_compression_can_be_left_out() -> None:
    with Memory(":memory:", recipe="orchestrated", settings={"context.compressed": "0"}) as memory:
        memory.add(STEPS, speaker="Dora")
        assert STEPS in memory.context("How do I develop film?", tokens=8_000).text
