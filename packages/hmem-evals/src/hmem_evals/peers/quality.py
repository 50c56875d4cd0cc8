"""Recall, speed and size of peers on the conversations of a benchmark."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hmem.errors import HmemError
from hmem.retrieval.scoring.ranker import ranker
from hmem_evals import metrics
from hmem_evals.asking import TIMED_K, Gold, gold_of
from hmem_evals.conversations import Conversation, Question
from hmem_evals.peers.catalogue import Peer
from hmem_evals.peers.conditions import conditions
from hmem_evals.peers.environment import interpreter
from hmem_evals.peers.process import PeerProcess
from hmem_evals.peers.vectors import Vectors, vectors_of
from hmem_evals.summary import SESSION_KS, TURN_KS, milliseconds, rate

# As many turns are ranked as `hmem eval compare` does.
DEPTH: Final = 50

Progress = Callable[[int, int], None]
# Function that keeps the figures of a run that is not done.
Keep = Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class PeerRanking:
    """Ranking of one answerable question: its turns and sessions, best first."""

    question: str
    gold: Gold
    turns: tuple[str, ...]
    sessions: tuple[str, ...]


@dataclass(slots=True)
class Measures:
    """Ranks of one peer on all questions, and their costs."""

    turns: int = 0
    add_ms: float = 0.0
    add_cpu_ms: float = 0.0
    disk_bytes: int = 0
    search_ms: list[float] = field(default_factory=list[float])
    search_cpu_ms: list[float] = field(default_factory=list[float])
    rankings: list[PeerRanking] = field(default_factory=list[PeerRanking])


def compare(
    dataset: str,
    conversations: Sequence[Conversation],
    peers: Sequence[Peer],
    *,
    home: Path,
    embedder: str,
    progress: Progress | None = None,
    keep: Keep | None = None,
) -> dict[str, Any]:
    """Return ``dataset, conditions{…}, embedder{…}, turns, questions, rows[…]``, a row for each peer.

    Environments lie below ``home``. Each peer has a process, and in it a memory of its own for each conversation, in a
    temporary folder. The row of a peer that fails has only its name and the reason, ``failed``. ``progress`` gets the
    number of questions asked and the total, and ``keep`` the figures so far after each peer.

    Raises:
        HmemError: the process of the embedder fails.
    """
    report, rows = _facts(dataset, conversations), list[dict[str, Any]]()
    question_count = report["questions"]
    with TemporaryDirectory(prefix="hmem-peers-") as directory, vectors_of(embedder, Path(directory)) as vectors:
        for number, peer in enumerate(peers):

            def advance(count: int, before: int = number * question_count) -> None:
                if progress is not None:
                    progress(before + count, len(peers) * question_count)

            rows.append(_row(peer, conversations, home, Path(directory), vectors, advance))
            report |= {"embedder": vectors.summary, "rows": rows}
            if keep is not None:
                keep(report)
    return report


def _facts(dataset: str, conversations: Sequence[Conversation]) -> dict[str, Any]:
    """Return what is measured, and how to read it."""
    return {
        "dataset": dataset,
        "conditions": conditions(),
        "conversations": len(conversations),
        "turns": sum(len(conversation.messages) for conversation in conversations),
        "questions": sum(len(conversation.questions) for conversation in conversations),
        "notes": {
            "text": "peers: '[8 May 2023] speaker: text caption'; hmem: the same in fields of their own",
            "recall": "turns, mean fraction of the evidence, of answerable questions with evidence",
            "unseen": "those questions that hmem's ranker was not learned from",
            "session": f"sessions in the order of the {DEPTH} best turns",
            "search_ms": f"k={TIMED_K}; the encoder's work is in hmem's rows only, peers ask for its vectors",
            "add": "until all is durable, indexed and, in a recipe that forms, formed",
            "rss_bytes": "peak of the process over all conversations; the encoder is in hmem's rows only",
        },
    }


def _row(
    peer: Peer,
    conversations: Sequence[Conversation],
    home: Path,
    directory: Path,
    vectors: Vectors,
    advance: Callable[[int], None],
) -> dict[str, Any]:
    row: dict[str, Any] = {"name": peer.name, "settings": peer.settings}
    measures = Measures()
    try:
        with PeerProcess(
            peer, interpreter(peer, home), directory, embedder=vectors.description, embed=vectors.embed
        ) as process:
            count = 0
            for number, conversation in enumerate(conversations):
                for _ in _measure(process, conversation, directory / f"{peer.name}-{number}", measures):
                    count += 1
                    advance(count)
            facts = process.ask("about", packages=list(peer.packages))["result"]
    except HmemError as error:
        return {**row, "failed": str(error)}
    return {**row, **facts, **_figures(measures)}


def _measure(process: PeerProcess, conversation: Conversation, folder: Path, measures: Measures) -> Iterator[Question]:
    """Fill a memory with a conversation and ask its questions; yield each when it was asked."""
    process.ask("open", folder=str(folder))
    turns = [on_the_wire(message) for message in conversation.messages]
    for reply in (process.ask("add", turns=turns), process.ask("finish")):
        measures.add_ms += reply["ms"]
        measures.add_cpu_ms += reply["cpu_ms"]
    measures.turns += len(turns)
    sessions = {turn["id"]: turn["session"] for turn in turns}
    latest = max(turn["at"] for turn in turns)
    for question, gold in zip(conversation.questions, gold_of(conversation), strict=True):
        request = {"query": question.text, "at": latest if question.at is None else question.at.isoformat()}
        reply = process.ask("search", **request, k=TIMED_K)
        measures.search_ms.append(reply["ms"])
        measures.search_cpu_ms.append(reply["cpu_ms"])
        if not question.unanswerable:
            ranking = process.ask("search", **request, k=min(DEPTH, len(turns)))["result"]
            by_session = tuple(dict.fromkeys(sessions[name] for name in ranking))
            measures.rankings.append(PeerRanking(question.id, gold, tuple(ranking), by_session))
        yield question
    process.ask("close")
    measures.disk_bytes += size_of(folder)


def on_the_wire(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a message as adapters take it: ``said`` is the text for all that have no field for speaker and time."""
    speaker = message.get("speaker") or message.get("role") or "user"
    body = " ".join(text for text in (message["text"].strip(), message.get("caption")) if text)
    time: datetime = message["at"]
    fields = {name: message.get(name) for name in ("text", "speaker", "role", "session", "caption")}
    line = f"[{time.day} {time:%B %Y}] {speaker}: {body}"
    return {**fields, "id": message["message_id"], "at": time.isoformat(), "said": line}


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _figures(measures: Measures) -> dict[str, Any]:
    learned_from = ranker().learned_from
    unseen = [ranking for ranking in measures.rankings if ranking.question not in learned_from]
    return {
        **_shares(measures.rankings),
        # Of the questions that hmem's ranker was not learned from; all of them, if it saw none.
        "unseen": _shares(unseen) if len(unseen) < len(measures.rankings) else None,
        "add": {
            **rate(measures.turns, measures.add_ms / 1_000),
            "cpu_ms_per_turn": round(measures.add_cpu_ms / max(measures.turns, 1), 3),
        },
        "search_ms": milliseconds(measures.search_ms),
        "search_cpu_ms": milliseconds(measures.search_cpu_ms),
        "disk_bytes": measures.disk_bytes,
    }


def _shares(rankings: Sequence[PeerRanking]) -> dict[str, Any]:
    """Return recall of turns and of sessions, over the questions whose evidence is known."""
    turns = [(ranking.turns, ranking.gold.evidence) for ranking in rankings if ranking.gold.evidence]
    sessions = [(ranking.sessions, ranking.gold.sessions) for ranking in rankings if ranking.gold.sessions]
    return {
        "measured": len(turns),
        "recall": {str(k): _mean(metrics.recall(*pair, k) for pair in turns) for k in TURN_KS},
        "session": {
            "recall_all": {str(k): _mean(metrics.recall_all(*pair, k) for pair in sessions) for k in SESSION_KS},
            "ndcg": {str(k): _mean(metrics.ndcg(*pair, k) for pair in sessions) for k in SESSION_KS},
        },
    }


def _mean(values: Iterable[float]) -> float | None:
    value = metrics.mean(values)
    return None if value is None else round(value, 4)
