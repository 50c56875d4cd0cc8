"""Letta's agent files (``.af``): the memory blocks of agents, and what was said to them and by them."""

import json
from collections.abc import Iterator
from typing import Any, Final

from hmem_import.reading import Fields, digest, fields, given, items, moment, objects, text

NAME: Final = "letta"
# Tools by which an agent speaks; its other words are thoughts, except of agents that speak without a tool.
_SPEAKS: Final = "send_message"
_DIRECT: Final = "letta_v1_agent"


def looks_like(data: Any) -> bool:
    """Tell if data is an agent file, of one agent (until 2025) or of several."""
    held = fields(data)
    several = isinstance(held.get("agents"), list) and isinstance(held.get("blocks"), list)
    return several or {"agent_type", "core_memory", "messages"} <= held.keys()


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the blocks and the messages of all agents, as ``Memory.add`` takes them."""
    held = fields(data)
    blocks = {text(each.get("id")): each for each in objects(held.get("blocks"))}
    for place, agent in enumerate(objects(held.get("agents")) if "agents" in held else [held]):
        name = text(agent.get("name")) or f"agent-{place}"
        own = [blocks[each] for each in items(agent.get("block_ids")) if isinstance(each, str) and each in blocks]
        written = _first_time(agent)
        for block in own or objects(agent.get("core_memory")):
            yield from _block(block, name, written)
        for number, message in enumerate(objects(agent.get("messages"))):
            yield from _message(message, agent, name, number)


def _first_time(agent: Fields) -> str | None:
    times = (moment(each.get("created_at")) for each in objects(agent.get("messages")))
    return next((each for each in times if each), moment(agent.get("created_at")))


def _block(block: Fields, agent: str, at: str | None) -> Iterator[dict[str, Any]]:
    """Yield a memory block, as told by the agent's memory: it is in nobody's own words."""
    said, label = text(block.get("value")), text(block.get("label"))
    if said:
        yield given(
            text=said,
            speaker=agent,
            role="assistant",
            at=moment(block.get("updated_at")) or moment(block.get("created_at")) or at,
            session=f"{NAME}:{agent}:blocks",
            message_id=f"{NAME}:{agent}:block:{digest(label, said)}",
            agent=agent,
            metadata={"block": label},
        )


def _message(message: Fields, agent: Fields, name: str, number: int) -> Iterator[dict[str, Any]]:
    role = text(message.get("role"))
    own = text(message.get("id")) or str(number)
    at = moment(message.get("created_at"))
    if role not in ("user", "assistant"):
        return
    for place, said in enumerate(_from_user(message) if role == "user" else _from_agent(message, agent)):
        if said:
            yield given(
                text=said,
                speaker=text(message.get("name")) if role == "user" else name,
                role=role,
                at=at,
                session=f"{NAME}:{name}",
                # Ids count from zero in each file.
                message_id=f"{NAME}:{name}:{own}:{digest(at or '', said, str(place))}",
                agent=name,
            )


def _text(message: Fields) -> str:
    content = message.get("content")
    parts = [text(each.get("text")) for each in objects(content) if each.get("type") == "text"]
    return "\n\n".join(filter(None, parts)) or text(content) or text(message.get("text"))


def _from_user(message: Fields) -> Iterator[str]:
    """Yield what the user said; Letta wraps it in JSON with its kind and time, and so what it tells by itself."""
    said = _text(message)
    packed = _json(said)
    if "type" not in packed:
        yield said
    elif packed.get("type") == "user_message":
        yield text(packed.get("message"))


def _from_agent(message: Fields, agent: Fields) -> Iterator[str]:
    spoken = False
    for call in objects(message.get("tool_calls")):
        function = fields(call.get("function"))
        if function.get("name") == _SPEAKS:
            spoken = True
            yield text(_json(text(function.get("arguments"))).get("message"))
    if not spoken and agent.get("agent_type") == _DIRECT:
        yield _text(message)


def _json(written: str) -> Fields:
    if not written.startswith("{"):
        return {}
    try:
        return fields(json.loads(written))
    except (ValueError, RecursionError):
        return {}
