"""Segmentation: where episodes begin, by two channels, OR-fused (HiMem, episodes).

A boundary falls before a turn that leaves the topic of the last turns (topic channel), or whose words announce another
one (surprise channel), but never between a question and its answer. Online and pure: the decision depends only on the
turn and the turns before it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.base import Cues
from hmem.model.event import Cut
from hmem.model.turn import Turn

Vector = NDArray[np.float32]
Similarity = Callable[[float], float]

_TINY: Final = 1e-6

# Number of last turns that a turn's vector is compared with: the last exchange.
_EXCHANGE: Final = 2

# Question marks (Latin, wide, Arabic, Greek), and the most words that may follow the last one.
_MARKS: Final = ("?", "\uff1f", "\u061f", "\u037e")
_AFTERTHOUGHT: Final = 6

_ASSISTANT: Final = "assistant"


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """Constants of segmentation. Topic distance runs from 0 to about 1.4, surprise from 0 to 1; lengths are in turns.

    ``topic_distance`` and ``surprise`` are HiMem's thresholds (episodes: 0.7 and 0.8). The others are ours, chosen with
    `benchmarks/segmentation.py`. ``topic_channel`` and ``surprise_channel`` switch the channels. An episode of fewer
    than ``min_turns`` is ended only by a surprise above ``strong_surprise``. One of ``max_turns`` ends at the next turn
    that answers no question, and at the latest when it has twice as many.

    Novelty, 0 to 1, grows with the number of content words that the last ``recent_turns`` turns of the session lack; at
    ``new_words`` of them it is one half. The topic distance is the novelty, raised by ``question_weight`` if the turn
    ends with a question, less half of it for a speaker who always asks, and by ``vector_weight`` times the distance of
    its vector from the last exchange.

    Surprise is a logistic function of three weighted terms: novelty, the turn's markers, and its emotion above the
    usual one. ``surprise_offset`` is the sum at which it is one half, set so that novelty alone is no surprise.
    """

    topic_channel: bool = True
    surprise_channel: bool = True
    topic_distance: float = 0.7
    recent_turns: int = 6
    new_words: float = 3.0
    question_weight: float = 0.15
    vector_weight: float = 0.6
    surprise: float = 0.8
    strong_surprise: float = 0.98
    min_turns: int = 2
    max_turns: int = 24
    novelty_gain: float = 6.0
    shift_gain: float = 6.0
    emotion_gain: float = 6.0
    surprise_offset: float = 5.9

    @property
    def longest(self) -> int:
        """Greatest possible number of turns of an episode."""
        return 2 * self.max_turns


@dataclass(frozen=True, slots=True)
class SegmentTurn:
    """Turn as segmentation sees it.

    ``vector`` is its unit vector (zeros for none), ``cues`` those of its words. ``asks`` tells that it ends with a
    question, ``assists`` that an assistant said it.
    """

    vector: Vector
    cues: Cues
    speaker: str
    asks: bool
    assists: bool


def see(turn: Turn, vector: Vector, cues: Cues) -> SegmentTurn:
    """Return a turn as segmentation sees it."""
    return SegmentTurn(vector, cues, turn.speaker, ends_with_question(turn.text), turn.role == _ASSISTANT)


def ends_with_question(text: str) -> bool:
    """Tell if a text ends with a question; a few words may follow ("How was it? Tell me!")."""
    end = max(map(text.rfind, _MARKS))
    return end >= 0 and len([word for word in text[end:].split() if any(map(str.isalnum, word))]) <= _AFTERTHOUGHT


class BoundaryDecision(NamedTuple):
    """Reason why an episode begins before a turn, None if none does, and the turn's surprise, 0 to 1."""

    cut: Cut | None
    surprise: float


