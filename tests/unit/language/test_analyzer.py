import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.analyzer import language, query_stems, stems, words


def test_forms_of_a_word_have_one_stem() -> None:
    assert len({stems(form)[0] for form in ("run", "runs", "Running", "RUN")}) == 1


def test_accents_case_and_width_do_not_matter() -> None:
    assert stems("Café") == stems("cafe") == stems("CAFE\u0301") == stems("ｃａｆé")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("東京に行く", ["東京に行く"]),
        ("한국어 수업", ["한국어", "수업"]),
        ("GPT-4は", ["GPT", "4", "は"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("यह सच। ठीक है॥", ["यह", "सच", "ठीक", "है"]),
        ("আমি ভাত খাই। ৳50", ["আমি", "ভাত", "খাই", "50"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("בֵּית־סֵפֶר׃", ["בֵּית", "סֵפֶר"]),  # noqa: RUF001
        ("don't a_b 3.5", ["don", "t", "a", "b", "3", "5"]),
        ("🙂👍", []),
    ],
)
def test_words_of_every_script(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("东京", ["东", "东京", "京"]),
        ("東京に行く", ["東", "東京", "京", "に", "行", "く"]),  # A change of script parts words in Japanese.
        ("ラーメンを食べた", ["ラー", "ーメ", "メン", "を", "食", "べた"]),
        ("한국어", ["한", "한국", "국", "국어", "어"]),
        ("ปลา", ["ปล", "ปลา", "ลา"]),
        ("ກ", ["ກ"]),
    ],
)
def test_where_words_are_not_parted_neighbours_stand_for_them(text: str, expected: list[str]) -> None:
    assert list(stems(text)) == expected


@pytest.mark.parametrize("sought", ["猫", "小猫", "喜欢", "小猫喜欢"])
def test_a_part_of_a_run_is_found_in_it(sought: str) -> None:
    assert set(stems(sought)) <= set(stems("我的小猫喜欢睡在箱子里"))


@pytest.mark.parametrize(
    ("turn", "question", "sought"),
    [
        ("Ich habe gestern zwei Bücher über Gärten gekauft", "Welches Buch hat sie über den Garten gelesen?", "Buch"),
        ("Ayer compramos las entradas para el concierto", "¿Cuánto costó la entrada del concierto?", "entrada"),
        ("On a visité les musées de la région avec ma sœur", "Quel musée est-ce qu'elle a visité ?", "musée"),
        ("Eu adorei os filmes que a gente viu ontem", "Qual filme eles viram ontem?", "filme"),
        ("Анна купила две книги", "Какую книгу купила Анна?", "книгу"),
        ("मैंने दो किताबें खरीदीं", "उसने कौन सी किताब खरीदी?", "किताब"),
        ("اشتريت كتابين وكتابي المفضل هنا", "ما هو كتابها المفضل؟", "كتابها"),
    ],
)
def test_forms_of_a_word_meet_in_other_languages(turn: str, question: str, sought: str) -> None:
    assert set(query_stems(sought, language(question))) & set(stems(turn))


@pytest.mark.parametrize(
    "turn",
    [
        "Ich habe gestern zwei Bücher über Gärten gekauft",
        "Hemos comprado las entradas porque nos gusta",
        "Я купила книги",
    ],
)
def test_a_word_that_stands_alone_meets_itself_in_a_text_of_any_language(turn: str) -> None:
    assert all(set(stems(word)) <= set(stems(turn)) for word in words(turn))


@pytest.mark.parametrize(
    "text",
    [
        "We saw Les Misérables on Broadway with José last week",
        "Los Angeles!",
        "Oscar de la Renta",
        "He said 'ich habe keine Zeit' and then went home to his own flat",
        "See ya, man",
        "um, die hard was on",
        "Stollen, naïve café",
    ],
)
def test_english_keeps_english_stems_only(text: str) -> None:
    assert language(text) == ""
    assert list(stems(text)) == [stem for word in words(text) for stem in stems(word)]


def test_encoded_data_is_left_out() -> None:
    assert stems("before " + "x" * 100 + " after") == ("befor", "after")


@given(st.text(max_size=200))
def test_stems_have_no_blanks_so_that_they_can_be_joined_by_them(text: str) -> None:
    assert all(stem and not any(letter.isspace() for letter in stem) for stem in stems(text))


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=100))
def test_ascii_is_read_as_any_other_text(text: str) -> None:
    assert words(text) == words(text + "\u00e9")[: len(words(text))] or text[-1:].isalnum()
