"""Units of a turn: the clauses by which somebody tells something of the world, each told by itself.

A unit is a sentence without its questions, orders and asides to the hearer; a long one is cut where a coordinate
clause stands alone. Questions, orders, conditions, greetings, thanks, wishes, bare moods, general truths and praise of
what was said are no units of meaning. A unit that points back is told with the sentence before it, an answer without
a verb with its question; what still points at something unnamed is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from hmem.language.analyst.base import Passage
from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.dating import dated
from hmem.language.english.meaning.lists import COURTESY, LIGHT_VERBS, PERSONS, PRAISE, TALK
from hmem.language.english.meaning.reference import (
    FIRST,
    GROUP,
    POINTING,
    SECOND,
    THINGS,
    THIRD,
    Speech,
    hearer_of,
    note,
    possessive,
    refers,
    shown,
    windows,
)
from hmem.language.english.meaning.telling import Teller, quoted, sentence_of
from hmem.language.english.parser import Parser, is_inner
from hmem.language.english.tree import Parse, Sentence, Token
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.span import Span
from hmem.model.turn import Turn

_CONTENT: Final = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "NUM"})
_LONGEST_QUESTION: Final = 160
_LONGEST: Final = 400
# How many sentences from its end a turn may have asked what the next one answers.
_LAST_ASKED: Final = 4
# From this length on, a text whose sentences seldom name the speaker is somebody else's: a paste, a story, a form.
_DOUBTFUL_TEXT: Final = 600
_LEAST_OWN: Final = 0.4
_FEW: Final = 3
# A sentence of more words is cut where a coordinate clause stands alone, and one is joined to another up to as many.
_WIDE: Final = 28
_JOINED: Final = 45
# Most words of an answer that only makes sense behind its question.
_SHORT: Final = 12
# Least letters of a name by which somebody is called.
_SHORT_NAME: Final = 3
_ASSENT: Final = words(
    """
    yes yeah yep yup yea sure definitely absolutely indeed totally exactly no nope nah never ok okay right
    true
    """
)


@dataclass(slots=True)
class Unit:
    """A statement: its sentence in words, its clauses, its time.

    ``open`` tells that somebody or something in it is not known; ``quoted`` that the words stand as they were said.
    ``question`` is the tree of the question that it answers without a verb of its own. ``mains`` are the clauses that
    tell it, ``stated`` its first sentence alone.
    """

    text: str
    sentence: Sentence
    teller: Teller
    clauses: list[Clause] = field(default_factory=list[Clause])
    happened: Span | None = None
    open: bool = False
    quoted: bool = False
    context: int = 0
    stated: str = ""
    question: "QuestionBefore | None" = None
    said: list[Sentence] = field(default_factory=list[Sentence])
    mains: list[Clause] = field(default_factory=list[Clause])
    joined: "list[tuple[Teller, list[Clause]]]" = field(default_factory=list[tuple[Teller, list[Clause]]])

    @property
    def claimed(self) -> str:
        """Text of what it claims: all of it if that is short, else the first sentence."""
        return self.text if len(self.text.split()) <= _WIDE else self.stated or self.text


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
    """The units of a turn, its speaker's own sentences, and its orders: those that ask the hearer to do something."""

    units: list[Unit] = field(default_factory=list[Unit])
    sentences: list[Sentence] = field(default_factory=list[Sentence])
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
        # What a pronoun may point back to: the unit of the sentence before, or that sentence if it formed none.
        self._near: Unit | None = None
        self._passed: tuple[Sentence, Sequence[Clause], Teller] | None = None
        # A "yes" tells something only if nothing else of its turn does.
        self._assent: tuple[Sentence, Teller] | None = None

    def read(self) -> TurnUnits:
        self._question = None if self._context else self._asked()
        foreign = not self._context and _is_foreign(self._turn.text, self._parse.sentences)
        citations = [] if self._context else _citations(self._turn.text)
        given = _given(self._turn.text)
        for sentence in self._parse.sentences:
            if is_inner(self._turn.text, sentence.start):
                continue
            self._speech.sentence += 1
            parts = clauses(sentence)
            teller = Teller(self._speech, sentence, parts)
            self._company(sentence, parts, teller)
            count = len(self._found.units)
            cited = any(start < sentence.root.start < end for start, end in citations)
            own = not (
                self._context
                or cited
                or sentence.end > given
                or _is_formula(sentence)
                or (foreign and not _is_own(sentence))
            )
            if own:
                self._found.sentences.append(sentence)
            if not own:
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
            if len(self._found.units) > count:
                self._near = self._found.units[-1]
            elif any(token.upos in {"NOUN", "PROPN"} for token in sentence) or sentence.words.endswith("?"):
                self._near = None
            self._passed = sentence, parts, teller
            note(self._speech, sentence, parts, lambda tokens, teller=teller: teller.tell(tokens, plain=True))
        if self._assent is not None and not self._found.units:
            self._answer(*self._assent, [])
        return self._found

    def _asked(self) -> QuestionBefore | None:
        """Return the question at the end of the turn before, if somebody else asked it."""
        if self._before is None or self._before[0].speaker == self._turn.speaker:
            return None
        turn, parse = self._before
        asking = [each for each in parse.sentences[-_LAST_ASKED:] if _asks(each) and _content(each.tokens)]
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
        first = groups[0][0]
        if self._question is not None and not self._found.units and len(groups) == 1 and _is_reason(sentence, first):
            self._answer(sentence, teller, [])
            return
        for group in groups:
            self._found.orders += [(sentence, each, teller) for each in group if each.mood == "order"][:1]
        runs = _runs(sentence, groups, teller)
        for run in runs:
            self._unit(sentence, run, teller)
            self._near = self._found.units[-1] if self._found.units else None
        if runs:
            return
        if (
            first.subject is not None
            and first.subject.lower in SECOND
            and first.mood == "statement"
            and _names(groups[0])
        ):
            self._quote(sentence, _words_of(sentence, groups[:1]), teller)
        elif len(groups) == 1 and self._is_short_answer(sentence, first):
            self._answer(sentence, teller, [])

    def _quote(self, sentence: Sentence, tokens: Sequence[Token], teller: Teller) -> None:
        text, happened = dated(quoted(self._turn.speaker, sentence.span(tokens)), self._turn.at)
        self._found.units.append(Unit(text, sentence, teller, [], happened, quoted=True, stated=text))

    def _is_short_answer(self, sentence: Sentence, main: Clause) -> bool:
        """Tell if a sentence such as "Yes, I do" or "It's blue" only makes sense as an answer."""
        return (
            self._question is not None
            and not self._found.units
            and main.mood == "statement"
            and len(sentence) <= _SHORT
            and main.subject is not None
            and main.subject.lower in {"it", "that", "they"}
            and main.head.lemma.lower() not in PRAISE
            and main.verb not in {"sound", "look", "seem"}
            and _content(sentence.tokens) > 0
        )

    def _unit(self, sentence: Sentence, run: Sequence[list[Clause]], teller: Teller) -> None:
        main = run[0][0]
        tokens = _words_of(sentence, run, self._speech.hearer)
        if not tokens or tokens[0].text.startswith(("'", "’")) or (tokens[0].lower in {"gon", "gonna"}):
            return
        subject = teller.subject(main)
        open_ = (subject is None and not teller.is_told(main) and not _impersonal(sentence, main)) or teller.is_open(
            tokens
        )
        # "I love to", "I haven't": the verb stands in what was said before.
        open_ = open_ or tokens[-1].lower in {"to", "n't"}
        told = sentence_of(teller.tell(tokens, lead=self._lead(main, subject)))
        if self._shows(main, tokens):
            told = f"{told[:-1]} (the picture shows {(self._turn.caption or '').strip().rstrip('.')})."
            open_ = False
        just = main.tense == "past" and any(token.lower == "just" for token in tokens)
        told, happened = dated(told, self._turn.at, just=just)
        group = [clause for each in run for clause in each]
        unit = Unit(told, sentence, teller, group, happened, stated=told, mains=[each[0] for each in run])
        points = teller.points(tokens)
        if (open_ or points) and self._join(unit):
            return
        faint = main.tense == "future" or (main.subject is not None and main.subject.lemma.lower() in _PASSING)
        if _evaluates(main, tokens) or (points and faint and not any(each.upos in {"PROPN", "NUM"} for each in tokens)):
            return
        if open_:
            self._tell_open(unit, run, tokens)
        else:
            self._found.units.append(unit)

    def _lead(self, main: Clause, subject: str | None) -> str:
        """Return the subject that a clause lacks."""
        if main.subject is None and main.suffered:
            return "It"
        if main.dropped and not main.inherited:
            return _lead(main, shown(self._turn.speaker))
        if main.inherited and main.kind in {"coordinate", "aside"} and subject is not None:
            return _lead(main, subject) if main.dropped else subject
        return ""

    def _tell_open(self, unit: Unit, run: Sequence[list[Clause]], tokens: Sequence[Token]) -> None:
        """Tell what points at something unnamed with the turn before, or only those of its clauses that do not."""
        main = run[0][0]
        if self._question is not None and not self._found.units:
            self._answer(unit.sentence, unit.teller, unit.clauses)
        elif len(run) > 1:
            for each in run:
                self._unit(unit.sentence, [each], unit.teller)
        elif not self._found.units and _content(tokens) > 1 and (main.tense == "past" or _owns(main, tokens)):
            self._reply(unit.sentence, unit.teller, unit.clauses)

    def _reply(self, sentence: Sentence, teller: Teller, group: list[Clause]) -> None:
        """Tell what the first sentence of a turn says of something that the turn before names."""
        if self._before is None or self._before[0].speaker == self._turn.speaker:
            return
        turn, parse = self._before
        naming = [each for each in parse.sentences if any(token.upos == "NOUN" for token in each)]
        if not naming or len(naming[-1].words) > _LONGEST_QUESTION:
            return
        said, reply = (" ".join(each.words.split()).replace('"', "'") for each in (naming[-1], sentence))
        about = f'To {possessive(shown(turn.speaker))} "{said}", {shown(self._turn.speaker)} said: "{reply}"'
        text, happened = dated(about, self._turn.at)
        self._found.units.append(
            Unit(text, sentence, teller, group, happened, quoted=True, context=1, stated=text, mains=group[:1])
        )

    def _shows(self, main: Clause, tokens: Sequence[Token]) -> bool:
        """Tell if a clause points at the picture of its turn: "this is my dog", "I made this bowl"."""
        caption = (self._turn.caption or "").lower()
        if caption and tokens[0].lower == "here":
            return True
        made = main.find("object")
        if made is not None and _subject(main) in FIRST | GROUP:
            shown_there = made.head.upos == "NOUN" and made.head.lemma.lower() in caption.split()
            if caption and shown_there:
                return True
        return bool(caption) and any(
            token.lower in POINTING
            and (
                (token.upos == "PRON" and main.subject is token and main.verb == "be")
                or (token.relation == "det" and main.sentence[token.head].lemma.lower() in caption)
            )
            for token in tokens
        )

    def _join(self, unit: Unit) -> bool:
        """Tell a unit that points back together with the sentence before it; tell if there is one that names more."""
        near = self._near
        if near is not None and near.question is not None:
            return self._extend_answer(unit.sentence)
        if near is not None:
            if len(near.text.split()) + len(unit.text.split()) > _JOINED:
                return False
            near.text = f"{near.text} {unit.text}"
            near.joined.append((unit.teller, unit.clauses))
            near.happened = near.happened or unit.happened
            return True
        if self._passed is None or self._found.units[:1] == [unit]:
            return False
        sentence, parts, teller = self._passed
        main = next((each for each in parts if each.kind == "main"), None)
        tokens = _trimmed(sentence, list(sentence.tokens))
        if (
            main is None
            or main.mood != "statement"
            or main.subject is None
            or main.subject.lower in POINTING
            or any(token.lower in SECOND for token in tokens)
            or _is_formula(sentence)
            or not _content(tokens)
            or teller.is_open(tokens)
            or _evaluates(main, tokens)
            or main.verb in {"sound", "look", "seem"}
            or main.head.lemma.lower() in PRAISE
            or any(token.lower in COURTESY for token in tokens)
            or len(tokens) + len(unit.text.split()) > _JOINED
        ):
            return False
        unit.text = f"{sentence_of(teller.tell(tokens))} {unit.text}"
        self._found.units.append(unit)
        return True

    # Sentences without one.

    def _fragment(self, sentence: Sentence, teller: Teller) -> None:
        words = [
            token
            for token in sentence
            if token.upos not in {"PUNCT", "SYM", "INTJ", "X"}
            and token.relation != "vocative"
            and not _calls(token, self._speech.hearer)
        ]
        if sentence.root.lower in COURTESY or any(token.lower in COURTESY for token in sentence.tokens[:2]):
            return
        if not _is_named(words) and any(
            token.lemma.lower() in PRAISE and token.relation in {"amod", "ROOT"} for token in words
        ):
            return
        if self._question is not None and not self._found.units:
            if _content(words):
                self._answer(sentence, teller, [])
            elif self._question.about_hearer and any(token.lower in _ASSENT for token in sentence):
                self._assent = self._assent or (sentence, teller)
            return
        if self._found.units and self._found.units[-1].question and _content(words):
            self._extend_answer(sentence)
            return
        if sentence.root.lemma.lower() in PRAISE or _content(words) < _FEW or sentence.words.endswith("?"):
            return
        if any(token.lower in SECOND for token in words) or not _is_named(
            [each for each in words if each.lower not in _MATTERS]
        ):
            return
        if len(self._turn.text) < _DOUBTFUL_TEXT:
            self._quote(sentence, sentence.tokens, teller)

    def _answer(self, sentence: Sentence, teller: Teller, group: list[Clause]) -> None:
        question = self._question
        if question is None:
            return
        self._question = None
        asked = " ".join(question.words.split()).replace('"', "'")
        said = " ".join(sentence.words.split()).replace('"', "'")
        text, happened = dated(f'Asked "{asked}", {shown(self._turn.speaker)} said: "{said}"', self._turn.at)
        self._found.units.append(
            Unit(
                text, sentence, teller, group, happened,
                quoted=True, context=1, stated=text, question=question, said=[sentence], mains=group[:1],
            )
        )  # fmt: skip

    def _extend_answer(self, sentence: Sentence) -> bool:
        """Add a sentence to the answer before it; tell if there was room."""
        last = self._found.units[-1]
        said = " ".join(sentence.words.split()).replace('"', "'")
        if len(last.text) + len(said) >= _LONGEST:
            return False
        last.text = last.stated = f'{last.text[:-1]} {said}"'
        last.said.append(sentence)
        return True


