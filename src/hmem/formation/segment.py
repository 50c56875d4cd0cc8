"""Segmentation: where episodes begin, by two channels, OR-fused (HiMem, episodes).

A boundary falls before a turn if its topic differs (topic channel) or if it surprises (surprise channel). Online and
pure: the decision depends only on the turn and the turns of the running episode.
"""

from collections.abc import Callable, Iterable, Iterator
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

# Owner of a word that occurs more than once.
_SHARED: Final = -1

# Number of turns that there is room for at first.
_ROOM: Final = 8


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """Constants of segmentation. Distances and surprise run from 0 to 1; lengths are in turns.

    ``topic_distance`` and ``surprise`` are HiMem's thresholds (episodes: 0.7 and 0.8). The others are ours, chosen with
    `benchmarks/segmentation.py`. ``topic_channel`` and ``surprise_channel`` switch the channels. An episode of fewer
    than ``min_turns`` is ended only by a surprise above ``strong_surprise``; none has more than ``max_turns``.

    The topic channel compares a turn of at least ``words`` content words with the last ``window`` turns that also have
    as many; for surprise, the distance of a turn with fewer counts in proportion. The turn must also be
    ``topic_margin`` farther from its episode than the episode's turns usually are: in terse talk all turns lie far
    apart.

    Surprise is a logistic function of four weighted terms: how much farther from the episode the turn is than usual,
    how much newer its words are than usual, its markers, and its emotion. ``calm`` is the sum at which it is one half,
    set so that about one turn in ten is above 0.8.
    """

    topic_channel: bool = True
    surprise_channel: bool = True
    topic_distance: float = 0.7
    topic_margin: float = 0.1
    window: int = 3
    words: int = 3
    surprise: float = 0.8
    strong_surprise: float = 0.9
    min_turns: int = 3
    max_turns: int = 24
    distance_weight: float = 8.0
    novelty_weight: float = 2.0
    shift_weight: float = 2.5
    emotion_weight: float = 2.0
    calm: float = 0.1


@dataclass(frozen=True, slots=True)
class Seen:
    """Turn as segmentation sees it: its unit vector (zeros for none) and the cues of its words."""

    vector: Vector
    cues: Cues


class BoundaryDecision(NamedTuple):
    """Reason why an episode begins before a turn, None if none does, and the turn's surprise, 0 to 1."""

    cut: Cut | None
    surprise: float


class RunningEpisode:
    """Turns of the running episode, with the statistics that segmentation needs.

    These are updated turn by turn, so the same turns in the same order always give the same statistics.
    """

    def __init__(self, turns: Iterable[Seen] = ()) -> None:
        self._turns: list[Seen] = []
        self._rows: Vector = np.empty((0, 0), np.float32)
        self.centre: Vector = np.empty(0, np.float32)
        self.emotions: list[float] = []
        # The turn that alone has a word, or _SHARED.
        self._owners: dict[str, int] = {}
        # Number of words of each turn, and of those that no other turn has.
        self.words: list[int] = []
        self.alone: list[int] = []
        for seen in turns:
            self.add(seen)

    def __len__(self) -> int:
        return len(self._turns)

    def __iter__(self) -> Iterator[Seen]:
        return iter(self._turns)

    @property
    def vectors(self) -> Vector:
        """Vectors of the turns, a row each."""
        return self._rows[: len(self._turns)]

    def add(self, seen: Seen) -> None:
        """Add the next turn."""
        place = len(self._turns)
        if place == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)]) if place else _room(seen.vector)
        self._rows[place] = seen.vector
        self.centre = self.centre + seen.vector if place else seen.vector
        self._turns.append(seen)
        self.emotions.append(seen.cues.emotion)
        self.words.append(len(seen.cues.words))
        self.alone.append(0)
        for word in seen.cues.words:
            owner = self._owners.get(word)
            self._owners[word] = place if owner is None else _SHARED
            if owner is None:
                self.alone[place] += 1
            elif owner != _SHARED:
                self.alone[owner] -= 1

    def fresh(self, seen: Seen) -> int:
        """Count the words of a turn that no turn of the episode has."""
        owners = self._owners
        return len([word for word in seen.cues.words if word not in owners])

    def telling(self, words: int, window: int) -> list[Vector]:
        """Return the vectors of the last ``window`` turns that have at least ``words`` words."""
        places = [place for place, count in enumerate(self.words) if count >= words][-window:]
        return [self._turns[place].vector for place in places]


