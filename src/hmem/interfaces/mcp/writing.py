"""Tools that write, beside those made from the table of operations: remember, forget, feedback."""

from typing import Annotated, Any, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from hmem.errors import InvalidQuery
from hmem.interfaces.mcp.memories import Memories
from hmem.interfaces.mcp.reading import Entity, MemoryArgument, Reason, Session, Speaker
from hmem.interfaces.mcp.results import (
    DEFAULT_TOKENS,
    ChangeList,
    ForgetResult,
    RememberResult,
    change_item,
    fit,
    tool_result,
)
from hmem.language.prompt_text import framed, harmless, is_framed, quote_text, without_frames
from hmem.util.amounts import amount

# Author of changes through this server, in the history.
AUTHOR: Final = "agent"
_PREVIEW_IDS: Final = 50
_SAMPLE: Final = 200


class Writing:
    """Tools that change a memory."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories

    def remember(
        self,
        text: Annotated[str, Field(description="What to remember, word for word or as a sentence of its own.")],
        speaker: Annotated[str | None, Field(description="Whose words they are; the user's by default.")] = None,
        at: Annotated[str | None, Field(description="When it was said, in ISO 8601; now by default.")] = None,
        session: Annotated[str | None, Field(description="Which session it is of; the day's by default.")] = None,
        message_id: Annotated[str | None, Field(description="Your id of the message, which is kept once.")] = None,
        ttl: Annotated[
            str | None, Field(description="For how long it is true, such as 7d; for good by default.")
        ] = None,
        memory: MemoryArgument = "project",
    ) -> Annotated[CallToolResult, RememberResult]:
        """Keep something for later sessions: what the user says of themselves, a decision, a preference, a result. \
It is found again at once. Do not keep what was recalled from here."""
        fields: dict[str, Any] = {
            "text": without_frames(text) if is_framed(text) else text,
            "speaker": speaker or "user",
            "at": at,
        }
        fields |= {"session": session, "message_id": message_id}
        message = {name: value for name, value in fields.items() if value is not None}
        receipt = self._memories.get(memory).add(message, ttl=ttl)
        result = RememberResult(fate="stored" if receipt.fate == "stored" else "duplicate", id=receipt.id or "")
        return tool_result(f"{result.fate}: {result.id}", result)

    def outcome(
        self,
        task: Annotated[str, Field(description="What was asked for.")],
        worked: Annotated[bool, Field(description="Whether it was done in the end.")],
        steps: Annotated[list[str], Field(description="What was tried, in its order.")] = [],  # noqa: B006 - the schema's default
        lesson: Annotated[str | None, Field(description="What to do, or not to do, the next time.")] = None,
        memory: MemoryArgument = "project",
    ) -> Annotated[CallToolResult, RememberResult]:
        """Keep what was tried for a task and whether it worked, once that is known, for the next task like it."""
        lesson = without_frames(lesson) if lesson else None
        steps, task = [without_frames(step) for step in steps], without_frames(task)
        receipt = self._memories.get(memory).outcome(task, worked=worked, steps=steps, lesson=lesson)
        return tool_result(f"{receipt.fate}: {receipt.id}", RememberResult(fate=receipt.fate, id=receipt.id))

    def forget(
        self,
        ids: Annotated[
            list[str] | None, Field(description="Ids of turns, events, notes, episodes, sessions or entities.")
        ] = None,
        speaker: Speaker = None,
        session: Session = None,
        since: Annotated[str | None, Field(description="What was said from this time on.")] = None,
        until: Annotated[str | None, Field(description="What was said before this time, in ISO 8601.")] = None,
        entity: Entity = None,
        query: Annotated[str | None, Field(description="The turns that hold all of these words.")] = None,
        k: Annotated[int, Field(ge=1, description="At most so many turns for `query`.")] = 10,
        why: Reason = None,
        confirm: Annotated[  # noqa: FBT002 - a tool's argument has a name
            bool, Field(description="Set it once the user has agreed to the preview.")
        ] = False,
        turns: Annotated[
            int | None, Field(description="Number of turns in the preview; nothing goes if it is another now.")
        ] = None,
        memory: MemoryArgument = "project",
    ) -> Annotated[CallToolResult, ForgetResult]:
        """Erase for good what meets all conditions, with everything derived from it; there is no way back. Call it \
first without `confirm` for a preview, show that to the user, and only then again with confirm=true. To mend something \
wrong use `correct`."""
        store = self._memories.get(memory)
        filters = {"speaker": speaker, "session": session, "since": since, "until": until}
        conditions: dict[str, Any] = {**filters, "entity": entity, "query": query, "k": k}
        preview = store.forget(*(ids or ()), preview=True, **conditions)
        result = ForgetResult(
            forgotten=confirm,
            turns=preview.turns,
            events=preview.events,
            notes=preview.notes,
            sessions=preview.sessions,
            ids=[] if confirm else list(preview.ids[:_PREVIEW_IDS]),
            samples=[] if confirm else [harmless(sample[:_SAMPLE]) for sample in preview.samples],
        )
        turns_text = amount(preview.turns, "turn")
        if not confirm:
            lines = "\n".join(quote_text(sample) for sample in result.samples)
            sample_text = f"\n{framed(lines)}" if lines else ""
            return tool_result(f"Would forget {turns_text}; nothing was forgotten yet.{sample_text}", result)
        if turns is not None and turns != preview.turns:
            raise InvalidQuery(f"{turns_text} would go now, not {turns} - look at a preview again")
        store.forget(*(ids or ()), why=why, by=AUTHOR, **conditions)
        return tool_result(f"Forgot {turns_text} for good.", result)

    def feedback(
        self,
        ids: Annotated[list[str], Field(min_length=1, description="Ids of turns, events or notes that were recalled.")],
        verdict: Annotated[
            Literal["approve", "reject", "none"],
            Field(description="approve: it was right and of use. reject: it was wrong or of no use. none: neither."),
        ],
        why: Reason = None,
        memory: MemoryArgument = "project",
    ) -> Annotated[CallToolResult, ChangeList]:
        """Say whether what was recalled was of use: it weighs more, or less, in later recalls."""
        store = self._memories.get(memory)
        for item_id in ids:
            store.get(item_id)  # An unknown id raises before anything is changed.
        changes = [change for item_id in ids for change in store.feedback(item_id, verdict, why=why or "", by=AUTHOR)]
        items = fit([change_item(change) for change in changes], DEFAULT_TOKENS)
        return tool_result(f"{verdict}: {amount(len(changes), 'turn')}", ChangeList(changes=items))
