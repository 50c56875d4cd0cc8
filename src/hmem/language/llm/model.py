r"""Language model of a memory: it reads episodes, writes texts, plans and answers questions, judges reactions.

A call on the wire is a system prompt (``prompts/shared.md`` and the task's own file) and one user message,
``<data>{…}</data>``. Inside is one JSON object, with ``<``, ``>`` and ``&`` written as ``\u003c``, ``\u003e`` and
``\u0026``, so that no text can end the block. Its first member, ``task``, is the name of the task and of the JSON
schema (or of the tool) of the answer. Times are ISO 8601 with an offset. A repair adds the model's reply and a second
user message with its fault and the same demand.

``read_turns``: ``speakers``; ``persona``; ``notes``, a list of ``[number, day, text]``; ``days``, a list of ``{day,
said}`` in which a line is ``[number, time, speaker, text]``, with ``{picture, role}`` behind it where there are any.
Lines numbered up to 0 are context.

``write_texts``: ``lines``, a list of ``{day, said}`` in which a line is ``[number, speaker, importance, text]``;
``people``, after whom no topic is named; lists ``summaries`` of ``{n, tokens, lines}``, ``topics`` of ``{n, siblings,
lines}``, ``profiles`` of ``{n, tokens, name, type, lines}``, where ``lines`` are the numbers of the source lines, and
``of``, optional in a summary, has the ``n`` of earlier summaries; ``personas`` of ``{n, tokens, person, claims}``.
A claim is ``{kind, subject, slot, value, text, positive, valid_from, valid_to}``.

``compress``: ``type``; ``lines``, a list of ``[number, text]``. ``distil``: ``cases``, a list of ``[number, text]``.

``plan``: ``question``, ``asked``, ``weekday``, ``people``. ``feedback``: ``question``, ``answer``, ``reply``.
``judge_replies``: ``replies``, a list of ``{n, question, answer, reply}``. ``judge_answer``: ``question``, ``gold``,
``answer``, ``kind``, ``rule``. ``simplify_answer``: ``question``, ``answer``.

``answer``: ``question``, ``asked``, ``weekday``, ``people``, ``parts`` of ``{n, question, needs, lines}`` (empty for a
plain question; ``lines`` are the numbers of those found for the part, best first), ``evidence``: one text with a line
for each year, below it a line for each day, and below that its lines ``n speaker: text``, so that a date takes its
tokens once.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hmem.errors import ExtraMissing, InvalidFile, UnknownName
from hmem.language.analyst.base import Compression, Passage, TurnExtraction
from hmem.language.analyst.language_model import ModelAnswer, ToAnswer, ToCompress, ToJudge, WriteRequest, WriteResult
from hmem.language.llm.batch import BatchChannel, read_files, read_responses, recorded_texts
from hmem.language.llm.caller import Caller
from hmem.language.llm.channel import Channel
from hmem.language.llm.compression import compress_data, compression, lesson
from hmem.language.llm.endpoint import CallSettings, Endpoint, call_settings, endpoint
from hmem.language.llm.extraction import extractions, missing_turns, turns_data
from hmem.language.llm.questions import StreamedAnswer, answer_data, checked_plan, model_answer, question_data
from hmem.language.llm.tasks import (
    ANSWER,
    COMPRESS,
    DISTIL,
    FEEDBACK,
    JUDGE_ANSWER,
    JUDGE_REPLIES,
    PLAN,
    READ_TURNS,
    SIMPLIFY_ANSWER,
    TASKS,
    VERSION,
    WRITE_TEXTS,
    as_json,
)
from hmem.language.llm.texts import missing_pieces, work_data, write_result
from hmem.language.tokens import count_tokens
from hmem.language.verbatim.analyst import VerbatimAnalyst
from hmem.model.evidence import Reaction
from hmem.model.plan import Plan

# Packages that the first call imports, besides Pydantic AI.
_CLIENTS: Final = {"anthropic": "anthropic", "ollama": "openai", "openai": "openai"}


class LanguageModel(Caller):
    """Language model of a memory. Safe to use from several threads.

    Each method makes one call, and raises ``ModelError`` if the model could not be used.
    """

    @property
    def made_by(self) -> str:
        """Name of the model and version of the prompts: ``openai:gpt-4o-mini/4``."""
        return f"{self.name}/{VERSION}"

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        """Extract each wanted turn; the rules extract a turn that the model left out."""
        if not passage.targets:
            return []
        data = turns_data(passage, persona)
        answer = self.ask(READ_TURNS, data, purpose="read", find_fault=lambda answer: missing_turns(passage, answer))
        return extractions(passage, answer, self.made_by)

    def write(self, work: WriteRequest) -> WriteResult:
        """Write all texts; make no call if there is nothing to write."""
        if not work:
            return WriteResult(self.made_by)
        data = work_data(work)
        answer = self.ask(WRITE_TEXTS, data, purpose="write", find_fault=lambda answer: missing_pieces(work, answer))
        return write_result(work, answer, self.made_by)

    def compress(self, work: ToCompress) -> Compression | None:
        """Compress a long text; None if nothing usable was said."""
        return compression(work, self.ask(COMPRESS, compress_data(work), purpose="write"))

    def distil(self, cases: Sequence[str]) -> tuple[str, Sequence[int]] | None:
        """Distil a lesson from cases; None if they have none in common, or it adds a number or a name."""
        answer = self.ask(DISTIL, {"cases": [list(case) for case in enumerate(cases, 1)]}, purpose="write")
        return lesson(cases, answer)

    def plan(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        """Plan how to look a question up."""
        data = question_data(question, question_time, people)
        return checked_plan(question, question_time, self.ask(PLAN, data, purpose="plan"))

    def answer(self, work: ToAnswer) -> ModelAnswer:
        """Answer from the evidence."""
        return model_answer(self.ask(ANSWER, answer_data(work), purpose="answer"))

    def stream_answer(self, work: ToAnswer, *, hold: bool = False) -> StreamedAnswer:
        """Answer as a stream; with ``hold``, yield nothing of a reply that first says that evidence is lacking."""
        return StreamedAnswer(self.stream(ANSWER, answer_data(work), purpose="answer"), hold=hold)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        """Judge a reply as feedback on an answer."""
        data = {"question": question, "answer": answer, "reply": reply}
        return self.ask(FEEDBACK, data, purpose="feedback").reaction

    def reactions(self, replies: Sequence[ToJudge]) -> list[Reaction | None]:
        """Judge each reply as feedback on the answer before it; None where nothing usable was said."""
        if len(replies) < 2:
            return [self.feedback(reply.question, reply.answer, reply.reply) for reply in replies]
        data = {"replies": [{"n": n, **asdict(reply)} for n, reply in enumerate(replies, 1)]}
        judgements = self.ask(JUDGE_REPLIES, data, purpose="feedback").reactions
        by_number: dict[int, Reaction] = {reaction.n: reaction.reaction for reaction in reversed(judgements)}
        return [by_number.get(number) for number in range(1, len(replies) + 1)]

    def batched(self, responses: Path | None = None) -> "BatchModel":
        """Return the same model, answered by the responses in a file or folder, and by nothing else.

        Raises:
            InvalidFile: it cannot be read.
        """
        by_id, refusals = read_responses(() if responses is None else read_files(responses))
        return BatchModel(BatchChannel(self._channel.endpoint, self._channel.settings, by_id, refusals))

    # For evaluations.

    def judge(self, question: str, gold: str, answer: str, kind: str, rule: str) -> tuple[bool, str]:
        """Judge an answer by the rule ``essential`` or ``same``; return the verdict and its reason."""
        data = {"question": question, "gold": gold, "answer": answer, "kind": kind, "rule": rule}
        verdict = self.ask(JUDGE_ANSWER, data, purpose="judge")
        return verdict.correct, verdict.why

    def simplify(self, question: str, answer: str) -> str:
        """Reduce an answer to its words that answer the question."""
        return self.ask(SIMPLIFY_ANSWER, {"question": question, "answer": answer}, purpose="simplify").answer

    def overhead(self, task: str) -> int:
        """Estimate the tokens of a task's prompt and schema. No call is made."""
        (definition,) = (candidate for candidate in TASKS if candidate.name == task)
        return count_tokens(definition.instructions) + count_tokens(as_json(definition.schema))


