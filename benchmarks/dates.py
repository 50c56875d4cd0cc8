"""Comparison of date finders on our table of expressions: `python benchmarks/dates.py [--json OUT]`.

Finders that are not installed are skipped. A finder is right about a text if it gives as many dates as the table, each
a moment within the span (ends included). The other finders give moments, not spans, so this asks less of them than our
test asks of us. Times are medians on the example's turns of 100 to 180 characters.
"""

import argparse
import json
import warnings
from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from hmem_english.dates import find_dates

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "tests" / "unit" / "language" / "date_expressions.json"
EXAMPLE = ROOT / "examples" / "ten_months.jsonl"
ROUNDS = 3
AT_MOST = 40

Finder = Callable[[str, datetime], list[datetime]]


def ours() -> Finder:
    return lambda text, said: [mention.span.start.replace(tzinfo=None) for mention in find_dates(text, said)]


def dateparser() -> Finder:
    search = import_module("dateparser.search").search_dates

    def find(text: str, said: datetime) -> list[datetime]:
        found = search(text, languages=["en"], settings={"RELATIVE_BASE": said.replace(tzinfo=None)})
        return [moment.replace(tzinfo=None) for _, moment in found or ()]

    return find


def parsedatetime() -> Finder:
    calendar = import_module("parsedatetime").Calendar()
    return lambda text, said: [found[0] for found in calendar.nlp(text, said.replace(tzinfo=None)) or ()]


def timefhuman() -> Finder:
    module = import_module("timefhuman")

    def find(text: str, said: datetime) -> list[datetime]:
        config = module.tfhConfig(now=said.replace(tzinfo=None))
        found = module.timefhuman(text, config=config)
        return [moment for one in (found if isinstance(found, list) else [found]) for moment in moments(one, said)]

    return find


def moments(found: object, said: datetime) -> list[datetime]:
    """Return the moment of a result: the start of a span, or a duration counted back from ``said``."""
    if isinstance(found, tuple):
        return moments(found[0], said)
    if isinstance(found, datetime):
        return [found.replace(tzinfo=None)]
    return [said.replace(tzinfo=None) - found] if hasattr(found, "total_seconds") else []


def recurrent() -> Finder:
    event = import_module("recurrent").RecurringEvent

    def find(text: str, said: datetime) -> list[datetime]:
        found = event(now_date=said.replace(tzinfo=None)).parse(text)
        return [found] if isinstance(found, datetime) else [said.replace(tzinfo=None)] if found else []

    return find


def dateutil() -> Finder:
    parser = import_module("dateutil.parser")

    def find(text: str, said: datetime) -> list[datetime]:
        try:
            return [parser.parse(text, fuzzy=True, default=said.replace(tzinfo=None)).replace(tzinfo=None)]
        except (ValueError, OverflowError):
            return []

    return find


CANDIDATES: dict[str, Callable[[], Finder]] = {
    "hmem_english.dates": ours,
    "dateparser": dateparser,
    "parsedatetime": parsedatetime,
    "timefhuman": timefhuman,
    "recurrent": recurrent,
    "dateutil, fuzzy": dateutil,
}


def attempt(find: Finder, text: str, said: datetime) -> list[datetime] | str:
    """Return a finder's dates, or the name of its error, which is a result here."""
    try:
        return find(text, said)
    except Exception as error:  # noqa: BLE001 - candidates raise anything
        return type(error).__name__


def right(found: list[datetime] | str, expected: list[dict[str, str]]) -> bool:
    if isinstance(found, str) or len(found) != len(expected):
        return False
    spans = [[datetime.fromisoformat(row[end]).replace(tzinfo=None) for end in ("start", "end")] for row in expected]
    return all(start <= moment <= end for moment, (start, end) in zip(found, spans, strict=True))


def seconds(find: Finder, texts: list[str], said: datetime) -> float:
    """Return the median over the texts of their best times."""
    best: list[float] = []
    for text in texts:
        times: list[float] = []
        for _ in range(ROUNDS):
            start = perf_counter()
            attempt(find, text, said)
            times.append(perf_counter() - start)
        best.append(min(times))
    return median(best)


def turns() -> tuple[list[str], list[str]]:
    """Return the example's turns of about 140 characters, with a date and without."""
    texts = [json.loads(line)["text"] for line in EXAMPLE.read_text("utf-8").splitlines()]
    texts = [text for text in texts if 100 <= len(text) <= 180]
    said = datetime.fromisoformat("2025-06-04T12:00:00+00:00")
    dated = [text for text in texts if find_dates(text, said)]
    return dated[:AT_MOST], [text for text in texts if text not in dated][:AT_MOST]


def figures(find: Finder, rows: list[dict]) -> dict[str, float]:
    dated, plain = turns()
    said = datetime.fromisoformat("2025-06-04T12:00:00+00:00")
    results = [(row, attempt(find, row["text"], datetime.fromisoformat(row["said"]))) for row in rows]
    return {
        "right": sum(right(found, row["dates"]) for row, found in results if row["dates"]),
        "dated": sum(bool(row["dates"]) for row in rows),
        "left_alone": sum(right(found, []) for row, found in results if not row["dates"]),
        "dateless": sum(not row["dates"] for row in rows),
        "errors": sum(isinstance(found, str) for _, found in results),
        "with_date_us": seconds(find, dated, said) * 1e6,
        "without_date_us": seconds(find, plain, said) * 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = json.loads(TABLE.read_text("utf-8"))
    table = Table(title=f"Dates in {len(rows)} texts, and microseconds a text (median)", title_justify="left")
    for column in ("finder", "dates right", "no date, left alone", "errors", "with a date", "without"):
        table.add_column(column, justify="left" if column == "finder" else "right")
    measured: dict[str, dict[str, float]] = {}
    for name, make in CANDIDATES.items():
        try:
            find = make()
        except ImportError:
            table.add_row(name, "not installed")
            continue
        got = measured[name] = figures(find, rows)
        shares = (f"{got['right']} of {got['dated']}", f"{got['left_alone']} of {got['dateless']}", str(got["errors"]))
        table.add_row(name, *shares, f"{got['with_date_us']:,.0f}", f"{got['without_date_us']:,.0f}")
    Console(width=100).print(table)
    if options.json:
        options.json.write_text(json.dumps(measured, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
