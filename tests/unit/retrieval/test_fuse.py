from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formation import FormedExample
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.recipes import FLAT_WEIGHTS
from hmem.retrieval.fuse import FuseOptions, candidates, fuse
from hmem.retrieval.scoring.ranker import ranker
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns
from hmem.retrieval.strategies.flat import FlatOptions

FLATLY = FlatOptions(weights=FLAT_WEIGHTS)
MONTHLY = [f"2025-{month:02d}-10T10:00:00Z" for month in range(1, 13)]
ASKED = datetime(2025, 12, 20, tzinfo=UTC)


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, formed_example: FormedExample) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("fuse") / "test.hmem"
    formed_example(path, 120, consolidated=True)
    with Memory(path) as memory:
        yield memory


@pytest.fixture(scope="module")
def held(lived: Memory) -> Iterator[Sources]:
    with sources(lived) as read:
        yield read


def fused(held: Sources, question: str, options: FuseOptions | None = None, **changes: Any) -> ScoredTurns:
    return fuse(held, query(held, question, ASKED, **changes), FLATLY, options or FuseOptions())


def monthly(memory: Memory) -> None:
    """The same said in each month, in a session each."""
    memory.add(
        [{"text": "I went sailing", "speaker": "Anna", "session": at[:7], "at": at} for at in MONTHLY],
    )


def test_every_candidate_has_each_feature_that_the_ranker_looks_at(held: Sources) -> None:
    found = candidates(held, query(held, "Where does Nadia work?"), FLATLY, 40)
    assert len(found.rows) == len(set(found.rows.tolist())) == 40
    assert ranker().question.keys() <= found.features.keys()
    for values in found.features.values():
        assert values.shape == (40,)
        assert values.dtype == np.float32
        assert np.isfinite(values).all()


@pytest.mark.parametrize(
    "question", ["Where does Nadia work?", "What did Nadia do in March 2025?", "?!", "How many dogs are there?"]
)
@pytest.mark.parametrize("options", [FuseOptions(), FuseOptions(learned=False), FuseOptions(candidates=3)])
def test_the_terms_of_each_turn_sum_to_its_score(held: Sources, question: str, options: FuseOptions) -> None:
    found = fused(held, question, options)
    told = sum(values * found.weights[name] for name, values in found.terms.items())
    assert told == pytest.approx(found.scores, abs=1e-4)
    assert (np.diff(found.scores) <= 0).all()
    # Without a word there are no candidates: all are ranked by nearness.
    most = 120 if question == "?!" else min(options.candidates, 120)
    assert len(set(found.rows.tolist())) == len(found.rows) == most


@given(st.sets(st.integers(0, 119), max_size=40), st.sampled_from(["the dog", "What did Nadia do in March 2025?"]))
def test_no_turn_outside_of_the_allowed_is_found(held: Sources, rows: set[int], question: str) -> None:
    allowed = np.zeros(120, np.bool_)
    allowed[list(rows)] = True
    assert set(fused(held, question, allowed=allowed).rows.tolist()) == rows


def test_the_same_question_finds_the_same_in_the_same_order(held: Sources, lived: Memory) -> None:
    one = fused(held, "Where does Nadia work?")
    with sources(lived) as anew:
        other = fused(anew, "Where does Nadia work?")
    assert one.rows.tolist() == other.rows.tolist()
    assert np.array_equal(one.scores, other.scores)


def test_a_reply_to_a_question_is_told_apart(memory: Memory) -> None:
    memory.add(
        [
            {"text": text, "speaker": speaker, "session": session, "at": "2025-01-01T10:00Z"}
            for text, speaker, session in [
                ("What is your dog called?", "Anna", "a"),
                ("Biscuit.", "Ben", "a"),
                ("A fine name.", "Anna", "a"),
                ("Good morning.", "Ben", "b"),
            ]
        ]
    )
    with sources(memory) as held:
        found = candidates(held, query(held, "the dog"), FLATLY, 10)
        by_row = dict(zip(found.rows.tolist(), found.features["follows_question"].tolist(), strict=True))
    assert by_row == {0: 0, 1: 1, 2: 0, 3: 0}


@pytest.mark.parametrize("month", ["2025-03", "2025-10"])
def test_a_question_that_names_a_time_prefers_turns_of_that_time(memory: Memory, month: str) -> None:
    monthly(memory)
    name = f"{datetime.fromisoformat(f'{month}-01'):%B %Y}"
    with sources(memory) as held:
        found = fused(held, f"Did Anna go sailing in {name}?")
        assert held.corpus.turns(found.rows[:1])[int(found.rows[0])].session == month


def test_without_the_temporal_option_no_time_counts(memory: Memory) -> None:
    monthly(memory)
    with sources(memory) as held:
        asked = query(held, "Did Anna go sailing in March 2025?", ASKED)
        assert asked.part.spans
        timeless = replace(asked, part=replace(asked.part, spans=()))
        plain = fuse(held, asked, FLATLY, FuseOptions(temporal=False))
        other = fuse(held, timeless, FLATLY, FuseOptions())
    assert plain.rows.tolist() == other.rows.tolist()
    assert np.array_equal(plain.scores, other.scores)


