"""Units of a turn: the clauses by which somebody tells something of the world, each told by itself.

A sentence is cut where a coordinate clause tells something of its own. Questions, orders, conditions, greetings,
thanks, wishes and praise of what was said are no units of meaning. A unit whose subject stays open is told with the
sentence before it; an answer without a verb is told with its question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from hmem.language.analyst.base import Passage
from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.dating import dated
from hmem.language.english.meaning.lists import COURTESY, LIGHT_VERBS, PRAISE, TALK
from hmem.language.english.meaning.reference import (
    FIRST,
    GROUP,
    POINTING,
    SECOND,
    THIRD,
    Speech,
    hearer_of,
    note,
    refers,
    shown,
    windows,
)
from hmem.language.english.meaning.telling import Teller, quoted, sentence_of
from hmem.language.english.parser import Parser, is_inner
from hmem.language.english.tree import Parse, Sentence, Token
from hmem.model.span import Span
from hmem.model.turn import Turn

_CONTENT: Final = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_LONGEST_QUESTION: Final = 160
_LONGEST: Final = 400
_FEW: Final = 3
# Most words of an answer that only makes sense behind its question.
_SHORT: Final = 12
_ASSENT: Final = frozenset(
    [
        "yes",
        "yeah",
        "yep",
        "yup",
        "yea",
        "sure",
        "definitely",
        "absolutely",
        "indeed",
        "totally",
        "exactly",
        "no",
        "nope",
        "nah",
        "never",
        "ok",
        "okay",
        "right",
        "true",
    ]
)


@dataclass(slots=True)
class Unit:
    """A statement: its sentence in words, its clauses, its time.

    ``open`` tells that somebody or something in it is not known; ``quoted`` that the words stand as they were said.
    ``question`` is the tree of the question that it answers without a verb of its own.
    """

    text: str
    sentence: Sentence
    teller: Teller
    clauses: list[Clause] = field(default_factory=list[Clause])
    happened: Span | None = None
    open: bool = False
    quoted: bool = False
    context: int = 0
    question: "QuestionBefore | None" = None
    said: list[Sentence] = field(default_factory=list[Sentence])
    joined: "list[tuple[Teller, list[Clause]]]" = field(default_factory=list[tuple[Teller, list[Clause]]])


@dataclass(slots=True)
class QuestionBefore:
    """The question that a turn answers: its words, its tree and its main clause."""

    words: str
    asker: str
    sentence: Sentence
    clause: Clause | None
    teller: Teller

    @property
    def about_hearer(self) -> bool:
        """True if it asks something about the one who answers."""
        return any(token.lower in SECOND for token in self.sentence)


@dataclass(slots=True)
class TurnUnits:
    """The units of a turn, and its orders: sentences that ask the hearer to do something."""

    units: list[Unit] = field(default_factory=list[Unit])
    orders: list[tuple[Sentence, Clause, Teller]] = field(default_factory=list[tuple[Sentence, Clause, Teller]])


def units(parser: Parser, passage: Passage) -> list[TurnUnits]:
    """Return the units of the wanted turns of a passage."""
    parses = parser.parse([turn.text for turn in passage.turns])
    speakers = list(dict.fromkeys((*passage.speakers, *(turn.speaker for turn in passage.turns))))
    return [_read(passage, parses, speakers, window) for window in windows(passage)]


def _read(passage: Passage, parses: Sequence[Parse], speakers: Sequence[str], window: range) -> TurnUnits:
    """Return the units of the last turn of a window."""
    speech: Speech | None = None
    before: tuple[Turn, Parse] | None = None
    found = TurnUnits()
    # Who was named before counts only if the turn, or the question that it answers, has a pronoun for them.
    referring = any(refers(parses[place]) for place in window[-2:])
    for place in window[0 if referring else -2 :]:
        turn, parse = passage.turns[place], parses[place]
        hearer = hearer_of(turn.speaker, speakers)
        speech = Speech(turn.speaker, hearer) if speech is None else speech.said_by(turn.speaker, hearer)
        context = place != window[-1]
        if referring or not context:
            found = _Turn(turn, parse, speech, before, context=context).read()
        before = turn, parse
    return found


class _Turn:
    def __init__(
        self, turn: Turn, parse: Parse, speech: Speech, before: tuple[Turn, Parse] | None, *, context: bool
    ) -> None:
        # Of a turn before those that are wanted, only who and what it names counts.
        self._context = context
        self._turn = turn
        self._parse = parse
        self._speech = speech
        self._before = before
        self._found = TurnUnits()
        self._question: QuestionBefore | None = None

    def read(self) -> TurnUnits:
        self._question = None if self._context else self._asked()
        for sentence in self._parse.sentences:
            if is_inner(self._turn.text, sentence.start):
                continue
            self._speech.sentence += 1
            parts = clauses(sentence)
            teller = Teller(self._speech, sentence, parts)
            self._company(sentence, parts, teller)
            if self._context or _is_formula(sentence):
                pass
            elif parts and (
                any(clause.opening is sentence.root or clause.head is sentence.root for clause in parts)
                or any(
                    clause.kind in {"main", "coordinate", "aside"} and clause.subject is not None for clause in parts
                )
            ):
                self._clausal(sentence, parts, teller)
            else:
                self._found.orders += [(sentence, each, teller) for each in parts if each.mood == "order"][:1]
                self._fragment(sentence, teller)
            note(self._speech, sentence, parts, lambda tokens, teller=teller: teller.tell(tokens, plain=True))
        return self._found

    def _asked(self) -> QuestionBefore | None:
        """Return the question at the end of the turn before, if somebody else asked it."""
        if self._before is None or self._before[0].speaker == self._turn.speaker:
            return None
        turn, parse = self._before
        asking = [each for each in parse.sentences[-2:] if _asks(each)]
        if not asking or len(asking[-1].words) > _LONGEST_QUESTION:
            return None
        sentence = asking[-1]
        parts = clauses(sentence)
        clause = next((each for each in parts if each.kind == "main"), None)
        speech = Speech(turn.speaker, self._turn.speaker, self._speech.candidates, self._speech.sentence)
        return QuestionBefore(sentence.words, turn.speaker, sentence, clause, Teller(speech, sentence, parts))

    def _company(self, sentence: Sentence, parts: Sequence[Clause], teller: Teller) -> None:
        """Note with whom the speaker did something: "Tom and I …" makes "we" of the two."""
        for token in sentence:
            if token.lower in FIRST and token.relation == "conj":
                head = sentence[token.head]
                others = [head, *(each for each in sentence.children(head, "conj") if each.index != token.index)]
                if all(each.upos in {"PROPN", "NOUN"} for each in others):
                    names = [teller.tell(sentence.subtree(each, _beside), plain=True) for each in others]
                    self._speech.together = " and ".join((shown(self._turn.speaker), *names))
            elif token.lower == "with" and token.relation == "case":
                noun = sentence[token.head]
                clause = next((each for each in parts if noun in each.tokens), None)
                subject = clause.subject if clause is not None else None
                person = noun.upos == "PROPN" or sentence.child(noun, "nmod:poss") is not None
                if person and noun.upos != "PRON" and (subject is None or subject.lower in FIRST | GROUP):
                    phrase = teller.tell(sentence.subtree(noun, _beside), plain=True)
                    if noun.has("Number=Sing"):
                        self._speech.together = f"{shown(self._turn.speaker)} and {phrase}"

    # Sentences with a verb.

    def _clausal(self, sentence: Sentence, parts: Sequence[Clause], teller: Teller) -> None:
        groups = _groups(parts)
        answered = False
        if (
            self._question is not None
            and not self._found.units
            and len(groups) == 1
            and (
                groups[0][0].kind == "adverbial"
                or sentence[0].lower in {"because", "since", "cause", "cuz", "to", "so"}
            )
        ):
            self._answer(sentence, teller, [])
            return
        for group in groups:
            main = group[0]
            self._found.orders += [(sentence, each, teller) for each in group if each.mood == "order"][:1]
            if not _tells(sentence, main, group, teller):
                if (
                    main.subject is not None
                    and main.subject.lower in SECOND
                    and main.mood == "statement"
                    and _names(group)
                ):
                    tokens = _trimmed(
                        sentence,
                        sorted({token for clause in group for token in clause.tokens}, key=lambda each: each.index),
                    )
                    text, happened = dated(quoted(self._turn.speaker, sentence.span(tokens)), self._turn.at)
                    self._found.units.append(Unit(text, sentence, teller, [], happened, quoted=True))
                    continue
                if not answered and len(groups) == 1 and self._is_short_answer(sentence, main):
                    answered = True
                    self._answer(sentence, teller, [])
                continue
            self._unit(sentence, group, teller)

    def _is_short_answer(self, sentence: Sentence, main: Clause) -> bool:
        """Tell if a sentence such as "Yes, I do" or "It's blue" only makes sense as an answer."""
        return (
            self._question is not None
            and not self._found.units
            and main.mood == "statement"
            and len(sentence) <= _SHORT
            and main.subject is not None
            and main.subject.lower in {"it", "that", "they"}
            and _content(sentence.tokens) > 0
        )

    def _unit(self, sentence: Sentence, group: list[Clause], teller: Teller) -> None:
        main = group[0]
        tokens = _trimmed(
            sentence, sorted({token for clause in group for token in clause.tokens}, key=lambda each: each.index)
        )
        if not tokens:
            return
        subject = teller.subject(main)
        open_ = (subject is None and not _impersonal(sentence, main)) or teller.is_open(tokens)
        lead = ""
        if main.dropped and not main.inherited:
            lead = _lead(main, shown(self._turn.speaker))
        elif main.inherited and main.kind in {"coordinate", "aside"} and subject is not None:
            lead = _lead(main, subject) if main.dropped else subject
        told = sentence_of(teller.tell(tokens, lead=lead))
        if self._turn.caption and any(token.lower in POINTING for token in tokens):
            told = f"{told[:-1]} (the picture shows {self._turn.caption.strip().rstrip('.')})."
            open_ = False
        just = main.tense == "past" and any(token.lower == "just" for token in tokens)
        told, happened = dated(told, self._turn.at, just=just)
        units = self._found.units
        evaluates = _evaluates(main, tokens)
        if (open_ or evaluates) and units and not units[-1].question and len(units[-1].text) + len(told) < _LONGEST:
            last = units[-1]
            if evaluates and not open_:
                return
            last.text = f"{last.text} {told}"
            last.joined.append((teller, group))
            last.happened = last.happened or happened
            return
        if open_ and self._question is not None and not units:
            self._answer(sentence, teller, group)
            return
        if evaluates:
            return
        if open_:
            if _content(tokens) <= _FEW:
                return
            text, happened = dated(quoted(self._turn.speaker, sentence.span(tokens)), self._turn.at)
            units.append(Unit(text, sentence, teller, group, happened, open=True, quoted=True, context=1))
            return
        units.append(Unit(told, sentence, teller, group, happened))

    # Sentences without one.

    def _fragment(self, sentence: Sentence, teller: Teller) -> None:
        words = [
            token
            for token in sentence
            if token.upos not in {"PUNCT", "SYM", "INTJ", "X"} and token.relation != "vocative"
        ]
        if sentence.root.lower in COURTESY or any(token.lower in COURTESY for token in sentence.tokens[:2]):
            return
        if self._question is not None and not self._found.units and words:
            if _content(words) or (self._question.about_hearer and any(token.lower in _ASSENT for token in sentence)):
                self._answer(sentence, teller, [])
            return
        if self._found.units and self._found.units[-1].question and _content(words):
            self._extend_answer(sentence)
            return
        if sentence.root.lemma.lower() in PRAISE or _content(words) < _FEW or sentence.words.endswith("?"):
            return
        text, happened = dated(quoted(self._turn.speaker, sentence.words), self._turn.at)
        self._found.units.append(Unit(text, sentence, teller, [], happened, quoted=True))

    def _answer(self, sentence: Sentence, teller: Teller, group: list[Clause]) -> None:
        question = self._question
        if question is None:
            return
        self._question = None
        asked = " ".join(question.words.split()).replace('"', "'")
        said = " ".join(sentence.words.split()).replace('"', "'")
        text, happened = dated(f'Asked "{asked}", {shown(self._turn.speaker)} said: "{said}"', self._turn.at)
        self._found.units.append(
            Unit(text, sentence, teller, group, happened, quoted=True, context=1, question=question, said=[sentence])
        )

    def _extend_answer(self, sentence: Sentence) -> None:
        last = self._found.units[-1]
        said = " ".join(sentence.words.split()).replace('"', "'")
        if len(last.text) + len(said) < _LONGEST:
            last.text = f'{last.text[:-1]} {said}"'
            last.said.append(sentence)


_FORMULAS: Final = (
    "well done", "fingers crossed", "speaking of", "long time no", "no worries", "good luck", "keep it up", "way to go",
    "happy birthday", "have a ", "take care", "see you", "talk to you", "talk soon", "sounds ", "no problem", "keep up",
    "good for you", "you bet", "of course", "can't wait to hear", "let me know", "good to ", "great to ", "nice to ",
)  # fmt: skip
_TAGS: Final = frozenset(
    {
        "right",
        "huh",
        "eh",
        "alright",
        "ok",
        "okay",
        "yeah",
        "yes",
        "no",
        "definitely",
        "however",
        "absolutely",
        "totally",
        "especially",
        "unfortunately",
        "luckily",
        "anyways",
    }
)
_ASKING: Final = frozenset(["what", "who", "whom", "whose", "which", "where", "when", "why", "how", "any"])


def _is_formula(sentence: Sentence) -> bool:
    """Tell if a sentence is a set phrase of greeting, wishing or praising."""
    return len(sentence) <= 14 and sentence.words.lower().lstrip("\"'*- ").startswith(_FORMULAS)


def _asks(sentence: Sentence) -> bool:
    """Tell if a sentence asks for something, and does not only call for assent."""
    words = [token for token in sentence if token.upos != "PUNCT"]
    if not words or not sentence.words.rstrip("\"')*_ ").endswith("?") or words[-1].lower in _TAGS:
        return False
    return (
        any(token.lower in _ASKING for token in words)
        or words[0].upos == "AUX"
        or any(token.lower in SECOND for token in words)
    )


def _groups(parts: Sequence[Clause]) -> list[list[Clause]]:
    """Return the clauses that are told together, the main one of each group first."""
    groups: dict[int, list[Clause]] = {}
    own: dict[int, int] = {}
    for clause in sorted(parts, key=lambda each: (_depth(each), each.opening.index)):
        parent = clause.parent
        separate = parent is None or (
            clause.kind in {"coordinate", "aside"}
            and clause.opening.upos in {"VERB", "AUX"} | ({clause.opening.upos} if clause.copular else set())
            and (not clause.inherited or (bool(clause.arguments) and bool(parent.arguments)))
            and parent.kind in {"main", "coordinate", "aside"}
            and not (
                clause.inherited
                and not clause.auxiliaries
                and (not clause.opening.has("VerbForm=Fin") or _base(clause))
            )
        )
        top = id(clause) if separate or parent is None else own.get(id(parent), id(parent))
        own[id(clause)] = top
        groups.setdefault(top, []).append(clause)
    return sorted(groups.values(), key=lambda group: group[0].opening.index)


def _base(clause: Clause) -> bool:
    """Tell if a coordinate verb stands below the auxiliary of the one before: "should try or pay a visit"."""
    parent = clause.parent
    return (
        parent is not None
        and bool(parent.auxiliaries)
        and not parent.copular
        and clause.opening.lower == clause.opening.lemma.lower()
    )


def _depth(clause: Clause) -> int:
    depth, above = 0, clause.parent
    while above is not None and depth < 20:
        depth, above = depth + 1, above.parent
    return depth


def _content(tokens: Sequence[Token]) -> int:
    return sum(
        token.upos in _CONTENT and token.lemma.lower() not in LIGHT_VERBS and token.lower not in PRAISE | COURTESY
        for token in tokens
    )  # fmt: skip


def _evaluates(main: Clause, tokens: Sequence[Token]) -> bool:
    """Tell if a clause only says how something was: "the effects are so cool"."""
    judged = main.head.lemma.lower() in PRAISE or (
        main.head.upos == "ADJ" and main.head.lower.endswith(("ing", "ful", "some", "ive", "able", "ous"))
    )
    return (
        main.verb == "be"
        and judged
        and not any(token.lower in FIRST | GROUP or token.upos in {"PROPN", "NUM"} for token in tokens)
    )


_ATTITUDES: Final = frozenset(
    [
        "love",
        "like",
        "admire",
        "appreciate",
        "enjoy",
        "adore",
        "proud",
        "glad",
        "happy",
        "excited",
        "thrilled",
        "curious",
        "sorry",
        "grateful",
        "thankful",
        "impressed",
        "amazed",
        "inspired",
        "sure",
        "certain",
        "agree",
        "believe",
        "know",
        "think",
        "feel",
        "hear",
        "see",
        "remember",
        "understand",
        "mean",
        "support",
        "respect",
        "root",
        "help",
        "inspire",
        "make",
        "wish",
        "hope",
        "cheer",
    ]
)


def _about_hearer(main: Clause, tokens: Sequence[Token]) -> bool:
    """Tell if a clause is the speaker's attitude to what the hearer told: "I love your turtles", "so proud of you"."""
    if not any(token.lower in SECOND for token in tokens):
        return False
    subject = main.subject
    owned = subject is not None and any(each.lower in SECOND for each in main.sentence.children(subject, "nmod:poss"))
    return (
        owned or main.head.lemma.lower() in _ATTITUDES or main.opening.lemma.lower() in _ATTITUDES or main.verb == "be"
    )


