import pytest
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.papers.strategies.sequential import SequentialOptions, sequential
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns

HARBOUR = [
    {"text": "The regatta in the harbour starts at nine, I enrolled my dinghy for it", "speaker": "Cleo"},
    {"text": "My brother Rufus lends me his red sails for that day", "speaker": "Dora"},
    {"text": "We celebrate afterwards at the lighthouse cafe on the hill", "speaker": "Cleo"},
]


def told(at: str, session: str) -> list[dict[str, str]]:
    return [{**message, "at": at, "session": session} for message in HARBOUR]


def texts(held: Sources, scored: ScoredTurns) -> list[str]:
    turns = held.corpus.turns(scored.rows)
    return [turns[row].text for row in scored.rows.tolist()]


def found(memory: Memory, question: str, **options: object) -> tuple[list[str], ScoredTurns]:
    memory.tree("topic")
    with sources(memory) as held:
        scored = sequential(held, query(held, question), SequentialOptions(**options))  # type: ignore[arg-type]
        return texts(held, scored), scored


def test_a_seed_brings_the_other_facts_of_its_day(memory: Memory) -> None:
    memory.add(chatter(120))
    memory.add(told("2025-03-02T10:00:00Z", "h"))
    names, scored = found(memory, "When does the regatta start?", seeds=1)
    assert set(names) == {message["text"] for message in HARBOUR}
    assert names[0] == HARBOUR[0]["text"]
    assert scored.story["ancestors"] == [{"level": 1, "label": "2025-03-02", "seeds": 1, "facts": 3}]


def test_the_ancestor_of_seeds_far_apart_is_the_root_and_unbounded_takes_everything(memory: Memory) -> None:
    memory.add(told("2023-03-02T10:00:00Z", "g"))
    memory.add(chatter(60))
    memory.add([{**HARBOUR[0], "at": "2026-05-02T10:00:00Z", "session": "h"}])
    names, scored = found(memory, "Who enrolled a dinghy for the regatta?", seeds=2, bounded=False)
    with sources(memory) as held:
        assert len(names) == len(held.derived.trees["calendar"])
    assert scored.story["ancestors"] == [{"level": 4, "label": "root", "seeds": 2, "facts": len(names)}]


def test_bounded_each_group_of_seeds_close_in_time_has_its_own_ancestor(memory: Memory) -> None:
    memory.add(told("2023-03-02T10:00:00Z", "g"))
    memory.add(chatter(60))
    memory.add(told("2026-05-02T10:00:00Z", "h"))
    names, scored = found(memory, "Who enrolled a dinghy for the regatta?", seeds=2)
    assert len(names) == 6
    assert [each["level"] for each in scored.story["ancestors"]] == [1, 1]
    assert sorted(each["label"] for each in scored.story["ancestors"]) == ["2023-03-02", "2026-05-02"]


def test_seeds_climb_from_their_days_to_a_month_that_is_not_too_large(memory: Memory) -> None:
    memory.add(told("2023-03-02T10:00:00Z", "g"))
    memory.add(told("2023-03-20T10:00:00Z", "h"))
    _, scored = found(memory, "Who enrolled a dinghy for the regatta?", seeds=2)
    assert [(each["label"], each["level"]) for each in scored.story["ancestors"]] == [("2023-03", 2)]


def test_of_an_ancestor_that_holds_too_much_only_the_days_of_its_seeds_are_taken(memory: Memory) -> None:
    memory.add(chatter(300, sessions=1))
    memory.add(told("2025-01-20T10:00:00Z", "h"))
    memory.add([{**HARBOUR[0], "at": "2025-01-24T10:00:00Z", "session": "i"}])
    question = "Who enrolled a dinghy for the regatta?"
    _, whole = found(memory, question, seeds=2, within=400)
    _, days = found(memory, question, seeds=2, within=60)
    names, around = found(memory, question, seeds=2, within=2, window=1)
    assert len(whole.rows) > len(days.rows) > len(around.rows)
    assert set(names[:3]) == {HARBOUR[0]["text"], HARBOUR[1]["text"]}


def test_bounded_the_best_seeds_ancestors_are_taken_first_while_there_is_room(memory: Memory) -> None:
    memory.add(chatter(60))
    memory.add(told("2025-03-02T10:00:00Z", "h"))
    names, scored = found(memory, "When does the regatta start?", seeds=10, facts=4, window=0)
    assert set(names[:3]) <= {message["text"] for message in HARBOUR}
    assert scored.story["seeds"] == 10
    assert scored.story["facts"] <= 4 + 10


