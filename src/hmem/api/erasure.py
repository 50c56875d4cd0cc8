"""Forgetting, expiry and proof: how what a memory holds comes to an end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any, Final

from hmem.api.components import Components
from hmem.corpus.corpus import PENDING
from hmem.corpus.index.analyzer import stems
from hmem.corpus.index.tail import TURN
from hmem.derived.state import problems
from hmem.errors import EmbedderUnavailable, InvalidQuery, StorageError, UnknownId
from hmem.evolution import erase as forgetting
from hmem.evolution.erase import RETAIN, checked_days, expired_seqs, outlived_seqs, retained_days
from hmem.model.ids import kind_of, number_of
from hmem.model.report import Forgotten, Verification
from hmem.model.span import now, to_stored
from hmem.retrieval.browse import Browser
from hmem.retrieval.filter import Conditions, Filter, Moment, rows_meeting
from hmem.retrieval.plan import checked, wording
from hmem.storage.base import LogEntry
from hmem.util.caches import clear_caches

# Who forgets what expired or outlived the memory's rule.
ENGINE: Final = "hmem"

_LOOKED_AT: Final = 10_000


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Turns by sequence number, by what kinds of conditions they were chosen, and the ids of what stays and repeats
    some of it."""

    seqs: list[int]
    kinds: tuple[str, ...]
    echoes: tuple[str, ...] = ()


