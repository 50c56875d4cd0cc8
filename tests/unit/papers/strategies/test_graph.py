from datetime import UTC, datetime

import pytest
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.derived.chunks import turn_of
from hmem.model.plan import SubQuestion
from hmem.model.span import Span
from hmem.papers.strategies.graph import GraphOptions, graph
from hmem.retrieval.strategies.base import Hit, ScoredTurns

TOLD = [
    ("Cleo", "My cousin Rufus moved to Lisbon in March", "2025-02-01T10:00:00Z"),
    ("Dora", "My cousin Rufus works for Velmora as an engineer", "2025-02-02T10:00:00Z"),
    ("Cleo", "My company opened a second yard for Velmora near the river", "2025-02-03T10:00:00Z"),
    ("Dora", "I put more pepper and a pinch of salt into the soup for my guests", "2025-02-04T10:00:00Z"),
]


@pytest.fixture
def told(memory: Memory) -> Memory:
    memory.add(chatter(150))
    memory.add([{"speaker": who, "text": text, "at": at, "session": at[:10]} for who, text, at in TOLD])
    memory.tree("topic")
    return memory


def found(
    memory: Memory, question: str, part: SubQuestion | None = None, **options: object
) -> tuple[list[str], ScoredTurns]:
    memory.tree("topic")
    with sources(memory) as held:
        asked = query(held, question, **({"part": part} if part else {}))
        scored = graph(held, asked, GraphOptions(**options))  # type: ignore[arg-type]
        turns = held.corpus.turns(scored.rows)
        return [turns[row].text for row in scored.rows.tolist()], scored


def of(kind: str, scored: ScoredTurns) -> list[Hit]:
    return [hit for hit in scored.hits if hit.kind == kind]


def test_the_turns_that_name_what_the_question_names_are_found(told: Memory) -> None:
    names, scored = found(told, "Where does Rufus live?", tree=False)
    assert {TOLD[0][1], TOLD[1][1]} == set(names[:2])
    # The nearest turns are found too, behind those that name him.
    reached = dict(zip(names, scored.terms["entity"].tolist(), strict=True))
    assert reached[TOLD[3][1]] == 0
    assert scored.story["seeds"][0] == "Rufus"


def test_hops_lead_on_to_what_is_related(told: Memory) -> None:
    near, nearby = found(told, "Where does Rufus live?", tree=False, hops=0)
    far, scored = found(told, "Where does Rufus live?", tree=False, hops=1)
    assert dict(zip(near, nearby.terms["entity"].tolist(), strict=True))[TOLD[2][1]] == 0
    assert dict(zip(far, scored.terms["entity"].tolist(), strict=True))[TOLD[2][1]] > 0
    assert scored.story["entities"] > 1


def test_a_turn_further_away_gets_less_for_its_entity(told: Memory) -> None:
    names, scored = found(told, "Where does Rufus live?", tree=False, hops=1)
    values = dict(zip(names, scored.terms["entity"].tolist(), strict=True))
    assert values[TOLD[0][1]] == 1
    assert values[TOLD[2][1]] == pytest.approx(0.5)


def test_the_entities_of_the_plan_go_before_the_names_in_the_text(told: Memory) -> None:
    part = SubQuestion("Where does he live?", entities=("Velmora",))
    assert found(told, part.text, part, tree=False)[1].story["seeds"] == ["Velmora"]


def test_a_speaker_who_is_named_in_half_of_the_turns_leaves_room_for_what_is_asked(memory: Memory) -> None:
    memory.add([{"speaker": "Ben", "text": f"Cleo and I saw film number {i} in town"} for i in range(60)])
    memory.add([{"speaker": "Cleo", "text": "I, Cleo, breed alpacas behind the old dairy"}])
    memory.add([{"speaker": "Ben", "text": f"Cleo baked loaf number {i} this morning"} for i in range(60)])
    names, scored = found(memory, "What animals does Cleo breed?", k=5)
    assert names[0].endswith("behind the old dairy")
    assert scored.sizes["fragments"] <= 5
    assert len(of("event", scored)) <= 5


def test_a_question_without_a_name_finds_by_likeness(told: Memory) -> None:
    names, scored = found(told, "who seasoned the soup of the guests?")
    assert names[0] == TOLD[3][1]
    assert of("event", scored)[0].turns == (turn_of(of("event", scored)[0].number),)


def test_a_relation_lends_to_the_turn_that_states_it(told: Memory) -> None:
    names, scored = found(told, "Does Rufus work for Velmora?")
    lent = dict(zip(names, scored.terms["relation"].tolist(), strict=True))
    assert lent[TOLD[1][1]] > 0
    assert lent[TOLD[3][1]] == 0 if TOLD[3][1] in lent else True


