import subprocess
import sys
from pathlib import Path

import pytest

from hmem import Memory

PUPPY = "I adopted a puppy named Coco two weeks ago"
QUOTE = "You told me that you adopted a puppy named Coco two weeks ago."
KEPT = "I have a puppy named Coco, who sleeps on the sofa."
QUESTION = "Which puppy was adopted?"


def adopt(memory: Memory) -> str:
    return memory.add(PUPPY, speaker="Maria", at="2023-08-11T10:00:00Z").id or ""


def quote(memory: Memory) -> list[str]:
    """The turns that a quotation is found to repeat."""
    told = memory.add({"role": "assistant", "content": QUOTE}, at="2023-09-01T10:00:00Z").id or ""
    turn = memory.get(told)
    assert turn.text == QUOTE
    return [source for _, _, source in turn.echoes]


def test_what_was_not_recalled_is_no_echo(memory: Memory) -> None:
    adopt(memory)
    assert quote(memory) == []


@pytest.mark.parametrize("recall", [Memory.search, Memory.context, Memory.ask])
def test_every_way_to_recall_shows(memory: Memory, recall: object) -> None:
    source = adopt(memory)
    recall(memory, QUESTION)  # type: ignore[operator]
    assert quote(memory) == [source]


@pytest.mark.parametrize("kind", ["event", "note"])
def test_what_was_made_of_a_turn_shows_it_too(memory: Memory, kind: str) -> None:
    source = memory.add(KEPT, speaker="Maria", at="2023-08-11T10:00:00Z").id or ""
    found = memory.search("What kind of puppy?", kinds=[kind])
    told = memory.add({"role": "assistant", "content": found[0].text}, at="2023-09-01").id or ""
    assert [each for _, _, each in memory.get(told).echoes] == [source]


@pytest.mark.parametrize("recipe", ["fusion", "flat", "orchestrated"])
def test_what_another_process_recalled_is_known(path: Path, recipe: str) -> None:
    with Memory(path, recipe=recipe) as memory:
        source = adopt(memory)
        script = f"from hmem import Memory; Memory({str(path)!r}, recipe={recipe!r}).search({QUESTION!r})"
        subprocess.run([sys.executable, "-c", script], check=True)
        assert quote(memory) == [source]
    with Memory(path, recipe=recipe) as memory:
        assert quote(memory) == [source]


def test_a_deleted_turn_is_not_repeated(path: Path) -> None:
    with Memory(path) as memory, Memory(path) as other:
        source = adopt(memory)
        assert memory.search(QUESTION)
        other.delete(source)
        assert quote(memory) == []
        source = adopt(memory)
        assert memory.search(QUESTION)
        memory.delete(source)
        assert quote(memory) == []


def test_the_turns_of_one_batch_are_looked_at_each(memory: Memory) -> None:
    source = adopt(memory)
    memory.search(QUESTION)
    receipts = memory.add(
        [{"role": "user", "content": "What do you know?"}, {"role": "assistant", "content": QUOTE}], at="2023-09-01"
    )
    assert [memory.get(receipt.id or "").echoes for receipt in receipts] == [(), ((0, len(QUOTE), source),)]


def test_the_mechanism_can_be_left_out(path: Path) -> None:
    with Memory(path, settings={"formation.echo": "false"}) as memory:
        adopt(memory)
        memory.search(QUESTION)
        assert quote(memory) == []


def test_evidence_says_what_it_repeats(memory: Memory) -> None:
    source = adopt(memory)
    memory.search(QUESTION)
    quote(memory)
    [evidence] = [item for item in memory.search(QUESTION) if item.speaker == "assistant"]
    assert evidence.why.echoes == (source,)
    assert str(evidence.why).endswith(f"; repeats {source}")
