"""What people decide: correct, retract, undo, feedback, personas; forget and retain; the upkeep."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from hmem.interfaces.rest import bodies
from hmem.interfaces.rest.bodies import DoneShape, MemoryName, MemoryShape, Name, RetainShape, Start, TurnsShape
from hmem.interfaces.rest.calls import PROBLEMS, RepeatKey, calls
from hmem.language.analyst.spending import Budget
from hmem.model.change import Change
from hmem.model.report import Consolidation, Forgotten, Verification, Worked

router = APIRouter(prefix="/memories/{memory}", tags=["changes"], responses=PROBLEMS)


@router.get("/history", operation_id="history", response_model=list[Change])
async def history(
    request: Request,
    memory: MemoryName,
    id: Name | None = None,
    since: Start | None = None,
    limit: Annotated[int | None, Query(ge=0, le=100_000)] = None,
) -> Response:
    """The changes of a turn, a note, a person or a slot, or all of them, oldest first."""
    return await calls(request).read(request, memory, "history", id=id, since=since, limit=limit)


@router.post("/correct", operation_id="correct", response_model=Change)
async def correct(
    request: Request, memory: MemoryName, body: bodies.Correct, idempotency_key: RepeatKey = None
) -> Response:
    """Put a right text in the place of a turn or a note."""
    return await calls(request).write(request, memory, "correct", body.given(), idempotency_key)


@router.post("/retract", operation_id="retract", response_model=Change)
async def retract(
    request: Request, memory: MemoryName, body: bodies.Retract, idempotency_key: RepeatKey = None
) -> Response:
    """Say that a turn or a note is not to be used."""
    return await calls(request).write(request, memory, "retract", body.given(), idempotency_key)


@router.post("/resolve", operation_id="resolve", response_model=Change)
async def resolve(
    request: Request, memory: MemoryName, body: bodies.Resolve, idempotency_key: RepeatKey = None
) -> Response:
    """Decide of a note whether it holds, whatever contradicts it."""
    return await calls(request).write(request, memory, "resolve", body.given(), idempotency_key)


@router.get("/rules", operation_id="rules", response_model=dict[str, str])
async def rules(request: Request, memory: MemoryName) -> Response:
    """By which rule contradictions are settled, by slot; under `*` that of all others."""
    return await calls(request).read(request, memory, "rules")


@router.put("/rules", operation_id="rule", response_model=Change)
async def rule(
    request: Request, memory: MemoryName, body: bodies.SetRule, idempotency_key: RepeatKey = None
) -> Response:
    """Set by which rule contradictions in a slot are settled from now on."""
    return await calls(request).write(request, memory, "rule", body.given(), idempotency_key)


@router.post("/undo", operation_id="undo", response_model=Change)
async def undo(request: Request, memory: MemoryName, body: bodies.Undo, idempotency_key: RepeatKey = None) -> Response:
    """Take a change back."""
    return await calls(request).write(request, memory, "undo", body.given(), idempotency_key)


@router.patch("/persona", operation_id="edit_persona", response_model=Change)
async def edit_persona(
    request: Request, memory: MemoryName, body: bodies.EditPersona, idempotency_key: RepeatKey = None
) -> Response:
    """Put another text, or other traits, into a persona."""
    return await calls(request).write(request, memory, "edit_persona", body.given(), idempotency_key)


@router.post("/feedback", operation_id="feedback", response_model=list[Change])
async def feedback(
    request: Request, memory: MemoryName, body: bodies.Feedback, idempotency_key: RepeatKey = None
) -> Response:
    """Say whether memories were of use."""
    return await calls(request).write(request, memory, "feedback", body.given(), idempotency_key)


@router.post("/forget", operation_id="forget", response_model=Forgotten)
async def forget(
    request: Request, memory: MemoryName, body: bodies.Forget, idempotency_key: RepeatKey = None
) -> Response:
    """Erase turns with everything derived from them, or with `preview` tell what would go. There is no way back."""
    return await calls(request).write(request, memory, "forget", body.given(), idempotency_key)


@router.put("/retention", operation_id="retain", response_model=RetainShape)
async def retain(
    request: Request, memory: MemoryName, body: bodies.Retain, idempotency_key: RepeatKey = None
) -> Response:
    """Say for how many days turns are kept."""
    arguments = {"days": None, **body.given()}
    return await calls(request).write(request, memory, "retain", arguments, idempotency_key)


@router.post("/consolidate", operation_id="consolidate", response_model=Consolidation)
async def consolidate(
    request: Request, memory: MemoryName, body: bodies.Consolidate, idempotency_key: RepeatKey = None
) -> Response:
    """Forget what is due, form what is behind, and write every text that is missing, as far as the budget goes."""
    return await calls(request).write(request, memory, "consolidate", body.given(), idempotency_key)


@router.post("/verify", operation_id="verify", response_model=Verification)
async def verify(request: Request, memory: MemoryName, body: bodies.Verify) -> Response:
    """Prove that the memory is sound, and that words stand nowhere in it any more."""
    return await calls(request).read(request, memory, "verify", **body.given())


@router.get("/stats", operation_id="stats_of", response_model=MemoryShape)
async def stats(request: Request, memory: MemoryName) -> Response:
    """Counts, times and sizes."""
    return await calls(request).read(request, memory, "stats")


@router.post("/flush", operation_id="flush", response_model=DoneShape)
async def flush(request: Request, memory: MemoryName, idempotency_key: RepeatKey = None) -> Response:
    """Bring the indices up to date and save them now."""
    return await calls(request).write(request, memory, "flush", {}, idempotency_key)


@router.get("/budget", operation_id="budget", response_model=Budget)
async def budget(request: Request, memory: MemoryName) -> Response:
    """What may be spent on models."""
    return await calls(request).read(request, memory, "budget")


@router.put("/budget", operation_id="set_budget", response_model=Budget)
async def set_budget(
    request: Request, memory: MemoryName, body: bodies.Limits, idempotency_key: RepeatKey = None
) -> Response:
    """Set what may be spent on models."""
    return await calls(request).write(request, memory, "set_budget", {"limits": body.limits}, idempotency_key)


@router.post("/work", operation_id="work", response_model=Worked)
async def work(request: Request, memory: MemoryName, body: bodies.Work, idempotency_key: RepeatKey = None) -> Response:
    """Have the memory's model read what waits, and write the texts that rules wrote."""
    return await calls(request).write(request, memory, "work", body.given(), idempotency_key)


@router.post("/reanalyse", operation_id="reanalyse", response_model=TurnsShape)
async def reanalyse(request: Request, memory: MemoryName, idempotency_key: RepeatKey = None) -> Response:
    """Have everything read and written anew by the present model."""
    return await calls(request).write(request, memory, "reanalyse", {}, idempotency_key)


@router.post("/rebuild", operation_id="rebuild", response_model=DoneShape)
async def rebuild(request: Request, memory: MemoryName, idempotency_key: RepeatKey = None) -> Response:
    """Make the indices anew from the turns, and form them anew."""
    return await calls(request).write(request, memory, "rebuild", {}, idempotency_key)