@pytest.mark.parametrize(("scope", "summaries"), [("short", False), ("long", True), ("mixed", True)])
def test_the_scope_says_how_far_up_to_go(ten_months: Memory, scope: str, summaries: bool) -> None:
    _, fixed = found(ten_months, "How is Biscuit doing?", scope=scope)
    assert bool(of("summary", fixed)) is summaries
    assert of("event", fixed)
    part = SubQuestion("How is Biscuit doing?", scope=scope)  # type: ignore[arg-type]
    assert found(ten_months, part.text, part)[1].story["scope"] == scope


def test_in_the_long_scope_turns_are_those_of_the_events(ten_months: Memory) -> None:
    ten_months.tree("topic")
    with sources(ten_months) as held:
        scored = graph(held, query(held, "How is Biscuit doing?"), GraphOptions(scope="long"))
        of_events = {turn for hit in of("event", scored) for turn in hit.turns}
        assert set(held.corpus.columns.seq[scored.rows].tolist()) == of_events


def test_a_summary_gathers_more_than_one_turn_and_none_gathers_the_same(ten_months: Memory) -> None:
    summaries = of("summary", found(ten_months, "How is Biscuit doing?")[1])
    assert all(len(hit.turns) > 1 and hit.tree == "evolution" for hit in summaries)
    assert len({hit.turns for hit in summaries}) == len(summaries)


def test_each_mechanism_can_be_left_out(ten_months: Memory) -> None:
    question = "How is Biscuit doing?"
    assert of("profile", found(ten_months, question)[1])
    assert not of("profile", found(ten_months, question, profiles=False)[1])
    assert not of("summary", found(ten_months, question, summaries=False)[1])
    flat = found(ten_months, question, tree=False)[1]
    assert not of("event", flat)
    assert not of("summary", flat)
    assert found(ten_months, question, graph=False)[1].sizes["fragments"] == 0
    for name in ("robustness", "temporal"):
        assert found(ten_months, question, **{name: False})[1].weights[name] == 0


def test_what_happened_at_the_time_that_is_asked_for_goes_first(memory: Memory) -> None:
    for month in (3, 4, 5):
        said = f"2025-0{month}-10T10:00:00Z"
        memory.add(
            {"speaker": "Cleo", "text": "I rowed to the island with my brother today", "at": said, "session": said}
        )
    april = Span(datetime(2025, 4, 10, tzinfo=UTC), datetime(2025, 4, 11, tzinfo=UTC))
    part = SubQuestion("When did Cleo row to the island?", spans=(april,))
    _, scored = found(memory, part.text, part)
    with sources(memory) as held:
        said = held.corpus.columns.said[scored.rows[0]] / 1_000_000
    assert april.start.timestamp() <= said < april.end.timestamp()
    assert scored.terms["temporal"][0] == pytest.approx(1, abs=1e-3)
    _, without = found(memory, part.text)
    assert not without.terms["temporal"].any()


def test_what_is_fresher_is_more_robust(memory: Memory) -> None:
    for year in (2020, 2023):
        said = f"{year}-03-10T10:00:00Z"
        memory.add({"speaker": "Cleo", "text": "I rowed to the island with my brother", "at": said, "session": said})
    _, scored = found(memory, "Did Cleo row to the island?")
    assert scored.terms["robustness"][0] > 2 * scored.terms["robustness"][1]


def test_the_nearest_turns_are_reached_without_the_tree(ten_months: Memory) -> None:
    question = "Where did Nadia find Biscuit?"
    _, whole = found(ten_months, question)
    _, without = found(ten_months, question, tree=False)
    assert len(without.rows) >= 30
    assert set(whole.rows[:3].tolist()) & set(without.rows[:5].tolist())


def test_only_what_is_allowed_is_found(ten_months: Memory) -> None:
    ten_months.tree("topic")
    with sources(ten_months) as held:
        columns = held.corpus.columns
        allowed = columns.session == columns.session[60]
        scored = graph(held, query(held, "How is Biscuit doing?", allowed=allowed), GraphOptions())
        assert len(scored.rows)
        assert allowed[scored.rows].all()
        for hit in scored.hits:
            assert allowed[columns.rows_of(hit.turns)].all()


@pytest.mark.parametrize("left_out", ["graph", "evolution", "events", "profiles"])
def test_what_was_not_formed_is_not_missed(path, left_out: str) -> None:
    with Memory(path, settings={f"formation.{left_out}": "false"}) as memory:
        memory.add([{"speaker": who, "text": text, "at": at} for who, text, at in TOLD])
        names, _ = found(memory, "What was put into the soup?")
        assert names[0] == TOLD[3][1]


def test_what_was_deleted_is_not_found(told: Memory) -> None:
    deleted = next(turn for turn in told.list(limit=1_000) if turn.text == TOLD[1][1])
    before = found(told, "Where does Rufus work?")[1].story["relations"]
    told.delete(deleted.id)
    names, scored = found(told, "Where does Rufus work?")
    assert TOLD[1][1] not in names
    assert TOLD[0][1] in names
    assert 0 < scored.story["relations"] < before
    assert not any(deleted.id in relation.evidence for relation in told.graph(limit=1_000).relations)
