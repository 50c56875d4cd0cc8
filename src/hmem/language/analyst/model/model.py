"""What a model does for a memory: reads episodes, writes texts, plans questions, judges reactions.

On the wire a call is a system prompt (``prompts/shared.md`` and the task's own file) and one user message, which is
``<data>{…}</data>`` and nothing else. Inside is one JSON object, in which ``<``, ``>`` and ``&`` are written as
``\\u003c``, ``\\u003e`` and ``\\u0026``, so that no text can end the block. Its first member, ``task``, is the name of
the task, as is the name of the JSON schema (or of the tool) that the answer has to fit. Times are ISO 8601 with an
offset. A repair adds what the model said and a second user message: what was wrong, then the same demand.

``read_episode``: ``persona``; ``speakers``; ``before`` and ``turns``, lists of ``{n, speaker, said, weekday, text}``
and, where there are any, ``picture`` and ``role``. Turns of ``before`` are context, numbered up to 0.

``write_texts``: ``lines``, a list of ``{day, said}`` in which a line is ``[number, speaker, importance, text]``;
``people``, after whom no topic is named; lists ``summaries`` of ``{n, tokens, lines}``, ``topics`` of ``{n, siblings,
lines}``, ``profiles`` of ``{n, tokens, name, type, lines}``, of which ``lines`` are the numbers of those that the text
is made from, and a summary may be ``of`` earlier ones too, by their ``n``; ``personas`` of ``{n, tokens, person,
claims}``, ``verdicts`` of ``{n, older, newer}``. A claim is ``{kind, subject, slot, value, text, positive, valid_from,
valid_to}``; one of a pair has ``said`` and ``words`` too.

``plan``: ``question``, ``asked``, ``weekday``, ``people``.  ``feedback``: ``question``, ``answer``, ``reply``.
``judge_replies``: ``replies``, a list of ``{n, question, answer, reply}``.
``answer``: ``question``, ``asked``, ``weekday``, ``people``, ``parts`` of ``{n, question, needs}`` (none for a plain
question), ``evidence``: one text, in which a line with a year is followed by lines with a day, and these by what was
said on it, ``n speaker: text``, so that a date takes its tokens once.  ``judge_answer``: ``question``, ``gold``,
``answer``, ``kind``, ``rule``.  ``simplify_answer``: ``question``, ``answer``.
"""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from hmem.language.analyst.answering import ModelAnswer, ToAnswer
from hmem.language.analyst.base import Passage
from hmem.language.analyst.model.answering import StreamedAnswer, answer_data, replied
from hmem.language.analyst.model.caller import Caller
from hmem.language.analyst.model.planning import planned, question_data
from hmem.language.analyst.model.reading_episodes import episode_data, missing_turns, readings
from hmem.language.analyst.model.tasks import (
    ANSWER,
    FEEDBACK,
    JUDGE_ANSWER,
    JUDGE_REPLIES,
    PLAN,
    READ_EPISODE,
    SIMPLIFY_ANSWER,
    TASKS,
    VERSION,
    WRITE_TEXTS,
)
from hmem.language.analyst.model.wire import as_json
from hmem.language.analyst.model.writing_texts import missing_pieces, work_data, written
from hmem.language.analyst.reading import TurnExtraction
from hmem.language.analyst.spending import Budget, SpendingLedger, Spent
from hmem.language.analyst.work import Room, ToJudge, WriteRequest, WriteResult
from hmem.language.tokens import count_tokens
from hmem.model.plan import Plan
from hmem.model.strength import Reaction


