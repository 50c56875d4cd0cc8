import numpy as np
import pytest
from tests.formation import example

from hmem import Memory
from hmem.formation.config import FormationConfig
from hmem.formation.extract import extract
from hmem.formation.session_window import SessionWindow
from hmem.formation.turn_analysis import TurnAnalysis
from hmem.language.analyst import analyst

RULES = analyst("rules")


def analysis(count: int) -> list[TurnAnalysis]:
    with Memory(":memory:", recipe="flat") as memory:
        memory.add([message | {"session": "one"} for message in example(count)])
        with memory.corpus.reading():
            vectors = memory.corpus.vectors_of(range(1, count + 1))
        return [TurnAnalysis(i, turn, 1, vectors[i - 1]) for i, turn in enumerate(memory.list(), 1)]


def read(count: int, **options: bool) -> list[TurnAnalysis]:
    items = analysis(count)
    extract(RULES, [(SessionWindow(), items)], FormationConfig(**options), lambda cosine: cosine)  # type: ignore[arg-type]
    return items


def facts(item: TurnAnalysis) -> tuple[object, ...]:
    return item.curation, item.cut, item.statements, item.claims, item.extraction, item.labels, item.opens_session


def test_turns_of_one_run_are_read_as_they_are_one_by_one() -> None:
    together, singly, session_window = read(40), analysis(40), SessionWindow()
    for item in singly:
        extract(RULES, [(session_window, [item])], FormationConfig(), lambda cosine: cosine)
    assert [facts(item) for item in singly] == [facts(item) for item in together]


def test_only_memorable_turns_state_and_claim_anything() -> None:
    for item in read(40):
        assert item.curation.memorable or not (item.statements or item.claims)
        assert len(item.labels) == len(item.statements)
    assert any(not item.curation.memorable for item in read(40))


def test_a_turn_is_read_with_those_only_who_were_heard_before_it() -> None:
    for place, item in enumerate(read(30)):
        heard = {other.turn.speaker for other in read(place + 1)}
        assert set(item.passage.speakers) <= heard
        assert item.passage.targets[0] == item.turn


def test_the_first_turn_of_a_session_opens_it() -> None:
    items = read(10)
    assert [item.opens_session for item in items] == [True] + [False] * 9
    assert items[0].cut == "session"


@pytest.mark.parametrize(
    ("option", "empty"),
    [("graph", "extraction"), ("notes", "claims"), ("layers", "labels")],
)
def test_what_is_switched_off_is_not_read(option: str, empty: str) -> None:
    blank = getattr(TurnAnalysis(1, analysis(1)[0].turn, 1, np.zeros(4, np.float32)), empty)
    assert any(getattr(item, empty) != blank for item in read(20))
    assert [getattr(item, empty) for item in read(20, **{option: False})] == [blank] * 20


def test_without_curation_every_turn_is_memorable() -> None:
    assert {item.curation.memorable for item in read(30)} == {True, False}
    assert [item.curation.memorable for item in read(30, curation=False)] == [True] * 30


def test_without_events_a_turn_is_one_statement_as_it_was_said() -> None:
    items = [item for item in read(30, events=False) if item.curation.memorable]
    assert [len(item.statements) for item in items] == [1] * len(items)
    assert all(item.turn.content in item.statements[0].text for item in items)


def test_without_segmentation_only_sessions_are_cut() -> None:
    assert [item.cut for item in read(30, segmentation=False)] == ["session"] + [None] * 29
