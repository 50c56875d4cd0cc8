"""Importance of a turn, 1 to 10, by what it claims, orders and promises (HMO, formation).

- 8 to 10: health, what is always to be done, promises, who somebody is and who is close to them, a change of state.
- 5 to 7: preferences, habits, plans, possessions, and what is told with a name, a number or a date.
- 1 to 4: what is told in general, meals, questions, formulas of conversation.

A turn is worth what the best of its claims is worth. What touches the persona of its speaker is worth more.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import Claim, Curation, Passage
from hmem.language.english.courtesies import is_courtesy
from hmem.language.english.curation import telling
from hmem.language.english.gazetteer import is_given
from hmem.language.english.meaning.changes import ENDING_SLOTS
from hmem.language.english.meaning.claims import LASTING
from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.lists import KIN, ROLES
from hmem.language.english.meaning.reference import FIRST, GROUP, SECOND
from hmem.language.english.meaning.slots import AILMENTS, MEDICINES
from hmem.language.english.parser import Parser
from hmem.language.english.standing_orders import is_order, is_standing
from hmem.language.english.tree import Token
from hmem.language.english.word_lists import lines_of, word_set
from hmem.language.english.wording import content_stems, turn_stems
from hmem.language.regex import regex
from hmem.model.turn import Turn

LEAST: Final = 1
GREATEST: Final = 10

_VITAL: Final = 10
_OF_A_PERSON: Final = 9
_CHANGED: Final = 8
_DATED: Final = 7
_OWN: Final = 7
_TASTE: Final = 6
_EXACT: Final = 6
_PLANNED: Final = 5
_TOLD: Final = 4
_TRIVIAL: Final = 3
_FORMULA: Final = 1

# Slots of claims by their worth; of other slots the words tell.
_VITAL_SLOTS: Final = word_set("allergy health medication name instruction")
_PERSONAL_SLOTS: Final = word_set(
    """
    age birthday birthplace gender pronouns nationality religion hometown home address email job employer studies major
    partner child sibling parent expecting diet status salary
    """
) | {"phone number"}

# Illness, treatment and bodily states; and ends of words that name illnesses or medicines.
_PASSING: Final = word_set("flu cold fever cough back knee headache headaches condition drops supplements vitamins")
_HEALTH: Final = ((AILMENTS | MEDICINES) - _PASSING) | word_set(
    """
    allergic diagnosed diagnosis pregnant pregnancy dyslexia disability disabled wheelchair blind deaf surgery operation
    chemo chemotherapy stroke seizure seizures tumor tumour pacemaker dialysis epipen sober rehab transplant miscarriage
    dementia
    """
)
_ILL: Final = regex(
    r"\w{2,}(?:itis|osis|a?emia|lexia|plegia|pathy|algia|sclerosis|lepsy|phrenia|cillin|prazole|statin|sartan|olol"
    r"|azepam|mycin|oxetine|farin)"
)

# Verbs of a change in somebody's life, verbs of one that somebody else makes, and nouns of states that last.
_MILESTONES: Final = word_set(
    """
    adopt die divorce elope emigrate enlist enrol enroll graduate immigrate inherit marry relocate resign retire
    separate wed
    """
) | {"pass away", "take over", "break up", "split up", "give birth"}
_DONE_TO: Final = word_set("promote hire fire accept admit demote") | {"lay off"}
_STATES: Final = word_set(
    """
    leave sabbatical year university college school charge probation parole retirement remission recovery therapy
    treatment hospice debt relationship
    """
)

_PROMISES: Final = word_set("promise commit guarantee vow pledge")
# Verbs of meeting: "I will see you tomorrow" promises nothing.
_MEETING: Final = word_set("see talk speak chat catch meet be know miss love")
_REMINDING: Final = word_set("remind remember forget")
_FREQUENT: Final = word_set(
    """
    always usually never often regularly daily weekly monthly every each mondays tuesdays wednesdays thursdays fridays
    saturdays sundays weekends
    """
)
_WOULD: Final = word_set("would 'd d")
_ABLE: Final = word_set("can ca cannot may must")
_CONSUMING: Final = word_set("have eat drink grab make cook bake order get taste finish")
_ROUTINE: Final = word_set("sleep nap wake shower rain snow walk arrive sit wait rest go come get")

_EXACTLY: Final = frozenset({"number", "date", "name", "length", "correction"})
_UNREAD: Final = "language:"
_ALONE: Final = {"question": 4, "picture": 4, "answer": 3}
_VAGUE_WORDS: Final = 1

# Numbers of words shared with the persona: each threshold that is reached adds one.
_SHARED: Final = (2, 4)


def importance(
    parser: Parser, passage: Passage, persona: str, curations: Sequence[Curation], claims: Sequence[Sequence[Claim]]
) -> list[int]:
    """Return the importance of each wanted turn, given its curation and claims.

    ``persona`` is the text of the speaker's, "" for an unknown one.
    """
    known = _known(persona)
    rows = zip(passage.wanted, curations, claims, strict=True)
    return [_importance(parser, turn, curation, made, known) for turn, curation, made in rows]


@lru_cache(maxsize=256)
def _known(persona: str) -> frozenset[str]:
    """Return the content stems of a persona; cached, for it stays the same during a session."""
    return frozenset(telling(content_stems(persona)))


def _importance(
    parser: Parser, turn: Turn, curation: Curation, claims: Sequence[Claim], persona: frozenset[str]
) -> int:
    words = telling(turn_stems(turn))
    if not curation.memorable:
        return _FORMULA if len(words) <= _VAGUE_WORDS else _FORMULA + 1
    worth = _worth(parser, turn, curation, claims)
    shared = sum(word in persona for word in words)
    return max(LEAST, min(GREATEST, worth + sum(shared >= least for least in _SHARED)))


def _worth(parser: Parser, turn: Turn, curation: Curation, claims: Sequence[Claim]) -> int:
    """Return the worth of the best claim, order, promise or habit; without any, by the reasons of curation."""
    if any(reason.startswith(_UNREAD) for reason in curation.reasons):
        return _PLANNED
    found = [clause for sentence in parser.parse([turn.text])[0].sentences for clause in clauses(sentence)]
    best = max((*(_of_claim(each, turn.speaker) for each in claims), *map(_of_clause, found)), default=0)
    if best:
        return best
    told = [clause for clause in found if clause.mood != "question"]
    if found and not told:
        return _ALONE["question"]
    if told and all(map(_is_commonplace, told)):
        return _TRIVIAL
    if not _EXACTLY.isdisjoint(curation.reasons):
        return _EXACT
    return _TOLD if "statement" in curation.reasons else _ALONE.get(next(iter(curation.reasons), ""), _TRIVIAL)


def _of_claim(claim: Claim, speaker: str) -> int:
    """Return the worth of a claim by its slot, 0 of one that is about nobody or tells only what somebody did."""
    if claim.slot == "said" or not _is_personal(claim.subject, speaker):
        return 0
    words = f"{claim.slot} {claim.value}".lower().split()
    if claim.slot in _VITAL_SLOTS or any(map(_is_of_health, words)):
        return _VITAL
    if claim.slot in _PERSONAL_SLOTS or (claim.slot == "have" and any(map(_is_kin, words))):
        return _OF_A_PERSON
    if claim.slot in ENDING_SLOTS or (not claim.positive and claim.kind == "profile"):
        return _CHANGED
    if claim.slot == "plan":
        return _DATED if claim.valid is not None else _PLANNED
    if claim.kind == "preference":
        return _TASTE
    if claim.kind == "profile":
        return _OWN if claim.slot in LASTING or any(map(str.isdigit, claim.value)) else _TASTE
    return 0


def _is_personal(subject: str, speaker: str) -> bool:
    """Tell if a claim is about the speaker, somebody or something of theirs, or somebody by name."""
    return subject == speaker or subject.startswith(f"{speaker}'s ") or is_given(subject.partition(" ")[0].lower())


def _is_of_health(word: str) -> bool:
    bare = word.strip(".,;:!?'\"()")
    return bare in _HEALTH or _ILL.fullmatch(bare) is not None


def _is_kin(word: str) -> bool:
    return word in KIN or word.removesuffix("s") in KIN


def _of_clause(clause: Clause) -> int:
    """Return the worth of what a clause asks to be done for good, promises, or tells of somebody's life or habits."""
    words = {token.lower for token in clause.sentence}
    own = {token.lower for token in clause.tokens}
    if is_standing(clause):
        return _VITAL
    if is_order(clause):
        return _OWN if clause.verb in _REMINDING and not FIRST.isdisjoint(words) else 0
    if "rather" in own and not own.isdisjoint(_WOULD):
        return _TASTE
    if not clause.stated or not _is_of_somebody(clause):
        return 0
    if clause.negated and clause.verb in _CONSUMING and not own.isdisjoint(_ABLE):
        return _VITAL
    if any(map(_is_of_health, own)) and not clause.modality:
        return _VITAL
    if _is_promise(clause, own | words if clause.verb in _PROMISES else own):
        return _OF_A_PERSON
    if _changes_a_life(clause):
        return _CHANGED
    if clause.tense == "present" and not clause.progressive and not _FREQUENT.isdisjoint(own):
        return _TASTE
    judged = clause.verb == "find" and clause.tense == "present" and clause.find("complement") is not None
    return _TASTE if judged else 0


