"""Context provider of Microsoft's Agent Framework over a memory. Needs the extra ``hmem[agent-framework]``."""

import asyncio
from typing import Any, Final

from hmem.errors import ExtraMissing
from hmem.language.prompt_text import without_frames
from hmem_agents.agent_memory import TOKENS, AgentMemory, AnyMemory

try:
    from agent_framework import AgentSession, ContextProvider, Message, SessionContext, SupportsAgentRun, tool
except ImportError as error:
    raise ExtraMissing("agent-framework-core is not installed - pip install 'hmem[agent-framework]'") from error

_SOURCE: Final = "hmem"


class HmemContextProvider(ContextProvider):
    """Context provider: ``Agent(…, context_providers=[HmemContextProvider(memory)])``.

    Before a run, the context for the user's message stands before it, as data; it does not enter the history. After a
    run, what the user and the agent said is kept, in the session of the framework. A run that fails is not kept. With
    ``tools`` the model may also remember and recall on its own.

    Args:
        memory: where turns are kept, here or at a server (``hmem.connect``); the caller closes it.
        speaker: the name of the person who talks with the agent; a message's own author goes first.
        agent: the name that the agent speaks under; by default the agent's own.
        user: the user of the memory whose turns these are.
        tokens: the budget of the recalled context, besides the marks around it.
        tools: whether the agent is given the tools ``remember`` and ``recall``.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        speaker: str = "user",
        agent: str | None = None,
        user: str | None = None,
        tokens: int = TOKENS,
        tools: bool = True,
    ) -> None:
        super().__init__(_SOURCE)
        self._store = AgentMemory(memory, speaker=speaker, user=user, tokens=tokens)
        self._agent = agent
        self._tools = tools

    async def before_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Add the context for the user's last message, and the tools."""
        del agent, state
        questions = (
            without_frames(message.text) for message in reversed(context.input_messages) if message.role == "user"
        )
        recalled_text = await asyncio.to_thread(self._store.recall, next(questions, ""))
        if recalled_text:
            context.extend_messages(self, [Message("user", [recalled_text])])
        if self._tools:
            tools = [
                tool(function, approval_mode="never_require") for function in self._store.tools(session.session_id)
            ]
            context.extend_tools(self.source_id, tools)

    async def after_run(
        self, *, agent: SupportsAgentRun, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Keep what was said in the run."""
        del state
        responses = context.response.messages if context.response else []
        turns = [
            self._store.turn(message.text, message.role, speaker=message.author_name)
            for message in context.input_messages
        ]
        name = self._agent or agent.name
        turns += [self._store.turn(message.text, message.role, speaker=name) for message in responses]
        await asyncio.to_thread(self._store.keep, turns, session.session_id)
