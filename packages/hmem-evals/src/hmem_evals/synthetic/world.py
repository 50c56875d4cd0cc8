"""Happenings of the simulated lives, and the sessions in which they are told."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from hmem_evals.synthetic.moments import NUMBERS, Moment, moment
from hmem_evals.synthetic.people import Person
from hmem_evals.synthetic.script import Beat, Kind, kinds
from hmem_evals.synthetic.vocabulary import Bags, Dice, fill_slots

_SESSIONS_OF_A_LIFE: Final = 25
_FOLLOWS: Final = 6.0
_ECHOES_OTHER: Final = 1.6


@dataclass(slots=True)
class Happening:
    """One thing told from a life. ``turns`` has the ids of the turns that state each beat.

    ``mentioned`` has the slots that a beat's turn names beyond those of the beat.
    """

    kind: Kind
    teller: Person
    listener: Person
    session: int
    values: dict[str, str]
    moment: Moment | None
    before: "Happening | None"
    beats: tuple[Beat, ...] = ()
    turns: dict[str, str] = field(default_factory=dict[str, str])
    mentioned: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])


@dataclass(slots=True)
class Sitting:
    """Session: its time, and the happenings told in it."""

    number: int
    time: datetime
    happenings: list[Happening]


class World:
    """Two lives on a calendar, or one beside an assistant."""

    def __init__(self, dice: Dice, bags: Bags, pair: Sequence[Person], tellers: Sequence[Person]) -> None:
        self._dice, self._bags = dice, bags
        self._pair, self._tellers = pair, tellers
        self._past: dict[str, list[Happening]] = {person.name: [] for person in pair}
        self._count: Counter[tuple[str, str]] = Counter()
        self._followed: set[tuple[str, int]] = set()
        self._rounds = 1.0

    def session_windows(self, sessions: int, topics: tuple[int, int], gap: tuple[int, int]) -> list[Sitting]:
        """Return sessions in time order; ``topics`` per session and ``gap`` in days between two are ranges."""
        self._rounds = max(1.0, sessions / _SESSIONS_OF_A_LIFE)
        day = datetime(
            self._dice.draw_integer(2019, 2025),
            self._dice.draw_integer(1, 12),
            self._dice.draw_integer(1, 28),
            tzinfo=UTC,
        )
        result: list[Sitting] = []
        for number in range(1, sessions + 1):
            days = self._dice.draw_integer(*gap)
            day += timedelta(days=days)
            time = day + timedelta(hours=self._dice.draw_integer(8, 21), minutes=self._dice.draw_integer(0, 59))
            happenings = self._happenings(number, time, days, self._dice.draw_integer(*topics))
            result.append(Sitting(number, time, happenings))
        return result

    def phantoms(self, time: datetime, number: int) -> list[Happening]:
        """Return happenings that did not take place, for unanswerable questions."""
        fitting = [
            kind
            for kind in kinds().values()
            if not kind.needs and any(template.category == "single-hop" for template in kind.templates)
        ]
        selected = [self._dice.pick(fitting) for _ in range(number)]
        return [self._happening(kind, self._dice.pick(self._tellers), 0, time, 400) for kind in selected]

    def _happenings(self, number: int, time: datetime, gap: int, topics: int) -> list[Happening]:
        happenings: list[Happening] = []
        teller = self._dice.pick(self._tellers)
        for _ in range(topics):
            if (kind := self._kind(teller, number, happenings)) is not None:
                happenings.append(self._happening(kind, teller, number, time, gap))
            if self._dice.chance(0.75):
                teller = self._tellers[self._tellers.index(teller) - 1]
        for happening in happenings:
            self._past[happening.teller.name].append(happening)
        return happenings

    def _kind(self, teller: Person, session: int, session_happenings: Sequence[Happening]) -> Kind | None:
        """Draw a kind that a person may have now, of a family not told in the session yet; None without one."""
        families = {happening.kind.family for happening in session_happenings}
        fitting = [
            kind for kind in kinds().values() if kind.family not in families and self._may(kind, teller, session)
        ]
        if not fitting:
            return None
        listener = self._pair[self._pair[0] is teller]
        return self._dice.weighted(fitting, [self._weight(kind, listener) for kind in fitting])

    def _may(self, kind: Kind, teller: Person, session: int) -> bool:
        if kind.condition and kind.condition not in teller.conditions:
            return False
        if self._count[teller.name, kind.name] >= kind.repeats * self._rounds:
            return False
        return not kind.needs or self._earlier(kind, teller, session) is not None

    def _weight(self, kind: Kind, listener: Person) -> float:
        """Return a kind's weight, higher for one that follows an earlier happening or that the other person had too."""
        is_common = any(happening.kind is kind for happening in self._past[listener.name][-40:])
        return kind.weight * (_FOLLOWS if kind.needs else 1.0) * (_ECHOES_OTHER if is_common else 1.0)

    def _earlier(self, kind: Kind, teller: Person, session: int) -> Happening | None:
        """Return the latest earlier happening that the kind can follow and has not followed yet."""
        kind_names = kind.needs.split(",")
        for happening in reversed(self._past[teller.name]):
            if (
                happening.kind.name in kind_names
                and (kind.name, id(happening)) not in self._followed
                and happening.session < session
            ):
                return happening
        return None

    def _happening(self, kind: Kind, teller: Person, session: int, time: datetime, gap: int) -> Happening:
        before = self._earlier(kind, teller, session) if kind.needs else None
        if before is not None:
            self._followed.add((kind.name, id(before)))
        self._count[teller.name, kind.name] += 1
        days = gap - 1 if before is not None else 400
        spoken_time = None if kind.style == "none" else moment(self._dice, kind.style, time.date(), max(1, days))
        listener = self._pair[self._pair[0] is teller]
        values = self._values(kind, teller, time, before)
        values["O"] = listener.name
        values["when"] = spoken_time.phrase if spoken_time else ""
        beats = self._beats(kind)
        return Happening(kind, teller, listener, session, values, spoken_time, before, beats)

    def _beats(self, kind: Kind) -> tuple[Beat, ...]:
        """Draw the beats to tell: an optional one may be left out, with the listener's question before it."""
        omissions = {
            label[1]
            for label, beat in kind.beats.items()
            if beat.optional and label.startswith("T") and self._dice.chance(0.35)
        }
        return tuple(
            beat
            for label, beat in kind.beats.items()
            if label[1] not in omissions and not (beat.optional and label[0] != "T" and self._dice.chance(0.35))
        )

    def _values(self, kind: Kind, teller: Person, time: datetime, before: Happening | None) -> dict[str, str]:
        values: dict[str, str] = {}
        if before is not None:
            values |= {f"^{name}": value for name, value in before.values.items()}
        for name, source in kind.slots.items():
            for index, field_ in enumerate(self._draw(source, teller, time, before)):
                values[f"{name}.{index}" if index else name] = self._dice.spin(field_)
        return {name: fill_slots(value, values) if "{" in value else value for name, value in values.items()}

    def _draw(self, source: str, teller: Person, time: datetime, before: Happening | None) -> tuple[str, ...]:
        bag, _, argument = source.partition(":")
        if bag == "cast":
            roles = [role for role in teller.circle if not argument or role in argument.split(",")]
            named_roles = [role for role in roles if teller.circle[role]] or list(teller.circle)
            role = self._dice.pick(named_roles)
            return role, teller.circle[role]
        if bag == "same":
            return (before.values[argument] if before else "",)
        if bag == "num":
            number = self._dice.draw_integer(*map(int, argument.split("-")))
            return (NUMBERS[number] if number < len(NUMBERS) else str(number), str(number))
        if bag == "ago":
            years = self._dice.draw_integer(*map(int, argument.split("-")))
            return (f"{NUMBERS[years]} years" if years > 1 else "a year", str(time.year - years))
        return self._bags.draw(bag)
