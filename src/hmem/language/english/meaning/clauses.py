"""Clauses of a sentence: a predicate with its arguments by role, and how it is meant.

Verbs that only say that something begins, ends, is wanted or planned make one clause with the verb that they open:
"started learning Spanish" is *learn* in its phase ``start``, "wants to move to Porto" is *move* in the modality
``want``. Coordinated verbs share a subject; a relative clause has its noun as subject or object.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from typing import Final, Literal

from hmem.language.english.tree import NOT_BUT, ROOT, Sentence, Token

Role = Literal["subject", "object", "indirect", "oblique", "agent", "complement", "when"]
Kind = Literal["main", "coordinate", "complement", "adverbial", "relative", "aside"]
Mood = Literal["statement", "question", "order", "condition"]
Tense = Literal["past", "present", "future", ""]

# Relations by which a verb heads a clause.
_CLAUSES: Final = frozenset(
    (
        *(ROOT, "conj", "ccomp", "xcomp", "advcl", "advcl:relcl", "acl", "acl:relcl", "csubj", "csubj:pass"),
        *("parataxis", "appos", "list", "discourse", "reparandum", "dislocated"),
    )
)
_SUBJECTS: Final = frozenset({"nsubj", "nsubj:pass", "nsubj:outer", "csubj", "csubj:pass", "expl"})
_KINDS: Final[dict[str, Kind]] = {
    "conj": "coordinate", "ccomp": "complement", "xcomp": "complement", "csubj": "complement", "advcl": "adverbial",
    "acl": "relative", "parataxis": "aside", "appos": "aside", "list": "aside", "discourse": "aside",
}  # fmt: skip
_PREDICATES: Final = frozenset({"VERB", "AUX"})
_ROLES: Final[dict[str, Role]] = {
    "obj": "object", "iobj": "indirect", "obl": "oblique", "ccomp": "complement", "xcomp": "complement",
    "obl:agent": "agent", "obl:unmarked": "when", "obl:tmod": "when", "obl:npmod": "when",
}  # fmt: skip

# Verbs that open another one, by what they add to it.
PHASES: Final[dict[str, str]] = {
    "start": "start", "begin": "start", "resume": "start", "stop": "stop", "quit": "stop", "cease": "stop",
    "finish": "finish", "keep": "go on", "continue": "go on", "use": "used to", "give up": "stop", "end up": "",
    "get": "", "manage": "", "learn": "", "happen": "", "tend": "", "take up": "start", "go back": "start",
    "come": "", "go": "",
}  # fmt: skip
MODALITIES: Final[dict[str, str]] = {
    "want": "want", "hope": "want", "wish": "want", "like": "want", "love": "want", "plan": "plan", "intend": "plan",
    "mean": "want", "decide": "plan", "go": "plan", "try": "try", "attempt": "try", "need": "need", "have": "need",
    "consider": "want", "think": "want", "dream": "want", "look": "want", "be": "plan", "aim": "plan", "prefer": "want",
    "gon": "plan", "wan": "want", "ga": "need", "got": "need", "refuse": "not", "fail": "not", "forget": "not",
    "seem": "seem", "appear": "seem", "promise": "plan", "expect": "plan", "agree": "plan",
}  # fmt: skip
_WILL: Final = frozenset({"will", "'ll", "wo", "shall", "ll"})
_MAYBE: Final = frozenset({"may", "might", "could", "would", "should", "'d", "must", "ought"})
_NOT: Final = frozenset(
    {"not", "n't", "never", "no", "nt", "neither", "nor", "hardly", "barely", "none", "nobody", "nothing"}
)
_CONDITIONS: Final = frozenset({"if", "unless", "whether", "suppose", "supposing", "imagine"})
_HEDGES: Final = frozenset(
    {"maybe", "perhaps", "probably", "possibly", "apparently", "supposedly", "allegedly", "hopefully"}
)
# Adjectives that tell of the speaker where a sentence begins with them: "single again", "allergic to nuts".
_STATES: Final = frozenset(
    [
        "single",
        "married",
        "engaged",
        "divorced",
        "widowed",
        "separated",
        "allergic",
        "obsessed",
        "addicted",
        "pregnant",
        "vegan",
        "vegetarian",
        "sick",
        "ill",
        "unemployed",
        "retired",
        "broke",
        "homeless",
        "diabetic",
        "dyslexic",
        "lactose",
        "based",
        "born",
    ]
)
_PERIODS: Final = frozenset({"day", "night", "week", "weekend", "month", "year", "time", "while", "ride", "journey"})
_SAYING: Final = frozenset(
    {"say", "tell", "think", "believe", "guess", "suppose", "claim", "hear", "read", "report", "suggest", "reckon",
     "hope", "wish", "imagine", "pretend", "joke", "wonder", "doubt", "assume", "bet", "mention", "feel"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Argument:
    """A dependent of a predicate: its head word, its role, and its preposition or conjunction (``""`` without one)."""

    role: Role
    head: Token
    marker: str = ""


@dataclass(slots=True, eq=False)
class Clause:
    """A predicate and its arguments.

    ``head`` is the predicate's word, which is a noun or an adjective beside "be"; ``verb`` its lemma with particle;
    ``opening`` the first of the verbs in one clause with it, which is ``head`` itself mostly. ``dropped`` tells that a
    subject was left out that must be the speaker, ``suffered`` that one was left out that cannot be the speaker.
    ``certain`` is false where it is only possible, wished or supposed; ``said_by`` is the verb of saying or thinking
    that it depends on.
    """

    sentence: Sentence
    head: Token
    opening: Token
    verb: str
    kind: Kind
    parent: "Clause | None" = None
    subject: Token | None = None
    inherited: bool = False
    dropped: bool = False
    suffered: bool = False
    arguments: tuple[Argument, ...] = ()
    mood: Mood = "statement"
    tense: Tense = ""
    perfect: bool = False
    progressive: bool = False
    passive: bool = False
    negated: bool = False
    certain: bool = True
    phase: str = ""
    modality: str = ""
    said_by: "Clause | None" = None
    auxiliaries: tuple[Token, ...] = ()
    copular: bool = False
    tokens: list[Token] = field(default_factory=list[Token])

    def find(self, *roles: Role, markers: Sequence[str] | None = None) -> Argument | None:
        """Return the first argument of these roles and prepositions, or None."""
        return next(self.all(*roles, markers=markers), None)

    def all(self, *roles: Role, markers: Sequence[str] | None = None) -> Iterator[Argument]:
        """Yield the arguments of these roles and prepositions."""
        for each in self.arguments:
            if each.role in roles and (markers is None or each.marker in markers):
                yield each

    @property
    def finite(self) -> bool:
        """Tell if its verb says when: "is a leader", not "being a leader"."""
        if self.opening.text.endswith("ing") and not self.auxiliaries:
            return False
        words = (self.opening, *self.auxiliaries)
        return self.dropped or any(
            word.has("VerbForm=Fin") or (word.upos == "AUX" and not word.text.endswith("ing")) for word in words
        )

    @property
    def stated(self) -> bool:
        """Tell if it is stated as a fact: no question, order, condition, wish or guess, and nobody else's words."""
        return self.mood == "statement" and self.certain and self.said_by is None


