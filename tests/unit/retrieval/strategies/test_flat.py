from pathlib import Path

import numpy as np
import pytest
from tests.support import chatter

from hmem import Memory
from hmem.recipes import recipe


def test_a_turn_is_found_by_its_words(memory: Memory) -> None:
    memory.add(chatter(200))
    wanted = memory.add("The zeppelin landed on the lawn", speaker="Cleo")
    assert memory.search("Where did the zeppelin land?")[0].id == wanted.id


def test_a_turn_is_found_by_its_meaning(memory: Memory) -> None:
    memory.add(chatter(200))
    wanted = memory.add("We took home a young dog from the animal shelter", speaker="Cleo")
    found = memory.search("adopted puppies", k=5)
    assert wanted.id in [item.id for item in found]


def test_an_answer_is_found_by_the_question_before_it(memory: Memory) -> None:
    memory.add(chatter(200))
    memory.add(
        [
            {"text": "What is your favourite dinosaur?", "speaker": "Anna", "session": "x"},
            {"text": "The one with three horns, by far.", "speaker": "Ben", "session": "x"},
        ]
    )
    found = memory.search("What is Ben's favourite dinosaur?", k=2)
    assert {item.speaker for item in found} == {"Anna", "Ben"}


def test_the_one_whom_the_question_names_goes_before_the_other(memory: Memory) -> None:
    memory.add(
        [
            {"text": "I went sailing with my cousins", "speaker": "Anna", "session": "x"},
            *chatter(100),
            {"text": "I went sailing with my cousins", "speaker": "Ben", "session": "y"},
        ]
    )
    for name in ("Anna", "Ben"):
        assert memory.search(f"Did {name} go sailing?")[0].speaker == name


def test_what_a_user_says_goes_before_what_an_assistant_repeats(memory: Memory) -> None:
    memory.add(chatter(100))
    said = "Sailing on the bay with cousins is a fine way to spend June"
    for speaker, role in (("Iris", "assistant"), ("Nadia", "user")):
        memory.add({"text": said, "speaker": speaker, "role": role, "session": role})
    first, second = memory.search("Where did I go sailing with my cousins?", k=2)
    assert (first.speaker, second.speaker) == ("Nadia", "Iris")
    assert first.why.terms["speaker"].value > 0 > second.why.terms["speaker"].value
    assert "speaker" not in memory.search("Where do cousins go sailing?")[0].why.terms


def test_the_terms_of_a_score_sum_to_it_and_tell_the_words(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add(chatter(100))
        memory.add("Anna keeps a parrot", speaker="Anna")
        for item in memory.search("Does Anna keep a parrot?", k=5):
            assert sum(term.contribution for term in item.why.terms.values()) == pytest.approx(item.score, abs=1e-4)
            assert item.why.strategies == ("flat",)
        best = memory.search("Does Anna have a parrot?")[0]
    assert best.why.words == ("parrot",)
    assert best.why.terms["speaker"].value == 1


@pytest.mark.parametrize("constant", ["flat.weights.speaker", "flat.weights.lexical.turn"])
def test_a_constant_of_the_recipe_can_be_changed(path: Path, constant: str) -> None:
    with Memory(path, recipe="flat", settings={constant: "0"}) as memory:
        memory.add(chatter(50))
        term = constant.removeprefix("flat.weights.")
        assert memory.search("garden Anna")[0].why.terms[term].contribution == 0


def test_scoring_only_the_best_of_each_list_finds_the_same_best(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add(chatter(600))
        memory.flush()
        questions = ["violin market", "Who spoke of the harbour compass?", "Anna thunder pillow lantern"]
        whole = [[item.id for item in memory.search(question, k=3)] for question in questions]
    few = {"flat.exhaustive": "0", "flat.candidates": "40"}
    with Memory(path, recipe="flat", settings=few) as memory:
        part = [[item.id for item in memory.search(question, k=3)] for question in questions]
        trace = memory.search(questions[0], trace=True).trace
    assert trace is not None
    assert trace.candidates["semantic"] == 40
    overlap = np.mean([len(set(one) & set(other)) / 3 for one, other in zip(whole, part, strict=True)])
    assert overlap >= 2 / 3
    assert recipe("flat").retrieval.flat.exhaustive == 2_000
