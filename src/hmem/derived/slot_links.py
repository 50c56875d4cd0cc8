"""Outcome of the slot timelines, kept so that no slot is folded again: links between notes, and what they hold for.

A link says that a note repeats, extends or contradicts an older one of its slot, as the timeline judged when the newer
note came. Notes without links stand alone, and those that links join can be folded without the rest of their slot. The
links of a slot hold for a **context**: its rule, and what people decided about its notes. ``SlotContexts`` keeps those
that differ from the usual one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from hmem.derived.chunks import EVENT_BITS, Part
from hmem.language.analyst import Relation
from hmem.model.scope import ScopedName

_BITS: Final = EVENT_BITS + 8
_RELATIONS: Final[tuple[Relation, ...]] = ("same", "extends", "contradicts", "disputes")

Slot = tuple[ScopedName, str]


class Link(NamedTuple):
    """Relation of a note to an older one, by number, with its reason."""

    older: int
    relation: Relation
    why: str


class SlotLinks(Part):
    """Links by the newer note, in the order in which they were judged. A chunk holds those of 256 turns."""

    def __init__(self, name: str = "slot-links") -> None:
        super().__init__(name)
        self._links: dict[int, tuple[Link, ...]] = {}
        self._newer: dict[int, list[int]] = {}
        self._in: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._links.values()))

    def of(self, number: int) -> tuple[Link, ...]:
        """Return the links of a note to older ones."""
        return self._links.get(number, ())

    def joins(self, number: int) -> bool:
        """Tell if a note has a link, to an older note or from a newer one."""
        return number in self._links or number in self._newer

    def joined(self, number: int) -> list[int]:
        """Return the notes that links join with a note, directly or by way of others, and itself, ascending."""
        found, ahead = {number}, [number]
        while ahead:
            one = ahead.pop()
            for other in (*(link.older for link in self.of(one)), *self._newer.get(one, ())):
                if other not in found:
                    found.add(other)
                    ahead.append(other)
        return sorted(found)

    def put(self, number: int, links: Iterable[Link]) -> None:
        """Replace the links of a note to older ones."""
        kept = tuple(links)
        if kept != self.of(number):
            self._drop(number)
            self._keep(number, kept)
            self.changed.add(number >> _BITS)

    def _keep(self, number: int, links: tuple[Link, ...]) -> None:
        if links:
            self._links[number] = links
            self._in.setdefault(number >> _BITS, {})[number] = None
        for link in links:
            self._newer.setdefault(link.older, []).append(number)

    def _drop(self, number: int) -> None:
        links = self._links.pop(number, ())
        if links:
            del self._in[number >> _BITS][number]
        for link in links:
            newer = self._newer[link.older]
            newer.remove(number)
            if not newer:
                del self._newer[link.older]

    def load(self, number: int, content: Any | None) -> None:
        words: list[str]
        rows: list[list[int]]
        words, rows = content or ([], [])
        for newer in list(self._in.get(number, ())):
            self._drop(newer)
        for newer, *flat in rows:
            self._keep(
                newer,
                tuple(
                    Link(newer - back, _RELATIONS[relation], words[why])
                    for back, relation, why in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
                ),
            )

    def dump(self, number: int) -> Any | None:
        words: dict[str, int] = {}
        rows: list[list[int]] = []
        for newer in sorted(self._in.get(number, ())):
            row = [newer]
            for link in self._links[newer]:
                row += [newer - link.older, _RELATIONS.index(link.relation), words.setdefault(link.why, len(words))]
            rows.append(row)
        return [list(words), rows] if rows else None


@dataclass(frozen=True, slots=True)
class SlotContext:
    """Conditions that the links of a slot hold for.

    ``decided`` is a digest of the slot's rule and of people's decisions; empty where there are none. ``disordered`` is
    set if some of its notes were said before notes that were kept earlier.
    """

    decided: str = ""
    disordered: bool = False


USUAL: Final = SlotContext()


class SlotContexts(Part):
    """Contexts of the slots by subject and slot. One chunk holds all; most memories have few.

    ``rule`` is that of all slots that have none of their own, and tells that the links of all slots are kept, and
    None if they are not.
    """

    def __init__(self, name: str = "slot-contexts") -> None:
        super().__init__(name)
        self.rule: str | None = None
        self._of: dict[Slot, SlotContext] = {}

    def slots(self) -> list[Slot]:
        """Return the slots whose context is not the usual one."""
        return sorted(self._of)

    def of(self, slot: Slot) -> SlotContext:
        """Return the context of a slot."""
        return self._of.get(slot, USUAL)

    def put(self, slot: Slot, context: SlotContext) -> None:
        """Keep the context of a slot."""
        if context == self.of(slot):
            return
        if context == USUAL:
            del self._of[slot]
        else:
            self._of[slot] = context
        self.changed.add(0)

    def hold_for(self, rule: str | None) -> None:
        """Note the rule that the links of all slots are kept for; None if some are not kept."""
        if rule != self.rule:
            self.rule = rule
            self.changed.add(0)

    def load(self, number: int, content: Any | None) -> None:  # noqa: ARG002 - there is one
        rows: Sequence[tuple[str, str, str, str, int]]
        self.rule, rows = content or (None, ())
        self._of = {
            (ScopedName(owner, subject), slot): SlotContext(decided, bool(disordered))
            for owner, subject, slot, decided, disordered in rows
        }

    def dump(self, number: int) -> Any | None:  # noqa: ARG002 - there is one
        if self.rule is None:
            return None
        rows = [
            [about.owner, about.name, slot, context.decided, int(context.disordered)]
            for (about, slot), context in sorted(self._of.items(), key=lambda item: item[0])
        ]
        return [self.rule, rows]
