"""The tasks that a model is given: each a name, a prompt, and the schema of what it is to say.

The name is also the name of the schema on the wire. ``VERSION`` counts the versions of the prompts and schemas; it
is a part of ``made_by``, so that what older prompts made is known to be outdated.
"""

from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, Final, Generic, TypeVar, cast

from pydantic import BaseModel

from hmem.language.analyst.model import schemas

# Whoever changes a prompt or a schema in what it asks for changes this number.
VERSION: Final = 2

_PROMPTS: Final = "hmem.language.analyst.prompts"

Output = TypeVar("Output", bound=BaseModel)


@dataclass(frozen=True)
class Task(Generic[Output]):
    """One kind of call: its name, what is to be said, and in how many tokens, what is thought first included."""

    name: str
    output: type[Output]
    max_tokens: int = 4_096

    @cached_property
    def instructions(self) -> str:
        """The system prompt: what holds for every task, and what this one is."""
        shared, own = (prompt(name) for name in ("shared", self.name))
        return f"{shared}\n\n{own}"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of what is to be said: every field asked for, none besides."""
        return _bare(self.output.model_json_schema(mode="serialization"))


def _bare(schema: Any) -> Any:
    """A schema without titles and defaults, which cost tokens, and with nothing left open."""
    if isinstance(schema, list):
        return [_bare(each) for each in cast("list[Any]", schema)]
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
    """The text of a prompt file."""
    return files(_PROMPTS).joinpath(f"{name}.md").read_text("utf-8").strip()


READ_EPISODE: Final = Task("read_episode", schemas.ReadEpisode, 8_192)
# As many texts are asked for at once as there is room for where the model is asked.
WRITE_TEXTS: Final = Task("write_texts", schemas.WriteTexts, 131_072)
PLAN: Final = Task("plan", schemas.PlanQuestion)
FEEDBACK: Final = Task("feedback", schemas.JudgeFeedback)
JUDGE_REPLIES: Final = Task("judge_replies", schemas.JudgeReplies)
ANSWER: Final = Task("answer", schemas.AnswerQuestion)
JUDGE_ANSWER: Final = Task("judge_answer", schemas.JudgeAnswer)
SIMPLIFY_ANSWER: Final = Task("simplify_answer", schemas.SimplifyAnswer)

TASKS: Final = (READ_EPISODE, WRITE_TEXTS, PLAN, FEEDBACK, JUDGE_REPLIES, ANSWER, JUDGE_ANSWER, SIMPLIFY_ANSWER)
