"""Profile of a person, written from what is formed, within a token budget.

It has only what the person said of themselves: neither an assistant, a tool or a document speaks for a person, nor
another person. Typed facts come first, then the most telling sentences that stand, of which no two are about nearly the
same matter. Each is quoted as it was said. Nothing of it is kept, so it is never out of date.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import cached_property
from math import log2
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.marks import asks
from hmem.derived.chunks import number_in_turn, turn_of
from hmem.derived.events import KeptEvent
from hmem.derived.note_states import NO_PERSON, Authority, authority
from hmem.derived.notes import KeptNote
from hmem.derived.personas import edit_of
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.language.analyst import PersonaText
from hmem.language.containment import attempted
from hmem.language.prompt_text import in_quotes, on_one_line, quote_text, quoted_name
from hmem.language.tokens import count_tokens
from hmem.model.persona import Profile, ProfileLine
from hmem.model.scope import ScopedName, scoped
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import Turn
from hmem.retrieval.context import MONTHS

# A person's notes that are read, those of the most important turns.
_READ: Final = 512
_SENTENCES: Final = 12
# Share of the budget that typed facts may take, and of one sentence.
_FACTS_SHARE: Final = 0.6
_LONGEST_SHARE: Final = 1 / 3

# Worth of a sentence: the importance of its turn, 1 to 10, and what is added for being said again (each doubling), for
# being a preference or an instruction, for being about the speaker as far as words tell, and for being new: half as
# much after each so many days. What happened at a time lasts less than what has none. A short sentence tells less than
# its turn: one of no token would lose ``_SHORT``, one of ``_FULL_SENTENCE_TOKENS`` loses nothing.
_PREFERENCE: Final = 3.0
_OF_SPEAKER: Final = 1.0
_DATED_WORTH: Final = 2.0
_NEW: Final = 2.0
_HALF_LIFE: Final = 180
_SHORT: Final = 3.0
_FULL_SENTENCE_TOKENS: Final = 12
_DAY: Final = 86_400_000_000
_SECOND: Final = 1_000_000

# Two sentences are about nearly the same matter from this similarity, on the common scale, or share of shared words.
_SAME_MEANING: Final = 0.85
_SAME_WORDS: Final = 0.6

# Fewest content words that a note in other words shares with its sentence.
_MIN_SHARED_WORDS: Final = 2

_WORD: Final = re.compile(r"\w+")
_TYPED: Final = "profile"
# Makers that are no models.
_RULES: Final = "rules"
_NO_MODELS: Final = (_RULES, "verbatim")


class _CurrentNote(NamedTuple):
    """A note that stands, with its sentence as it was said; ``statement`` is the number of its event."""

    note: KeptNote
    turn: Turn
    statement: int
    sentence: str
    worth: float

    @property
    def is_typed(self) -> bool:
        """Tell if it is a typed fact whose value stands in the sentence."""
        note = self.note
        typed = note.kind == _TYPED and note.positive and note.value
        return bool(typed) and note.value.casefold() in self.sentence.casefold()

    def line(self) -> ProfileLine:
        """Return it as a line of a profile."""
        typed = (self.note.slot, self.note.value) if self.is_typed else (None, None)
        return ProfileLine(self.sentence, self.note.kind, self.turn.at, self.turn.id, *typed)


class ProfileWriter:
    """Writer of profiles from a standpoint. Use it inside ``corpus.reading()``.

    ``visible`` has the rows of the turns that are seen; None stands for all.
    """

    def __init__(
        self, corpus: Corpus, derived: DerivedState, text_writer: TextWriter, visible: NDArray[np.bool_] | None = None
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._text_writer = text_writer
        alive = corpus.columns.alive
        self._is_visible = alive if visible is None else alive & visible
        said_times = corpus.columns.said[self._is_visible]
        self._latest_time = int(said_times.max()) if len(said_times) else 0

    # People.

    def most_heard(self, people: Iterable[ScopedPerson]) -> ScopedPerson | None:
        """Return which of some people said most; of equals the first, of no one None."""
        counts = [(self._turns_of(person), -index, person) for index, person in enumerate(people)]
        most_talkative = max(counts, default=None)
        return most_talkative[2] if most_talkative is not None and most_talkative[0] else None

    def is_person(self, person: ScopedPerson) -> bool:
        """Tell if somebody is no assistant and no tool, as far as turns tell."""
        name = self._derived.names.scoped(person).name
        roles = {speaker.role for speaker in self._corpus.speakers if scoped("", speaker.name).name == name}
        return name not in NO_PERSON and not roles & NO_PERSON

    def _turns_of(self, person: ScopedPerson) -> int:
        """Count the turns that are seen of a person."""
        columns, name = self._corpus.columns, self._derived.names.scoped(person)
        spellings = [speaker.number for speaker in self._corpus.speakers if scoped("", speaker.name).name == name.name]
        rows = np.flatnonzero(self._is_visible & np.isin(columns.speaker, spellings))
        if not self._derived.judgements.owned:
            return len(rows)
        owner = self._derived.judgements.owner
        return sum(owner(seq) == person.owner for seq in columns.seq[rows].tolist())

    # Writing.

    def write(self, person: ScopedPerson, tokens: int) -> Profile:
        """Return the profile of a person in at most so many tokens."""
        name = self._derived.names.name(person)
        page = _Page(f"Known of {quoted_name(name)}:", tokens)
        for line in (*self._edits(person), *self._model_persona(person)):
            page.add(line)
        notes = self._current_notes(self._derived.names.scoped(person))
        facts = self._facts(page, [note for note in notes if note.is_typed])
        self._quote(page, facts, [note for note in notes if not note.is_typed])
        return Profile(name, tuple(page.lines), page.tokens, page.text, person.owner or None)

    def _edits(self, person: ScopedPerson) -> Iterator[ProfileLine]:
        """Yield what people wrote into the persona: its text, then each trait."""
        active = self._derived.decisions.active_changes(self._text_writer.recorded_until)
        edit = edit_of(active, self._derived.names.target(person))
        if edit is not None:
            edit_time = from_stored(edit.timestamp, 0)
            yield from (
                ProfileLine(text, "edit", edit_time, by=edit.author) for text in (edit.text, *edit.traits) if text
            )

    def _model_persona(self, person: ScopedPerson) -> Iterator[ProfileLine]:
        """Yield the persona that a model wrote of the present notes, if one did."""
        if not self._text_writer.options.persona:
            return
        persona_text = attempted(lambda: self._text_writer.written_persona(person), PersonaText("", ()))
        if persona_text.text and persona_text.made_by and not persona_text.made_by.startswith(_NO_MODELS):
            persona = self._derived.personas.get(person)
            persona_time = self._latest_time if persona is None else persona.timestamp * _SECOND
            yield ProfileLine(persona_text.text, "persona", from_stored(persona_time, 0), by=persona_text.made_by)

    @staticmethod
    def _facts(page: "_Page", typed: Sequence[_CurrentNote]) -> list[_CurrentNote]:
        """Put typed facts on the page, those of a slot together; return them."""
        room, fact_keys = int(page.budget * _FACTS_SHARE), set[tuple[str, str]]()
        facts: list[_CurrentNote] = []
        for fact in typed:
            key = fact.note.slot, fact.note.value.casefold()
            cost = count_tokens(_format_line(fact.line())) + 1
            if key not in fact_keys and cost <= room:
                fact_keys.add(key)
                facts.append(fact)
                room -= cost
        slots = list(dict.fromkeys(fact.note.slot for fact in facts))
        facts.sort(key=lambda fact: (slots.index(fact.note.slot), -fact.note.number))
        return [fact for fact in facts if page.add(fact.line())]

    def _quote(self, page: "_Page", facts: Sequence[_CurrentNote], sentences: Sequence[_CurrentNote]) -> None:
        """Put the worthiest sentences on the page, none about nearly the same matter as another or as a fact."""
        matters = _Matters(self._derived, self._corpus, self._text_writer.lexicon.stop_words)
        for note in facts:
            matters.add(note)
        count, longest = 0, int(page.budget * _LONGEST_SHARE)
        for note in sentences:
            if count == _SENTENCES:
                return
            line = note.line()
            if count_tokens(_format_line(line)) <= longest and matters.is_new(note) and page.add(line):
                matters.add(note)
                count += 1

    # Notes.

    def _current_notes(self, subject: ScopedName) -> list[_CurrentNote]:
        """Return the notes of a person's own words that stand, the worthiest first."""
        notes = self._text_writer.current_notes(self._most_important(subject))
        turns = self._text_writer.turns([note.turn for note in notes])
        entries: list[_CurrentNote] = []
        for note in notes:
            is_own = note.turn in turns and authority(turns[note.turn], subject) is Authority.OWN
            if not (is_own and self._is_of_present_rules(note) and self._holds(note)):
                continue
            turn, event = turns[note.turn], self._event(note)
            sentence = self._sentence(turn, note, event)
            if sentence is None or asks(sentence):
                continue
            entry = _CurrentNote(
                note, turn, number_in_turn(note.turn, note.event), sentence, self._worth(note, turn, event, sentence)
            )
            if entry.is_typed or not (self._is_over(turn, event) or self._is_withdrawn(note, subject, turn, sentence)):
                entries.append(entry)
        return sorted(entries, key=lambda entry: (-entry.worth, -to_stored(entry.turn.at)[0], entry.note.number))

    def _is_of_present_rules(self, note: KeptNote) -> bool:
        """Tell if a note was not made by rules that are used no more; ``rebuild`` forms these anew."""
        return not note.made_by.startswith(_RULES) or self._text_writer.made_by.startswith(_RULES)

    def _most_important(self, subject: ScopedName) -> list[KeptNote]:
        """Return the notes of the most important turns about a person, at most ``_READ``; of equals the newest."""
        judgements = self._derived.judgements

        def rank(number: int) -> tuple[int, int]:
            return -judgements.importance(turn_of(number)), -number

        numbers = sorted(self._derived.notes.numbers(subject), key=rank)[:_READ]
        return [note for note in map(self._derived.notes.get, numbers) if note is not None]

    def _worth(self, note: KeptNote, turn: Turn, event: KeptEvent | None, sentence: str) -> float:
        judgement, state = self._derived.judgements.get(note.turn), self._text_writer.note_states.state_of(note)
        worth = 5.0 if judgement is None else float(judgement.importance)
        worth += log2(1 + state.reinforcements) + _PREFERENCE * (note.kind == "preference")
        worth += _OF_SPEAKER * (not self._text_writer.lexicon.first_person.isdisjoint(_words(sentence)))
        worth -= _DATED_WORTH * (event is not None and event.start is not None)
        worth -= _SHORT * (1 - min(count_tokens(sentence) / _FULL_SENTENCE_TOKENS, 1))
        age = max(self._latest_time - to_stored(turn.at)[0], 0) / _DAY
        return worth + _NEW * 0.5 ** (age / _HALF_LIFE)

    def _holds(self, note: KeptNote) -> bool:
        """Tell if a note stands and its time is not over."""
        state = self._text_writer.note_states.state_of(note)
        return state.stands and (state.end is None or state.end * _SECOND > self._latest_time)

    def _is_withdrawn(self, note: KeptNote, subject: ScopedName, turn: Turn, sentence: str) -> bool:
        """Tell if the sentence of a note is withdrawn or outdated because another note of it is.

        A model makes several statements of a sentence, which is outdated with any of them.
        """
        return any(
            self._does_not_stand(candidate, subject)
            and (candidate.event == note.event or self._sentence(turn, candidate, self._event(candidate)) == sentence)
            for candidate in self._derived.notes.of_turn(note.turn)
        )

    def _does_not_stand(self, note: KeptNote, subject: ScopedName) -> bool:
        """Tell if a note was withdrawn, or is one about a subject that another note replaced."""
        if note.number in self._withdrawn_numbers:
            return True
        state = self._text_writer.note_states.state_of(note)
        return note.scoped_subject == subject and state.status != "merged" and not state.stands

    @cached_property
    def _withdrawn_numbers(self) -> frozenset[int]:
        """Notes that were retracted, corrected or retired, by number."""
        recorded_until = self._text_writer.recorded_until
        resolved = self._derived.decisions.active_changes(recorded_until).of_notes.resolved
        retired = (number for number, decision in resolved.items() if decision == "retire")
        return self._derived.absent_notes(recorded_until).union(retired)

    def _event(self, note: KeptNote) -> KeptEvent | None:
        return next(iter(self._derived.events.of_turn(note.turn)[note.event : note.event + 1]), None)

    def _is_over(self, turn: Turn, event: KeptEvent | None) -> bool:
        """Tell if a sentence looked ahead to a time that has passed."""
        if event is None or event.start is None or event.end is None:
            return False
        return event.start * _SECOND > to_stored(turn.at)[0] and event.end * _SECOND <= self._latest_time

    def _sentence(self, turn: Turn, note: KeptNote, event: KeptEvent | None) -> str | None:
        """Return the sentence of a turn that a note is from, as it was said; None if that cannot be told.

        What a model wrote in its own words is from the only sentence; else from one that has a word of the value, which
        was to be as it was said, the one with most words of the note. Names tell nothing, as several sentences have
        them, unless the value is one.
        """
        for text in (note.text, *(() if event is None else (event.text,))):
            if text in turn.text:
                return text
        lexicon = self._text_writer.lexicon
        sentences = [sentence.text for sentence in lexicon.split(turn.text)]
        if len(sentences) == 1:
            return sentences[0]
        value_words = _content(note.value, lexicon.stop_words)
        note_words, names = value_words | _content(note.text, lexicon.stop_words), self._names_in(note)
        if value_words <= names:
            names -= value_words
        counts: list[int] = []
        for sentence in sentences:
            sentence_words = _content(sentence, lexicon.stop_words)
            shared_words = note_words & sentence_words
            has_value = not value_words or not value_words.isdisjoint(sentence_words)
            is_enough = has_value and len(shared_words) >= _MIN_SHARED_WORDS
            counts.append(len(shared_words - names) if is_enough else 0)
        best = max(counts, default=0)
        return sentences[counts.index(best)] if best else None

    def _names_in(self, note: KeptNote) -> frozenset[str]:
        """Return the words of the names in a note's turn, and of its subject."""
        graph = self._derived.graph
        entities = graph.entities_of(note.turn)
        names = [name for entity in entities for name in (graph.name(entity), *graph.aliases(entity))]
        return frozenset(_words(" ".join((note.subject, *names))))


