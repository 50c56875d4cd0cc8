"""Questions about what was said: `python benchmarks/asked.py [SET …] [--held-back] [--failures]`.

The sets are of our own writing, in benchmarks/data: ``questions``, questions on twelve kinds of talk, a quarter of
which the talk does not answer; ``instructions``, requests to which a standing instruction applies; ``yes_no``,
questions to answer with Yes, No, or not at all; ``changes`` (``changes_asked.json``), questions about the dialogues
of ``changes.json``, as it is now and as it was; ``everyday``, what stopped, goes on, is called, or has a new value,
with near misses; and ``called``, names of several beside their noun, names after "called", and contrasts. Each
dialogue is formed in a new memory (`--recipe R --without M`) and asked a day after its last turn.

An answer is right if each part of ``gold`` stands in it (one of some alternatives will do; ``date:2024-05-17`` and
``month:2024-05`` are dates in any spelling, and the only ones), nothing of ``wrong`` does, and it is no copy of a turn.
To abstain is right if nothing was told. ``outdated`` is the share of answers that hold something of ``wrong``.
An instruction is found if its turn is among the five best of a search for the request that it applies to.
"""

import calendar
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from hmem_evals.answers import AnswerScore, calibration
from hmem_evals.mechanisms import settings_without

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import DATA, Phrase, arguments, keep, labels, message, stands, words

from hmem import Memory
from hmem.language.dates.words import MONTHS

# Words that an answer may have beyond those of its gold; of a reason or a list, which take a clause or several.
SPARE: Final = 12
SPARE_LONG: Final = 25
LONG: Final = frozenset(["why", "how", "list"])
# Best turns of a search that are looked at; the first few tell more of a short talk.
FOUND: Final = (3, 10)
FOUND_INSTRUCTION: Final = 5
NOT_TOLD: Final = "not told"

_ISO: Final = re.compile(r"\b(\d{4})-(\d\d)(?:-(\d\d))?\b")
_MONTH: Final = "|".join(sorted((name for name in MONTHS if len(name) > 2), key=len, reverse=True))
_WRITTEN: Final = re.compile(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?({_MONTH})\b\.?(?: (\d{{1,2}})(?:st|nd|rd|th)?\b)?(?:,? (\d{{4}}))?",
    re.IGNORECASE,
)

_RELATIVE: Final = re.compile(
    rf"\b(?:the )?(day|{'|'.join(calendar.day_name)}) (before|after) (\d{{1,2}} (?:{_MONTH}) \d{{4}})", re.IGNORECASE
)
_HEDGE: Final = r"(?:(?:most |very )?(?:probably|likely|perhaps|apparently|possibly|presumably|maybe|i think)\W+)"
_VERDICT: Final = re.compile(rf"\W*(?:{_HEDGE}?(yes|no)|{_HEDGE}(not))\b", re.IGNORECASE)

