import re
import time

import numpy as np
import pytest

from hmem_encoder import DIMENSION, encoder
from hmem_encoder.heads import (
    KINDS,
    MEMORABLE,
    TYPES,
    Name,
    SentenceJudgement,
    TextJudgement,
    Words,
    judge,
    names_of,
    version,
)

SAID = "Hi! My mother was diagnosed with Parkinson's in March. Where does Tomas live?"
SPANS = [(0, 3), (4, 54), (55, len(SAID))]


def judged(text: str, *, role: str = "user", known: bool = True) -> SentenceJudgement:
    lead = "Maria: "
    (found,) = judge([lead + text], [[(len(lead), len(lead) + len(text))]], [role], [known])
    return found.judgements[0]


def shifted(lead: str) -> tuple[str, list[tuple[int, int]]]:
    return lead + SAID, [(start + len(lead), end + len(lead)) for start, end in SPANS]


def test_a_text_is_judged_sentence_by_sentence_beside_the_vectors_of_its_reading() -> None:
    text, spans = shifted("Maria: ")
    (found,) = judge([text], [spans], ["user"], [True])
    assert isinstance(found, TextJudgement)
    np.testing.assert_array_equal(found.vector, encoder().vectors([text])[0])
    np.testing.assert_array_equal(found.sentences, encoder().read([text], [spans])[0].sentences)
    greeting, told, asked = found.judgements
    assert greeting.memorable < MEMORABLE <= told.memorable
    assert asked.memorable < MEMORABLE
    assert (told.kind, asked.kind) == ("statement", "question")
    assert told.importance > greeting.importance


@pytest.mark.parametrize("text", ["ok, thanks!", "haha yes", "How are you today?", "Good morning!"])
def test_small_talk_and_questions_are_not_memorable(text: str) -> None:
    assert judged(text).memorable < MEMORABLE


@pytest.mark.parametrize(
    "text",
    [
        "We moved to Lisbon last week, I start at Novartis on Monday.",
        "My daughter Ines was born in 2019.",
        "I am allergic to penicillin and carry an EpiPen.",
    ],
)
def test_what_changes_a_life_is_memorable(text: str) -> None:
    assert judged(text).memorable >= MEMORABLE


def test_names_stand_within_their_sentence_with_a_type() -> None:
    text = "Last week I met Tomas in Lisbon at the station."
    names = {("Maria: " + text)[name.start : name.end]: name for name in judged(text).names}
    assert names.keys() == {"Tomas", "Lisbon"}
    assert {names["Tomas"].type, names["Tomas"].likely_type} == {"person", "other"}
    assert {names["Lisbon"].type, names["Lisbon"].likely_type} == {"place", "other"}
    lead, spans = shifted("Maria: ")
    (found,) = judge([lead], [spans], ["user"], [True])
    for (start, end), each in zip(spans, found.judgements, strict=True):
        assert all(start <= name.start < name.end <= end for name in each.names)


@pytest.mark.parametrize(
    "text",
    [
        "Mañana me mudo a Sevilla con mi hermana.",
        "我下个月搬到上海去和姐姐一起住。",
        "अगले महीने मैं अपनी बहन के पास दिल्ली जा रही हूँ।",
    ],
)
def test_signs_alone_judge_where_the_language_is_not_known(text: str) -> None:
    assert judged(text, known=False).memorable >= MEMORABLE
    assert judged(text.rstrip("。.।") + "?", known=False).memorable < MEMORABLE


def test_names_of_an_unknown_language_are_runs_of_capitals_behind_the_first_word() -> None:
    text = "Mañana me mudo a San Sebastián con Lucía."
    names = [("Maria: " + text)[name.start : name.end] for name in judged(text, known=False).names]
    assert names == ["San Sebastián", "Lucía"]


@pytest.mark.parametrize(
    ("text", "certain"),
    [
        ("Mañana me mudo a Sevilla con mi hermana.", True),
        ("Morgen ziehe ich mit meiner Schwester nach Hamburg, das Sofa kommt am Abend.", False),
    ],
)
def test_a_capital_makes_no_certain_name_where_many_words_have_one(text: str, certain: bool) -> None:
    names = judged(text, known=False).names
    assert names
    assert {name.certain for name in names} == {certain}


@pytest.mark.parametrize("text", ["", "?", "   ", "🦔", "word " * 3_000])
@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system", "anything"])
def test_any_text_is_judged_within_the_ranges(text: str, role: str) -> None:
    each = judged(text, role=role)
    assert 0 <= each.memorable <= 1
    assert 1 <= each.importance <= 10
    assert each.kind in KINDS
    assert {name.type for name in each.names} <= {*TYPES}


