from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.formation.segment import (
    BoundaryDecision,
    RecentTurns,
    SegmentOptions,
    SegmentTurn,
    decide,
    ends_with_question,
    see,
)
from hmem.language.analyst.base import Passage
from hmem.language.embed import embedder
from hmem.language.verbatim import VerbatimAnalyst
from hmem.model.turn import Role, Turn

PROJECT = (
    "The project timeline has slipped: the design review moves to March.",
    "Then the release of the project has to wait for the design review. Is March still in the timeline?",
    "Yes, the timeline shows the review in March, and the project release after it.",
)
ALLERGY = "By the way, I'm allergic to peanuts, so please keep that in mind for the team lunch."
GARDEN = (
    "The tomatoes in the garden need more water this week.",
    "I will water the tomatoes and the beans in the garden tonight.",
    "The beans in the garden have snails, and so do the tomatoes.",
    "I pick the snails off the beans in the garden.",
    "There is a snail on the tomatoes too.",
)
MOTOR = "My brother rebuilt the carburettor of his motorcycle and polished its exhaust pipe."
DIED = "My uncle died in hospital of cancer after the accident, and I CANNOT stop crying."
# What a model reads of these turns; without one, only words and vectors tell episodes apart.
MARKED = {ALLERGY: {"shift": 1.0, "emotion": 0.3}, DIED: {"emotion": 1.0}}
ASKED = "Which colour did your brother choose for the motorcycle?"


def seen(*texts: str, speakers: Sequence[str] = "AB", roles: Sequence[Role | None] = (None,)) -> list[SegmentTurn]:
    at = datetime(2025, 1, 1, tzinfo=UTC)
    turns = tuple(
        Turn(f"t{i}", speakers[i % len(speakers)], text, at, "s", role=roles[i % len(roles)])
        for i, text in enumerate(texts)
    )
    vectors = embedder("wordllama").embed(texts)
    cues = VerbatimAnalyst().cues([Passage(turns)])[0]
    return [
        see(turn, vector, replace(each, **MARKED.get(turn.text, {})))
        for turn, vector, each in zip(turns, vectors, cues, strict=True)
    ]


def run(turns: Sequence[SegmentTurn], options: SegmentOptions | None = None) -> list[BoundaryDecision]:
    options = options or SegmentOptions()
    similarity = embedder("wordllama").calibration
    recent, decisions = RecentTurns(), list[BoundaryDecision]()
    for turn in turns:
        decisions.append(decide(options, recent, turn, similarity))
        recent.add(options, turn, begins=decisions[-1].cut is not None)
    return decisions


def cuts(turns: Sequence[SegmentTurn], options: SegmentOptions | None = None) -> list[str | None]:
    return [decision.cut for decision in run(turns, options)]


def test_an_allergy_amid_a_project_starts_an_episode_of_its_own() -> None:
    decisions = run(seen(*PROJECT, ALLERGY))
    assert [decision.cut for decision in decisions] == ["session", None, None, "surprise"]
    assert decisions[-1].surprise > 0.8
    assert max(decision.surprise for decision in decisions[:-1]) < 0.5


def test_a_turn_without_markers_is_no_surprise() -> None:
    assert cuts(seen(*GARDEN, MOTOR), SegmentOptions(topic_channel=False))[-1] is None


def test_grief_is_a_surprise_unless_the_talk_was_of_grief() -> None:
    turns = [*seen(*GARDEN), *seen(DIED)]
    assert cuts(turns, SegmentOptions(topic_channel=False))[-1] == "surprise"
    grieving = [replace(turn, cues=replace(turn.cues, emotion=0.8)) for turn in turns[:-1]]
    assert cuts([*grieving, turns[-1]], SegmentOptions(topic_channel=False))[-1] is None


def test_another_topic_starts_an_episode() -> None:
    assert cuts(seen(*GARDEN, MOTOR), SegmentOptions(surprise_channel=False))[-1] == "topic"


def test_the_channels_can_be_switched_off() -> None:
    turns = seen(*GARDEN, MOTOR, GARDEN[0], ALLERGY)
    neither = SegmentOptions(surprise_channel=False, topic_channel=False)
    assert cuts(turns)[5:] == ["topic", None, "surprise"]
    assert cuts(turns, replace(neither, surprise_channel=True))[5:] == [None, None, "surprise"]
    assert cuts(turns, replace(neither, topic_channel=True))[5:] == ["topic", None, "topic"]
    assert cuts(turns, neither)[5:] == [None, None, None]


def test_talk_of_one_topic_is_one_episode() -> None:
    assert cuts(seen(*GARDEN)) == ["session", None, None, None, None]


def test_a_short_remark_does_not_change_the_topic() -> None:
    assert cuts(seen(*GARDEN, "Wow, that's great!"))[-1] is None


def test_a_question_about_something_new_changes_the_topic_sooner_than_a_statement() -> None:
    assert cuts(seen(*GARDEN, "You bought a motorcycle."))[-1] is None
    assert cuts(seen(*GARDEN, "You bought a new motorcycle, did you?"))[-1] == "topic"