_FORMULAS: Final = (
    "well done", "fingers crossed", "speaking of", "long time no", "no worries", "good luck", "keep it up",
    "way to go", "happy birthday", "have a ", "take care", "see you", "talk to you", "talk soon", "sounds ",
    "no problem", "keep up", "good for you", "you bet", "agreed", "can't agree more", "couldn't agree more",
    "same here", "lemme ", "of course", "can't wait to hear", "let me know", "good to ", "great to ", "nice to ",
)  # fmt: skip
_TAGS: Final = frozenset({"right", "huh", "eh", "alright", "ok", "okay", "yeah", "yes", "no"})
_MOST_FORMULA: Final = 14
# A quotation of some length, unlike a title: its marks stand at the edges of words.
# "Translate to French: my wife is ill", "Example: …", "imagine you're a pirate": what follows is not the speaker's own.
_GIVEN: Final = regex(
    r"(?i)(?:^|[\n.!?])[ \t]{0,4}(?:[^\n:.!?]{0,60}\b(?:translate|re(?:write|phrase)|paraphrase|summari[sz]e|proofread"
    r"|correct|edit|shorten|polish|classify|label|analy[sz]e|grade|examples?|sample|input|output|prompt|caption"
    r"|commit message)\b"
    r"[^\n:.!?]{0,60}:|(?:imagine|pretend|suppose) (?:that )?(?:you|i|we)\b|(?:let's )?role-?play\b)"
)
_CITATION: Final = regex(r'(?:(?<=[\s:(\[])|^)(?:"[^"]{60,}"|\u201c[^\u201d]{60,}\u201d)(?=\W|$)')
_ASKING: Final = words(
    """
    what who whom whose which where when why how any
    """
)


