"""Draw the pictures of docs/explanation from memories: the example of ten months, and a short talk."""

import json
import sys
import textwrap
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from html import escape
from pathlib import Path

from hmem import Evidence, Memory

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTH = 760
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f } .small { font-size: 11px; fill: #57606a }
  .bold { font-weight: 600 } .box { fill: #f6f8fa; stroke: #d0d7de } .line { stroke: #8c959f; fill: none }
  .dot { fill: #afb8c1 } .found { fill: #0969da } .plus { fill: #2da44e } .minus { fill: #cf222e }
  .band { fill: #ddf4ff } .past { fill: #d0d7de } .now { fill: #54aeff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .box { fill: #161b22; stroke: #3d444d } .dot { fill: #656c76 }
    .band { fill: #0c2d4a } .past { fill: #3d444d } .now { fill: #1f6feb } .found { fill: #58a6ff }
  }
"""
TALK = (
    ("2026-03-02", "I'm learning the cello, my teacher is Ivo."),
    ("2026-06-20", "I moved to Lisbon."),
    ("2026-09-01", "Ivo retired. My new teacher is Lena."),
)


def save(name: str, height: int, about: str, parts: Sequence[str]) -> None:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    body = "\n".join([head, f"<title>{escape(about)}</title>", f"<style>{STYLE}</style>", *parts, "</svg>", ""])
    (PICTURES / f"{name}.svg").write_text(body, "utf-8")


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def box(x: float, y: float, width: float, title: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield a box of lines under a title; it is 24 + 17 high for each line."""
    yield f'<rect x="{x}" y="{y}" width="{width}" height="{28 + 17 * len(lines)}" rx="6" class="box"/>'
    yield text(x + 10, y + 18, title, "bold")
    yield from (text(x + 10, y + 36 + 17 * number, line) for number, line in enumerate(lines))


def wrapped(words: str, width: int) -> list[str]:
    return textwrap.wrap(words, width)


def draw_a_turn(memory: Memory) -> None:
    """Draw what was formed of one turn."""
    turn = next(each for each in memory.list(limit=1000) if each.text.startswith("I've lived in Lisbon"))
    events = [event.text for event in memory.events(limit=2000) if turn.id in event.sources]
    notes = [
        f"{note.subject} · {note.slot}: {note.value}" for note in memory.notes(limit=2000) if turn.id in note.sources
    ]
    entities = [entity.name for entity in memory.graph(limit=500).entities if entity.name in turn.text]
    paths = memory.search(turn.text, k=1)[0].why.paths
    trees = [f"{tree}: {' > '.join(path)}" for tree, path in paths.items() if tree == "calendar"]
    said = wrapped(f"“{turn.text}”", 98)
    parts = list(box(10, 10, WIDTH - 20, f"turn: {turn.speaker}, {turn.at:%a %d %b %Y}", said))
    top = 10 + 28 + 17 * len(said) + 30
    left = [line for event in events for line in wrapped(event, 50)]
    right = [line for note in notes for line in wrapped(note, 46)]
    parts += [f'<path d="M{x} {top - 26} v22" class="line" marker-end="url(#a)"/>' for x in (190, 570)]
    parts += box(10, top, 370, f"events ({len(events)})", left)
    parts += box(400, top, 350, f"notes ({len(notes)})", right)
    lower = top + 28 + 17 * max(len(left), len(right)) + 14
    parts += box(10, lower, 370, "entities", wrapped(", ".join(entities), 50))
    parts += box(400, lower, 350, "its place in the trees", [line for tree in trees for line in wrapped(tree, 46)])
    rows = max(len(wrapped(", ".join(entities), 50)), sum(len(wrapped(tree, 46)) for tree in trees))
    save("turn", lower + 28 + 17 * rows + 10, "What one turn becomes", [ARROW, *parts])


ARROW = (
    '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 L8 4 L0 8 z" fill="#8c959f"/></marker></defs>'
)


def draw_scores(name: str, path: Path, question: str, asked: datetime) -> None:
    """Draw all turns by their time and their score by words and meaning, and those that were found."""
    with Memory(path, recipe="flat") as memory:
        flat = list(memory.search(question, k=1000, at=asked))
    with Memory(path) as memory:
        found = memory.search(question, k=10, at=asked, trace=True)
        context = memory.context(question, tokens=400, at=asked)
    assert found.trace is not None
    first, last = min(each.when for each in flat), max(each.when for each in flat)
    least, most = min(each.score for each in flat), max(each.score for each in flat)

    def x(moment: datetime) -> float:
        return 20 + (WIDTH - 40) * ((moment - first) / (last - first))

    def y(score: float) -> float:
        return 260 - 200 * (score - least) / (most - least)

    parts = [text(20, 24, f"“{question}”", "bold")]
    for span in found.trace.plan.parts[0].spans:
        start, end = x(max(span.start, first)), x(min(span.end, last))
        parts.append(f'<rect x="{start:.0f}" y="40" width="{end - start:.0f}" height="230" class="band"/>')
        parts.append(text(start + 4, 54, f"asked about: {span.start:%B %Y}", "small"))
    ids = {each.id for each in found}
    for each in sorted(flat, key=lambda one: one.id in ids):
        kind, size = ("found", 5) if each.id in ids else ("dot", 2.5)
        parts.append(f'<circle cx="{x(each.when):.0f}" cy="{y(each.score):.0f}" r="{size}" class="{kind}"/>')
    best = found[0]
    at_right = x(best.when) > WIDTH / 2
    anchor, offset = ("end", -10) if at_right else ("start", 10)
    where = y(next(each.score for each in flat if each.id == best.id))
    parts.append(text(x(best.when) + offset, where + 4, f"1. {best.text[:52]}…", "", anchor))
    parts.append(f'<path d="M20 272 H{WIDTH - 20}" class="line"/>')
    month = first.replace(day=1) + timedelta(days=32)
    while month < last:
        month = month.replace(day=1)
        parts.append(text(x(month), 288, f"{month:%b}", "small", "middle"))
        month += timedelta(days=32)
    told = f"{len(flat)} turns; 150 candidates ranked; 10 found; {len(context.citations)} written into 400 tokens"
    parts.append(text(WIDTH - 20, 24, told, "small", "end"))
    save(name, 300, f"Scores of all turns for: {question}", parts)


def draw_why(best: Evidence, question: str) -> None:
    """Draw the terms of a score as a waterfall."""
    terms = sorted(best.why.terms.items(), key=lambda each: -abs(each[1].contribution))
    shown = [(name, term.contribution) for name, term in terms[:9]]
    rest = sum(term.contribution for _, term in terms[9:])
    shown.append((f"{len(terms) - 9} smaller terms", rest))
    least, most, total = 0.0, 0.0, 0.0
    for _, value in shown:
        total += value
        least, most = min(least, total), max(most, total)

    def x(score: float) -> float:
        return 210 + 440 * (score - least) / (most - least)

    parts = [text(20, 24, f"“{question}”", "bold"), text(20, 42, f"{best.speaker}: {best.text[:88]}…", "small")]
    total = 0.0
    for number, (name, value) in enumerate(shown):
        top, before, total = 60 + 24 * number, total, total + value
        left, right = sorted((x(before), x(total)))
        kind = "plus" if value >= 0 else "minus"
        parts.append(f'<rect x="{left:.0f}" y="{top}" width="{max(right - left, 1):.0f}" height="16" class="{kind}"/>')
        parts += [text(200, top + 13, name, "", "end"), text(right + 6, top + 13, f"{value:+.2f}", "small")]
    top = 60 + 24 * len(shown)
    parts.append(f'<rect x="{x(0):.0f}" y="{top}" width="{x(total) - x(0):.0f}" height="16" class="found"/>')
    parts += [text(200, top + 13, "score", "bold", "end"), text(x(total) + 6, top + 13, f"{total:.2f}", "bold")]
    save("why", top + 30, f"The terms of the best score for: {question}", parts)


def draw_notes(memory: Memory) -> None:
    """Draw from when until when each note holds."""
    notes = [note for note in memory.notes() if note.positive]
    first, last = datetime(2026, 2, 15, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC)

    def x(moment: datetime) -> float:
        return 310 + (WIDTH - 330) * ((moment - first) / (last - first))

    parts: list[str] = []
    for number, note in enumerate(notes):
        top = 14 + 30 * number
        start, end = x(note.valid_from or note.recorded), x(note.valid_to or last)
        kind = "now" if note.status == "current" else "past"
        parts.append(f'<rect x="{start:.0f}" y="{top}" width="{end - start:.0f}" height="18" rx="3" class="{kind}"/>')
        parts.append(text(300, top + 13, textwrap.shorten(note.text, 46, placeholder=" …"), "", "end"))
        if note.valid_to:
            parts.append(text(end - 6, top + 13, f"until {note.valid_to:%d %b}", "small", "end"))
    base = 14 + 30 * len(notes)
    parts += [
        text(
            x(datetime(2026, month, 1, tzinfo=UTC)),
            base + 12,
            f"{datetime(2026, month, 1, tzinfo=UTC):%b}",
            "small",
            "middle",
        )
        for month in range(3, 13)
    ]
    save("notes", base + 22, "From when until when each note holds", parts)


def main() -> int:
    """Draw all of them, from memories in the folder that is named, or made there."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out") / "pictures.hmem"
    path.parent.mkdir(parents=True, exist_ok=True)
    PICTURES.mkdir(exist_ok=True)
    with Memory(path) as memory:
        if not memory.stats().turns:
            lines = (ROOT / "examples" / "ten_months.jsonl").read_text("utf-8").splitlines()
            turns = [json.loads(line) for line in lines]
            memory.add([{"message_id": turn.pop("id"), **turn} for turn in turns])
        draw_a_turn(memory)
        question = "What did the shelter ask for Biscuit?"
        draw_why(memory.search(question, k=1)[0], question)
    asked = datetime(2025, 11, 5, tzinfo=UTC)
    draw_scores("candidates", path, question, asked)
    draw_scores("time", path, "Where was Nadia in August?", asked)
    with Memory(":memory:") as talk:
        for at, words in TALK:
            talk.add(words, speaker="Nora", at=at)
        draw_notes(talk)
    return 0


if __name__ == "__main__":
    sys.exit(main())
