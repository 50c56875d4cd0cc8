"""Erasure: forgetting by conditions, expiry, retention, and proof of erasure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, Final, cast

import numpy as np

from hmem.api.components import Components
from hmem.corpus.corpus import PENDING, WIPED_LATER
from hmem.corpus.index.lexical import TURN
from hmem.derived.changes import change_id
from hmem.derived.state import problems
from hmem.errors import InvalidQuery, StorageError, StorageFull, UnknownId
from hmem.evolution import erase as forgetting
from hmem.evolution.edits import strayed
from hmem.evolution.erase import RETAIN, checked_days, expired_seqs, outlived_seqs, retained_days
from hmem.formation.proof import misread
from hmem.language.analyst import analyst
from hmem.language.containment import Fault, contained
from hmem.model.ids import kind_of, number_of
from hmem.model.report import Forgotten, Verification
from hmem.model.span import now, to_stored
from hmem.retrieval.browse import Browser
from hmem.retrieval.filter import Conditions, Filter, Moment, rows_meeting
from hmem.retrieval.plan import check_question, wording
from hmem.storage.base import LogEntry
from hmem.util.caches import clear_caches

# Author of the erasure of turns that expired or outlived the memory's rule.
ENGINE: Final = "hmem"


@dataclass(frozen=True, slots=True)
class _Selection:
    """Turns chosen for erasure, by sequence number.

    ``kinds`` names the kinds of conditions that chose them; ``echoes`` are the ids of turns that repeat some of them
    and stay.
    """

    seqs: list[int]
    kinds: tuple[str, ...]
    echoes: tuple[str, ...] = ()


class Erasure:
    """Forgetting, retention, and proof of erasure.

    ``zone`` is the time zone of times without an offset. ``problem`` is the reason why the last erasure is unfinished.
    """

    def __init__(self, components: Components, zone: tzinfo) -> None:
        self._components = components
        self._corpus = components.corpus
        self._zone = zone
        self.problem: str | None = None

    def forget(
        self,
        *ids: str,
        speaker: str | None = None,
        session: str | None = None,
        user: str | None = None,
        since: Moment | None = None,
        after: Moment | None = None,
        until: Moment | None = None,
        before: Moment | None = None,
        entity: str | None = None,
        query: str | None = None,
        k: int = 10,
        why: str | None = None,
        by: str = "user",
        preview: bool = False,
        echoes: bool = False,
    ) -> Forgotten:
        """Erase turns that meet every condition, with everything derived from them. This cannot be undone.

        Corrections of these turns are erased too, and so are turns that only repeat them after they were recalled.

        Args:
            ids: ids of turns, sessions and entities; of events, notes and episodes, for the turns beneath them.
            speaker: speaker of the turns, in any spelling.
            session: session of the turns.
            user: user of the turns.
            since: earliest time at which they were said.
            after: the same as ``since``.
            until: time before which they were said.
            before: the same as ``until``.
            entity: an entity that they name, by name or id.
            query: words that each of them holds; at most ``k`` of the best are forgotten.
            k: see ``query``.
            why: reason for the log; not kept when it has a word that is forgotten.
            by: author for the log.
            preview: report the effect, and forget nothing.
            echoes: forget also turns that repeat some of it and say more; the report names those that stay.

        Raises:
            InvalidQuery: no condition is given, or one cannot be met by anything.
            InvalidTime: a time does not parse.
            UnknownId: one of the ids is not kept; nothing is forgotten.
            MemoryBusy, StorageFull, StorageError: nothing is forgotten.
        """
        ids = _flat(ids)
        start, end = _time_limit("since", since, "after", after), _time_limit("until", until, "before", before)
        values = {"speaker": speaker, "session": session, "user": user, "entity": entity, "since": start, "until": end}
        conditions: Conditions = {name: value for name, value in values.items() if value is not None}  # pyright: ignore[reportAssignmentType]
        kinds = ("id",) * bool(ids) + tuple(conditions) + ("query",) * (query is not None)
        _check_count(k)
        if not kinds:
            raise InvalidQuery("nothing says what to forget - give an id or a condition")
        if not preview:
            self._components.check_writable()
        with self._components.browsing() as browser:
            selection = self._with_all(self._choose(browser, ids, conditions, query, k), kinds, partial_echoes=echoes)
            if preview:
                return replace(self._preview(selection.seqs), echoes=selection.echoes)
            return self._forget(selection, by, why)

    def delete(self, *ids: str) -> Forgotten:
        """Erase as ``forget(*ids)`` does."""
        return self.forget(*ids)

    # Choosing turns.

    def _choose(
        self, browser: Browser, ids: Sequence[str], conditions: Conditions, query: str | None, k: int
    ) -> list[int]:
        self._components.retrieval.sources.begin()
        columns = self._corpus.columns
        # Withdrawn and expired turns are not recalled, but can be forgotten.
        allowed = rows_meeting(
            self._components.retrieval.sources, Filter.from_conditions(conditions, self._zone) or Filter()
        )
        if ids:
            rows = columns.rows_of(sorted({seq for name in ids for seq in self._turns_of(browser, name)}))
            mask = columns.alive & False
            mask[rows[rows >= 0]] = True
            allowed = allowed & mask
        if query is None:
            return sorted(columns.seq[allowed].tolist())
        return self._best_matches(query, k, allowed)

    def _with_all(self, seqs: Sequence[int], kinds: tuple[str, ...], *, partial_echoes: bool = False) -> _Selection:
        """Return the turns with their corrections and the turns that repeat them."""
        storage, lexicon = self._corpus.storage, self._components.analyst.lexicon
        expanded, echoes = forgetting.with_echoes(
            storage, self._with_corrections(seqs), lexicon, partial=partial_echoes
        )
        return _Selection(self._with_corrections(expanded), (*kinds, "echoes") if partial_echoes else kinds, echoes)

    def _with_corrections(self, seqs: Sequence[int]) -> list[int]:
        """Return the turns with those that correct them, directly or through another correction."""
        storage, corrections = self._corpus.storage, self._components.formation.derived.decisions.corrections
        selection = set(seqs)
        while corrections:
            ids = {row.turn.id for row in storage.turns(sorted(selection))}
            links = [link for link, target in corrections.items() if target in ids]
            corrected = set(storage.locate(links).values()) - selection
            if not corrected:
                break
            selection |= corrected
        return sorted(selection)

    def _turns_of(self, browser: Browser, id: str) -> list[int]:
        """Return the sequence numbers of the turns that an id stands for.

        Raises:
            UnknownId: this memory has nothing of this id.
        """
        storage = self._corpus.storage
        match kind_of(id):
            case "event" | "note" as kind:
                sources = browser.event(id).sources if kind == "event" else browser.note(id).sources
                return list(storage.locate(sources).values())
            case "episode":
                number = number_of("episode", id)
                first = number[1] if number else -1
                turns = [
                    seq
                    for run in self._components.retrieval.sources.episodes.runs
                    if run.turns[0] == first
                    for seq in run.turns
                ]
            case "entity":
                number = number_of("entity", id)
                turns = self._components.formation.derived.graph.mentions(number[1]) if number else []
            case "turn":
                turns = list(storage.locate([id]).values())
            case _:
                turns = []
        turns = turns or storage.matching(session=id).tolist()
        if not turns:
            raise UnknownId(f"this memory has no {id!r} - `hmem search` shows ids")
        return turns

    def _best_matches(self, query: str, k: int, allowed: Any) -> list[int]:
        """Return the ``k`` best of the turns that hold all words of a query."""
        terms = wording(check_question(query), self._corpus.speakers, self._components.analyst.lexicon).terms
        hits = self._corpus.lexical(TURN, terms, allowed)
        matches = self._corpus.contains_terms(terms, hits.keys).all(axis=0)
        best = np.argsort(-hits.values[matches], kind="stable")[:k]
        return sorted(self._corpus.columns.seq[hits.keys[matches][best]].tolist())

    def _preview(self, seqs: list[int]) -> Forgotten:
        storage = self._corpus.storage
        derived, lexicon = self._components.formation.derived, self._components.analyst.lexicon
        count = forgetting.prepare(self._corpus, derived, seqs, lexicon, words=False).count
        ids = tuple(row.turn.id for row in storage.turns(seqs))
        return replace(
            count, vectors=self._vectors(seqs), preview=True, ids=ids, samples=forgetting.samples(storage, seqs)
        )

    def _vectors(self, seqs: Sequence[int]) -> int:
        return int((abs(self._corpus.vectors_of(seqs)).sum(axis=1) > 0).sum()) if seqs else 0

    # Erasing.

    def _forget(self, selection: _Selection, author: str, reason: str | None) -> Forgotten:
        """Erase the chosen turns; call it inside ``Components.browsing()``."""
        if not selection.seqs:
            return Forgotten(0)
        corpus = self._corpus
        bytes_before = corpus.storage.counts().size_bytes + corpus.index_bytes()
        derived, lexicon = self._components.formation.derived, self._components.analyst.lexicon
        plan = forgetting.prepare(corpus, derived, selection.seqs, lexicon)
        # Entries that another process adds meanwhile come after this one; ``_wipe`` looks at them.
        last = corpus.storage.state().recorded
        redactions = forgetting.redact_entries(corpus.storage.recorded(), plan)
        entry = forgetting.entry(plan, to_stored(now())[0], author, reason, selection.kinds)
        # The reading of one turn may repeat what the model was shown of another.
        if stained := forgetting.stained(corpus.storage, plan):
            corpus.model_queue.renumber(stained, clear=True)
        deletion = corpus.forget(selection.seqs, [entry], redactions)
        pending = self._wipe(last, plan)
        return replace(
            plan.count,
            sessions=deletion.sessions,
            speakers=deletion.speakers,
            vectors=deletion.vectors,
            entries=len(redactions),
            echoes=selection.echoes,
            bytes_before=bytes_before,
            bytes_after=corpus.storage.counts().size_bytes + corpus.index_bytes(),
            words=forgetting.words_left(corpus, plan.words),
            pending=pending,
        )

    def _wipe(self, last: int, plan: forgetting.ErasurePlan | None) -> str | None:
        """Remove erased turns from the derived state, from log entries after ``last``, and from the files.

        Return the reason why that is unfinished, or None. The next opening or ``consolidate`` finishes it.
        """
        with self._corpus.reading():
            try:
                pipeline = self._components.formation.pipeline
                delayed = contained(pipeline.form, raising=(StorageError,))
                if isinstance(delayed, Fault):
                    # The turns are taken out, and only new ones wait.
                    pipeline.problem = str(delayed)
                storage = self._corpus.storage
                if since := forgetting.redacted_since(storage, last, plan):
                    self._corpus.erasure.forget((), (), since)
                self.problem = self._corpus.wipe()
            except StorageFull as error:
                self.problem = str(error.but_kept(WIPED_LATER))
            except StorageError as error:
                self.problem = str(error)
            self._components.formation.derived.forget()
            self._components.begin_retrieval()
        clear_caches()
        return self.problem

    def finish(self) -> None:
        """Finish an interrupted erasure, as far as that works now."""
        with self._corpus.reading():
            storage = self._corpus.storage
            if PENDING not in storage.state().settings:
                return
            if storage.read_only:
                self.problem = "a forgetting was not finished - open the memory where it may be written"
            else:
                erasures = [entry.number for entry in storage.recorded() if entry.verb == forgetting.FORGET]
                self._wipe(max(erasures, default=0), None)

    # Expiry.

    def retain(self, days: int | None, *, why: str | None = None, by: str = "user") -> None:
        """Keep turns for this number of days after they were said; None keeps them for good.

        Older turns are forgotten at the next ``consolidate``.

        Raises:
            InputError: it is no whole number from 1 on.
            MemoryBusy, StorageFull, StorageError: the rule is unchanged.
        """
        self._components.check_writable()
        setting = None if checked_days(days) is None else str(days)
        with self._corpus.reading():
            storage = self._corpus.storage
            before = storage.state().settings.get(RETAIN)
            if before != setting:
                entry = LogEntry(to_stored(now())[0], by, "retain", storage.memory, why, before, setting)
                self._corpus.erasure.forget((), [entry], (), {RETAIN: setting})

    def expire(self) -> int:
        """Erase turns that expired or outlived the rule, and finish an interrupted erasure; return the number of turns.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was forgotten so far is gone.
        """
        self._components.check_writable()
        self.finish()
        count = 0
        for kind, seqs in self._overdue():
            if seqs:
                with self._components.browsing():
                    count += self._forget(self._with_all(seqs, (kind,)), ENGINE, None).turns
        return count

    def _overdue(self) -> Iterator[tuple[str, list[int]]]:
        with self._corpus.reading():
            storage, moment = self._corpus.storage, now()
            expired = expired_seqs(storage, moment)
            outlived = outlived_seqs(self._corpus, moment, retained_days(storage))
        yield "expires", expired
        yield "retain", sorted(set(outlived) - set(expired))

    # Proof.

    def verify(self, forgotten: Sequence[str] = ()) -> Verification:
        """Check that the file is sound, and that the indices and the derived state agree with it.

        Up to 512 turns, spread over the memory, are read again and compared with what was formed of them without a
        model. ``rebuild`` mends what is wrong.

        What other rules than the present ones formed is no fault, and told in the ``remarks``; so are corrections and
        retractions of notes and events that read otherwise since they were formed anew.

        ``forgotten`` are words of at least three letters that must be nowhere in the memory: not in kept text, as whole
        words, and not in the bytes of its files, whatever their case.

        Raises:
            ReadOnlyMemory: words are given, and the files of the indices are not open, as the memory can only be read.
        """
        if forgotten:
            self._components.check_writable()
        verification = self._corpus.verify()
        with self._components.browsing():
            formation = self._components.formation
            wrong = problems(self._corpus, formation.derived)
            wrong += misread(self._corpus, formation.derived, analyst("verbatim"), formation.config)
            counts = {**verification.checked, "formed": len(formation.derived.judgements)}
            remarks = formation.pipeline.remarks()
            remarks += [
                f"{change_id(entry)} ({entry.verb}) is about what reads otherwise now{_quotation(entry)}"
                " - undo it and decide again"
                for entry in strayed(formation.derived)
            ]
            if PENDING in self._corpus.storage.state().settings:
                wrong.append("a forgetting was not finished - run `hmem consolidate`")
        if forgotten:
            counts["words"] = len(set(forgotten))
            wrong += [
                f"{word!r} stands in {location} - forget what says it, or run `hmem consolidate` to finish a forgetting"
                for word, location in forgetting.traces(self._corpus, forgotten)
            ]
        return Verification((*verification.problems, *wrong), counts, tuple(remarks))


def _quotation(entry: LogEntry) -> str:
    """Return the words that a decision was about, as its entry has them."""
    words = entry.after if entry.verb == "pin" else entry.before
    return f", {words!r}" if words else ""


def _check_count(k: int) -> None:
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(f"k cannot be {k!r} - give a whole number from 1")


def _flat(ids: Sequence[Any]) -> tuple[str, ...]:
    """Return ids, also those that are given as a list."""
    flat: list[Any] = []
    for entry in ids:
        flat += cast("Sequence[Any]", entry) if isinstance(entry, list | tuple | set | frozenset) else [entry]
    if strange := [entry for entry in flat if not isinstance(entry, str)]:
        raise InvalidQuery(f"{strange[0]!r} is no id - give texts such as 'turn_…'")
    return tuple(flat)


def _time_limit(name: str, value: Moment | None, alias: str, alias_value: Moment | None) -> Moment | None:
    if value is not None and alias_value is not None:
        raise InvalidQuery(f"{name} and {alias} are the same - give one of them")
    return alias_value if value is None else value
