"""Later turns about what an earlier one tells: what may have changed since, found without reading grammar.

The later turn of a person that is most like an earlier one, by meaning and by rare shared words, is looked up for that
turn itself, whatever was asked. ``later.json`` holds the weights, which ``benchmarks/train_quotes.py`` fits to pairs of
labelled chats. What assistants and tools said changes nothing that a person said.

Disputes are what others said later that contradicts a typed slot of a person's own words. They are looked up when they
are asked for, among the turns most like the one that gave the slot, and nothing is formed of them: what others, tools,
documents and assistants say of a person changes nothing of what the person said.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.marks import ASKS
from hmem.corpus.index.rows import Rows
from hmem.derived.note_states import Authority, authority
from hmem.derived.notes import KeptNote
from hmem.language.analyst import Lexicon
from hmem.language.analyzer import stems
from hmem.model.note import SINGLE_SLOTS
from hmem.model.turn import Turn
from hmem.retrieval.plan import Query, stop_stems
from hmem.retrieval.relevance import similarity
from hmem.retrieval.sources import Sources

FILE: Final = "later.json"
SIGNS: Final = ("near", "lead", "shared", "share", "speaker", "session", "asks")
# Signs that a later turn is about the same: besides, how far its worth is above that of all others.
CHANCE: Final = ("bias", *SIGNS, "margin")

# Roles of people; a speaker without one is taken for a person.
_PEOPLE: Final = (None, "user")
# Number of the nearest later turns that are compared.
_COMPARED: Final = 64
# Stems of a turn that are compared, rarest first.
_STEMS: Final = 24


class Later(NamedTuple):
    """A later turn: its row, its worth among those compared, and the chance, 0 to 1, that it is about the same."""

    row: int
    worth: float
    chance: float


def later_turns(sources: Sources, query: Query, turns: Mapping[int, Turn]) -> list[list[Later]]:
    """Return, for each of some turns by row, what people said later that is about the same, likeliest first.

    Call it inside ``reading()``.
    """
    return [
        [Later(int(rows[i]), float(worth[i]), float(chances[i])) for i in np.argsort(-worth, kind="stable")]
        for rows, worth, factors in _compared(sources, query, turns)
        for chances in [_chances(factors)]
    ]


def likeliest_later(sources: Sources, query: Query, turns: Mapping[int, Turn]) -> list[Later | None]:
    """Return the first of ``later_turns`` for each of some turns, or None."""
    # It depends on the question only by what that may not find.
    is_general = query.allowed is None and not sources.embedder_unavailable
    by_row = sources.cached(_likeliest_by_row) if is_general else dict[int, Later | None]()
    unknown = {row: turn for row, turn in turns.items() if row not in by_row}
    for row, (rows, worth, factors) in zip(unknown, _compared(sources, query, unknown), strict=True):
        best = int(worth.argmax()) if len(rows) else -1
        chance = float(_chances(factors[:, best])) if len(rows) else 0.0
        by_row[row] = Later(int(rows[best]), float(worth[best]), chance) if len(rows) else None
    return [by_row[row] for row in turns]


def _likeliest_by_row(_: Sources) -> dict[int, Later | None]:
    return {}


def _compared(
    sources: Sources, query: Query, turns: Mapping[int, Turn]
) -> Iterator[tuple[Rows, NDArray[np.float64], NDArray[np.float64]]]:
    """Yield, for each turn, later turns by row, their worth, and what their chances come of."""
    weights = _vector_of("later", SIGNS)
    for rows, signs in signs_of(sources, query, turns):
        worth = weights @ signs
        yield rows, worth, chance_signs(signs, worth) if len(rows) else np.zeros((len(CHANCE), 0))


def _chances(factors: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 / (1 + np.exp(-(_vector_of("chance", CHANCE) @ factors)))


def chance_signs(signs: NDArray[np.float64], worth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the signs that turns are about the same, a row each, from their signs and their worth."""
    *_, second, best = [-np.inf, *np.sort(worth).tolist()]
    margin = worth - np.where(worth == best, best if len(worth) == 1 else second, best)
    return np.concatenate([np.ones((1, len(worth))), signs, margin[None, :]])


