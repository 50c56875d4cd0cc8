"""The entities and relations of turns."""

from datetime import UTC, datetime

from hmem.language.analyst.base import Extraction, Passage
from hmem.language.english.entities import CONTEXT, MOST, entities
from hmem.model.turn import Role, Turn

AT = datetime(2025, 8, 11, 10, tzinfo=UTC)


def turn(speaker: str, text: str, caption: str | None = None, role: Role | None = None) -> Turn:
    return Turn(id="turn", speaker=speaker, text=text, at=AT, session="s1", caption=caption, role=role)


def one(*turns: Turn) -> Extraction:
    [extraction] = entities(Passage(turns, len(turns) - 1))
    return extraction


def surfaces(extraction: Extraction) -> list[str]:
    return [naming.surface for naming in extraction.namings]


def test_each_wanted_turn_has_its_own_extraction() -> None:
    passage = Passage((turn("Ana", "Hi"), turn("Bo", "I live in Oslo"), turn("Ana", "Nice")), 1)
    assert [surfaces(extraction) for extraction in entities(passage)] == [["Oslo"], []]


def test_offsets_are_those_of_the_content_with_its_caption() -> None:
    given = turn("Ana", "Look at this!", caption="a poster of the Eiffel Tower")
    [naming] = one(given).namings
    assert given.content[naming.start : naming.end] == naming.surface == "Eiffel Tower"
    assert naming.salience < 1


def test_i_is_the_speaker_and_you_is_the_other_of_two() -> None:
    extraction = one(turn("Bo", "Hi"), turn("Ana", "You told me you live in Oslo. I live in Rome."))
    assert [(tie.source, tie.target) for tie in extraction.ties] == [("Bo", "Oslo"), ("Ana", "Rome")]


def test_you_is_nobody_among_three() -> None:
    extraction = one(turn("Bo", "Hi"), turn("Cy", "Hi"), turn("Ana", "You told me you live in Oslo."))
    assert extraction.ties == ()


def test_an_assistants_doings_are_nobodys() -> None:
    extraction = one(turn("user", "Hi", role="user"), turn("assistant", "I visited Rome.", role="assistant"))
    assert extraction.ties == ()
    assert surfaces(extraction) == ["Rome"]


def test_phrases_for_what_people_do_are_entities() -> None:
    assert surfaces(one(turn("Ana", "The adoption agency called."))) == ["adoption agency"]


def test_dates_are_no_entities_unless_they_are_asked_for() -> None:
    given = turn("Ana", "I saw Eva yesterday.")
    assert surfaces(one(given)) == ["Eva"]
    [extraction] = entities(Passage((given,)), dates=True)
    assert [(naming.surface, naming.type) for naming in extraction.namings] == [
        ("Eva", "person"),
        ("yesterday", "date"),
    ]


def test_a_turn_is_read_alike_one_by_one_and_in_a_batch() -> None:
    turns = tuple(
        turn(speaker, text)
        for speaker, text in [
            ("Ana", "Hey Bo! I adopted a cat named Ida."),
            ("Bo", "You love cats! Mine is Otto."),
            ("Ana", "Otto is sweet. I went to Rome."),
            ("Cy", "Do you like Rome? I live in Oslo."),
            ("Ana", "Yes, and you live in Oslo."),
            ("Bo", "You told me you visited Lima."),
        ]
    )
    batch = entities(Passage(turns))
    singly = [
        entities(Passage(turns[max(0, place - CONTEXT) : place + 1], min(place, CONTEXT)))[0]
        for place in range(len(turns))
    ]
    assert batch == singly


def test_a_long_text_names_a_bounded_number_of_things() -> None:
    text = " ".join(f"I met Aba{chr(97 + place % 26)}ko{chr(97 + place // 26)} in Rome." for place in range(2000))
    assert len(one(turn("Ana", text)).namings) <= 3 * MOST


def test_empty_and_foreign_texts_name_nothing_and_do_no_harm() -> None:
    for text in ("", " ", "🎉", "我喜欢猫", "def f(x): return X[0]"):
        assert one(turn("Ana", text)).ties == ()
