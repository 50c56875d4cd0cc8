"""Names of people, places and organisations: `python benchmarks/names.py [IOB2.GZ …] [--failures] [--json OUT]`.

Span F1 and typed F1 over the labelled names of the English Web Treebank (Universal NER, CC BY-SA 4.0). A title such as
"Dr." is left out of a found name, as it is in the labels. Names of other kinds are no error. Failures are printed for
the development part only.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from hmem.language.english.meaning.name_lists import TITLES
from hmem.language.english.meaning.names import Name, names
from hmem.language.english.parser import parse

DATA = Path("../shared/data/english")
KINDS = {"person": "PER", "location": "LOC", "organization": "ORG"}
Span = tuple[int, int, str]


def labelled(path: Path) -> Iterator[tuple[str, list[Span]]]:
    """Yield each sentence with its names: first and last character, kind."""
    text, place, spans = "", 0, list[Span]()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("# text = "):
                if text:
                    yield text, spans
                text, place, spans = line[9:].rstrip("\n"), 0, []
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 3 or line.startswith("#"):
                continue
            start = text.find(fields[1], place)
            if start < 0:
                continue
            place = start + len(fields[1])
            if fields[2].startswith("B-"):
                spans.append((start, place, fields[2][2:]))
            elif fields[2].startswith("I-") and spans:
                spans[-1] = (spans[-1][0], place, spans[-1][2])
    if text:
        yield text, spans


def found(text: str) -> list[Span]:
    """Return the names found in a text, without titles."""
    [parsed] = parse([text])
    return [
        (start, name.end, KINDS.get(name.type, name.type))
        for sentence in parsed.sentences
        for name in names(sentence)
        for start in [_start(name)]
    ]


def _start(name: Name) -> int:
    first, _, rest = name.text.partition(" ")
    return name.end - len(rest) if rest and first.lower().rstrip(".") in TITLES - {"st"} else name.start


def scored(path: Path, *, failures: bool) -> dict[str, float]:
    right = Counter[str]()
    for text, wanted in labelled(path):
        got = found(text)
        spans = {(one[0], one[1]) for one in wanted}
        kept = [one for one in got if one[2] in KINDS.values() or (one[0], one[1]) in spans]
        right["wanted"] += len(wanted)
        right["got"] += len(kept)
        right["spans"] += len(spans & {(one[0], one[1]) for one in kept})
        right["typed"] += len(set(wanted) & set(kept))
        if failures and set(wanted) != set(kept):
            missed = [f"-{text[a:b]}/{kind}" for a, b, kind in wanted if (a, b, kind) not in kept]
            extra = [f"+{text[a:b]}/{kind}" for a, b, kind in kept if (a, b, kind) not in wanted]
            print("  ".join(missed + extra), "|", text[:160])
    figures: dict[str, float] = {"names": right["wanted"]}
    for key in ("spans", "typed"):
        precision, recall = right[key] / max(right["got"], 1), right[key] / max(right["wanted"], 1)
        figures |= {f"{key} precision": round(precision, 3), f"{key} recall": round(recall, 3)}
        figures[f"{key} F1"] = round(2 * precision * recall / max(precision + recall, 1e-9), 3)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "files", nargs="*", type=Path, default=[DATA / f"ewt-names-{part}.iob2.gz" for part in ("dev", "test")]
    )
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    table = {path.name: scored(path, failures=given.failures and "dev" in path.name) for path in given.files}
    for name, figures in table.items():
        print(name, "  ".join(f"{key} {value}" for key, value in figures.items()))
    if given.json is not None:
        given.json.write_text(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
