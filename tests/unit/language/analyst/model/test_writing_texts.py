"""What is believed of what a model writes."""

from hmem.language.analyst.model.schemas import WriteTexts
from hmem.language.analyst.model.writing_texts import written
from hmem.language.analyst.work import ToName, ToSummarise, Work


def summary(text: str, tokens: int = 10) -> str | None:
    said = WriteTexts.model_validate({"summaries": [{"n": 1, "text": text}]})
    return written(Work((ToSummarise((), tokens),)), said, "m/1").summaries[0]


def topic(text: str) -> str | None:
    said = WriteTexts.model_validate({"topics": [{"n": 1, "text": text}]})
    return written(Work((), (ToName(("a",), ("Maria",), ("pets",)),)), said, "m/1").topics[0]


def test_a_text_that_is_much_too_long_ends_with_a_sentence() -> None:
    assert summary("Maria adopted Coco. " * 10) == " ".join(["Maria adopted Coco."] * 4)


def test_a_text_without_a_sentence_that_fits_is_none() -> None:
    assert summary("x" * 200) is None
    assert summary("  ") is None


def test_a_topic_is_a_name_of_its_own() -> None:
    assert topic('"Dogs and cats."') == "Dogs and cats"
    assert (topic("maria"), topic("Pets"), topic("x" * 61), topic(". ")) == (None,) * 4
