"""The list of stages: their order, and that each can be left out by its name."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.formation import example
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.language.rerank import Reranker
from hmem.model.evidence import SEARCH_KINDS
from hmem.recipes import recipe, settings_without
from hmem.retrieval import stages
from hmem.retrieval.config import STRATEGIES
from hmem.retrieval.newer import NAME as NEWER
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.stages import NAMES, STAGES, UNRANKED, Stage, backfill, rerank, with_own_words
from hmem.retrieval.strategies.base import ScoredTurns
from hmem.retrieval.strategies.flat import flat

QUESTION: Final = "Where does Nadia work?"
PHASES: Final = ("ranking", "context", "search")


def test_each_stage_has_one_name_one_phase_and_says_what_it_does() -> None:
    assert len({*NAMES}) == len(NAMES)
    assert [stage.phase for stage in STAGES] == sorted((stage.phase for stage in STAGES), key=PHASES.index)
    assert all((stage.apply.__doc__ or "").endswith(".") for stage in STAGES)


def test_stages_are_applied_in_the_order_of_the_list_unless_unused_or_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    applied: list[str] = []

    def recorded(stage: Stage) -> Stage:
        return replace(stage, apply=lambda _: applied.append(stage.name))

    monkeypatch.setattr(stages, "STAGES", tuple(map(recorded, STAGES)))
    with Memory(":memory:", settings={"retrieval.without": "newer,kinds"}) as memory:
        memory.add(example(24))
        memory.search(QUESTION, 5)
        assert applied == ["rerank", "unanswered", "standing", "backfill", "outdated", "sessions", "relevance", "cut"]
        applied.clear()
        memory.context(QUESTION, 100)
        assert applied == ["rerank", "unanswered", "standing", "own-words", "filling", "exchange", "pinned"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("recipe", ["flat", "fusion", "orchestrated"])
def test_each_stage_can_be_left_out(recipe: str, name: str) -> None:
    with Memory(":memory:", recipe=recipe, settings=settings_without([name])) as memory:
        turns = memory.add(example(24))
        memory.pin(turns[0].id)
        assert memory.search(QUESTION, 40, kinds=SEARCH_KINDS).evidence
        pinned = [item.id for item in memory.context(QUESTION, 600).evidence if item.why.strategies == ("pinned",)]
        assert memory.ask(QUESTION).text
    assert pinned == ([] if name == "pinned" else [turns[0].id])


TURNS = 260
RANKED = 150
VIOLIN = "What did Anna say of the violin in the garden?"


@pytest.fixture(scope="module", params=["fusion", "flat"])
def talked(request: pytest.FixtureRequest) -> Iterator[Memory]:
    with Memory(":memory:", recipe=request.param) as memory:
        memory.add(chatter(TURNS))
        yield memory


def test_as_many_are_found_as_are_asked_for(talked: Memory) -> None:
    for k in (RANKED + 1, 200, TURNS, 10_000):
        found = talked.search(VIOLIN, k)
        assert len(found) == min(k, TURNS)
        assert len({item.id for item in found}) == len(found)


@settings(max_examples=10)
@given(st.integers(1, TURNS), st.integers(1, TURNS))
def test_a_longer_page_begins_with_the_shorter_one(talked: Memory, one: int, other: int) -> None:
    shorter, longer = (talked.search(VIOLIN, k) for k in sorted((one, other)))
    assert [(item.id, item.score) for item in shorter] == [(item.id, item.score) for item in longer][: len(shorter)]


def test_a_caller_who_asks_for_more_than_the_notes_have_gets_turns_of_episodes_behind_them() -> None:
    with Memory(
        ":memory:", recipe="notes-episodes", settings={"best_effort.threshold": "0", "best_effort.notes_first": "true"}
    ) as memory:
        memory.add("I adopted a puppy named Coco.", speaker="Maria", session="s")
        memory.add(chatter(40))
        few, many = (memory.search("What did Maria adopt?", k, trace=True) for k in (1, 10))
    assert many.trace is not None
    assert many.trace.steps["best_effort"]["ended in"] == "notes"
    assert few[0] == many[0]
    assert len(many) > 5
    assert [item.score for item in many] == sorted((item.score for item in many), reverse=True)


def test_scores_fall_and_their_terms_sum_to_them(talked: Memory) -> None:
    found = talked.search(VIOLIN, TURNS)
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    for item in found:
        assert sum(term.contribution for term in item.why.terms.values()) == pytest.approx(item.score, abs=1e-3)


def test_a_filter_holds_behind_the_ranked_too() -> None:
    with Memory(":memory:") as memory:
        turns = [{**turn, "metadata": {"even": i % 3 != 0}} for i, turn in enumerate(chatter(TURNS + 20))]
        memory.add(turns)
        matching = sum(i % 3 != 0 for i in range(len(turns)))
        found = memory.search(VIOLIN, 1_000, metadata={"even": True})
        assert len(found) == matching > RANKED
        assert all(getattr(memory.get(item.id), "metadata")["even"] for item in found)  # noqa: B009


def test_what_was_not_ranked_says_so() -> None:
    with Memory(":memory:") as memory:
        memory.add(chatter(TURNS))
        # What is newer than a hit comes up, from however far behind.
        found = [item for item in memory.search(VIOLIN, TURNS) if NEWER not in item.why.terms]
        ranked = [item for item in found if item.why.strategies == ("fusion",)]
        behind = found[len(ranked) :]
        assert found[: len(ranked)] == ranked
        assert RANKED - 10 < len(ranked) <= RANKED
        assert {item.why.strategies for item in behind} == {("flat",)}
        assert UNRANKED not in str([item.why.terms for item in ranked])
        first = [item.score - item.why.terms[UNRANKED].contribution for item in behind if UNRANKED in item.why.terms]
        assert first == sorted(first, reverse=True)


def test_feedback_counts_behind_the_ranked() -> None:
    with Memory(":memory:") as memory:
        memory.add(chatter(TURNS))
        last = memory.search(VIOLIN, TURNS)[-1]
        memory.feedback(last, "approve")
        places = [item.id for item in memory.search(VIOLIN, TURNS)]
        assert RANKED <= places.index(last.id) < TURNS - 1


def test_nothing_is_behind_where_all_that_is_allowed_was_ranked() -> None:
    with Memory(":memory:") as memory:
        memory.add(chatter(RANKED))
        with sources(memory) as held:
            asked = query(held, VIOLIN)
            ranked = STRATEGIES["fusion"].find(held, asked, recipe("fusion").retrieval)
            assert backfill(held, asked, ranked, recipe("fusion").retrieval) is None


def test_a_paper_s_strategy_finds_as_little_as_it_means_to() -> None:
    with Memory(":memory:", recipe="evolving") as memory:
        memory.add(chatter(TURNS))
        assert len(memory.search(VIOLIN, TURNS)) < TURNS


HOME = "Where does Alice live?"
MALLORY = [{"text": f"Where does Alice live? In Oslo, house {number}.", "speaker": "Mallory"} for number in range(3)]
OWN = {"text": "I live in Porto.", "speaker": "Alice"}
OTHER = {"text": "My cello needs new strings.", "speaker": "Alice"}


def first(memory: Memory, said: Sequence[dict[str, str]], shown: int, question: str = HOME) -> list[str]:
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


LIGHTHOUSE = "Where did Anna see the lighthouse?"


class Overlap(Reranker):
    """Scores by the share of the question's words that a text has, shifted by a constant."""

    name = "overlap"

    def __init__(self, shift: float = 0.0) -> None:
        self.shift = shift
        self.read: list[str] = []

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read = list(texts)
        asked = set(question.lower().strip("?").split())
        shares = [len(asked & set(text.lower().replace(":", "").split())) / len(asked) for text in texts]
        return np.array(shares, np.float32) + np.float32(self.shift)


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[Memory]:
    memory = Memory(tmp_path / "m.hmem", recipe="flat")
    memory.add(chatter(60))
    memory.add("The lighthouse was shut.", speaker="Ben", session="x")
    memory.add("Where did you see the lighthouse, and did you see the whole coast?", speaker="Ben", session="x")
    memory.add("We see the lighthouse where the bay ends.", speaker="Anna", session="x")
    yield memory
    memory.close()