def decide(options: SegmentOptions, episode: RunningEpisode, new: Seen, similarity: Similarity) -> BoundaryDecision:
    """Decide if an episode begins before ``new``, given the turns of the running one.

    An empty running episode gives ``session``: the turn is the first of its session. ``similarity`` maps a cosine onto
    the common scale of similarity.
    """
    if not len(episode):
        return BoundaryDecision("session", 0.0)
    departure = _departure(episode, new, similarity) * min(len(new.cues.words) / max(options.words, 1), 1.0)
    surprise = _surprise(options, episode, new, departure)
    if len(episode) >= options.max_turns:
        return BoundaryDecision("length", surprise)
    if options.surprise_channel and surprise > (
        options.surprise if len(episode) >= options.min_turns else options.strong_surprise
    ):
        return BoundaryDecision("surprise", surprise)
    if options.topic_channel and _leaves_topic(options, episode, new, similarity, departure):
        return BoundaryDecision("topic", surprise)
    return BoundaryDecision(None, surprise)


def _leaves_topic(
    options: SegmentOptions, episode: RunningEpisode, new: Seen, similarity: Similarity, departure: float
) -> bool:
    """Tell if the turn has another topic than the last turns with enough words."""
    if len(episode) < options.min_turns or departure < options.topic_margin or len(new.cues.words) < options.words:
        return False
    telling = episode.telling(options.words, options.window)
    if not telling:
        return False
    distance = 1.0 - similarity(_cosine(np.sum(telling, axis=0), new.vector))
    return distance > options.topic_distance


def _surprise(options: SegmentOptions, episode: RunningEpisode, new: Seen, departure: float) -> float:
    """Return how little the episode predicts the turn, raised by markers and emotion (HiMem, event surprise)."""
    usual_emotion = sum(episode.emotions) / len(episode)
    raised = (
        options.distance_weight * departure
        + options.novelty_weight * _novelty(options, episode, new)
        + options.shift_weight * new.cues.shift
        + options.emotion_weight * max(new.cues.emotion - usual_emotion, 0.0)
    )
    return 1.0 / (1.0 + exp(options.calm - raised))


def _departure(episode: RunningEpisode, new: Seen, similarity: Similarity) -> float:
    """Return how much farther the turn is from the episode's centre than its turns are from the others' centre."""
    count = len(episode)
    if count == 1 or not new.cues.words:
        return 0.0
    vectors, centre = episode.vectors, episode.centre
    others = centre - vectors
    along = np.add.reduce(others * vectors, axis=1)
    np.multiply(others, others, out=others)
    cosines = along / np.maximum(np.sqrt(np.add.reduce(others, axis=1)), _TINY)
    usual = float(cosines.sum()) / count
    return (similarity(usual) - similarity(_cosine(centre, new.vector))) * _trust(count)


def _novelty(options: SegmentOptions, episode: RunningEpisode, new: Seen) -> float:
    """Return the share of new words in the turn, less the usual share of words that only one turn has."""
    alone = sum([_share(options, *each) for each in zip(episode.alone, episode.words, strict=True)])
    fresh = _share(options, episode.fresh(new), len(new.cues.words))
    return (fresh - alone / len(episode)) * _trust(len(episode))


def _trust(turns: int) -> float:
    """Return the weight, 0 to 1, of statistics from this many turns: 0 for one turn."""
    return (turns - 1.0) / (turns + 1.0)


def _share(options: SegmentOptions, count: int, words: int) -> float:
    """Return a count as a share of a turn's words; a shorter turn counts as one of ``options.words``."""
    return count / max(words, options.words, 1)


def _cosine(centre: Vector, vector: Vector) -> float:
    """Return the cosine of a sum of vectors and a unit vector; 0 if the sum is zero."""
    length = float(np.sqrt(centre.dot(centre)))
    return float(centre.dot(vector)) / length if length > _TINY else 0.0


def _room(vector: Vector) -> Vector:
    return np.empty((_ROOM, len(vector)), np.float32)
