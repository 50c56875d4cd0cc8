"""Count the names that say how a value came about, or where it is, instead of what it is.

``found``, ``told``, ``each``, ``place``: a reader must look up what such a name holds. This counts them over what code
binds (variables, arguments, loop variables) and defines (functions, classes), and fails when their share is above
``LIMIT``, which is only ever lowered.

Run: ``python .ci/names.py``, or with ``--list`` for each place, with paths to look only there.
"""

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LIMIT: Final = 1.2  # percent

ROOT: Final = Path(__file__).parent.parent

PARTICIPLES: Final = """
    added answered asked asking began begun bound brought called carried changed checked chosen claimed come
    counted crowded dated decided done drawn edited emptied ended erased expected failed filled forgotten formed found
    gathered given gone greeted grouped happened having held hidden holding joined judged kept knowing known lacking
    left linked listed located looked lost made matched meant measured met mended moved named needed offered opened
    ordered owned packed parted placed put quoted ranked recalled received redacted refused said saying scored sealed
    searched seen sent shared shown spent spoken standing started stated stored streamed struck taken taking tell
    telling told took tried undone unread wanted withdrawn worded written
"""
PRONOUNS: Final = """
    all another any anybody anything both each either every everything few fewer it its least many mine more most much
    neither nobody none nothing one ones other others own same several some somebody something such that theirs them
    these they this those what whatever when where which whichever who whoever whole whom whose why how
"""
PLACES: Final = """
    about above again ahead alone among apart around aside at back behind below beside between by far here in inside
    near now of off on out outside over part parts piece pieces place places rest there through under within without
"""
VICES: Final = frozenset(f"{PARTICIPLES} {PRONOUNS} {PLACES}".split())

# Names that the language has chosen.
ALLOWED: Final = frozenset({"self", "cls", "_"})


def sources() -> list[Path]:
    """Return the product's Python files: the library and its packages, without their tests."""
    packages = (path for path in (ROOT / "packages").glob("*/src/**/*.py"))
    return sorted([*(ROOT / "src").rglob("*.py"), *packages])


def bindings(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield each name that code binds or defines, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name, node.lineno
            case _:
                pass


def is_vice(name: str) -> bool:
    """Tell if a name has no word that says what it holds."""
    words = [word for word in name.strip("_").lower().split("_") if word]
    return bool(words) and all(word in VICES for word in words)


def main() -> int:
    """Print the share of such names; return 1 when it is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print each of them")
    parser.add_argument("paths", nargs="*", type=Path)
    arguments = parser.parse_args()
    total, vices = 0, Counter[str]()
    for path in sources():
        if arguments.paths and not any(path.is_relative_to(part.absolute()) for part in arguments.paths):
            continue
        for name, line in bindings(ast.parse(path.read_text("utf-8"))):
            if name in ALLOWED or name.startswith("__"):
                continue
            total += 1
            if is_vice(name):
                vices[name] += 1
                if arguments.list:
                    print(f"{path.relative_to(ROOT)}:{line}: {name}")
    share = 100 * vices.total() / total
    print(f"{vices.total()} of {total} names say nothing: {share:.1f} % (limit {LIMIT} %)")
    print("most: " + ", ".join(f"{name} {count}" for name, count in vices.most_common(20)))
    return int(not arguments.paths and share > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
