"""Core of the adapters: what was said becomes turns, and a question becomes text or evidence for a prompt.

An agent goes on when the server of its memory is away: it recalls nothing, what was said waits in the process until the
server is back, and a warning of the logger ``hmem.adapters`` tells it. All other errors are raised.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from threading import Lock
from typing import Annotated, Any, Final, Unpack

from hmem import AsyncMemory, Evidence, MemoryLike
from hmem.api.ingestion import without_warnings
from hmem.errors import InputError, InvalidTurn, ServerUnavailable
from hmem.language.prompt_text import framed, quote_text, quoted_name, without_frames
from hmem.retrieval.filter import Conditions

TOKENS: Final = 600

LOGGER: Final = logging.getLogger("hmem.adapters")
_NO_MEMORY_TEXT: Final = "Nothing about this is remembered."
# Names of the roles that the person and the agent have in frameworks.
_ROLES: Final[Mapping[str, str]] = {
    "user": "user", "human": "user",
    "assistant": "assistant", "model": "assistant", "ai": "assistant", "chatbot": "assistant",
}  # fmt: skip

Message = dict[str, Any]
Tool = Callable[[str], str]
AnyMemory = MemoryLike | AsyncMemory


def blocking(memory: AnyMemory) -> MemoryLike:
    """Return a memory whose methods block; that of an ``AsyncMemory`` is the one that it wraps."""
    return memory.memory if isinstance(memory, AsyncMemory) else memory


class AgentMemory:
    """Memory as an agent uses it, here or at a server. Thread-safe.

    Its methods block; asynchronous adapters call them in a thread.

    Args:
        memory: where turns are kept; the caller closes it.
        speaker: the name of the person who talks with the agent.
        agent: the name that the agent speaks under.
        user: the user of the memory whose turns these are, and who alone recalls them; None for a memory of one user.
        tokens: the budget of a recalled context, besides the marks around it.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        speaker: str = "user",
        agent: str = "assistant",
        user: str | None = None,
        tokens: int = TOKENS,
    ) -> None:
        self.memory = blocking(memory)
        self.user = user
        self.tokens = tokens
        self._speakers = {"user": speaker, "assistant": agent}
        self._lock = Lock()
        self._waiting: list[Message] = []

    # Recall.

    def recall(self, question: str, **conditions: Unpack[Conditions]) -> str:
        """Return the context for a question in a frame; "" when nothing is found, asked, or to be reached.

        Raises:
            InvalidQuery, InvalidTime: the budget is below 1 token, or a condition cannot be used.
        """
        try:
            return self._context(question, conditions) if question.strip() else ""
        except ServerUnavailable as error:
            LOGGER.warning("nothing is recalled: %s", error)
            return ""

    def _context(self, question: str, conditions: Conditions) -> str:
        text = self.memory.context(question, self.tokens, **self._of_user(conditions)).text
        return framed(text) if text else ""

    def evidence(self, question: str, k: int = 10, **conditions: Unpack[Conditions]) -> tuple[Evidence, ...]:
        """Return the ``k`` best pieces of evidence; none when nothing is asked, or the server cannot be reached."""
        try:
            has_question = question.strip() and k > 0
            return self.memory.search(question, k, **self._of_user(conditions)).evidence if has_question else ()
        except ServerUnavailable as error:
            LOGGER.warning("nothing is recalled: %s", error)
            return ()

    def _of_user(self, conditions: Conditions) -> Conditions:
        # None is no condition, and must not hide the user.
        fields: Any = {name: value for name, value in conditions.items() if value is not None}
        scoped_fields: Any = fields if self.user is None else {"user": self.user, **fields}
        return scoped_fields

    # Capture.

    def turn(
        self,
        text: str,
        role: str,
        *,
        speaker: str | None = None,
        at: datetime | float | None = None,
        message_id: str | None = None,
    ) -> Message | None:
        """Return the message that keeps what was said, without recalled text; None when nothing else was said.

        A role other than those of the person and the agent is not theirs, and gives None too. With a ``message_id`` it
        is kept only once.
        """
        words, ours = without_frames(text), _ROLES.get(role)
        if not words or ours is None:
            return None
        message: Message = {"text": words, "role": ours, "speaker": speaker or self._speakers[ours]}
        # What has to wait for a server keeps its time.
        message["at"] = at if at is not None else datetime.now(UTC)
        return message if message_id is None else message | {"message_id": message_id}

    def keep(self, messages: Iterable[Message | None], session: str | None = None, *, user: str | None = None) -> int:
        """Keep messages of a session, after those that wait; return the number of turns that were kept or known.

        Raises:
            MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        scope: Mapping[str, Any] = {"session": session, "user": user or self.user}
        defaults = {name: value for name, value in scope.items() if value is not None}
        with self._lock:
            batch = [*self._waiting, *({**defaults, **message} for message in messages if message)]
            if not batch:
                return 0
            try:
                with without_warnings():
                    receipts = self.memory.add(batch)
            except ServerUnavailable as error:
                self._waiting = batch
                LOGGER.warning("%d messages wait to be kept: %s", len(batch), error)
                return 0
            self._waiting = []
        for receipt in receipts:
            if not receipt:
                LOGGER.warning("a message was not kept: %s", receipt.error)
        return sum(map(bool, receipts))

    def note(self, text: str, **fields: Any) -> str:
        """Keep one text, and return the id of its turn.

        Raises:
            InvalidTurn: the text is empty, or nothing is left of it without recalled text.
            ServerUnavailable: the server cannot be reached; nothing was kept.
        """
        words = without_frames(text)
        if text.strip() and not words:
            raise InvalidTurn("nothing is said here that was not recalled - say it in words of your own")
        message_fields = {"role": "user", "speaker": self._speakers["user"], "user": self.user, **fields}
        return self.memory.add(
            {"text": words, **{name: value for name, value in message_fields.items() if value is not None}}
        ).id

    # Tools.

    def remember(self, text: str, session: str | None = None, *, user: str | None = None) -> str:
        """Keep a text for a model, and return what to tell it."""
        try:
            self.note(text, session=session, user=user or self.user)
        except (InputError, ServerUnavailable) as error:
            return f"Not remembered: {error}"
        return "Remembered."

    def look_up(self, question: str, **conditions: Unpack[Conditions]) -> str:
        """Return what is recalled for a question of a model, or a sentence that says why nothing is."""
        try:
            return self._context(question, conditions) or _NO_MEMORY_TEXT
        except (InputError, ServerUnavailable) as error:
            return f"Nothing was looked up: {error}"

    def tools(self, session: str | None = None) -> tuple[Tool, Tool]:
        """Return ``remember`` and ``recall`` as functions that a framework makes tools of."""

        def remember(text: Annotated[str, "a whole sentence that names whom and what the fact is about"]) -> str:
            """Keep a fact about the user or the task for later conversations."""
            return self.remember(text, session)

        def recall(question: Annotated[str, "what to look up, as a question in plain words"]) -> str:
            """Look up what is remembered of earlier conversations."""
            return self.look_up(question)

        return remember, recall


def words(item: Evidence) -> str:
    """Return what a piece of evidence says, on one line and safe in a prompt."""
    photo = f"[photo: {quote_text(item.caption)}]" if item.caption else ""
    old = f"[{item.why.outdated}]" if item.why.outdated else ""
    return " ".join(filter(None, (quote_text(item.text), photo, old)))


def line(item: Evidence) -> str:
    """Return a piece of evidence on one line, safe in a prompt: when, who, and what was said."""
    speaker = f"{quoted_name(item.speaker)}: " if item.speaker else ""
    return f"{item.when:%Y-%m-%d %H:%M} {speaker}{words(item)}"