# Sentences whose clauses are kept: the turns before a turn are read again with it.
_KEPT: Final = 4_096


@lru_cache(maxsize=_KEPT)
def clauses(sentence: Sentence) -> tuple[Clause, ...]:
    """Return the clauses of a sentence in the order of their predicates."""
    return tuple(_Reader(sentence).read())


class _Reader:
    def __init__(self, sentence: Sentence) -> None:
        self._sentence = sentence
        self._found: dict[int, Clause] = {}
        self._taken: set[int] = set()

    def read(self) -> list[Clause]:
        sentence = self._sentence
        for token in self._top_down():
            if token.index not in self._taken and self._is_predicate(token):
                self._found[token.index] = self._clause(token)
        own: dict[int, Clause] = {}
        for clause in self._found.values():
            own[clause.head.index] = own[clause.opening.index] = clause
        for token in sentence:
            clause = own.get(token.index) or next(
                (own[each.index] for each in sentence.above(token) if each.index in own), None
            )
            if clause is not None:
                clause.tokens.append(token)
        return sorted(self._found.values(), key=lambda clause: clause.opening.index)

    def _top_down(self) -> Iterator[Token]:
        stack = [self._sentence.root]
        while stack:
            token = stack.pop()
            yield token
            stack.extend(reversed(self._sentence.children(token)))

    def _is_predicate(self, token: Token) -> bool:
        children = self._sentence.children(token)
        # "We got married": the parser takes "got" for the auxiliary of an adjective.
        joined = {"cop", "aux:pass"} if token.upos == "ADJ" else {"cop"}
        if any(child.relation in joined for child in children):
            return True
        if token.relation in {
            "aux",
            "aux:pass",
            "cop",
            "amod",
            "compound",
            "case",
            "mark",
            "cc",
            "det",
            "fixed",
            "flat",
        }:
            return False
        if token.upos == "VERB":
            return token.relation in _CLAUSES or any(child.relation in _SUBJECTS for child in children)
        if token.relation == ROOT and token.upos == "ADJ" and token.lemma.lower() in _STATES:
            before = self._sentence.tokens[: token.index]
            return all(each.upos in {"ADV", "INTJ", "PUNCT", "CCONJ"} for each in before)
        if token.upos == "AUX":
            return token.relation in {ROOT, "conj", "ccomp", "advcl", "parataxis", "acl:relcl"}
        return token.upos in {"ADJ", "NOUN", "PROPN", "PRON", "ADV", "ADP", "NUM"} and any(
            child.relation in _SUBJECTS for child in children
        )

    def _clause(self, opening: Token) -> Clause:
        sentence = self._sentence
        relation = opening.relation.partition(":")[0]
        above = next((self._found[each.index] for each in sentence.above(opening) if each.index in self._found), None)
        kind: Kind = "main" if opening.relation == ROOT else _KINDS.get(relation, "aside")
        head, phase, modality = self._chain(opening)
        clause = Clause(sentence, head, opening, self._lemma(head), kind, above, phase=phase, modality=modality)
        clause.auxiliaries = tuple(
            child for token in dict.fromkeys((opening, head)) for child in sentence.children(token, "aux", "cop")
        )
        clause.copular = any(each.relation == "cop" for each in clause.auxiliaries)
        if clause.copular or head.upos not in _PREDICATES:
            clause.verb = "be"
        clause.arguments = tuple(self._arguments(opening, head))
        self._subject(clause)
        self._manner(clause)
        return clause

    def _chain(self, opening: Token) -> tuple[Token, str, str]:
        """Return the last verb of a chain, with the phase and the modality that the verbs before it add."""
        head, phase, modality = opening, "", ""
        for _ in range(4):
            following = self._sentence.child(head, "xcomp")
            lemma = self._lemma(head)
            if following is None or (following.upos not in _PREDICATES and not self._sentence.child(following, "cop")):
                break
            if self._sentence.child(head, "obj") is not None:
                break
            if lemma in PHASES and not (lemma == "go" and following.has("VerbForm=Inf")):
                phase = PHASES[lemma] or phase
            elif lemma in MODALITIES:
                gerund = following.has("VerbForm=Ger") or following.text.endswith("ing")
                if lemma in {"like", "love", "prefer", "hate"} and not self._would(head):
                    break
                if gerund and lemma not in {"consider", "go"}:
                    break
                modality = MODALITIES[lemma]
            else:
                break
            self._taken.add(following.index)
            head = following
        return head, phase, modality

    def _would(self, token: Token) -> bool:
        return any(each.lower in {"would", "'d", "d"} for each in self._sentence.children(token, "aux"))

    def _lemma(self, token: Token) -> str:
        particle = self._sentence.child(token, "compound:prt") or next(
            (
                each
                for each in self._sentence.children(token, "advmod")
                if each.index > token.index
                and (
                    each.lower in {"away", "off", "through"}
                    or (each.lower == "out" and token.lemma.lower() in {"move", "drop", "pull"})
                )
            ),
            None,
        )
        return f"{token.lemma.lower()} {particle.lower}" if particle is not None else token.lemma.lower()

    def _arguments(self, opening: Token, head: Token) -> Iterator[Argument]:
        sentence = self._sentence
        seen: set[int] = set()
        for token in sorted({opening.index, head.index}):
            for child in sentence.children(sentence[token]):
                if child.index in seen or child.index in (opening.index, head.index):
                    continue
                role = _ROLES.get(child.relation) or _ROLES.get(child.relation.partition(":")[0])
                if role is None and sentence[token].upos in {"NOUN", "PROPN", "ADJ"} and child.relation == "nmod":
                    role = "oblique"
                if role is None or (token == opening.index != head.index and child.relation == "xcomp"):
                    continue
                seen.add(child.index)
                yield Argument(role, child, self.marker(child))
                if self.marker(child) == "from":
                    # The parser may hang the goal on the source: "from Munich to Vienna".
                    goals = (each for each in sentence.children(child, "nmod") if self.marker(each) in {"to", "into"})
                    yield from (Argument("oblique", each, self.marker(each)) for each in goals)
                for other in self._coordinated(child):
                    seen.add(other.index)
                    yield Argument(role, other, self.marker(other) or self.marker(child))

    def _coordinated(self, token: Token) -> Iterator[Token]:
        for other in self._sentence.children(token, "conj"):
            if (
                other.relation != NOT_BUT
                and other.upos not in _PREDICATES
                and not any(below.relation in _SUBJECTS for below in self._sentence.children(other))
            ):
                yield other

    def marker(self, token: Token) -> str:
        """Return the preposition of a noun, or the conjunction of a clause."""
        return " ".join(
            each.lower for each in self._sentence.children(token, "case", "mark") if each.lower not in {"'s", "'"}
        )

    def _subject(self, clause: Clause) -> None:
        sentence = self._sentence
        for token in dict.fromkeys((clause.opening, clause.head)):
            found = next(
                (
                    each
                    for each in sentence.children(token)
                    if each.relation in _SUBJECTS and each.relation != "expl" and each.upos not in {"ADV", "INTJ"}
                ),
                None,
            )
            if found is not None:
                clause.subject = found
                return
        relation, parent = clause.opening.relation, clause.parent
        if relation in {"acl:relcl", "acl", "advcl:relcl"}:
            noun = sentence.head(clause.opening)
            clause.subject, clause.inherited = noun, True
        elif relation.partition(":")[0] in {"conj", "xcomp", "advcl", "parataxis"} and parent is not None:
            holder = parent.find("object") if relation == "xcomp" else None
            if relation.partition(":")[0] == "parataxis" and clause.head.has("VerbForm=Fin"):
                self._drop(clause)
                return
            clause.subject = holder.head if holder else parent.subject
            clause.inherited = True
            clause.dropped = parent.dropped and holder is None
        else:
            self._drop(clause)

    def _drop(self, clause: Clause) -> None:
        """Take the speaker for a subject that is left out, where the verb can be no order."""
        if any(each.relation == "expl" for each in self._sentence.children(clause.opening)):
            return
        # "Really made me proud": what was left out is not the speaker.
        if any(each.head.lower in {"me", "us"} for each in clause.all("object", "indirect")):
            clause.suffered = clause.opening.has("VerbForm=Fin")
            return
        first = min((*clause.auxiliaries, clause.opening), key=lambda each: each.index)
        before = self._sentence.tokens[: first.index]
        dash = max((each.index for each in before if each.text in {"-", "–", "—", ":"}), default=-1)
        before = before[dash + 1 :]
        if any(each.upos not in {"ADV", "INTJ", "PUNCT", "CCONJ", "SYM", "PART"} for each in before):
            return
        if first.text.endswith("ing") and any(
            self._bare_verb(each) for each in self._sentence.tokens[first.index + 1 :]
        ):
            return
        # "Been a busy week" tells of the week.
        if clause.copular and clause.head.lemma.lower() in _PERIODS:
            return
        finite_past = first.has("Tense=Past") and not (first.has("VerbForm=Part") and clause.auxiliaries)
        if clause.opening.upos == "ADJ" and not clause.auxiliaries:
            clause.dropped = True
            return
        # A bare participle is mostly somebody else's: "Licensed under MIT"; "Been to Rome" is the speaker's.
        bare = first is clause.opening and first.has("VerbForm=Part")
        participle = (bare and (first.lower in {"been", "gone"} or first.text.endswith("ing"))) or first.has(
            "VerbForm=Ger"
        )
        helped = bool(clause.auxiliaries) and first.lower not in {"do", "does", "is", "'s", "let", "has", "are"}
        clause.dropped = finite_past or participle or helped

    def _bare_verb(self, token: Token) -> bool:
        """Tell if a finite verb has no subject, so that a gerund before it must be its subject."""
        helping = token.relation in {"cop", "aux", "aux:pass"}
        if not token.has("VerbForm=Fin") or not (
            helping or token.relation in {"conj", "parataxis", "ccomp", "advcl", "obj", "xcomp", ROOT}
        ):
            return False
        holder = self._sentence[token.head] if helping else token
        return not any(
            each.relation in _SUBJECTS or (each.relation in {"mark", "advmod"} and each.lower in {"who", "which"})
            for each in self._sentence.children(holder)
        )

    def _manner(self, clause: Clause) -> None:
        sentence, head, opening = self._sentence, clause.head, clause.opening
        auxiliaries = clause.auxiliaries
        words = {each.lower for each in auxiliaries}
        children = [*sentence.children(opening), *(sentence.children(head) if head is not opening else ())]
        clause.passive = any(each.relation == "aux:pass" for each in auxiliaries)
        clause.negated = any(
            each.lower in _NOT and each.relation in {"advmod", "det", "cc", "discourse"} for each in children
        )
        clause.negated = clause.negated or clause.modality == "not" or self._no_object(clause)
        first = next((each for each in auxiliaries if each.has("VerbForm=Fin") or each.lower in _WILL), opening)
        clause.perfect = any(
            each.lemma in {"have", "'ve"} or each.lower in {"'ve", "ve", "have", "has", "had"} for each in auxiliaries
        ) and head.has("VerbForm=Part")
        clause.progressive = any(each.lower.endswith("ing") for each in (head, opening)) and bool(auxiliaries)
        if words & _WILL or clause.modality == "plan":
            clause.tense = "future"
        elif first.has("Tense=Past") or clause.phase == "used to":
            clause.tense = "past"
        elif first.has("Tense=Pres") or clause.dropped:
            clause.tense = "past" if clause.perfect or (clause.dropped and head.has("Tense=Past")) else "present"
        elif clause.inherited and clause.parent is not None:
            clause.tense = clause.parent.tense
        clause.mood = self._mood(clause, {each.lower for each in children if each.relation in {"mark", "advmod"}})
        unsure = words & _MAYBE and not (words & {"'d"} and clause.modality)
        hedged = any(each.lower in _HEDGES for each in children)
        clause.certain = not (unsure or hedged) and clause.modality not in {"want", "seem", "try"}
        self._attribute(clause)

    def _no_object(self, clause: Clause) -> bool:
        return any(
            each.lower in {"no", "none", "nothing"} and each.relation in {"det", "obj"}
            for argument in clause.all("object")
            for each in (argument.head, *self._sentence.children(argument.head, "det"))
        )

    def _mood(self, clause: Clause, marks: set[str]) -> Mood:
        parent = clause.parent
        if marks & _CONDITIONS or self._sentence[0].lower in {"suppose", "supposing", "imagine", "say"}:
            return "condition"
        if clause.kind in {"main", "coordinate", "aside"}:
            if (
                clause.opening.has("Mood=Imp")
                and clause.kind == "coordinate"
                and clause.inherited
                and not clause.auxiliaries
            ):
                return "order"
            if self._sentence.words.rstrip("\"') ").endswith("?") and not self._before_question(clause):
                return "question"
            if clause.kind == "coordinate" and clause.inherited and parent is not None:
                return parent.mood
            subject, first = clause.subject, next(iter(clause.auxiliaries), clause.opening)
            if (
                subject is None
                and not clause.dropped
                and not first.has("VerbForm=Part")
                and (
                    clause.opening.has("Mood=Imp")
                    or clause.opening.has("VerbForm=Inf")
                    or self._is_told_to(clause)
                    or first.lower in {"do", "let", "please"}
                )
            ):
                return "order"
            if (
                subject is not None
                and clause.auxiliaries
                and first.index < subject.index
                and first.index == self._sentence[0].index
            ):
                return "question"
            return "statement"
        if parent is not None and parent.mood in {"question", "order", "condition"} and clause.kind != "relative":
            return parent.mood
        return "statement"

    def _is_told_to(self, clause: Clause) -> bool:
        """Tell if a bare verb without a subject must be an order: "from now on, always answer in metric"."""
        before = {each.lower for each in self._sentence.tokens[: clause.opening.index]}
        bare = clause.opening.lower == clause.opening.lemma and not clause.auxiliaries
        return bare and bool(before & {"always", "never", "please", "pls"} or {"from", "now"} <= before)

    def _before_question(self, clause: Clause) -> bool:
        """Tell if a clause only leads to the question of its sentence: "Finn is allergic, so can you note that?"."""
        subject = clause.subject
        if subject is None or subject.index > clause.opening.index or clause.inherited:
            return False
        asking = [
            token.index
            for token, behind in zip_longest(self._sentence, self._sentence.tokens[1:])
            if token.lower in {"what", "which", "how", "why", "where"}
            or (token.upos == "AUX" and behind and behind.upos == "PRON" and behind.relation.startswith("nsubj"))
        ]
        return bool(asking) and max(clause.opening.index, clause.head.index) < asking[0]

    def _says_so(self, saying: Clause) -> bool:
        """Tell if "so" stands for what is said, which is then the speaker's own too: "I can't, the doctor said so"."""
        behind = self._sentence.tokens[saying.head.index + 1 : saying.head.index + 2]
        return any(each.lower == "so" and each.head == saying.head.index for each in behind)

    def _attribute(self, clause: Clause) -> None:
        """Find who says or thinks it, and pass on what is uncertain."""
        parent = clause.parent
        if parent is None:
            return
        if clause.kind == "complement":
            if parent.verb.partition(" ")[0] in _SAYING and not self._says_so(parent):
                clause.said_by = parent
            clause.certain = clause.certain and parent.certain and not parent.negated and parent.modality != "plan"
        elif clause.kind == "coordinate" and clause.inherited:
            clause.certain = clause.certain and parent.certain
            clause.said_by = parent.said_by
            clause.modality = clause.modality or parent.modality
            clause.phase = clause.phase or (
                parent.phase if clause.head.has("VerbForm=Inf") or clause.head.text.endswith("ing") else ""
            )
        if parent.mood == "condition" and clause.kind != "relative":
            clause.mood = "condition"
        if any(each.mood == "condition" and each.parent is clause for each in self._found.values()):
            clause.certain = False
