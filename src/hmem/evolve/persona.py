"""A persona that people edit: an entry of the log, which stands until it is taken back."""

from collections.abc import Sequence
from typing import Final, cast

from hmem.corpus import Corpus
from hmem.errors import InvalidQuery, UnknownId
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.scribe import Scribe
from hmem.hierarchy.versions import EDIT, written
from hmem.model.span import now, to_stored
from hmem.storage.base import Entry

# Longer than any description of a person that is read with every question.
LONGEST: Final = 2_000


def edit(
    corpus: Corpus, arrangement: Arrangement, scribe: Scribe, speaker: str, text: str | None,
    traits: Sequence[str] | None, why: str | None, by: str,
) -> int:  # fmt: skip
    """Keep the entry that edits a persona; its number.

    Raises:
        UnknownId, InvalidQuery: as for ``Memory.edit_persona``; nothing was kept.
    """
    number = corpus.speaker_number(speaker)
    if number is None:
        raise UnknownId(f"nobody called {speaker!r} has spoken in this memory - `hmem show persona` lists them")
    present = scribe.persona(number)
    said, held = (present.text, present.traits) if present is not None else ("", ())
    text, traits = _text(said if text is None else text), _traits(held if traits is None else traits)
    if (text, traits) == (said, held):
        raise InvalidQuery("the persona says this already - give another text or other traits")
    # What it was before stands in the versions before it, which go when what they tell of is forgotten.
    after, newest = written(text, traits), scribe.newest_note(speaker)
    corpus.storage.record([Entry(to_stored(now())[0], by, EDIT, speaker, why, None, after, newest)])
    arrangement.decisions.catch_up()
    return arrangement.decisions.last


def _text(given: object) -> str:
    if not isinstance(given, str) or not given.strip() or len(given) > LONGEST:
        raise InvalidQuery(f"the text of a persona has 1 to {LONGEST:,} characters - this one has not")
    return given.strip()


def _traits(given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise InvalidQuery(f"{given!r} are no traits of a persona - give a list of texts")
    traits = tuple(str(each).strip() for each in cast("Sequence[object]", given))
    if wrong := [each for each in traits if not each or ";" in each or "\n" in each]:
        raise InvalidQuery(f"{wrong[0]!r} is no trait - give a few words without ';' or line breaks")
    return tuple(dict.fromkeys(traits))