def _is_formula(sentence: Sentence) -> bool:
    """Tell if a sentence is a set phrase of greeting, wishing or praising."""
    if len(sentence) > _MOST_FORMULA:
        return False
    place = 0
    while place < len(sentence) - 1 and (
        sentence[place].upos in {"INTJ", "PUNCT", "SYM"}
        or (sentence[place].upos == "PROPN" and sentence[place + 1].text in {",", "!"})
    ):
        place += 1
    opening = sentence.text[sentence[place].start : sentence.end].lower()
    return opening.startswith(_FORMULAS) or sentence.words.lower().lstrip("\"'*- ").startswith(_FORMULAS)


def _is_own(sentence: Sentence) -> bool:
    return any(token.lower in FIRST | GROUP for token in sentence)


def _is_foreign(text: str, sentences: Sequence[Sentence]) -> bool:
    """Tell if a long text is hardly about who sends it: a paste, a story, advice."""
    if len(text) < _DOUBTFUL_TEXT:
        return False
    return sum(map(_is_own, sentences)) < _LEAST_OWN * len(sentences)


def _citations(text: str) -> list[tuple[int, int]]:
    """Return the spans of long quotations in a text, which are not its speaker's own words."""
    return [found.span() for found in _CITATION.finditer(text)] if '"' in text or "“" in text else []