def _names(group: Sequence[Clause]) -> bool:
    """Tell if clauses hold something of the speaker's with a name or a number: "you can reach my son on 555 018"."""
    tokens = [token for clause in group for token in clause.tokens]
    return any(token.upos in {"NUM", "PROPN"} for token in tokens) and any(
        token.lower in FIRST | GROUP for token in tokens
    )


def _anchored(main: Clause, tokens: Sequence[Token], teller: Teller) -> bool:
    """Tell if a clause is about somebody or something in particular, not about people or things in general."""
    if main.dropped or main.tense == "past":
        return True
    return any(
        token.lower in FIRST | GROUP
        or token.upos in {"PROPN", "NUM"}
        or (token.lower in THIRD and token.upos == "PRON")
        for token in tokens
    ) or bool(main.subject is not None and teller.sentence.child(main.subject, "det", "nmod:poss"))


def _tells(sentence: Sentence, main: Clause, group: Sequence[Clause], teller: Teller) -> bool:
    """Tell if a clause says something of the world."""
    if main.mood != "statement" or main.kind in {"adverbial", "relative", "complement"}:
        return False
    tokens = [token for clause in group for token in clause.tokens]
    subject = main.subject.lower if main.subject is not None else ""
    verb = main.verb.partition(" ")[0]
    if main.head.lower in COURTESY or (verb in {"thank", "congratulate", "wish", "appreciate"} and _to_hearer(tokens)):
        return False
    if subject in {"something", "things", "everything", "anything", "stuff", "nothing"} and _content(tokens) <= _FEW:
        return False
    if subject in SECOND or (
        sentence[0].lemma.lower() in PRAISE | COURTESY and any(token.lower in SECOND for token in sentence)
    ):
        return False
    if verb in {"hope", "wish", "bet", "imagine", "guess", "look"} and any(
        clause is not main and clause.subject is not None and clause.subject.lower in SECOND | THIRD | POINTING
        for clause in group
    ):
        return False
    if verb in {"hope", "wish"} and main.subject is None:
        return False
    if verb in TALK and _content(tokens) <= 1 and not any(token.upos == "PROPN" for token in tokens):
        return False
    if main.verb == "be" and (subject in SECOND | POINTING | {"it", ""}) and main.head.lemma.lower() in PRAISE:
        return any(token.lower in FIRST | GROUP for token in tokens) and _content(tokens) >= _FEW
    if main.verb in {"sound", "look", "seem"} and subject in POINTING | SECOND | {"it", ""}:
        return False
    if main.subject is None and not main.dropped and not _impersonal(sentence, main):
        return False
    if _about_hearer(main, main.tokens) or not _anchored(main, tokens, teller) or _in_quotes(sentence, main.opening):
        return False
    return _content(tokens) >= 1