class LanguageModel:
    """A language model at work for a memory. Safe to use from several threads."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    def __repr__(self) -> str:
        return f"Model({self.made_by})"

    @property
    def made_by(self) -> str:
        """The model and the version of the prompts: ``openai:gpt-4o-mini/2``."""
        return f"{self.caller.name}/{VERSION}"

    @property
    def room(self) -> Room:
        """How much work goes into one call of ``write``: what its endpoint is set to take, and to answer."""
        return self.caller.room

    @property
    def spent(self) -> Spent:
        """What was spent through this one."""
        return self.caller.spent

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> "LanguageModel":
        """The same model for one call of a memory's interface, charged to its ledger and held to its budget."""
        return LanguageModel(self.caller.charged(ledger, budget))

    def close(self) -> None:
        """Close the connections. They are opened again when it is used again."""
        self.caller.close()

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        """A reading of each wanted turn, by one call; of a turn that the model left out, what the rules read.

        Raises:
            ModelError: the model could not be of use.
        """
        if not passage.wanted:
            return []
        said = self.caller.ask(
            READ_EPISODE,
            episode_data(passage, persona),
            purpose="read",
            lacking=lambda said: missing_turns(passage, said),
        )
        return readings(passage, said, self.made_by)

    def write(self, work: WriteRequest) -> WriteResult:
        """All texts and verdicts, by one call; no call when nothing is to be written.

        Raises:
            ModelError: the model could not be of use.
        """
        if not work:
            return WriteResult(self.made_by)
        said = self.caller.ask(
            WRITE_TEXTS, work_data(work), purpose="write", lacking=lambda said: missing_pieces(work, said)
        )
        return written(work, said, self.made_by)

    def plan(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        """How to look a question up.

        Raises:
            ModelError: the model could not be of use.
        """
        return planned(question, asked, self.caller.ask(PLAN, question_data(question, asked, people), purpose="plan"))

    def answer(self, work: ToAnswer) -> ModelAnswer:
        """What the evidence answers, by one call.

        Raises:
            ModelError: the model could not be of use.
        """
        return replied(self.caller.ask(ANSWER, answer_data(work), purpose="answer"))

    def tell(self, work: ToAnswer, *, hold: bool = False) -> StreamedAnswer:
        """The same as it is said; with ``hold`` nothing is told of a reply that says first that evidence is lacking.

        Its iterator raises:
            ModelError: the model could not be of use.
        """
        return StreamedAnswer(self.caller.stream(ANSWER, answer_data(work), purpose="answer"), hold=hold)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        """What a reply says of an answer.

        Raises:
            ModelError: the model could not be of use.
        """
        data = {"question": question, "answer": answer, "reply": reply}
        return self.caller.ask(FEEDBACK, data, purpose="feedback").reaction

    def reactions(self, replies: Sequence[ToJudge]) -> list[Reaction | None]:
        """What each reply says of the answer before it, by one call; None of one of which nothing usable was said.

        Raises:
            ModelError: the model could not be of use.
        """
        if len(replies) < 2:
            return [self.feedback(one.question, one.answer, one.reply) for one in replies]
        said = self.caller.ask(
            JUDGE_REPLIES,
            {"replies": [{"n": n, **asdict(one)} for n, one in enumerate(replies, 1)]},
            purpose="feedback",
        ).reactions
        found: dict[int, Reaction] = {one.n: one.reaction for one in reversed(said)}
        return [found.get(number) for number in range(1, len(replies) + 1)]

    # For evaluations.

    def judge(self, question: str, gold: str, answer: str, kind: str, rule: str) -> tuple[bool, str]:
        """Whether an answer is right, by the rule ``essential`` or ``same``, and why.

        Raises:
            ModelError: the model could not be of use.
        """
        data = {"question": question, "gold": gold, "answer": answer, "kind": kind, "rule": rule}
        said = self.caller.ask(JUDGE_ANSWER, data, purpose="judge")
        return said.correct, said.why

    def simplify(self, question: str, answer: str) -> str:
        """The words of an answer that answer the question.

        Raises:
            ModelError: the model could not be of use.
        """
        data = {"question": question, "answer": answer}
        return self.caller.ask(SIMPLIFY_ANSWER, data, purpose="simplify").answer

    def overhead(self, task: str) -> int:
        """About how many tokens a call of a task takes beside its data: its prompt and its schema."""
        (one,) = (each for each in TASKS if each.name == task)
        return count_tokens(one.instructions) + count_tokens(as_json(one.schema))

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """What so many tokens cost; None where no price is known."""
        return self.caller.cost(input_tokens, output_tokens)
