"""Erasure: the plan of what forgetting turns removes, redaction of the log, proof of erasure, and expiry.

Turns go with everything that is derived from them alone. What is derived from them and others is formed again from the
others. Log entries of a change stay, but lose what they say about the forgotten turns. Turns expire by their own time
or by the memory's rule.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import MERGE, RENAME, RESOLVE, SPLIT, extraction_of, texts_of_models
from hmem.derived.chunks import decode, turn_of, with_companions
from hmem.derived.personas import EDIT, from_log_text, to_log_text
from hmem.derived.state import EVENT_TREES, TREES, DerivedState
from hmem.errors import InputError
from hmem.language.analyst import Lexicon
from hmem.language.sentences import TextPiece
from hmem.model.ids import kind_of, number_of
from hmem.model.report import Forgotten
from hmem.model.scope import ScopedName, scoped, spelled
from hmem.model.span import to_stored
from hmem.model.turn import Turn
from hmem.storage.base import LogEntry, Storage
from hmem.storage.model_queue import READINGS
from hmem.util.residue import Residue, words_in

FORGET: Final = "forget"

# Verbs that the engine logs: they tell what was derived, not what somebody said.
_DERIVED: Final = ("revise", "renew", "learn")

_PAGE: Final = 1_000
_SAMPLES: Final = 5
_SAMPLE: Final = 120


@dataclass(frozen=True, slots=True)
class ErasurePlan:
    """Plan of an erasure, made before turns are forgotten.

    ``words`` occur in no other turn; ``subjects`` are the people, as the log calls them, of whom there are notes from
    these turns; ``names`` are the speakers, the people and the sessions that no other turn has; ``count`` counts what
    is derived from the turns. ``split`` returns the sentences of a text.
    """

    ids: frozenset[str]
    seqs: frozenset[int]
    words: frozenset[str]
    subjects: frozenset[str]
    names: frozenset[str]
    count: Forgotten
    split: Callable[[str], Sequence[TextPiece]]


def prepare(
    corpus: Corpus, derived: DerivedState, seqs: Sequence[int], lexicon: Lexicon, *, words: bool = True
) -> ErasurePlan:
    """Plan the erasure of turns. Call it inside ``corpus.reading()``, with the derived state caught up.

    Without ``words`` the other turns are not read, and the plan has no words.
    """
    turns = [row.turn for row in corpus.storage.turns(seqs)]
    erased_seqs = frozenset(seqs)
    speakers, sessions = _names_alone(corpus, erased_seqs)
    subjects = {note.scoped_subject for seq in seqs for note in derived.notes.of_turn(seq)}
    unique_people = _people_alone(corpus, derived, erased_seqs)
    unique_words = _words_alone(corpus.storage, turns, erased_seqs) if words else set[str]()
    count = replace(
        _count(derived, seqs, turns, subjects - unique_people.keys()), sessions=len(sessions), speakers=len(speakers)
    )
    people = [derived.names.find(subject) for subject in subjects]
    targets = {derived.names.target(person) for person in people if person is not None}
    return ErasurePlan(
        frozenset(turn.id for turn in turns), erased_seqs, frozenset(unique_words), frozenset(targets),
        frozenset({*speakers, *sessions, *unique_people.values()}), count, lexicon.split,
    )  # fmt: skip


def _names_alone(corpus: Corpus, erased_seqs: frozenset[int]) -> tuple[set[str], set[str]]:
    """Return the speakers and the sessions that only these turns have."""
    speakers, sessions = set[str](), set[str]()
    columns = corpus.columns
    rows = corpus.columns.rows_of(sorted(erased_seqs))
    remaining = columns.alive.copy()
    remaining[rows[rows >= 0]] = False
    staying = {"speaker": set(columns.speaker[remaining].tolist()), "session": set(columns.session[remaining].tolist())}
    for row, turn in corpus.turns(rows[rows >= 0]).items():
        if int(columns.speaker[row]) not in staying["speaker"]:
            speakers.add(turn.speaker)
        if int(columns.session[row]) not in staying["session"]:
            sessions.add(turn.session)
    return speakers, sessions


def _people_alone(corpus: Corpus, derived: DerivedState, erased_seqs: frozenset[int]) -> dict[ScopedName, str]:
    """Return the people who said only turns among these, by name, with their names in the log."""
    columns, judgements, names = corpus.columns, derived.judgements, derived.names
    speaker_names = {speaker.number: speaker.name for speaker in corpus.speakers}

    def speakers_of(seqs: Iterable[int]) -> set[ScopedName]:
        rows = columns.rows_of(sorted(seqs))
        pairs = zip(columns.seq[rows].tolist(), columns.speaker[rows].tolist(), strict=True)
        return {scoped(judgements.owner(seq), speaker_names[number]) for seq, number in pairs}

    leaving = speakers_of(erased_seqs)
    numbers = [number for number, name in speaker_names.items() if spelled(name) in {name.name for name in leaving}]
    speaker_seqs = columns.seq[np.isin(columns.speaker, numbers) & columns.alive]
    unique_names = leaving - speakers_of(set(speaker_seqs.tolist()) - erased_seqs)
    people = {name: names.find(name) for name in unique_names}
    return {name: names.target(person) for name, person in people.items() if person is not None}


def _texts(turn: Turn) -> Iterator[str]:
    yield from (turn.text, turn.speaker, turn.session, *turn.attachments)
    yield from (text for text in (turn.caption, turn.user, turn.agent, turn.message_id) if text)
    if turn.metadata:
        yield json.dumps(turn.metadata, ensure_ascii=False)


def _words_alone(storage: Storage, turns: Sequence[Turn], erased_seqs: frozenset[int]) -> set[str]:
    """Return the words of turns that no other turn has, not even inside of a longer word."""
    words = {word for turn in turns for text in _texts(turn) for word in words_in(text)}
    remaining_words, after = set[str](), 0
    while page := storage.page(after, _PAGE):
        after = page[-1].seq
        for row in page:
            if row.seq not in erased_seqs:
                remaining_words.update(*(words_in(text) for text in _texts(row.turn)))
    return _unique_words(words, remaining_words)


def _unique_words(words: Collection[str], remaining_words: Collection[str]) -> set[str]:
    """Return the words that occur in none of the others, neither whole nor inside a longer one."""
    candidates = set(words).difference(remaining_words)
    remaining_text = "\n".join(sorted(remaining_words))
    return {word for word in candidates if word not in remaining_text}


# Echoes.


def with_echoes(
    storage: Storage, seqs: Sequence[int], lexicon: Lexicon, *, partial: bool = False
) -> tuple[list[int], tuple[str, ...]]:
    """Return turns with those that only echo them, and the ids of turns that stay and echo some of it.

    With ``parts``, turns that echo any of it go too.
    """
    erased_seqs = set(seqs)
    ids = {row.turn.id for row in storage.turns(seqs)}
    candidates = {
        row.seq: row.turn
        for row in storage.turns(storage.matching(echoing=True).tolist())
        if row.seq not in erased_seqs
    }
    while True:
        echoing = {seq: turn for seq, turn in candidates.items() if not ids.isdisjoint(_sources(turn))}
        echoes = {
            seq: turn
            for seq, turn in echoing.items()
            if partial or (_sources(turn) <= ids and _all_echo(turn, lexicon))
        }
        if not echoes:
            return sorted(erased_seqs), tuple(turn.id for turn in echoing.values())
        erased_seqs |= echoes.keys()
        ids |= {turn.id for turn in echoes.values()}
        candidates = {seq: turn for seq, turn in candidates.items() if seq not in echoes}


def _sources(turn: Turn) -> set[str]:
    return {source for _, _, source in turn.echoes if source}


def _all_echo(turn: Turn, lexicon: Lexicon) -> bool:
    remainder = lexicon.remove_spans(turn.text, [(start, end) for start, end, _ in turn.echoes])
    return not replace(turn, text=remainder).content.strip()


# Counts.


def _count(
    derived: DerivedState, seqs: Sequence[int], turns: Sequence[Turn], subjects: Collection[ScopedName]
) -> Forgotten:
    erased_seqs = set(seqs)
    graph, notes = derived.graph, derived.notes
    entities = {entity for seq in seqs for entity in graph.entities_of(seq)}
    unique_entities = {entity for entity in entities if erased_seqs.issuperset(graph.mentions(entity))}
    edges = {(e.source, e.target, e.label): e.evidence for entity in entities for e in graph.relations(entity)}
    summaries, names = _outdated(derived, seqs)
    return Forgotten(
        turns=len(turns),
        events=sum(len(derived.events.of_turn(seq)) for seq in seqs),
        notes=sum(len(notes.of_turn(seq)) for seq in seqs),
        entities=sum(map(graph.is_certain, unique_entities)),
        relations=sum(erased_seqs.issuperset(evidence) for evidence in edges.values()),
        summaries=summaries,
        names=names,
        profiles=sum(derived.profiles.get(entity) is not None for entity in entities - unique_entities),
        personas=sum(any(note.turn not in erased_seqs for note in notes.of_subject(subject)) for subject in subjects),
    )


def _outdated(derived: DerivedState, seqs: Sequence[int]) -> tuple[int, int]:
    """Count the summaries and names of nodes that hold both these turns and others."""
    summaries = names = 0
    events = [event.number for seq in seqs for event in derived.events.of_turn(seq)]
    for name in TREES:
        tree, texts = derived.trees[name], derived.written[name]
        going: dict[int, int] = {}
        for leaf in events if name in EVENT_TREES else seqs:
            for node in tree.path(leaf) if tree.node_of(leaf) is not None else ():
                going[node] = going.get(node, 0) + 1
        staying = [node for node, count in going.items() if tree.size(node) > count]
        summaries += sum(texts.summaries.get(node) is not None for node in staying)
        names += sum(texts.names.get(node) is not None for node in staying)
    return summaries, names


def samples(storage: Storage, seqs: Sequence[int]) -> tuple[str, ...]:
    """Return the beginnings of some of the turns."""
    rows = storage.turns(seqs[:_SAMPLES])
    return tuple(f"{row.turn.speaker}: {row.turn.content[:_SAMPLE]}" for row in rows)


# The log.


def redact_entries(entries: Sequence[LogEntry], plan: ErasurePlan) -> list[LogEntry]:
    """Return the changed log entries, without what is forgotten."""
    return [after for entry in entries if (after := _redact(entry, plan)) != entry]


def _redact(entry: LogEntry, plan: ErasurePlan) -> LogEntry:
    # The link of a decision about a note only names the newest note then; the decision stays without it.
    # That of a rename names a level of a tree.
    link = entry.link if entry.verb not in (RESOLVE, RENAME) else None
    references = [reference for reference in (entry.target, link) if reference is not None]
    derived = entry.verb in _DERIVED
    if any(_is_gone(reference, plan) or (derived and reference in plan.subjects) for reference in references):
        entry = entry._replace(why=None, before=None, after=None)
    else:
        # That of a correction stays if what it corrects stays; names of entities do not.
        after = _silenced(entry.after, plan) if derived or entry.verb in (MERGE, SPLIT, RENAME) else entry.after
        after = _without_sentences(after, plan) if entry.verb == EDIT else after
        reason, before = _silenced(entry.why, plan), _silenced(entry.before, plan)
        entry = entry._replace(why=reason, before=before, after=after)
    return entry._replace(
        by=_silenced(entry.by, plan) or "", target=_silenced(entry.target, plan) or "",
        link=entry.link if entry.verb == RENAME else _silenced(entry.link, plan),
    )  # fmt: skip


def _is_gone(reference: str, plan: ErasurePlan) -> bool:
    """Tell if an id or a name belongs to what is forgotten."""
    kind = kind_of(reference)
    if kind in ("event", "note"):
        numbers = number_of(kind, reference)
        return numbers is not None and turn_of(numbers[1]) in plan.seqs
    return reference in plan.ids or reference in plan.names


def _silenced(text: str | None, plan: ErasurePlan) -> str | None:
    """Return a text, or None if it has a forgotten word or is a forgotten name."""
    if text is None or kind_of(text) is not None:
        return text
    return None if text in plan.names or not plan.words.isdisjoint(words_in(text)) else text


def _without_sentences(persona: str | None, plan: ErasurePlan) -> str | None:
    """Return a person's edit of a persona without the sentences and traits that have a forgotten word."""
    if persona is None or _silenced(persona, plan) is not None:
        return persona
    text, traits = from_log_text(persona)
    text = " ".join(span.text for span in plan.split(text) if _silenced(span.text, plan) is not None)
    return to_log_text(text, [trait for trait in traits if _silenced(trait, plan) is not None]) or None


