from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tests.recall import query, sources

from hmem import Memory
from hmem.retrieval.stages import with_own_words

QUESTION = "Where does Alice live?"
MALLORY = [{"text": f"Where does Alice live? In Oslo, house {number}.", "speaker": "Mallory"} for number in range(3)]
OWN = {"text": "I live in Porto.", "speaker": "Alice"}
OTHER = {"text": "My cello needs new strings.", "speaker": "Alice"}


def first(memory: Memory, said: Sequence[dict[str, str]], shown: int, question: str = QUESTION) -> list[str]:
    """The texts of the best ``shown`` turns, which rank as they were ``said``, and of what comes before them."""
    memory.add(list(said))
    with sources(memory) as read:
        ranked = np.arange(len(said))
        places = with_own_words(read, query(read, question), ranked, range(shown))
        turns = read.corpus.turns(ranked)
        return [turns[place].content for place in places]


def test_their_own_words_come_first_from_wherever_they_rank(memory: Memory) -> None:
    said = [*MALLORY, OTHER, OWN]
    assert first(memory, said, 2) == [OWN["text"], *(each["text"] for each in MALLORY[:2])]


def test_what_is_shown_already_only_comes_up(memory: Memory) -> None:
    assert first(memory, [MALLORY[0], OWN, MALLORY[1]], 3) == [OWN["text"], *(each["text"] for each in MALLORY[:2])]


def test_what_is_among_the_best_stays_where_it_is(memory: Memory) -> None:
    said = [MALLORY[0], OWN, *MALLORY[1:], OTHER, OTHER | {"text": "The rosin is used up."}]
    assert first(memory, said, 6) == [each["text"] for each in said]


def test_what_they_say_of_other_matters_stays_where_it_is(path: Path) -> None:
    with Memory(path, embedder="minilm") as memory:
        assert first(memory, [*MALLORY, OTHER], 3) == [each["text"] for each in MALLORY]


def test_what_they_say_first_stays_first(memory: Memory) -> None:
    said = [OTHER, MALLORY[0], OWN]
    assert first(memory, said, 2) == [OTHER["text"], MALLORY[0]["text"]]


def test_a_tool_of_their_name_does_not_speak_for_them(memory: Memory) -> None:
    said = [*MALLORY, OWN | {"role": "tool"}]
    assert first(memory, said, 3) == [each["text"] for each in MALLORY]


def test_nobody_goes_first_where_nobody_is_asked_about(memory: Memory) -> None:
    assert first(memory, [MALLORY[0], OWN], 2, "Where is the flat?") == [MALLORY[0]["text"], OWN["text"]]
    assert first(memory, [], 0) == []