class Erasure:
    """Forget, retain, and prove that it is gone.

    ``zone`` is that of times without an offset. ``problem`` tells what keeps the last forgetting from being finished.
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
        """Erase turns that meet every condition, with everything derived from them: there is no way back.

        With them go those that correct them, and those that say nothing but what they said when it was recalled.

        Args:
            ids: of turns; of events, notes and episodes, for the turns that these stand on; of sessions and entities.
            speaker: who said them.
            session: the session that they are of.
            since: when they were said at the earliest; ``after`` is the same.
            until: before when they were said; ``before`` is the same.
            entity: what they name, by name or id.
            query: words that each of them holds; at most ``k`` of the best are forgotten.
            k: see ``query``.
            why: for the log; not kept when it has a word that is forgotten.
            by: who forgets, for the log.
            preview: forget nothing, and tell what would go.
            echoes: forget turns too that repeat some of it and say something else as well; the report names those
                that stay.

        Raises:
            InvalidQuery: no condition is given, or one cannot be met by anything.
            InvalidTime: a time does not parse.
            UnknownId: one of the ids is not kept; nothing is forgotten.
            MemoryBusy, StorageFull, StorageError: nothing is forgotten.
        """
        named = {"speaker": speaker, "session": session, "entity": entity}
        named |= {"since": _either("since", since, "after", after), "until": _either("until", until, "before", before)}
        given: Conditions = {name: value for name, value in named.items() if value is not None}  # pyright: ignore[reportAssignmentType]
        kinds = ("id",) * bool(ids) + tuple(given) + ("query",) * (query is not None)
        if not kinds:
            raise InvalidQuery("nothing says what to forget - give an id or a condition")
        if not preview:
            self._components.check_writable()
        with self._components.browsing() as browser:
            seqs = self._choose(browser, ids, Filter.of(given, self._zone), query, k)
            chosen = self._with_all(seqs, kinds, parts=echoes)
            if preview:
                return replace(self._preview(chosen.seqs), echoes=chosen.echoes)
            return self._forget(chosen, by, why)

    def delete(self, *ids: str) -> Forgotten:
        """The same as ``forget(*ids)``."""
        return self.forget(*ids)

    # What is meant.

    def _choose(
        self, browser: Browser, ids: Sequence[str], filter: Filter | None, query: str | None, k: int
    ) -> list[int]:
        self._components.retrieval.sources.begin()
        columns = self._corpus.columns
        # What was withdrawn or has expired is recalled no more, and is to be forgotten all the same.
        allowed = rows_meeting(self._components.retrieval.sources, filter or Filter())
        if ids:
            rows = columns.rows_of(sorted({seq for each in ids for seq in self._turns_of(browser, each)}))
            named = columns.alive & False
            named[rows[rows >= 0]] = True
            allowed = allowed & named
        if query is None:
            return sorted(columns.seq[allowed].tolist())
        return self._holding(query, k, allowed)

    def _with_all(self, seqs: Sequence[int], kinds: tuple[str, ...], *, parts: bool = False) -> _Chosen:
        """The turns with those that tell of the same by correcting them or by repeating them."""
        found, echoes = forgetting.with_echoes(self._corpus.storage, self._with_corrections(seqs), parts=parts)
        return _Chosen(self._with_corrections(found), (*kinds, "echoes") if parts else kinds, echoes)

    def _with_corrections(self, seqs: Sequence[int]) -> list[int]:
        """The turns with those that correct them: these tell of the same. What corrects a note is told by itself."""
        storage, corrections = self._corpus.storage, self._components.formation.derived.decisions.corrections
        chosen = set(seqs)
        while corrections:
            ids = {stored.turn.id for stored in storage.turns(sorted(chosen))}
            more = [link for link, target in corrections.items() if target in ids]
            found = set(storage.locate(more).values()) - chosen
            if not found:
                break
            chosen |= found
        return sorted(chosen)

    def _turns_of(self, browser: Browser, id: str) -> list[int]:
        """The turns that an id stands for.

        Raises:
            UnknownId: it stands for nothing that is kept.
        """
        storage = self._corpus.storage
        match kind_of(id):
            case "event" | "note" as kind:
                sources = browser.event(id).sources if kind == "event" else browser.note(id).sources
                return list(storage.locate(sources).values())
            case "episode":
                found = number_of("episode", id)
                first = found[1] if found else -1
                turns = [
                    seq
                    for run in self._components.retrieval.sources.episodes.runs
                    if run.turns[0] == first
                    for seq in run.turns
                ]
            case "entity":
                found = number_of("entity", id)
                turns = self._components.formation.derived.graph.mentions(found[1]) if found else []
            case "turn":
                turns = list(storage.locate([id]).values())
            case _:
                turns = []
        turns = turns or storage.matching(session=id).tolist()
        if not turns:
            raise UnknownId(f"this memory has no {id!r} - `hmem search` shows ids")
        return turns

    def _holding(self, query: str, k: int, allowed: Any) -> list[int]:
        """Of the turns that have all words of a query, those that it finds first."""
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidQuery(f"k cannot be {k!r} - give a whole number from 1")
        terms = wording(checked(query), self._corpus.speakers).terms
        found = self._corpus.lexical(TURN, terms, _LOOKED_AT, allowed)
        best = sorted(zip((-found.values).tolist(), found.keys.tolist(), strict=True))
        turns = self._corpus.turns(found.keys)
        held = [row for _, row in best if row in turns and set(terms).issubset(stems(turns[row].content))]
        return sorted(self._corpus.columns.seq[held[:k]].tolist())

    def _preview(self, seqs: list[int]) -> Forgotten:
        storage = self._corpus.storage
        count = forgetting.prepare(self._corpus, self._components.formation.derived, seqs, words=False).count
        ids = tuple(stored.turn.id for stored in storage.turns(seqs))
        return replace(
            count, vectors=self._vectors(seqs), preview=True, ids=ids, samples=forgetting.samples(storage, seqs)
        )

    def _vectors(self, seqs: Sequence[int]) -> int:
        return int((abs(self._corpus.vectors_of(seqs)).sum(axis=1) > 0).sum()) if seqs else 0

    # Doing it.

    def _forget(self, chosen: _Chosen, by: str, why: str | None) -> Forgotten:
        """Forget turns; call it inside ``_browsing()``."""
        if not chosen.seqs:
            return Forgotten(0)
        corpus = self._corpus
        bytes_before = corpus.storage.counts().size_bytes + corpus.index_bytes()
        plan = forgetting.prepare(corpus, self._components.formation.derived, chosen.seqs)
        # What another process records meanwhile lies behind this entry, and is looked at afterwards.
        last = corpus.storage.state().recorded
        redacted = forgetting.redacted(corpus.storage.recorded(), plan)
        entry = forgetting.entry(plan, to_stored(now())[0], by, why, chosen.kinds)
        # A model may have said in one turn what it was shown of another.
        if stained := forgetting.stained(corpus.storage, plan):
            corpus.model_queue.renumber(stained, emptied=True)
        deletion = corpus.forget(chosen.seqs, [entry], redacted)
        pending = self._wipe(last, plan)
        return replace(
            plan.count,
            sessions=deletion.sessions,
            speakers=deletion.speakers,
            vectors=deletion.vectors,
            entries=len(redacted),
            echoes=chosen.echoes,
            bytes_before=bytes_before,
            bytes_after=corpus.storage.counts().size_bytes + corpus.index_bytes(),
            words=forgetting.words_left(corpus, plan.words),
            pending=pending,
        )

    def _wipe(self, last: int, plan: forgetting.ErasurePlan | None) -> str | None:
        """Take what was forgotten out of what was formed, behind an entry of the log, and out of the files.

        What keeps it from being done, or None: it is made up for on opening, and by ``consolidate``.
        """
        with self._corpus.reading():
            try:
                self._components.formation.pipeline.form()
                storage = self._corpus.storage
                if since := forgetting.redacted_since(storage, last, plan):
                    self._corpus.erasure.forget((), (), since)
                self.problem = self._corpus.wipe()
            except (StorageError, EmbedderUnavailable) as error:
                self.problem = str(error)
            self._components.formation.derived.forget()
            self._components.begin_retrieval()
        clear_caches()
        return self.problem

    def finish(self) -> None:
        """Take up a forgetting that was broken off, as far as that goes now."""
        with self._corpus.reading():
            storage = self._corpus.storage
            if PENDING not in storage.state().settings:
                return
            if storage.read_only:
                self.problem = "a forgetting was not finished - open the memory where it may be written"
            else:
                forgotten = [each.number for each in storage.recorded() if each.verb == forgetting.FORGET]
                self._wipe(max(forgotten, default=0), None)

    # Expiry.

    def retain(self, days: int | None, *, why: str | None = None, by: str = "user") -> None:
        """Keep turns for so many days after they were said, from now on; None keeps them for good.

        Older turns are forgotten at the next ``consolidate``.

        Raises:
            InputError: it is no whole number from 1 on.
            MemoryBusy, StorageFull, StorageError: the rule is as it was.
        """
        self._components.check_writable()
        kept = None if checked_days(days) is None else str(days)
        with self._corpus.reading():
            storage = self._corpus.storage
            before = storage.state().settings.get(RETAIN)
            if before != kept:
                entry = LogEntry(to_stored(now())[0], by, "retain", storage.memory, why, before, kept)
                self._corpus.erasure.forget((), [entry], (), {RETAIN: kept})

    def expire(self) -> int:
        """Forget what expired or outlived the rule, and finish what was broken off; how many turns went.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was forgotten so far is gone.
        """
        self._components.check_writable()
        self.finish()
        gone = 0
        for kind, seqs in self._overdue():
            if seqs:
                with self._components.browsing():
                    gone += self._forget(self._with_all(seqs, (kind,)), ENGINE, None).turns
        return gone

    def _overdue(self) -> Iterator[tuple[str, list[int]]]:
        with self._corpus.reading():
            storage, moment = self._corpus.storage, now()
            expired = expired_seqs(storage, moment)
            outlived = outlived_seqs(self._corpus, moment, retained_days(storage))
        yield "expires", expired
        yield "retain", sorted(set(outlived) - set(expired))

    # Proof.

    def verify(self, forgotten: Sequence[str] = ()) -> Verification:
        """Prove that the file is sound, and that the indices and what was formed agree with it.

        ``forgotten`` are words of at least three letters that must not stand anywhere in the memory: not in what is
        kept, as whole words, and not in the bytes of its files, whatever their case.

        Raises:
            ReadOnlyMemory: words are given, and the files of the indices are not open, as the memory can only be read.
        """
        if forgotten:
            self._components.check_writable()
        told = self._corpus.verify()
        with self._components.browsing():
            wrong = problems(self._corpus, self._components.formation.derived)
            checked = {**told.checked, "formed": len(self._components.formation.derived.judgements)}
            if PENDING in self._corpus.storage.state().settings:
                wrong.append("a forgetting was not finished - run `hmem consolidate`")
        if forgotten:
            checked["words"] = len(set(forgotten))
            wrong += [
                f"{word!r} stands in {place} - forget what says it, or run `hmem consolidate` to finish a forgetting"
                for word, place in forgetting.traces(self._corpus, forgotten)
            ]
        return Verification((*told.problems, *wrong), checked)


def _either(name: str, value: Moment | None, other: str, same: Moment | None) -> Moment | None:
    if value is not None and same is not None:
        raise InvalidQuery(f"{name} and {other} are the same - give one of them")
    return same if value is None else value
