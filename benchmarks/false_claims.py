"""False claims of texts that are easily misread: `python benchmarks/false_claims.py [--held-back] [--json OUT]`.

The labels are benchmarks/data/claims_elsewhere.json: texts in eight languages beside English, and in six styles: code,
support, markdown, voice, group and logs. ``allowed`` lists what may truly be claimed, as phrases about a subject. Every
note is a claim, and false if it is none of those, or denies what is not denied; but a note that only quotes, which is
counted apart. What is false is printed, except of the part that is held back.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import Phrase, about, arguments, keep, labels, quotation, remembered, stands, told

from hmem.model.note import Note

AT: Final = "2024-05-06T10:00:00Z"
DENIALS: Final = re.compile(r"\b(not|no|never|nobody|nothing|without|cannot)\b|n['’]t\b", re.IGNORECASE)


def true(note: Note, allowed: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a note is a claim that its text allows."""
    return any(_about(note, claim["subject"]) and _agrees(note, claim["holds"]) for claim in allowed)


def _about(note: Note, subjects: Sequence[str]) -> bool:
    """Whether a note is about one of some subjects, and its text too if it is filed under somebody else."""
    return about(note, subjects) and (
        any(stands(subject, note.subject) for subject in subjects) or stands(note.subject, note.text)
    )


def _agrees(note: Note, phrases: Sequence[Phrase]) -> bool:
    denied = DENIALS.search(note.text) is not None
    may_deny = any(_denies(each) for phrase in phrases for each in ([phrase] if isinstance(phrase, str) else phrase))
    return (may_deny or not denied) and all(stands(phrase, told(note)) for phrase in phrases)


def _denies(phrase: str) -> bool:
    return DENIALS.search(phrase) is not None


def figures(rows: Iterable[tuple[int, int, int]]) -> dict[str, float]:
    """Return texts, claims, false claims, the share of these in all claims, and quotations."""
    every = list(rows)
    claims, wrong, quoted = (sum(row[place] for row in every) for place in range(3))
    share = wrong / claims if claims else 0.0
    return {"texts": len(every), "claims": claims, "false": wrong, "share": share, "quoted": quoted}


def show(report: Mapping[str, Mapping[str, float]]) -> None:
    table = Table("texts", "number", "claims", "false", "share of claims", "quoted")
    for name, row in report.items():
        table.add_row(
            name, f"{row['texts']}", f"{row['claims']}", f"{row['false']}", f"{row['share']:.3f}", f"{row['quoted']}"
        )
    Console(width=100).print(table)


def main() -> None:
    options = arguments(__doc__).parse_args()
    counted: list[tuple[Mapping[str, Any], tuple[int, int, int]]] = []
    for text in labels("claims_elsewhere", options):
        notes = remembered(text["turns"], AT)
        claims = [note for note in notes if not quotation(note.text)]
        wrong = [note for note in claims if not true(note, text["allowed"])]
        counted.append((text, (len(claims), len(wrong), len(notes) - len(claims))))
        if wrong and not options.held_back:
            said = " // ".join(turn["text"] for turn in text["turns"])
            print(f"{text['id']} {text['language']}, {text['style']}: {said!r}")
            for note in wrong:
                print(f"    {note.subject} | {note.slot} | {note.value} | {note.text}")
    report = {"all": figures(row for _, row in counted)}
    for by in ("language", "style"):
        for name in dict.fromkeys(text[by] for text, _ in counted):
            report[f"{by}: {name}"] = figures(row for text, row in counted if text[by] == name)
    show(report)
    keep(report, options)


if __name__ == "__main__":
    main()
