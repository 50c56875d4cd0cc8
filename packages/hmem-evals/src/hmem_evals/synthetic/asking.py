"""Questions about simulated lives, with their gold turns."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hmem_evals.conversations import Question
from hmem_evals.synthetic.moments import NUMBERS
from hmem_evals.synthetic.people import Person, bare, first, names, third
from hmem_evals.synthetic.script import QuestionTemplate, lines_of, slots_of
from hmem_evals.synthetic.vocabulary import Dice, fill_sentences, fill_slots
from hmem_evals.synthetic.world import Happening

SHARES: Final[Mapping[str, float]] = {
    "single-hop": 0.42,
    "multi-hop": 0.14,
    "temporal": 0.16,
    "open-domain": 0.05,
    "adversarial": 0.23,
}
PER_SESSION: Final = 7
_NAMING: Final = frozenset({"P", "Ps", "Pme"})
_CLOSE: Final = 0.7
_SHORT: Final = 3
_WORD: Final = re.compile(r"\w+")
_VIEW: Final = frozenset({"P", "Ps", "Pme", "they", "them", "their", "O", "Os"})


@dataclass(frozen=True, slots=True)
class Draft:
    """Question before it has an id."""

    text: str
    answer: str
    category: str
    evidence: tuple[str, ...]


class Asker:
    """Generator of questions about told happenings; ``texts`` has the turns by id.

    ``is_assistant``: the user asks in the first person, and there is no second speaker with a life.
    """

    def __init__(
        self, dice: Dice, happenings: Sequence[Happening], texts: Mapping[str, str], *, is_assistant: bool
    ) -> None:
        self._dice, self._happenings, self._is_assistant = dice, happenings, is_assistant
        self._texts = texts
        self._by_family: dict[tuple[str, str], list[Happening]] = defaultdict(list)
        self._restated: dict[tuple[int, str], list[str]] = defaultdict(list)
        self._outdated = {id(happening.before) for happening in happenings if happening.kind.updates}
        for happening in happenings:
            self._by_family[happening.teller.name, happening.kind.family].append(happening)
            if happening.before is not None:
                for label, earlier_label in happening.kind.restated:
                    if label in happening.turns:
                        self._restated[id(happening.before), earlier_label[1:]].append(happening.turns[label])

    def questions(
        self, name: str, sessions: int, phantoms: Sequence[Happening] = (), extra_drafts: Sequence[Draft] = ()
    ) -> tuple[Question, ...]:
        """Return the questions of a conversation, with categories in the proportions of ``SHARES``.

        ``phantoms`` are happenings that did not take place; ``extra_drafts`` are drafts from elsewhere.
        """
        drafts: dict[str, list[Draft]] = {category: [] for category in SHARES}
        for draft in (*self._single(), *self._lists(), *self._never(phantoms), *extra_drafts):
            drafts[draft.category].append(draft)
        selected: list[Draft] = []
        for category, share in SHARES.items():
            target = max(1, round(share * PER_SESSION * sessions))
            selected += self._dice.shuffled(_distinct(drafts[category]))[:target]
        return tuple(
            Question(
                f"{name}:{number}",
                draft.text,
                draft.answer,
                draft.category,
                draft.evidence,
                unanswerable=draft.category == "adversarial",
            )
            for number, draft in enumerate(selected)
        )

    def _single(self) -> Iterator[Draft]:
        """Yield questions about single happenings, and the same questions about the wrong person."""
        for happening in self._happenings:
            for template in happening.kind.templates:
                if template.category == "single-hop" and id(happening) in self._outdated:
                    continue
                evidence = self._evidence(happening, template)
                if not evidence or (
                    template.category == "temporal" and "{WHEN}" in template.answer and not happening.moment
                ):
                    continue
                wording = self._wording(template, happening, evidence)
                slots = slots_of(wording) - _VIEW
                if self._alike(happening, happening.teller, slots):
                    continue
                yield Draft(
                    self._text(wording, happening, happening.teller, happening.listener),
                    self._answer(template.answer, happening),
                    template.category,
                    evidence,
                )
                wrong = self._wrong(happening, template, evidence)
                if wrong is not None:
                    yield wrong

    def _wording(self, template: QuestionTemplate, happening: Happening, evidence: Sequence[str]) -> str:
        """Return a wording that names the person: mostly, of three, the one nearest to its gold turns."""
        naming = [wording for wording in template.wordings if slots_of(wording) & _NAMING]
        wordings = [self._dice.spin(self._dice.pick(naming)) for _ in range(3)]
        if not evidence or not self._dice.chance(_CLOSE):
            return wordings[0]
        evidence_words = _words(" ".join(self._texts[turn] for turn in evidence))

        def nearness(wording: str) -> float:
            asks = _words(self._text(wording, happening, happening.teller, happening.listener))
            return len(asks & evidence_words) / max(1, len(asks))

        return max(wordings, key=nearness)

    def _wrong(self, happening: Happening, template: QuestionTemplate, evidence: tuple[str, ...]) -> Draft | None:
        """Return the question about the listener, to whom this did not happen; None if it is not adversarial."""
        if self._is_assistant or template.category not in ("single-hop", "temporal"):
            return None
        if template.category == "temporal" and not self._dice.chance(0.15):
            return None
        wording = self._wording(template, happening, evidence)
        if self._alike(happening, happening.listener, slots_of(wording) - _VIEW):
            return None
        text = self._text(wording, happening, happening.listener, happening.teller)
        return Draft(text, "", "adversarial", evidence)

    def _never(self, phantoms: Sequence[Happening]) -> Iterator[Draft]:
        """Yield questions about phantoms; a similar happening is their evidence."""
        for phantom in phantoms:
            template = self._dice.pick([entry for entry in phantom.kind.templates if entry.category == "single-hop"])
            wording = self._wording(template, phantom, ())
            slots = slots_of(wording) - _VIEW
            similar = self._by_family[phantom.teller.name, phantom.kind.family]
            if (similar and not slots) or self._alike(phantom, phantom.teller, slots):
                continue
            evidence = tuple(
                neighbour.turns[label]
                for neighbour in similar[:1]
                for label in template.labels
                if label in neighbour.turns
            )
            text = self._text(wording, phantom, phantom.teller, phantom.listener)
            yield Draft(text, "", "adversarial", evidence)

    def _alike(self, happening: Happening, person: Person, slots: frozenset[str]) -> bool:
        """Tell if the question also fits another happening of that person."""
        outdated = happening.before if happening.kind.updates else None
        return any(
            candidate is not happening
            and candidate is not outdated
            and all(candidate.values.get(slot) == happening.values[slot] for slot in slots)
            for candidate in self._by_family[person.name, happening.kind.family]
        )

    def _evidence(self, happening: Happening, template: QuestionTemplate) -> tuple[str, ...]:
        """Return the turns that state the beats or repeat the answer; none if a beat was not told."""
        turns: list[str] = []
        for label in template.labels:
            source, beat = (happening.before, label[1:]) if label.startswith("^") else (happening, label)
            if source is None or beat not in source.turns:
                return ()
            turns += [source.turns[beat], *self._restated[id(source), beat]]
        answer = slots_of(template.answer)
        if answer and "WHEN" not in answer:
            turns += [happening.turns[label] for label, slots in happening.mentioned.items() if answer <= slots]
        return tuple(dict.fromkeys(turns))

    def _view(self, happening: Happening, person: Person, listener: Person) -> dict[str, str]:
        values = bare(happening.values) if self._is_assistant else happening.values
        moment_values = {"WHEN": happening.moment.answer if happening.moment else ""}
        return {**values, **moment_values, **names(None if self._is_assistant else person, listener)}

    def _text(self, wording: str, happening: Happening, person: Person, listener: Person) -> str:
        values = self._view(happening, person, listener)
        if self._is_assistant:
            return first(fill_sentences(wording, values))
        return fill_sentences(wording, {name: third(value, happening.teller) for name, value in values.items()})

    def _answer(self, template: str, happening: Happening) -> str:
        values = self._view(happening, happening.teller, happening.listener)
        text = fill_slots(template, values)
        return first(text) if self._is_assistant else third(text, happening.teller)

    def _lists(self) -> Iterator[Draft]:
        """Yield questions over a whole life: lists, counts, and common items of both people."""
        facts_by_person: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
        for happening in self._happenings:
            for fact in happening.kind.facts:
                if fact.label in happening.turns:
                    item = self._answer(fact.item, happening)
                    facts_by_person[fact.facet][happening.teller.name].append((item, happening.turns[fact.label]))
        for line in lines_of("facets"):
            facet, use, wording = (column.strip() for column in line.split("|", 2))
            if use == "both":
                yield from self._common(wording, facts_by_person[facet])
                continue
            for happening in self._first_happenings():
                facts = facts_by_person[facet][happening.teller.name]
                if 2 <= len(facts) <= 6:
                    yield self._list_question(use, wording, happening, facts)

    def _first_happenings(self) -> list[Happening]:
        by_teller: dict[str, Happening] = {}
        for happening in self._happenings:
            by_teller.setdefault(happening.teller.name, happening)
        return list(by_teller.values())

    def _list_question(self, use: str, wording: str, happening: Happening, facts: Sequence[tuple[str, str]]) -> Draft:
        items = list(dict.fromkeys(item for item, _ in facts))
        variant = self._dice.spin(self._dice.pick([option.strip() for option in wording.split(" / ")]))
        answer = ", ".join(items) if use == "list" else _number(len(facts))
        evidence = tuple(dict.fromkeys(turn for _, turn in facts))
        return Draft(
            self._text(variant, happening, happening.teller, happening.listener), answer, "multi-hop", evidence
        )

    def _common(self, wording: str, facts: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[Draft]:
        if len(facts) < 2:
            return
        first, second = sorted(facts)
        common_items = [item for item in dict.fromkeys(item for item, _ in facts[first]) if item in dict(facts[second])]
        if not 1 <= len(common_items) <= 3:
            return
        evidence = [turn for name in (first, second) for item, turn in facts[name] if item in common_items]
        variant = self._dice.spin(self._dice.pick([option.strip() for option in wording.split(" / ")]))
        text = fill_sentences(variant, {"A": first, "B": second})
        yield Draft(text, ", ".join(common_items), "multi-hop", tuple(dict.fromkeys(evidence)))


def _words(text: str) -> frozenset[str]:
    return frozenset(word[:5] for word in _WORD.findall(text.lower()) if len(word) > _SHORT)


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts without duplicates and without questions that have two answers."""
    answers: dict[str, set[str]] = defaultdict(set)
    for draft in drafts:
        answers[draft.text].add(draft.answer)
    return list({draft.text: draft for draft in drafts if len(answers[draft.text]) == 1}.values())