def _given(text: str) -> int:
    """Return where a text begins that a speaker gives to be worked on or plays in; the length of all without one."""
    found = _GIVEN.search(text)
    return len(text) if found is None else found.end()


def _is_reason(sentence: Sentence, main: Clause) -> bool:
    """Tell if a sentence is only a subordinate clause, such as a reason or an aim."""
    opening = sentence[0]
    return main.kind == "adverbial" or (
        opening.lower in {"because", "since", "cause", "cuz", "to", "so"}
        and opening.relation == "mark"
        and sentence[opening.head] is main.opening
    )


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
            and not _is_bound(clause)
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


def _is_bound(clause: Clause) -> bool:
    """Tell if a clause cannot stand alone, whatever the parser makes it: "which was great", "because I was ill"."""
    opening = next((token for token in clause.tokens if token.upos not in {"PUNCT", "CCONJ"}), clause.opening)
    if opening.lower in _BINDING and opening is not clause.head:
        return True
    # A noun before it without a verb of its own is what it is about: "the group I attended".
    before = clause.sentence[opening.index - 1] if opening.index else None
    return clause.kind == "aside" and before is not None and before.upos in {"NOUN", "PROPN", "PRON", "VERB"}


def _runs(sentence: Sentence, groups: Sequence[list[Clause]], teller: Teller) -> list[list[list[Clause]]]:
    """Return the groups of clauses that are told as one unit each, without those that tell nothing."""
    runs: list[list[list[Clause]]] = []
    last: list[Clause] | None = None
    going = False
    for group in groups:
        main = group[0]
        ordered = last is not None and last[0].mood == "order" and main.kind == "coordinate"
        if not ordered and _tells(sentence, main, group, teller):
            if not going or _stands_alone(runs[-1], group, teller):
                leads = last is not None and not going and _leads(last, group, teller)
                runs.append([last, group] if leads and last is not None else [group])
            else:
                runs[-1].append(group)
            going = True
        elif going and main.mood == "statement" and not _addresses(group) and not ordered:
            runs[-1].append(group)
        else:
            going = False
        last = group
    return runs


