"""Tools that write, beside those made from the table of operations: remember, forget, feedback."""

from typing import Annotated, Any, Final, Literal

from mcp.types import CallToolResult
from pydantic import Field

from hmem.errors import InvalidQuery
from hmem.interfaces.mcp.arguments import Entity, Place, Session, Speaker, Why
from hmem.interfaces.mcp.memories import Memories
from hmem.interfaces.mcp.results import DEFAULT_TOKENS, ChangeList, ForgetResult, RememberResult, changed, told, within
from hmem.language.prompt_text import framed, harmless, is_framed, quoted, without_frames

# Author of changes through this server, in the history.
BY: Final = "agent"
_SHOWN: Final = 50
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
        message_id: Annotated[
            str | None, Field(description="Your id of the message: with the same id it is kept only once.")
        ] = None,
        ttl: Annotated[
            str | None, Field(description="For how long it is true, such as 7d; for good by default.")
        ] = None,
        memory: Place = "project",
    ) -> Annotated[CallToolResult, RememberResult]:
        """Keep something for later sessions: what the user says of themselves, a decision, a preference, a result. \
It is found again at once. Do not keep what was recalled from here."""
        fields: dict[str, Any] = {
            "text": without_frames(text) if is_framed(text) else text,
            "speaker": speaker or "user",
            "at": at,
        }
        fields |= {"session": session, "message_id": message_id}
        given = {name: value for name, value in fields.items() if value is not None}
        receipt = self._memories.of(memory).add(given, ttl=ttl)
        result = RememberResult(fate="stored" if receipt.fate == "stored" else "duplicate", id=receipt.id or "")
        return told(f"{result.fate}: {result.id}", result)

    def forget(
        self,
        ids: Annotated[
            list[str] | None, Field(description="Ids of turns, events, notes, episodes, sessions or entities.")
        ] = None,
        speaker: Speaker = None,
        session: Session = None,
        since: Annotated[str | None, Field(description="What was said from this time on, in ISO 8601.")] = None,
        until: Annotated[str | None, Field(description="What was said before this time, in ISO 8601.")] = None,
        entity: Entity = None,
        query: Annotated[str | None, Field(description="The turns that hold all of these words.")] = None,
        k: Annotated[int, Field(ge=1, description="At most so many turns for `query`.")] = 10,
        why: Why = None,
        confirm: Annotated[  # noqa: FBT002 - a tool's argument has a name
            bool, Field(description="False only shows what would go. Set it once the user has agreed to that.")
        ] = False,
        turns: Annotated[
            int | None, Field(description="How many turns the preview told; nothing goes if it is another number now.")
        ] = None,
        memory: Place = "project",
    ) -> Annotated[CallToolResult, ForgetResult]:
        """Erase for good what meets all conditions, with everything derived from it; there is no way back. Call it \
first without `confirm` for a preview, show that to the user, and only then again with confirm=true. To mend something \
wrong use `correct` or `retract`."""
        opened = self._memories.of(memory)
        named = {"speaker": speaker, "session": session, "since": since, "until": until}
        conditions: dict[str, Any] = {**named, "entity": entity, "query": query, "k": k}
        found = opened.forget(*(ids or ()), preview=True, **conditions)
        result = ForgetResult(
            forgotten=confirm,
            turns=found.turns,
            events=found.events,
            notes=found.notes,
            sessions=found.sessions,
            ids=[] if confirm else list(found.ids[:_SHOWN]),
            samples=[] if confirm else [harmless(sample[:_SAMPLE]) for sample in found.samples],
        )
        if not confirm:
            lines = "\n".join(quoted(sample) for sample in result.samples)
            shown = f"\n{framed(lines)}" if lines else ""
            return told(f"Would forget {found.turns} turns; nothing was forgotten yet.{shown}", result)
        if turns is not None and turns != found.turns:
            raise InvalidQuery(f"{found.turns} turns would go now, not {turns} - look at a preview again")
        opened.forget(*(ids or ()), why=why, by=BY, **conditions)
        return told(f"Forgot {found.turns} turns for good.", result)

    def feedback(
        self,
        ids: Annotated[list[str], Field(min_length=1, description="Ids of turns, events or notes that were recalled.")],
        verdict: Annotated[
            Literal["approve", "reject", "none"],
            Field(description="approve: it was right and of use. reject: it was wrong or of no use. none: neither."),
        ],
        why: Why = None,
        memory: Place = "project",
    ) -> Annotated[CallToolResult, ChangeList]:
        """Say whether what was recalled was of use: it weighs more, or less, in later recalls."""
        opened = self._memories.of(memory)
        for each in ids:
            opened.get(each)  # An unknown id raises before anything is changed.
        made = [change for each in ids for change in opened.feedback(each, verdict, why=why or "", by=BY)]
        shown = within([changed(change) for change in made], DEFAULT_TOKENS)
        return told(f"{verdict}: {len(made)} turns", ChangeList(changes=shown))