def test_places_are_kept_for_turns_of_the_time_asked_for(memory: Memory) -> None:
    memory.add([{"text": f"violin market {i}", "speaker": "Ben", "session": "s", "at": MONTHLY[0]} for i in range(60)])
    memory.add([{"text": "nothing much", "speaker": "Anna", "session": "t", "at": MONTHLY[6]} for _ in range(3)])
    with sources(memory) as held:
        asked = query(held, "Which violin market was open in July 2025?", ASKED)
        found = candidates(held, asked, FLATLY, 12)
        others = candidates(held, replace(asked, part=replace(asked.part, spans=())), FLATLY, 12)
    assert len(found.rows) == len(others.rows) == 12
    assert {60, 61, 62} <= set(found.rows.tolist())
    assert not {60, 61, 62} & set(others.rows.tolist())


def test_an_empty_memory_and_nothing_allowed_give_no_candidates(memory: Memory, held: Sources) -> None:
    assert len(fused(held, "anything", allowed=np.zeros(120, np.bool_)).rows) == 0
    with sources(memory) as empty:
        assert len(fused(empty, "What did Anna do in March 2025?").rows) == 0


def test_a_question_without_a_word_is_ranked_by_nearness(path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(200))
        memory.add("look at this \U0001f994", speaker="Ben", at="2025-02-01T10:00Z", session="d")
        found = memory.search("\U0001f994", k=3, trace=True)
    assert found[0].text == "look at this \U0001f994"
    assert found.trace is not None
    assert found.trace.steps["fusion"]["ranked by"] == "flat"


def carried(held: Sources, question: str) -> list[float]:
    """What each turn of a memory carries for a question, in the order of the turns."""
    found = candidates(held, query(held, question), FLATLY, 100)
    return found.features["lexical.carried"][np.argsort(found.rows)].tolist()


def test_a_word_carries_over_to_the_two_turns_after_it_less_each_time_and_never_to_another_session() -> None:
    said = [
        *(("a", text) for text in ("How is the greyhound?", "Asleep.", "Always.", "Good.")),
        *(("b", text) for text in ("Good morning.", "And to you.")),
    ]
    with Memory(":memory:") as memory:
        memory.add([{"text": text, "speaker": "Anna", "session": session} for session, text in said])
        with sources(memory) as held:
            assert carried(held, "greyhound") == pytest.approx([0, 0.8, 0.64, 0, 0, 0])
            alone, among = carried(held, "greyhound"), carried(held, "greyhound or whippet")
    assert ranker().question["lexical.carried"] > 0
    assert [value > 0 for value in among] == [value > 0 for value in alone]
    assert all(less <= more for less, more in zip(among, alone, strict=True))


def test_a_word_that_a_turn_has_itself_is_not_carried_and_counts_from_the_nearest_turn() -> None:
    with Memory(":memory:") as memory:
        memory.add([
            {"text": text, "speaker": "Anna", "session": "a"}
            for text in ("The greyhound is here.", "A greyhound!", "Yes.", "Indeed.")
        ])  # fmt: skip
        with sources(memory) as held:
            assert carried(held, "the greyhound") == pytest.approx([0, 0, 0.8, 0.64])
            assert carried(held, "?!") == [0, 0, 0, 0]


def test_a_word_carries_over_from_a_turn_that_the_first_pass_did_not_find(memory: Memory) -> None:
    long = (
        "The greyhound of my aunt went along with all of us to the market and to the fair, and it barked at everyone."
    )
    told = [long, "Really?", "Near the river, I think, or by the sea.", "Where?", "The river.", "Fine."]
    others = [f"{long} It was day {number} of our holidays." for number in range(6)]
    memory.add([{"text": text, "speaker": "Anna", "session": "a"} for text in told])
    memory.add([{"text": text, "speaker": "Anna", "session": f"b{at}"} for at, text in enumerate(others)])
    few = replace(FLATLY, exhaustive=1, candidates=1)
    with sources(memory) as held:
        found = candidates(held, query(held, "river greyhound"), few, 20)
    by_row = dict(zip(found.rows.tolist(), found.features["lexical.carried"].tolist(), strict=True))
    assert 0 not in by_row
    assert by_row[2] > 0


def test_what_repeats_a_better_turn_makes_room_for_another(memory: Memory) -> None:
    said = ["I went sailing in Kiel."] * 3 + ["In Kiel I also swam."]
    memory.add([{"text": text, "speaker": "Anna", "session": str(i), "at": MONTHLY[i]} for i, text in enumerate(said)])
    with sources(memory) as held:
        plain = fused(held, "When did Anna go sailing in Kiel?", FuseOptions(repetition=0))
        apart = fused(held, "When did Anna go sailing in Kiel?", FuseOptions(repetition=50))
    assert plain.rows[-1] == 3
    assert apart.rows[1] == 3
    assert (apart.terms["repetition"] <= 0).all()
    assert "repetition" not in plain.terms