def _leads(before: list[Clause], group: list[Clause], teller: Teller) -> bool:
    """Tell if a clause that tells nothing by itself names what the next one means by "it"."""
    main = before[0]
    return (
        main.mood == "statement"
        and main.subject is not None
        and not _addresses(before)
        and not teller.is_open(main.tokens)
        and teller.is_open([token for clause in group for token in clause.tokens])
    )


def _owns(main: Clause, tokens: Sequence[Token]) -> bool:
    """Tell if a clause is the speaker's, or holds a name or number."""
    if main.head.lemma.lower() in _ATTITUDES or any(token.lower in SECOND for token in tokens):
        return False
    return (main.subject is not None and main.subject.lower in FIRST) or any(
        token.upos in {"PROPN", "NUM"} for token in tokens
    )


def _calls(token: Token, hearer: str | None) -> bool:
    """Tell if a word is the hearer's name, or its beginning: "Mel"."""
    return hearer is not None and token.upos == "PROPN" and hearer.startswith(token.text[:_SHORT_NAME])


def _is_named(tokens: Sequence[Token]) -> bool:
    return any(token.upos in {"PROPN", "NUM"} or token.lower in FIRST for token in tokens)


def _addresses(group: Sequence[Clause]) -> bool:
    return any(token.lower in SECOND or token.lower in COURTESY for clause in group for token in clause.tokens)


