"""Formation pipeline: forms stored turns into derived state.

    changed blocks → new turns by sequence number → read by the analyst → segmented → placed in trees and graph → stored

Formation depends only on the turns and their order: single turns, a batch, and a memory formed anew give the same
result. The form of the topics, the layers and the evolution tree depends on turns that were erased since, too, and
turns that are formed once more lie behind all others there (decision 0043). A step is one transaction. If another
process took the step first, this one loads what that stored and takes the next. The file is not locked meanwhile.
Among several writers, whoever added the oldest turn that is not formed goes first, and forms all that are new: so each
turn is mostly read by one process.

Whatever is raised on the way undoes the step. Smaller steps find the turn that it is raised for: it is set aside, with
nothing formed of it, and the rest goes on. Faults of the surroundings are no turn's: the step is tried again later.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from time import monotonic, sleep
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.embedding import embedded
from hmem.derived.changes import ModelOutputs
from hmem.derived.chunks import number_in_turn, turn_of
from hmem.derived.events import mean_of
from hmem.derived.notes import KeptNote
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import PRESENT, RULES, DerivedState, is_older
from hmem.errors import EmbedderMismatch, FormationDelayed, HmemError, MemoryDamaged, NumberTooLarge, StorageError
from hmem.formation.config import FormationConfig
from hmem.formation.extract import extract
from hmem.formation.older_memories import form_anew
from hmem.formation.organise import Keep, Organiser
from hmem.formation.revision import correct
from hmem.formation.session_window import SessionWindow, Sitting, earlier_rows, read_session_window
from hmem.formation.turn_analysis import UNREADABLE, VERBATIM, TurnAnalysis, without_echoes
from hmem.language.analyst import Analyst
from hmem.language.containment import ENVIRONMENT_ERRORS, Fault, Result, contained
from hmem.language.embed.advice import advice, unread_languages
from hmem.language.stemming import reads_as_english
from hmem.model.ids import number_of
from hmem.model.scope import ScopedName, owner_of
from hmem.model.turn import Turn
from hmem.storage.base import GENERATION, LogEntry

# Most turns of a step of formation; a crash loses no more work than that.
STEP_TURNS: Final = 512
# Most turns that are cached when they are formed: of many turns that are kept together few are looked at again soon.
_CACHED_TURNS: Final = 64
# The generation of the vectors that trees are built from; another one requires forming them anew.
_GENERATION: Final = "formation.generation"
# The last log entry that the texts take into account.
_DECISIONS: Final = "formation.decided"
# The last reading by a model that the derived state takes into account.
READ: Final = "formation.read"
# What last set turns aside: versions of hmem and of the analyst. Others try these turns again.
_UNREADABLE_TURNS: Final = "formation.aside"
_SITTINGS: Final = 256
# How often a fault of the surroundings meets a turn alone before it may be the turn's own.
_TRIES: Final = 3
# Seconds between two steps.
_BREATH: Final = 0.001
# Seconds between two tries after so many that failed in a row, the first of these and the longest.
_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 60.0
# What is read to tell a fault of the surroundings from a turn's.
_PLAIN: Final = Turn("", "user", "I live in Porto.", datetime(2024, 1, 1, tzinfo=UTC), "")
# Seconds that another process may take to begin with a turn that it added, or to go on, before this one forms it: at
# least these, and on a busy machine as many as so many turns took here, up to a limit.
PATIENCE: Final = 0.5
_PATIENCE_TURNS: Final = 16
_LONGEST_PATIENCE: Final = 5.0

LOGGER: Final = logging.getLogger("hmem.languages")
_ASIDE_LOGGER: Final = logging.getLogger("hmem.formation")

Progress = Callable[[int, int], None]


class _Due(NamedTuple):
    """Work of a step besides forming new turns; ``read`` is the last reading by a model that it uses.

    Turns are formed again that are ``unlearnt``, ``reread`` by a model, or that another version could not read
    (``retry_seqs``).
    """

    unlearnt: Sequence[int]
    entity_edits: Sequence[tuple[LogEntry, bool]]
    decision_seqs: Sequence[int]
    persona_edits: Sequence[ScopedPerson]
    reread: Sequence[int]
    read: int
    retry_seqs: Sequence[int]
    retries: bool

    @property
    def has_work(self) -> bool:
        return any(self)


@cache
def _hmem_version() -> str:
    """Return the installed version of hmem, which is read from a file; nothing if it is not installed."""
    try:
        return version("hmem")
    except PackageNotFoundError:
        return ""


class FormationPipeline:
    """Pipeline that forms the turns of one memory. Thread-safe, as the corpus is.

    ``keep`` keeps the notes of each turn, in the step that forms it. ``readings`` are the model outputs that the
    analyst uses: turns that a model read after they were formed are formed again.
    """

    def __init__(
        self,
        corpus: Corpus,
        derived: DerivedState,
        analyst: Analyst,
        config: FormationConfig,
        keep: Keep | None = None,
        readings: ModelOutputs | None = None,
    ) -> None:
        self._corpus = corpus
        self._readings = readings or ModelOutputs(corpus.storage)
        self._derived = derived
        self._analyst = analyst
        self._config = config
        self._organiser = Organiser(corpus, derived, analyst, config, keep)
        # By the number of the session and the owner of the turns.
        self._session_windows: dict[Sitting, SessionWindow] = {}
        # The last turn of a step that another process took first, in a run that is to form so many turns only.
        self._overtaken: int | None = None
        self._bounded = False
        # The oldest turn of another process that is not formed, the step at which it was seen, and until when it may
        # wait.
        self._awaited: tuple[int, int] = (-1, -1)
        self._patient_until = 0.0
        # The last step that was stored here: until another process stores one, none is awaited again.
        self._own_step = -1
        # Seconds that a turn took to be formed here, in the last step.
        self._pace = 0.0
        self.problem: str | None = None
        # How often in a row forming failed, and until when it is not tried again.
        self._failures = 0
        self._retry_at = 0.0
        # Most turns of the next step: fewer after a fault, until it is known whose it is.
        self._most = STEP_TURNS
        # Of the step in progress: whether turns are gone, the turns being formed, and whether anything was changed.
        self._gone = False
        self._forming: Sequence[int] = ()
        self._writing = False
        # Turns that are set aside, with what was raised; and how often the surroundings failed at a turn alone.
        self._aside: dict[int, str] = {}
        self._tried: Counter[int] = Counter()
        # True once the turns that another version set aside were tried again.
        self._retried = False
        # The last reading by a model after which what it read was no longer set aside.
        self._reread_through = 0
        # True once it was looked whether the memory's embedder knows the language of a turn that is not in English.
        self._advised = False

    def catch_up(self, limit: int | None = None) -> int:
        """Form new turns, at most ``limit``, as far as possible now; return the number that were formed.

        The turns are durable already. A fault only delays formation: ``problem`` has it until a later run succeeds,
        and if it lasts, it is tried again less and less often.
        """
        if monotonic() < self._retry_at:
            return 0
        try:
            return self.form(limit)
        except EmbedderMismatch:
            raise
        except HmemError as error:
            self.problem, self._failures = str(error), self._failures + 1
            if self._failures >= _TRIES:
                pause = _PAUSE * 4.0 ** min(self._failures - _TRIES, 8)
                self._retry_at = monotonic() + min(pause, _LONGEST_PAUSE)
            return 0

    def warning(self) -> str | None:
        """Tell why turns wait to be formed, or which are set aside; None if all are formed.

        Call it inside ``corpus.reading()``.
        """
        if self.problem is not None:
            return self.problem
        unreadable = self._derived.judgements.unread_for(UNREADABLE)
        if not unreadable:
            return None
        (first,) = self._corpus.storage.turns(unreadable[:1])
        reason = f", {self._aside[unreadable[0]]}" if unreadable[0] in self._aside else ""
        more_text = f" (and {len(unreadable) - 1:,} more)" if len(unreadable) > 1 else ""
        return (
            f"{first.turn.id}{reason}{more_text} is kept as said: it could not be formed - `hmem rebuild` tries again"
        )

    def backlog(self) -> int:
        """Count the turns still to be formed."""
        if not self._config.forms_any:
            return 0
        with self._corpus.reading():
            self._derived.catch_up()
            return max(self._corpus.columns.alive_count - len(self._derived.judgements), 0)

    def waiting(self) -> int:
        """Count the turns behind the last that was formed; no derived state is read. Call it while reading."""
        columns = self._corpus.columns
        newer = columns.alive & (columns.seq > self._corpus.state.progress.watermark)
        return int(np.count_nonzero(newer)) if self._config.forms_any else 0

    def formed_by(self) -> dict[str, int]:
        """Count the turns by what formed them, most frequent first.

        Call it inside ``corpus.reading()``, the derived state caught up.
        """
        return self._derived.judgements.makers()

    def is_up_to_date(self) -> bool:
        """Tell if nothing is to be formed, looked up again or taken back. Call it inside ``corpus.reading()``."""
        if not self._config.forms_any:
            return True
        state, derived = self._corpus.state, self._derived
        self._readings.catch_up(state.settings)
        derived.decisions.catch_up()
        return (
            state.settings.get(_GENERATION) == state.settings.get(GENERATION)
            and state.settings.get(RULES) == PRESENT
            and state.progress.watermark >= self._corpus.watermark
            and int(state.settings.get(_DECISIONS, "0")) >= derived.decisions.decided
            and int(state.settings.get(READ, "0")) >= self._readings.number
            and not self._retries(state.settings)
        )

    def _retries(self, settings: Mapping[str, str]) -> bool:
        """Tell if turns are to be tried again that other versions of hmem or of the analyst set aside."""
        return not self._retried and settings.get(_UNREADABLE_TURNS) not in (None, self._version())

    def _version(self) -> str:
        return f"{_hmem_version()} {self._analyst.made_by}".strip()

    def awaits_others(self) -> float:
        """Return the time until which another process, which added the oldest new turn, may form first; 0 for none.

        It has ``PATIENCE`` to begin, and as long again after every step of others. Call it inside ``corpus.reading()``.
        """
        state, columns = self._corpus.state.progress, self._corpus.columns
        if not self._config.forms_any or state.watermark >= self._corpus.watermark:
            return 0.0
        fresh = columns.seq[columns.alive & (columns.seq > state.watermark)]
        oldest = int(fresh.min()) if len(fresh) else -1
        if oldest < 0 or self._corpus.is_own_addition(oldest) or state.step == self._own_step:
            return 0.0
        if self._awaited != (oldest, state.step):
            patience = max(PATIENCE, min(_PATIENCE_TURNS * self._pace, _LONGEST_PATIENCE))
            self._awaited, self._patient_until = (oldest, state.step), monotonic() + patience
        return self._patient_until if monotonic() < self._patient_until else 0.0

    def remarks(self) -> list[str]:
        """Name the rules besides the present ones that formed turns, and the number of these turns.

        Call it inside ``corpus.reading()``, the derived state caught up.
        """
        queue, present = self._corpus.storage.model_queue, self._analyst.made_by
        # A rebuild keeps what models read, and what nobody can read.
        models = () if queue is None else queue.model_counts(0).read
        return [
            f"{maker} formed {turns} of the turns - `hmem rebuild` forms them anew by {present}"
            for maker, turns in self.formed_by().items()
            if maker not in (present, VERBATIM, *models)
        ]

    def form(self, limit: int | None = None, progress: Progress | None = None) -> int:
        """Form new turns, at most ``limit``; return the number that were formed.

        Raises:
            FormationDelayed, MemoryBusy, StorageFull, StorageError, EmbedderUnavailable: the turns are kept, and are
                formed another time. Those that are gone are taken out all the same, unless the storage fails.
        """
        total, self._overtaken, self._bounded = 0, None, limit is not None
        while self._config.forms_any and (limit is None or total < limit):
            with self._corpus.reading():
                if self.is_up_to_date():
                    # What others formed is taken up when it is looked at.
                    break
                start = monotonic()
                count, finished = self._contained(STEP_TURNS if limit is None else limit - total)
                if count:
                    self._pace = (monotonic() - start) / count
                    self._own_step = self._derived.at.step
            total += count
            if not finished:
                # A lock that is taken again at once starves who else waits for it.
                sleep(_BREATH)
            if count and progress is not None:
                progress(total, total + self.backlog())
            if finished:
                break
        self.problem, self._failures, self._retry_at = None, 0, 0.0
        return total

    def correct_again(self) -> int:
        """Form turns again whose corrected notes were only learnt after them; return their number.

        Raises:
            FormationDelayed, MemoryBusy, StorageFull, StorageError, EmbedderUnavailable: another call makes up for it.
        """
        with self._corpus.reading():
            self._derived.catch_up()
            seqs = sorted(self._correcting(self._astray()))
            if seqs:
                self._organiser.take(seqs)
                self._session_windows.clear()
                self._organiser.finish()
                # They are new turns again.
                self._derived.store(seqs[0] - 1)
                self.form()
        return len(seqs)

    def _astray(self) -> set[int]:
        """Return the turns that correct a note but were read as about another subject or slot."""
        notes, judgements = self._derived.notes, self._derived.judgements
        numbers = (
            (source, number_of("note", target)) for source, target in self._derived.decisions.corrections.items()
        )
        corrected = {source: notes.get(number[1]) for source, number in numbers if number is not None}
        seqs: set[int] = set()
        for correction, seq in self._corpus.storage.locate(list(corrected)).items():
            note, turn_notes = corrected[correction], notes.of_turn(seq)
            judgement = judgements.get(seq)
            if note is None or judgement is None or UNREADABLE in judgement.unread:
                continue
            if [_subject_and_slot(turn_note) for turn_note in turn_notes] != [_subject_and_slot(note)]:
                seqs.add(seq)
        return seqs

    # Faults.

    def _contained(self, limit: int) -> tuple[int, bool]:
        """Take a step; if something is raised, undo it, and prepare a step that avoids the fault."""
        self._gone, self._forming, self._writing = False, (), False
        try:
            step = contained(lambda: self._step(min(limit, self._most)), raising=())
        except BaseException:
            self._undo()
            raise
        if not isinstance(step, Fault):
            self._most = min(2 * self._most, STEP_TURNS)
            self._failures *= not step[0]
            return step
        self._undo(step)
        if self._gets_round(step):
            return 0, False
        if self._gone:
            self._take_out()
        if isinstance(step.error, ENVIRONMENT_ERRORS):
            raise step.error
        raise FormationDelayed(f"turns could not be formed ({step}) - they are kept, try again later") from step.error

    def contain(self, work: Callable[[], Result]) -> Result:
        """Return the result of work on what is formed; let go of what it changed if it raises no error of hmem.

        Raises:
            FormationDelayed: an error of another kind was raised; what was stored before stays.
        """
        outcome = contained(work, raising=(HmemError,))
        if not isinstance(outcome, Fault):
            return outcome
        with self._corpus.reading():
            self._session_windows.clear()
            self._derived.forget()
        raise FormationDelayed(
            f"consolidation failed ({outcome}) - all turns are kept, try again later"
        ) from outcome.error

    def _undo(self, fault: Fault | None = None) -> None:
        """Let go of what a step has changed."""
        self._session_windows.clear()
        if fault is not None and isinstance(fault.error, StorageError):
            self._derived.undo()
        elif self._writing:
            # It may have stopped halfway through a change, so that no part is known to be sound.
            self._derived.forget()

    def _gets_round(self, fault: Fault) -> bool:
        """Make the next step smaller, or leave out the turn at fault; return False if no turn is at fault."""
        seqs, error = self._forming, fault.error
        if not seqs or (isinstance(error, StorageError) and not isinstance(error, (MemoryDamaged, NumberTooLarge))):
            return False
        self._most = max(len(seqs) // 2, 1)
        if len(seqs) > 1:
            return True
        (seq,) = seqs
        if self._aside.pop(seq, None) is not None:
            # It is raised though nothing is made of the turn.
            return False
        if fault.of_surroundings:
            self._tried[seq] += 1
            if self._tried[seq] < _TRIES or not self._reads_plainly():
                return False
        self._aside[seq] = fault.location
        return True

    def _reads_plainly(self) -> bool:
        """Tell if a plain sentence can be read and embedded now, so that the surroundings are at work."""
        vector = np.zeros(self._corpus.embedder.dimension, np.float32)

        def read() -> None:
            item = TurnAnalysis(-1, _PLAIN, -1, vector)
            extract(self._analyst, [(SessionWindow(), [item])], self._config, self._similarity)
            self._corpus.embedder.embed([_PLAIN.text])

        return not isinstance(contained(read, raising=()), Fault)

    def _take_out(self) -> None:
        """Take out the turns that are gone, and form none; drop all that is formed if even that fails.

        Raises:
            StorageError: what they left stays until another time.
        """
        while self._gone:
            outcome = contained(lambda: self._step(0), raising=(StorageError,))
            if isinstance(outcome, Fault):
                self._undo()
                self._corpus.storage.clear_formed()
                self._derived.forget()
                return
            self._derived.catch_up()
            self._gone = bool(self._differences()[1])

    def _step(self, limit: int) -> tuple[int, bool]:
        """Form some turns; how many, and whether nothing is left to do."""
        settings = self._check_generation()
        self._readings.catch_up(settings)
        self._derived.catch_up()
        change, due = self._corpus.watermark, self._due(settings, limit)
        if self._derived.at.watermark >= change and not due.has_work:
            return 0, True
        fresh, missing = self._differences()
        self._gone = bool(missing)
        if self._is_overtaken(fresh, has_work=bool(missing or due.has_work)):
            return 0, True
        stale = {*missing, *self._followers([*missing, *due.retry_seqs]), *due.reread, *due.unlearnt, *due.retry_seqs}
        stale = sorted(self._correcting(stale).difference(missing))
        self._writing = bool(missing or stale)
        self._organiser.take((*missing, *stale))
        if missing or stale:
            self._session_windows.clear()
        if missing:
            self._organiser.remove_traces()
        # A turn that is formed again may come after new turns, but never the other way round.
        seqs = sorted({*fresh, *stale})[:limit]
        complete = len(seqs) == len(fresh) + len(stale)
        # Between turns that a step before took out, formed ones may lie.
        fills_gap = bool(fresh) and fresh[0] < self._derived.judgements.newest()
        self._forming = seqs
        self._form(seqs, singly=fills_gap or not {*stale} <= {*due.reread})
        self._writing = True
        for seq in due.decision_seqs:
            self._organiser.outdate(seq)
        for person in due.persona_edits:
            self._organiser.rewrite_persona(person)
        for entry, in_force in due.entity_edits:
            self._organiser.apply_entity_edit(entry, in_force=in_force)
        self._organiser.finish()
        set_aside = [seq for seq in seqs if seq in self._aside]
        last = change if complete else seqs[-1] if seqs else min([*fresh, *stale]) - 1
        if not self._derived.store(last, self._changes(due, set_aside), gone=missing):
            # What was formed is undone, and so is what the windows learnt of it.
            self._session_windows.clear()
            self._overtaken = seqs[-1] if seqs else None
            return 0, False
        self._retried = True
        if set_aside:
            self._warn_unreadable(set_aside)
        return len(seqs), complete and due.read in (0, self._readings.number)

    def _due(self, settings: Mapping[str, str], limit: int) -> "_Due":
        """Look up what a step does besides forming new turns."""
        last = int(settings.get(_DECISIONS, "0"))
        unlearnt, entity_edits = self._unlearnt(last), self._derived.decisions.entity_edits(last)
        decision_seqs, persona_edits = self._decision_effects(last, keep=not (unlearnt or entity_edits))
        reread, read = self._reread(int(settings.get(READ, "0")), max(limit, 1))
        retries = self._retries(settings)
        retry_seqs = self._derived.judgements.unread_for(UNREADABLE) if retries else []
        if read > self._reread_through:
            # The model may have read what could not be formed.
            self._reread_through = read
            for seq in reread:
                self._aside.pop(seq, None)
        return _Due(unlearnt, entity_edits, decision_seqs, persona_edits, reread, read, retry_seqs, retries)

    def _changes(self, due: "_Due", set_aside: Sequence[int]) -> dict[str, str | None]:
        """Return the settings that a step stores."""
        changes: dict[str, str | None] = {}
        if due.decision_seqs or due.persona_edits or due.unlearnt or due.entity_edits:
            changes[_DECISIONS] = str(self._derived.decisions.decided)
        if due.read:
            changes[READ] = str(due.read)
        if set_aside or due.retries:
            changes[_UNREADABLE_TURNS] = self._version() if set_aside else None
        return changes

    def _is_overtaken(self, fresh: Sequence[int], *, has_work: bool) -> bool:
        """Tell if the process that took this step also formed all new turns."""
        overtaken, self._overtaken = self._overtaken, None
        return self._bounded and overtaken is not None and not has_work and (not fresh or fresh[0] > overtaken)

    def _check_generation(self) -> Mapping[str, str]:
        """Clear formed state if older rules formed it, or another embedder made the vectors; return the settings."""
        self.clear_older()
        settings, storage = self._corpus.state.settings, self._corpus.storage
        present = settings.get(GENERATION)
        if settings.get(_GENERATION) != present:
            self._session_windows.clear()
            storage.clear_formed({_GENERATION: present, RULES: PRESENT})
        return settings

    def clear_older(self) -> None:
        """Clear what rules of before the first release formed; decisions about it are carried over."""
        if is_older(self._corpus.state):
            form_anew(self._corpus.storage, self._analyst, self._as_read)
            self._corpus.look_again()
            self._derived.decisions.forget()
            self._derived.forget()

    def _differences(self) -> tuple[list[int], list[int]]:
        """Return the turns still to be formed, and those that were formed and are gone."""
        judgements, columns = self._derived.judgements, self._corpus.columns
        # Whatever of them has a number up to the watermark was formed.
        alive = columns.seq[columns.alive]
        later = np.sort(alive[alive > self._derived.at.watermark]).tolist()
        fresh = [seq for seq in later if seq not in judgements]
        if len(judgements) + len(fresh) <= columns.alive_count:
            return fresh, []
        return fresh, np.setdiff1d(np.array(judgements.seqs(), np.int64), alive).tolist()

    def _unlearnt(self, last: int) -> list[int]:
        """Return the turns that were learnt from recalls by log entries undone since."""
        decisions, learnt = self._derived.decisions, self._derived.learnt
        if last >= decisions.decided or not len(learnt):
            return []
        ids = [entry.target for entry in decisions.active_changes().entries_of("learn")]
        return sorted({*learnt.seqs()}.difference(self._corpus.storage.locate(ids).values()))

    def _decision_effects(self, last: int, *, keep: bool = True) -> tuple[list[int], list[ScopedPerson]]:
        """Return the turns whose texts, and the people whose personas, decisions after ``last`` affect.

        If there are none and ``keep`` is set, store that these decisions are taken into account.
        """
        decisions, storage = self._derived.decisions, self._corpus.storage
        if last >= decisions.decided:
            return [], []
        ids, names = decisions.touched(last), self._derived.names
        people = [names.targeted(target) for target in decisions.people_edited(last)]
        people += [names.find(subject) for subject in self._ruled(decisions.ruled(last))]
        persona_edits = sorted({person for person in people if person is not None})
        if keep and not ids and not persona_edits:
            storage.put_settings({_DECISIONS: str(decisions.decided)})
        numbers = (number_of(kind, target) for target in ids for kind in ("note", "event"))
        seqs = {*storage.locate(ids).values(), *(turn_of(number[1]) for number in numbers if number is not None)}
        return sorted(seq for seq in seqs if seq in self._derived.judgements), persona_edits

    def _ruled(self, slots: Sequence[str]) -> set[ScopedName]:
        """Return the subjects with notes in slots whose rule was changed."""
        notes, subjects = self._derived.notes, set[ScopedName]()
        for target in slots:
            name, _, slot = target.rpartition(":")
            matches = notes.subjects_named(name) if name else notes.subjects()
            subjects |= {subject for subject in matches if notes.of_subject(subject, slot)}
        return subjects

    def _reread(self, since: int, limit: int) -> tuple[list[int], int]:
        """Return the turns to form again because a model has read them since, and the number of the last reading.

        They include the later turns of their sessions, whose episodes may now begin elsewhere.
        """
        if self._readings.number <= since:
            return [], 0
        judgements = self._derived.judgements
        if not len(judgements):
            return [], self._readings.number
        readings = self._corpus.model_queue.readings(since=since, limit=limit)
        first: dict[int, int] = {}
        for reading in readings:
            if (judgement := judgements.get(reading.seq)) is not None:
                first[judgement.session] = min(first.get(judgement.session, reading.seq), reading.seq)
        columns, seqs = self._corpus.columns, list[int]()
        for session, seq in first.items():
            later = columns.seq[(columns.session == session) & columns.alive & (columns.seq >= seq)]
            seqs += [number for number in later.tolist() if number in judgements]
        return sorted(seqs), readings[-1].number if len(readings) == limit else self._readings.number

    def _followers(self, missing: Sequence[int]) -> list[int]:
        """Return the turns whose analysis or segmentation used turns that are gone, or their speakers."""
        used = max(self._config.context_turns, self._config.segment.recent_turns)
        columns, judgements = self._corpus.columns, self._derived.judgements
        followers: set[int] = set()
        by_session: dict[Sitting, list[int]] = {}
        for seq in missing:
            if (judgement := judgements.get(seq)) is not None:
                by_session.setdefault((judgement.session, judgement.owner), []).append(seq)
        for (session, owner), seqs in by_session.items():
            mask = columns.session == session
            if judgements.owned:
                mask &= self._owner_mask(mask, owner)
            living = np.sort(columns.seq[mask & columns.alive])
            for seq in seqs:
                later = living[living > seq]
                if not self._heard_before(seq, mask):
                    followers.update(later.tolist())
                    break
                followers.update(later[:used].tolist())
        return sorted(seq for seq in followers if seq in judgements)

    def _owner_mask(self, rows: NDArray[np.bool_], owner: str) -> NDArray[np.bool_]:
        """Return which of some rows belong to an owner."""
        seq, judgements = self._corpus.columns.seq, self._derived.judgements
        mask = rows.copy()
        mask[rows] = [judgements.owner(number) == owner for number in seq[rows].tolist()]
        return mask

    def _correcting(self, seqs: AbstractSet[int]) -> set[int]:
        """Return these turns and those that correct notes of them, transitively.

        A correction takes its subject and slot from the note that it corrects.
        """
        closure = set(seqs)
        if not closure:
            return closure
        notes = {source: number_of("note", target) for source, target in self._derived.decisions.corrections.items()}
        targets = {source: turn_of(note[1]) for source, note in notes.items() if note is not None}
        # What a model read of later turns revises notes of these.
        queue = list(closure)
        while queue:
            later = {seq for seq in self._derived.revisions.newer(queue.pop()) if seq in self._derived.judgements}
            queue += later - closure
            closure |= later
        # A correction is newer than its target.
        for correction, seq in sorted(self._corpus.storage.locate(list(targets)).items(), key=lambda pair: pair[1]):
            if targets[correction] in closure and seq in self._derived.judgements:
                closure.add(seq)
        return closure

    def _heard_before(self, seq: int, mask: NDArray[np.bool_]) -> bool:
        """Tell if the speaker of a turn that is gone had spoken in the session before."""
        columns = self._corpus.columns
        speakers = columns.speaker[mask & (columns.seq == seq)]
        # If the memory was reopened since, the speaker is unknown.
        return len(speakers) > 0 and bool(
            (mask & columns.alive & (columns.seq < seq) & (columns.speaker == speakers[0])).any()
        )

    # One step's turns.

    def _form(self, seqs: Sequence[int], *, singly: bool) -> None:
        """Form turns, or set them aside, in their order."""
        analysis = self._analyse([seq for seq in seqs if seq not in self._aside])
        if not (singly or any(seq in self._aside for seq in seqs)):
            self._form_together(analysis)
            return
        by_seq = {item.seq: item for item in analysis}
        for seq in seqs:
            if seq in self._aside:
                self._keep_aside(seq)
            elif seq in by_seq:
                self._form_alone(by_seq[seq])

    def _keep_aside(self, seq: int) -> None:
        """Keep a turn as it was said, and form nothing of it."""
        columns = self._corpus.columns
        rows = columns.rows_of([seq])
        (turn,), (session,) = self._corpus.turns(rows).values(), columns.session[rows].tolist()
        self._writing = True
        earlier = earlier_rows(self._corpus, self._derived, session, owner_of(turn), seq)
        self._organiser.set_aside(seq, turn, session, begins=not len(earlier))

    def _warn_unreadable(self, seqs: Sequence[int]) -> None:
        """Log that turns were set aside: their ids and what was raised, without their texts."""
        for row in self._corpus.storage.turns(seqs):
            _ASIDE_LOGGER.warning("%s is kept as it was said: %s", row.turn.id, self._aside[row.seq])

    def _analyse(self, seqs: Sequence[int]) -> list[TurnAnalysis]:
        rows = self._corpus.columns.rows_of(seqs)
        sessions = self._corpus.columns.session[rows].tolist()
        by_row = self._corpus.turns(rows, once=len(seqs) > _CACHED_TURNS)
        vectors = self._corpus.vectors_of(seqs)
        records = [record for record in zip(seqs, rows.tolist(), sessions, vectors, strict=True) if record[1] in by_row]
        turns = self._derived.names.unified((seq, self._as_read(by_row[row])) for seq, row, _, _ in records)
        analysis = [
            TurnAnalysis(seq, turn, session, vector)
            for (seq, _, session, vector), turn in zip(records, turns, strict=True)
        ]
        corrections = self._derived.decisions.corrections
        for item in analysis:
            item.corrects = corrections.get(item.turn.id, "")
        return analysis

    def _form_together(self, analysis: Sequence[TurnAnalysis]) -> None:
        """Form turns as a batch."""
        by_sitting: dict[Sitting, list[TurnAnalysis]] = {}
        for item in analysis:
            by_sitting.setdefault(_sitting(item), []).append(item)
        batch = {item.seq: owner_of(item.turn) for item in analysis}
        windows = {sitting: self._session_window(items[0], batch) for sitting, items in by_sitting.items()}
        runs = [(windows[sitting], items) for sitting, items in by_sitting.items()]
        extract(self._analyst, runs, self._config, self._similarity)
        self._add_to_state(analysis)

    def _form_alone(self, item: TurnAnalysis) -> None:
        """Form one turn from what is stored before it."""
        extract(self._analyst, [(self._read(item), [item])], self._config, self._similarity)
        self._add_to_state([item])

    def _add_to_state(self, analysis: Sequence[TurnAnalysis]) -> None:
        """Put turns into the derived state."""
        self._writing = True
        self._embed(analysis)
        self._advise(analysis)
        for item in analysis:
            # The corrected note may be in this very batch.
            correct(item, self._derived)
            self._organiser.add(item)

    def _advise(self, analysis: Sequence[TurnAnalysis]) -> None:
        """Log which embedder to take, at the first turn of a memory in a language that its own does not know."""
        if self._advised:
            return
        name = self._corpus.embedder.name
        # Two must agree: the language of a short text is easily mistaken.
        languages = [item.coverage.language for item in analysis if not reads_as_english(item.turn.content)]
        if (message := advice(name, languages)) is not None:
            self._advised = True
            if not unread_languages(name, self._derived.judgements.languages()):
                LOGGER.warning("%s", message)

    def _similarity(self, cosine: float) -> float:
        return self._corpus.embedder.calibration(cosine)

    def _as_read(self, turn: Turn) -> Turn:
        return without_echoes(turn, self._analyst.lexicon) if self._config.echo else turn

    def _read(self, item: TurnAnalysis) -> SessionWindow:
        config = self._config
        return read_session_window(
            self._corpus, self._derived, self._analyst, item.session, owner_of(item.turn), item.seq,
            config.context_turns, config.segment, self._as_read,
        )  # fmt: skip

    def _session_window(self, first: TurnAnalysis, batch: Mapping[int, str]) -> SessionWindow:
        """Return the window that a turn comes into: the cached one if it is current, else read back.

        ``batch`` has the owners of the turns that are formed with it.
        """
        sitting = _sitting(first)
        session_window = self._session_windows.pop(sitting, None)
        columns, owner = self._corpus.columns, self._derived.judgements.owner
        previous = int(columns.previous[columns.rows_of([first.seq])[0]])
        while previous >= 0 and batch.get(seq := int(columns.seq[previous]), owner(seq)) != sitting[1]:
            previous = int(columns.previous[previous])
        if session_window is None or previous < 0 or int(columns.seq[previous]) != session_window.last:
            session_window = self._read(first)
        self._session_windows[sitting] = session_window
        if len(self._session_windows) > _SITTINGS:
            del self._session_windows[next(iter(self._session_windows))]
        return session_window

    def _embed(self, analysis: Sequence[TurnAnalysis]) -> None:
        """Give a vector to each event that is not the whole content of its turn, and topics to what goes into trees."""
        items = [item for item in analysis if _is_parted(item)]
        texts = [embedded(item.turn) for item in items]
        spans = [_spans(text, item) for text, item in zip(texts, items, strict=True)]
        span_vectors = self._corpus.embedder.embed_parts(texts, [[span for span in row if span] for row in spans])
        rephrased = [
            (item, i) for item, row in zip(items, spans, strict=True) for i, span in enumerate(row) if not span
        ]
        rows = self._corpus.embedder.embed([item.statements[i].text for item, i in rephrased]) if rephrased else ()
        vectors = {number_in_turn(item.seq, i): row for (item, i), row in zip(rephrased, rows, strict=True)}
        for item, item_spans, item_vectors in zip(items, spans, span_vectors, strict=True):
            ordinals = [i for i, span in enumerate(item_spans) if span]
            vectors |= {number_in_turn(item.seq, i): row for i, row in zip(ordinals, item_vectors, strict=True)}
        self._derived.event_vectors.add(vectors)
        for item in analysis:
            if item.curation.memorable:
                events = [number_in_turn(item.seq, i) for i in range(len(item.statements))]
                item.topics = list(self._derived.vectors_of_events(events)) if events else ()
                item.topic = mean_of(item.topics) if events else item.vector


def _is_parted(item: TurnAnalysis) -> bool:
    """Tell if the events of a turn need vectors of their own: they are not its whole content."""
    statements = item.statements
    return len(statements) > 1 or any(
        statement.context or statement.text != item.turn.content for statement in statements
    )


def _spans(text: str, item: TurnAnalysis) -> list[tuple[int, int] | None]:
    """Return the span of each statement in the embedded text of its turn; None if its words are not there."""
    begin = len(text) - len(item.turn.content)
    starts = [text.find(statement.text, begin) for statement in item.statements]
    return [
        (start, start + len(statement.text)) if start >= 0 and not statement.context else None
        for start, statement in zip(starts, item.statements, strict=True)
    ]


def _subject_and_slot(note: KeptNote) -> tuple[str, str]:
    return note.subject, note.slot


def _sitting(item: TurnAnalysis) -> Sitting:
    """Return where a turn was said: its session, among the turns of its owner."""
    return item.session, owner_of(item.turn)