def _in_quotes(sentence: Sentence, token: Token) -> bool:
    before = sentence.text[sentence.start : token.start]
    return sum(before.count(mark) for mark in ('"', "“", "”")) % 2 == 1


def _to_hearer(tokens: Sequence[Token]) -> bool:
    return any(token.lower in SECOND for token in tokens) or not any(token.upos == "PROPN" for token in tokens)


def _impersonal(sentence: Sentence, clause: Clause) -> bool:
    if clause.verb == "turn out" and clause.find("complement") is not None:
        return True
    return any(child.relation.startswith("expl") for child in sentence.children(clause.opening)) or (
        clause.subject is not None and clause.subject.relation.startswith("csubj")
    )


_EDGE: Final = frozenset({"cc", "punct", "discourse", "vocative"})
_OPENERS: Final = frozenset(
    {
        "well",
        "oh",
        "so",
        "also",
        "anyway",
        "actually",
        "honestly",
        "btw",
        "like",
        "and",
        "but",
        "then",
        "plus",
        "yeah",
        "yes",
        "no",
        "definitely",
        "however",
        "absolutely",
        "totally",
        "especially",
        "unfortunately",
        "luckily",
        "anyways",
    }
)


def _opens(token: Token) -> bool:
    """Tell if a word before a unit is none of it: a conjunction, a mark, "well"."""
    if token.relation.partition(":")[0] in _EDGE or token.upos == "PUNCT":
        return True
    return token.lower in _OPENERS and token.relation in {"advmod", "cc", "discourse"}