Date = tuple[int | None, int, int | None]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, what was answered, and how right that is."""

    kind: str
    ask: str
    gold: str
    answer: str
    abstained: bool
    confidence: float
    right: bool
    told: bool
    outdated: bool = False
    recall: tuple[float, float] | None = None

    @property
    def wrong(self) -> bool:
        return not self.right and not self.abstained


def dates(text: str) -> list[Date]:
    """Return the dates of a text as year, month and day; None where it does not say."""
    text = _RELATIVE.sub(_reckoned, text)
    iso = [(int(year), int(month), int(day) if day else None) for year, month, day in _ISO.findall(text)]
    written = [
        (int(year) if year else None, MONTHS[month.lower()], int(before or after) if before or after else None)
        for before, month, after, year in _WRITTEN.findall(text)
        # A lone `may` or `march` is a verb.
        if before or after or year or month[0].isupper()
    ]
    return [*iso, *written]


def _reckoned(match: re.Match[str]) -> str:
    """Return the day meant by such as `the Friday before 8 June 2024`, as ISO date."""
    name, side = match[1].lower(), -1 if match[2].lower() == "before" else 1
    number, month, year = match[3].split()
    time = datetime(int(year), MONTHS[month.lower()], int(number)) + timedelta(days=side)  # noqa: DTZ001
    while name not in ("day", f"{time:%A}".lower()):
        time += timedelta(days=side)
    return f"{time:%Y-%m-%d}"


def dated(label: str, text: str) -> bool:
    """Whether a text holds the date of a label such as date:2024-05-17 or month:2024-05, and no other date."""
    grain, wanted = label.split(":")
    year, month, day = (*map(int, wanted.split("-")), None)[:3]
    found = dates(text)
    return bool(found) and all(
        said[1] == month and said[0] in (None, year) and (grain == "month" or said[2] == day) for said in found
    )


def holds(part: Phrase, text: str) -> bool:
    """Whether a phrase or a date, or one of some alternatives, stands in a text."""
    alternatives = part if isinstance(part, list) else [part]
    return any(
        dated(each, text) if each.startswith(("date:", "month:")) else stands(each, text) for each in alternatives
    )


def right(question: Mapping[str, Any], answer: str) -> bool:
    """Whether an answer that does not abstain is right."""
    gold: Sequence[Phrase] = question["gold"]
    if not gold:
        return False
    if gold in (["yes"], ["no"]):
        return verdict(answer) == gold[0]
    longest = sum(max(len(words(each)) for each in ([part] if isinstance(part, str) else part)) for part in gold)
    spare = SPARE_LONG if question["kind"] in LONG else SPARE
    short = len(words(answer)) <= longest + spare
    return short and all(holds(part, answer) for part in gold) and not outdated(question, answer)


def outdated(question: Mapping[str, Any], answer: str) -> bool:
    """Whether an answer holds a value that is named as wrong."""
    return any(holds(value, answer) for value in question.get("wrong", ()))


def verdict(answer: str) -> str:
    """Return yes, no, or nothing, as an answer begins; it may begin with a hedge, as `Probably not` does."""
    said = _VERDICT.match(answer)
    return (said[1] or "no").lower() if said else ""


def formed(turns: Sequence[Mapping[str, str]], how: Mapping[str, Any]) -> tuple[Memory, list[str], datetime]:
    """Return a memory of some turns, their ids, and the time at which it is asked; ``how`` is its recipe."""
    memory = Memory(":memory:", **how)
    receipts = memory.add([message(turn, turn["at"]) for turn in turns])
    ids = [receipt.id or "" for receipt in receipts]
    return memory, ids, datetime.fromisoformat(turns[-1]["at"]) + timedelta(days=1)


def answered(memory: Memory, question: Mapping[str, Any], at: datetime) -> Asked:
    answer = memory.ask(question["ask"], at=at)
    told = bool(question["gold"])
    return Asked(
        kind=question["kind"],
        ask=question["ask"],
        gold=json.dumps(question["gold"], ensure_ascii=False),
        answer=answer.text,
        abstained=answer.abstained,
        confidence=answer.confidence,
        right=not told if answer.abstained else right(question, answer.text),
        told=told,
        outdated=not answer.abstained and outdated(question, answer.text),
    )


def found(memory: Memory, question: Mapping[str, Any], ids: Sequence[str], at: datetime) -> tuple[float, float] | None:
    """Return the shares of a question's turns among the best three and ten of a search; None if it has none."""
    gold = {ids[place] for place in question["turns"]}
    if not gold:
        return None
    few, many = FOUND
    hits = [each.id for each in memory.search(question["ask"], many, at=at, min_score=0.0)]
    return len(gold.intersection(hits[:few])) / len(gold), len(gold.intersection(hits)) / len(gold)


def recalled(
    memory: Memory, entry: Mapping[str, Any], question: Mapping[str, Any], ids: Sequence[str], at: datetime
) -> Asked:
    """Return whether a search for a request finds the instruction that applies to it."""
    hits = {each.id for each in memory.search(question["ask"], FOUND_INSTRUCTION, at=at, min_score=0.0)}
    wanted = " // ".join(entry["turns"][place]["text"] for place in question["turns"])
    there = any(ids[place] in hits for place in question["turns"])
    return Asked("instruction", question["ask"], wanted, "", False, 0.0, there, told=True)


def questions(entries: Iterable[Mapping[str, Any]], how: Mapping[str, Any]) -> Iterator[Asked]:
    for entry in entries:
        memory, ids, at = formed(entry["turns"], how)
        with memory:
            for question in entry["questions"]:
                if question["kind"] == "instruction":
                    yield recalled(memory, entry, question, ids, at)
                else:
                    asked = answered(memory, question, at)
                    yield replace(asked, recall=found(memory, question, ids, at))


def yes_no(entries: Iterable[Mapping[str, Any]], how: Mapping[str, Any]) -> Iterator[Asked]:
    for entry in entries:
        memory, _, at = formed(entry["turns"], how)
        with memory:
            for question in entry["questions"]:
                gold = [] if question["gold"] == NOT_TOLD else [question["gold"]]
                yield answered(memory, question | {"gold": gold, "kind": f"{question['gold']}: {question['how']}"}, at)


def changes(entries: Iterable[Mapping[str, Any]], how: Mapping[str, Any]) -> Iterator[Asked]:
    dialogues = {entry["id"]: entry for entry in json.loads((DATA / "changes.json").read_text("utf-8"))}
    for entry in entries:
        memory, _, at = formed(dialogues[entry["id"]]["turns"], how)
        with memory:
            yield from (answered(memory, question, at) for question in entry["questions"])


