"""Answers by the tree: the part of a statement's clause that fills the gap of the question's clause.

"What did Maria adopt?" has the clause *adopt* with the subject *Maria* and a gap for its object; Maria's "I adopted a
puppy in June" has the same clause with the gap filled: *a puppy*. An elliptical reply fills the gap of the question
before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from hmem.language.analyst.answer_reader import NO_MATCH, CandidateSentence, StatementLine, TreeMatch
from hmem.language.english.answers.constituents import BECAUSE, PLACES, phrase, tree_phrases
from hmem.language.english.inflection import root
from hmem.language.english.meaning.clauses import MODALITIES, PHASES, Clause, clauses
from hmem.language.english.meaning.reference import FIRST, GROUP, SECOND
from hmem.language.english.parser import parse
from hmem.language.english.tree import Sentence, Token

Gap = Literal["subject", "object", "oblique", "place", "reason", "manner", "count", "identity", "activity", "polar"]
Span = tuple[int, int]

_ADVERBS: Final[dict[str, Gap]] = {"where": "place", "why": "reason", "how": "manner", "when": "polar"}
_BEING: Final = frozenset({"is", "are", "was", "were", "'s", "am"})
_HELPERS: Final = _BEING | frozenset(
    {"do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "should", "might", "may", "'ll", "'d"}
)
_CHAINING: Final = frozenset([*PHASES, *MODALITIES]) - {"be", "have", "do", "get", "go", "look", "use"}
_NOMINAL: Final = frozenset({"ADP", "ADJ", "NOUN", "DET", "PROPN", "PRON", "NUM"})
# Most characters of a line that is read: a longer one is no sentence of talk.
_LONGEST_LINE: Final = 400
# Most words of the phrase that a question begins with.
_LONGEST: Final = 6
_WH: Final = frozenset({"who", "whom", "what", "which", "whose", "where", "why", "how", "when"})
_SORTS: Final = frozenset({"kind", "type", "sort", "name", "one", "form", "style"})
_LIGHT: Final = frozenset({"do", "be", "have", "get", "make", "take", "go"})
_EMPTY: Final = frozenset({"DET", "ADP", "PUNCT", "AUX", "PART", "CCONJ", "SCONJ", "PRON", "INTJ", "SYM"})
_OPEN: Final = frozenset({"it", "that", "this", "them", "he", "she", "they", "who", "which", "what"})

# Weights of what a match consists of: the verb, the other words, and who it is about.
_VERB, _REST, _WHO = 0.4, 0.4, 0.2
# A pronoun that may mean the one asked about.
_PERHAPS: Final = 0.5


@dataclass(frozen=True, slots=True)
class Asking:
    """Clause of a question with its gap.

    ``marker`` is the preposition of an oblique gap, ``sort`` the root of the noun that the answer is one of,
    ``subject`` the roots of who is asked about, ``rest`` those of all other words but the verb's.
    """

    gap: Gap
    verb: str
    marker: str
    sort: str
    subject: frozenset[str]
    rest: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Said:
    """Speaker of a line, as roots of names, for its "I"; ``hearer`` for its "you"."""

    speaker: frozenset[str]
    hearer: frozenset[str] = frozenset()

    def roots(self, tokens: Iterable[Token]) -> frozenset[str]:
        """Return the roots of words, with names for "I", "my" and "you"."""
        found = set(_roots(tokens))
        for each in tokens:
            if each.lower in FIRST or each.lower in GROUP:
                found |= self.speaker
            elif each.lower in SECOND:
                found |= self.hearer
        return frozenset(found)


def matches(question: str, statements: Sequence[CandidateSentence]) -> list[TreeMatch]:
    """Return the match of each statement's clauses with the clause of a question."""
    asked = asking(question)
    read = [each for each in statements if len(each.line.text) <= _LONGEST_LINE]
    befores = [each.before.text for each in read if each.before is not None and len(each.before.text) <= _LONGEST_LINE]
    # All at once, which is faster.
    parse([*(each.line.text for each in read), *befores])
    return [_match(asked, each) if len(each.line.text) <= _LONGEST_LINE else NO_MATCH for each in statements]


