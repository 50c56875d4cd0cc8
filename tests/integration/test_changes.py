"""Whatever order things are said and changed in, what is formed is what the turns and the log come to."""

from typing import Any

from hypothesis import example as case
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formation import derived

from hmem import Memory
from hmem.errors import InvalidQuery

TEXTS = (
    "I live in Lisbon.", "I moved to Porto.", "I adopted a puppy named Coco.", "I have a cat named Milo.",
    "I work as a nurse.", "I love jazz music.", "My sister Anna lives in Rome.", "I don't like jazz any more.",
    "Actually, I live in Madrid now.", "Me too!", "I turned 30 yesterday.",
)  # fmt: skip
BEGINNING = 1_700_000_000
HALF_AN_HOUR = 1_800

# What is done, what it is done to, and what is said.
Doing = tuple[str, int, int]
VERBS = (
    "add", "add", "correct turn", "correct note", "correct note", "retract turn", "retract note", "retract event",
    "undo", "feedback", "forget",
)  # fmt: skip
DOINGS = st.lists(
    st.tuples(st.sampled_from(VERBS), st.integers(0, 50), st.integers(0, len(TEXTS) - 1)), min_size=2, max_size=12
)


def do(memory: Memory, place: int, doing: Doing) -> None:
    """Do something, if there is something to do it to."""
    verb, target, said = doing
    if verb == "add":
        memory.add(
            [
                {"text": TEXTS[(said + i) % len(TEXTS)], "speaker": ("Maria", "Tom")[target + i & 1],
                 "at": BEGINNING + place * HALF_AN_HOUR + i * 60, "session": f"s{place // 2}"}
                for i in range(1 + target % 3)
            ]
        )  # fmt: skip
        return
    verb, _, kind = verb.partition(" ")
    targets = of_kind(memory, verb, kind)
    if not targets:
        return
    chosen = targets[target % len(targets)]
    try:
        match verb:
            case "correct":
                memory.correct(chosen, TEXTS[said])
            case "retract":
                memory.retract(chosen)
            case "undo":
                memory.undo(chosen)
            case "feedback":
                memory.feedback(chosen, "approve")
            case _:
                memory.forget(chosen)
    except InvalidQuery as error:
        assert " before - " in str(error)  # noqa: PT017 - it was withdrawn already


def of_kind(memory: Memory, verb: str, kind: str) -> list[str]:
    if verb == "undo":
        return [change.id for change in memory.history() if not change.undone and change.verb != "forget"]
    found: dict[str, Any] = {"note": memory.notes, "event": memory.events}
    return [each.id for each in found.get(kind, memory.list)()]


def changes(memory: Memory) -> list[str]:
    """The changes that stand: what was withdrawn with a note comes back when the note does."""
    verbs = ("correct", "retract", "feedback")
    return [change.id for change in memory.history() if change.verb in verbs and not change.undone]


def known(memory: Memory) -> dict[str, Any]:
    """The notes with what became of each, the events and the personas: all but when they were made."""
    kept = derived(memory)
    with memory.corpus.reading():
        notes = [(note, kept.note_states.state_of(note)) for note in kept.notes.all()]
        events = [kept.events.of_turn(seq) for seq in kept.events.turns()]
    return {
        "notes": notes,
        "events": events,
        "shown": [(note.id, note.subject, note.slot, note.text, note.status) for note in memory.notes()],
        "personas": [(persona.speaker, persona.text, persona.traits) for persona in memory.personas()],
    }


@given(DOINGS)
@case([("add", 0, 0), ("correct note", 0, 5), ("retract turn", 0, 0)])
@case([("add", 0, 0), ("correct note", 0, 5), ("correct note", 0, 2), ("forget", 0, 0)])
def test_any_order_of_changes_comes_to_what_a_rebuild_comes_to(doings: list[Doing]) -> None:
    with Memory(":memory:") as memory:
        for place, doing in enumerate(doings):
            do(memory, place, doing)
        before = known(memory)
        memory.rebuild()
        assert known(memory) == before


@settings(max_examples=6)
@given(DOINGS)
@case([("correct turn", 0, 2), ("correct note", 1, 0)])
def test_what_is_taken_back_in_any_order_is_as_if_it_had_not_been(doings: list[Doing]) -> None:
    with Memory(":memory:") as memory:
        memory.add([{"text": text, "speaker": "Maria", "at": BEGINNING, "session": "s"} for text in TEXTS])
        before = known(memory)["shown"]
        for place, doing in enumerate(doings):
            if doing[0] not in ("add", "forget", "undo"):
                do(memory, place, doing)
        while standing := changes(memory):
            memory.undo(min(standing, key=lambda each: each[::-1]))
        assert known(memory)["shown"] == before