def _content(text: str, stop_words: frozenset[str]) -> frozenset[str]:
    """Return the content words of a text."""
    return frozenset(_words(text)) - stop_words


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


class _Matters:
    """Sentences that were taken, by their words and the vectors of their events."""

    def __init__(self, derived: DerivedState, corpus: Corpus, stop_words: frozenset[str]) -> None:
        self._derived = derived
        self._similarity = corpus.embedder.calibration
        self._stop_words = stop_words
        self._statements = set[int]()
        self._words: list[frozenset[str]] = []
        self._vectors: list[NDArray[np.float32]] = []

    def add(self, note: _CurrentNote) -> None:
        """Take a sentence."""
        self._statements.add(note.statement)
        self._words.append(_content(note.sentence, self._stop_words))
        self._vectors.append(self._vector(note))

    def is_new(self, note: _CurrentNote) -> bool:
        """Tell if a sentence is about another matter than those taken."""
        if note.statement in self._statements:
            return False
        words, vector = _content(note.sentence, self._stop_words), self._vector(note)
        if any(
            len(words & other_words) > _SAME_WORDS * min(len(words), len(other_words)) for other_words in self._words
        ):
            return False
        return all(self._similarity(float(vector @ other_vector)) < _SAME_MEANING for other_vector in self._vectors)

    def _vector(self, note: _CurrentNote) -> NDArray[np.float32]:
        return self._derived.vectors_of_events([note.statement])[0]


class _Page:
    """Lines below a heading, in at most ``budget`` tokens."""

    def __init__(self, heading: str, budget: int) -> None:
        self.budget = budget
        self.lines: list[ProfileLine] = []
        self.text = ""
        self.tokens = 0
        self._heading = heading

    def add(self, line: ProfileLine) -> bool:
        """Add a line if there is room for it, and tell if there was."""
        text = f"{self.text or self._heading}\n{_format_line(line)}"
        tokens = count_tokens(text)
        if tokens > self.budget:
            return False
        self.lines.append(line)
        self.text, self.tokens = text, tokens
        return True


def _format_line(line: ProfileLine) -> str:
    """Return a line for a prompt: ``home: Lisbon (20 May 2026)``, or a sentence in quotes with its date."""
    day = _day(line.when)
    if line.by is not None:
        verb = "edited" if line.kind == "edit" else "written"
        return f"{in_quotes(on_one_line(line.text))} ({verb} by {quoted_name(line.by)}, {day})"
    if line.slot is not None and line.value is not None:
        return f"{quoted_name(line.slot)}: {quote_text(line.value)} ({day})"
    return f"{in_quotes(on_one_line(line.text))} ({day})"


def _day(day: date | datetime) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"
