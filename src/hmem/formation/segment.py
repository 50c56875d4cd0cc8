"""Segmentation: where an episode begins, found by two channels, OR-fused (HiMem, episodes).

A boundary falls before a turn when its topic is another (the topic channel) or when it surprises (the surprise
channel). Online and pure: what is decided of a turn depends on the turns of the running episode alone.
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

# The owner of a word that several turns have, or one turn several times.
_SHARED: Final = -1

# Room for so many turns at first.
_ROOM: Final = 8


@dataclass(frozen=True, slots=True)
class SegmentOptions:
    """The constants of segmentation. Distances and surprise run from 0 to 1; lengths are in turns.

    ``topic_distance`` and ``surprise`` are HiMem's thresholds (episodes: 0.7 and 0.8). The others are ours, chosen with
    `benchmarks/segmentation.py`. ``topic_channel`` and ``surprise_channel`` switch the channels. An episode of fewer
    than ``min_turns`` is broken only by a surprise above ``strong_surprise``; none has more than ``max_turns``.

    The topic channel compares a turn with the last ``window`` ones that have at least ``words`` telling words each,
    as it must have itself; for surprise, the distance of a turn with fewer counts in proportion. It must also be
    ``topic_margin`` farther from its episode than the turns of that usually are: in terse talk all turns lie far apart.

    Surprise is a logistic of how much farther from the episode and newer in its words a turn is than usual, and of
    its markers and emotion, each times its weight; ``calm`` is the sum that it is a half at. It is set so that about
    one turn in ten is above 0.8.
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
    """A turn as segmentation sees it: its unit vector (zeros for none) and the cues of its words."""

    vector: Vector
    cues: Cues


class BoundaryDecision(NamedTuple):
    """Why an episode begins before a turn, None when it does not, and how much the turn surprises, 0 to 1."""

    cut: Cut | None
    surprise: float


class RunningEpisode:
    """The turns of the running episode, with what segmentation asks of all of them together.

    That is kept up turn by turn, in their order, and so comes to the same when it is begun again from the same turns.
    """

    def __init__(self, turns: Iterable[Seen] = ()) -> None:
        self._turns: list[Seen] = []
        self._rows: Vector = np.empty((0, 0), np.float32)
        self.centre: Vector = np.empty(0, np.float32)
        self.emotions: list[float] = []
        # The turn that alone has a word, or _SHARED.
        self._owners: dict[str, int] = {}
        # How many words each turn has, and how many of them no other turn has.
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
        """The vectors of the turns, a row each."""
        return self._rows[: len(self._turns)]

    def add(self, seen: Seen) -> None:
        """Take in the next turn."""
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
        """How many words of a turn none of these has."""
        owners = self._owners
        return len([word for word in seen.cues.words if word not in owners])

    def telling(self, words: int, window: int) -> list[Vector]:
        """The vectors of the last ``window`` turns that have at least so many words."""
        places = [place for place, count in enumerate(self.words) if count >= words][-window:]
        return [self._turns[place].vector for place in places]


def decide(options: SegmentOptions, episode: RunningEpisode, new: Seen, similarity: Similarity) -> BoundaryDecision:
    """Whether an episode begins before ``new``, given the turns of the running one.

    An empty running episode gives ``session``: the turn is the first of its session. ``similarity`` maps a cosine
    onto the common scale of similarity.
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
    """Whether the turn is of another topic than the last turns that say something."""
    if len(episode) < options.min_turns or departure < options.topic_margin or len(new.cues.words) < options.words:
        return False
    telling = episode.telling(options.words, options.window)
    if not telling:
        return False
    distance = 1.0 - similarity(_cosine(np.sum(telling, axis=0), new.vector))
    return distance > options.topic_distance


def _surprise(options: SegmentOptions, episode: RunningEpisode, new: Seen, departure: float) -> float:
    """How little the episode predicts the turn, raised by markers and emotion (HiMem, event surprise)."""
    usual_emotion = sum(episode.emotions) / len(episode)
    raised = (
        options.distance_weight * departure
        + options.novelty_weight * _novelty(options, episode, new)
        + options.shift_weight * new.cues.shift
        + options.emotion_weight * max(new.cues.emotion - usual_emotion, 0.0)
    )
    return 1.0 / (1.0 + exp(options.calm - raised))


def _departure(episode: RunningEpisode, new: Seen, similarity: Similarity) -> float:
    """How much farther the turn is from the episode's centre than each of its turns from that of the others."""
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
    """How much larger the share of new words in the turn is than that of words in the episode that stand alone."""
    alone = sum([_share(options, *each) for each in zip(episode.alone, episode.words, strict=True)])
    fresh = _share(options, episode.fresh(new), len(new.cues.words))
    return (fresh - alone / len(episode)) * _trust(len(episode))


def _trust(turns: int) -> float:
    """How far what is usual in an episode can be told from this many turns: of one, not at all."""
    return (turns - 1.0) / (turns + 1.0)


def _share(options: SegmentOptions, count: int, words: int) -> float:
    """A count as a share of a turn's words; a turn of few words counts as one of ``words``."""
    return count / max(words, options.words, 1)


def _cosine(centre: Vector, vector: Vector) -> float:
    """The cosine of a sum of vectors and a unit vector; 0 where there is nothing to compare."""
    length = float(np.sqrt(centre.dot(centre)))
    return float(centre.dot(vector)) / length if length > _TINY else 0.0


def _room(vector: Vector) -> Vector:
    return np.empty((_ROOM, len(vector)), np.float32)
