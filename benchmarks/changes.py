"""Changed facts that close what they change: `python benchmarks/changes.py [--labels NAME] [--held-back] [--failures]`.

The labels are benchmarks/data/changes.json, or changes_more.json: dialogues over days in which a fact changes. A
dialogue is right if each ``current`` claim is held by a current note, and each ``closed`` claim by no note that asserts
it still, but by one that was closed: superseded or retracted, or ended, with a time (in the month of ``until``) and a
reason. The claims in ``keep`` are not touched by the change: one that was noted and that no current note holds any more
is a wrong closing.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import about, arguments, holds, keep, labels, remembered

from hmem.model.note import Note

# A note in such words tells of the change or of the past, and does not assert the old claim.
PAST: Final = re.compile(
    r"\b(used to|no longer|no more|not|never|\w+n['’]t|former(ly)?|previous(ly)?|ex|any ?more|was|were|had|until|quit|"
    r"left|leaves|g[ai]ven? (up|away|back)|stop(s|ped)?|cancell?ed|sold|traded|swapped|switched|replaced|renamed|"
    r"changed|moved|relocated|postponed|pushed|broke|broken|split|separated|divorced|died|passed away|put to sleep|"
    r"lost|laid off|fired|dropped|drops|came off|gone|over|instead|fell through|pulled|turned down|healed|nicked|"
    r"stolen|handed|got rid|meant|mistake|raised)\b",
    re.IGNORECASE,
)
FIGURES: Final = ("right", "current", "closed", "told why and when", "kept claims noted", "wrong closings")
_DAY: Final = timedelta(days=1)


def claims(note: Note, claim: Mapping[str, Any]) -> bool:
    return about(note, claim["subject"]) and holds(note, claim["holds"])


def closed(note: Note, end: datetime) -> bool:
    """Whether a note was superseded or retracted, or ended for a reason before a time."""
    ended = note.valid_to is not None and note.valid_to <= end and bool(note.why or note.successor)
    return note.status not in ("current", "contested", "merged") or ended


def asserts(note: Note, end: datetime) -> bool:
    """Whether a note says that something still holds."""
    stands = note.status in ("current", "contested") and not closed(note, end)
    return stands and note.positive and not PAST.search(note.text)


def told_of(notes: Iterable[Note], claim: Mapping[str, Any], others: Iterable[Mapping[str, Any]]) -> list[Note]:
    """Return the notes that hold a claim, and not the like of somebody else."""
    apart = [other for other in others if not set(other["subject"]) & set(claim["subject"])]
    return [note for note in notes if claims(note, claim) and not any(claims(note, other) for other in apart)]


def explained(note: Note, claim: Mapping[str, Any], by_id: Mapping[str, Note], end: datetime) -> bool:
    """Whether a closed note has a reason, and a time that is in the labelled month if there is one."""
    successor = by_id.get(note.successor or "")
    times = [note.valid_to, *([successor.valid_from, successor.recorded] if successor else [])]
    known = [time for time in times if time is not None]
    return closed(note, end) and bool(note.why) and any(_in_month(time, claim.get("until", "")) for time in known)


def _in_month(time: datetime, month: str) -> bool:
    """Whether a time, or the day before or after, is in a month such as 2024-05; any is, if none is given."""
    return any(f"{time + days:%Y-%m}".startswith(month) for days in (-_DAY, 0 * _DAY, _DAY))


def judge(dialogue: Mapping[str, Any], notes: Sequence[Note]) -> dict[str, float]:
    """Return what is right in the notes of a dialogue, as 0 or 1, and the counts of its kept claims."""
    end = datetime.fromisoformat(dialogue["turns"][-1]["at"]) + _DAY
    by_id = {note.id: note for note in notes}
    current = [note for note in notes if note.status == "current" and not closed(note, end)]
    new = all(any(claims(note, claim) for note in current) for claim in dialogue["current"])
    old = [told_of(notes, claim, dialogue["keep"]) for claim in dialogue["closed"]]
    gone = [not any(asserts(note, end) for note in found) for found in old]
    shut = [any(closed(note, end) for note in found) for found in old]
    why = [
        any(explained(note, claim, by_id, end) for note in found)
        for claim, found in zip(dialogue["closed"], old, strict=True)
    ]
    noted = [claim for claim in dialogue["keep"] if any(claims(note, claim) for note in notes)]
    return {
        "right": new and all(gone) and all(why),
        "current": new,
        "closed": all(gone) and all(shut),
        "told why and when": all(why),
        "keep": len(dialogue["keep"]),
        "kept claims noted": len(noted),
        "wrong closings": sum(not any(claims(note, claim) for note in current) for claim in noted),
    }


def figures(judged: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Return the shares of dialogues; those of kept claims noted, and of these closed wrongly."""
    rows = list(judged)
    total = {name: sum(row[name] for row in rows) for name in ("keep", *FIGURES)}
    return {
        "dialogues": len(rows),
        **{name: total[name] / len(rows) for name in FIGURES[:4]},
        "kept claims noted": total["kept claims noted"] / max(total["keep"], 1),
        "wrong closings": total["wrong closings"] / max(total["kept claims noted"], 1),
    }


def show(report: Mapping[str, Mapping[str, float]]) -> None:
    table = Table("dialogues", "number", *FIGURES)
    for name, row in report.items():
        table.add_row(name, f"{row['dialogues']}", *(f"{row[each]:.3f}" for each in FIGURES))
    Console(width=120).print(table)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--labels", default="changes", choices=("changes", "changes_more"))
    options = parser.parse_args()
    judged: list[tuple[str, dict[str, float]]] = []
    for dialogue in labels(options.labels, options):
        notes = remembered(dialogue["turns"])
        judged.append((dialogue["kind"], judge(dialogue, notes)))
        verdict = judged[-1][1]
        if options.failures and not options.held_back and (not verdict["right"] or verdict["wrong closings"]):
            failed = [name for name in FIGURES[1:4] if not verdict[name]]
            print(f"{dialogue['id']} {', '.join(failed)}; wrong closings: {verdict['wrong closings']}")
            print(*(f"    {turn['at'][:10]} {turn['speaker']}: {turn['text']}" for turn in dialogue["turns"]), sep="\n")
            for note in notes:
                until = f" until {note.valid_to:%Y-%m-%d}" if note.valid_to else ""
                print(f"      {note.status}{until}: {note.subject} | {note.slot} | {note.text} | {note.why}")
    kinds = dict.fromkeys(kind for kind, _ in judged)
    report = {"all": figures(row for _, row in judged)}
    report |= {each: figures(row for kind, row in judged if kind == each) for each in kinds}
    show(report)
    keep(report, options)


if __name__ == "__main__":
    main()
