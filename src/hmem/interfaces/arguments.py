"""Argument models of operations: fields, types, and what a schema says of them.

Constraints that only the schema has are checked by the memory, with its own errors.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from hmem.model.note import NoteKind
from hmem.model.persona import PROFILE_TOKENS

# Number of terms of each score in an answer, unless the request says otherwise.
TERMS: Final = 5

# Maximal length and form of a memory's name: letters and digits, with single "-", "_" and "." between them, and no name
# of a Windows device. `(?![\s\S])` stands for "$", which is the very end in only some dialects of regular expressions.
LONGEST: Final = 64
NAME: Final = (
    r"^(?!.*\.\.)(?!([cC][oO][nN]|[pP][rR][nN]|[aA][uU][xX]|[nN][uU][lL]|([cC][oO][mM]|[lL][pP][tT])[0-9¹²³])"
    r"(\.|(?![\s\S])))[^\W_]([\w.-]*[^\W_])?(?![\s\S])"
)


def _text(longest: int, description: str | None = None, schema: Mapping[str, Any] | None = None) -> Any:
    return Meta(max_length=longest, description=description, extra_json_schema=None if schema is None else dict(schema))


_NON_BLANK: Final[Mapping[str, Any]] = {"minLength": 1, "pattern": "\\S"}
_TIME: Final[Mapping[str, Any]] = {"format": "date-time", "examples": ["2025-03-14T19:02:00+01:00"]}
_CHANGE: Final = "^change_[0-7][0-9A-HJKMNP-TV-Z]{25}$"

# Times stay texts: the memory parses them, accepts a bare day, and reads times without an offset in its own zone.
Moment = Annotated[str, _text(64, schema=_TIME)]
Start = Annotated[
    str,
    _text(
        64,
        "From this time on, or behind the change of this id.",
        {"anyOf": [{"format": "date-time"}, {"pattern": _CHANGE}]},
    ),
]
Name = Annotated[str, _text(1_000)]
Label = Annotated[str, _text(1_000, schema=_NON_BLANK)]
Words = Annotated[str, _text(20_000)]
Question = Annotated[str, _text(20_000, schema=_NON_BLANK)]
Target = Annotated[str, _text(1_000, "Its id, as recall and note_history show it.")]
Reason = Annotated[str, _text(20_000, "The reason, which the history tells.")]
MemoryName = Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": LONGEST, "pattern": NAME})]
Kind = Annotated[
    str, Meta(extra_json_schema={"enum": ["turn", "session", "event", "note", "summary", "episode", "profile"]})
]
# Those of `hmem.recipes`, which loads the engine.
RECIPES: Final = (
    "fusion", "flat", "bm25", "vector", "evolving", "dual-tree", "layered", "notes-episodes", "orchestrated",
)  # fmt: skip
RecipeName = Annotated[
    str, Meta(description="How it is recalled this once.", extra_json_schema={"enum": list(RECIPES)})
]
Count = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 10_000})]
MinScore = Annotated[
    float,
    Meta(
        description="Leave out evidence of a lower `relevance`, the chance that it tells what is asked.",
        extra_json_schema={"minimum": 0, "maximum": 1},
    ),
]
Tokens = Annotated[int, Meta(le=1_000_000, extra_json_schema={"minimum": 1})]
# All fifty-odd terms of each score would be most of an answer, and few callers need them.
TermCount = Annotated[
    int,
    Meta(ge=0, le=1_000, description="How many terms of each score are told: those that add or take most."),
]
Ttl = (
    Annotated[str, Meta(extra_json_schema={"pattern": "^[1-9][0-9]{0,3}(s|min|h|d|w)$"})]
    | Annotated[float, Meta(extra_json_schema={"minimum": 1, "maximum": 1e9})]
)
Limit = Annotated[int, Meta(ge=1, le=1_000)]
Cursor = Annotated[str, Meta(pattern="^[0-9]{1,9}$", description="`next` of the page before.")]
Depth = Annotated[int, Meta(ge=1, le=100, description="How many levels of nodes, from the root or the given node.")]
Spendable = Annotated[float, Meta(extra_json_schema={"minimum": 0})]


class Nothing(Struct, forbid_unknown_fields=True):
    """No arguments."""


class LookBack(Struct):
    """Standpoint from which the memory is seen."""

    as_of: Annotated[Moment, Meta(description="As the memory was known then: what was said and decided.")] | None = None
    valid_at: Annotated[Moment, Meta(description="Only what was true then, whenever it was told.")] | None = None


class NewMemory(Struct, forbid_unknown_fields=True):
    """Name, recipe and time zone of a memory to create."""

    name: MemoryName
    recipe: Name | None = None
    zone: Name | None = None


class ListMemories(Struct, kw_only=True):
    """Page of memory names."""

    limit: Limit = 100
    after: Annotated[str, _text(64, "`next` of the page before.")] | None = None


class OfMemory(Struct, kw_only=True):
    """Name of a memory; none for the server itself."""

    memory: MemoryName | None = None


class MessageDefaults(Struct, forbid_unknown_fields=True, kw_only=True):
    """Fields of messages that do not give them."""

    speaker: Label | None = None
    at: Moment | None = None
    session: Label | None = None
    user: Label | None = None
    agent: Label | None = None
    ttl: Ttl | None = None


class Message(Struct, kw_only=True):
    """Turn, or message of an SDK. A field that is none of a turn's is kept as metadata, and the receipt says so."""

    text: str | None = None
    content: Annotated[
        Any,
        Meta(
            extra_json_schema={"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "object"}, {"type": "null"}]}
        ),
    ] = None
    speaker: Label | None = None
    name: Name | None = None
    role: Name | None = None
    at: Moment | None = None
    session: Label | int | None = None
    caption: str | None = None
    attachments: list[str] | None = None
    user: Label | None = None
    agent: Label | None = None
    message_id: Label | int | None = None
    id: Annotated[Label | int | None, Meta(description="Its `message_id`, unless that is given.")] = None
    metadata: dict[str, Any] | None = None
    expires: Moment | None = None
    ttl: Ttl | None = None
    defaults: MessageDefaults | None = None
    wait: bool = False


class Messages(MessageDefaults, kw_only=True):
    """Messages of a batch, with shared defaults; each is kept or rejected separately."""

    # Of any type: what is no message is rejected alone, not with its batch.
    messages: Annotated[
        list[
            Annotated[
                Any,
                Meta(extra_json_schema={"anyOf": [{"type": "string"}, {"type": "object"}]}),
            ]
        ],
        Meta(max_length=100_000),
    ]
    wait: bool = False


class FilterArguments(Struct, forbid_unknown_fields=True, kw_only=True):
    """Conditions on evidence; all must be met."""

    at: Moment | None = None
    speaker: Label | None = None
    session: Label | None = None
    since: Moment | None = None
    until: Moment | None = None
    entity: Label | None = None
    metadata: dict[str, Any] | None = None
    user: Label | None = None
    agent: Label | None = None


class Search(FilterArguments, kw_only=True):
    """Question, with the number and kinds of evidence."""

    question: Question
    k: Count = 10
    kinds: tuple[Kind, ...] = ("turn",)
    recipe: RecipeName | None = None
    min_score: MinScore | None = None
    trace: bool = False
    terms: TermCount = TERMS


class WriteContext(FilterArguments, kw_only=True):
    """Question, with the token budget of the context."""

    question: Question
    tokens: Tokens = 1_200
    recipe: RecipeName | None = None


class Ask(FilterArguments, kw_only=True):
    """Question, with the token budget of the evidence."""

    question: Question
    trace: bool = False
    tokens: Tokens = 1_272
    terms: TermCount = TERMS
    recipe: RecipeName | None = None
    # No other analyst: it would be called at the server's expense.
    analyst: Literal["verbatim", "rules"] | None = None


class ById(Struct):
    """Id of a turn, an event or a note."""

    id: Annotated[str, _text(100)]


class ListTurns(Struct, kw_only=True):
    """Page of turns, after an id or before one."""

    limit: Limit = 100
    after: Annotated[str, _text(100, "`next` of the page before.")] | None = None
    before: Annotated[str, _text(100, "The last turns before this one; `next` of a page goes on backwards.")] | None = (
        None
    )
    session: str | None = None
    speaker: str | None = None
    query: Annotated[Words, Meta(description="Only turns with every word of it, in any form.")] | None = None
    since: Annotated[Moment, Meta(description="Only what was said from this time on.")] | None = None
    until: Annotated[Moment, Meta(description="Only what was said before this time.")] | None = None
    entity: Annotated[Name, Meta(description="Only turns that name this entity, an id or a name.")] | None = None
    node: Annotated[Name, Meta(description="Only turns below this node of a tree.")] | None = None


class Paged(Struct, kw_only=True):
    """Page of a list."""

    limit: Limit = 100
    cursor: Cursor | None = None


class OfSession(Paged, kw_only=True):
    """Page of a list, of one session, one user and one time, or of all."""

    session: Name | None = None
    user: Name | None = None
    since: Moment | None = None
    until: Moment | None = None


class ListEntities(Paged, kw_only=True):
    """Page of entities, by letters of a name, of one user or of all."""

    name: Annotated[Name, Meta(description="Letters that a name of the entity contains.")] | None = None
    user: Name | None = None


class ListNotes(Paged, kw_only=True):
    """Page of notes, by subject, slot, kind or user."""

    subject: Name | None = None
    slot: Name | None = None
    kind: NoteKind | None = None
    user: Name | None = None


class TreeArguments(Struct, kw_only=True):
    """Name of a tree, its part, whether its nodes have summaries, and the user whose turns it shows."""

    name: Annotated[str, Meta(extra_json_schema={"enum": ["calendar", "topic", "evolution", "layers"]})]
    summaries: bool = False
    depth: Depth | None = None
    brief: Annotated[bool, Meta(description="As much as a screen shows: the largest children of each node.")] = False
    node: Annotated[Name, Meta(description="Of what is above and beside this node, only the way to it.")] | None = None
    turn: Annotated[Name, Meta(description="Only the nodes above this turn.")] | None = None
    user: Name | None = None


class OfEntity(Struct, kw_only=True):
    """Entity at the centre of the graph, the maximal number of entities, and the user whose they are."""

    entity: Name | None = None
    limit: Limit = 50
    user: Name | None = None
    brief: Annotated[bool, Meta(description="Write no profiles but that of the entity.")] = False


class OfUser(Struct, kw_only=True):
    """User to whom it belongs; everyone by default."""

    user: Name | None = None


class LookAgain(OfUser, kw_only=True):
    """Number of the newest turn at an earlier look, the user whose it is, and the most items of each kind."""

    seen: Annotated[int, Meta(ge=0, description="`newest` of the overview of that look.")] = 0
    limit: Annotated[int, Meta(ge=1, le=100)] = 6


class OfSpeaker(OfUser, kw_only=True):
    """Name of a speaker, in any spelling, and the user to whom the persona belongs."""

    speaker: Name


class OfVersions(OfSpeaker, kw_only=True):
    """Speaker whose persona's versions are listed, and how many of the newest."""

    limit: Annotated[int, Meta(ge=1)] | None = None


class OfPerson(OfUser, kw_only=True):
    """Person, the user to whom the profile belongs, and the most tokens of its text."""

    person: (
        Annotated[Name, Meta(description="A speaker, in any spelling; by default the one who said most.")] | None
    ) = None
    tokens: Tokens = PROFILE_TOKENS


class ListChanges(Struct, kw_only=True):
    """Filter of the history: an id, a start, a maximal number."""

    id: Name | None = None
    since: Start | None = None
    limit: Annotated[int, Meta(ge=0, le=100_000)] | None = None


class ChangeArguments(Struct, forbid_unknown_fields=True, kw_only=True):
    """Reason and author of a change."""

    why: Reason | None = None
    by: Name = "user"


class Correct(ChangeArguments, kw_only=True):
    """Correct text for a turn or a note."""

    id: Target
    text: Annotated[str, Meta(description="What is right, as a sentence of its own.")]


class OfItem(ChangeArguments, kw_only=True):
    """Id of a turn, an event or a note to change."""

    id: Target


class MergeEntities(ChangeArguments, kw_only=True):
    """Ids or names of two entities that are one."""

    entity: Name
    other: Name


class SplitEntity(ChangeArguments, kw_only=True):
    """Id or name of an entity, and the name that is another's."""

    entity: Name
    name: Name


class RenameNode(ChangeArguments, kw_only=True):
    """Id of a node of a tree, and its name from now on."""

    node: Name
    name: Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": 200})]


class Undo(ChangeArguments, kw_only=True):
    """Id of a change to take back."""

    change: Name


class Resolve(ChangeArguments, kw_only=True):
    """Decision whether a contested note holds."""

    note: Name
    decision: Annotated[str, Meta(extra_json_schema={"enum": ["keep", "retire"]})]


class SetRule(ChangeArguments, kw_only=True):
    """Rule by which contradictions in a slot, or in one subject's slot (`subject:slot`), are settled."""

    slot: Name
    rule: Annotated[str, Meta(extra_json_schema={"enum": ["newest", "most-frequent", "first", "ask"]})]


class EditPersona(ChangeArguments, kw_only=True):
    """Text and traits for a persona."""

    speaker: Name
    text: str | None = None
    traits: list[str] | None = None
    user: Name | None = None


class FeedbackArguments(ChangeArguments, kw_only=True):
    """Verdict on memories: a word, or a factor for their weight."""

    ids: Annotated[list[Name], Meta(max_length=100)]
    verdict: (
        Annotated[str, Meta(extra_json_schema={"enum": ["approve", "none", "reject"]})]
        | Annotated[float, Meta(extra_json_schema={"exclusiveMinimum": 0})]
    )


class OutcomeArguments(Struct, forbid_unknown_fields=True, kw_only=True):
    """Outcome of a task: what was tried, whether it worked, and what was learned of it."""

    task: Annotated[str, _text(20_000, "What was to be done.", _NON_BLANK)]
    worked: Annotated[bool, Meta(description="Whether it was done so in the end.")]
    steps: Annotated[list[Words], Meta(max_length=100, description="What was tried, in its order.")] = []
    lesson: Annotated[str, _text(20_000, "What to do, or not to do, the next time.")] | None = None
    at: Moment | None = None
    session: Label | None = None
    user: Label | None = None
    agent: Label | None = None
    message_id: Label | None = None


class FindCases(Struct, forbid_unknown_fields=True, kw_only=True):
    """Task, the number of cases, and whose they are."""

    task: Annotated[str, _text(20_000, "What is to be done.", _NON_BLANK)]
    k: Annotated[int, Meta(description="How many at most.", extra_json_schema={"minimum": 1, "maximum": 2_500})] = 3
    user: Label | None = None
    agent: Label | None = None
    min_score: Annotated[
        float,
        Meta(
            description="Leave out cases of a lower `relevance`, the chance that they help.",
            extra_json_schema={"minimum": 0, "maximum": 1},
        ),
    ] = 0.04


class Forget(ChangeArguments, kw_only=True):
    """Conditions on the turns to erase; all must be met."""

    ids: list[Name] | None = None
    speaker: Label | None = None
    session: Label | None = None
    user: Label | None = None
    since: Moment | None = None
    after: Moment | None = None
    until: Moment | None = None
    before: Moment | None = None
    entity: Label | None = None
    query: Words | None = None
    k: Count = 10
    preview: bool = False
    echoes: bool = False


class Retain(ChangeArguments, kw_only=True):
    """Number of days for which turns are kept; null keeps them for good."""

    days: Count | None


class Consolidate(Struct, forbid_unknown_fields=True, kw_only=True):
    """Limits of a consolidation: seconds, and number of texts to write."""

    budget: Spendable | None = None
    texts: Annotated[int, Meta(extra_json_schema={"minimum": 0})] | None = None
    at: Moment | None = None


class Work(Struct, forbid_unknown_fields=True, kw_only=True):
    """Limits of model work: number of calls, and of concurrent calls; `drain` continues until nothing waits."""

    limit: Count | None = None
    drain: bool = True
    concurrency: Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 8})] | None = None


class SetBudget(Struct, forbid_unknown_fields=True):
    """Limits on spending for models, by name; null removes one."""

    limits: dict[str, float | None]


class Verify(Struct, forbid_unknown_fields=True):
    """Words that must not remain anywhere in the memory."""

    forgotten: list[Name] = []
