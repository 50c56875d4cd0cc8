"""Sentences shown to people: a clause in the speaker's own words, with pronouns replaced and verbs agreeing.

The tree says which verb agrees with which subject, so "I've got my dog and love him" said by Maria becomes "Maria has
got her dog …" without a guess at the words around. Where a pronoun stays open, or the words are no clause, the words
are quoted: ``Maria: "…"``.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from hmem.language.english.meaning.clauses import Clause
from hmem.language.english.meaning.lists import PERSONS, PETS
from hmem.language.english.meaning.reference import (
    FIRST,
    GROUP,
    POINTING,
    SECOND,
    THIRD,
    Speech,
    possessive,
    resolve,
    shown,
)
from hmem.language.english.tree import Sentence, Token
from hmem.language.english.verb_forms import third_person
from hmem.language.english.word_lists import words

_BE: Final = {"am": "is", "are": "is", "'m": "is", "'re": "is", "m": "is", "re": "is", "were": "was", "aint": "is not"}
_HAVE: Final = {"have": "has", "'ve": "has", "ve": "has", "do": "does"}
_SAME: Final = frozenset(
    [
        "quit",
        "put",
        "cut",
        "set",
        "let",
        "hit",
        "shut",
        "bet",
        "beat",
        "hurt",
        "cost",
        "read",
        "spread",
        "split",
        "burst",
        "cast",
        "rid",
        "bid",
        "shed",
        "will",
        "would",
        "can",
        "could",
        "may",
        "might",
        "must",
        "shall",
        "should",
        "ought",
        "'ll",
        "'d",
        "ca",
        "wo",
        "ll",
        "d",
        "used",
    ]
)
_CLASS: Final = {
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"), **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
    **dict.fromkeys(("it", "its", "itself"), "it"),
}  # fmt: skip
_TIMES: Final = words(
    """
    time day week weekend month year morning afternoon evening night spring summer fall autumn winter season
    semester holiday monday tuesday wednesday thursday friday saturday sunday
    """
)
_OPEN_IT: Final = frozenset({"it", "this", "that"})
_STOPS: Final = frozenset(".!?…,;:-–—")


class Teller:
    """Puts the words of one sentence into the third person."""

    def __init__(self, speech: Speech, sentence: Sentence, clauses: Sequence[Clause]) -> None:
        self.speech = speech
        self.sentence = sentence
        self.clauses = clauses
        self._of: dict[int, Clause] = {token.index: clause for clause in clauses for token in clause.tokens}
        self._resolved: dict[int, str | None] = {}
        self._agreeing = self._verbs()

    def subject(self, clause: Clause) -> str | None:
        """Return who or what is the subject of a clause; None if that is open."""
        token = clause.subject
        if token is None:
            return shown(self.speech.speaker) if clause.dropped else None
        if clause.dropped and clause.inherited:
            return shown(self.speech.speaker)
        if token.has("PronType=Rel") or token.lower in {"who", "which", "that"}:
            head = self.sentence.head(clause.opening)
            if head is not None and clause.kind == "relative":
                return self.noun(head)
        return self.noun(token)

    def noun(self, token: Token) -> str | None:
        """Return a noun or pronoun with what belongs to it, in the third person; None if it is open."""
        if token.upos == "PRON" or token.lower in FIRST | GROUP | SECOND | THIRD:
            if token.lower in FIRST | GROUP | SECOND and self.sentence.child(token, "conj") is None:
                return self._pronoun(token, None)
            if token.lower in THIRD:
                return self._third(token) or self._antecedent(token)
            if token.lower in POINTING:
                return None
        return self.tell(self.sentence.subtree(token, _outside_noun), plain=True)

    def is_open(self, tokens: Iterable[Token]) -> bool:
        """Tell if a pronoun among these words stays open."""
        told = list(tokens)
        first = told[0].index if told else 0
        return any(
            token.lower in THIRD
            and token.upos in {"PRON", "DET"}
            and self._third(token) is None
            and not self._expletive(token)
            and not self._bound(token, first)
            and not self._anybody(token)
            for token in told
        ) or any(
            token.lower in {"one", "ones"}
            and token.upos in {"NOUN", "PRON"}
            and self.sentence.child(token, "det") is not None
            and token.index > 0
            and not self.sentence.children(token, "acl", "nmod", "appos")
            for token in told
        )

    def points(self, tokens: Sequence[Token]) -> bool:
        """Tell if words point at something that the sentence does not name: "that helped", "this bowl", "there"."""
        named = False
        for token in tokens:
            word = token.lower
            if word in POINTING and not named and (token.has("PronType=Dem") or token.relation == "det"):
                if token.relation != "det" or self.sentence[token.head].lemma.lower() not in _TIMES:
                    return True
            elif word == "there" and token.upos == "ADV" and not named:
                return True
            named = named or token.upos in {"NOUN", "PROPN"}
        return False

    def generalises(self, tokens: Iterable[Token]) -> bool:
        """Tell if "you" among these words means people in general, and nothing else is said of the speaker."""
        told = list(tokens)
        return any(token.lower in SECOND and self._anyone(self._of.get(token.index)) for token in told) and not any(
            token.lower in FIRST | GROUP for token in told
        )

    def tell(self, tokens: Sequence[Token], *, lead: str = "", plain: bool = False) -> str:
        """Return words in the third person, behind a subject ``lead`` that they lack."""
        parts: list[str] = [lead] if lead else []
        last: Token | None = None
        for token in tokens:
            said = self._word(token, plain=plain)
            if last is None and lead and token.upos != "PROPN" and not token.text.isupper():
                said = said[:1].lower() + said[1:]
            joined = last is not None and last.end == token.start and not said.startswith(" ")
            parts.append(said.strip() if joined else f" {said.strip()}")
            last = token
        return " ".join("".join(parts).split())

    def _word(self, token: Token, *, plain: bool) -> str:
        word = token.lower
        if token.upos in {"PRON", "DET"} or word in {"i", "im"}:
            if word in FIRST or word in GROUP or word in SECOND:
                return self._pronoun(token, self._of.get(token.index), plain=plain)
            if word in THIRD and not self._bound(token):
                found = self._third(token)
                if found is not None and not self._expletive(token):
                    return possessive(found) if token.has("Poss=Yes") else found
        if token.index in self._agreeing:
            return self._agreed(token, singular=self._agreeing[token.index])
        if word in {"'ll", "'d", "'ve", "'re", "'m"} and self._is_replaced(token):
            return " " + self._agreed(token, singular=False)
        if word == "ta" and token.index - 1 in self._agreeing:
            return " to"
        return token.text

    def _is_replaced(self, token: Token) -> bool:
        before = self.sentence[token.index - 1] if token.index else None
        if before is None:
            return False
        return before.lower in FIRST | GROUP | SECOND or (
            before.lower in THIRD and not self._bound(before) and self._third(before) is not None
        )

    def _agreed(self, token: Token, *, singular: bool) -> str:
        word = token.lower
        if word in {"'d", "d"}:
            head = self.sentence[token.head]
            return " had" if head.has("VerbForm=Part") or head.lower == "better" else " would"
        if word in {"'ll", "ll"}:
            return " will"
        if word == "got":
            return "has" if singular else "have"
        if not singular:
            return {"'re": " are", "'ve": " have", "'m": " am"}.get(word, token.text)
        spaced = " " if word.startswith("'") or word in {"m", "ve", "re"} else ""
        return spaced + (_BE.get(word) or _HAVE.get(word) or third_person(word))

    def _pronoun(self, token: Token, clause: Clause | None, *, plain: bool = False) -> str:
        word, speech = token.lower, self.speech
        if word in FIRST:
            name = shown(speech.speaker)
            if word == "myself":
                return "themself"
            if word in {"my", "mine"}:
                their = "theirs" if word == "mine" else "their"
                return their if not plain and self._own(clause, FIRST | GROUP, token) else possessive(name)
            return name
        if word in GROUP:
            if word == "ourselves":
                return "themselves"
            if word in {"our", "ours"}:
                return (
                    "their"
                    if not plain and self._own(clause, FIRST | GROUP, token)
                    else possessive(shown(speech.speaker))
                )
            return speech.together or f"{shown(speech.speaker)} and others"
        if speech.hearer is None or self._anyone(clause):
            return token.text
        name = shown(speech.hearer)
        if word in {"your", "yours", "ur"}:
            return possessive(name)
        return "themself" if word in {"yourself", "yourselves"} else name

    def _own(self, clause: Clause | None, persons: frozenset[str], token: Token) -> bool:
        """Tell if the subject of a possessive's clause is its owner, and stands before it."""
        if clause is None:
            return False
        if clause.dropped:
            return True
        subject = clause.subject
        if subject is None or subject.index == token.head:
            return False
        behind = self.sentence.tokens[token.index + 1 : token.index + 2]
        if (
            behind
            and behind[0].lower == "own"
            and any(
                each.lower in persons and each.relation.startswith("nsubj")
                for each in self.sentence.tokens[: token.index]
            )
        ):
            return True
        return subject.lower in persons and (
            subject.index < token.index or (clause.inherited and clause.kind == "adverbial")
        )

    def _anyone(self, clause: Clause | None) -> bool:
        """Tell if "you" means people in general: in a condition, or beside a verb of general truth."""
        if clause is None:
            return False
        if clause.mood == "condition":
            return True
        subject = clause.subject
        return (
            subject is not None
            and subject.lower in SECOND
            and clause.tense == "present"
            and clause.kind != "main"
            and not any(each.lower in FIRST | GROUP for each in self.sentence)
        )

    def _third(self, token: Token) -> str | None:
        if token.index not in self._resolved:
            self._resolved[token.index] = resolve(self.speech, token)
        return self._resolved[token.index]

    def is_told(self, clause: Clause) -> bool:
        """Tell if the subject of a clause is "they" that means whoever is in charge."""
        return clause.subject is not None and self._anybody(clause.subject)

    def _anybody(self, token: Token) -> bool:
        """Tell if "they" means whoever is in charge: "they moved me to another room"."""
        clause = self._of.get(token.index)
        return (
            token.lower == "they"
            and clause is not None
            and clause.subject is token
            and any(each.head.lower in FIRST | GROUP for each in clause.all("object", "indirect"))
        )

    def _bound(self, token: Token, first: int = 0) -> bool:
        """Tell if a pronoun means somebody named before it in the same sentence, from its word ``first`` on."""
        word = token.lower
        clause = self._of.get(token.index)
        if (
            token.has("Poss=Yes") and clause is not None and clause.subject is not None
            and clause.subject.index < token.index and _CLASS.get(clause.subject.lower, "") == _CLASS.get(word)
        ):  # fmt: skip
            return True
        if not token.has("Poss=Yes") and word not in {"him", "her", "them", "it", "he", "she", "they"}:
            return False
        person = _CLASS.get(word) in {"he", "she"}
        return any(
            first <= each.index < token.index
            and each.relation.partition(":")[0] in {"nsubj", "obj", "obl", "conj", ""}
            and (each.upos in {"NOUN", "PROPN"})
            and (not person or each.upos == "PROPN" or not {each.lower, each.lemma}.isdisjoint(PERSONS | PETS))
            and (word != "it" or (self._of.get(each.index) is not clause and each not in self.sentence.above(token)))
            and (each.has("Number=Plur") == (word in {"they", "them", "their"}) or word in {"they", "them", "their"})
            for each in self.sentence
        )

    def _antecedent(self, token: Token) -> str | None:
        """Return the only person named before a pronoun as a subject of its own sentence, None without one."""
        if _CLASS.get(token.lower) not in {"he", "she"}:
            return None
        found = [
            each
            for each in self.sentence.tokens[: token.index]
            if each.upos == "PROPN" and each.relation.startswith("nsubj") and self.sentence.child(each, "conj") is None
        ]
        return self.noun(found[0]) if len(found) == 1 else None

    def _expletive(self, token: Token) -> bool:
        if token.lower != "it":
            return False
        head = self.sentence[token.head]
        if token.relation.startswith("expl"):
            # "It was a reading" is none; "it was great to see you" and "it rains" are.
            below = self.sentence.child(head, "advcl", "csubj", "ccomp", "xcomp", "acl")
            return below is not None or head.upos not in {"NOUN", "PROPN"}
        weather = {
            "rain",
            "snow",
            "time",
            "fun",
            "day",
            "clear",
            "late",
            "hard",
            "easy",
            "nice",
            "great",
            "turn",
            "seem",
            "feel",
            "take",
            "important",
        }
        return (
            token.relation.startswith("nsubj")
            and head.lemma.lower() in weather
            and self.sentence.child(head, "advcl", "csubj", "ccomp", "xcomp") is not None
        )

    def _verbs(self) -> dict[int, bool]:
        """Return the verbs that must agree with a subject that becomes a name; true for a singular one."""
        found: dict[int, bool] = {}
        for clause in self.clauses:
            opening = clause.opening
            if [each.lower for each in self.sentence.tokens[opening.index : opening.index + 2]] == ["got", "ta"]:
                found[opening.index] = self._number(clause) or False
                continue
            verb = self._finite(clause)
            if clause.inherited and not (clause.dropped or self.sentence.child(clause.opening, "cc")):
                continue
            if verb is None or verb.lower in _SAME or verb.lower == "be" or self._below_auxiliary(clause):
                continue
            number = self._number(clause)
            if number is None:
                continue
            if not number and verb.lower not in {"'re", "'ve", "'m", "am"}:
                continue
            if (verb.has("Tense=Past") and verb.lower not in _BE) or verb.lower.endswith("ing"):
                continue
            if verb.lower.endswith("s") and verb.lower != "'s":
                continue
            if verb.lower == "'s" or verb.lower in {"is", "was", "has", "does"}:
                continue
            if verb.index and self.sentence[verb.index - 1].lower == "to":
                continue
            found[verb.index] = number
        self._behind_first(found)
        return found

    def _behind_first(self, found: dict[int, bool]) -> None:
        """Add the verbs right behind "I" where the tree lost them: "who I really am"."""
        tokens = self.sentence.tokens
        for token in tokens:
            if token.text not in {"I", "i"} or self.sentence.child(token, "conj") or token.relation == "conj":
                continue
            at = token.index + 1
            while at < len(tokens) and tokens[at].upos == "ADV":
                at += 1
            verb = tokens[at] if at < len(tokens) else token
            if (
                verb.upos in {"VERB", "AUX"}
                and verb.has("VerbForm=Fin")
                and (verb.has("Tense=Pres") or verb.lower == "am")
                and verb.lower not in _SAME
                and not verb.lower.endswith("s")
            ):
                found.setdefault(verb.index, True)

    def _below_auxiliary(self, clause: Clause) -> bool:
        """Tell if a verb is no finite one whatever the parser says: "made me feel", "should try or pay a visit"."""
        parent = clause.parent
        if parent is None or not clause.inherited or clause.auxiliaries:
            return False
        # A base form goes on behind "to" or "will", but not behind "is thinking" or "hosting".
        bare = {each.lower for each in self.sentence.tokens[parent.opening.index - 1 : parent.opening.index]} == {"to"}
        helped = any(each.lower in _SAME or each.lemma == "do" for each in parent.auxiliaries)
        before = self.sentence.tokens[(clause.subject or clause.opening).index : clause.opening.index]
        infinitive = bare or parent.opening.has("VerbForm=Inf") or any(each.lower == "to" for each in before)
        if parent.progressive and clause.opening.has("VerbForm=Fin"):
            return False
        contrasted = any(each.lower in {"but", "so"} for each in self.sentence.children(clause.opening, "cc"))
        return clause.kind == "complement" or (
            clause.kind == "coordinate" and not contrasted and ((helped and not parent.copular) or infinitive)
        )

    def _number(self, clause: Clause) -> bool | None:
        """Tell if a subject in the first or second person becomes a singular; None for another subject."""
        token = clause.subject
        if token is None or (clause.dropped and clause.inherited):
            return True if clause.dropped else None
        word = token.lower
        if self.sentence.child(token, "conj") is not None or token.relation == "conj":
            return None if word not in FIRST else False
        if word in FIRST:
            return True
        if word in SECOND:
            return (
                True if self.speech.hearer is not None and not self._anyone(clause) and word in {"you", "u"} else None
            )
        if word in GROUP:
            return False
        if word in _OPEN_IT or token.upos != "PRON":
            return None
        return None

    def _finite(self, clause: Clause) -> Token | None:
        """Return the word of a clause that agrees with its subject."""
        first = next(iter(sorted(clause.auxiliaries, key=lambda each: each.index)), None)
        own = [each for each in clause.auxiliaries if each.head == clause.opening.index]
        if own:
            return min(own, key=lambda each: each.index)
        if clause.opening.upos in {"VERB", "AUX"} and (
            clause.opening.has("VerbForm=Fin") or clause.opening.has("VerbForm=Inf")
        ):
            marked = any(each.lower == "to" for each in self.sentence.children(clause.opening, "mark"))
            return None if marked else clause.opening
        return first if first is not None and clause.opening is clause.head else None


def _outside_noun(token: Token) -> bool:
    return token.relation.partition(":")[0] in {
        "acl", "parataxis", "cop", "nsubj", "aux", "advcl", "case", "mark", "punct", "discourse", "obl", "expl",
        "advmod", "cc" if token.relation == "cc:preconj" else "", "ccomp", "csubj",
    } and not (token.relation == "case" and token.lower in {"'s", "'"})  # fmt: skip


def sentence_of(text: str) -> str:
    """Return a clause as a sentence: a capital first, one full stop last."""
    plain = text.strip().strip(",;:–—- ").strip()
    while plain and plain[0] in _STOPS:
        plain = plain[1:].lstrip()
    if not plain:
        return ""
    plain = plain[:1].upper() + plain[1:]
    return plain if plain[-1] in '.!?…"' else plain + "."


def quoted(speaker: str, words: str) -> str:
    """Return words as they were said."""
    said = " ".join(words.split()).replace('"', "'")
    return f'{shown(speaker)[:1].upper()}{shown(speaker)[1:]}: "{said}"'
