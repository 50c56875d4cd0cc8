"""The versions of a persona in the log."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.changes import change_id, fold
from hmem.derived.personas import EDIT, KeptPersona, edit_of, from_log_text, newest_note_of, renewal, to_log_text
from hmem.model.ids import numbered
from hmem.storage.base import LogEntry

VECTOR = np.zeros(4, np.float32)
LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters=";"), min_size=1).map(str.strip)


def persona(text: str, *traits: str, through: int = 7) -> KeptPersona:
    return KeptPersona(1, text, traits, VECTOR, 1_000, (), through, "rules/1")


def edited(number: int, text: str, name: str = "Maria", verb: str = EDIT, link: str | None = None) -> LogEntry:
    return LogEntry(number * 1_000, "Maria", verb, name, after=text, link=link, number=number)


@given(LINE.filter(bool), st.lists(LINE.filter(bool), max_size=3))
def test_text_and_traits_come_back(text: str, traits: list[str]) -> None:
    if traits or not text.startswith("traits: "):
        assert from_log_text(to_log_text(text, traits)) == (text, tuple(traits))


def test_a_renewal_tells_what_it_was_and_is_once() -> None:
    note = numbered("note", 5, 7)
    entry = renewal("Maria", persona("Likes dogs."), persona("Likes cats.", "likes cats"), note)
    assert entry is not None
    assert (entry.before, entry.after, entry.by) == ("Likes dogs.", "Likes cats.\ntraits: likes cats", "rules/1")
    assert (entry.at, entry.link, newest_note_of(entry)) == (1_000_000_000, note, 7)
    again = renewal("Maria", None, persona("Likes cats.", "likes cats"), note)
    other = renewal("Maria", None, persona("Likes cats.", "likes cats", through=8), note)
    assert again is not None
    assert other is not None
    assert again.key == entry.key != other.key


def test_what_says_the_same_is_no_renewal() -> None:
    assert renewal("Maria", persona("Likes dogs."), persona("Likes dogs.", through=9), None) is None
    assert renewal("Maria", None, None, None) is None
    gone = renewal("Maria", persona("Likes dogs."), None, None)
    assert gone is not None
    assert (gone.before, gone.after, newest_note_of(gone)) == ("Likes dogs.", None, -1)


def test_the_last_edit_in_force_of_a_person_stands() -> None:
    entries = [edited(1, "One."), edited(2, "Two.", link=numbered("note", 5, 9)), edited(3, "Other.", name="Tom")]
    found = edit_of(fold(entries), "Maria")
    assert found is not None
    assert (found.text, found.traits, found.newest_note, found.timestamp) == ("Two.", (), 9, 2_000)
    undone = [*entries, edited(4, "", verb="undo", link=change_id(entries[1]))]
    back = edit_of(fold(undone), "Maria")
    assert back is not None
    assert (back.text, back.newest_note) == ("One.", -1)
    assert edit_of(fold(entries), "Nobody") is None


def test_an_edit_that_was_forgotten_does_not_stand() -> None:
    assert edit_of(fold([edited(1, "One.")._replace(after=None)]), "Maria") is None
