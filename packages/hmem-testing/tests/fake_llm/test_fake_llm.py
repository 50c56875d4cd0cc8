"""Real clients talk to the stand-in: OpenAI's own, and pydantic-ai."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.fake_llm_client import PLAN, task

from hmem_testing.fake_llm import ReplyRule, StandIn

openai = pytest.importorskip("openai")


@pytest.fixture
def server() -> Iterator[StandIn]:
    with StandIn(key="sk-test") as started:
        yield started


@pytest.fixture
def client(server: StandIn) -> Iterator[Any]:
    with openai.OpenAI(base_url=server.url, api_key="sk-test", max_retries=0, timeout=60) as made:
        yield made


def test_openai_gets_json_by_a_schema(client: Any) -> None:
    made = client.chat.completions.create(**task(PLAN))
    assert json.loads(made.choices[0].message.content)["parts"][0]["text"] == PLAN["question"]
    assert made.usage.total_tokens == made.usage.prompt_tokens + made.usage.completion_tokens


def test_openai_streams(client: Any) -> None:
    body = task(PLAN, stream=True, stream_options={"include_usage": True})
    chunks = list(client.chat.completions.create(**body))
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert json.loads(text)["parts"]
    assert chunks[-1].usage.completion_tokens > 0


def test_openai_embeds_in_base64_by_default_and_lists_models(client: Any) -> None:
    made = client.embeddings.create(model="stand-in-embedding", input=["a puppy", "a dog"], dimensions=64)
    assert [len(each.embedding) for each in made.data] == [64, 64]
    assert "stand-in" in {each.id for each in client.models.list()}


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        (ReplyRule("busy", seconds=0), "RateLimitError"),
        (ReplyRule("error"), "InternalServerError"),
        (ReplyRule("unauthorized"), "AuthenticationError"),
        (ReplyRule("cut"), "APIConnectionError"),
        (ReplyRule("silent", seconds=0.1), "APIConnectionError"),
    ],
    ids=lambda each: each.do if isinstance(each, ReplyRule) else each,
)
def test_openai_tells_each_failure_by_its_name(server: StandIn, client: Any, rule: ReplyRule, error: str) -> None:
    server.follow([rule])
    with pytest.raises(getattr(openai, error)):
        client.chat.completions.create(**task(PLAN))


def test_openai_gives_up_waiting_for_a_server_that_is_silent(server: StandIn, client: Any) -> None:
    server.follow([ReplyRule("silent", seconds=60)])
    with pytest.raises(openai.APITimeoutError):
        client.with_options(timeout=0.2).chat.completions.create(**task(PLAN))


def test_openai_tries_a_busy_server_again(server: StandIn, client: Any) -> None:
    server.follow([ReplyRule("busy", calls="1", seconds=0)])
    assert client.with_options(max_retries=2).chat.completions.create(**task(PLAN)).choices
    assert [call.status for call in server.calls] == [429, 200]


def test_openai_agents_of_other_frameworks_get_their_tool_call_and_their_text(server: StandIn, client: Any) -> None:
    server.follow([ReplyRule("tool", name="recall", content={"query": "puppy"}, calls="1")])
    tool = {"type": "function", "function": {"name": "recall", "parameters": {"type": "object", "properties": {}}}}
    asked: list[Any] = [{"role": "user", "content": "What is my puppy called?"}]
    first = client.chat.completions.create(model="m", messages=asked, tools=[tool]).choices[0]
    assert first.finish_reason == "tool_calls"
    asked += [first.message, {"role": "tool", "tool_call_id": first.message.tool_calls[0].id, "content": "Coco"}]
    second = client.chat.completions.create(model="m", messages=asked, tools=[tool]).choices[0]
    assert (second.finish_reason, second.message.content) == ("stop", "Coco")


def test_openai_gets_the_same_by_its_protocol_of_responses(client: Any) -> None:
    form = {"type": "json_schema", "name": "plan", "schema": {"type": "object"}}
    asked: dict[str, Any] = {"model": "m", "input": f"<data>{json.dumps(PLAN)}</data>", "text": {"format": form}}
    made = client.responses.create(**asked)
    assert json.loads(made.output_text) == json.loads(
        client.chat.completions.create(**task(PLAN)).choices[0].message.content
    )
    assert made.usage.total_tokens > 0
    with client.responses.stream(**asked) as streamed:
        assert streamed.get_final_response().output_text == made.output_text


def test_openai_tells_a_refusal_and_an_unfinished_answer_of_a_response(server: StandIn, client: Any) -> None:
    server.follow([ReplyRule("refusal", calls="1,2"), ReplyRule("unfinished", calls="3")])
    asked: dict[str, Any] = {"model": "m", "input": [{"role": "user", "content": "Hello there"}], "instructions": "Hi"}
    assert client.responses.create(**asked).output[0].content[0].type == "refusal"
    with client.responses.stream(**asked) as streamed:
        assert "sorry" in streamed.get_final_response().output[0].content[0].refusal
    assert client.responses.create(**asked).incomplete_details.reason == "max_output_tokens"


@pytest.fixture
def claude(server: StandIn) -> Iterator[Any]:
    anthropic = pytest.importorskip("anthropic")
    base = server.url.removesuffix("/v1")
    with anthropic.Anthropic(base_url=base, api_key="sk-test", max_retries=0, timeout=60) as made:
        yield made


ASKED: dict[str, Any] = {"model": "m", "max_tokens": 4_000}


def test_anthropics_client_gets_a_task_by_a_tool_by_its_data_and_in_a_stream(server: StandIn, claude: Any) -> None:
    said = [{"role": "user", "content": f"<data>{json.dumps(PLAN)}</data>"}]
    tool = {"name": "plan", "input_schema": {"type": "object"}}
    named = claude.messages.create(
        messages=said, system="Plan.", tools=[tool], tool_choice={"type": "tool", "name": "plan"}, **ASKED
    )
    assert named.stop_reason == "tool_use"
    assert named.content[0].input["parts"][0]["text"] == PLAN["question"]
    plain = claude.messages.create(messages=said, **ASKED)
    assert (plain.stop_reason, json.loads(plain.content[0].text)) == ("end_turn", named.content[0].input)
    assert plain.usage.output_tokens > 0
    with claude.messages.stream(messages=said, **ASKED) as streamed:
        assert streamed.get_final_text() == plain.content[0].text


def test_anthropics_client_is_told_of_failures_refusals_and_what_tools_found(server: StandIn, claude: Any) -> None:
    anthropic = pytest.importorskip("anthropic")
    rules = [
        ReplyRule("busy", calls="1"),
        ReplyRule("refusal", calls="2"),
        ReplyRule("tool", name="recall", content={"query": "puppy"}, calls="3"),
    ]
    server.follow(rules)
    said: list[Any] = [{"role": "user", "content": "What is my puppy called?"}]
    tools = [{"name": "recall", "input_schema": {"type": "object"}}]
    with pytest.raises(anthropic.RateLimitError):
        claude.messages.create(messages=said, **ASKED)
    refused = claude.messages.create(messages=said, **ASKED)
    assert (refused.stop_reason, refused.content) == ("refusal", [])
    called = claude.messages.create(messages=said, tools=tools, **ASKED).content[0]
    assert (called.name, called.input) == ("recall", {"query": "puppy"})
    found = {"type": "tool_result", "tool_use_id": called.id, "content": "Coco"}
    said += [{"role": "assistant", "content": [called.model_dump()]}, {"role": "user", "content": [found]}]
    assert claude.messages.create(messages=said, tools=tools, **ASKED).content[0].text == "Coco"


@pytest.mark.parametrize("streamed", [False, True])
def test_openais_agents_call_their_tools_and_answer(server: StandIn, streamed: bool) -> None:
    agents = pytest.importorskip("agents")
    server.follow([ReplyRule("tool", name="recall", content={"query": "puppy"}, calls="1")])

    @agents.function_tool
    def recall(query: str) -> str:
        """What is remembered."""
        return f"{query}: Coco"

    async def run() -> str:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="sk-test", max_retries=0) as client:
            model = agents.OpenAIResponsesModel("stand-in", client)
            agent = agents.Agent(name="Keeper", instructions="Recall.", model=model, tools=[recall])
            off = agents.RunConfig(tracing_disabled=True)
            if not streamed:
                return (await agents.Runner.run(agent, "What is my puppy called?", run_config=off)).final_output
            made = agents.Runner.run_streamed(agent, "What is my puppy called?", run_config=off)
            async for _ in made.stream_events():
                pass
            return made.final_output

    assert asyncio.run(run()) == "puppy: Coco"
    assert [call.did for call in server.calls] == ["tool", "right"]


@asynccontextmanager
async def _agent(server: StandIn, output: Any) -> AsyncIterator[Any]:
    agents = pytest.importorskip("pydantic_ai")
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async with openai.AsyncOpenAI(base_url=server.url, api_key="sk-test", max_retries=0) as client:
        model = OpenAIChatModel("stand-in", provider=OpenAIProvider(openai_client=client))
        yield agents.Agent(model, output_type=output, retries=1)


def _run(server: StandIn, output: Any, prompt: str) -> Any:
    async def run() -> Any:
        async with _agent(server, output) as agent:
            return await agent.run(prompt)

    return asyncio.run(run())


@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
def test_pydantic_ai_gets_its_output_in_each_of_its_modes(server: StandIn, mode: str) -> None:
    output = pytest.importorskip("pydantic_ai.output")
    from hmem.language.llm.tasks import PlanQuestion

    kind = {"native": output.NativeOutput, "tool": output.ToolOutput, "prompted": output.PromptedOutput}[mode]
    made = _run(server, kind(PlanQuestion, name="plan"), f"<data>{json.dumps(PLAN)}</data>")
    assert made.output.parts[0].text == PLAN["question"]
    assert made.usage.output_tokens > 0
    assert server.calls[0].task == "plan"


def test_pydantic_ai_asks_again_after_json_of_another_schema(server: StandIn) -> None:
    output = pytest.importorskip("pydantic_ai.output")
    from hmem.language.llm.tasks import JudgeFeedback

    server.follow([ReplyRule("wrong-schema", calls="1")])
    data = {"task": "feedback", "question": "Q?", "answer": "A", "reply": "That is wrong."}
    made = _run(server, output.NativeOutput(JudgeFeedback, name="feedback"), f"<data>{json.dumps(data)}</data>")
    assert made.output.reaction == "reject"
    assert [call.did for call in server.calls] == ["wrong-schema", "right"]


def test_pydantic_ai_calls_its_tools_and_streams_a_text(server: StandIn) -> None:
    server.follow([ReplyRule("tool", name="recall", content={"query": "puppy"}, calls="1")])

    async def run() -> tuple[str, str]:
        async with _agent(server, str) as agent:

            @agent.tool_plain
            def recall(query: str) -> str:
                return f"{query}: Coco"

            said = (await agent.run("What is my puppy called?")).output
            async with agent.run_stream("Hello there, this is a longer text") as streamed:
                return said, await streamed.get_output()

    assert asyncio.run(run()) == ("puppy: Coco", "I read: Hello there, this is a longer text")


@pytest.mark.parametrize(
    ("provider", "mode"),
    [("openai", ""), ("openai", "#tool"), ("ollama", "#native"), ("anthropic", ""), ("anthropic", "#prompted")],
)
def test_the_model_analyst_believes_through_every_provider_what_is_stated(
    server: StandIn, provider: str, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pydantic_ai")
    from hmem.language.analyst import Passage, analyst
    from hmem.language.llm.model import load
    from hmem.model.turn import Turn

    monkeypatch.setenv("HMEM_API_KEY", "sk-test")
    base = server.url.removesuffix("/v1") if provider == "anthropic" else server.url
    name = "claude-haiku-4-5" if provider == "anthropic" else "small"
    model = load(provider, f"{name}@{base}{mode}").model
    at = datetime(2023, 8, 11, 10, tzinfo=UTC)
    turns = (
        Turn("1", "Maria", "I adopted a puppy named Coco two weeks ago. I live in Lisbon now.", at, "s"),
        Turn("2", "Ben", "Great! On 5 July I painted the fence green.", at, "s"),
    )
    passage, verbatim = Passage(turns, speakers=("Maria", "Ben")), analyst("verbatim")
    try:
        read = model.read(passage)
        statements, claims = [[*each.statements] for each in read], [[*each.claims] for each in read]
        assert statements == verbatim.events([passage])[0]
        told = verbatim.claims([passage], [statements])[0]
        # A model claims values only; sentences of threads have none.
        assert claims == [[claim for claim in each if claim.value] for each in told]
        question = "Where did Maria go in July 2023?"
        assert model.plan(question, at, ["Maria", "Ben"]) == verbatim.plan(question, at, ["Maria", "Ben"])
        assert model.feedback("Where?", "In Porto", "No, that's wrong.") == "reject"
    finally:
        model.close()
    assert [call.did for call in server.calls] == ["right"] * 3