def entry(plan: ErasurePlan, timestamp: int, author: str, reason: str | None, kinds: Sequence[str]) -> LogEntry:
    """Return the log entry of the erasure: number of turns and kinds of conditions, nothing of their content."""
    turns = len(plan.ids)
    return LogEntry(
        timestamp, author if author not in plan.names else "", FORGET, ", ".join(kinds), _silenced(reason, plan),
        after=f"{turns} turn{'' if turns == 1 else 's'}",
    )  # fmt: skip


def redacted_since(storage: Storage, number: int, plan: ErasurePlan | None) -> list[LogEntry]:
    """Return the redacted entries that were logged after an entry number.

    Formation logs what there was before, and another process may not know of the erasure. None as plan: the erasure was
    interrupted, and its plan is lost.
    """
    fresh = {entry.number: entry for entry in storage.recorded(since=number)}
    past = [entry._replace(before=None, why=None) if entry.verb in _DERIVED else entry for entry in fresh.values()]
    if plan is not None:
        past = [_redact(entry, plan) for entry in past]
    return [entry for entry in past if entry != fresh[entry.number]]


def stained(storage: Storage, plan: ErasurePlan) -> list[int]:
    """Return the remaining turns, by number, whose readings by a model contain forgotten words."""
    queue = storage.model_queue
    if queue is None or READINGS not in storage.state().settings or not plan.words:
        return []
    seqs: list[int] = []
    for row in queue.readings():
        reading = extraction_of(row)
        if row.seq not in plan.seqs and reading is not None:
            text = json.dumps(asdict(reading), ensure_ascii=False, default=str)
            if not plan.words.isdisjoint(words_in(text)):
                seqs.append(row.seq)
    return seqs


