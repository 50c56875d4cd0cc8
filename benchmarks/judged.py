"""What joins threads and labels sentences, against pairs and labels judged by hand: `python benchmarks/judged.py`.

``benchmarks/data/judged.jsonl`` has pairs of sentences that one person said, of our chats and talks, with whether the
later one goes on with the matter of the earlier one, and sentences with the label of the layers that they are most
like, with whether it is right. Prints how many pairs are joined and how many of these rightly, and how often a label
is right from a cosine on. ``--held-back`` opens the other pairs, for a final figure, and prints the commit.
"""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from hmem.language.analyst import Claim, DatedClaim
from hmem.language.verbatim.threads import related
from hmem.model.note import THREAD

JUDGED: Final = Path(__file__).parent / "data" / "judged.jsonl"
SAID: Final = datetime(2026, 1, 1, tzinfo=UTC)
COSINES: Final = (0.2, 0.3, 0.35, 0.4, 0.45)


def is_joined(pair: dict[str, Any]) -> bool:
    """Tell if the two sentences of a pair are one thread."""
    older, newer = (DatedClaim(Claim("fact", "", THREAD, "", pair[side]), SAID) for side in ("older", "newer"))
    return related(older, newer).relation != "independent"


def main() -> None:
    rows = [json.loads(line) for line in JUDGED.read_text("utf-8").splitlines()]
    part = "open"
    if "--held-back" in sys.argv:
        part = "held"
        commit = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        print(f"held back, at commit {commit.stdout.strip()}")
    pairs = [row for row in rows if row.get("thread") == part]
    joined = [pair for pair in pairs if is_joined(pair)]
    right = sum(pair["same"] for pair in joined)
    print(f"pairs: {len(pairs)}, on one matter {sum(pair['same'] for pair in pairs)}")
    print(f"joined: {len(joined)}, rightly {right}")
    for cosine in COSINES if part == "open" else ():
        labels = [row["right"] for row in rows if row.get("cosine", 0) >= cosine]
        print(f"labels from a cosine of {cosine:.2f} on: {len(labels)}, right {sum(labels) / len(labels):.2f}")


if __name__ == "__main__":
    main()
