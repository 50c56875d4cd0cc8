from collections.abc import Iterator

import pytest

from hmem import Memory
from hmem.errors import InvalidQuery
from hmem.model.plan import Plan, SubQuestion

SAID = (
    "I adopted a puppy named Coco from the shelter on Friday.",
    "The fence in the yard needs paint before winter.",
    "My sister Ana starts as a nurse at the clinic in May.",
    "We booked the ferry to Terceira for the second week of June.",
)
FOREIGN = "How does a tokamak confine plasma?"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as made:
        made.add([{"text": text, "speaker": "Maria", "at": "2024-03-05T10:00:00Z"} for text in SAID])
        yield made


def test_what_answers_a_question_is_more_relevant_than_the_rest(memory: Memory) -> None:
    first, *rest = memory.search("What is the name of the puppy from the shelter?")
    assert "Coco" in first.text
    assert first.relevance is not None
    assert all(0 <= (item.relevance or 0) < first.relevance <= 1 for item in rest)


def test_relevance_is_comparable_between_questions(memory: Memory) -> None:
    told, foreign = memory.search("When is the ferry to Terceira?", 1)[0], memory.search(FOREIGN, 1)[0]
    assert told.relevance is not None
    assert foreign.relevance is not None
    assert told.relevance > 5 * foreign.relevance


def test_a_word_that_nobody_said_makes_a_question_less_likely_to_be_answered(memory: Memory) -> None:
    said, unsaid = (memory.search(f"Where is the {what} of Ana?", 1, min_score=0)[0] for what in ("clinic", "trombone"))
    assert (said.relevance or 0) > 3 * (unsaid.relevance or 0) > 0


def test_the_only_turn_of_a_memory_is_relevant_to_its_question() -> None:
    with Memory(":memory:") as memory:
        memory.add(SAID[0], speaker="Maria")
        assert (memory.search("Who is Coco the puppy?")[0].relevance or 0) > 0.5
        assert not memory.context(FOREIGN).text


def test_a_search_leaves_out_what_is_less_relevant_than_asked(memory: Memory) -> None:
    every = memory.search("Who starts as a nurse?")
    least = every[0].relevance
    assert [item.id for item in memory.search("Who starts as a nurse?", min_score=least)] == [every[0].id]
    assert len(memory.search("Who starts as a nurse?", min_score=0)) == len(every) == len(SAID)
    assert not memory.search(FOREIGN, min_score=0.2)


@pytest.mark.parametrize("kind", ["turn", "session", "event", "note"])
def test_every_kind_of_evidence_has_the_relevance_of_its_best_source(memory: Memory, kind: str) -> None:
    found = memory.search("What is the name of the puppy from the shelter?", kinds=(kind,))  # type: ignore[arg-type]
    turns = {item.id: item.relevance for item in memory.search("What is the name of the puppy from the shelter?")}
    assert found
    assert all(item.relevance == max(turns[each] or 0 for each in item.sources) for item in found)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, "0.5", True, float("nan")])
def test_a_least_relevance_that_is_no_chance_is_refused(memory: Memory, wrong: object) -> None:
    with pytest.raises(InvalidQuery, match="give a number from 0 to 1"):
        memory.search("Who starts as a nurse?", min_score=wrong)  # type: ignore[arg-type]


def test_the_relevance_of_a_turn_does_not_depend_on_how_many_are_asked_for(memory: Memory) -> None:
    one, many = memory.search("Where is the fence?", 1)[0], memory.search("Where is the fence?", 4)[0]
    assert one.relevance == many.relevance


def test_a_context_about_nothing_in_the_memory_is_empty_and_says_so(memory: Memory) -> None:
    made = memory.context(FOREIGN)
    assert (made.text, made.tokens, made.evidence) == ("", 0, ())
    assert made.remark == "Nothing in the memory answers this."


def test_a_context_with_evidence_has_no_remark(memory: Memory) -> None:
    made = memory.context("When is the ferry to Terceira?")
    assert "Terceira" in made.text
    assert made.remark == ""


def test_what_is_pinned_stands_in_a_context_about_nothing_in_the_memory(memory: Memory) -> None:
    memory.pin(memory.search("Who starts as a nurse?", 1)[0].id)
    made = memory.context(FOREIGN)
    assert [item.text for item in made.evidence] == [SAID[2]]
    assert made.remark


def test_without_a_floor_a_context_has_whatever_is_nearest() -> None:
    with Memory(":memory:", settings={"context.floor": "0"}) as memory:
        memory.add(SAID[0], speaker="Maria")
        assert memory.context(FOREIGN).evidence


def test_a_context_in_doubt_has_only_the_best_turns() -> None:
    with Memory(":memory:", settings={"context.floor": "1"}) as memory:
        memory.add([{"text": f"The ferry to island {n} was late.", "speaker": "Maria"} for n in range(30)])
        memory.add(SAID[0], speaker="Maria")
        doubtful = memory.context("Where did I adopt the puppy named Coco?", 4_000).evidence
        assert 0.25 <= max(item.relevance or 0 for item in doubtful) < 1
        assert len(doubtful) == 16
        assert SAID[0] in [item.text for item in doubtful]
        assert not memory.context("What colour is the wall?").evidence


def test_turns_of_other_users_do_not_change_the_relevance_of_ones_own(memory: Memory) -> None:
    with Memory(":memory:") as shared:
        shared.add([{"text": text, "speaker": "Maria", "user": "a"} for text in SAID])
        shared.add(
            [{"text": f"The train to stop {n} was late again.", "speaker": "Maria", "user": "b"} for n in range(99)]
        )
        for question in ("Who works in a hospital?", "What colour is the wall?"):
            found = [item.relevance for item in shared.search(question, user="a")]
            assert found == [item.relevance for item in memory.search(question)]


def test_what_is_relevant_to_a_part_is_so_to_the_question(memory: Memory) -> None:
    parts = ("What is the name of the puppy from the shelter?", "Where does Ben work?")
    whole = "Who has what?"
    plan = Plan(whole, tuple(SubQuestion(part) for part in parts))
    recall = memory._components.retrieval.recall
    alone, without, found = (
        recall.search(parts[0], 1, min_score=0.0)[0],
        recall.search(whole, 10, min_score=0.0),
        recall.search(whole, 10, min_score=0.0, plan=plan),
    )
    (before,) = (item.relevance for item in without if item.id == alone.id)
    (after,) = (item.relevance for item in found if item.id == alone.id)
    assert before is not None
    assert after is not None
    assert alone.relevance is not None
    assert before < after == pytest.approx(alone.relevance, abs=1e-3)
