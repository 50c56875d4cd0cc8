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
from hmem_evals.synthetic.vocabulary import Dice, filled, put
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

    ``alone``: the user asks in the first person, and there is no second speaker with a life.
    """

    def __init__(self, dice: Dice, happenings: Sequence[Happening], texts: Mapping[str, str], *, alone: bool) -> None:
        self._dice, self._happenings, self._alone = dice, happenings, alone
        self._texts = texts
        self._by_family: dict[tuple[str, str], list[Happening]] = defaultdict(list)
        self._restated: dict[tuple[int, str], list[str]] = defaultdict(list)
        self._outdated = {id(happening.before) for happening in happenings if happening.kind.updates}
        for happening in happenings:
            self._by_family[happening.teller.name, happening.kind.family].append(happening)
            if happening.before is not None:
                for here, there in happening.kind.restated:
                    if here in happening.said:
                        self._restated[id(happening.before), there[1:]].append(happening.said[here])

    def questions(
        self, name: str, sessions: int, phantoms: Sequence[Happening] = (), more: Sequence[Draft] = ()
    ) -> tuple[Question, ...]:
        """Return the questions of a conversation, with categories in the proportions of ``SHARES``.

        ``phantoms`` are happenings that did not take place; ``more`` are drafts from elsewhere.
        """
        drafts: dict[str, list[Draft]] = {category: [] for category in SHARES}
        for draft in (*self._single(), *self._lists(), *self._never(phantoms), *more):
            drafts[draft.category].append(draft)
        chosen: list[Draft] = []
        for category, share in SHARES.items():
            wanted = max(1, round(share * PER_SESSION * sessions))
            chosen += self._dice.shuffled(_distinct(drafts[category]))[:wanted]
        return tuple(
            Question(
                f"{name}:{number}",
                draft.text,
                draft.answer,
                draft.category,
                draft.evidence,
                unanswerable=draft.category == "adversarial",
            )
            for number, draft in enumerate(chosen)
        )

    def _single(self) -> Iterator[Draft]:
        """Yield questions about single happenings, and the same questions about the wrong person."""
        for happening in self._happenings:
            for asked in happening.kind.asked:
                if asked.category == "single-hop" and id(happening) in self._outdated:
                    continue
                evidence = self._evidence(happening, asked)
                if not evidence or (asked.category == "temporal" and "{WHEN}" in asked.answer and not happening.moment):
                    continue
                wording = self._wording(asked, happening, evidence)
                named = slots_of(wording) - _VIEW
                if self._alike(happening, happening.teller, named):
                    continue
                yield Draft(
                    self._text(wording, happening, happening.teller, happening.listener),
                    self._answer(asked.answer, happening),
                    asked.category,
                    evidence,
                )
                wrong = self._wrong(happening, asked, evidence)
                if wrong is not None:
                    yield wrong

    def _wording(self, asked: QuestionTemplate, happening: Happening, evidence: Sequence[str]) -> str:
        """Return a wording that names the person: mostly, of three, the one nearest to its gold turns."""
        naming = [wording for wording in asked.wordings if slots_of(wording) & _NAMING]
        wordings = [self._dice.spin(self._dice.pick(naming)) for _ in range(3)]
        if not evidence or not self._dice.chance(_CLOSE):
            return wordings[0]
        said = _words(" ".join(self._texts[turn] for turn in evidence))

        def nearness(wording: str) -> float:
            asks = _words(self._text(wording, happening, happening.teller, happening.listener))
            return len(asks & said) / max(1, len(asks))

        return max(wordings, key=nearness)

    def _wrong(self, happening: Happening, asked: QuestionTemplate, evidence: tuple[str, ...]) -> Draft | None:
        """Return the question about the listener, to whom this did not happen; None if it is not adversarial."""
        if self._alone or asked.category not in ("single-hop", "temporal"):
            return None
        if asked.category == "temporal" and not self._dice.chance(0.15):
            return None
        wording = self._wording(asked, happening, evidence)
        if self._alike(happening, happening.listener, slots_of(wording) - _VIEW):
            return None
        text = self._text(wording, happening, happening.listener, happening.teller)
        return Draft(text, "", "adversarial", evidence)

    def _never(self, phantoms: Sequence[Happening]) -> Iterator[Draft]:
        """Yield questions about phantoms; a similar happening is their evidence."""
        for phantom in phantoms:
            asked = self._dice.pick([entry for entry in phantom.kind.asked if entry.category == "single-hop"])
            wording = self._wording(asked, phantom, ())
            named = slots_of(wording) - _VIEW
            near = self._by_family[phantom.teller.name, phantom.kind.family]
            if (near and not named) or self._alike(phantom, phantom.teller, named):
                continue
            evidence = tuple(told.said[label] for told in near[:1] for label in asked.labels if label in told.said)
            text = self._text(wording, phantom, phantom.teller, phantom.listener)
            yield Draft(text, "", "adversarial", evidence)

    def _alike(self, happening: Happening, person: Person, named: frozenset[str]) -> bool:
        """Tell if the question also fits another happening of that person."""
        outdated = happening.before if happening.kind.updates else None
        return any(
            other is not happening
            and other is not outdated
            and all(other.values.get(slot) == happening.values[slot] for slot in named)
            for other in self._by_family[person.name, happening.kind.family]
        )

    def _evidence(self, happening: Happening, asked: QuestionTemplate) -> tuple[str, ...]:
        """Return the turns that state the beats or repeat the answer; none if a beat was not told."""
        found: list[str] = []
        for label in asked.labels:
            told, beat = (happening.before, label[1:]) if label.startswith("^") else (happening, label)
            if told is None or beat not in told.said:
                return ()
            found += [told.said[beat], *self._restated[id(told), beat]]
        answer = slots_of(asked.answer)
        if answer and "WHEN" not in answer:
            found += [happening.said[label] for label, named in happening.mentioned.items() if answer <= named]
        return tuple(dict.fromkeys(found))

    def _view(self, happening: Happening, person: Person, other: Person) -> dict[str, str]:
        values = bare(happening.values) if self._alone else happening.values
        when = {"WHEN": happening.moment.meant if happening.moment else ""}
        return {**values, **when, **names(None if self._alone else person, other)}

    def _text(self, wording: str, happening: Happening, person: Person, other: Person) -> str:
        values = self._view(happening, person, other)
        if self._alone:
            return first(filled(wording, values))
        return filled(wording, {name: third(value, happening.teller) for name, value in values.items()})

    def _answer(self, template: str, happening: Happening) -> str:
        values = self._view(happening, happening.teller, happening.listener)
        text = put(template, values)
        return first(text) if self._alone else third(text, happening.teller)

    def _lists(self) -> Iterator[Draft]:
        """Yield questions over a whole life: lists, counts, and common items of both people."""
        held: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(lambda: defaultdict(list))
        for happening in self._happenings:
            for fact in happening.kind.facts:
                if fact.label in happening.said:
                    item = self._answer(fact.item, happening)
                    held[fact.facet][happening.teller.name].append((item, happening.said[fact.label]))
        for line in lines_of("facets"):
            facet, use, wording = (part.strip() for part in line.split("|", 2))
            if use == "both":
                yield from self._common(wording, held[facet])
                continue
            for happening in self._first_of_each():
                found = held[facet][happening.teller.name]
                if 2 <= len(found) <= 6:
                    yield self._listed(use, wording, happening, found)

    def _first_of_each(self) -> list[Happening]:
        seen: dict[str, Happening] = {}
        for happening in self._happenings:
            seen.setdefault(happening.teller.name, happening)
        return list(seen.values())

    def _listed(self, use: str, wording: str, happening: Happening, found: Sequence[tuple[str, str]]) -> Draft:
        items = list(dict.fromkeys(item for item, _ in found))
        chosen = self._dice.spin(self._dice.pick([part.strip() for part in wording.split(" / ")]))
        answer = ", ".join(items) if use == "list" else _number(len(found))
        evidence = tuple(dict.fromkeys(turn for _, turn in found))
        return Draft(self._text(chosen, happening, happening.teller, happening.listener), answer, "multi-hop", evidence)

    def _common(self, wording: str, found: Mapping[str, Sequence[tuple[str, str]]]) -> Iterator[Draft]:
        if len(found) < 2:
            return
        first, second = sorted(found)
        shared = [item for item in dict.fromkeys(item for item, _ in found[first]) if item in dict(found[second])]
        if not 1 <= len(shared) <= 3:
            return
        evidence = [turn for name in (first, second) for item, turn in found[name] if item in shared]
        chosen = self._dice.spin(self._dice.pick([part.strip() for part in wording.split(" / ")]))
        text = filled(chosen, {"A": first, "B": second})
        yield Draft(text, ", ".join(shared), "multi-hop", tuple(dict.fromkeys(evidence)))


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