@pytest.mark.parametrize(
    "answer", ["Hey! Good to see you. My sister painted the kitchen ceiling turquoise.", MOTOR, ALLERGY]
)
def test_no_boundary_falls_between_a_question_and_its_answer(answer: str) -> None:
    assert cuts(seen(*GARDEN, "What is new?", answer))[-1] is None
    assert cuts(seen(*GARDEN, "What is new? Tell me everything!", answer))[-1] is None


def test_a_question_stays_open_until_somebody_else_speaks() -> None:
    turns = seen(*GARDEN, "How was Lisbon?", "I envied you the museums and trams.", MOTOR, MOTOR, speakers="ABABABBAB")
    assert cuts(turns)[6:8] == [None, None]


def test_an_assistant_answers_what_it_was_told() -> None:
    told = (*GARDEN[:4], "Write a poem on rivers.", ALLERGY)
    assert cuts(seen(*told, roles=("user", "assistant")))[-1] is None
    assert cuts(seen(*told, roles=(None,)))[-1] == "surprise"
    assert cuts(seen(*GARDEN[:4], MOTOR, roles=("assistant",)))[-1] == "topic"


@given(st.lists(st.sampled_from((*GARDEN, *PROJECT, ALLERGY, MOTOR, ASKED, "Really?")), min_size=2, max_size=60))
def test_no_run_of_turns_parts_a_question_from_its_answer(texts: list[str]) -> None:
    for place, cut in enumerate(cuts(seen(*texts), SegmentOptions(max_turns=50))[1:], 1):
        assert cut is None or not texts[place - 1].endswith("?")


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("How was it?", True),
        ('"Why?" 😀', True),
        ("\u3069\u3046\uff1f", True),
        ("How was it? Spill the beans!", True),
        ("Is it? I wonder, since the whole house was painted last year.", False),
        ("It was fine.", False),
        ("", False),
    ],
)
def test_a_question_may_be_followed_by_a_few_words(text: str, asks: bool) -> None:
    assert ends_with_question(text) is asks


def test_a_short_episode_is_broken_only_by_a_strong_surprise() -> None:
    turns = seen(GARDEN[0], ALLERGY)
    assert cuts(turns)[-1] == "surprise"
    assert cuts(turns, SegmentOptions(strong_surprise=1.0))[-1] is None
    assert cuts(seen(GARDEN[0], MOTOR))[-1] is None


def test_an_episode_knows_the_words_of_the_one_before() -> None:
    turns = seen(*GARDEN, MOTOR, MOTOR, GARDEN[1])
    assert cuts(turns)[-1] is None
    assert cuts(turns, SegmentOptions(recent_turns=2))[-1] == "topic"


def test_no_episode_outgrows_its_ceiling() -> None:
    options = SegmentOptions(max_turns=5, surprise_channel=False, topic_channel=False)
    assert [place for place, cut in enumerate(cuts(seen(*(GARDEN * 4)), options)) if cut == "length"] == [5, 10, 15]


def test_an_episode_outgrows_its_ceiling_for_an_answer_but_not_for_ever() -> None:
    options = SegmentOptions(max_turns=5, surprise_channel=False, topic_channel=False)
    once = cuts(seen(*GARDEN[:4], "Is it dry?", *GARDEN), options)
    assert [place for place, cut in enumerate(once) if cut == "length"] == [6]
    always = cuts(seen(*(["Is it dry?"] * 21)), options)
    assert [place for place, cut in enumerate(always) if cut == "length"] == [10, 20]


@pytest.mark.parametrize("window", [1, 3, 6])
def test_segmentation_resumes_from_the_last_turns_and_the_length_of_the_episode(window: int) -> None:
    turns = seen(*GARDEN, *PROJECT, ALLERGY, MOTOR, ASKED, *GARDEN)
    options = SegmentOptions(recent_turns=window)
    decisions = run(turns, options)
    assert {decision.cut for decision in decisions} == {None, "session", "surprise", "topic"}
    for place in range(1, len(turns)):
        begun = max(at for at in range(place) if decisions[at].cut)
        recent = RecentTurns(turns[max(place - window, 0) : place], place - begun)
        assert decide(options, recent, turns[place], embedder("wordllama").calibration) == decisions[place]


@pytest.mark.parametrize("texts", [("", "", "", "", ""), ("😀",) * 6, ("same words here",) * 6])
def test_turns_that_cannot_be_told_apart_stay_together(texts: tuple[str, ...]) -> None:
    assert set(cuts(seen(*texts))[1:]) == {None}


def test_surprise_lies_between_0_and_1_whatever_the_vectors() -> None:
    odd = [replace(turn, vector=-turn.vector) for turn in seen(*GARDEN)]
    zero = [replace(turn, vector=np.zeros_like(turn.vector)) for turn in seen(*GARDEN)]
    assert all(0.0 <= decision.surprise <= 1.0 for decision in run([*seen(*GARDEN), *odd, *zero]))
