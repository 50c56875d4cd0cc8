from collections.abc import Iterator
from datetime import UTC
from typing import Any

import numpy as np
import pytest
from tests.formation import FormedExample
from tests.recall import query, sources

from hmem import Memory
from hmem.errors import InvalidQuery
from hmem.model.evidence import Evidence
from hmem.retrieval.filter import Filter, rows_allowed
from hmem.retrieval.kinds import KINDS, find


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, formed_example: FormedExample) -> Iterator[Memory]:
    """The example, with every text written."""
    path = tmp_path_factory.mktemp("kinds") / "test.hmem"
    formed_example(path, consolidated=True)
    with Memory(path) as memory:
        yield memory


def found(memory: Memory, question: str, *kinds: str, k: int = 10, **conditions: Any) -> list[Evidence]:
    with sources(memory) as read:
        some = Filter(**conditions).validate(UTC)
        return find(read, query(read, question, allowed=rows_allowed(read, some)), kinds, k, filter=some)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_with_its_reasons_and_sources(lived: Memory, kind: str) -> None:
    items = found(lived, "Where does Tomas practise with the choir?", kind, k=5)
    assert items
    assert {item.kind for item in items} == {kind}
    scores = [item.score for item in items]
    assert scores == sorted(scores, reverse=True)
    for item in items:
        assert 0 <= item.score <= 1
        assert sum(term.contribution for term in item.why.terms.values()) == pytest.approx(item.score)
        assert item.text
        assert item.when.tzinfo is not None
        assert [lived.get(source).id for source in item.sources] == list(item.sources)
    if kind in ("event", "summary", "episode"):
        (first, *_) = [item for item in items if "choir" in item.text.lower()]
        assert "choir" in first.why.words


def test_the_ids_are_those_that_browsing_shows(lived: Memory) -> None:
    shown = {
        "event": {event.id for event in lived.events(limit=10_000)},
        "note": {note.id for note in lived.notes(limit=10_000)},
        "episode": {episode.id for episode in lived.episodes(limit=10_000)},
        "profile": {profile.id for profile in lived.graph(limit=10_000).profiles},
        "summary": set[str](),
    }
    trees = [lived.tree("calendar"), lived.tree("topic"), lived.tree("layers"), lived.tree("evolution")]
    while trees:
        branch = trees.pop()
        shown["summary"].add(branch.node.id)
        trees += branch.children
    for question in ("the choir", "a dog that sheds", "moving to another flat"):
        for item in found(lived, question, *KINDS, k=60):
            assert item.id in shown[item.kind]


def test_kinds_stand_in_one_ranking(lived: Memory) -> None:
    items = found(lived, "What does Nadia say of the choir?", *KINDS, k=40)
    assert len({item.kind for item in items}) >= 4
    assert len({item.id for item in items}) == len(items) == 40


def test_an_event_tells_its_ancestors_in_every_tree(lived: Memory) -> None:
    paths = found(lived, "the choir", "event", k=1)[0].why.paths
    assert {"calendar", "topic"} <= paths.keys()
    assert paths["calendar"][0] == "2025"


def test_a_summary_that_two_trees_tell_alike_is_found_once_and_names_both(memory: Memory) -> None:
    memory.add(
        [
            {"text": "I adopted a greyhound from the shelter.", "speaker": "Ann", "at": "2025-06-01T10:00Z"},
            {"text": "The greyhound sleeps on the sofa all day.", "speaker": "Ann", "at": "2025-06-01T10:01Z"},
        ]
    )
    memory.consolidate()
    items = found(memory, "What did Ann adopt from the shelter?", "summary", k=40)
    assert items
    texts = [item.text for item in items]
    assert len(set(texts)) == len(texts)
    assert any(len(item.why.paths) > 1 for item in items)


@pytest.mark.parametrize(
    "conditions",
    [{"speaker": "Tomas"}, {"session": "s16"}, {"since": "2025-05-01", "until": "2025-07-01"}, {"speaker": "nobody"}],
)
def test_what_is_found_stands_on_allowed_turns_only(lived: Memory, conditions: dict[str, Any]) -> None:
    with sources(lived) as read:
        rows = rows_allowed(read, Filter(**conditions).validate(UTC))
        assert rows is not None
        seqs = read.corpus.columns.seq[np.flatnonzero(rows)].tolist()
        may = {turn.id for turn in read.text_writer.turns(seqs).values()}
    kinds = ("note", "summary", "episode", "profile")
    for item in found(lived, "the dog and the choir", *kinds, k=40, **conditions):
        stated = item.sources[-1:] if item.kind == "note" else item.sources
        assert may.issuperset(stated)