def _trimmed(sentence: Sentence, tokens: list[Token]) -> list[Token]:
    """Return the words of a unit without conjunctions, interjections, names of address and marks around it."""
    dropped: set[int] = set()
    for token in tokens:
        relation = token.relation.partition(":")[0]
        beside = relation in {"discourse", "vocative"} or (token.upos in {"INTJ", "SYM"} and relation != "nummod")
        if beside and token.text not in {"$", "£", "€", "%"}:
            dropped.update(each.index for each in sentence.subtree(token))
    kept = [token for token in tokens if token.index not in dropped]
    while kept and _opens(kept[0]):
        kept.pop(0)
    while kept and (kept[-1].upos in {"PUNCT", "SYM", "CCONJ"} and kept[-1].text not in {")", "%", '"'}):
        kept.pop()
    return _unbracketed(kept)


def _unbracketed(tokens: list[Token]) -> list[Token]:
    pairs = sum(token.text == "(" for token in tokens) - sum(token.text == ")" for token in tokens)
    if pairs:
        tokens = [token for token in tokens if token.text not in "()"]
    if sum(token.text == '"' for token in tokens) % 2:
        tokens = [token for token in tokens if token.text != '"']
    result: list[Token] = []
    for token in tokens:
        if token.upos == "PUNCT" and token.text == "," and result and result[-1].text == ",":
            continue
        result.append(token)
    return result


def _lead(clause: Clause, speaker: str) -> str:
    """Return the subject, and the verb "be" where that was left out too."""
    first = min((*clause.auxiliaries, clause.opening), key=lambda each: each.index)
    if first.lower in {"been", "gone", "done", "seen"}:
        return f"{speaker} has"
    if first is clause.opening and first.upos == "ADJ":
        return f"{speaker} is"
    if first is clause.opening and first.has("VerbForm=Part") and not first.has("Tense=Past"):
        return f"{speaker} is"
    if first is clause.opening and (first.has("VerbForm=Ger") or (first.upos == "VERB" and first.text.endswith("ing"))):
        return f"{speaker} is"
    return speaker


def _beside(token: Token) -> bool:
    return token.relation in {"conj", "cc", "case", "punct", "acl:relcl", "acl", "appos"}


def walk(found: Sequence[TurnUnits]) -> Iterator[Unit]:
    """Yield all units."""
    for turn in found:
        yield from turn.units
