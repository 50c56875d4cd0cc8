"""What hangs on turns, which words are theirs, and what the log must not tell."""

from dataclasses import replace

from tests.formation import example

from hmem import Memory
from hmem.evolution.erase import ErasurePlan, entry, prepare, redacted, redacted_since, traces
from hmem.model.report import Forgotten
from hmem.storage.base import LogEntry

FAREWELL = ErasurePlan(
    ids=frozenset({"turn_01M7YYP6RT66JAKEEJN9Q64VF5"}),
    seqs=frozenset({7}),
    words=frozenset({"quillon"}),
    subjects=frozenset({"Ben"}),
    names=frozenset({"Nadia"}),
    count=Forgotten(1),
)


def changed(**fields: str | None) -> LogEntry | None:
    found = redacted(
        [LogEntry(**({"at": 0, "by": "user", "verb": "correct", "target": "x"} | fields), number=4)], FAREWELL
    )  # pyright: ignore[reportArgumentType]
    return found[0] if found else None


def test_an_entry_about_something_else_stays_as_it_is() -> None:
    assert changed(why="a slip", before="one", after="two") is None
    assert changed(verb="renew", target="Tom", before="one", after="two") is None


def test_an_entry_about_what_is_forgotten_says_only_that_there_was_one() -> None:
    for name in ("target", "link"):
        about = changed(**{name: "turn_01M7YYP6RT66JAKEEJN9Q64VF5"}, why="a", before="b", after="c")
        assert about is not None
        assert (about.why, about.before, about.after) == (None, None, None)


def test_what_the_engine_logged_of_a_person_goes_when_a_note_about_them_goes() -> None:
    about = changed(verb="renew", target="Ben", before="b", after="c")
    assert about is not None
    assert (about.target, about.before, about.after) == ("Ben", None, None)


def test_what_somebody_said_of_something_that_stays_is_not_forgotten() -> None:
    about = changed(why="Quillon", before="of Quillon", after="Quillon it is")
    assert about is not None
    assert (about.why, about.before, about.after) == (None, None, "Quillon it is")
    about = changed(verb="revise", after="Quillon it is")
    assert about is not None
    assert about.after is None


def test_names_that_nobody_has_any_more_go_from_entries() -> None:
    about = changed(by="Nadia", target="Nadia", link="Nadia")
    assert about is not None
    assert (about.by, about.target, about.link) == ("", "", None)


def test_an_entry_of_a_forgetting_keeps_no_word_that_is_forgotten() -> None:
    made = entry(FAREWELL, 5, "Nadia", "because of Quillon", ["speaker", "query"])
    assert made == LogEntry(5, "", "forget", "speaker, query", None, after="1 turn")


def test_words_of_other_turns_are_not_among_those_that_are_forgotten(memory: Memory) -> None:
    memory.add("Quillon saw a cat near the harbour in 1999", speaker="Ann", metadata={"mood": "elated"})
    memory.add("The category of harbours", speaker="Anna")
    with memory.corpus.reading():
        memory._components.formation.derived.catch_up()
        plan = prepare(memory.corpus, memory._components.formation.derived, [1])
    assert plan.words == {"quillon", "saw", "near", "1999", "mood", "elated"}
    assert plan.names == {"Ann"}


def test_formation_does_not_tell_in_the_log_what_was_there_before(memory: Memory) -> None:
    memory.add("Hello")
    storage = memory.corpus.storage
    first, _, _ = storage.record(
        [LogEntry(0, "rules", "renew", "Ben", "new", "old text", "new text", key=f"{i}") for i in range(2)]
        + [LogEntry(0, "user", "correct", "x", "new", "old text")]
    )
    found = redacted_since(storage, first, None)
    assert [(each.number, each.before, each.after) for each in found] == [(first + 1, None, "new text")]


def test_what_another_process_logged_of_what_is_forgotten_is_blotted_out(memory: Memory) -> None:
    memory.add("Hello")
    storage = memory.corpus.storage
    told = [
        LogEntry(0, "rules", "renew", "Quillon", None, None, "likes zebrafish", key="1"),
        LogEntry(0, "user", "correct", "x", "the zebrafish", "old text", "new text"),
        LogEntry(0, "user", "correct", "y", "why", "old text", "new text"),
    ]
    numbers = storage.record(told)
    plan = replace(FAREWELL, words=frozenset({"zebrafish", "quillon"}), names=frozenset({"Quillon"}))
    found = redacted_since(storage, numbers[0] - 1, plan)
    assert [(each.number, each.target, each.why, each.before, each.after) for each in found] == [
        (numbers[0], "", None, None, None),
        (numbers[1], "x", None, "old text", "new text"),
    ]


def test_traces_tell_of_what_was_formed(memory: Memory) -> None:
    memory.add(example(20))
    assert {place for _, place in traces(memory.corpus, ["lisbon"])} >= {"turn.text", "formed events"}
    assert traces(memory.corpus, ["quillon"]) == []
