"""Convert the example to LoCoMo's format, for `hmem eval locomo`: `python examples/as_locomo.py OUT`.

LoCoMo dates sessions and not turns, so the turns lose their minutes.
"""

import json
import re
import sys
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CATEGORIES = {"multi-hop": 1, "temporal": 2, "open-domain": 3, "single-hop": 4, "adversarial": 5}


def dialogue_id(own: str) -> str:
    """Return LoCoMo's id of a turn: ``s03t07`` is ``D3:7``."""
    session, turn = re.findall(r"\d+", own)
    return f"D{int(session)}:{int(turn)}"


def conversation() -> dict[str, Any]:
    """Return the sessions, each under its number beside its date."""
    turns = [json.loads(line) for line in (HERE / "ten_months.jsonl").read_text("utf-8").splitlines()]
    made: dict[str, Any] = {"speaker_a": "Nadia", "speaker_b": "Tomas"}
    for number, (_, session) in enumerate(groupby(turns, key=lambda turn: turn["session"]), 1):
        said = list(session)
        made[f"session_{number}_date_time"] = f"{datetime.fromisoformat(said[0]['at']):%I:%M %p on %d %B, %Y}"
        made[f"session_{number}"] = [message(turn) for turn in said]
    return made


def message(turn: dict[str, Any]) -> dict[str, Any]:
    caption = {"blip_caption": turn["caption"]} if "caption" in turn else {}
    return {"speaker": turn["speaker"], "dia_id": dialogue_id(turn["id"]), "text": turn["text"], **caption}


def question(own: dict[str, Any]) -> dict[str, Any]:
    answer = {} if own["category"] == "adversarial" else {"answer": own["answer"]}
    evidence = [dialogue_id(turn) for turn in own["evidence"]]
    return {"question": own["question"], **answer, "category": CATEGORIES[own["category"]], "evidence": evidence}


def main() -> None:
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    questions = json.loads((HERE / "ten_months.questions.json").read_text("utf-8"))
    sample = {"sample_id": "ten_months", "conversation": conversation(), "qa": [question(own) for own in questions]}
    out.write_text(json.dumps([sample], ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