@pytest.mark.parametrize("window", [1, 2])
def test_without_common_ancestors_a_fixed_window_is_taken(memory: Memory, window: int) -> None:
    memory.add(chatter(60))
    memory.add(told("2025-03-02T10:00:00Z", "h"))
    names, scored = found(memory, "When does the regatta start?", seeds=1, lca=False, window=window)
    assert len(names) == 1 + window
    assert scored.story["window"] == window


def test_without_a_calendar_tree_a_window_is_taken(path) -> None:
    with Memory(path, settings={"formation.calendar": "false"}) as memory:
        memory.add(told("2025-03-02T10:00:00Z", "h"))
        names, scored = found(memory, "When does the regatta start?", seeds=1)
        assert len(names) == 3
        assert "window" in scored.story


def test_small_talk_is_no_fact(memory: Memory) -> None:
    memory.add(told("2025-03-02T10:00:00Z", "h"))
    memory.add([{"text": "Haha, okay!", "speaker": "Dora", "at": "2025-03-02T10:00:00Z", "session": "h"}])
    for options in ({}, {"lca": False}):
        assert "Haha, okay!" not in found(memory, "Is that okay?", **options)[0]


def test_where_nothing_is_curated_every_turn_is_a_fact(path) -> None:
    with Memory(path, settings={"formation.curation": "false"}) as memory:
        memory.add(told("2025-03-02T10:00:00Z", "h"))
        memory.add([{"text": "Haha, okay!", "speaker": "Dora", "at": "2025-03-02T10:00:00Z", "session": "h"}])
        assert "Haha, okay!" in found(memory, "Is that okay?")[0]


def test_facts_rank_by_how_near_to_a_seed_they_lie(memory: Memory) -> None:
    memory.add(chatter(120))
    memory.add(told("2025-03-02T10:00:00Z", "h"))
    names, scored = found(memory, "When does the regatta start?", seeds=1)
    near = dict(zip(names, scored.terms["nearness"].tolist(), strict=True))
    assert near[HARBOUR[1]["text"]] > near[HARBOUR[2]["text"]] > near[HARBOUR[0]["text"]] == 0


def test_facts_below_the_ancestor_of_more_seeds_gain_more(memory: Memory) -> None:
    memory.add(told("2023-03-02T10:00:00Z", "g"))
    memory.add(chatter(200))
    memory.add([{**HARBOUR[0], "at": "2026-05-02T10:00:00Z", "session": "h"}])
    names, scored = found(memory, "Who enrolled a dinghy for the regatta, with red sails?", seeds=3)
    gained = dict(zip(zip(names, scored.rows.tolist(), strict=True), scored.terms["ancestor"].tolist(), strict=True))
    first, *_, last = sorted((row, gain) for (_, row), gain in gained.items())
    assert first[1] > last[1] > 0


@pytest.mark.example(120)
@pytest.mark.parametrize("options", [{}, {"bounded": False}, {"lca": False}])
def test_only_what_is_allowed_is_found(memory: Memory, options: dict[str, bool]) -> None:
    memory.tree("topic")
    with sources(memory) as held:
        allowed = held.corpus.columns.session == held.corpus.columns.session[-1]
        asked = query(held, "Where does Nadia live?", allowed=allowed)
        scored = sequential(held, asked, SequentialOptions(**options))
        assert len(scored.rows)
        assert allowed[scored.rows].all()


@pytest.mark.example(160)
def test_the_words_around_the_content_of_a_question_do_not_matter(memory: Memory) -> None:
    plain = found(memory, "Biscuit vet weight", weights={"semantic": 1.0})[1]
    asked = found(memory, "What is it that the vet did say about the weight of Biscuit?", weights={"semantic": 1.0})[1]
    assert plain.rows[0] == asked.rows[0]


def test_what_was_deleted_is_not_found(memory: Memory) -> None:
    receipts = memory.add(told("2025-03-02T10:00:00Z", "h"))
    memory.add(chatter(40))
    assert receipts[0].id is not None
    memory.delete(receipts[0].id)
    for options in ({}, {"bounded": False}, {"lca": False}):
        assert HARBOUR[0]["text"] not in found(memory, "When does the regatta start?", **options)[0]
