"""Formation pipeline: forms stored turns into derived state.

    changed blocks → new turns by sequence number → read by the analyst → segmented → placed in trees and graph → stored

Formation depends only on the turns and their order: single turns, a batch, and a memory formed anew give the same
result. The form of the topics, the layers and the evolution tree depends on turns that were erased since, too, and
turns that are formed once more lie behind all others there (decision 0043). A step is one transaction. If another
process took the step first, this one loads what that stored and puts on top what it read itself. The file is not
locked meanwhile. Among several writers, whoever added the oldest turn that is not formed goes first, and forms all
that are new: so each turn is mostly read by one process.

Whatever is raised on the way undoes the step. Smaller steps find the turn that it is raised for: it is set aside, with
nothing formed of it, and the rest goes on. Faults of the surroundings are no turn's: the step is tried again later.
"""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.embedding import embedded
from hmem.derived.changes import ModelOutputs
from hmem.derived.chunks import event_number, turn_of
from hmem.derived.events import mean_of
from hmem.derived.notes import KeptNote, turn_of_note
from hmem.derived.older_rules import BY_SENTENCES, OLDER, PLACES, older_rules, places_told
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.errors import EmbedderMismatch, FormationDelayed, HmemError, MemoryDamaged, NumberTooLarge, StorageError
from hmem.formation.config import FormationConfig
from hmem.formation.extract import extract
from hmem.formation.organise import Keep, Organiser
from hmem.formation.revision import correct
from hmem.formation.session_window import Reads, SessionWindow, Sitting, earlier_rows, read_session_window
from hmem.formation.turn_analysis import UNREADABLE, VERBATIM, TurnAnalysis, without_echoes
from hmem.language.analyst import Analyst
from hmem.language.containment import NAMED, Fault, contained
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
# Set once what is formed is kept apart by owner.
# The last log entry that the texts take into account.
_DECIDED: Final = "formation.decided"
# The last reading by a model that the derived state takes into account.
READ: Final = "formation.read"
# What last set turns aside: versions of hmem and of the analyst. Others try these turns again.
_ASIDE: Final = "formation.aside"
_SITTINGS: Final = 256
# How often a fault of the surroundings meets a turn alone before it may be the turn's own.
_TRIES: Final = 3
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

    Turns are formed again that are ``unlearnt``, ``reread`` by a model, or were set ``aside`` by another version.
    """

    unlearnt: Sequence[int]
    joined: Sequence[tuple[LogEntry, bool]]
    decided: Sequence[int]
    edited: Sequence[ScopedPerson]
    reread: Sequence[int]
    read: int
    aside: Sequence[int]
    retries: bool

    @property
    def anything(self) -> bool:
        return any(self)


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
        # What a step that another process took had read, to be put again.
        self._reads = Reads()
        # The oldest turn of another process that is not formed, the step at which it was seen, and until when it may
        # wait.
        self._awaited: tuple[int, int] = (-1, -1)
        self._patient_until = 0.0
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

    def told(self) -> str | None:
        """Tell why turns wait to be formed, or which are set aside; None if all are formed.

        Call it inside ``corpus.reading()``.
        """
        if self.problem is not None:
            return self.problem
        aside = self._derived.judgements.unread_for(UNREADABLE)
        if not aside:
            return None
        (first,) = self._corpus.storage.turns(aside[:1])
        why = f", {self._aside[aside[0]]}" if aside[0] in self._aside else ""
        more = f" and {len(aside) - 1:,} more" if len(aside) > 1 else ""
        return (
            f"{first.turn.id}{why}{more} could not be formed and are kept as they were said"
            " - `hmem rebuild` tries again"
        )

    def backlog(self) -> int:
        """Count the turns still to be formed."""
        if not self._config.anything:
            return 0
        with self._corpus.reading():
            self._derived.catch_up()
            return max(self._corpus.columns.alive_count - len(self._derived.judgements) - self._set_aside(), 0)

    def formed_by(self) -> dict[str, int]:
        """Count the turns by what formed them, those of older rules included, most frequent first.

        Call it inside ``corpus.reading()``, the derived state caught up.
        """
        older, counted = older_rules(self._corpus.storage), self._derived.judgements.made_by()
        return counted if older is None or not self._set_aside() else {older.maker: self._set_aside(), **counted}

    def _set_aside(self) -> int:
        """Count the turns that older rules formed, which ``rebuild`` forms anew."""
        older, columns = older_rules(self._corpus.storage), self._corpus.columns
        if older is None:
            return 0
        judgements = self._derived.judgements
        return sum(seq not in judgements for seq in columns.seq[columns.alive & (columns.seq <= older.last)].tolist())

    def is_up_to_date(self) -> bool:
        """Tell if nothing is to be formed, looked up again or taken back. Call it inside ``corpus.reading()``."""
        if not self._config.anything:
            return True
        state, derived = self._corpus.state, self._derived
        self._readings.catch_up(state.settings)
        derived.decisions.catch_up()
        return (
            state.settings.get(_GENERATION) == state.settings.get(GENERATION)
            and BY_SENTENCES in state.settings
            and state.formed.watermark >= self._corpus.watermark
            and int(state.settings.get(_DECIDED, "0")) >= derived.decisions.decided
            and int(state.settings.get(READ, "0")) >= self._readings.number
            and not self._retries(state.settings)
        )

    def _retries(self, settings: Mapping[str, str]) -> bool:
        """Tell if turns are to be tried again that other versions of hmem or of the analyst set aside."""
        return not self._retried and settings.get(_ASIDE) not in (None, self._version())

    def _version(self) -> str:
        try:
            return f"{version('hmem')} {self._analyst.made_by}"
        except PackageNotFoundError:
            return self._analyst.made_by

    def awaits_others(self) -> float:
        """Return until when another process may form first, whose turn is the oldest new one; 0 for no more.

        It has ``PATIENCE`` to begin, and again after every step. Call it inside ``corpus.reading()``.
        """
        formed, columns = self._corpus.state.formed, self._corpus.columns
        if not self._config.anything or formed.watermark >= self._corpus.watermark:
            return 0.0
        fresh = columns.seq[columns.alive & (columns.seq > formed.watermark)]
        if not len(fresh) or self._corpus.added_here(oldest := int(fresh.min())):
            return 0.0
        if self._awaited != (oldest, formed.step):
            patience = max(PATIENCE, min(_PATIENCE_TURNS * self._pace, _LONGEST_PATIENCE))
            self._awaited, self._patient_until = (oldest, formed.step), monotonic() + patience
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
        done, self._overtaken, self._bounded = 0, None, limit is not None
        while self._config.anything and (limit is None or done < limit):
            with self._corpus.reading():
                if self.is_up_to_date():
                    # What others formed is taken up when it is looked at.
                    break
                begun = monotonic()
                formed, finished = self._contained(STEP_TURNS if limit is None else limit - done)
                self._pace = (monotonic() - begun) / formed if formed else self._pace
            done += formed
            if formed and progress is not None:
                progress(done, done + self.backlog())
            if finished:
                break
        self.problem, self._failures, self._retry_at = None, 0, 0.0
        return done

    def correct_again(self) -> int:
        """Form turns again whose corrected notes were only learnt after them; return their number.

        Raises:
            FormationDelayed, MemoryBusy, StorageFull, StorageError, EmbedderUnavailable: another call makes up for it.
        """
        with self._corpus.reading():
            self._derived.catch_up()
            again = sorted(self._correcting(self._astray()))
            if again:
                self._organiser.take(again)
                self._session_windows.clear()
                self._organiser.finish()
                # They are new turns again.
                self._derived.store(again[0] - 1)
                self.form()
        return len(again)

    def _astray(self) -> set[int]:
        """Return the turns that correct a note but are about another subject or slot."""
        notes, judgements = self._derived.notes, self._derived.judgements
        numbers = ((made, number_of("note", target)) for made, target in self._derived.decisions.corrections.items())
        corrected = {made: notes.get(number[1]) for made, number in numbers if number is not None}
        found: set[int] = set()
        for made, seq in self._corpus.storage.locate(list(corrected)).items():
            note, own = corrected[made], notes.of(seq)
            judgement = judgements.of(seq)
            if note is None or judgement is None or UNREADABLE in judgement.unread:
                continue
            if [_about(each) for each in own] != [_about(note)]:
                found.add(seq)
        return found

    # Faults.

    def _contained(self, limit: int) -> tuple[int, bool]:
        """Take a step; if something is raised on the way, undo it, and prepare one that gets round it."""
        self._gone, self._forming, self._writing = False, (), False
        try:
            done = contained(lambda: self._step(min(limit, self._most)), raising=())
        except BaseException:
            self._undo()
            raise
        if not isinstance(done, Fault):
            self._most = min(2 * self._most, STEP_TURNS)
            self._failures *= not done[0]
            return done
        self._undo(done)
        if self._gets_round(done):
            return 0, False
        if self._gone:
            self._take_out()
        if isinstance(done.error, NAMED):
            raise done.error
        raise FormationDelayed(f"turns could not be formed ({done}) - they are kept, try again later") from done.error

    def _undo(self, fault: Fault | None = None) -> None:
        """Let go of what a step has changed."""
        self._session_windows.clear()
        self._reads.clear()
        if fault is not None and isinstance(fault.error, StorageError):
            self._derived.undo()
        elif self._writing:
            # It may have stopped halfway through a change, so that no part is known to be sound.
            self._derived.forget()

    def _gets_round(self, fault: Fault) -> bool:
        """Take a smaller step next, or one without the turn whose fault it is; return False if it is no turn's."""
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
        self._aside[seq] = fault.place
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
            done = contained(lambda: self._step(0), raising=(StorageError,))
            if isinstance(done, Fault):
                self._undo()
                self._corpus.storage.clear_formed({OLDER: None})
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
        if self._derived.at.watermark >= change and not due.anything:
            return 0, True
        fresh, gone = self._differences()
        self._gone = bool(gone)
        if self._formed_by_others(fresh, other=bool(gone or due.anything)):
            return 0, True
        again = {*gone, *self._followers([*gone, *due.aside]), *due.reread, *due.unlearnt, *due.aside}
        again = sorted(self._correcting(again).difference(gone))
        self._writing = bool(gone or again)
        self._organiser.take((*gone, *again))
        if gone or again:
            self._session_windows.clear()
            self._reads.clear()
        if gone:
            self._organiser.part()
        # A turn that is formed again may come after new turns, but never the other way round.
        now = sorted({*fresh, *again})[:limit]
        complete = len(now) == len(fresh) + len(again)
        # Between turns that a step before took out, formed ones may lie.
        between = bool(fresh) and fresh[0] < self._derived.judgements.newest()
        self._forming = now
        self._form(now, one_by_one=between or not {*again} <= {*due.reread})
        self._writing = True
        for seq in due.decided:
            self._organiser.outdate(seq)
        for person in due.edited:
            self._organiser.edited(person)
        for entry, in_force in due.joined:
            self._organiser.joined(entry, in_force=in_force)
        self._organiser.finish()
        set_aside = [seq for seq in now if seq in self._aside]
        last = change if complete else now[-1] if now else min([*fresh, *again]) - 1
        if not self._derived.store(last, self._changes(settings, due, set_aside)):
            # What was formed is undone, and so is what the sittings learnt of it; what was read of it holds.
            self._session_windows = self._reads.windows()
            self._overtaken = now[-1] if now else None
            return 0, False
        self._reads.clear()
        self._retried = True
        if set_aside:
            self._tell(set_aside)
        return len(now), complete and due.read in (0, self._readings.number)

    def _due(self, settings: Mapping[str, str], limit: int) -> "_Due":
        """Look up what a step does besides forming new turns."""
        last = int(settings.get(_DECIDED, "0"))
        unlearnt, joined = self._unlearnt(last), self._derived.decisions.joined(last)
        decided, edited = self._decided(last, keep=not (unlearnt or joined))
        reread, read = self._reread(int(settings.get(READ, "0")), max(limit, 1))
        retries = self._retries(settings)
        aside = self._derived.judgements.unread_for(UNREADABLE) if retries else []
        if read > self._reread_through:
            # The model may have read what could not be formed.
            self._reread_through = read
            for seq in reread:
                self._aside.pop(seq, None)
        return _Due(unlearnt, joined, decided, edited, reread, read, aside, retries)

    def _changes(self, settings: Mapping[str, str], due: "_Due", set_aside: Sequence[int]) -> dict[str, str | None]:
        """Return the settings that a step stores."""
        changes: dict[str, str | None] = {}
        if due.decided or due.edited or due.unlearnt or due.joined:
            changes[_DECIDED] = str(self._derived.decisions.decided)
        if due.read:
            changes[READ] = str(due.read)
        if set_aside or due.retries:
            changes[_ASIDE] = self._version() if set_aside else None
        return changes if BY_SENTENCES in settings else changes | {BY_SENTENCES: "1"}

    def _formed_by_others(self, fresh: Sequence[int], *, other: bool) -> bool:
        """Tell if the process that took this one's step also formed all new turns; whoever added more forms those."""
        overtaken, self._overtaken = self._overtaken, None
        return self._bounded and overtaken is not None and not other and (not fresh or fresh[0] > overtaken)

    def _check_generation(self) -> Mapping[str, str]:
        """Clear formed state if another embedder made the vectors; return the settings."""
        self.set_older_aside()
        settings, storage = self._corpus.state.settings, self._corpus.storage
        present = settings.get(GENERATION)
        if settings.get(_GENERATION) != present:
            self._session_windows.clear()
            storage.clear_formed({_GENERATION: present, OLDER: None})
        return settings

    def set_older_aside(self) -> None:
        """Clear what older rules formed, and keep where the decisions about it were; ``rebuild`` forms it anew."""
        state, storage = self._corpus.state, self._corpus.storage
        if BY_SENTENCES in state.settings:
            return
        older = older_rules(storage)
        if older is None:
            if state.formed.step:
                storage.put_settings({BY_SENTENCES: "1"})
            return
        places = places_told(storage, self._analyst.lexicon)
        storage.clear_formed(
            {BY_SENTENCES: "1", OLDER: f"{older.maker} {older.last}", PLACES: places,
             _GENERATION: state.settings.get(GENERATION)}
        )  # fmt: skip
        storage.form([], storage.state().formed, older.last)
        self._corpus.look_again()
        self._derived.forget()

    def _differences(self) -> tuple[list[int], list[int]]:
        """Return the turns still to be formed, and those that were formed and are gone."""
        judgements, columns = self._derived.judgements, self._corpus.columns
        # Whatever of them has a number up to the watermark was formed.
        alive = columns.seq[columns.alive]
        later = np.sort(alive[alive > self._derived.at.watermark]).tolist()
        fresh = [seq for seq in later if seq not in judgements]
        # Turns that older rules formed wait without being counted.
        if OLDER not in self._corpus.state.settings and len(judgements) + len(fresh) <= columns.alive_count:
            return fresh, []
        return fresh, np.setdiff1d(np.array(judgements.seqs(), np.int64), alive).tolist()

    def _unlearnt(self, last: int) -> list[int]:
        """Return the turns that were learnt from recalls by log entries undone since."""
        decisions, learnt = self._derived.decisions, self._derived.learnt
        if last >= decisions.decided or not len(learnt):
            return []
        ids = [entry.target for entry in decisions.active_changes().of("learn")]
        return sorted({*learnt.seqs()}.difference(self._corpus.storage.locate(ids).values()))

    def _decided(self, last: int, *, keep: bool = True) -> tuple[list[int], list[ScopedPerson]]:
        """Return the turns whose texts, and the people whose personas, decisions after ``last`` affect.

        If there are none and ``keep`` is set, store that these decisions are taken into account.
        """
        decisions, storage = self._derived.decisions, self._corpus.storage
        if last >= decisions.decided:
            return [], []
        ids, names = decisions.touched(last), self._derived.names
        people = [names.targeted(target) for target in decisions.edited(last)]
        people += [names.find(subject) for subject in self._ruled(decisions.ruled(last))]
        edited = sorted({person for person in people if person is not None})
        if keep and not ids and not edited:
            storage.put_settings({_DECIDED: str(decisions.decided)})
        notes, events = ([number_of(kind, each) for each in ids] for kind in ("note", "event"))
        seqs = {*storage.locate(ids).values(), *(turn_of_note(note[1]) for note in notes if note is not None)}
        seqs |= {turn_of(event[1]) for event in events if event is not None}
        return sorted(seq for seq in seqs if seq in self._derived.judgements), edited

    def _ruled(self, slots: Sequence[str]) -> set[ScopedName]:
        """Return the subjects with notes in slots whose rule was changed."""
        notes, subjects = self._derived.notes, set[ScopedName]()
        for each in slots:
            name, _, slot = each.rpartition(":")
            meant = notes.named(name) if name else notes.subjects()
            subjects |= {subject for subject in meant if notes.about(subject, slot)}
        return subjects

    def _reread(self, since: int, limit: int) -> tuple[list[int], int]:
        """Return the formed turns to form again as a model has read them, and the last reading used.

        They include the later turns of their sessions, whose episodes may now begin elsewhere.
        """
        if self._readings.number <= since:
            return [], 0
        judgements = self._derived.judgements
        if not len(judgements):
            return [], self._readings.number
        found = self._corpus.model_queue.readings(since=since, limit=limit)
        first: dict[int, int] = {}
        for reading in found:
            if (judgement := judgements.of(reading.seq)) is not None:
                first[judgement.session] = min(first.get(judgement.session, reading.seq), reading.seq)
        columns, again = self._corpus.columns, list[int]()
        for session, seq in first.items():
            later = columns.seq[(columns.session == session) & columns.alive & (columns.seq >= seq)]
            again += [each for each in later.tolist() if each in judgements]
        return sorted(again), found[-1].number if len(found) == limit else self._readings.number

    def _followers(self, gone: Sequence[int]) -> list[int]:
        """Return the turns whose analysis or segmentation used turns that are gone, or their speakers."""
        used = max(self._config.context_turns, self._config.segment.recent_turns)
        columns, judgements = self._corpus.columns, self._derived.judgements
        again: set[int] = set()
        by_session: dict[Sitting, list[int]] = {}
        for seq in gone:
            if (judgement := judgements.of(seq)) is not None:
                by_session.setdefault((judgement.session, judgement.owner), []).append(seq)
        for (session, owner), seqs in by_session.items():
            here = columns.session == session
            if judgements.owned:
                here &= self._owned(here, owner)
            living = np.sort(columns.seq[here & columns.alive])
            for seq in seqs:
                later = living[living > seq]
                if not self._heard_before(seq, here):
                    again.update(later.tolist())
                    break
                again.update(later[:used].tolist())
        return sorted(seq for seq in again if seq in judgements)

    def _owned(self, rows: NDArray[np.bool_], owner: str) -> NDArray[np.bool_]:
        """Return which of some rows belong to an owner."""
        seq, judgements = self._corpus.columns.seq, self._derived.judgements
        own = rows.copy()
        own[rows] = [judgements.owner(each) == owner for each in seq[rows].tolist()]
        return own

    def _correcting(self, seqs: AbstractSet[int]) -> set[int]:
        """Return these turns and those that correct notes of them, transitively.

        A correction takes its subject and slot from the note that it corrects.
        """
        found = set(seqs)
        if not found:
            return found
        notes = {made: number_of("note", target) for made, target in self._derived.decisions.corrections.items()}
        about = {made: turn_of_note(note[1]) for made, note in notes.items() if note is not None}
        # What a model read of later turns revises notes of these.
        ahead = list(found)
        while ahead:
            later = {seq for seq in self._derived.revisions.newer(ahead.pop()) if seq in self._derived.judgements}
            ahead += later - found
            found |= later
        # A correction is newer than its target.
        for made, seq in sorted(self._corpus.storage.locate(list(about)).items(), key=lambda each: each[1]):
            if about[made] in found and seq in self._derived.judgements:
                found.add(seq)
        return found

    def _heard_before(self, seq: int, here: NDArray[np.bool_]) -> bool:
        """Tell if the speaker of a turn that is gone had spoken in the session before."""
        columns = self._corpus.columns
        known = columns.speaker[here & (columns.seq == seq)]
        # If the memory was reopened since, the speaker is unknown.
        return len(known) > 0 and bool(
            (here & columns.alive & (columns.seq < seq) & (columns.speaker == known[0])).any()
        )

    # One step's turns.

    def _form(self, seqs: Sequence[int], *, one_by_one: bool) -> None:
        """Form turns, or set them aside, in their order."""
        analysis = self._analyse([seq for seq in seqs if seq not in self._aside])
        if not (one_by_one or any(seq in self._aside for seq in seqs)):
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

    def _tell(self, seqs: Sequence[int]) -> None:
        """Log that turns were set aside: their ids and what was raised, without their texts."""
        for stored in self._corpus.storage.turns(seqs):
            _ASIDE_LOGGER.warning("%s is kept as it was said: %s", stored.turn.id, self._aside[stored.seq])

    def _analyse(self, seqs: Sequence[int]) -> list[TurnAnalysis]:
        rows = self._corpus.columns.rows_of(seqs)
        sessions = self._corpus.columns.session[rows].tolist()
        kept = self._corpus.turns(rows, once=len(seqs) > _CACHED_TURNS)
        vectors = self._corpus.vectors_of(seqs)
        found = [each for each in zip(seqs, rows.tolist(), sessions, vectors, strict=True) if each[1] in kept]
        turns = self._derived.names.unified((seq, self._as_read(kept[row])) for seq, row, _, _ in found)
        analysis = [
            TurnAnalysis(seq, turn, session, vector)
            for (seq, _, session, vector), turn in zip(found, turns, strict=True)
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
        before, number = {sitting: window.copy() for sitting, window in windows.items()}, self._readings.number
        unread = [
            (window, self._reads.put_again(sitting, window, by_sitting[sitting], number))
            for sitting, window in windows.items()
        ]
        extract(self._analyst, [run for run in unread if run[1]], self._config, self._similarity)
        for sitting, window in windows.items():
            self._reads.keep(sitting, before[sitting], window, by_sitting[sitting], number)
        self._put(analysis)

    def _form_alone(self, item: TurnAnalysis) -> None:
        """Form one turn from what is stored before it."""
        extract(self._analyst, [(self._read(item), [item])], self._config, self._similarity)
        self._put([item])

    def _put(self, analysis: Sequence[TurnAnalysis]) -> None:
        """Put turns into the derived state."""
        self._writing = True
        self._embed(analysis)
        self._advise(analysis)
        for item in analysis:
            # The corrected note may be in this very batch.
            correct(item, self._derived)
            self._organiser.put(item)
            if self._derived.carry_over():
                self._organiser.outdate(item.seq)

    def _advise(self, analysis: Sequence[TurnAnalysis]) -> None:
        """Log which embedder to take, at the first turn of a memory in a language that its own does not know."""
        if self._advised:
            return
        name = self._corpus.embedder.name
        # Two must agree: the language of a short text is easily mistaken.
        languages = [item.coverage.language for item in analysis if not reads_as_english(item.turn.content)]
        if (found := advice(name, languages)) is not None:
            self._advised = True
            if not unread_languages(name, self._derived.judgements.languages()):
                LOGGER.warning("%s", found)

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
        parted = [item for item in analysis if _is_parted(item)]
        texts = [embedded(item.turn) for item in parted]
        spans = [_spans(text, item) for text, item in zip(texts, parted, strict=True)]
        quoted = self._corpus.embedder.embed_parts(texts, [[span for span in own if span] for own in spans])
        worded = [(item, i) for item, own in zip(parted, spans, strict=True) for i, span in enumerate(own) if not span]
        rows = self._corpus.embedder.embed([item.statements[i].text for item, i in worded]) if worded else ()
        vectors = {event_number(item.seq, i): row for (item, i), row in zip(worded, rows, strict=True)}
        for item, own, found in zip(parted, spans, quoted, strict=True):
            places = [i for i, span in enumerate(own) if span]
            vectors |= {event_number(item.seq, i): row for i, row in zip(places, found, strict=True)}
        self._derived.event_vectors.put(vectors)
        for item in analysis:
            if item.curation.memorable:
                events = [event_number(item.seq, i) for i in range(len(item.statements))]
                item.topics = list(self._derived.vectors_of_events(events)) if events else ()
                item.topic = mean_of(item.topics) if events else item.vector


def _is_parted(item: TurnAnalysis) -> bool:
    """Tell if the events of a turn need vectors of their own: they are not its whole content."""
    statements = item.statements
    return len(statements) > 1 or any(each.context or each.text != item.turn.content for each in statements)


def _spans(text: str, item: TurnAnalysis) -> list[tuple[int, int] | None]:
    """Return the span of each statement in the embedded text of its turn; None for one that is in other words."""
    begin = len(text) - len(item.turn.content)
    starts = [text.find(each.text, begin) for each in item.statements]
    return [
        (start, start + len(each.text)) if start >= 0 and not each.context else None
        for start, each in zip(starts, item.statements, strict=True)
    ]


def _about(note: KeptNote) -> tuple[str, str]:
    return note.subject, note.slot


def _sitting(item: TurnAnalysis) -> Sitting:
    """Return where a turn was said: its session, among the turns of its owner."""
    return item.session, owner_of(item.turn)
