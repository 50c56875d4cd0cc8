import pytest

from hmem_evals.answers import AnswerScore, abstention, by_category, calibration, canonical, score, simplify, summary


def test_an_answer_is_simplified_and_both_are_put_in_canonical_form() -> None:
    scored = score("The answer is two dogs.", "2 dogs", category="told", abstained=False, confidence=0.9)
    assert scored.f1 == 1.0
    assert scored.bleu1 == 1.0
    assert scored.right


@pytest.mark.parametrize(("abstained", "f1"), [(True, 1.0), (False, 0.0)])
def test_an_unanswerable_question_is_right_when_the_answer_abstains(abstained: bool, f1: float) -> None:
    scored = score("Paris", "", category="adversarial", abstained=abstained, confidence=0.5, unanswerable=True)
    assert scored.f1 == f1


def test_abstaining_from_what_is_told_scores_nothing() -> None:
    assert score("", "Paris", category="told", abstained=True, confidence=0.5).f1 == 0.0


def test_abstention_has_precision_and_recall() -> None:
    scores = [
        AnswerScore("adversarial", 0.9, 1.0, 1.0, unanswerable=True, abstained=True),
        AnswerScore("adversarial", 0.9, 0.0, 0.0, unanswerable=True),
        AnswerScore("told", 0.9, 0.0, 0.0, abstained=True),
    ]
    assert abstention(scores) == {"precision": 0.5, "recall": 0.5}
    assert abstention([]) == {"precision": None, "recall": None}


def test_calibration_is_the_gap_between_confidence_and_how_often_it_is_right() -> None:
    scores = [
        AnswerScore("told", 0.75, 1.0, 1.0),
        AnswerScore("told", 0.75, 0.0, 0.0),
        AnswerScore("told", 1.0, 1.0, 1.0),
    ]
    table = calibration(scores)
    assert [row["answers"] for row in table["bins"]] == [2, 1]
    assert table["ece"] == pytest.approx(2 / 3 * 0.25)
    assert calibration([])["ece"] is None


def test_the_summary_has_the_fields_of_an_evaluation() -> None:
    scores = [AnswerScore("a", 0.5, 0.5, 0.25), AnswerScore("b", 0.5, 1.0, 0.75)]
    assert by_category(scores)["a"] == {"f1": 0.5, "bleu1": 0.25}
    assert summary(scores)["f1"] == 0.75
    assert set(summary(scores)) == {
        "f1", "bleu1", "abstention", "f1_answerable", "macro_f1", "macro_f1_plain", "f1_plain", "adversarial",
        "calibration",
    }  # fmt: skip


def test_the_macro_mean_gives_each_answerable_category_the_same_weight() -> None:
    scores = [
        AnswerScore("a", 0.5, 1.0, 1.0, plain_f1=1.0),
        AnswerScore("a", 0.5, 0.0, 0.0),
        AnswerScore("b", 0.5, 1.0, 1.0, plain_f1=0.5),
        AnswerScore("adversarial", 0.5, 1.0, 1.0, unanswerable=True, abstained=True, plain_f1=1.0),
        AnswerScore("adversarial", 0.5, 0.0, 0.0, unanswerable=True),
    ]
    made = summary(scores)
    assert (made["macro_f1"], made["macro_f1_plain"]) == (0.75, 0.5)
    assert made["f1_answerable"] == pytest.approx(2 / 3)
    assert (made["adversarial"], made["f1"]) == (0.5, 0.6)


def test_plain_f1_rewrites_neither_the_gold_nor_the_answer() -> None:
    scored = score("two dogs", "2 dogs", category="told", abstained=False, confidence=0.9)
    assert (scored.f1, scored.plain_f1) == (1.0, 0.5)


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("The answer is a red kite.", "a red kite"),
        ("According to the conversation, they met in Lisbon.", "they met in Lisbon"),
        ("I think that it was blue", "it was blue"),
        ("7 May 2023 [3]", "7 May 2023"),
        ("approximately 40 people", "40 people"),
        ("Lisbon", "Lisbon"),
        ("", ""),
        ("...", "..."),
    ],
)
def test_an_answer_loses_its_frame_and_keeps_its_words(said: str, plain: str) -> None:
    assert simplify(said) == plain


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("three dogs", "3 dogs"),
        ("twice", "2 times"),
        ("twenty-one", "21"),
        ("Aug 15th", "August 15"),
        ("14September, 2022", "14 September, 2022"),
        ("April.2023", "April 2023"),
        ("4,300 dollars", "4300 dollars"),
        ("someone", "someone"),
        ("in May", "in May"),
    ],
)
def test_numbers_and_dates_are_written_one_way(text: str, form: str) -> None:
    assert canonical(text) == form
