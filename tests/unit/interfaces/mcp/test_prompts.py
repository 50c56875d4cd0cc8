"""The prompts."""

from mcp import Client
from tests.unit.interfaces.mcp.conftest import Talk


async def get(client: Client, name: str, **arguments: str) -> str:
    message = (await client.get_prompt(name, arguments)).messages[0]
    return getattr(message.content, "text", "")


def test_the_prompts_are_these(talk: Talk) -> None:
    listed = talk(lambda client: client.list_prompts()).prompts
    assert {each.name for each in listed} == {"answer_from_memory", "catch_up", "keep_what_matters"}
    assert all(each.description for each in listed)


def test_a_question_comes_with_what_was_said_about_it(talk: Talk) -> None:
    text = talk(lambda client: get(client, "answer_from_memory", question="What is the puppy called?"))
    assert "Coco" in text
    assert text.endswith("Question: What is the puppy called?")
    assert "cannot" not in text


def test_a_question_that_is_none_still_gives_a_prompt(talk: Talk) -> None:
    assert "InvalidQuery" in talk(lambda client: get(client, "answer_from_memory", question=" "))


def test_catching_up_tells_of_people_and_of_the_last_days(talk: Talk) -> None:
    text = talk(lambda client: get(client, "catch_up"))
    assert "baker" in text
    assert "2023-09-14" in text


def test_keeping_what_matters_leaves_secrets_out(talk: Talk) -> None:
    assert "passwords" in talk(lambda client: get(client, "keep_what_matters"))
