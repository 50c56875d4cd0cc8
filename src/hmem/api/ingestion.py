"""Ingestion of messages: kept at once as turns, formed behind the call or in it."""

import warnings
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, tzinfo
from typing import Any, Final, overload

from hmem.api.components import Components
from hmem.api.feedback import Feedback
from hmem.api.model_work import ModelWork
from hmem.formation.capture import Defaults, Message, capture, capture_one
from hmem.formation.messages import pair_fields
from hmem.language.containment import Fault, contained
from hmem.model.span import Duration
from hmem.model.turn import KeptReceipt, MessagesRejected, Receipt
from hmem.util.amounts import amount

_QUIET: Final = ContextVar("quiet", default=False)


@contextmanager
def without_warnings() -> Generator[None]:
    """Let the lists that are added in a block be refused without a warning: the caller tells of their receipts."""
    token = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(token)


def warn_of_rejected(receipts: Sequence[Receipt]) -> None:
    """Warn of the messages of a list that were not kept."""
    rejected = [(number, receipt) for number, receipt in enumerate(receipts) if not receipt]
    if rejected and not _QUIET.get():
        number, receipt = rejected[0]
        text = f"{len(rejected)} of {amount(len(receipts), 'message')} not kept; that at {number}: {receipt.error}"
        # Two frames of this library, and the front's, stand between this and the caller.
        warnings.warn(text, MessagesRejected, stacklevel=5)


class Ingestion:
    """Service that keeps messages as turns.

    Args:
        components: the components of the memory.
        feedback: judges new messages that may reply to a recall.
        model_work: reads new sessions at once if ``wait`` asks for it.
        zone: time zone of times without an offset.
        later: number of turns that may wait to be formed behind the calls that add them.
    """

    def __init__(
        self, components: Components, feedback: Feedback, model_work: ModelWork, *, zone: tzinfo, later: int = 0
    ) -> None:
        self._components = components
        self._feedback = feedback
        self._model_work = model_work
        self._zone = zone
        self._later = later
        self._tried = False
        self._kept_any = False

    @property
    def rejected_everything(self) -> bool:
        """True if messages were offered and none was ever kept."""
        return self._tried and not self._kept_any

    @overload
    def add(
        self, message: Message, *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> KeptReceipt: ...  # fmt: skip
    @overload
    def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> list[Receipt]: ...  # fmt: skip
    def add(
        self,
        message: Message | Sequence[Message],
        *,
        speaker: str | None = None,
        at: datetime | str | float | None = None,
        session: str | None = None,
        caption: str | None = None,
        message_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        user: str | None = None,
        agent: str | None = None,
        ttl: Duration | None = None,
        wait: bool = False,
    ) -> KeptReceipt | list[Receipt]:
        """Keep a message, or a list of them in one transaction: durable and searchable on return.

        What is formed of up to 64 turns is formed behind the call, and before anything formed is read.
        A message is a text, a mapping with ``text`` and the fields of a turn, or a message of an SDK as it is, or
        dumped: of OpenAI, Anthropic, Gemini, LangChain, pydantic-ai or the AI SDK. Calls and results of tools in it
        become turns of the role ``tool``; the receipt names them. What it does not say itself is taken from the
        arguments. Without a time it was said now; without a speaker, by its role, else by ``user``; without a
        session, in one for the day. The ``id`` of a message is its ``message_id``. ``ttl``, such as ``"30d"``, is
        how long after it was said it is recalled; then it is forgotten. With ``wait`` a language model, if there is
        one, reads the sessions first; what it cannot read now waits in its queue.

        Returns:
            A receipt, or for a list a receipt for each. In a list, what cannot be kept is ``rejected`` with
            its reason, with a ``MessagesRejected`` warning, and the rest is kept.

        Raises:
            InvalidTurn, InvalidTime: an argument is wrong, or a single message cannot be kept.
            MessageConflict: a single message cannot be kept.
            ReadOnlyMemory, MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        self._components.check_writable()
        corpus, mark_echoes = self._components.corpus, self._components.retrieval.mark_echoes
        self._tried = True
        limit = self._components.capture_options.turn_characters
        defaults = Defaults(self._zone, speaker, at, session, user, agent, ttl, limit).validate()
        message = pair_fields(message) or message
        if isinstance(message, Sequence) and not isinstance(message, str):
            with self._components.worker.adding():
                receipts = capture(corpus, message, defaults, mark_echoes)
                self._finish_add(receipts)
            warn_of_rejected(receipts)
            if wait:
                self._read(receipts)
            return receipts
        fields = {"caption": caption, "message_id": message_id, "metadata": metadata}
        options = {name: value for name, value in fields.items() if value is not None}
        with self._components.worker.adding():
            receipt = capture_one(corpus, message, options, defaults, mark_echoes)
            self._finish_add([receipt])
        if wait:
            self._read([receipt])
        return receipt

    def _read(self, receipts: Sequence[Receipt]) -> None:
        self._components.catch_up()
        self._keeping(lambda: self._model_work.read_now(receipts))

    def _keeping(self, follow: Callable[[], None]) -> None:
        """Do what follows once the turns are stored; they stay stored if that fails."""
        if isinstance(fault := contained(follow, raising=()), Fault):
            self._components.formation.pipeline.problem = str(fault)

    def _finish_add(self, receipts: Sequence[Receipt]) -> None:
        self._kept_any |= any(receipts) or not receipts
        if self._components.formation.config.forms_any:
            self._components.worker.leave(sum(receipt.fate == "stored" for receipt in receipts), self._later)
        self._components.retrieval.missing_notes.write(self._components.corpus)
        self._keeping(lambda: self._feedback.on_add(receipts))