def _flat(held: Sources, asked: Query) -> ScoredTurns:
    return flat(held, asked, recipe("flat").retrieval.flat)


def _totals(scored: ScoredTurns) -> NDArray[np.float32]:
    return np.sum([values * scored.weights[name] for name, values in scored.terms.items()], axis=0)


@pytest.mark.parametrize("shift", [-12.0, 0.0, 7.0])
@pytest.mark.parametrize("most", [1, 2, 5, 20, 10_000])
def test_the_best_stand_in_the_rerankers_order_and_the_rest_below_as_before(
    filled: Memory, shift: float, most: int
) -> None:
    with sources(filled) as held:
        before = _flat(held, query(held, LIGHTHOUSE))
        chosen = Overlap(shift)
        after = rerank(held, LIGHTHOUSE, before, chosen, most)
    count = min(most, len(before.rows))
    given = after.terms["rerank"][:count]
    assert sorted(after.rows[:count].tolist()) == sorted(before.rows[:count].tolist())
    assert np.all(np.diff(given) <= 0)
    np.testing.assert_array_equal(after.rows[count:], before.rows[count:])
    np.testing.assert_array_equal(after.scores[count:], before.scores[count:])
    assert np.all(np.diff(after.scores) <= 0)
    assert len(chosen.read) == count


