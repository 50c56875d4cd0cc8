"""What hangs on turns, which words are theirs, and what the log must not tell."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.formation import derived

from hmem import Memory
from hmem.derived.chunks import number_in_turn, turn_of
from hmem.derived.state import EVENT_TREES
from hmem.evolution import erase as forget
from hmem.evolution.erase import (
    ErasurePlan,
    entry,
    prepare,
    redact_entries,
    redacted_since,
    traces,
    with_echoes,
    words_left,
)
from hmem.language.analyst import analyst
from hmem.model.ids import numbered
from hmem.model.report import Forgotten
from hmem.storage.base import LogEntry
from hmem_testing.conformance.harness import keep_plain, make_turn

LEXICON = analyst("rules").lexicon
FAREWELL = ErasurePlan(
    ids=frozenset({"turn_01M7YYP6RT66JAKEEJN9Q64VF5"}),
    seqs=frozenset({7}),
    words=frozenset({"quillon"}),
    subjects=frozenset({"Ben"}),
    names=frozenset({"Nadia"}),
    count=Forgotten(1),
    split=LEXICON.split,
)


def changed(**fields: str | None) -> LogEntry | None:
    found = redact_entries(
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


@pytest.mark.parametrize(("kind", "number"), [("event", number_in_turn), ("note", number_in_turn)])
def test_what_was_read_from_a_forgotten_turn_is_forgotten_by_its_id(kind, number) -> None:  # type: ignore[no-untyped-def]
    about = changed(target=numbered(kind, 5, number(7, 1)), why="a", before="b", after="c")
    assert about is not None
    assert (about.why, about.before, about.after) == (None, None, None)
    assert changed(target=numbered(kind, 5, number(8, 0)), why="a", before="b", after="c") is None


def test_a_persons_edit_of_a_persona_loses_the_sentences_and_traits_with_a_forgotten_word() -> None:
    edit = "Tom keeps a fish called Quillon. He lives in Porto.\ntraits: patient; quillon's friend"
    about = changed(verb="persona", target="Tom", before="Tom lives in Porto.", after=edit)
    assert about is not None
    assert about.after == "He lives in Porto.\ntraits: patient"
    alone = changed(verb="persona", target="Tom", after="Quillon is his.")
    assert alone is not None
    assert alone.after is None
    # What has no such word keeps its blanks and lines.
    assert changed(verb="persona", target="Tom", after="He lives\n\n in  Porto. Alone") is None


def test_a_decision_stays_though_it_was_made_beside_what_is_forgotten() -> None:
    link = "turn_01M7YYP6RT66JAKEEJN9Q64VF5"
    assert changed(verb="resolve", target=numbered("note", 5, number_in_turn(8, 0)), link=link, after="keep") is None


def test_an_id_is_no_text_whatever_words_it_is_like() -> None:
    told = LogEntry(0, "user", "correct", "turn_01M7YYP6RT66JAKEEJN9Q64VF6", number=4)
    assert redact_entries([told], replace(FAREWELL, words=frozenset({"turn_01m7yyp6rt66jakeejn9q64vf6", "turn"}))) == []


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
    memory.add("Quillon saw a cat near the harbour in 1999", speaker="Ann", session="x", metadata={"mood": "élancé"})
    memory.add("The category of harbours", speaker="Anna", session="y")
    plan = looked_at(memory, [1])
    assert plan.words == {"quillon", "saw", "near", "1999", "mood", "élancé"}
    assert plan.names == {"Ann", "x"}
    assert (plan.count.speakers, plan.count.sessions) == (1, 1)


def test_every_other_turn_is_looked_at_for_words(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forget, "_PAGE", 1)
    memory.add(["The harbour was grey", "Quillon saw the harbour", "Nobody saw it"], speaker="Ann", session="x")
    assert looked_at(memory, [2]).words == {"quillon"}


def looked_at(memory: Memory, seqs: list[int]) -> ErasurePlan:
    kept = derived(memory)
    with memory.corpus.reading():
        return prepare(memory.corpus, kept, seqs, LEXICON)


@pytest.mark.example(60)
@pytest.mark.parametrize("gone", [range(4, 40, 3), range(1, 41), range(20, 21)])
def test_what_hangs_on_turns_is_counted(memory: Memory, gone: Sequence[int]) -> None:
    memory.consolidate()
    count, kept = looked_at(memory, list(gone)).count, derived(memory)
    graph, notes = kept.graph, kept.notes
    told = {entity for entity in graph.entities() if set(graph.mentions(entity)) & {*gone}}
    alone = {entity for entity in told if set(graph.mentions(entity)) <= {*gone}}
    about = {note.scoped_subject for note in notes.all() if note.turn in gone}
    assert count.turns == len(gone)
    assert count.events == sum(event in gone for event in kept.events.turns() for _ in kept.events.of_turn(event))
    assert count.notes == sum(note.turn in gone for note in notes.all())
    assert count.entities == len(alone)
    assert count.relations == sum({*edge.evidence} <= {*gone} for edge in graph.relations())
    assert count.profiles == sum(kept.profiles.get(entity) is not None for entity in told - alone)
    assert count.personas == sum(any(note.turn not in gone for note in notes.of_subject(name)) for name in about)
    summaries = names = 0
    for name, tree in kept.trees.items():
        for node in {0, *tree.nodes()}:
            leaves = {turn_of(leaf) if name in EVENT_TREES else leaf for leaf in tree.leaves_below(node)}
            if leaves & {*gone} and leaves - {*gone}:
                summaries += kept.written[name].summaries.get(node) is not None
                names += kept.written[name].names.get(node) is not None
    assert (count.summaries, count.names) == (summaries, names)
    if len(gone) > 1:
        assert min(count.events, count.notes, count.entities, count.relations, count.profiles, count.personas) > 0
        assert min(summaries, names) > 1


def test_those_that_repeat_what_repeats_it_go_with_it(memory: Memory) -> None:
    key = "The spare key lies under the third flowerpot behind the shed."
    memory.add(key, speaker="Maria")
    ids = [memory.list()[0].id]
    for _ in range(3):
        memory.search("Where does the spare key lie?", k=1)
        ids.append(memory.add({"role": "assistant", "content": key}).id or "")
    memory.add("It rains.", speaker="Maria")
    assert with_echoes(memory.corpus.storage, [1], LEXICON) == ([1, 2, 3, 4], ())


def test_what_repeats_several_of_them_goes_when_all_of_them_go(memory: Memory) -> None:
    storage, ids = memory.corpus.storage, list[str]()
    # The sources of each, by place: 4 repeats what was said first and what repeats it in the second place.
    for sources in ((), (0,), (1,), (0, 2), (), (0, 4)):
        echoes = tuple((10 * place, 10 * place + 9, ids[source]) for place, source in enumerate(sources))
        turn = make_turn(" ".join(["aaaa bbbb"] * max(len(sources), 1)), echoes=echoes)
        keep_plain(storage, [turn])
        ids.append(storage.page(0, 99)[-1].turn.id)
    assert with_echoes(storage, [1], LEXICON) == ([1, 2, 3, 4], (ids[5],))
    assert with_echoes(storage, [1, 5], LEXICON) == ([1, 2, 3, 4, 5, 6], ())
    assert with_echoes(storage, [1], LEXICON, partial=True) == ([1, 2, 3, 4, 6], ())
    assert with_echoes(storage, [3], LEXICON) == ([3], (ids[3],))


def test_words_that_stand_anywhere_are_not_gone(memory: Memory) -> None:
    memory.add("I adopted a puppy named Coco in Évora.", speaker="Maria")
    memory.flush()
    memory.corpus.storage.record([LogEntry(0, "Zenobia", "retain", "x")])
    with memory.corpus.reading():
        # A short word of plain letters may stand in a random id.
        assert words_left(memory.corpus, ["coco", "évora", "cascade", "zenobia", "quillon", "øx"]) == ("quillon", "øx")
    assert ("évora", "formed events") in traces(memory.corpus, ["Évora"])


def test_formation_does_not_tell_in_the_log_what_was_there_before(memory: Memory) -> None:
    memory.add("Hello")
    storage = memory.corpus.storage
    first, _, _ = storage.record(
        [LogEntry(0, "rules", "renew", "Ben", "why", "old text", "new text", key=f"{i}") for i in range(2)]
        + [LogEntry(0, "user", "correct", "x", "new", "old text")]
    )
    found = redacted_since(storage, first, None)
    assert [(each.number, each.why, each.before, each.after) for each in found] == [(first + 1, None, None, "new text")]


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


@pytest.mark.example(20)
def test_traces_tell_of_what_was_formed(memory: Memory) -> None:
    memory.flush()
    assert {place for _, place in traces(memory.corpus, ["lisbon"])} >= {"turn.text", "formed events"}
    assert traces(memory.corpus, ["quillon"]) == []