# Proof.


def words_left(corpus: Corpus, words: Collection[str]) -> tuple[str, ...]:
    """Return the words that occur nowhere in the memory, not even in what is formed. Inside ``corpus.reading()``."""
    remaining_words: set[str] = set(words_in(corpus.own_text()))
    for _, text in _derived_texts(corpus.storage):
        remaining_words |= words_in(text)
    for entry in corpus.storage.recorded():
        remaining_words.update(*(words_in(text) for text in entry if isinstance(text, str)))
    return tuple(sorted(_unique_words(words, remaining_words)))


def traces(corpus: Corpus, words: Sequence[str]) -> list[Residue]:
    """Return where words remain in the memory: in stored or formed content, or in bytes of its files."""
    lowered = {word.lower() for word in words}
    residues = dict.fromkeys(corpus.traces(sorted(lowered)))
    with corpus.reading():
        for source, text in _derived_texts(corpus.storage):
            residues.update(
                dict.fromkeys(Residue(word, f"formed {source}") for word in sorted(lowered & words_in(text)))
            )
    return list(residues)


def _derived_texts(storage: Storage) -> Iterator[tuple[str, str]]:
    """Yield the texts of formed chunks and of models' outputs, with the names of their parts."""
    for chunk in with_companions(storage.chunks()):
        content = None if chunk.content is None else decode(chunk.content)
        if content is not None and not isinstance(content, bytes):
            yield chunk.part, json.dumps(content, ensure_ascii=False)
    for table, content in texts_of_models(storage):
        yield table, json.dumps(content, ensure_ascii=False)