def _is_of_somebody(clause: Clause) -> bool:
    """Tell if a clause is about the speaker, a relative, or somebody by name."""
    token = clause.subject
    if token is None:
        return clause.dropped
    owner = clause.sentence.child(token, "nmod:poss")
    return (
        token.lower in FIRST | GROUP
        or token.upos == "PROPN"
        or bool({token.lower, token.lemma.lower()} & (KIN | ROLES))
        or (owner is not None and owner.lower in FIRST | GROUP)
    )


def _is_promise(clause: Clause, words: set[str]) -> bool:
    """Tell if a clause promises, in so many words or as what the speaker will do for the one spoken to."""
    if clause.subject is None or clause.subject.lower not in FIRST | GROUP or is_courtesy(clause.sentence.words):
        return False
    if clause.verb in _PROMISES or clause.opening.lemma.lower() in _PROMISES:
        return clause.tense != "past"
    done_for = not SECOND.isdisjoint(words) and clause.verb not in _MEETING
    return clause.tense == "future" and done_for and not clause.negated


def _changes_a_life(clause: Clause) -> bool:
    """Tell if a clause says that somebody's life has changed or changes, or in which lasting state they are."""
    if clause.modality or clause.negated:
        return False
    if clause.verb in _MILESTONES or (clause.verb in _DONE_TO and (clause.passive or clause.phase)):
        return True
    return clause.verb == "be" and clause.head.lemma.lower() in _STATES and _has_preposition(clause, clause.head)


def _has_preposition(clause: Clause, token: Token) -> bool:
    return clause.sentence.child(token, "case") is not None


def _is_commonplace(clause: Clause) -> bool:
    """Tell if a clause tells of a meal or a daily errand, or how something is, and names nobody."""
    if any(token.upos == "PROPN" or token.upos == "NUM" for token in clause.tokens):
        return False
    if clause.verb in _CONSUMING and any(token.lemma.lower() in _food() for token in clause.tokens):
        return True
    plain = clause.verb == "be" and clause.head.upos in {"ADJ", "ADV"}
    return plain or (clause.verb in _ROUTINE and clause.find("object") is None)


@lru_cache(maxsize=1)
def _food() -> frozenset[str]:
    """Return the words for food and meals."""
    line = next(line for line in lines_of("domains.txt") if line.startswith("food"))
    return frozenset(word.removeprefix("=") for word in line.partition(":")[2].replace("|", " ").split())
