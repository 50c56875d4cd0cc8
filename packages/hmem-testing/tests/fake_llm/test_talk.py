"""A chat without a schema."""

from tests.fake_llm_client import Asker


def talk(asker: Asker, *messages: tuple[str, str]) -> str:
    body = {"messages": [{"role": role, "content": text} for role, text in messages]}
    return asker.post("/v1/chat/completions", body)[1]["choices"][0]["message"]["content"]


def test_it_answers_from_what_was_said_before(asker: Asker) -> None:
    context = "Known:\n- Maria adopted Coco in July 2023.\n- Ben painted the fence."
    assert "July 2023" in talk(asker, ("system", context), ("user", "When did Maria adopt Coco?"))


def test_it_says_what_it_read_when_nothing_was_said_before(asker: Asker) -> None:
    assert talk(asker, ("user", "Hello there")) == "I read: Hello there"


def test_what_a_tool_found_is_the_answer(asker: Asker) -> None:
    assert talk(asker, ("user", "What is my dog called?"), ("tool", "Coco")) == "Coco"


def test_content_may_come_in_parts(asker: Asker) -> None:
    parts = [{"type": "text", "text": "Hello"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    made = asker.post("/v1/chat/completions", {"messages": [{"role": "user", "content": parts}]})[1]
    assert made["choices"][0]["message"]["content"] == "I read: Hello"