def _stands_alone(run: Sequence[list[Clause]], group: Sequence[Clause], teller: Teller) -> bool:
    """Tell if a coordinate clause of a long sentence is told by itself."""
    words = sum(len(clause.tokens) for each in (*run, group) for clause in each)
    if words <= _WIDE or group[0].kind not in {"coordinate", "aside"}:
        return False
    tokens = [token for clause in group for token in clause.tokens]
    return (
        not any(token.lower in _REASONING for token in tokens[:2])
        and _content(tokens) >= _FEW
        and not any(token.lower in THIRD | POINTING and token.upos == "PRON" for token in tokens)
        and teller.subject(group[0]) is not None
    )


def _words_of(sentence: Sentence, run: Sequence[Sequence[Clause]], hearer: str | None = None) -> list[Token]:
    own = {token.index: token for group in run for clause in group for token in clause.tokens}
    tokens = _trimmed(sentence, [own[index] for index in sorted(own)])
    # The hearer's name behind a comma is none of it, whatever the tree says: "that bowl is great, Mel".
    if len(tokens) > 2 and tokens[-2].text == "," and _calls(tokens[-1], hearer):
        tokens = tokens[:-2]
    while (
        len(tokens) > 2 and tokens[1].text in {",", "!"} and (_calls(tokens[0], hearer) or tokens[0].lower in COURTESY)
    ):
        tokens = tokens[2:]
    return tokens


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
    if main.verb not in {"be", "look", "sound", "seem", "feel"} or any(
        token.upos in {"PROPN", "NUM"} for token in tokens
    ):
        return False
    subject = main.subject
    if main.verb != "be":
        quality = main.sentence.child(main.head, "xcomp", "advmod")
        judged = quality is not None and quality.upos == "ADJ"
    acted = subject is not None and (subject.relation.startswith("csubj") or subject.lower.endswith("ing"))
    if (
        acted
        and not _is_own(main.sentence)
        and main.tense == "present"
        and not main.sentence.child(subject or main.head, "det")
    ):
        return True
    judged = judged or (
        main.head.upos == "ADJ"
        and main.tense == "present"
        and any(each.lower in {"so", "such"} for each in main.sentence.children(main.head, "advmod"))
    )
    return judged and not any(token.lower in FIRST | GROUP for token in tokens)


_BINDING: Final = words(
    """
    which who whom whose that where because since like as than if when while until though although how what
    why cuz cause
    """
)
_REASONING: Final = frozenset({"so", "but", "because", "then", "or", "yet", "too", "also"})
_MOODS: Final = words(
    """
    excited thankful grateful happy glad stoked pumped thrilled proud lucky blessed ready determined hopeful
    motivated nervous curious sure confident positive ok okay fine good great optimistic inspired
    """
)
_STRIVING: Final = words(
    """
    push stop try keep give wait see hang do be make quit stay continue chase handle rock
    """
)
_HOPES: Final = frozenset({"dream", "goal", "thing", "best", "way"})


