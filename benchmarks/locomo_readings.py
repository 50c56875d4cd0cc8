"""Record the readings of LoCoMo's conversations that a model made under an earlier prompt, in today's form.

``python -m benchmarks.locomo_readings LOCOMO.json READINGS OUT`` writes a recording for each conversation that READINGS
has files of (``conv-26-read1.json``, …, each ``{dia_id: entry}`` in the form of the earlier task ``read_episode``) into
OUT. The model wrote no texts, and named no notes that its claims revise: texts stay as they are without a model.
``hmem eval compare LOCOMO.json --conversations conv-26 --recorded OUT`` measures them.

LoCoMo is licensed for non-commercial use: its recordings are no part of this repository.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from hmem import Memory
from hmem_evals import locomo
from hmem_evals.conversations import Conversation

Entry = Mapping[str, Any]


@click.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True))
@click.argument("readings", type=click.Path(path_type=Path, exists=True))
@click.argument("out", type=click.Path(path_type=Path))
def main(file: Path, readings: Path, out: Path) -> None:
    """Write a recording for each conversation with readings."""
    for conversation in locomo.load(file):
        entries: dict[str, Entry] = {}
        for each in sorted(readings.glob(f"{conversation.id}-*.json")):
            entries |= json.loads(each.read_text("utf-8"))
        if entries:
            click.echo(f"{conversation.id}: {record(conversation, entries, out / conversation.id)} responses")


def record(conversation: Conversation, entries: Mapping[str, Entry], folder: Path) -> int:
    """Answer the requests to read a conversation from entries by message id; return their number."""
    folder.mkdir(parents=True, exist_ok=True)
    known = {
        (message["at"].strftime("%Y-%m-%d %H:%M"), message["speaker"], message["text"]): entries.get(
            message["message_id"]
        )
        for message in conversation.messages
    }
    with TemporaryDirectory() as place, Memory(":memory:", analyst="openai:recorded@http://127.0.0.1:9/v1") as memory:
        memory.add(conversation.messages)
        memory.model.write_requests(requests := Path(place) / "requests.jsonl")
        lines = [_response(json.loads(line), known) for line in requests.read_text("utf-8").splitlines()]
    (folder / "responses.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(lines)


def _response(request: Mapping[str, Any], known: Mapping[tuple[str, str, str], Entry | None]) -> str:
    number, said = request["custom_id"], request["body"]["messages"][1]["content"]
    data = json.loads(said.removeprefix("<data>").removesuffix("</data>"))
    content = json.dumps(_read(data, known), ensure_ascii=False)
    return json.dumps({"custom_id": number, "response": {"body": {"choices": [{"message": {"content": content}}]}}})


def _read(data: Mapping[str, Any], known: Mapping[tuple[str, str, str], Entry | None]) -> dict[str, Any]:
    turns, filler = list[dict[str, Any]](), list[int]()
    for day in data["days"]:
        for number, clock, speaker, text, *_ in day["said"]:
            if number < 1:
                continue
            entry = known.get((f"{day['day'][:10]} {clock}", speaker, text))
            if entry is None or not entry["memorable"]:
                filler.append(number)
            else:
                turns.append({"n": number, **_turn(entry)})
    return {"turns": turns, "filler": filler}


def _turn(entry: Entry) -> dict[str, Any]:
    """Return an entry in today's form."""
    statements = [
        {
            "text": statement["text"],
            "when": _span(statement["happened_from"], statement["happened_to"]),
            "path": "/".join(str(statement[name]).replace("/", " ") for name in ("domain", "category", "trace")),
            "context": statement["context"],
            "claims": [*_claims(entry, place)],
        }
        for place, statement in enumerate(entry["statements"])
    ]
    return {
        "importance": entry["importance"],
        "shift": entry["shift"],
        "emotion": entry["emotion"],
        "statements": statements,
        "names": [f"{named['surface']} = {named['type']}" for named in entry["entities"]],
        "relations": [f"{one['source']} | {one['label']} | {one['target']}" for one in entry["relations"]],
    }


def _claims(entry: Entry, place: int) -> Iterator[str]:
    for claim in entry["claims"]:
        if claim["statement"] == place:
            kind = claim["kind"] if claim["positive"] else f"not {claim['kind']}"
            yield " | ".join((kind, claim["subject"], claim["slot"], claim["value"]))


def _span(first: str | None, last: str | None) -> str:
    return "" if first is None else first if last in (None, first) else f"{first}/{last}"


if __name__ == "__main__":
    main()
