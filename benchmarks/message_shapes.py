"""Messages of eight SDKs, accepted and right: `python benchmarks/message_shapes.py`.

The shapes are made by the SDKs' own classes (`message_shapes_sdk.py`). One is right if it becomes exactly its turns.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from hmem.errors import InputError
from hmem.formation.capture import Defaults, to_turns
from hmem.model.span import zone

SHAPES: Final = Path(__file__).parent.parent / "tests/unit/formation/message_shapes.json"
Turn = dict[str, Any]


def turns_of(message: Any, expected: Sequence[Turn]) -> list[Turn]:
    """Return what a message becomes, by the fields that the expected turns have."""
    turns, _ = to_turns(message, Defaults(zone("UTC")))
    became: list[Turn] = []
    for number, turn in enumerate(turns):
        names = expected[number] if number < len(expected) else ("role", "speaker", "text")
        value = {name: getattr(turn, name) for name in names}
        value |= {"at": turn.at.isoformat()} if "at" in names else {}
        became.append(value | ({"attachments": [*turn.attachments]} if "attachments" in names else {}))
    return became


def main() -> None:
    """Print how many shapes of each SDK are accepted, and how many right."""
    totals = [0, 0, 0]
    print("| SDK | shapes | accepted | right |\n|---|---|---|---|")
    for sdk, about in json.loads(SHAPES.read_text("utf-8")).items():
        accepted = right = 0
        for _, message, expected in about["shapes"]:
            try:
                became = turns_of(message, expected)
            except InputError:
                continue
            accepted += 1
            right += became == expected
        print(f"| {sdk} ({about['made by']}) | {len(about['shapes'])} | {accepted} | {right} |")
        totals = [total + count for total, count in zip(totals, (len(about["shapes"]), accepted, right), strict=True)]
    print(f"| all | {totals[0]} | {totals[1]} | {totals[2]} |")


if __name__ == "__main__":
    main()
