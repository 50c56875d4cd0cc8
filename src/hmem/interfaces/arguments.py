"""What operations take, each as a model: the fields, their types, and what a schema says of them.

What a schema says beyond the type is for the memory to judge, by its own errors.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Meta, Struct

from hmem.model.note import NoteKind

# So many terms of a score are told where the request does not say.
TERMS: Final = 5

# The longest name of a memory, and the form of one: letters and digits, and between them "-", "_" and "." alone, which
# no device of Windows has for a name. What stands for "$" is the very end in every dialect of regular expressions.
LONGEST: Final = 64
NAME: Final = (
    r"^(?!.*\.\.)(?!([cC][oO][nN]|[pP][rR][nN]|[aA][uU][xX]|[nN][uU][lL]|([cC][oO][mM]|[lL][pP][tT])[0-9¹²³])"
    r"(\.|(?![\s\S])))[^\W_]([\w.-]*[^\W_])?(?![\s\S])"
)


def _text(longest: int, about: str | None = None, schema: Mapping[str, Any] | None = None) -> Any:
    return Meta(max_length=longest, description=about, extra_json_schema=None if schema is None else dict(schema))


_TOLD: Final[Mapping[str, Any]] = {"minLength": 1, "pattern": "\\S"}
_TIME: Final[Mapping[str, Any]] = {"format": "date-time", "examples": ["2025-03-14T19:02:00+01:00"]}
_CHANGE: Final = "^change_[0-7][0-9A-HJKMNP-TV-Z]{25}$"

# A memory judges a time itself: it takes a day alone, and reads what has no offset in its own zone.
Moment = Annotated[str, _text(64, schema=_TIME)]
# A time, or the id of a change.
Start = Annotated[
    str,
    _text(
        64,
        "From this time on, or behind the change of this id.",
        {"anyOf": [{"format": "date-time"}, {"pattern": _CHANGE}]},
    ),
]
Name = Annotated[str, _text(1_000)]
Who = Annotated[str, _text(1_000, schema=_TOLD)]
Words = Annotated[str, _text(20_000)]
Question = Annotated[str, _text(20_000, schema=_TOLD)]
Target = Annotated[str, _text(1_000, "Its id, as recall and note_history show it.")]
Reason = Annotated[str, _text(20_000, "The reason, which the history tells.")]
MemoryName = Annotated[str, Meta(extra_json_schema={"minLength": 1, "maxLength": LONGEST, "pattern": NAME})]
Kind = Annotated[
    str, Meta(extra_json_schema={"enum": ["turn", "session", "event", "note", "summary", "episode", "profile"]})
]
Count = Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 10_000})]
# A score has some fifty terms, which are most of an answer; few ask for all of them.
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
Depth = Annotated[int, Meta(ge=1, le=100, description="How many levels of nodes, from above.")]
Spendable = Annotated[float, Meta(extra_json_schema={"minimum": 0})]


class Nothing(Struct, forbid_unknown_fields=True):
    """No arguments."""


class LookBack(Struct):
    """From when the memory is looked at."""

    as_of: Annotated[Moment, Meta(description="As the memory was known then: what was said and decided.")] | None = None
    valid_at: Annotated[Moment, Meta(description="Only what was true then, whenever it was told.")] | None = None


class NewMemory(Struct, forbid_unknown_fields=True):
    """A memory to make, and how it is to form what it is told."""

    name: MemoryName
    recipe: Name | None = None
    zone: Name | None = None


class ListMemories(Struct, kw_only=True):
    """Which names of memories."""

    limit: Limit = 100
    after: Annotated[str, _text(64, "`next` of the page before.")] | None = None


class MessageDefaults(Struct, forbid_unknown_fields=True, kw_only=True):
    """What holds for messages that do not say otherwise."""

    speaker: Who | None = None
    at: Moment | None = None
    session: Who | None = None
    user: Who | None = None
    agent: Who | None = None
    ttl: Ttl | None = None


class Message(Struct, forbid_unknown_fields=True, kw_only=True):
    """A turn, or a message in the style of OpenAI."""

    text: str | None = None
    content: str | list[dict[str, Any]] | None = None
    speaker: Who | None = None
    name: Name | None = None
    role: Name | None = None
    at: Moment | None = None
    session: Who | int | None = None
    caption: str | None = None
    attachments: list[str] | None = None
    user: Who | None = None
    agent: Who | None = None
    message_id: Who | int | None = None
    metadata: dict[str, Any] | None = None
    expires: Moment | None = None
    ttl: Ttl | None = None
    defaults: MessageDefaults | None = None
    wait: bool = False


class Messages(MessageDefaults, kw_only=True):
    """Many messages; each has a fate of its own."""

    # What is no message at all is rejected by itself, too.
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
    """What evidence must meet, all of it."""

    at: Moment | None = None
    speaker: Who | None = None
    session: Who | None = None
    since: Moment | None = None
    until: Moment | None = None
    entity: Who | None = None
    metadata: dict[str, Any] | None = None
    user: Who | None = None
    agent: Who | None = None


class Search(FilterArguments, kw_only=True):
    """A question, and how much evidence of which kinds is wanted."""

    question: Question
    k: Count = 10
    kinds: tuple[Kind, ...] = ("turn",)
    trace: bool = False
    terms: TermCount = TERMS


class WriteContext(FilterArguments, kw_only=True):
    """A question, and how many tokens what answers it may have."""

    question: Question
    tokens: Count = 1_200


class Ask(FilterArguments, kw_only=True):
    """A question."""

    question: Question
    trace: bool = False
    tokens: Count = 1_272
    terms: TermCount = TERMS
    # Another one would be called, and paid for, by whoever asks.
    analyst: Literal["rules"] | None = None


class ById(Struct):
    """Which turn, event or note."""

    id: Annotated[str, _text(100)]


class ListTurns(Struct, kw_only=True):
    """Which turns."""

    limit: Limit = 100
    after: Annotated[str, _text(100, "`next` of the page before.")] | None = None
    session: str | None = None
    speaker: str | None = None


class Paged(Struct, kw_only=True):
    """Which page of a list."""

    limit: Limit = 100
    cursor: Cursor | None = None


class OfSession(Paged, kw_only=True):
    """A page of what is of one session, or of all."""

    session: Name | None = None


class ListNotes(Paged, kw_only=True):
    """A page of the notes about a subject, in a slot, of a kind."""

    subject: Name | None = None
    slot: Name | None = None
    kind: NoteKind | None = None


class TreeArguments(Struct, kw_only=True):
    """How much of a tree."""

    summaries: bool = False
    depth: Depth | None = None


class OfEntity(Struct, kw_only=True):
    """Around which entity, and how many."""

    entity: Name | None = None
    limit: Limit = 50


class OfSpeaker(Struct):
    """Of whom."""

    speaker: Name


class ListChanges(Struct, kw_only=True):
    """Which changes."""

    id: Name | None = None
    since: Start | None = None
    limit: Annotated[int, Meta(ge=0, le=100_000)] | None = None


class ChangeArguments(Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for a change, and who makes it."""

    why: Reason | None = None
    by: Name = "user"