def fills_of(question: str, text: str) -> list[str]:
    """Return what fills the gap of a question in a sentence that names its subject, of the clause that matches best."""
    asked = asking(question)
    if asked is None or len(text) > _LONGEST_LINE:
        return []
    best, found = 0.0, list[str]()
    for sentence in parse([text])[0].sentences:
        for clause in clauses(sentence):
            score = _alike(asked, clause, _Said(frozenset()))
            if score > best:
                best, found = score, [text[first:last] for first, last in _fill(asked, clause)]
    return found


def _match(asked: Asking | None, statement: CandidateSentence) -> TreeMatch:
    match = NO_MATCH if asked is None else _best(asked, statement)
    return match._replace(phrases=tree_phrases(statement.line.text))


def _best(asked: Asking, statement: CandidateSentence) -> TreeMatch:
    line, before, speaker = statement.line, statement.before, statement.evidence.speaker or ""
    said = _Said(frozenset(root(part.lower()) for part in speaker.split()), asked.subject)
    short = before is not None and len(before.text) <= _LONGEST_LINE
    best = _reply(asked, line, before, said) if before is not None and short else NO_MATCH
    for sentence in parse([line.text])[0].sentences:
        for clause in clauses(sentence):
            score = _alike(asked, clause, said)
            if score > best.score:
                best = TreeMatch(score, tuple(_fill(asked, clause)))
    return best


def _reply(asked: Asking, line: StatementLine, before: StatementLine, said: _Said) -> TreeMatch:
    """Return the match of the question that a line answers: then all of the line fills the gap."""
    other = asking(before.text)
    if other is None or other.gap != asked.gap or other.verb != asked.verb:
        return NO_MATCH
    # "You" in a question is who answers it.
    if asked.subject and not asked.subject & (said.speaker | other.subject):
        return NO_MATCH
    words = other.rest | frozenset(_roots(parse([before.text])[0].sentences[-1].tokens))
    share = len(asked.rest & words) / len(asked.rest) if asked.rest else 1.0
    return TreeMatch(_VERB + _REST * share + _WHO, ((0, len(line.text.rstrip(".! "))),))


@lru_cache(maxsize=256)
def asking(question: str) -> Asking | None:
    """Return the clause of a question with its gap, or None if it has none that can be read."""
    sentences = parse([question])[0].sentences
    for sentence in reversed(sentences):
        made = _asking(sentence)
        if made is not None:
            return made
    return None


def _asking(sentence: Sentence) -> Asking | None:
    """Read a question by the order of its words, which is fixed: the parser has seen few questions with names."""
    words = [token for token in sentence if token.upos != "PUNCT" and any(map(str.isalnum, token.text))]
    wh = next((place for place, token in enumerate(words) if token.lower in _WH), None)
    helper = next((place for place, token in enumerate(words) if token.lower in _HELPERS and place >= (wh or 0)), None)
    if wh is None:
        return _after(words, helper, "polar", "", sentence) if helper == 0 else None
    if (
        helper is None
        or helper + 1 >= len(words)
        or words[helper + 1].upos in {"VERB", "ADV"}
        or helper - wh > _LONGEST
    ):
        return _of_subject(words, wh)
    front = words[wh + 1 : helper]
    return _after(words, helper, _gap(words[wh].lower, front), _sort(front), sentence)


def _gap(word: str, front: Sequence[Token]) -> Gap:
    if word == "how" and front:
        # "How hot", "how long": a number or a degree, which is read otherwise.
        return "count" if any(each.lower in {"many", "much"} for each in front) else "polar"
    return _ADVERBS.get(word, "object")


def _sort(front: Sequence[Token]) -> str:
    nouns = [each for each in front if each.upos in {"NOUN", "PROPN", "ADJ"} and each.lower not in {"many", "much"}]
    return root(nouns[-1].lower) if nouns and nouns[-1].lemma not in _SORTS else ""