@pytest.mark.parametrize("shift", [-12.0, 0.0, 7.0])
def test_the_terms_still_sum_to_the_score(filled: Memory, shift: float) -> None:
    with sources(filled) as held:
        after = rerank(held, LIGHTHOUSE, _flat(held, query(held, LIGHTHOUSE)), Overlap(shift), 20)
    np.testing.assert_allclose(_totals(after), after.scores, atol=1e-5)
    assert not after.terms["rerank"][20:].any()
    assert after.story["rerank"] == {"by": "overlap", "candidates": 20}


def test_the_reranker_reads_who_says_what(filled: Memory) -> None:
    chosen = Overlap()
    with sources(filled) as held:
        after = rerank(held, LIGHTHOUSE, _flat(held, query(held, LIGHTHOUSE)), chosen, 5)
        best = held.corpus.turns(after.rows[:1])
    assert "Ben: The lighthouse was shut." in chosen.read
    assert f"{best[int(after.rows[0])].speaker}: {best[int(after.rows[0])].text}" in chosen.read


def test_turns_that_score_alike_keep_the_order_that_they_had(filled: Memory) -> None:
    with sources(filled) as held:
        before = _flat(held, query(held, "zeppelin"))
        after = rerank(held, "zeppelin", before, Overlap(), 30)
    np.testing.assert_array_equal(after.rows, before.rows)


def test_a_turn_that_stands_there_twice_stands_there_twice_afterwards(filled: Memory) -> None:
    with sources(filled) as held:
        once = _flat(held, query(held, LIGHTHOUSE))
        twice = replace(
            once,
            rows=np.repeat(once.rows, 2),
            scores=np.repeat(once.scores, 2),
            terms={name: np.repeat(values, 2) for name, values in once.terms.items()},
        )
        after = rerank(held, LIGHTHOUSE, twice, Overlap(), 6)
    assert sorted(after.rows.tolist()) == sorted(twice.rows.tolist())


def test_nothing_found_and_nothing_to_rerank_stay_as_they_are(filled: Memory) -> None:
    with sources(filled) as held:
        before = _flat(held, query(held, LIGHTHOUSE))
        empty = replace(before, rows=before.rows[:0], scores=before.scores[:0], terms={})
        assert rerank(held, LIGHTHOUSE, before, Overlap(), 0) is before
        assert rerank(held, LIGHTHOUSE, empty, Overlap(), 5) is empty


def test_a_turn_that_was_just_deleted_does_no_harm(filled: Memory) -> None:
    chosen = Overlap()
    with sources(filled) as held:
        before = _flat(held, query(held, LIGHTHOUSE))
        held.corpus.erasure.forget(held.corpus.columns.seq[before.rows[:1]].tolist())
        held.corpus.turn_cache.clear()
        after = rerank(held, LIGHTHOUSE, before, chosen, 5)
    assert "" in chosen.read
    assert len(after.rows) == len(before.rows)
