"""What is believed of a model's compression."""

import pytest

from hmem.language.analyst.base import Compression
from hmem.language.analyst.language_model import ToCompress
from hmem.language.llm.compression import compress_data, compression, lesson
from hmem.language.llm.tasks import CompressText, DistilLesson

WORK = ToCompress("essay", ("Ben moved to Porto in 2024.", "He paid 1,200 euros.", "His cat is called Miso."))


def test_lines_are_numbered_from_one() -> None:
    assert compress_data(WORK) == {
        "type": "essay",
        "lines": [[1, WORK.lines[0]], [2, WORK.lines[1]], [3, WORK.lines[2]]],
    }


def test_only_lines_that_there_are_are_kept_each_once() -> None:
    said = CompressText(keep=[3, 1, 3, 0, 4], abstract="What it cost.")
    assert compression(WORK, said) == Compression((2, 0), "What it cost.")


@pytest.mark.parametrize("abstract", ["It cost 1,300 euros.", "The cat of Anna.", "word " * 61])
def test_an_abstract_with_another_number_or_name_or_without_end_is_left_out(abstract: str) -> None:
    assert compression(WORK, CompressText(keep=[1], abstract=abstract)) == Compression((0,), "")


def test_an_answer_without_anything_usable_is_none() -> None:
    assert compression(WORK, CompressText(keep=[9], abstract="  ")) is None


CASES = ["Task: Deploy 4.1\nWorked: no", "Task: Deploy 4.2\nWorked: yes\nLesson: Migrate first."]


def test_a_lesson_stands_on_cases_that_there_are() -> None:
    said = DistilLesson(lesson="Migrate  first.", cases=[2, 1, 2, 9])
    assert lesson(CASES, said) == ("Migrate first.", [0, 1])


@pytest.mark.parametrize(
    ("text", "cases"),
    [("", [1, 2]), ("Migrate first.", [2]), ("Migrate to 4.3 first.", [1, 2]), ("Then ask Anna.", [1, 2])],
)
def test_a_lesson_without_cases_or_with_more_than_they_tell_is_none(text: str, cases: list[int]) -> None:
    assert lesson(CASES, DistilLesson(lesson=text, cases=cases)) is None
