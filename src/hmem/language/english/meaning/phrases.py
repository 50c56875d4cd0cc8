"""Phrases as values: the words of a noun or a verb that a claim holds, without what belongs to its clause."""

from collections.abc import Sequence
from typing import Final

from hmem.language.english.gazetteer import DAYS_AND_MONTHS
from hmem.language.english.meaning.clauses import Clause
from hmem.language.english.meaning.lists import KIN, ROLES, UNITS
from hmem.language.english.meaning.name_lists import is_common
from hmem.language.english.meaning.reference import FIRST, GROUP, SECOND, THIRD
from hmem.language.english.meaning.slots import BY_NOUN
from hmem.language.english.meaning.telling import Teller
from hmem.language.english.tree import NOT_BUT, Sentence, Token
from hmem.language.english.word_lists import words

# A time without a preposition is the clause's, though the parser may hang it on the noun: "moved to Lisbon last month".
_TIMES_OF_NOUNS: Final = frozenset({"nmod:unmarked", "nmod:tmod"})

_NO_VALUE: Final = frozenset(
    ("acl", "parataxis", "cop", "nsubj", "aux", "advcl", "mark", "discourse", "expl", "conj", "cc", "obl")
)

# Adjectives and nouns that only say which of the common ones a thing is: "mobile number", "home address".
_PLAIN: Final = words("phone mobile cell email e-mail postal job monthly home telephone")

# Prepositions of what a thing is of or for: "the budget for the fair".
_OF_WHAT: Final = words("of for in at on")
_BESIDE: Final = words("parataxis discourse vocative reparandum") | {NOT_BUT}


def verb_phrase(clause: Clause, teller: Teller, *, bare: bool = False, timeless: bool = False) -> str:
    """Return the words behind the subject of a clause, from its main verb on; ``timeless``: without when."""
    begin = clause.head.index if not clause.copular else min(
        [clause.head.index, *(each.index for each in clause.auxiliaries)]
    )  # fmt: skip
    own, top = {clause.head.index, clause.opening.index}, clause.head
    if clause.modality and clause.phase == "stop":
        # What is meant to stop is no goal: "I want to stop smoking".
        top = clause.sentence[clause.head.head]
        begin, own = min(begin, top.index), own | {top.index}

    def leave(each: Token) -> bool:
        if each.head not in own:
            return each.relation in _BESIDE
        return outside(each) or (timeless and _tells_when(each))

    tokens = clause.sentence.subtree(top, leave)
    tokens = [each for each in tokens if each.index >= begin]
    if bare:
        particle = {each.index for each in clause.sentence.children(clause.head, "compound:prt")}
        tokens = [each for each in tokens if each.index != clause.head.index and each.index not in particle]
        while tokens and tokens[0].upos in {"ADP", "PART"}:
            tokens = tokens[1:]
    return teller.tell(tokens, plain=True)


def _tells_when(token: Token) -> bool:
    """Tell if a dependent of a verb tells when: "last year", "in January", "three months ago", "recently"."""
    if token.relation.partition(":")[0] not in {"obl", "advmod"}:
        return False
    named = {token.lower, token.lemma.lower()} & (DAYS_AND_MONTHS | UNITS)
    return token.relation == "advmod" or token.relation in {"obl:unmarked", "obl:tmod"} or bool(named) or is_year(token)


def value_of(head: Token, teller: Teller) -> str:
    """Return a noun phrase as a value: without preposition, article and relative clause."""
    sentence = teller.sentence
    if head.upos == "PRON" or head.lower in THIRD | FIRST | SECOND | GROUP:
        return teller.noun(head) or ""
    left = any(each.lower == "from" for each in sentence.children(head, "case"))
    tokens = sentence.subtree(
        head,
        lambda each: (
            (outside_value(each) and not _is_called(each, sentence))
            or (left and each.relation == "nmod" and first_word(each, sentence) == "to")
        ),
    )
    if not any(each.index > head.index and each.relation == "appos" for each in tokens):
        tokens = [
            each
            for each in tokens
            if each.upos != "PUNCT" or each.text in {"-", "'", "/", "$", "%", "&"} or _inner(each, tokens)
        ]
    tokens = written_on(tokens, sentence)
    before = {"a", "an", "the", "not"}
    while tokens and (tokens[0].relation in {"det", "case", "mark", "punct"} or tokens[0].lower in before):
        tokens = tokens[1:]
    said = teller.tell(tokens, plain=True)
    if not tokens or tokens[0].index or tokens[0].upos == "PRON" or tokens[0].text.isupper():
        return said
    named = tokens[0].upos == "PROPN" and not is_common(tokens[0].lower)
    return said if named else said[:1].lower() + said[1:]


