"""A model compresses long turns."""

from pathlib import Path
from typing import Any

import pytest
from tests.models import Derived, open_with

from hmem import Memory
from hmem.errors import ModelGarbled
from hmem.evolution.compress import content_type
from hmem.language.analyst.language_model import ToCompress

LONG = " ".join(f"Line {place} says that box {place} holds {place} cups." for place in range(1, 30))


class Compressing(Derived):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.texts: list[ToCompress] = []

    def compress(self, work: ToCompress) -> Any:
        self.texts.append(work)
        return super().compress(work)


def opened(path: Path, model: Derived) -> Memory:
    return open_with(path, model, recipe="orchestrated", settings={"context.compressed": "96"})


def test_each_long_turn_is_compressed_once_line_by_line(path: Path) -> None:
    model = Compressing()
    with opened(path, model) as memory:
        memory.add(["A short one.", LONG, LONG])
        assert memory.model.run_jobs().texts >= 1
        (asked,) = model.texts
        assert asked.type == "essay"
        assert asked.lines[16] == "Line 17 says that box 17 holds 17 cups."
        assert memory.model.run_jobs().calls == 0
    with opened(path, model) as memory:
        memory.model.run_jobs()
    assert len(model.texts) == 1


def test_a_recipe_that_cuts_no_turns_asks_for_nothing(path: Path) -> None:
    model = Compressing()
    with open_with(path, model, recipe="flat") as memory:
        memory.add(LONG)
        memory.model.run_jobs()
    assert not model.texts


def test_what_the_model_cannot_compress_is_cut_without_it_and_not_asked_again(path: Path) -> None:
    def fails(number: int, asked: Any) -> None:
        if isinstance(asked, ToCompress):
            raise ModelGarbled("no - take another model")

    model = Compressing(fails=fails)
    with opened(path, model) as memory:
        memory.add(LONG)
        memory.model.run_jobs()
        memory.model.run_jobs()
        assert len(model.texts) == 1
        text = memory.context("What does box 17 hold?", tokens=200).text
        assert "Line 17 says that box 17 holds 17 cups." in text
        assert "[rest:" not in text


def test_a_forgotten_turn_leaves_no_compression(path: Path) -> None:
    with opened(path, Compressing()) as memory:
        kept = memory.add(LONG)
        memory.model.run_jobs()
        assert any(each.kind == "compression" for each in memory.corpus.model_queue.answers())
        memory.forget(kept.id)
        assert not memory.corpus.model_queue.answers()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (LONG, "essay"),
        ("See:\n```python\nimport json\n```", "code"),
        ("def step(state):\n    state.open = True\n    return state", "code"),
        ("Prices:\n| what | much |\n|---|---|\n| tea | 3 |", "table"),
        ("Look:\n02:09:58 postgres[811]: PANIC: no space\n02:10:00 CRON[9]: report", "log"),
    ],
)
def test_the_content_type_follows_from_the_form_of_the_lines(text: str, kind: str) -> None:
    assert content_type(text) == kind
