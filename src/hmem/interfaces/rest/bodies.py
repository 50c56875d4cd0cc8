"""The form of requests and, where a value's own fields do not tell it, of answers."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from hmem.interfaces.rest.names import LONGEST
from hmem.model.entity import Profile, Relation

_WHEN: Any = {"format": "date-time"}
# A memory judges a time itself: it takes a day alone, and reads what has no offset in its own zone.
Moment = Annotated[str, Field(max_length=64, json_schema_extra=_WHEN, examples=["2025-03-14T19:02:00+01:00"])]
# A time, or the id of a change.
_SINCE: Any = {"anyOf": [_WHEN, {"pattern": "^change_[0-7][0-9A-HJKMNP-TV-Z]{25}$"}]}
Start = Annotated[
    str,
    Field(max_length=64, json_schema_extra=_SINCE, description="From this time on, or behind the change of this id."),
]
_KINDS: Any = ["turn", "event", "note", "summary", "episode", "profile"]
_COUNT: Any = {"minimum": 1, "maximum": 10_000}
_MESSAGE: Any = {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": True}]}
# What the schema says beyond the type is for the memory to judge, by its own errors.
Kind = Annotated[str, Field(json_schema_extra={"enum": _KINDS})]
Count = Annotated[int, Field(json_schema_extra=_COUNT)]
# A score has some fifty terms, which are most of an answer; few ask for all of them.
TermCount = Annotated[
    int, Field(ge=0, le=1_000, description="How many terms of each score are told: those that add or take most.")
]
Name = Annotated[str, Field(max_length=1_000)]
# Empty ones are refused by the memory, too.
_TOLD: Any = {"minLength": 1, "pattern": "\\S"}
Who = Annotated[str, Field(max_length=1_000, json_schema_extra=_TOLD)]
Words = Annotated[str, Field(max_length=20_000)]
Question = Annotated[str, Field(max_length=20_000, json_schema_extra=_TOLD)]
MemoryName = Annotated[
    str,
    Field(
        json_schema_extra={"minLength": 1, "maxLength": LONGEST, "pattern": "^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$"}
    ),
]
Ttl = Annotated[
    str | float,
    Field(json_schema_extra={"anyOf": [{"type": "string", "pattern": "^[1-9][0-9]{0,3}(s|min|h|d|w)$"},
                                       {"type": "number", "minimum": 1, "maximum": 1e9}]}),
]  # fmt: skip


class Body(BaseModel):
    """What a request says; a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    def given(self) -> dict[str, Any]:
        """The fields that were sent, but those that are null."""
        return self.model_dump(exclude_unset=True, exclude_none=True)


class NewMemory(Body):
    """A memory to make, and how it is to form what it is told."""

    name: MemoryName
    recipe: Name | None = None
    zone: Name | None = None


class Defaults(Body):
    """What holds for messages that do not say otherwise."""

    speaker: Who | None = None
    at: Moment | None = None
    session: Who | None = None
    user: Who | None = None
    agent: Who | None = None
    ttl: Ttl | None = None


class Message(Body):
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
    defaults: Defaults | None = None
    wait: bool = False


class Messages(Defaults):
    """Many messages; each has a fate of its own."""

    wait: bool = False
    # What is no message at all is rejected by itself, too.
    messages: list[Annotated[Any, Field(json_schema_extra=_MESSAGE)]] = Field(max_length=100_000)


class Conditions(Body):
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


class Search(Conditions):
    """A question, and how much evidence of which kinds is wanted."""

    question: Question
    k: Count = 10
    kinds: list[Kind] = ["turn"]
    trace: bool = False
    terms: TermCount = 5


class WriteContext(Conditions):
    """A question, and how many tokens what answers it may have."""

    question: Question
    tokens: Count = 1_200


class Ask(Conditions):
    """A question."""

    question: Question
    trace: bool = False
    tokens: Count = 1_272
    terms: TermCount = 5
    # Another one would be called, and paid for, by whoever asks.
    analyst: Literal["rules"] | None = None