def test_an_event_counts_when_it_happened(memory: Memory) -> None:
    memory.add("I broke my wrist on 3 March 2024.", speaker="Ann", at="2025-06-01T10:00Z")
    memory.add("I bought a wrist watch today.", speaker="Ann", at="2025-06-01T10:01Z")
    memory.consolidate()
    assert [item.when.year for item in found(memory, "wrist", "event", since="2024-01-01", until="2025-01-01")] == [
        2024
    ]
    assert [item.when.year for item in found(memory, "wrist", "event", since="2025-01-01")] == [2025]


def test_an_unknown_kind_is_told_and_an_empty_memory_has_none(memory: Memory) -> None:
    with pytest.raises(InvalidQuery, match="no kind of memory"):
        found(memory, "anything", "thing")
    assert found(memory, "anything", *KINDS) == []


def test_the_same_question_finds_the_same_again(lived: Memory) -> None:
    first = found(lived, "What changed at work?", *KINDS, k=20)
    assert [item.id for item in found(lived, "What changed at work?", *KINDS, k=20)] == [item.id for item in first]


@pytest.mark.parametrize("recipe", ["fusion", "layered"])
@pytest.mark.parametrize("kind", ["event", "note"])
def test_what_people_said_of_an_event_or_a_note_moves_it(recipe: str, kind: str) -> None:
    with Memory(":memory:", recipe=recipe) as memory:
        memory.add("I work at Siemens.", speaker="Maria", at="2024-01-05T10:00:00Z", session="a")
        memory.add("I live in Lisbon.", speaker="Maria", at="2024-02-05T10:00:00Z", session="b")

        def searched() -> list[Evidence]:
            return list(memory.search("Where does Maria live and work?", kinds=(kind,), min_score=0))

        before = searched()
        assert "feedback" not in before[0].why.terms
        change = memory.feedback(before[0], "reject")[0]
        after = searched()
        assert [item.id for item in after] == [before[1].id, before[0].id]
        term = after[1].why.terms["feedback"]
        assert term.contribution < 0
        assert sum(each.contribution for each in after[1].why.terms.values()) == pytest.approx(after[1].score)
        memory.undo(change.id)
        assert searched() == before


def test_a_recipe_without_feedback_leaves_events_as_they_are() -> None:
    with Memory(":memory:", recipe="evolving") as memory:
        memory.add("I play the cello on Mondays.", speaker="Maria", at="2024-01-05T10:00:00Z")
        before = memory.search("cello", kinds=("event",))
        memory.feedback(before[0], "reject")
        assert memory.search("cello", kinds=("event",)).evidence == before.evidence


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory, formed_example: FormedExample) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("sessions") / "test.hmem"
    formed_example(path)
    with Memory(path) as memory:
        yield memory


def test_the_sitting_in_which_something_was_talked_about_comes_first(spoken: Memory) -> None:
    best = spoken.search("Where does Tomas practise with the choir?", 3)[0]
    found = spoken.search("Where does Tomas practise with the choir?", 5, kinds=("session",))
    assert best.session == found[0].session
    assert [(item.kind, item.id == item.session) for item in found] == [("session", True)] * 5
    assert len({item.id for item in found}) == 5


def test_a_session_is_told_by_its_best_turn_and_names_its_turns(spoken: Memory) -> None:
    (first,) = spoken.search("Which races did Nadia run?", 1, kinds=("session",))
    turns = [spoken.get(source) for source in first.sources]
    assert {turn.session for turn in turns} == {first.id}
    assert turns[0].text == first.text
    assert set(first.why.terms) == {"best_turn"}
    assert sum(term.contribution for term in first.why.terms.values()) == pytest.approx(first.score, abs=1e-4)


def test_filters_hold_for_sessions(spoken: Memory) -> None:
    some = spoken.sessions()[2].id
    assert [item.id for item in spoken.search("choir", 10, kinds=("session",), session=some)] == [some]
    assert spoken.search("choir", 10, kinds=("session",), since="2100-01-01").evidence == ()


def test_sessions_and_turns_are_found_side_by_side(spoken: Memory) -> None:
    kinds = [item.kind for item in spoken.search("choir", 6, kinds=("turn", "session"))]
    assert kinds.count("turn") == kinds.count("session") == 3


def test_a_memory_without_turns_has_no_sessions_to_find() -> None:
    with Memory(":memory:") as memory:
        assert memory.search("choir", kinds=("session",)).evidence == ()