def signs_of(sources: Sources, query: Query, turns: Mapping[int, Turn]) -> Iterator[tuple[Rows, NDArray[np.float64]]]:
    """Yield, for each turn by row, the rows of the nearest later turns, and their signs, one of ``SIGNS`` a row."""
    corpus, columns, rows = sources.corpus, sources.corpus.columns, np.array([*turns], np.int64)
    vectors, allowed = corpus.vectors_at(rows), sources.cached(of_people)
    if query.allowed is not None:
        allowed = allowed & query.allowed
    if sources.embedder_unavailable:
        allowed = np.zeros_like(allowed)
    compared = corpus.nearest_allowed(vectors, _COMPARED, (columns.said > columns.said[rows][:, None]) & allowed)
    select_nothing = stop_stems(sources.analyst.lexicon.stop_words)
    stems_of_turns = [
        tuple(dict.fromkeys(stem for stem in stems(turn.content) if stem not in select_nothing))
        for turn in turns.values()
    ]
    # What is looked up of stems and rows is looked up at once for all turns.
    every_stem = list(dict.fromkeys(stem for turn_stems in stems_of_turns for stem in turn_stems))
    rarity_of_stem = dict(zip(every_stem, corpus.rarities(every_stem), strict=True))
    counts = [len(later_rows) for later_rows in compared]
    every_row = np.concatenate([rows[:0], *compared])
    turn_rows, ends = np.repeat(rows, counts), np.cumsum(counts).tolist()
    later_vectors, asks = corpus.vectors_at(every_row), (corpus.marks_at(every_row) & ASKS) > 0
    same_speaker = columns.speaker[every_row] == columns.speaker[turn_rows]
    same_session = columns.session[every_row] == columns.session[turn_rows]
    for vector, later_rows, turn_stems, end in zip(vectors, compared, stems_of_turns, ends, strict=True):
        if not len(later_rows):
            yield later_rows, np.zeros((len(SIGNS), 0))
            continue
        own = slice(end - len(later_rows), end)
        similarities = similarity(sources, later_vectors[own] @ vector)
        rarities = np.array([rarity_of_stem[stem] for stem in turn_stems], np.float32)
        rarest: list[int] = np.argsort(-rarities, kind="stable")[:_STEMS].tolist()
        rarities = rarities[rarest]
        has_stem = corpus.contains_terms([turn_stems[i] for i in rarest], later_rows)
        shared_rarity = rarities @ has_stem if rarest else np.zeros(len(later_rows), np.float32)
        signs = (
            similarities,
            similarities - similarities.mean(),
            shared_rarity / 10,
            shared_rarity / max(float(rarities.sum()), 1e-6),
            same_speaker[own],
            same_session[own],
            asks[own],
        )
        yield later_rows, np.array(signs, np.float64)


def of_people(sources: Sources) -> NDArray[np.bool_]:
    """Return a boolean per row: it lives, and is not said by an assistant or a tool."""
    people, columns = (
        [speaker.number for speaker in sources.corpus.speakers if speaker.role in _PEOPLE],
        sources.corpus.columns,
    )
    return columns.alive & np.isin(columns.speaker, np.array(people))


@lru_cache(maxsize=2)
def _vector_of(weights: str, names: tuple[str, ...]) -> NDArray[np.float64]:
    """Return the weights of some signs."""
    by_name = json.loads((files("hmem.retrieval") / FILE).read_text("utf-8"))[weights]
    return np.array([by_name[name] for name in names])


# Disputes.

# Later turns of others that are read for one note.
_COMPARED_OTHERS: Final = 32


class Dispute(NamedTuple):
    """Sentence of a turn that gives another value, or denies the one of a note if it is not ``positive``."""

    turn: Turn
    sentence: str
    value: str
    positive: bool


def disputes(corpus: Corpus, lexicon: Lexicon, note: KeptNote, visible: NDArray[np.bool_] | None) -> list[Dispute]:
    """Return what disputes a note of a typed slot, oldest first, in the ``visible`` rows; in all for None."""
    columns = corpus.columns
    row = int(columns.rows_of([note.turn])[0])
    if row < 0:
        return []
    allowed = columns.alive & (columns.said > columns.said[row]) & (columns.speaker != columns.speaker[row])
    if visible is not None:
        allowed &= visible
    rows = corpus.nearest(corpus.vectors_at(np.array([row], np.int64))[0], _COMPARED_OTHERS, allowed)
    turns = sorted(corpus.turns(rows).values(), key=lambda turn: (turn.at, turn.id))
    return [dispute for turn in turns for dispute in _disputes_in(lexicon, note, turn)]


def _disputes_in(lexicon: Lexicon, note: KeptNote, turn: Turn) -> Iterator[Dispute]:
    if (turn.user or "") != note.owner or authority(turn, note.scoped_subject) is Authority.OWN:
        return
    for piece in lexicon.split(turn.text):
        for told in lexicon.third_person_slots(piece.text, note.subject):
            if told.slot == note.slot and _contradicts(note, told.value, positive=told.positive):
                yield Dispute(turn, piece.text, told.value, told.positive)
                break


def _contradicts(note: KeptNote, value: str, *, positive: bool) -> bool:
    """Tell if a value and one that is affirmed or denied cannot both hold."""
    shorter, longer = sorted((note.value.casefold(), value.casefold()), key=len)
    return (shorter not in longer and note.slot in SINGLE_SLOTS) if positive else shorter in longer