class Correct(ChangeArguments, kw_only=True):
    """A right text for a turn or a note."""

    id: Target
    text: Annotated[str, Meta(description="What is right, as a sentence of its own.")]


class OfItem(ChangeArguments, kw_only=True):
    """A turn, an event or a note."""

    id: Target


class Undo(ChangeArguments, kw_only=True):
    """A change that is to be taken back."""

    change: Name


class Resolve(ChangeArguments, kw_only=True):
    """A decision about a note."""

    note: Name
    decision: Annotated[str, Meta(extra_json_schema={"enum": ["keep", "retire"]})]


class SetRule(ChangeArguments, kw_only=True):
    """By which rule contradictions in a slot, or in one subject's (`subject:slot`), are settled."""

    slot: Name
    rule: Annotated[str, Meta(extra_json_schema={"enum": ["newest", "most-frequent", "first", "ask"]})]


class EditPersona(ChangeArguments, kw_only=True):
    """What a persona is to say."""

    speaker: Name
    text: str | None = None
    traits: list[str] | None = None


class FeedbackArguments(ChangeArguments, kw_only=True):
    """A verdict on memories: a word, or what their weight is multiplied by."""

    ids: Annotated[list[Name], Meta(max_length=100)]
    verdict: (
        Annotated[str, Meta(extra_json_schema={"enum": ["approve", "none", "reject"]})]
        | Annotated[float, Meta(extra_json_schema={"exclusiveMinimum": 0})]
    )


class Forget(ChangeArguments, kw_only=True):
    """What to forget: everything that meets all of the conditions."""

    ids: list[Name] | None = None
    speaker: Who | None = None
    session: Who | None = None
    since: Moment | None = None
    after: Moment | None = None
    until: Moment | None = None
    before: Moment | None = None
    entity: Who | None = None
    query: Words | None = None
    k: Count = 10
    preview: bool = False
    echoes: bool = False


class Retain(ChangeArguments, kw_only=True):
    """For how many days turns are kept; null for good."""

    days: Count | None


class Consolidate(Struct, forbid_unknown_fields=True, kw_only=True):
    """How long to work, and how many texts to write at most."""

    budget: Spendable | None = None
    texts: Annotated[int, Meta(extra_json_schema={"minimum": 0})] | None = None
    at: Moment | None = None


class Work(Struct, forbid_unknown_fields=True, kw_only=True):
    """How many calls of a model to make at most, whether to read what may go on, and how much at once."""

    limit: Count | None = None
    drain: bool = True
    concurrency: Annotated[int, Meta(extra_json_schema={"minimum": 1, "maximum": 8})] | None = None


class SetBudget(Struct, forbid_unknown_fields=True):
    """What may be spent on models, by the names of the limits; null takes one away."""

    limits: dict[str, float | None]


class Verify(Struct, forbid_unknown_fields=True):
    """Words that must not stand anywhere any more."""

    forgotten: list[Annotated[str, Meta(extra_json_schema={"minLength": 3, "pattern": "^[a-z]+$"})]] = []
