from tests.recall import plain

from hmem import Memory
from hmem.retrieval.answer.candidates import MOST, joined

SAID = [
    ("a", "2023-01-02T10:00:00Z", "I started playing the cello."),
    ("b", "2023-02-02T10:00:00Z", "I also play the banjo on weekends."),
    ("c", "2023-03-02T10:00:00Z", "The cello sounds lovely in our hall."),
]


def test_a_list_names_each_thing_once() -> None:
    with Memory(":memory:") as memory:
        memory.add([{"session": s, "at": at, "speaker": "Nora", "text": text} for s, at, text in SAID])
        items = plain(memory.ask("What instruments does Nora play?")).split(", ")
    assert sum("cello" in item for item in items) == 1
    assert sum("banjo" in item for item in items) == 1
    assert len(items) <= MOST


def test_items_are_joined_in_one_line() -> None:
    assert joined(["cello", "banjo"]) == "cello, banjo"
