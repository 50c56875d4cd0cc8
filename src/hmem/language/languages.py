"""Rules of a language, which a package offers by the entry point group ``hmem.languages``.

Formation and recall know sentences of any language. Dates, typed slots, the parts of a question and approval are read
by rules: those of English are in the package ``hmem-english``. Where no package is installed they are not read.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Final

from hmem.language.analyst.base import Excerpt
from hmem.language.analyst.lexicon import Lexicon
from hmem.language.plugins import load_plugin, offers
from hmem.model.evidence import Reaction
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.span import Span

_GROUP: Final = "hmem.languages"
# The only rules in use: the heads and the encoder know English, and other languages are read without rules.
_USED: Final = "english"


class LanguageRules(Lexicon):
    """Lexicon and rules of a language. This class is that of a language that no package describes."""

    @property
    def time_words(self) -> frozenset[str]:
        """Lower-cased words of numbers and times, which name no topic."""
        return frozenset()

    def main_date(self, text: str, reference_time: datetime, *, is_plan: bool = False) -> Span | None:
        """Return the span of the main date of a sentence; None if it has none. ``is_plan``: the sentence is a plan."""
        return None

    def own_slots(self, sentence: str) -> Sequence[tuple[str, str]]:
        """Return the typed slots of the speaker that a sentence gives, with their values."""
        return ()

    def plan(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        """Plan how to look a question up, as an analyst does."""
        return Plan(question, (SubQuestion(text=question, topic=question),))

    def sufficiency(
        self,
        subquestion: SubQuestion,
        excerpts: Sequence[Excerpt],
        question_time: datetime,
        *,
        notes: bool = False,
    ) -> Sufficiency:
        """Judge if these lines suffice to answer the question, as an analyst does."""
        return Sufficiency(0.0, 0.0, 0.0, 0.0)

    def missing(self, subquestion: SubQuestion, excerpts: Sequence[Excerpt]) -> FollowUp | None:
        """Return a query for what the first pass did not give; None if it gave all."""
        return None

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        """Judge a person's next message as feedback on an answer."""
        return "none"


@cache
def language_rules() -> LanguageRules:
    """Return the rules of the installed language package, loaded once per process."""
    return load_plugin(_GROUP, "language", _USED) if _USED in offers(_GROUP) else LanguageRules()