def everyday(entries: Iterable[Mapping[str, Any]], how: Mapping[str, Any]) -> Iterator[Asked]:
    for entry in entries:
        memory, _, at = formed(entry["turns"], how)
        with memory:
            yield from (answered(memory, question, at) for question in entry["questions"])


_Ask = Callable[[Iterable[Mapping[str, Any]], Mapping[str, Any]], Iterator[Asked]]
SETS: Final[Mapping[str, tuple[str, _Ask]]] = {
    "questions": ("questions", questions),
    "instructions": ("instructions", questions),
    "yes_no": ("yes_no", yes_no),
    "changes": ("changes_asked", changes),
    "everyday": ("everyday", everyday),
    "called": ("called", everyday),
}


def figures(rows: Sequence[Asked]) -> dict[str, Any]:
    """Return the shares of some questions that are right, wrong, wrongly abstained from, and the rest of a line."""
    recalls = [row.recall for row in rows if row.recall is not None]
    scores = [AnswerScore(row.kind, row.confidence, float(row.right), float(row.right)) for row in rows]
    return {
        "questions": len(rows),
        "right": _share(row.right for row in rows),
        "wrong": _share(row.wrong for row in rows),
        "abstained wrongly": _share(row.abstained and row.told for row in rows),
        "outdated": _share(row.outdated for row in rows),
        "calibration error": calibration(scores)["ece"],
        **{
            f"recall@{k}": sum(recall[place] for recall in recalls) / len(recalls) if recalls else None
            for place, k in enumerate(FOUND)
        },
    }


def balanced(rows: Sequence[Asked]) -> float:
    """Return the balanced accuracy: the mean share right of yes, no, and not told."""
    classes = [[row for row in rows if row.kind.startswith(f"{name}:")] for name in ("yes", "no", NOT_TOLD)]
    return sum(_share(row.right for row in held) for held in classes) / len(classes)


def _share(each: Iterable[bool]) -> float:
    held = list(each)
    return sum(held) / len(held) if held else 0.0


def report(name: str, rows: Sequence[Asked]) -> dict[str, Any]:
    """Return the figures of a set: of all its questions and of each kind; of instructions apart."""
    told = [row for row in rows if row.kind != "instruction"]
    instructions = [row for row in rows if row.kind == "instruction"]
    kinds = {kind: [row for row in told if row.kind == kind] for kind in sorted({row.kind for row in told})}
    made: dict[str, Any] = {"all": figures(told)} if told else {}
    if name == "questions":
        made["answerable"] = figures([row for row in told if row.told])
    made |= {kind: figures(held) for kind, held in kinds.items()}
    if name == "yes_no":
        for each in ("yes", "no", NOT_TOLD):
            made[each] = figures([row for row in told if row.kind.startswith(f"{each}:")])
        made["balanced accuracy"] = balanced(told)
    if instructions:
        made["instructions in the five best"] = _share(row.right for row in instructions)
    return made


def show(name: str, made: Mapping[str, Any]) -> None:
    lines = {kind: row for kind, row in made.items() if isinstance(row, Mapping)}
    columns = list(made.get("all", ()))
    table = Table(name, *columns)
    for kind, row in lines.items():
        cells = ("–" if row[each] is None else f"{row[each]:.3f}" for each in columns[1:])
        table.add_row(kind, f"{row['questions']}", *cells)
    console = Console(width=120)
    if lines:
        console.print(table)
    for kind, share in made.items():
        if kind not in lines:
            console.print(f"{kind}: {share:.3f}")


def fail(row: Asked) -> None:
    """Print a question that was not answered rightly."""
    if row.kind == "instruction":
        print(f"instruction: {row.ask}\n    wanted {row.gold}")
    elif not row.right:
        said = "abstained" if row.abstained else row.answer
        print(f"{row.kind}: {row.ask}\n    wanted {row.gold}, said {said!r} ({row.confidence:.2f})")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *SETS], help="all of them unless named")
    parser.add_argument("--recipe", help="the recipe of the memories")
    parser.add_argument("--without", action="append", default=[], help="a mechanism to leave out")
    options = parser.parse_args()
    how = {"recipe": options.recipe, "settings": settings_without(options.without)} if options.recipe else {}
    reports: dict[str, Any] = {}
    for name in options.sets or SETS:
        file, ask = SETS[name]
        rows = list(ask(labels(file, options), how))
        if options.failures and not options.held_back:
            for row in rows:
                if not row.right:
                    fail(row)
        reports[name] = report(name, rows)
        show(name, reports[name])
    keep(reports, options)


if __name__ == "__main__":
    main()
