"""Sessions of a user and an assistant: the user asks for help and mentions a life, the assistant gives long advice."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from hmem_evals.synthetic.asking import Draft
from hmem_evals.synthetic.script import lines_of
from hmem_evals.synthetic.talk import Voice
from hmem_evals.synthetic.vocabulary import Bags, Dice, fill_sentences, fill_slots
from hmem_evals.synthetic.world import Happening, Sitting

_GENERAL: Final = "general"
_RECOMMENDED: Final = 0.6
_ASIDES: Final = 0.6


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A user's wish, the assistant's recommendation, and the question about it."""

    domain: str
    request: str
    advised: str
    wordings: tuple[str, ...]
    answer: str


class Consult:
    """Writer of sessions between a user and an assistant, as messages."""

    def __init__(self, dice: Dice, bags: Bags) -> None:
        self._dice, self._bags = dice, bags
        self._voice = Voice(dice, bags)
        self._recommendations = _recommendations()
        self._messages: list[dict[str, Any]] = []
        self._session, self._at = 0, datetime.min.replace(tzinfo=UTC)
        self._number = 0
        self._opening = ""
        self.drafts: list[Draft] = []

    def write_messages(self, session_windows: Sequence[Sitting]) -> list[dict[str, Any]]:
        """Return the messages of all sessions, and record in each happening the turns that state it."""
        for session_window in session_windows:
            self._session, self._at, self._number = session_window.number - 1, session_window.time, 0
            self._opening = self._voice.draw_phrase(_GENERAL, "opening")
            for happening in session_window.happenings:
                self._write_happening(happening)
            if not session_window.happenings or self._dice.chance(_RECOMMENDED):
                self._recommend()
            self._say("user", self._voice.draw_phrase(_GENERAL, "close"))
            self._say("assistant", self._voice.draw_phrase(_GENERAL, "closing"))
        return self._messages

    def _say(self, role: str, *sentences: str) -> str:
        name = f"{self._session}:{self._number}"
        self._number += 1
        text = " ".join(sentence for sentence in (self._opening, *sentences) if sentence)
        self._opening = ""
        self._messages.append(
            {
                "text": "\n".join(fill_sentences(line, {}) for line in text.split("\n")),
                "speaker": role,
                "role": role,
                "at": self._at,
                "session": f"s{self._session}",
                "message_id": name,
            }
        )
        return name

    def _write_happening(self, happening: Happening) -> None:
        """Write a happening: the user asks for help and tells it beat by beat, with advice in between."""
        domain = happening.kind.domain
        statements = [beat.label for beat in happening.beats if beat.label[0] == "T"]
        for index, label in enumerate(statements):
            statement = self._statement(happening, label)
            if index:
                sentences = (statement, self._voice.draw_phrase(_GENERAL, "more"))
            else:
                request = self._voice.draw_phrase(domain, "request")
                with_aside = (request, self._voice.draw_phrase(_GENERAL, "aside"), statement)
                sentences = with_aside if self._dice.chance(_ASIDES) else (statement, request)
            happening.turns[label] = self._say("user", *sentences)
            following = statements[index + 1 : index + 2]
            self._say("assistant", self._advice(domain), *(self._question(happening, label) for label in following))

    def _statement(self, happening: Happening, label: str) -> str:
        wordings = happening.kind.beats[label].wordings
        words = fill_sentences(self._dice.spin(self._dice.pick(wordings)), happening.values)
        if happening.kind.needs_caption(label):
            caption = self._dice.spin(self._dice.pick(happening.kind.captions[label]))
            words = f"{words} It's {fill_slots(caption, happening.values).removeprefix('a photo of ')}."
        return f"{words} {self._voice.maybe(0.4, happening.kind.domain, 'feel')}"

    def _question(self, happening: Happening, label: str) -> str:
        beat = next((beat for beat in happening.beats if beat.label == f"L{label[1:]}"), None)
        if beat is None:
            return ""
        words = fill_slots(self._dice.spin(self._dice.pick(beat.wordings)), happening.values)
        return f"{self._voice.draw_phrase(_GENERAL, 'sofar')} {words}"

    def _advice(self, domain: str, first: str = "") -> str:
        tips = [self._voice.draw_phrase(domain, "tip") for _ in range(self._dice.draw_integer(3, 5))]
        tips = [f"{tip} {self._voice.maybe(0.7, domain, 'muse')}" for tip in tips]
        lines = [f"{number}. {tip}" for number, tip in enumerate([first, *tips] if first else tips, 1)]
        intro, outro = self._voice.draw_phrase(_GENERAL, "intro"), self._voice.draw_phrase(_GENERAL, "outro")
        return "\n".join([intro, *lines, outro])

    def _recommend(self) -> None:
        wish = self._dice.pick(self._recommendations)
        values: dict[str, str] = {}
        request, advised = (self._draw_slots(text, values) for text in (wish.request, wish.advised))
        self._say("user", fill_sentences(request, values))
        turn = self._say("assistant", self._advice(wish.domain, fill_sentences(advised, values)))
        wording = self._dice.spin(self._dice.pick(wish.wordings))
        self.drafts.append(
            Draft(fill_sentences(wording, values), fill_slots(wish.answer, values), "single-hop", (turn,))
        )

    def _draw_slots(self, template: str, values: dict[str, str]) -> str:
        """Return a template with its slots drawn: ``{choice=books}`` draws from books and becomes ``{choice}``."""
        result = self._dice.spin(template)
        while "=" in result:
            start = result.rindex("{", 0, result.index("="))
            end = result.index("}", start)
            name, source = result[start + 1 : end].split("=")
            bag, slash, article = source.partition("/")
            values[name] = self._dice.spin(self._bags.draw(bag)[0])
            result = f"{result[:start]}{{{name}{slash}{article}}}{result[end + 1 :]}"
        return result


def _recommendations() -> list[Recommendation]:
    result: list[Recommendation] = []
    for line in lines_of("recommendations"):
        # A bar between blanks separates columns, one without blanks the options of a choice.
        domain, request, advised, question_text = line.split(" | ")
        question, answer = question_text.rsplit(" = ", 1)
        wordings = tuple(wording.strip() for wording in question.split(" / "))
        result.append(Recommendation(domain, request, advised, wordings, answer))
    return result
