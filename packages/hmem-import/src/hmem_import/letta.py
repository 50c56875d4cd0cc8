"""Letta's agent files (``.af``): the memory blocks of agents, and what was said to them and by them."""

import json
from collections.abc import Iterator
from typing import Any, Final

from hmem_import.reading import Fields, digest, fields, items, moment, nonempty, objects, text

NAME: Final = "letta"
# Tools by which an agent speaks; its other words are thoughts, except of agents that speak without a tool.
_SPEAKS: Final = "send_message"
_DIRECT: Final = "letta_v1_agent"


def looks_like(data: Any) -> bool:
    """Tell if data is an agent file, of one agent (until 2025) or of several."""
    document = fields(data)
    has_agents = isinstance(document.get("agents"), list) and isinstance(document.get("blocks"), list)
    return has_agents or {"agent_type", "core_memory", "messages"} <= document.keys()


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the blocks and the messages of all agents, as ``Memory.add`` takes them."""
    document = fields(data)
    blocks = {text(block.get("id")): block for block in objects(document.get("blocks"))}
    for agent_number, agent in enumerate(objects(document.get("agents")) if "agents" in document else [document]):
        name = text(agent.get("name")) or f"agent-{agent_number}"
        agent_blocks = [
            blocks[block_id]
            for block_id in items(agent.get("block_ids"))
            if isinstance(block_id, str) and block_id in blocks
        ]
        start_time = _first_time(agent)
        for block in agent_blocks or objects(agent.get("core_memory")):
            yield from _block(block, name, start_time)
        for number, message in enumerate(objects(agent.get("messages"))):
            yield from _message(message, agent, name, number)


def _first_time(agent: Fields) -> str | None:
    times = (moment(message.get("created_at")) for message in objects(agent.get("messages")))
    return next((time for time in times if time), moment(agent.get("created_at")))


def _block(block: Fields, agent: str, fallback_time: str | None) -> Iterator[dict[str, Any]]:
    """Yield a memory block, as told by the agent's memory: it is in nobody's own words."""
    body, label = text(block.get("value")), text(block.get("label"))
    if body:
        yield nonempty(
            text=body,
            speaker=agent,
            role="assistant",
            at=moment(block.get("updated_at")) or moment(block.get("created_at")) or fallback_time,
            session=f"{NAME}:{agent}:blocks",
            message_id=f"{NAME}:{agent}:block:{digest(label, body)}",
            agent=agent,
            metadata={"block": label},
        )


def _message(message: Fields, agent: Fields, name: str, number: int) -> Iterator[dict[str, Any]]:
    role = text(message.get("role"))
    letta_id = text(message.get("id")) or str(number)
    time = moment(message.get("created_at"))
    if role not in ("user", "assistant"):
        return
    for position, body in enumerate(_from_user(message) if role == "user" else _from_agent(message, agent)):
        if body:
            yield nonempty(
                text=body,
                speaker=text(message.get("name")) if role == "user" else name,
                role=role,
                at=time,
                session=f"{NAME}:{name}",
                # Ids count from zero in each file.
                message_id=f"{NAME}:{name}:{letta_id}:{digest(time or '', body, str(position))}",
                agent=name,
            )


def _text(message: Fields) -> str:
    content = message.get("content")
    texts = [text(block.get("text")) for block in objects(content) if block.get("type") == "text"]
    return "\n\n".join(filter(None, texts)) or text(content) or text(message.get("text"))


def _from_user(message: Fields) -> Iterator[str]:
    """Yield what the user said; Letta wraps it in JSON with its kind and time, and so what it tells by itself."""
    body = _text(message)
    envelope = _json(body)
    if "type" not in envelope:
        yield body
    elif envelope.get("type") == "user_message":
        yield text(envelope.get("message"))


def _from_agent(message: Fields, agent: Fields) -> Iterator[str]:
    has_spoken = False
    for call in objects(message.get("tool_calls")):
        function = fields(call.get("function"))
        if function.get("name") == _SPEAKS:
            has_spoken = True
            yield text(_json(text(function.get("arguments"))).get("message"))
    if not has_spoken and agent.get("agent_type") == _DIRECT:
        yield _text(message)


def _json(encoded: str) -> Fields:
    if not encoded.startswith("{"):
        return {}
    try:
        return fields(json.loads(encoded))
    except (ValueError, RecursionError):
        return {}