def _of_subject(words: Sequence[Token], wh: int) -> Asking | None:
    """Read a question for the subject: "Who adopted Coco?"."""
    verb = next((place for place in range(wh + 1, len(words)) if words[place].upos in {"VERB", "AUX"}), None)
    while verb is not None and verb + 1 < len(words) and words[verb].upos == "AUX" and words[verb + 1].upos == "VERB":
        verb += 1
    if verb is None or words[wh].lower in _ADVERBS:
        return None
    verb = _chained(words, verb)
    rest = frozenset(_roots(words[verb + 1 :]))
    return Asking("subject", root(words[verb].lower), "", _sort(words[wh + 1 : verb]), frozenset(), rest)


def _after(words: Sequence[Token], helper: int, gap: Gap, sort: str, sentence: Sentence) -> Asking | None:
    """Read what follows the auxiliary: the subject, the verb, and the rest."""
    end = _end_of_subject(words, helper + 1, sentence.root.index)
    verb = next((place for place in range(end, len(words)) if words[place].upos not in {"ADV", "AUX"}), None)
    subject = frozenset(_roots(words[helper + 1 : end]))
    being = words[helper].lower in _BEING
    if verb is None or (being and words[verb].upos in _NOMINAL and not words[verb].lower.endswith("ing")):
        if not being or not subject:
            return None
        rest = frozenset(_roots(words[end:]))
        return Asking("identity" if gap == "object" else gap, "be", "", sort, subject, rest)
    verb = _chained(words, verb)
    said = root(words[verb].lower)
    loose = words[-1].lower if words[-1].upos == "ADP" and len(words) - 1 > verb else ""
    if gap == "object" and said == "do":
        gap = "activity"
    elif gap == "object" and loose:
        gap = "oblique"
    return Asking(gap, said, loose, sort, subject, frozenset(_roots(words[verb + 1 :])))


def _end_of_subject(words: Sequence[Token], start: int, top: int) -> int:
    """Return the place behind the subject, which begins at ``start``; ``top`` is the index of the tree's root."""
    end = start
    if end < len(words) and words[end].upos == "PRON" and words[end].relation != "nmod:poss":
        return end + 1
    while end < len(words) and words[end].text[:1].isupper():
        end += 1
        if end < len(words) - 1 and words[end].lower == "and" and words[end + 1].text[:1].isupper():
            end += 1
    if end > start and (end >= len(words) or words[end].lower not in {"'s", "s"}):
        return end
    last = next((place for place in range(end, len(words)) if words[place].index >= top), len(words))
    verb = next((place for place in range(end, len(words)) if words[place].upos == "VERB"), len(words))
    return max(min(last, verb), min(end + 1, len(words)))


def _chained(words: Sequence[Token], verb: int) -> int:
    """Return the place of the last verb of a chain: "want to study", "start making"."""
    while words[verb].lemma.lower() in _CHAINING and verb + 1 < len(words):
        following = verb + 2 if words[verb + 1].lower == "to" else verb + 1
        if following >= len(words) or words[following].upos not in {"VERB", "AUX", "NOUN"}:
            break
        if following == verb + 1 and not words[following].lower.endswith("ing"):
            break
        verb = following
    return verb


def _verb(clause: Clause) -> str:
    return "be" if clause.verb == "be" else root(clause.head.lower)


def _matters(token: Token) -> bool:
    return token.upos not in _EMPTY and token.lower not in _WH and any(map(str.isalnum, token.text))


def _roots(tokens: Iterable[Token]) -> Iterator[str]:
    return (root(word) for each in tokens if _matters(each) and (word := _plain(each.lower)))


def _plain(word: str) -> str:
    return word.removesuffix("'s")


def _alike(asked: Asking, clause: Clause, said: _Said) -> float:
    """Return how well a clause matches the clause of a question, 0 to 1; 0 if it tells of something else."""
    if clause.mood == "condition":
        return 0.0
    who = _about(asked, clause, said)
    if who == 0.0:
        return 0.0
    same, rest = _verb(clause) == asked.verb, asked.rest - {asked.verb}
    words = said.roots(clause.sentence.tokens)
    share = len(rest & words) / len(rest) if rest else float(same)
    if asked.gap == "activity" or asked.verb in _LIGHT:
        return (_VERB * same / 2 + (_REST + _VERB / 2) * share + _WHO * who) if share else 0.0
    return _VERB + _REST * share + _WHO * who if same else 0.0


