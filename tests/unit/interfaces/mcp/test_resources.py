"""What a client can read and be offered without a tool."""

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from tests.unit.interfaces.mcp.conftest import Talk

from hmem.interfaces.mcp.memories import Memories
from hmem.language.prompt_text import NOTICE


async def read(client: Client, uri: str) -> str:
    part = (await client.read_resource(uri)).contents[0]
    return getattr(part, "text", "")


def test_the_resources_are_those_of_the_project_and_of_the_user(talk: Talk) -> None:
    listed = talk(lambda client: client.list_resources()).resources
    names = ("persona", "timeline", "notes")
    assert {str(each.uri) for each in listed} == {f"hmem://{user}{name}" for user in ("", "user/") for name in names}
    templates = talk(lambda client: client.list_resource_templates()).resource_templates
    assert {each.uri_template for each in templates} == {"hmem://turns/{id}", "hmem://notes/{subject}"}


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("hmem://persona", "baker"),
        ("hmem://timeline", "# 2023-09"),
        ("hmem://notes", "Lisbon"),
        ("hmem://notes/Maria", "Lisbon"),
        ("hmem://user/notes", "None yet."),
    ],
)
def test_a_resource_tells_and_says_that_it_is_data(talk: Talk, uri: str, said: str) -> None:
    text = talk(lambda client: read(client, uri))
    assert text.startswith(NOTICE)
    assert said in text


def test_a_turn_is_there_word_for_word(talk: Talk, memories: Memories) -> None:
    turn = memories.get().list()[0]
    text = talk(lambda client: read(client, f"hmem://turns/{turn.id}"))
    assert turn.text in text
    assert turn.speaker in text


def test_a_turn_that_is_not_kept_is_a_named_error(talk: Talk) -> None:
    async def ask(client: Client) -> str:
        with pytest.raises(MCPError) as caught:
            await read(client, "hmem://turns/turn_01M7Z6S4HYW8Y3WEBA0ZRPA40G")
        return str(caught.value)

    assert "UnknownId" in talk(ask)


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