# Setting of the number of days after which a turn is forgotten.
RETAIN: Final = "retain.days"

_MOST_DAYS: Final = 1_000_000


def expired_seqs(storage: Storage, moment: datetime) -> list[int]:
    """Return the turns whose own expiry has come, by sequence number: they are no longer recalled."""
    return sorted(seq for _, seq in storage.expiring(to_stored(moment)[0]))


def outlived_seqs(corpus: Corpus, moment: datetime, days: int | None) -> list[int]:
    """Return the turns older than the memory keeps turns. Call it inside ``corpus.reading()``."""
    if days is None:
        return []
    try:
        oldest = to_stored(moment - timedelta(days=days))[0]
    except OverflowError:
        return []
    columns = corpus.columns
    return np.sort(columns.seq[columns.alive & (columns.said < oldest)]).tolist()


def retained_days(storage: Storage) -> int | None:
    """Return the number of days that turns are kept; None for good."""
    setting = storage.state().settings.get(RETAIN)
    return None if setting is None else int(setting)


def checked_days(days: int | None) -> int | None:
    """Return a valid number of days.

    Raises:
        InputError: it is no whole number from 1 on.
    """
    if days is not None and (isinstance(days, bool) or not isinstance(days, int) or not 1 <= days <= _MOST_DAYS):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"turns are kept for a whole number of days from 1, not {days!r} - give None for good")
    return days
