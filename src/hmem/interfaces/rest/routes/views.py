"""What was formed: sessions, episodes, events, notes, trees, the graph, personas and tiers."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from hmem.interfaces.rest.bodies import GraphShape, MemoryName, Name, NodeShape, PersonaShape
from hmem.interfaces.rest.calls import PROBLEMS, AsOf, Cursor, Limit, ValidAt, calls
from hmem.model.note import Conflict, NoteKind
from hmem.model.persona import PersonaVersion
from hmem.model.tier import Tiers

router = APIRouter(prefix="/memories/{memory}", tags=["views"], responses=PROBLEMS)
Depth = Annotated[int | None, Query(ge=1, le=100, description="How many levels of nodes, from above.")]
TREES = ("timeline", "topics", "layers", "evolution")


@router.get("/sessions", operation_id="sessions")
async def sessions(request: Request, memory: MemoryName, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """The sessions, by the time of their first turn."""
    return await calls(request).read(request, memory, "sessions", limit=limit, cursor=cursor)


@router.get("/notes", operation_id="notes")
async def notes(
    request: Request,
    memory: MemoryName,
    subject: Name | None = None,
    slot: Name | None = None,
    kind: NoteKind | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> Response:
    """Distilled knowledge, oldest first: about a subject, in a slot, of a kind."""
    return await calls(request).read(
        request, memory, "notes", subject=subject, slot=slot, kind=kind, limit=limit, cursor=cursor, as_of=as_of,
        valid_at=valid_at,
    )  # fmt: skip


@router.get("/events", operation_id="events")
async def events(
    request: Request,
    memory: MemoryName,
    session: Name | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> Response:
    """Statements that stand by themselves, in the order of their turns."""
    return await calls(request).read(
        request, memory, "events", session=session, limit=limit, cursor=cursor, as_of=as_of, valid_at=valid_at
    )


@router.get("/episodes", operation_id="episodes")
async def episodes(
    request: Request,
    memory: MemoryName,
    session: Name | None = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> Response:
    """Coherent runs of turns, by time."""
    return await calls(request).read(
        request, memory, "episodes", session=session, limit=limit, cursor=cursor, as_of=as_of, valid_at=valid_at
    )


def _tree(name: str) -> None:
    """The route of a tree."""

    @router.get(f"/{name}", operation_id=name, response_model=NodeShape, summary=f"The tree: {name}")
    async def tree(  # pyright: ignore[reportUnusedFunction]
        request: Request,
        memory: MemoryName,
        summaries: bool = False,  # noqa: FBT001, FBT002 - a query parameter
        depth: Depth = None,
        as_of: AsOf = None,
        valid_at: ValidAt = None,
    ) -> Response:
        """A tree from its root: nodes with their children, and the ids of the leaves."""
        return await calls(request).read(
            request, memory, name, summaries=summaries, depth=depth, as_of=as_of, valid_at=valid_at
        )


for each in TREES:
    _tree(each)


@router.get("/graph", operation_id="graph", response_model=GraphShape)
async def graph(
    request: Request,
    memory: MemoryName,
    entity: Name | None = None,
    limit: Limit = 50,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
) -> Response:
    """The entities that most turns name, or one and those around it, and what relates them."""
    return await calls(request).read(
        request, memory, "graph", entity=entity, limit=limit, as_of=as_of, valid_at=valid_at
    )


@router.get("/conflicts", operation_id="conflicts", response_model=list[Conflict])
async def conflicts(request: Request, memory: MemoryName, as_of: AsOf = None, valid_at: ValidAt = None) -> Response:
    """The notes that contradict each other, and nobody has decided yet."""
    return await calls(request).read(request, memory, "conflicts", as_of=as_of, valid_at=valid_at)


@router.get("/personas", operation_id="personas", response_model=list[PersonaShape])
async def personas(request: Request, memory: MemoryName, as_of: AsOf = None, valid_at: ValidAt = None) -> Response:
    """What is known of everyone who spoke."""
    return await calls(request).read(request, memory, "personas", as_of=as_of, valid_at=valid_at)


@router.get("/persona", operation_id="persona", response_model=PersonaShape | None)
async def persona(
    request: Request, memory: MemoryName, speaker: Name, as_of: AsOf = None, valid_at: ValidAt = None
) -> Response:
    """What is known of a speaker; null when nothing is."""
    return await calls(request).read(request, memory, "persona", speaker=speaker, as_of=as_of, valid_at=valid_at)


@router.get("/persona/history", operation_id="persona_history", response_model=list[PersonaVersion])
async def persona_history(
    request: Request, memory: MemoryName, speaker: Name, as_of: AsOf = None, valid_at: ValidAt = None
) -> Response:
    """What a persona said from which time on, and why, oldest first."""
    return await calls(request).read(
        request, memory, "persona_history", speaker=speaker, as_of=as_of, valid_at=valid_at
    )


@router.get("/tiers", operation_id="tiers", response_model=Tiers)
async def tiers(request: Request, memory: MemoryName, as_of: AsOf = None, valid_at: ValidAt = None) -> Response:
    """Which turns are in the cache, the buffer and the archive, and why; they are of now only."""
    return await calls(request).read(request, memory, "tiers", as_of=as_of, valid_at=valid_at)
