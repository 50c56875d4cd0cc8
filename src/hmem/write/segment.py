"""Segmentation: where an episode begins, found by two channels, OR-fused (HiMem, episodes).

A boundary falls before a turn when its topic is another (the topic channel) or when it surprises (the surprise
channel). Online and pure: what is decided of a turn depends on the turns of the running episode alone.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.base import Cues
from hmem.model.episode import Cut

Vector = NDArray[np.float32]
Similarity = Callable[[float], float]

_TINY: Final = 1e-6


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """The constants of segmentation. Distances and surprise run from 0 to 1; lengths are in turns.

    ``topic_distance`` and ``surprise`` are HiMem's thresholds (episodes: 0.7 and 0.8). The others are ours, chosen
    with `benchmarks/segmentation.py`. ``topic`` and ``events`` switch the channels. An episode below ``shortest`` is
    broken only by a surprise above ``strong_surprise``; none outgrows ``longest``.

    The topic channel compares a turn with the last ``window`` ones that have at least ``words`` telling words each,
    as it must have itself; for surprise, the distance of a turn with fewer counts in proportion. It must also be
    ``topic_margin`` farther from its episode than the turns of that usually are: in terse talk all turns lie far apart.

    Surprise is a logistic of how much farther from the episode and newer in its words a turn is than usual, and of
    its markers and emotion, each times its weight; ``calm`` is the sum that it is a half at. It is set so that about
    one turn in ten is above 0.8.
    """

    topic: bool = True
    events: bool = True
    topic_distance: float = 0.7
    topic_margin: float = 0.1
    window: int = 3
    words: int = 3
    surprise: float = 0.8
    strong_surprise: float = 0.9
    shortest: int = 3
    longest: int = 24
    distance_weight: float = 8.0
    novelty_weight: float = 2.0
    shift_weight: float = 2.5
    emotion_weight: float = 2.0
    calm: float = 0.1


@dataclass(frozen=True, slots=True)
class Seen:
    """A turn as segmentation sees it: its unit vector (zeros for none) and the cues of its words."""

    vector: Vector
    cues: Cues


class Judgement(NamedTuple):
    """Why an episode begins before a turn, None when it does not, and how much the turn surprises, 0 to 1."""

    cut: Cut | None
    surprise: float


def decide(options: SegmentOptions, episode: Sequence[Seen], new: Seen, similarity: Similarity) -> Judgement:
    """Whether an episode begins before ``new``, given the turns of the running one.

    An empty running episode gives ``session``: the turn is the first of its session. ``similarity`` maps a cosine
    onto the common scale of similarity.
    """
    if not episode:
        return Judgement("session", 0.0)
    departure = _departure(episode, new, similarity) * min(len(new.cues.words) / max(options.words, 1), 1.0)
    surprise = _surprise(options, episode, new, departure)
    if len(episode) >= options.longest:
        return Judgement("length", surprise)
    if options.events and surprise > (
        options.surprise if len(episode) >= options.shortest else options.strong_surprise
    ):
        return Judgement("surprise", surprise)
    if options.topic and _leaves_topic(options, episode, new, similarity, departure):
        return Judgement("topic", surprise)
    return Judgement(None, surprise)


def _leaves_topic(
    options: SegmentOptions, episode: Sequence[Seen], new: Seen, similarity: Similarity, departure: float
) -> bool:
    """Whether the turn is of another topic than the last turns that say something."""
    if len(episode) < options.shortest or departure < options.topic_margin or len(new.cues.words) < options.words:
        return False
    telling = [seen.vector for seen in episode if len(seen.cues.words) >= options.words][-options.window :]
    if not telling:
        return False
    distance = 1.0 - similarity(_cosine(np.sum(telling, axis=0), new.vector))
    return distance > options.topic_distance


def _surprise(options: SegmentOptions, episode: Sequence[Seen], new: Seen, departure: float) -> float:
    """How little the episode predicts the turn, raised by markers and emotion (HiMem, event surprise)."""
    usual_emotion = sum(seen.cues.emotion for seen in episode) / len(episode)
    raised = (
        options.distance_weight * departure
        + options.novelty_weight * _novelty(options, episode, new)
        + options.shift_weight * new.cues.shift
        + options.emotion_weight * max(new.cues.emotion - usual_emotion, 0.0)
    )
    return 1.0 / (1.0 + exp(options.calm - raised))


def _departure(episode: Sequence[Seen], new: Seen, similarity: Similarity) -> float:
    """How much farther the turn is from the episode's centre than each of its turns from that of the others."""
    count = len(episode)
    if count == 1 or not new.cues.words:
        return 0.0
    vectors: Vector = np.stack([seen.vector for seen in episode])
    centre = vectors.sum(axis=0)
    others = centre - vectors
    lengths = np.linalg.norm(others, axis=1)
    cosines = (others * vectors).sum(axis=1) / np.maximum(lengths, _TINY)
    usual = float(cosines.sum()) / count
    return (similarity(usual) - similarity(_cosine(centre, new.vector))) * _trust(count)


def _novelty(options: SegmentOptions, episode: Sequence[Seen], new: Seen) -> float:
    """How much larger the share of new words in the turn is than that of words in the episode that stand alone."""
    known = Counter(word for seen in episode for word in seen.cues.words)
    alone = sum(_share(options, sum(known[word] == 1 for word in seen.cues.words), seen) for seen in episode)
    fresh = _share(options, sum(word not in known for word in new.cues.words), new)
    return (fresh - alone / len(episode)) * _trust(len(episode))


def _trust(turns: int) -> float:
    """How far what is usual in an episode can be told from this many turns: of one, not at all."""
    return (turns - 1.0) / (turns + 1.0)


def _share(options: SegmentOptions, count: int, seen: Seen) -> float:
    """A count as a share of a turn's words; a turn of few words counts as one of ``words``."""
    return count / max(len(seen.cues.words), options.words, 1)


def _cosine(centre: Vector, vector: Vector) -> float:
    """The cosine of a sum of vectors and a unit vector; 0 where there is nothing to compare."""
    length = float(np.linalg.norm(centre))
    return float(centre @ vector) / length if length > _TINY else 0.0