class BatchModel(LanguageModel):
    """Language model whose calls are lines of files."""

    _channel: BatchChannel

    @property
    def batch(self) -> BatchChannel:
        """Calls that were answered, and those that wait."""
        return self._channel


class ModelAnalyst(VerbatimAnalyst):
    """The verbatim analyst in every method, since formation never waits for a model; ``model`` reads and writes later.

    ``made_by`` is that of the verbatim analyst, which makes these results; the model's results have ``model.made_by``.
    """

    def __init__(self, model: LanguageModel) -> None:
        super().__init__()
        self.model = model

    def __repr__(self) -> str:
        return f"ModelAnalyst({self.model.made_by})"


def load(provider: str, variant: str) -> ModelAnalyst:
    """Load the analyst ``PROVIDER:VARIANT``, or ``recorded:FILE``. No request is made yet, and no key is read.

    Raises:
        ExtraMissing: the client packages are not installed.
        UnknownName: the variant names no model or file, or its address cannot be used.
        InvalidFile: the file of a recording cannot be read, or a line of it is neither a request nor a response.
        InvalidQuery: a setting in the environment is not a number.
    """
    if provider == "recorded":
        return ModelAnalyst(BatchModel(_recording(variant)))
    for package in ("pydantic_ai", _CLIENTS[provider]):
        if find_spec(package) is None:
            raise ExtraMissing(f"language models need {package} - run `pip install 'hmem[model]'`")
    return ModelAnalyst(LanguageModel(Channel(endpoint(provider, variant), call_settings())))


def _recording(variant: str) -> BatchChannel:
    if not variant:
        raise UnknownName("name the file or the folder of what a model said - write `recorded:FILE`")
    path = Path(variant)
    lines = list(read_files(path))
    responses, refusals = read_responses(lines)
    if refusals:
        line, reason = refusals[0]
        raise InvalidFile(f"{path}, line {line}, cannot be used: {reason} - take it out, or have it answered again")
    # The environment must not change what is asked, or a recording would answer in one place only.
    texts = recorded_texts(lines, responses)
    return BatchChannel(Endpoint("recorded", path.stem), CallSettings(), responses, texts=texts)
