"""Kinds of happenings in a life, read from the package's text files.

A kind begins with ``@ name key=value`` and has lines ``$`` slots, ``~`` echoes, ``T1`` statements of the teller,
``L2`` questions of the listener before ``T2``, ``R2`` answers of the listener, ``C1`` captions of ``T1``,
``?s T1 question / another = answer`` (s single, m multi, t temporal, o open), ``+ facet T1 item`` and
``& T1 ^T2`` (``T1`` repeats the statement ``T2`` of the earlier happening). Several lines of one label are wordings
of it. ``> name phrase; phrase`` lists the names that later turns use for the subject, ``>~ name word; word`` its
general words.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Final

from hmem.errors import InvalidFile

CATEGORIES: Final[Mapping[str, str]] = {
    "s": "single-hop",
    "m": "multi-hop",
    "t": "temporal",
    "o": "open-domain",
}
_SLOT: Final = re.compile(r"\{([^{}/]+)(?:/a)?\}")
_BEAT: Final = re.compile(r"([TLRC]\d)(\??) (.+)")
_QUESTION: Final = re.compile(r"\?([smto]) (\S+) (.+) = (.+)")
_FACT: Final = re.compile(r"\+ (\S+) (\S+) (.+)")


@dataclass(slots=True)
class Beat:
    """One step of telling, by the teller (``T``) or the listener (``L``, ``R``), in wordings of the same meaning."""

    label: str
    optional: bool
    wordings: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class QuestionTemplate:
    """Question about a happening: its gold beats (``^T1`` is one of the earlier happening), wordings and answer."""

    category: str
    labels: tuple[str, ...]
    wordings: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Fact:
    """Item that a beat adds to a list over a whole life."""

    facet: str
    label: str
    item: str


@dataclass(slots=True)
class Kind:
    """Kind of happening. ``again`` is the most times that a person has it in 25 sessions."""

    name: str
    domain: str
    family: str
    repeats: int
    weight: float
    needs: str
    condition: str
    style: str
    sad: bool
    updates: bool
    slots: dict[str, str] = field(default_factory=dict[str, str])
    echoes: list[str] = field(default_factory=list[str])
    beats: dict[str, Beat] = field(default_factory=dict[str, Beat])
    captions: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    templates: list[QuestionTemplate] = field(default_factory=list[QuestionTemplate])
    facts: list[Fact] = field(default_factory=list[Fact])
    anchors: list[str] = field(default_factory=list[str])
    restated: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def needs_caption(self, label: str) -> bool:
        """Tell if only the captions of a beat hold the answer to one of its questions."""
        text_slots = frozenset[str]().union(*map(slots_of, self.beats[label].wordings))
        caption_slots = frozenset[str]().union(*map(slots_of, self.captions.get(label, ())))
        return any(
            label in template.labels and slots_of(template.answer) & (caption_slots - text_slots)
            for template in self.templates
        )


def slots_of(template: str) -> frozenset[str]:
    """Return the slots of a template, without their fields."""
    return frozenset(match[1].split(".")[0] for match in _SLOT.finditer(template))


def lines_of(pattern: str) -> Iterator[str]:
    """Yield the lines of the text files whose names begin with a prefix, without comments and blank lines."""
    folder = files("hmem_evals.synthetic") / "data"
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.startswith(pattern):
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.strip() and not line.startswith("#"):
                    yield line.strip()


@cache
def kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, in the order of the files."""
    by_name: dict[str, Kind] = {}
    kind: Kind | None = None
    for line in lines_of("kinds"):
        if line.startswith("@"):
            kind = _parse_kind(line)
            by_name[kind.name] = kind
        elif line.startswith(">"):
            mark, name, phrases = line.split(None, 2)
            target = by_name[name].anchors if mark == ">" else by_name[name].echoes
            target.extend(phrase.strip() for phrase in phrases.split(";"))
        elif kind is None or not _read(kind, line):
            raise InvalidFile(f"no line of a kind: {line!r} - see the forms in hmem_evals.synthetic.script")
    return by_name


def _parse_kind(line: str) -> Kind:
    name, *settings = line[1:].split()
    options = dict(setting.split("=", 1) for setting in settings)
    return Kind(
        name=name,
        domain=options["domain"],
        family=options.get("family", name),
        repeats=int(options.get("again", "1")),
        weight=float(options.get("weight", "1")),
        needs=options.get("needs", ""),
        condition=options.get("if", ""),
        style=options.get("when", "recent"),
        sad=options.get("mood") == "sad",
        updates="updates" in options,
    )


def _read(kind: Kind, line: str) -> bool:
    if line.startswith("$"):
        for pair in line[1:].split():
            name, source = pair.split("=", 1)
            kind.slots[name] = source
    elif line.startswith("~"):
        kind.echoes.extend(phrase.strip() for phrase in line[1:].split(";"))
    elif line.startswith("&"):
        label, earlier_label = line[1:].split()
        kind.restated.append((label, earlier_label))
    elif match := _FACT.fullmatch(line):
        kind.facts.append(Fact(*match.groups()))
    elif match := _QUESTION.fullmatch(line):
        wordings = tuple(wording.strip() for wording in match[3].split(" / "))
        kind.templates.append(QuestionTemplate(CATEGORIES[match[1]], tuple(match[2].split(",")), wordings, match[4]))
    elif match := _BEAT.fullmatch(line):
        _say(kind, match[1], match[3], optional=match[2] == "?")
    else:
        return False
    return True


def _say(kind: Kind, label: str, wording: str, *, optional: bool) -> None:
    if label.startswith("C"):
        kind.captions.setdefault(f"T{label[1:]}", []).append(wording)
        return
    beat = kind.beats.setdefault(label, Beat(label, optional))
    beat.wordings.append(wording)


Bank = Mapping[str, tuple[str, ...]]


@cache
def domains() -> Mapping[str, Bank]:
    """Return the sayings of each domain by use: feel, muse, ask, request, tip, cap and others."""
    banks: dict[str, dict[str, list[str]]] = {}
    bank: dict[str, list[str]] = {}
    for line in lines_of("domains"):
        if line.startswith("["):
            bank = banks.setdefault(line.strip("[]"), {})
            continue
        use, phrase = line.split(":", 1)
        bank.setdefault(use.strip(), []).append(phrase.strip())
    return {name: {use: tuple(sayings) for use, sayings in uses.items()} for name, uses in banks.items()}
