"""Answers from claims: the value that holds at the time asked about, or yes and no.

The claims of the turns found for a question, and those that replaced them or that they replaced, are compared with the
question. Of those that match best, the ones that hold at the time asked about answer it: now, then, or on a date. A
question of yes or no is answered by a claim that says the same, by one that denies it or has ended, and by one that
gives the slot another value; else by a statement of the evidence that says or denies it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hmem.derived.note_states import claim_of
from hmem.derived.notes import KeptNote
from hmem.derived.slot_timeline import NoteState
from hmem.language.analyst.answer_reader import AnswerTarget, ClaimMatch
from hmem.model.evidence import Evidence, Why
from hmem.model.span import from_stored
from hmem.retrieval.answer.candidates import NUMERIC
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import AskedTime, asked_about, note_states_of

# Share of a question's words that a claim must cover to answer it, and difference of shares that is none.
LEAST: Final = 0.6
# Strategy name of evidence that only a claim led to.
CLAIMS: Final = "claims"
# Chance that an answer from claims is right.
CLAIMED: Final = 0.85
_ALIKE: Final = 0.06
# Steps along the claims that replaced one another.
# The same for what changed, and for an attribute that never did.
_NAMED: Final = 0.75
# Slots of the kind "profile" that say what somebody does, not how they are.
_PASSING: Final = ("plan",)
# Most words of a turn that is an answer as it is.
_SHORT: Final = 25
_SECOND: Final = 1_000_000
_STEPS: Final = 8


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """Note with its state, when it was said (seconds since 1970), and its match with the question."""

    note: KeptNote
    state: NoteState
    said: int
    match: ClaimMatch
    ends: bool

    @property
    def order(self) -> tuple[int, int]:
        """Position in time."""
        return self.said, self.note.number


@dataclass(frozen=True, slots=True)
class ClaimAnswer:
    """Answer of claims: ``text``, or "" if they only tell in which ``turns``, by number, the answer stands.

    ``ended`` are values that hold no longer, or of somebody else, which are no answer; ``instead`` is the answer if the
    turns give none.
    """

    text: str
    turns: tuple[int, ...]
    ended: tuple[str, ...] = ()
    instead: str = ""


def from_claims(sources: Sources, query: Query, asked: AnswerTarget, found: Sequence[str]) -> ClaimAnswer | None:
    """Return what the claims of the evidence answer, or None."""
    stated = _stated(sources, query, asked, found)
    if not stated:
        return None
    when = asked_about(sources.analyst.answer_reader, query)
    best = max(stated, key=lambda each: (each.match.score, each.order))
    past = when.past or when.tense.was
    if best.match.score < LEAST:
        over = [] if past else [each for each in stated if not each.state.stands and each.match.score > 0]
        apart = [each for each in stated if each.match.apart]
        return ClaimAnswer("", (), tuple(each.note.value for each in (*over, *apart))) if over or apart else None
    chain = _chain(best, stated)
    ended = () if past else tuple(each.note.value for each in chain if not each.state.stands)
    over = {each.note.number for each in chain if not each.state.stands}
    changes = [each for each in chain if each.ends or over.intersection(each.state.predecessors)]
    if best.match.score < _NAMED:
        return None
    if asked.kind in ("when", "reason"):
        return _of_change(sources, asked, when, changes)
    counted_anew = asked.kind in NUMERIC and not past and len({each.said for each in chain if each.match.answers}) > 1
    if not (changes or counted_anew or _is_attribute(best)):
        return None
    holding = _holding([each for each in chain if not each.ends and each.note.positive], when)
    if not holding:
        last = max(chain, key=lambda each: each.order)
        return ClaimAnswer("", (last.note.turn,), ended=ended)
    chosen = _first_or_last(holding, when)
    if asked.kind in NUMERIC and not past:
        # A number told later of what is counted is the one that holds: "we're only five engineers".
        later = [each for each in stated if each.match.score >= LEAST and each.match.answers and each.state.stands]
        later = [each for each in later if not _is_another_attribute(each, chosen)]
        chosen = max([chosen, *later], key=lambda each: each.order)
    if not chosen.match.single and (several := _several(sources, query, asked, chosen, when)):
        return several
    text = chosen.match.answers[0] if chosen.match.answers else ""
    counted = asked.kind in NUMERIC and chosen.note.kind == "fact"
    if counted or sources.analyst.answer_reader.asks_for_value(asked):
        # What is counted or measured is read in the turn, with its unit and without the rest.
        return ClaimAnswer("", (chosen.note.turn,), ended, text)
    return ClaimAnswer(text, (chosen.note.turn,), ended=ended) if text or changes else None


def _several(
    sources: Sources, query: Query, asked: AnswerTarget, chosen: StatedClaim, when: AskedTime
) -> ClaimAnswer | None:
    """Return all values of a slot that has any number, or how many there are; None if there is one.

    What is counted, and a number that is told, is read in the turn.
    """
    notes = sources.derived.notes.about(chosen.note.about, chosen.note.slot)
    held = _holding([each for each in _matched(sources, query, asked, notes) if each.note.positive], when)
    values = {each.match.answers[0]: each.note.turn for each in held if each.match.answers}
    if len(values) < 2 or asked.kind in NUMERIC:
        return None
    return ClaimAnswer(", ".join(values), tuple(dict.fromkeys(values.values())))


def _is_attribute(claim: StatedClaim) -> bool:
    """Tell if a claim gives somebody or something an attribute that the question names: a home, a phone number."""
    return claim.note.kind == "profile" and claim.note.slot not in _PASSING and claim.match.named


def _is_another_attribute(claim: StatedClaim, other: StatedClaim) -> bool:
    """Tell if both claims are attributes, and not the same one: the budgets of two fairs."""
    both = _is_attribute(claim) and _is_attribute(other)
    return both and not _names_the_same(claim.note.slot, other.note.slot)


def _of_change(
    sources: Sources, asked: AnswerTarget, when: AskedTime, changes: Sequence[StatedClaim]
) -> ClaimAnswer | None:
    """Return when or why something changed: the statement of the change, or the turn in which it stands."""
    if asked.kind == "when":
        changes = [each for each in changes if each.match.score >= LEAST]
    if not changes:
        return None
    last = max(changes, key=lambda each: each.order)
    if asked.kind == "reason":
        return ClaimAnswer(_circumstances(sources, asked, last.note), (last.note.turn,))
    began = _worded_start(sources, last) if when.tense.was else ""
    return ClaimAnswer("", (last.note.turn,), instead=began)


def verdict_of_claims(
    sources: Sources, query: Query, asked: AnswerTarget, found: Sequence[str]
) -> tuple[bool, tuple[int, ...]] | None:
    """Return if what a question of yes or no asks is so, with the turns that tell; None if no claim tells."""
    stated = _stated(sources, query, asked, found)
    when = asked_about(sources.analyst.answer_reader, query)
    covering = [each for each in stated if each.match.covers and not each.ends]
    if when.tense.was or when.tense.before:
        telling = _holding(covering, when) or covering
        told = _latest(telling, _says)
        # Without a time, a claim that is not positive may tell what was so and is no more: the statement says which.
        return told if told is not None and (told[0] or when.end is not None) else None
    # What a claim says of the attribute asked for counts before what is told beside.
    attributes = [each for each in stated if _is_attribute(each) and (each.match.covers or each.match.contrasts)]
    if attributes:
        covering = [each for each in covering if _is_attribute(each)]
    standing = [each for each in covering if each.state.stands]
    ending = [each for each in stated if each.ends and each.match.within]
    over = [each for each in covering if not each.state.stands and each.note.positive]
    contrasting = [each for each in stated if each.match.contrasts and each.state.stands]
    return _latest(standing + ending, _says) or _latest(over or contrasting, lambda _: False)


def _says(each: StatedClaim) -> bool:
    return each.note.positive and not each.match.denies


def _latest(telling: Sequence[StatedClaim], says: Callable[[StatedClaim], bool]) -> tuple[bool, tuple[int, ...]] | None:
    """Return what the latest of some claims says, with its turn; None without one."""
    last = max(telling, key=lambda each: each.order, default=None)
    return None if last is None else (says(last), (last.note.turn,))


def _circumstances(sources: Sources, asked: AnswerTarget, note: KeptNote) -> str:
    """Return what tells why something changed: the turn if it is short, else the statement of the change."""
    turn = sources.corpus.kept.of([note.turn]).get(note.turn)
    if turn is None or len(turn.text.split()) > _SHORT:
        return sources.derived.statement(note)
    return sources.analyst.answer_reader.worded(turn.text, asked)


def _worded_start(sources: Sources, claim: StatedClaim) -> str:
    """Return when a claim began to hold; of a change without a time, when it was said; else ""."""
    start, end = claim.note.start, claim.note.end
    if start is None and (claim.ends or claim.state.predecessors):
        start, end = claim.said, claim.said
    if start is None:
        return ""
    bounds = [None if each is None else from_stored(each * _SECOND, 0) for each in (start, end)]
    return sources.analyst.answer_reader.worded_time(bounds[0] or from_stored(0, 0), bounds[1])


def _first_or_last(holding: Sequence[StatedClaim], when: AskedTime) -> StatedClaim:
    choose = min if when.tense.first else max
    most = max(each.match.score for each in holding)
    best = next(each for each in holding if each.match.score == most)
    near = [
        each for each in holding if each.match.score >= most - _ALIKE or _names_the_same(each.note.slot, best.note.slot)
    ]
    return choose(near, key=lambda each: each.order)


def _holding(chain: Sequence[StatedClaim], when: AskedTime) -> list[StatedClaim]:
    """Return the claims that hold at the time asked about."""
    tense = when.tense
    if tense.all or tense.first:
        return list(chain)
    if when.end is not None:
        start, end = (None, when.start) if tense.until else (when.start, when.end)
        held = [each for each in chain if each.match.score and _held_in(each.state, start, end)]
        # What was told later, without a time from which it holds, may not have held yet.
        told = [each for each in held if each.state.start is not None or end is None or each.said < end]
        return told or held or [each for each in chain if tense.was and not each.state.stands]
    standing = [each for each in chain if each.state.stands]
    over = [each for each in chain if not each.state.stands]
    if tense.before or (tense.was and not tense.now):
        return over or (standing if tense.was else [])
    return standing


def _held_in(state: NoteState, start: int | None, end: int | None) -> bool:
    begins = state.start is None or end is None or state.start < end
    # What was called off before its time came is kept with an end at its start.
    off = state.end is not None and state.end == state.start
    return begins and (state.end is None or start is None or state.end > start - off)


def _stated(sources: Sources, query: Query, asked: AnswerTarget, found: Sequence[str]) -> list[StatedClaim]:
    """Return the claims of the evidence and of the changes that they belong to, each with its match."""
    derived, states = sources.derived, note_states_of(sources, query)
    columns = sources.corpus.columns
    rows = sources.corpus.rows_of_ids(list(found))
    seqs = list(dict.fromkeys(columns.seq[rows[rows >= 0]].tolist()))
    notes = {note.number: note for seq in seqs for note in derived.notes.of(seq)}
    waiting, seen = list(notes), set(notes)
    while waiting:
        state = states.of(notes[waiting.pop()])
        for number in (*state.predecessors, *(() if state.successor is None else (state.successor,))):
            other = derived.notes.get(number)
            if number not in seen and other is not None and _allowed(sources, query, other.turn):
                seen.add(number)
                for each in derived.notes.of(other.turn):
                    if each.number not in notes:
                        notes[each.number] = each
                        waiting.append(each.number)
                        seen.add(each.number)
    return _matched(sources, query, asked, sorted(notes.values(), key=lambda note: note.number))


def _matched(sources: Sources, query: Query, asked: AnswerTarget, notes: Sequence[KeptNote]) -> list[StatedClaim]:
    """Return notes that may count as claims, each with its state and its match."""
    derived, states = sources.derived, note_states_of(sources, query)
    notes = [note for note in notes if _allowed(sources, query, note.turn)]
    turns = sources.corpus.kept.of(list(dict.fromkeys(note.turn for note in notes)))
    speakers = [turns[note.turn].speaker if note.turn in turns else "" for note in notes]
    matches = sources.analyst.answer_reader.claim_matches(
        asked, query.part.topic, [claim_of(note) for note in notes], speakers
    )
    endings = sources.analyst.ending_slots
    made = [
        StatedClaim(note, states.of(note), derived.said(note.turn), match, note.slot in endings)
        for note, match in zip(notes, matches, strict=True)
    ]
    return [each for each in made if each.state.status not in ("retracted", "merged")]


def _allowed(sources: Sources, query: Query, seq: int) -> bool:
    row = int(sources.corpus.columns.rows_of([seq])[0])
    return row >= 0 and (query.allowed is None or bool(query.allowed[row]))


def _chain(best: StatedClaim, stated: Sequence[StatedClaim]) -> list[StatedClaim]:
    """Return the claims of one matter: those as good as the best, and all that replaced one another."""
    by_number = {each.note.number: each for each in stated}
    found = {
        each.note.number: each
        for each in stated
        if each.note.subject == best.note.subject
        and (each.match.score >= best.match.score - _ALIKE or _names_the_same(each.note.slot, best.note.slot))
    }
    for _ in range(_STEPS):
        more: dict[int, StatedClaim] = {}
        for each in found.values():
            linked = (*each.state.predecessors, *(() if each.state.successor is None else (each.state.successor,)))
            for number in linked:
                if number in by_number and number not in found:
                    more[number] = by_number[number]
                    more.update(_beside(by_number[number], each, stated))
        if not more:
            break
        found.update(more)
    return list(found.values())


def _names_the_same(one: str, other: str) -> bool:
    """Tell if two slots are attributes of one thing, one named in fewer words: "calf" and "bull calf"."""
    words, others = one.split(), other.split()
    return words[-1:] == others[-1:] and (set(words) <= set(others) or set(others) <= set(words))


def _beside(ending: StatedClaim, ended: StatedClaim, stated: Sequence[StatedClaim]) -> dict[int, StatedClaim]:
    """Return the claim that took the place of an ended one in the turn that ended it, if it is the only one."""
    if not ending.ends:
        return {}
    others = [
        each
        for each in stated
        if each.note.turn == ending.note.turn
        and not each.ends
        and each.note.positive
        and each.note.subject == ended.note.subject
        and each.note.slot != "said"
    ]
    return {others[0].note.number: others[0]} if len(others) == 1 else {}


def ids_of(sources: Sources, turns: Sequence[int]) -> tuple[str, ...]:
    """Return the ids of turns by sequence number."""
    found = sources.corpus.kept.of(turns)
    return tuple(found[seq].id for seq in turns if seq in found)


def evidence_of_turns(sources: Sources, turns: Sequence[int], found: Sequence[Evidence]) -> list[Evidence]:
    """Return the evidence of some turns, of those found, else as it would be found."""
    ids = ids_of(sources, turns)
    known = [each for each in found if each.id in ids]
    lacking = set(ids) - {each.id for each in known}
    score = max((each.score for each in found), default=0.0)
    missing = [turn for turn in sources.corpus.kept.of(turns).values() if turn.id in lacking]
    return [*known, *(turn_evidence(turn, score, Why((CLAIMS,), {})) for turn in missing)]
