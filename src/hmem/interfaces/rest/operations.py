"""What a server does with a memory: one operation for each method of ``Memory``, from JSON to JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, cast

from hmem import Answer, AsOf, Context, Evidence, Found, Memory, Term, Turn
from hmem.interfaces import shapes
from hmem.interfaces.rest.keys import Scope
from hmem.interfaces.shapes import plain

Arguments = dict[str, Any]
Run = Callable[[Memory, Arguments], Any]
_PRIVATE: Final = ("path",)

# So many terms of a score are told where the request does not say.
TERMS: Final = 5
ALL_TERMS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Operation:
    """What it does, the scope that it needs, and whether it changes the memory."""

    run: Run
    scope: Scope = "read"
    writes: bool = False


def stand(memory: Memory, arguments: Arguments) -> Memory | AsOf:
    """The memory, seen from the times that are among the arguments, which are taken out of them."""
    known, valid = arguments.pop("as_of", None), arguments.pop("valid_at", None)
    seen: Memory | AsOf = memory
    if known is not None:
        seen = seen.as_of(known)
    return seen if valid is None else seen.valid_at(valid)


def evidence_as_json(found: Found | Context | Answer, terms: int = ALL_TERMS) -> Any:
    """What was recalled, as ``plain`` writes it, without asking each part what it is: a search has hundreds of them.

    Of each score, so many ``terms`` are told: those that add or take most.
    """
    made = {each.name: plain(getattr(found, each.name)) for each in fields(found) if each.name != "evidence"}
    made["evidence"] = [_evidence(item, terms) for item in found.evidence]
    return made


def _evidence(item: Evidence, terms: int) -> dict[str, Any]:
    why = item.why
    return {
        "id": item.id,
        "kind": item.kind,
        "text": item.text,
        "when": item.when.isoformat(),
        "score": item.score,
        "why": {
            "strategies": why.strategies,
            "terms": {name: _term(term) for name, term in why.greatest(terms)},
            "words": why.words,
            "paths": dict(why.paths),
            "echoes": why.echoes,
            "lacking": why.lacking,
        },
        "session": item.session,
        "speaker": item.speaker,
        "caption": item.caption,
        "message_id": item.message_id,
        "sources": item.sources,
        "content": item.content,
    }


def _term(term: Term) -> dict[str, float]:
    value, weight = term.value, term.weight
    return {"value": value, "weight": weight, "contribution": value * weight}


def _search(memory: Memory, arguments: Arguments) -> Any:
    terms = arguments.pop("terms", TERMS)
    return evidence_as_json(stand(memory, arguments).search(**arguments), terms)


def _context(memory: Memory, arguments: Arguments) -> Any:
    return evidence_as_json(stand(memory, arguments).context(**arguments))


def _ask(memory: Memory, arguments: Arguments) -> Any:
    terms = arguments.pop("terms", TERMS)
    return evidence_as_json(stand(memory, arguments).ask(**arguments), terms)


def ask_in_pieces(memory: Memory, arguments: Arguments, tell: Callable[[str], None]) -> Any:
    """An answer as it is being said: each piece is told, and the whole is handed back."""
    terms, answer = arguments.pop("terms", TERMS), None
    for piece in stand(memory, arguments).ask_stream(**arguments):
        if isinstance(piece, Answer):
            answer = evidence_as_json(piece, terms)
        else:
            tell(piece)
    return answer


def _add(memory: Memory, arguments: Arguments) -> Any:
    return plain(memory.add(arguments["message"], **arguments.get("defaults", {})))


def _add_batch(memory: Memory, arguments: Arguments) -> Any:
    messages = arguments.pop("messages")
    return plain(memory.add(messages, **arguments))


def _get(memory: Memory, arguments: Arguments) -> Any:
    return plain(memory.get(arguments["id"]))


def _list(memory: Memory, arguments: Arguments) -> Any:
    limit = arguments["limit"]
    items: list[Turn] = memory.list(**{**arguments, "limit": limit + 1})
    return _paged(plain(items[:limit]), cast("Turn", items[limit - 1]).id if len(items) > limit else None)


def _paged(items: Sequence[Any], following: str | None) -> dict[str, Any]:
    return {"items": items, "next": following}


def _pages(name: str, shape: Callable[[Any], Any] = plain) -> Run:
    """A list by pages, which a cursor counts through."""

    def run(memory: Memory, arguments: Arguments) -> Any:
        seen = stand(memory, arguments) if name != "sessions" else memory
        start, limit = int(arguments.pop("cursor", None) or 0), arguments.pop("limit")
        items = getattr(seen, name)(**arguments, limit=limit + 1, offset=start)
        return _paged(shape(items[:limit]), str(start + limit) if len(items) > limit else None)

    return run


def _tree(name: str) -> Run:
    def run(memory: Memory, arguments: Arguments) -> Any:
        seen = stand(memory, arguments)
        return shapes.branch(getattr(seen, name)(summaries=arguments["summaries"]), arguments.get("depth"))

    return run


def _graph(memory: Memory, arguments: Arguments) -> Any:
    return shapes.graph(stand(memory, arguments).graph(arguments.get("entity"), limit=arguments["limit"]))


def _personas(memory: Memory, arguments: Arguments) -> Any:
    return shapes.personas(stand(memory, arguments).personas())


def _persona(memory: Memory, arguments: Arguments) -> Any:
    found = stand(memory, arguments).persona(arguments["speaker"])
    return None if found is None else shapes.personas([found])[0]


def _persona_history(memory: Memory, arguments: Arguments) -> Any:
    return plain(stand(memory, arguments).persona_history(arguments["speaker"]))


def _tiers(memory: Memory, arguments: Arguments) -> Any:
    return plain(stand(memory, arguments).tiers())


def _history(memory: Memory, arguments: Arguments) -> Any:
    since, limit = arguments.get("since"), arguments.get("limit")
    return plain(memory.history(arguments.get("id"), since=since, limit=limit))


def _conflicts(memory: Memory, arguments: Arguments) -> Any:
    return plain(stand(memory, arguments).conflicts())


def _rules(memory: Memory, arguments: Arguments) -> Any:  # noqa: ARG001
    return memory.rules()


def _reanalyse(memory: Memory, arguments: Arguments) -> Any:  # noqa: ARG001
    return {"turns": memory.reanalyse()}


def _budget(memory: Memory, arguments: Arguments) -> Any:
    return plain(memory.budget(**arguments.get("limits", {})))


def _change(name: str) -> Run:
    def run(memory: Memory, arguments: Arguments) -> Any:
        return plain(getattr(memory, name)(**arguments))

    return run


def _feedback(memory: Memory, arguments: Arguments) -> Any:
    ids, verdict = tuple(arguments.pop("ids")), arguments.pop("verdict")
    return plain(memory.feedback(ids, verdict, **arguments))


def _forget(memory: Memory, arguments: Arguments) -> Any:
    return plain(memory.forget(*arguments.pop("ids", ()), **arguments))


def _retain(memory: Memory, arguments: Arguments) -> Any:
    memory.retain(arguments.pop("days"), **arguments)
    return {"retain_days": memory.stats().retain_days}


def _verify(memory: Memory, arguments: Arguments) -> Any:
    return plain(memory.verify(arguments.get("forgotten", ())))


def _stats(memory: Memory, arguments: Arguments) -> Any:  # noqa: ARG001
    return {name: value for name, value in plain(memory.stats()).items() if name not in _PRIVATE}


def _done(name: str) -> Run:
    def run(memory: Memory, arguments: Arguments) -> Any:  # noqa: ARG001
        getattr(memory, name)()
        return {"done": True}

    return run


OPERATIONS: Final[Mapping[str, Operation]] = {
    "search": Operation(_search),
    "context": Operation(_context),
    "ask": Operation(_ask),
    "get": Operation(_get),
    "list": Operation(_list),
    "sessions": Operation(_pages("sessions")),
    "notes": Operation(_pages("notes")),
    "events": Operation(_pages("events")),
    "episodes": Operation(_pages("episodes", shapes.episodes)),
    "timeline": Operation(_tree("timeline")),
    "topics": Operation(_tree("topics")),
    "layers": Operation(_tree("layers")),
    "evolution": Operation(_tree("evolution")),
    "graph": Operation(_graph),
    "personas": Operation(_personas),
    "persona": Operation(_persona),
    "persona_history": Operation(_persona_history),
    "tiers": Operation(_tiers),
    "history": Operation(_history),
    "conflicts": Operation(_conflicts),
    "rules": Operation(_rules),
    "stats": Operation(_stats),
    "verify": Operation(_verify, "admin"),
    "add": Operation(_add, "write", writes=True),
    "add_batch": Operation(_add_batch, "write", writes=True),
    "correct": Operation(_change("correct"), "write", writes=True),
    "retract": Operation(_change("retract"), "write", writes=True),
    "resolve": Operation(_change("resolve"), "write", writes=True),
    "rule": Operation(_change("rule"), "write", writes=True),
    "undo": Operation(_change("undo"), "write", writes=True),
    "edit_persona": Operation(_change("edit_persona"), "write", writes=True),
    "feedback": Operation(_feedback, "write", writes=True),
    "consolidate": Operation(_change("consolidate"), "write", writes=True),
    "flush": Operation(_done("flush"), "write", writes=True),
    "forget": Operation(_forget, "forget", writes=True),
    "retain": Operation(_retain, "forget", writes=True),
    "budget": Operation(_budget),
    "set_budget": Operation(_budget, "admin", writes=True),
    "work": Operation(_change("work"), "admin", writes=True),
    "reanalyse": Operation(_reanalyse, "admin", writes=True),
    "rebuild": Operation(_done("rebuild"), "admin", writes=True),
}
