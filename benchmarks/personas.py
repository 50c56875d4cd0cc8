"""Personas of formed memories, for reading line by line: `python benchmarks/personas.py [--locomo FILE]`.

python benchmarks/personas.py [--locomo FILE] [--longmemeval FILE] [--haystacks 3,20] [--memories FOLDER]

Without files, on our own example. Under each persona every trait has a line. A line is faulty if it is wrong (not so by
its turn, or no sentence), unfit (small talk, a passing event, a fragment, told before) or outdated (no longer so, a
plan whose time is over). ``--memories FOLDER`` keeps the formed memories there, and reads those that are there already.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.arranged import conversations

from hmem import Memory
from hmem.model.persona import Persona


def personas(name: str, messages: Sequence[Any], folder: Path) -> Iterator[Persona]:
    """Yield the personas of a conversation's people; form its memory if the folder has none."""
    file = folder / f"{name.replace(' ', '-')}.hmem"
    formed = file.exists()
    with Memory(file, read_only=formed) as memory:
        if not formed:
            memory.add(list(messages))
        yield from (each for each in memory.personas() if each.speaker.lower() != "assistant")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--locomo", type=Path, help="a LoCoMo file")
    parser.add_argument("--longmemeval", type=Path, help="a LongMemEval file")
    parser.add_argument("--haystacks", default="3,12,20,47,60,80", help="the places of haystacks in it")
    parser.add_argument("--memories", type=Path, help="keep the memories in this folder")
    options = parser.parse_args()
    lines = 0
    with TemporaryDirectory() as temporary:
        folder = options.memories or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name, messages in conversations(options):
            for each in personas(name, messages, folder):
                print(f"\n{name}, {each.speaker}: {each.text}")
                for trait in each.traits:
                    lines += 1
                    print(f"  {lines:3} {trait}")
    print(f"\n{lines} lines")


if __name__ == "__main__":
    main()