@pytest.mark.parametrize(
    ("chance", "kind", "likely_kind"),
    [(0.85, "person", "other"), (0.65, "other", "person"), (0.55, "other", "other")],
)
def test_a_name_has_a_type_only_where_it_is_likely(chance: float, kind: str, likely_kind: str) -> None:
    likely = np.zeros((2, 1 + 2 * len(TYPES)), np.float32)
    likely[0, 1 : 1 + len(TYPES)] = chance, 0.9 - chance, 0, 0
    likely[1, 1 + len(TYPES) :] = chance, 0.9 - chance, 0, 0
    (name,) = named("Ada Wood", likely)
    assert (name.start, name.end, name.type, name.likely_type) == (0, 8, kind, likely_kind)


def named(text: str, likely: np.ndarray) -> tuple[Name, ...]:
    words = [match.span() for match in re.finditer(r"\w+", text)]
    return names_of(text, Words(words, likely), likely)


def chances_of(*names: float) -> np.ndarray:
    """Return the chances of words that begin names of one type with the given ones."""
    likely = np.zeros((len(names), 1 + 2 * len(TYPES)), np.float32)
    likely[:, 0], likely[:, 1] = 1 - np.array(names), names
    return likely


@pytest.mark.parametrize(
    ("text", "chance", "certain"),
    [
        ("met Ada", 0.6, True),
        ("met Ada", 0.45, False),
        ("met ada", 0.95, False),
        # The capital of a first word tells nothing, what follows it does.
        ("Ada came", 0.6, True),
        ("Ada's dog", 0.6, True),
        ("Ada.", 0.6, False),
        ("Ada, come", 0.6, False),
        ("Ada Wood", 0.6, False),
        ("Ada, come", 0.85, True),
    ],
)
def test_a_name_is_certain_by_a_capital_within_a_sentence(text: str, chance: float, certain: bool) -> None:
    likely = chances_of(*(chance if word.lower() == "ada" else 0.1 for word in re.findall(r"\w+", text)))
    (name,) = named(text, likely)
    assert (text[name.start : name.end].lower(), name.certain) == ("ada", certain)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("met Mr Aldo Ferrante", ["Mr Aldo Ferrante"]),
        ("met Aldo, Ferrante wrote", ["Aldo", "Ferrante"]),
        ("met Aldo ferrante", ["Aldo", "ferrante"]),
    ],
)
def test_names_with_capitals_that_follow_each_other_are_one(text: str, names: list[str]) -> None:
    likely = chances_of(*(0.1 if word in ("met", "wrote") else 0.9 for word in text.split()))
    assert [text[name.start : name.end] for name in named(text, likely)] == names


def test_a_day_before_a_name_is_no_part_of_it() -> None:
    text = "met on Saturday Declan"
    names = [(text[name.start : name.end], name.certain) for name in named(text, chances_of(0.1, 0.1, 0.45, 0.9))]
    assert names == [("Saturday", False), ("Declan", True)]


def test_nothing_to_judge_gives_nothing() -> None:
    assert judge([], [], [], []) == []
    (found,) = judge(["no sentences"], [[]], ["user"], [True])
    assert found.judgements == ()
    assert found.sentences.shape == (0, DIMENSION)


def test_the_version_is_that_of_the_weights() -> None:
    assert len(version()) == 8
    assert int(version(), 16) >= 0


def test_heads_cost_little_beside_the_encoder() -> None:
    text, spans = shifted("Maria: ")
    texts = [f"{text} {i}" for i in range(100)]
    encoder().hidden_states(texts)
    start = time.process_time()
    judge(texts, [spans] * 100, ["user"] * 100, [True] * 100)
    spent = time.process_time() - start
    start = time.process_time()
    encoder().hidden_states(texts)
    assert spent - (time.process_time() - start) < 0.3e-3 * 3 * 100 * 3


def test_a_first_word_that_may_be_a_greeting_is_no_part_of_the_name_behind_it() -> None:
    doubted = named("Buongiorno Mr Ferrante", chances_of(0.6, 0.7, 0.9))
    assert [(name.start, name.end, name.certain) for name in doubted] == [(0, 10, False), (11, 22, True)]
    doubted = named("Paul Smith", chances_of(0.6, 0.9))
    assert [(name.start, name.end, name.certain) for name in doubted] == [(0, 4, False), (5, 10, False)]
    (whole,) = named("Paul Smith", chances_of(0.8, 0.9))
    assert (whole.start, whole.end, whole.certain) == (0, 10, True)
