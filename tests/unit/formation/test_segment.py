from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest

from hmem.formation.segment import BoundaryDecision, RunningEpisode, Seen, SegmentOptions, decide
from hmem.language.analyst.base import Passage
from hmem.language.embed import embedder
from hmem.language.english.topics import cues
from hmem.model.turn import Turn

PROJECT = (
    "The project timeline has slipped: the design review moves to March.",
    "Then the release has to wait until the tests of April are through. Is that in the timeline?",
    "Yes, the timeline shows the release in May, two weeks after the tests.",
)
ALLERGY = "By the way, I'm allergic to peanuts, so please keep that in mind for the team lunch."
GARDEN = (
    "The tomatoes in the garden need more water this week.",
    "I will water the tomatoes and the beans in the garden tonight.",
    "The beans in the garden have snails, and so do the tomatoes.",
    "Every evening I pick the snails off the beans, more than in last year's garden.",
    "Copper tape keeps snails away from the tomatoes.",
)
MOTOR = "My brother rebuilt the carburettor of his motorcycle and polished its exhaust pipe."


def seen(*texts: str) -> list[Seen]:
    turns = tuple(Turn(f"t{i}", "AB"[i % 2], t, datetime(2025, 1, 1, tzinfo=UTC), "s") for i, t in enumerate(texts))
    vectors = embedder("wordllama").embed(texts)
    return [Seen(vector, hint) for vector, hint in zip(vectors, cues(Passage(turns)), strict=True)]


def run(turns: Sequence[Seen], options: SegmentOptions | None = None) -> list[BoundaryDecision]:
    similarity = embedder("wordllama").calibration
    episode = RunningEpisode()
    judgements: list[BoundaryDecision] = []
    for turn in turns:
        judgements.append(decide(options or SegmentOptions(), episode, turn, similarity))
        if judgements[-1].cut:
            episode = RunningEpisode()
        episode.add(turn)
    return judgements


def test_an_allergy_amid_a_project_starts_an_episode_of_its_own() -> None:
    judgements = run(seen(*PROJECT, ALLERGY))
    assert [judgement.cut for judgement in judgements] == ["session", None, None, "surprise"]
    assert judgements[-1].surprise > 0.8
    assert max(judgement.surprise for judgement in judgements[:-1]) < 0.5


def test_the_surprise_channel_can_be_switched_off() -> None:
    assert run(seen(*PROJECT, ALLERGY), SegmentOptions(surprise_channel=False, topic_channel=False))[-1].cut is None


def test_another_topic_starts_an_episode() -> None:
    assert run(seen(*GARDEN, MOTOR), SegmentOptions(surprise_channel=False))[-1].cut == "topic"


def test_the_topic_channel_can_be_switched_off() -> None:
    assert run(seen(*GARDEN, MOTOR), SegmentOptions(surprise_channel=False, topic_channel=False))[-1].cut is None


def test_talk_of_one_topic_is_one_episode() -> None:
    assert [judgement.cut for judgement in run(seen(*GARDEN))] == ["session", None, None, None, None]


def test_a_short_remark_does_not_change_the_topic() -> None:
    assert run(seen(*GARDEN, "Wow, that's great!"))[-1].cut is None


def test_a_short_episode_is_broken_only_by_a_strong_surprise() -> None:
    turns = seen(*PROJECT[:2], ALLERGY)
    assert run(turns)[-1].cut == "surprise"
    assert run(turns, SegmentOptions(strong_surprise=1.0))[-1].cut is None


def test_no_episode_outgrows_its_ceiling() -> None:
    cuts = [
        judgement.cut
        for judgement in run(
            seen(*(GARDEN * 4)), SegmentOptions(max_turns=5, surprise_channel=False, topic_channel=False)
        )
    ]
    assert [place for place, cut in enumerate(cuts) if cut == "length"] == [5, 10, 15]


def test_segmentation_resumes_from_the_turns_of_the_running_episode() -> None:
    turns = seen(*GARDEN, *PROJECT, ALLERGY, MOTOR)
    judgements = run(turns)
    for place in range(1, len(turns)):
        begun = max(at for at in range(place) if judgements[at].cut)
        again = decide(
            SegmentOptions(), RunningEpisode(turns[begun:place]), turns[place], embedder("wordllama").calibration
        )
        assert again == judgements[place]


@pytest.mark.parametrize("texts", [("", "", "", "", ""), ("😀",) * 6, ("same words here",) * 6])
def test_turns_that_cannot_be_told_apart_stay_together(texts: tuple[str, ...]) -> None:
    assert {judgement.cut for judgement in run(seen(*texts))[1:]} == {None}


def test_surprise_lies_between_0_and_1_whatever_the_vectors() -> None:
    odd = [replace(turn, vector=-turn.vector) for turn in seen(*GARDEN)]
    zero = [replace(turn, vector=np.zeros_like(turn.vector)) for turn in seen(*GARDEN)]
    assert all(0.0 <= judgement.surprise <= 1.0 for judgement in run([*seen(*GARDEN), *odd, *zero]))