class Why(Body):
    """The reason for a change, and who makes it."""

    why: Words | None = None
    by: Name = "user"


class Correct(Why):
    """A right text for a turn or a note."""

    id: Name
    text: str


class Retract(Why):
    """A turn or a note that is not to be used."""

    id: Name


class Undo(Why):
    """A change that is to be taken back."""

    change: Name


class Resolve(Why):
    """A decision about a note."""

    note: Name
    decision: Annotated[str, Field(json_schema_extra={"enum": ["keep", "retire"]})]


class SetRule(Why):
    """By which rule contradictions in a slot, or in one subject's (`subject:slot`), are settled."""

    slot: Name
    rule: Annotated[str, Field(json_schema_extra={"enum": ["newest", "most-frequent", "first", "ask"]})]


class EditPersona(Why):
    """What a persona is to say."""

    speaker: Name
    text: str | None = None
    traits: list[str] | None = None


class Feedback(Why):
    """A verdict on memories: a word, or what their weight is multiplied by."""

    ids: list[Name] = Field(max_length=100)
    verdict: (
        Annotated[str, Field(json_schema_extra={"enum": ["approve", "none", "reject"]})]
        | Annotated[float, Field(json_schema_extra={"exclusiveMinimum": 0})]
    )


class Forget(Why):
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


class Retain(Why):
    """For how many days turns are kept; null for good."""

    days: int | None = Field(json_schema_extra=_COUNT)


class Consolidate(Body):
    """How long to work, and how many texts to write at most."""

    budget: float | None = Field(None, json_schema_extra={"minimum": 0})
    texts: int | None = Field(None, json_schema_extra={"minimum": 0})
    at: Moment | None = None


class Work(Body):
    """How many calls of a model to make at most, whether to read what may go on, and how much at once."""

    limit: int | None = Field(None, json_schema_extra=_COUNT)
    drain: bool = True
    concurrency: int | None = Field(None, json_schema_extra={"minimum": 1, "maximum": 8})


class Limits(Body):
    """What may be spent on models, by the names of the limits; null takes one away."""

    limits: dict[str, float | None]


class Verify(Body):
    """Words that must not stand anywhere any more."""

    forgotten: list[Annotated[str, Field(json_schema_extra={"minLength": 3, "pattern": "^[a-z]+$"})]] = []


# Answers.


class MemoryShape(BaseModel):
    """A memory's name and its counts, times and sizes."""

    model_config = ConfigDict(extra="allow")

    memory: str
    turns: int
    sessions: int


class NamesShape(BaseModel):
    """The names of memories, those only that the key is for."""

    items: list[str]
    next: str | None


class DeletedShape(BaseModel):
    """A memory that is no more."""

    name: str
    deleted: bool


class DoneShape(BaseModel):
    """That it was done."""

    done: bool


class TurnsShape(BaseModel):
    """How many turns."""

    turns: int


class RetainShape(BaseModel):
    """For how many days turns are kept."""

    retain_days: int | None


class NodeShape(BaseModel):
    """A node of a tree with what is below it."""

    id: str
    level: int
    label: str
    start: str
    end: str
    size: int
    summary: str
    children: list["NodeShape"]
    leaves: list[str]


class EpisodeShape(BaseModel):
    """A coherent run of turns."""

    id: str
    session: str
    start: str
    end: str
    cut: str
    turns: list[str]
    summary: str
    notes: list[str]


class EntityShape(BaseModel):
    """An entity, and how many turns name it."""

    id: str
    name: str
    type: str
    aliases: list[str]
    mentions: int


class GraphShape(BaseModel):
    """Entities and what relates them."""

    entities: list[EntityShape]
    relations: list[Relation]
    overlaps: list[tuple[str, str]]
    profiles: list[Profile]


class PersonaShape(BaseModel):
    """What is known of a speaker."""

    id: str
    speaker: str
    version: int
    text: str
    traits: list[str]
    at: str
    sources: list[str]
    made_by: str


class ProblemShape(BaseModel):
    """What is wrong, by RFC 9457; ``name`` is the error's in ``hmem.errors``."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str
    name: str
