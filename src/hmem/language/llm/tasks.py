"""Tasks for a model: each has a name, a prompt, and the schema of its answer.

The name is also that of the schema on the wire. Every field of a schema has a default, so that the answer of a small
model that omits one is still usable; the schema on the wire requires all of them. Lists are validated item by item: a
malformed item is left out and the others stay. A valid answer is only well formed; other modules check it against the
turns.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Annotated, Any, Final, Generic, TypeVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)

from hmem.language.prompt_text import harmless_data
from hmem.model.evidence import Reaction
from hmem.model.plan import AnswerType, Coverage, Scope

# Version of the prompts and schemas, a part of ``made_by``, so that results of older prompts are known to be outdated.
# Change this number with every change of a prompt or schema that asks for something else.
VERSION: Final = 4

_ESCAPES: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def as_json(value: Any) -> str:
    """Return a value as JSON without ``<``, ``>`` and ``&``, which are escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)


def block(task: str, data: Mapping[str, Any]) -> str:
    """Return the user message of a call: one block of JSON that no text within it can end or extend."""
    return f"<data>{as_json(harmless_data({'task': task, **data}))}</data>"


T = TypeVar("T")
Output = TypeVar("Output", bound=BaseModel)


def _sound(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """Keep the well-formed items of a list; a list without any is malformed."""
    if value is None:
        return []
    try:
        return handler(value)
    except ValidationError as error:
        malformed = {fault["loc"][0] for fault in error.errors() if fault["loc"]}
        valid = [item for index, item in enumerate(value) if index not in malformed] if malformed else []
        if not valid:
            raise
        return handler(valid)


Items = Annotated[list[T], WrapValidator(_sound)]


class ReplyModel(BaseModel):
    """Base of what a model says. Fields that were not asked for are left out; a malformed one has its default."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def _or_default(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            return handler(value)
        except ValidationError:
            field = cls.model_fields[info.field_name or ""]
            if field.is_required():
                raise
            return field.get_default(call_default_factory=True)


# The names and docstrings of these classes are part of the schemas on the wire.


class SaidStatement(ReplyModel):
    text: str
    when: str = ""
    path: str = ""
    context: int = 0
    claims: Items[str] = Field(default_factory=list[str])


class SaidTurn(ReplyModel):
    """What was read of the turn with the number ``n``, counted from 1 among those asked for."""

    n: int
    importance: int = 5
    shift: float = 0.0
    emotion: float = 0.0
    statements: Items[SaidStatement] = Field(default_factory=list[SaidStatement])
    names: Items[str] = Field(default_factory=list[str])
    relations: Items[str] = Field(default_factory=list[str])


class ReadTurns(ReplyModel):
    """``filler`` has the numbers of the turns that tell nothing."""

    turns: Items[SaidTurn]
    filler: Items[int] = Field(default_factory=list[int])


class SaidText(ReplyModel):
    n: int
    text: str


class SaidProfile(ReplyModel):
    n: int
    persistent: str = ""
    recent: str = ""


class SaidPersona(ReplyModel):
    n: int
    text: str
    traits: Items[str] = Field(default_factory=list[str])


class WriteTexts(ReplyModel):
    summaries: Items[SaidText] = Field(default_factory=list[SaidText])
    topics: Items[SaidText] = Field(default_factory=list[SaidText])
    profiles: Items[SaidProfile] = Field(default_factory=list[SaidProfile])
    personas: Items[SaidPersona] = Field(default_factory=list[SaidPersona])


class CompressText(ReplyModel):
    """``keep`` has the numbers of lines, the most important first."""

    keep: Items[int] = Field(default_factory=list[int])
    abstract: str = ""


class DistilLesson(ReplyModel):
    """``cases`` has the numbers of the cases that the lesson stands on."""

    lesson: str = ""
    cases: Items[int] = Field(default_factory=list[int])


class SaidPart(ReplyModel):
    text: str
    scope: Scope = "mixed"
    coverage: Coverage = "local"
    absolute: bool = False
    time_from: str | None = None
    time_to: str | None = None
    topic: str = ""
    entities: Items[str] = Field(default_factory=list[str])
    answer_type: AnswerType = "any"
    needs: Items[int] = Field(default_factory=list[int])


class PlanQuestion(ReplyModel):
    parts: Items[SaidPart]


class JudgeFeedback(ReplyModel):
    reaction: Reaction
    why: str = ""


class SaidReaction(ReplyModel):
    n: int
    reaction: Reaction
    why: str = ""


class JudgeReplies(ReplyModel):
    reactions: Items[SaidReaction]


class SaidSubAnswer(ReplyModel):
    """The answer to part ``n`` of the question, counted from 1, with the numbers of the lines that it stands on."""

    n: int
    answer: str
    citations: Items[int] = Field(default_factory=list[int])


class AnswerQuestion(ReplyModel):
    """``citations`` are numbers of lines of the evidence; ``missing`` is one further query, when not ``sufficient``.

    What is lacking is said before the answer, so that a stream of an answer that will be given anew can be held back.
    """

    parts: Items[SaidSubAnswer] = Field(default_factory=list[SaidSubAnswer])
    sufficient: bool = True
    missing: str = ""
    missing_slot: str = ""
    missing_anchor: str = ""
    abstained: bool = False
    answer: str
    citations: Items[int] = Field(default_factory=list[int])
    confidence: float = 0.5


class JudgeAnswer(ReplyModel):
    correct: bool
    why: str = ""


class SimplifyAnswer(ReplyModel):
    answer: str


@dataclass(frozen=True)
class Task(Generic[Output]):
    """One kind of call: its name, the form of its answer, and the most tokens of that, including thinking.

    ``version`` is that of its prompt: raise it, and ``VERSION``, when the prompt asks for something else.
    """

    name: str
    output: type[Output]
    max_tokens: int = 4_096
    version: int = 1

    @cached_property
    def instructions(self) -> str:
        """System prompt: the part for all tasks, and the task's own."""
        common, specific = (prompt(name) for name in ("shared", self.name))
        return f"{common}\n\n{specific}"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the answer: every field required, no other allowed."""
        return _bare(self.output.model_json_schema(mode="serialization"))


def _bare(schema: Any) -> Any:
    """Strip a schema of titles and defaults, which cost tokens, and close every object."""
    if isinstance(schema, list):
        return [_bare(subschema) for subschema in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    fields = cast("dict[str, Any]", schema)
    bare = {name: _bare(value) for name, value in fields.items() if name not in ("title", "default")}
    if "properties" in fields:
        properties = cast("dict[str, Any]", fields["properties"])
        bare |= {
            "properties": {name: _bare(value) for name, value in properties.items()},
            "required": list(properties),
            "additionalProperties": False,
        }
    return bare


def prompt(name: str) -> str:
    """Return the text of a prompt file."""
    return files("hmem.language.llm").joinpath("prompts", f"{name}.md").read_text("utf-8").strip()


READ_TURNS: Final = Task("read_turns", ReadTurns, 16_384)
# The caller decides how many texts fit into one call.
WRITE_TEXTS: Final = Task("write_texts", WriteTexts, 131_072)
COMPRESS: Final = Task("compress", CompressText)
DISTIL: Final = Task("distil", DistilLesson)
PLAN: Final = Task("plan", PlanQuestion)
FEEDBACK: Final = Task("feedback", JudgeFeedback)
JUDGE_REPLIES: Final = Task("judge_replies", JudgeReplies)
ANSWER: Final = Task("answer", AnswerQuestion)
JUDGE_ANSWER: Final = Task("judge_answer", JudgeAnswer)
SIMPLIFY_ANSWER: Final = Task("simplify_answer", SimplifyAnswer)

TASKS: Final = (
    READ_TURNS, WRITE_TEXTS, COMPRESS, DISTIL, PLAN, FEEDBACK, JUDGE_REPLIES, ANSWER, JUDGE_ANSWER, SIMPLIFY_ANSWER,
)  # fmt: skip