_PASSING: Final = frozenset({"moment", "time", "memory", "feeling", "one", "thing", "color", "experience"})
_VAGUE: Final = words(
    """
    thing stuff plan lot lots idea way something much part kind bit everything news
    """
)
_CHATTING: Final = frozenset({"talk", "chat", "speak", "catch"})


def _is_vague(tokens: Sequence[Token]) -> bool:
    """Tell if words name nothing in particular: "a lot has happened", "I have a few plans"."""
    said = [token for token in tokens if token.upos in _CONTENT and token.lemma.lower() not in LIGHT_VERBS]
    return bool(said) and all(
        token.lemma.lower() in _VAGUE or token.lemma.lower() in {"happen", "big", "new", "lately", "few", "life"}
        for token in said
    )


def _is_mood(main: Clause, tokens: Sequence[Token]) -> bool:
    """Tell if a clause only says how the speaker feels or strives, about nothing that it names."""
    if any(token.upos in {"NOUN", "PROPN", "NUM"} and token.lemma.lower() not in _HOPES for token in tokens):
        return False
    verb = main.head.lemma.lower()
    if verb in PRAISE | _MOODS and main.verb in {"look", "seem", "sound"}:
        return True
    return (main.verb == "be" and verb in _MOODS) or (
        verb in _STRIVING and (main.tense == "future" or bool(main.auxiliaries or main.phase or main.modality))
    )


_ATTITUDES: Final = words(
    """
    love like admire appreciate enjoy adore proud glad happy excited thrilled curious sorry grateful thankful
    impressed amazed inspired sure certain agree believe know think feel hear see remember understand mean
    support respect root help inspire make wish hope cheer
    """
)

