"""The tools that write."""

from collections.abc import Callable

from mcp.types import CallToolResult
from tests.unit.interfaces.mcp.conftest import fields, text_of

from hmem import Turn
from hmem.interfaces.mcp.memories import Memories
from hmem.language.prompt_text import framed

Call = Callable[..., CallToolResult]


def turn_of(memories: Memories, message_id: str) -> Turn:
    return next(turn for turn in memories.get().list() if turn.message_id == message_id)


def test_what_is_remembered_is_found_at_once_and_kept_once(memories: Memories, call: Call) -> None:
    first = fields(call("remember", text="My sister is called Inês", message_id="x1"))
    again = fields(call("remember", text="My sister is called Inês", message_id="x1"))
    assert (first["fate"], again["fate"]) == ("stored", "duplicate")
    assert first["id"] == again["id"]
    found = fields(call("recall", question="sister"))
    assert found["evidence"][0]["id"] == first["id"]


def test_what_was_recalled_is_not_remembered_with_what_is_said(memories: Memories, call: Call) -> None:
    made = fields(call("remember", text=f"I agree. {framed('Maria: I live in Porto')}"))
    held = memories.get().get(made["id"])
    assert isinstance(held, Turn)
    assert held.text == "I agree."


def test_what_was_recalled_alone_is_not_remembered_at_all(call: Call) -> None:
    result = call("remember", text=framed("Maria: I live in Porto"))
    assert result.is_error
    assert text_of(result).startswith("InvalidTurn: ")


def test_a_correction_stands_in_the_place_of_what_was_wrong(memories: Memories, call: Call) -> None:
    wrong = turn_of(memories, "m1").id
    change = fields(call("correct", id=wrong, text="I adopted a kitten named Coco", why="it was a joke"))
    assert change["verb"] == "correct"
    assert change["by"] == "agent"
    texts = [each["text"] for each in fields(call("recall", question="Coco"))["evidence"]]
    assert "I adopted a kitten named Coco" in texts
    assert "I adopted a puppy named Coco" not in texts
    history = fields(call("note_history", id=wrong))
    assert [each["why"] for each in history["changes"]] == ["it was a joke"]


def test_an_outcome_is_found_for_the_next_task_like_it(call: Call) -> None:
    steps = ["waited longer", f"polled {framed('Maria: I live in Porto')}"]
    kept = fields(call("outcome", task="Fix the flaky upload test", worked=False, steps=steps, lesson="Poll."))
    found = call("cases", task="The download test is flaky")
    assert [(case["id"], case["worked"]) for case in fields(found)["cases"]] == [(kept["id"], False)]
    assert f'{kept["id"]} "Task: Fix the flaky upload test 1. waited longer' in text_of(found)
    assert "Porto" not in text_of(found)
    assert fields(call("cases", task="What is the capital of Peru?"))["cases"] == []


def test_forget_only_shows_what_would_go_until_it_is_confirmed(memories: Memories, call: Call) -> None:
    preview = fields(call("forget", query="puppy"))
    assert (preview["forgotten"], preview["turns"]) == (False, 1)
    assert preview["samples"]
    assert turn_of(memories, "m1")
    refused = call("forget", query="puppy", confirm=True, turns=3)
    assert refused.is_error
    assert "1 turn would go now" in text_of(refused)
    assert turn_of(memories, "m1")
    done = fields(call("forget", query="puppy", confirm=True, turns=1))
    assert done["forgotten"]
    assert [turn.message_id for turn in memories.get().list() if turn.message_id == "m1"] == []


def test_forget_without_a_condition_is_refused(call: Call) -> None:
    result = call("forget", confirm=True)
    assert result.is_error
    assert text_of(result) == "InvalidQuery: nothing says what to forget - give an id or a condition"


def test_feedback_is_kept_for_all_or_for_none(memories: Memories, call: Call) -> None:
    known = turn_of(memories, "m1").id
    refused = call("feedback", ids=[known, "turn_01M7Z6S4HYW8Y3WEBA0ZRPA40G"], verdict="approve")
    assert refused.is_error
    assert [change for change in memories.get().history() if change.verb == "feedback"] == []
    made = fields(call("feedback", ids=[known], verdict="approve", why="just so"))
    assert [each["verb"] for each in made["changes"]] == ["feedback"]


def test_what_is_pinned_is_in_every_context_until_it_is_unpinned(memories: Memories, call: Call) -> None:
    coco = turn_of(memories, "m1").id
    made = fields(call("pin", id=coco, why="a rule"))
    assert (made["verb"], made["target"], made["why"], made["by"]) == ("pin", coco, "a rule", "agent")
    assert fields(call("context", question="What was painted?"))["citations"]["1"] == coco
    assert text_of(call("unpin", id=coco)).startswith(f"unpinned {coco} (change change_")
    assert "Pinned" not in fields(call("context", question="What was painted?"))["text"]