def slot_of(noun: Token, sentence: Sentence) -> str:
    """Return a noun with its adjectives and of what it is, without whose: "github handle", "fair budget"."""
    of = [
        each.lower
        for below in sentence.children(noun, "nmod")
        if below.index > noun.index and _is_what_it_is_of(below, sentence)
        for each in sentence.subtree(below, outside_value)
        if each.lower not in FIRST | GROUP and each.upos not in {"DET", "PUNCT", "ADP", "PRON", "PART"}
    ]
    found = [*of] + [
        each.lower
        for each in sentence.subtree(noun, lambda each: outside_value(each) or each.relation == "nmod:poss")
        if each.index <= noun.index
        and each.lower not in FIRST | GROUP
        and each.upos not in {"DET", "PUNCT", "ADP"}
        and each.lower not in {"new", "current", "own", "'s"}
    ]
    phrase, lemma = " ".join(found), noun.lemma.lower()
    plain = len(found) == 1 or bool(found and found[0] in _PLAIN)
    slot = BY_NOUN[lemma] if plain and lemma in BY_NOUN and lemma not in KIN | ROLES else phrase
    if found and found[0] in {"favourite", "favorite", "fav", "fave"}:
        return "favourite " + " ".join(found[1:])
    return slot


def _is_what_it_is_of(token: Token, sentence: Sentence) -> bool:
    """Tell if a noun below another one tells which that is, not when: "the budget for the fair", not "in May"."""
    timed = {token.lower, token.lemma.lower()} & (DAYS_AND_MONTHS | UNITS)
    cases = {each.lower for each in sentence.children(token, "case")}
    return not timed and not is_year(token) and bool(cases & _OF_WHAT)


def outside(token: Token) -> bool:
    """Tell if a word below a predicate is none of what is said of its subject: auxiliaries, marks, asides."""
    return (
        (
            token.relation.partition(":")[0]
            in {"nsubj", "csubj", "aux", "cop", "parataxis", "discourse", "vocative", "punct", "expl", "cc"}
            and not (token.relation == "punct" and token.text in {"-", "/", "$", "%"})
        )
        or (token.relation == "conj" and token.upos in {"VERB", "AUX"})
        or token.relation == NOT_BUT
        or (token.relation == "mark" and token.lower in {"to", "that"})
        or token.relation == "advcl"
    )


def _is_called(token: Token, sentence: Sentence) -> bool:
    """Tell if a clause about a noun gives its name: "a startup called Plinth"."""
    if token.relation != "acl" or token.lower not in {"called", "named"}:
        return False
    return any(each.upos == "PROPN" for each in sentence.children(token))


def outside_value(token: Token) -> bool:
    """Tell if a word below a noun is none of a value: a clause about it, or the time of its clause."""
    if token.relation in _TIMES_OF_NOUNS and token.lemma.lower() in UNITS:
        return True
    return token.relation.partition(":")[0] in _NO_VALUE


def _inner(token: Token, tokens: Sequence[Token]) -> bool:
    """Tell if a mark stands between two words of a phrase."""
    places = [each.index for each in tokens if each.upos != "PUNCT"]
    return bool(places) and places[0] < token.index < places[-1]


def first_word(head: Token, sentence: Sentence) -> str:
    """Return the first word of a phrase: its preposition, though the parser may give that to a word within it."""
    return sentence.subtree(head)[0].lower


def written_on(tokens: list[Token], sentence: Sentence) -> list[Token]:
    """Return words with what is written on to the last one: "-codes" to "priya", "may" to "14"."""
    found = list(tokens)
    while found and found[-1].index + 1 < len(sentence):
        last, following = found[-1], sentence[found[-1].index + 1]
        glued = last.end == following.start and (
            last.text in {"-", "_", "/"} or (following.text in {"-", "_", "/"} and following.index + 1 < len(sentence))
        )
        if not glued and not (last.text.isdigit() and following.lower in DAYS_AND_MONTHS):
            break
        found.append(following)
    return found


def is_labelled(token: Token, sentence: Sentence) -> bool:
    """Tell if a noun is one of its kind by a number, or is an address: "port 5433", "version 2.1", "10.0.0.5"."""
    if token.text[0].isdigit():
        return any(each in token.text for each in "./") or token.text.count(":") > 1
    below = (
        each
        for each in sentence.children(token, "nmod:unmarked", "nummod", "appos", "flat")
        if each.index > token.index
    )
    return token.upos in {"NOUN", "PROPN"} and any(each.text[0].isdigit() for each in below)


def is_year(token: Token) -> bool:
    """Tell if a word is a year in four digits."""
    return token.upos == "NUM" and token.text.isdigit() and len(token.text) == len("2021")
