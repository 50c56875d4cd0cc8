from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.models import Derived, open_with

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


def test_a_long_turn_that_does_not_fit_is_cut_to_what_is_asked_and_kept_as_it_was_said() -> None:
    with Memory(":memory:", recipe="orchestrated", settings={"context.compressed": "96"}) as memory:
        memory.add("How do I develop film?", speaker="Maria")
        kept = memory.add(STEPS, speaker="Dora")
        assert STEPS in memory.context("How do I develop film?", tokens=2_000).text
        context = memory.context("At how many degrees is step 17?", tokens=300)
        assert kept.id in context.citations.values()
        assert STEPS not in context.text
        assert "Step 17: mix developer 17 with water at 37 degrees and wait 17 minutes." in context.text
        assert count_tokens(context.text) < count_tokens(STEPS) / 2
        assert memory.get(kept.id).text == STEPS
        assert memory.search("How do I develop film?")[0].text in (STEPS, "How do I develop film?")


def test_compression_can_be_left_out() -> None:
    with Memory(":memory:", recipe="orchestrated", settings={"context.compressed": "0"}) as memory:
        memory.add(STEPS, speaker="Dora")
        assert STEPS in memory.context("How do I develop film?", tokens=8_000).text


def test_what_a_model_compressed_stands_with_the_sentences_that_match() -> None:
    with open_with(":memory:", Derived(), recipe="orchestrated", settings={"context.compressed": "96"}) as memory:
        memory.add(STEPS, speaker="Dora")
        memory.model.run_jobs()
        text = memory.context("At how many degrees is step 17?", tokens=300).text
        assert "Step 1: mix developer 1 with water at 21 degrees" in text
        assert "Step 17: mix developer 17 with water at 37 degrees" in text
        assert "[rest: The rest of 39 lines.]" in text


SAID = (
    "I adopted a puppy named Coco from the shelter on Friday.",
    "The fence in the yard needs paint before winter.",
    "My sister Ana starts as a nurse at the clinic in May.",
)


def tell(memory: Memory) -> None:
    for month in range(1, 5):
        memory.add(
            [{"text": text, "speaker": "Maria", "at": f"2025-0{month}-05", "session": str(month)} for text in SAID]
        )
    memory.flush()


def form(memory: Memory) -> None:
    memory.model.run_jobs(drain=True)
    memory.consolidate()
    memory.model.run_jobs(drain=True)


def test_what_a_model_formed_may_stand_in_a_context_with_its_sources(tmp_path: Path) -> None:
    with open_with(tmp_path / "memory.hmem", Derived(), settings={"context.formed_share": "0.5"}) as memory:
        tell(memory)
        form(memory)
        turns = {turn.id for turn in memory.list(limit=20)}
        context = memory.context("What is Maria like?", 600)
        formed = [item for item in context.evidence if item.kind != "turn"]
        persona = memory.persona("Maria")
        assert persona is not None
        assert persona.id in {item.id for item in formed}
        assert "(read) Maria" in context.text
        assert all(item.sources and turns.issuperset(item.sources) for item in formed)
        assert all(
            item.kind == "turn" for item in memory.context("What is Maria like?", 600, since="2025-04-01").evidence
        )


def test_without_a_model_there_are_only_turns(tmp_path: Path) -> None:
    with Memory(tmp_path / "memory.hmem", settings={"context.formed_share": "0.5"}) as memory:
        tell(memory)
        assert {item.kind for item in memory.context("What is Maria like?", 600).evidence} == {"turn"}


def test_the_default_has_turns_alone(tmp_path: Path) -> None:
    with open_with(tmp_path / "memory.hmem", Derived()) as memory:
        tell(memory)
        form(memory)
        assert {item.kind for item in memory.context("What is Maria like?", 600).evidence} == {"turn"}
