"""How a claim is put together: its sentence, and the time for which it holds."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.analyst.rules.person import shown
from hmem.language.analyst.rules.vocabulary import Rule
from hmem.model.note import NoteKind
from hmem.model.span import Span

# The end of what still holds.
OPEN: Final = datetime(9999, 12, 31, tzinfo=UTC)

# The speaker within a text that is being read.
SELF: Final = "§"

# What tells who someone is, and what they like and want, whatever the wording: the rest are facts.
_KIND_OF: Final[dict[str, NoteKind]] = {
    **dict.fromkeys(("plan", "owns", "pet", "membership", "friend", "relation", "health", "role"), "profile"),
    **dict.fromkeys(("goal", "habit", "hobby", "interest", "instruction"), "preference"),
}


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the claims of one sentence: who spoke, when what it tells happened, the place of its statement."""

    speaker: str
    happened: Span | None
    place: int

    def claim(
        self,
        kind: NoteKind,
        subject: str,
        slot: str,
        value: str,
        text: str,
        *,
        positive: bool = True,
        rule: Rule | None = None,
    ) -> Claim:
        """A claim worded by ``text``, in which ``{s}`` stands for the subject."""
        speaker = shown(self.speaker)
        kind = _KIND_OF.get(slot, kind)
        worded = text.replace("{s}", self._named(subject, speaker)).replace(SELF, speaker)
        return Claim(
            kind,
            subject,
            slot,
            value.replace(SELF, speaker),
            worded[:1].upper() + worded[1:],
            positive,
            self._valid(rule),
            self.place,
        )

    def _named(self, subject: str, speaker: str) -> str:
        if subject == self.speaker:
            return speaker
        own = f"{self.speaker}'s "
        return f"{speaker}'s {subject.removeprefix(own)}" if subject.startswith(own) else subject

    def _valid(self, rule: Rule | None) -> Span | None:
        if rule is None or self.happened is None or not (rule.lasting or rule.dated):
            return None
        return Span(self.happened.start, OPEN) if rule.lasting and rule.positive else self.happened