def _about(asked: Asking, clause: Clause, said: _Said) -> float:
    """Return how surely a clause is about those asked about, 0 to 1."""
    if asked.gap == "subject" or not asked.subject:
        return 1.0
    sentence = clause.sentence
    if clause.subject is None:
        return 1.0 if clause.dropped and asked.subject & said.speaker else 0.0
    subject = sentence.subtree(clause.subject)
    names = said.roots(subject)
    if asked.subject & names:
        return len(asked.subject & names) / len(asked.subject)
    if clause.passive and asked.subject & said.roots(clause.tokens):
        return 1.0
    return _PERHAPS if clause.subject.lower in {"he", "she", "they", "it"} else 0.0


def _fill(asked: Asking, clause: Clause) -> Iterator[Span]:
    """Yield the places, in characters, of what fills the gap of a question in a clause."""
    match asked.gap:
        case "reason":
            found = _reasons(clause)
        case "manner":
            found = _manners(clause)
        case "count":
            found = _counts(asked, clause)
        case "activity":
            found = [_predicate(clause)]
        case "identity":
            found = [clause.head] if clause.copular else []
        case "polar":
            found = []
        case _:
            found = _arguments(asked.gap, asked.marker, clause)
    for each in found:
        tokens = phrase(clause.sentence, each) if isinstance(each, Token) else each
        if tokens and not (len(tokens) == 1 and tokens[0].lower in _OPEN):
            yield tokens[0].start, tokens[-1].end


def _arguments(gap: Gap, marker: str, clause: Clause) -> list[Token]:
    subject = [] if clause.subject is None else [clause.subject]
    obliques = list(clause.all("oblique"))
    match gap:
        case "subject":
            return [each.head for each in clause.all("agent")] if clause.passive else subject
        case "place":
            return [each.head for each in obliques if each.marker in PLACES]
        case "oblique":
            same = [each.head for each in obliques if each.marker == marker]
            return same or [each.head for each in clause.all("oblique", "object")][:1]
        case _:
            found = subject if clause.passive else [each.head for each in clause.all("object", "complement")]
            return found or ([clause.head] if clause.copular else [each.head for each in obliques][:1])


def _predicate(clause: Clause) -> list[Token]:
    """Return the verb with what follows it."""
    ends = {clause.head.index, clause.opening.index}

    def leave(each: Token) -> bool:
        return each.relation.startswith(("punct", "parataxis", "aux", "nsubj", "discourse")) or (
            each.relation in {"conj", "cc"} and each.head in ends
        )

    return clause.sentence.subtree(clause.head, leave)


def _reasons(clause: Clause) -> Iterator[list[Token]]:
    sentence = clause.sentence
    for head in dict.fromkeys((clause.opening, clause.head)):
        for child in sentence.children(head, "advcl"):
            marks = {each.lower for each in sentence.children(child, "mark")}
            if marks & BECAUSE or marks == {"to"}:
                yield sentence.subtree(child, lambda each: each.lower in BECAUSE)
        for child in sentence.children(head, "obl"):
            if {each.lower for each in sentence.children(child, "case")} & {"because", "for", "due"}:
                yield phrase(sentence, child)


def _manners(clause: Clause) -> Iterator[list[Token]]:
    sentence = clause.sentence
    for head in dict.fromkeys((clause.opening, clause.head)):
        for child in sentence.children(head, "advcl", "obl", "advmod"):
            marks = {each.lower for each in sentence.children(child, "mark", "case")}
            if marks & {"by", "with", "through", "via"} or (child.relation == "advmod" and child.lower.endswith("ly")):
                yield sentence.subtree(child)
    complement = clause.find("complement")
    if complement is not None:
        yield phrase(sentence, complement.head)
    elif clause.copular:
        yield phrase(sentence, clause.head)


def _counts(asked: Asking, clause: Clause) -> Iterator[list[Token]]:
    for token in clause.tokens:
        number = clause.sentence.child(token, "nummod") if asked.sort and root(token.lower) == asked.sort else None
        if number is not None:
            yield [number]