# What general truths are about; a capital at the head of a sentence makes no name of it.
_MATTERS: Final = words(
    """
    life love art music family nature time change success confidence friendship dance dancing hope pets joy
    marketing happiness
    """
)
_GRATEFUL: Final = words(
    """
    mean lucky grateful thankful proud glad happy hope bless here
    """
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
    if main.dropped or main.tense == "past" or main.suffered:
        return True
    subject = main.subject
    if any(
        token.lower in FIRST
        or (
            token.upos in {"PROPN", "NUM"}
            and (token.index or token.lower not in PERSONS | _MATTERS)
            and token.lemma.lower() not in _MATTERS
        )
        or (token.lower in THIRD - THINGS and token.upos == "PRON")
        for token in tokens
    ):
        return True
    # "We" among general truths means everybody: "music brings us together".
    if subject is not None and subject.lower in THINGS:
        return True
    if subject is None or subject.lower in GROUP:
        return subject is not None and not any(token.lower == "all" for token in main.tokens)
    determiner = teller.sentence.child(subject, "det", "nmod:poss")
    return determiner is not None and determiner.lower not in {"a", "an", "every", "any", "some", "no", "all"}


def _tells(sentence: Sentence, main: Clause, group: Sequence[Clause], teller: Teller) -> bool:
    """Tell if a clause says something of the world."""
    if main.mood != "statement" or main.kind in {"adverbial", "relative", "complement"} or _is_verbless(main):
        return False
    if main.subject is None and not main.dropped and not main.suffered and not _impersonal(sentence, main):
        return False
    tokens = [token for clause in group for token in clause.tokens]
    if _is_idle(main, tokens) or _is_for_hearer(sentence, main, group, tokens) or teller.generalises(tokens):
        return False
    if main.verb == "be" and _subject(main) in POINTING | {"it", ""} and main.head.lemma.lower() in PRAISE:
        return any(token.lower in FIRST | GROUP for token in tokens) and _content(tokens) >= _FEW
    return _anchored(main, tokens, teller) and not _in_quotes(sentence, main.opening) and _content(tokens) >= 1


def _subject(main: Clause) -> str:
    return main.subject.lower if main.subject is not None else ""


def _is_idle(main: Clause, tokens: Sequence[Token]) -> bool:
    """Tell if a clause names nothing in particular, or only a mood."""
    subject, verb = _subject(main), main.verb.partition(" ")[0]
    if _is_vague(tokens) or _is_mood(main, tokens) or (subject in GROUP and verb in _CHATTING):
        return True
    if subject in {"something", "things", "everything", "anything", "stuff", "nothing"} and _content(tokens) <= _FEW:
        return True
    if verb in TALK | {"ask"} and _content(tokens) <= 1 and not any(token.upos == "PROPN" for token in tokens):
        return True
    if main.verb in {"sound", "look", "seem"} and subject in POINTING | {"it", ""}:
        return True
    return (verb in {"hope", "wish"} and not subject) or (tokens[0].lower == "here" and _content(tokens) <= 1)


def _is_for_hearer(sentence: Sentence, main: Clause, group: Sequence[Clause], tokens: Sequence[Token]) -> bool:
    """Tell if a clause thanks, praises, wishes or advises the hearer."""
    verb = main.verb.partition(" ")[0]
    addressed = _to_hearer(tokens)
    if _subject(main) in SECOND or main.head.lower in COURTESY:
        return True
    if verb in {"thank", "congratulate", "wish", "appreciate"}:
        return addressed or not any(token.upos == "PROPN" for token in tokens)
    if verb in {"hope", "bet", "imagine", "guess", "look"} and any(
        _subject(clause) in SECOND | THIRD | POINTING for clause in group if clause is not main
    ):
        return True
    if addressed and ((main.tense == "present" and not _is_named(tokens)) or main.head.lemma.lower() in _GRATEFUL):
        return True
    praising = sentence[0].lemma.lower() in PRAISE | COURTESY
    return (praising and _to_hearer(sentence.tokens)) or _about_hearer(main, main.tokens)


def _is_verbless(main: Clause) -> bool:
    """Tell if a clause has no verb that says when: "being my own boss"; "mum's coming" has one, whatever its tag."""
    before = main.sentence.tokens[max(main.opening.index - 2, 0) : main.opening.index]
    return (
        main.opening.lower.endswith("ing")
        and not main.auxiliaries
        and not main.dropped
        and not any(each.text.startswith(("'", "’")) for each in before)
    )


def _in_quotes(sentence: Sentence, token: Token) -> bool:
    before = sentence.text[sentence.start : token.start]
    return sum(before.count(mark) for mark in ('"', "“", "”")) % 2 == 1


def _to_hearer(tokens: Sequence[Token]) -> bool:
    return any(token.lower in SECOND for token in tokens)


def _impersonal(sentence: Sentence, clause: Clause) -> bool:
    if clause.verb == "turn out" and clause.find("complement") is not None:
        return True
    return any(child.relation.startswith("expl") for child in sentence.children(clause.opening)) or (
        clause.subject is not None and clause.subject.relation.startswith("csubj")
    )


_MOST_BESIDE: Final = 4
_EDGE: Final = frozenset({"cc", "punct", "discourse", "vocative"})
_OPENERS: Final = words(
    """
    well oh or so also anyway actually honestly btw like and but then plus yeah yes no definitely however
    absolutely totally especially unfortunately luckily anyways
    """
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
            below = sentence.subtree(token)
            behind = sentence.tokens[below[-1].index + 1 : below[-1].index + 2]
            before = sentence.tokens[max(below[0].index - 1, 0) : below[0].index]
            # Within a clause it is an argument, whatever its tag: "said yes today", "brings me joy".
            if before and before[0].upos in {"VERB", "PRON", "ADJ", "ADP", "DET"}:
                continue
            if token.upos == "PROPN" and behind and behind[0].upos != "PUNCT":
                continue
            if len(below) <= _MOST_BESIDE and not any(each.upos in {"VERB", "AUX"} for each in below):
                dropped.update(each.index for each in below)
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
