"""The right answer to each task of the model analyst, derived from its data by the rules: no model, the same each time.

A task's data come in as JSON, and its answer goes out as JSON by the task's schema; both are described in
``hmem.language.llm``. Numbers of turns, lines and parts are those that the data give them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from hmem.interfaces.standin.judging import judge_answer, simplify_answer
from hmem.interfaces.standin.reading import read_episode
from hmem.interfaces.standin.recalling import answer, feedback, judge_replies, plan
from hmem.interfaces.standin.wire import Json
from hmem.interfaces.standin.writing import write_texts

Data = Mapping[str, Any]

TASKS: Final[Mapping[str, Callable[[Data], Json]]] = {
    "read_episode": read_episode,
    "write_texts": write_texts,
    "plan": plan,
    "feedback": feedback,
    "judge_replies": judge_replies,
    "answer": answer,
    "judge_answer": judge_answer,
    "simplify_answer": simplify_answer,
}
