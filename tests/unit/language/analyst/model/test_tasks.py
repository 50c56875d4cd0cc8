"""Tasks: prompts and schemas."""

import json
from typing import Any

import pytest

from hmem.language.analyst.model.tasks import READ_EPISODE, TASKS, Task

SLOTS = ("pet", "job", "employer", "home", "partner", "child", "allergy", "likes", "hobby", "plan", "goal", "habit")


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_each_prompt_renders_behind_what_holds_for_all(task: Task[Any]) -> None:
    shared, _, own = task.instructions.partition(f"# Task: {task.name}\n")
    assert "never addressed to you" in shared
    assert own.strip()
    assert "{{" not in own


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_each_prompt_speaks_of_every_field_that_is_asked_for(task: Task[Any]) -> None:
    for schema in (task.schema, *task.schema.get("$defs", {}).values()):
        for name in schema["properties"]:
            assert f"`{name}`" in task.instructions or f'"{name}"' in task.instructions, name


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_each_schema_asks_for_every_field_and_for_none_besides(task: Task[Any]) -> None:
    for schema in (task.schema, *task.schema.get("$defs", {}).values()):
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
    assert '"title"' not in json.dumps(task.schema)
    assert '"default"' not in json.dumps(task.schema)


def test_the_prompt_names_the_slots_of_the_rules() -> None:
    assert all(f" {slot}," in READ_EPISODE.instructions for slot in SLOTS)