@dataclass(slots=True)
class RecentTurns:
    """Last turns of a session, and the number of turns of its running episode.

    The turns may belong to earlier episodes: a new topic is judged by all that was just spoken of.
    """

    turns: list[SegmentTurn] = field(default_factory=list[SegmentTurn])
    episode: int = 0

    def add(self, options: SegmentOptions, turn: SegmentTurn, *, begins: bool) -> None:
        """Add the next turn; ``begins`` tells that an episode begins with it."""
        self.turns = [*self.turns, turn][-options.recent_turns :]
        self.episode = 1 if begins else self.episode + 1


def decide(options: SegmentOptions, recent: RecentTurns, new: SegmentTurn, similarity: Similarity) -> BoundaryDecision:
    """Decide if an episode begins before ``new``, given the turns before it.

    Without turns before it the result is ``session``: the turn is the first of its session. ``similarity`` maps a
    cosine onto the common scale of similarity.
    """
    if not recent.turns:
        return BoundaryDecision("session", 0.0)
    novelty = _novelty(options, recent, new)
    surprise = _surprise(options, recent, new, novelty)
    if recent.episode >= options.longest:
        return BoundaryDecision("length", surprise)
    if _answers(recent, new):
        return BoundaryDecision(None, surprise)
    if recent.episode >= options.max_turns:
        return BoundaryDecision("length", surprise)
    young = recent.episode < options.min_turns
    if options.surprise_channel and surprise > (options.strong_surprise if young else options.surprise):
        return BoundaryDecision("surprise", surprise)
    if options.topic_channel and not young:
        question = options.question_weight * (new.asks - _usually_asks(recent, new) / 2)
        if novelty + question + options.vector_weight * _distance(recent, new, similarity) > options.topic_distance:
            return BoundaryDecision("topic", surprise)
    return BoundaryDecision(None, surprise)


def _answers(recent: RecentTurns, new: SegmentTurn) -> bool:
    """Tell if a boundary before the turn would part a question from its answer.

    The last speaker's question is open until somebody else speaks. What an assistant says answers what it was told.
    """
    last = recent.turns[-1]
    if new.assists and not last.assists:
        return True
    for turn in reversed(recent.turns):
        if turn.speaker != last.speaker:
            return False
        if turn.asks:
            return True
    return False


def _novelty(options: SegmentOptions, recent: RecentTurns, new: SegmentTurn) -> float:
    """Return how much of the turn's content is new after the last turns, 0 to 1."""
    words = {word for turn in recent.turns for word in turn.cues.words}
    fresh = len([word for word in new.cues.words if word not in words])
    return fresh / (fresh + options.new_words)


def _usually_asks(recent: RecentTurns, new: SegmentTurn) -> float:
    """Return the share of the speaker's last turns that end with a question."""
    asks = [turn.asks for turn in recent.turns if turn.speaker == new.speaker]
    return sum(asks) / len(asks) if asks else 0.0


def _distance(recent: RecentTurns, new: SegmentTurn, similarity: Similarity) -> float:
    """Return the distance of the turn from the last exchange, -0.5 to 0.5; nearer 0 the fewer words the turn has."""
    centre = np.sum([turn.vector for turn in recent.turns[-_EXCHANGE:]], axis=0)
    trust = min(len(new.cues.words) / 3, 1.0)
    return (0.5 - similarity(_cosine(centre, new.vector))) * trust


def _surprise(options: SegmentOptions, recent: RecentTurns, new: SegmentTurn, novelty: float) -> float:
    """Return how little the last turns predict the turn, raised by markers and emotion (HiMem, event surprise)."""
    usual = sum(turn.cues.emotion for turn in recent.turns) / len(recent.turns)
    raised = (
        options.novelty_gain * novelty
        + options.shift_gain * new.cues.shift
        + options.emotion_gain * max(new.cues.emotion - usual, 0.0)
    )
    return 1.0 / (1.0 + exp(options.surprise_offset - raised))


def _cosine(centre: Vector, vector: Vector) -> float:
    """Return the cosine of a sum of vectors and a unit vector; 0 if the sum is zero."""
    length = float(np.sqrt(centre.dot(centre)))
    return float(centre.dot(vector)) / length if length > _TINY else 0.0
