from datetime import UTC, datetime
from typing import Any

import pytest

from hmem.errors import UnknownName
from hmem.language.analyst import Passage, analyst
from hmem.language.verbatim.analyst import MENTIONS, TOGETHER
from hmem.model.note import THREAD
from hmem.model.turn import Turn

VERBATIM = analyst("verbatim")


def said(text: str, **more: Any) -> Passage:
    values = {"id": "turn_1", "speaker": "Maria", "at": datetime(2026, 5, 20, tzinfo=UTC), "session": "s", **more}
    return Passage((Turn(text=text, **values),))


def events(text: str, **more: Any) -> list[str]:
    return [each.text for each in VERBATIM.events([said(text, **more)])[0][0]]


def claims(text: str, **more: Any) -> list[tuple[str, str]]:
    passage = said(text, **more)
    found = VERBATIM.claims([passage], VERBATIM.events([passage]))[0][0]
    return [(claim.slot, claim.text) for claim in found]


def test_events_are_memorable_sentences_as_they_were_said() -> None:
    told = "Hi! I adopted a puppy called Coco from the shelter in Porto. How are you?"
    assert events(told) == ["I adopted a puppy called Coco from the shelter in Porto."]


def test_a_turn_without_a_memorable_sentence_is_not_memorable() -> None:
    assert not VERBATIM.curate([said("ok, thanks!")])[0][0].memorable
    assert VERBATIM.curate([said("I adopted a puppy called Coco from the shelter in Porto.")])[0][0].memorable


@pytest.mark.parametrize(
    "text",
    [
        "Wir ziehen im Oktober nach Hamburg, mein Mann hat dort eine Stelle.",
        "मैं अगले महीने अपनी बहन के पास दिल्ली जा रहा हूँ।",
        "我下个月搬到上海去和姐姐一起住。",
    ],
)
def test_sentences_of_other_languages_are_events_too(text: str) -> None:
    assert events(text) == [text]


def test_what_a_person_says_is_part_of_a_thread() -> None:
    text = "I climbed the old lighthouse in Faro with my cousin last Saturday."
    assert (THREAD, text) in claims(text)


def test_a_question_is_no_event() -> None:
    assert events("Did I tell you that I adopted a puppy called Coco from the shelter in Porto?") == []


def test_of_a_pasted_text_no_note_is_made() -> None:
    text = "I climbed the old lighthouse in Faro with my cousin last Saturday."
    pasted = " ".join(f"The {place}th chapter tells of keepers and of storms at sea." for place in range(20))
    assert claims(f"{text} {pasted}") == []


@pytest.mark.parametrize("role", ["assistant", "tool", "system", "document"])
def test_what_no_person_says_is_no_note(role: str) -> None:
    assert claims("You adopted a puppy called Coco from the shelter in Porto.", role=role) == []


def test_names_of_a_sentence_are_mentioned_together_and_by_the_speaker() -> None:
    extraction = VERBATIM.entities([said("Last week I met Tomas in Lisbon at the station.")])[0][0]
    assert {naming.surface for naming in extraction.namings} >= {"Tomas", "Lisbon"}
    ties = {(tie.source, tie.label, tie.target) for tie in extraction.ties}
    assert {("Maria", MENTIONS, "Tomas"), ("Tomas", TOGETHER, "Lisbon")} <= ties


def test_a_name_is_found_where_it_stands() -> None:
    passage = said("Last week I met Tomas in Lisbon at the station.", caption="a photo of Tomas")
    for naming in VERBATIM.entities([passage])[0][0].namings:
        assert passage.turns[0].content[naming.start : naming.end] == naming.surface


def test_a_greeting_is_no_certain_name_and_a_speaker_is_one() -> None:
    (naming,) = VERBATIM.entities([said("It works. Grazie.")])[0][0].namings
    assert (naming.surface, naming.certain) == ("Grazie", False)
    (naming,) = VERBATIM.entities([said("It works. Grazie.", speaker="grazie")])[0][0].namings
    assert naming.certain


def test_a_name_is_certain_if_it_stands_surely_anywhere_in_a_turn() -> None:
    namings = VERBATIM.entities([said("Grazie. I learnt the word Grazie.")])[0][0].namings
    assert [(naming.surface, naming.certain) for naming in namings] == [("Grazie", True)]


def test_health_is_more_important_than_the_weather() -> None:
    health, weather = "I am allergic to penicillin and carry an EpiPen.", "It was a bit cloudy today."
    (one,), (other,) = VERBATIM.importance([said(health), said(weather)], ["", ""])
    assert one > other
    assert 1 <= other <= one <= 10


def test_it_has_no_variants() -> None:
    with pytest.raises(UnknownName, match="no variant"):
        analyst("verbatim:large")


@pytest.mark.parametrize("text", ["I work as a nurse.", "I love hiking in the mountains."])
def test_a_short_important_sentence_or_preference_is_part_of_a_thread(text: str) -> None:
    assert (THREAD, text) in claims(text)
