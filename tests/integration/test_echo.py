"""What was recalled and quoted back is no new evidence."""

from pathlib import Path

import pytest
from tests.formation import FormedExample, example, formed

from hmem import Memory

QUESTIONS = (
    "When did Maria adopt Coco?",
    "Where does somebody work?",
    "What did they plan for the summer?",
    "Who likes music?",
)


def known(memory: Memory) -> dict[str, int]:
    stats = memory.stats()
    return {"events": stats.events, "notes": stats.notes, "entities": stats.entities}


def said(memory: Memory, text: str, *, role: str = "assistant", i: int = 0) -> str:
    message = {"role": role, "content": text}
    return memory.add(message, at=f"2030-01-01T10:{i // 60:02d}:{i % 60:02d}Z", session=f"late {i}").id or ""


@pytest.mark.example(30)
@pytest.mark.parametrize(("role", "lead", "rounds"), [("assistant", "", 100), ("assistant", "As you told me, ", 25)])
def test_a_hundred_rounds_of_recalling_and_quoting_add_nothing(
    memory: Memory, role: str, lead: str, rounds: int
) -> None:
    before = known(memory)
    for i in range(rounds):
        found = memory.search(QUESTIONS[i % len(QUESTIONS)], k=5)
        said(memory, lead + found[i % len(found)].text, role=role, i=i)
    assert known(memory) == before
    assert memory.stats().turns == 30 + rounds
    assert memory.verify().ok


@pytest.mark.example(30)
def test_a_hundred_pasted_contexts_add_nothing(memory: Memory) -> None:
    before, pasted = known(memory), 0
    for i in range(100):
        if text := memory.context(QUESTIONS[i % len(QUESTIONS)], 300).text:
            said(memory, f"{text}\n", role="user", i=i)
            pasted += 1
    # A context is empty where nothing is near enough to the question.
    assert pasted > 20
    assert known(memory) == before


def test_without_the_mechanism_they_add_up() -> None:
    with Memory(":memory:", settings={"formation.echo": "false"}) as memory:
        memory.add(example(60))
        before = known(memory)
        for i in range(10):
            said(memory, memory.search(QUESTIONS[i % len(QUESTIONS)], k=5)[0].text, role="user", i=i)
        assert known(memory)["events"] > before["events"]


def test_a_context_that_another_process_wrote_is_recognised(path: Path) -> None:
    with Memory(path) as memory, Memory(":memory:") as elsewhere:
        elsewhere.add(example(40))
        text = f"Use this:\n{elsewhere.context(QUESTIONS[0], 300)}\nI have moved to Lisbon in March."
        turn = memory.get(said(memory, text, role="user"))
        assert turn.text == text
        assert [event.text for event in memory.events() if "Lisbon" in event.text]
        assert len(memory.events()) == 1


def test_a_new_fact_beside_a_quotation_is_learned(memory: Memory) -> None:
    memory.add("I adopted a puppy named Coco two weeks ago", speaker="Maria", at="2023-08-11")
    memory.search("Which puppy?")
    before = {note.text for note in memory.notes()}
    text = "As Maria told me, she adopted a puppy named Coco two weeks ago. I live in Bergen now."
    told = memory.add(text, speaker="Ben", at="2023-09-01").id
    news = [note for note in memory.notes() if note.text not in before]
    assert news
    assert all("Bergen" in note.text and "Coco" not in note.text for note in news)
    assert [event.sources[-1] for event in memory.events()][1:] == [told]


def test_who_says_the_same_again_reinforces_it(memory: Memory) -> None:
    text = "I adopted a puppy named Coco two weeks ago"
    memory.add(text, speaker="Maria", at="2023-08-11", session="a")
    memory.search("Which puppy?")
    memory.add(text, speaker="Maria", at="2023-08-12", session="b")
    assert len(memory.events()) == 2
    [week] = memory.tree("evolution").children
    assert week.node.size == 2


def test_an_echo_is_not_memorable(memory: Memory) -> None:
    memory.add("I adopted a puppy named Coco two weeks ago", speaker="Maria", at="2023-08-11")
    memory.search("Which puppy?")
    said(memory, "You adopted a puppy named Coco two weeks ago!")
    assert [judgement.memorable for judgement in formed(memory)["judgements"].values()] == [True, False]
    assert len(memory.tree("calendar").children) == 1
    assert [turn.text for turn in memory.list()][-1] == "You adopted a puppy named Coco two weeks ago!"


def test_echoes_are_formed_alike_however_they_come(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, 30)
    with Memory(path) as memory:
        for i in range(8):
            found = memory.search(QUESTIONS[i % len(QUESTIONS)], k=3)
            said(memory, f"As you told me, {found[0].text} The weather in Oslo is fine on day {i}.", i=i)
        before = formed(memory)
        memory.rebuild()
        assert formed(memory) == before
    with Memory(path) as memory:
        memory.add("And I have sold my bicycle to Ben", speaker="Maria", session="late 7", at="2030-02-01")
        after = formed(memory)
        memory.rebuild()
        assert formed(memory) == after
