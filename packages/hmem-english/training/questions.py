"""Questions made of statements of the treebank, with their trees.

The treebank has a few hundred questions with a question word, mostly without names; memories are asked little else. A
statement with a subject and a verb becomes one by moving its auxiliary (or "do") before the subject and one of its
parts, as a question word, to the front: "She bought a car in May" becomes "What did Maria buy in May?". Subjects that
are pronouns become given names half of the time, so that names of all languages are read as such.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from treebank import Sentence, Word

_SUBJECTS: Final = ("nsubj", "nsubj:pass")
_PERSONS: Final = frozenset({"i", "he", "she", "they", "we", "you"})
_DROPPED: Final = frozenset(
    {"punct", "cc", "conj", "discourse", "parataxis", "vocative", "list", "dislocated", "reparandum", "mark", "advcl"}
)
_LONGEST: Final = 16
_PLACES: Final = frozenset({"in", "at", "to", "from", "on", "near"})
_STRANDED: Final = frozenset({"to", "from", "about", "for", "with", "on", "in", "at", "of", "by"})
_CLIPPED: Final = frozenset({"n't", "n’t", "nt", "n"})
_WHAT: Final = "PronType=Int"
_DO: Final = {
    "Past": ("did", "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin"),
    "3": ("does", "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"),
    "": ("do", "Mood=Ind|Number=Plur|Person=3|Tense=Pres|VerbForm=Fin"),
}

_FULL: Final = {
    "'m": "am", "’m": "am", "'re": "are", "’re": "are", "'s": "is", "’s": "is", "'ve": "have", "’ve": "have",
    "'ll": "will", "’ll": "will", "'d": "would", "’d": "would", "m": "am", "s": "is", "ca": "can", "wo": "will",
}  # fmt: skip
# Forms of auxiliaries beside a name where a pronoun stood.
_BESIDE_NAME: Final = {"am": "is", "'m": "is", "’m": "is", "are": "is", "'re": "is", "’re": "is", "were": "was",
                       "have": "has", "'ve": "has", "’ve": "has", "do": "does"}  # fmt: skip

# A word that is put in has no place in the statement, so words are keyed: its own by index, new ones above.
Row = tuple[int, Word]
_HELPER: Final = 100_000
_MARK: Final = 200_000
_FRONT: Final = 300_000
_MANY: Final = 300_001
_OF: Final = 300_002
_POSSESSIVE: Final = 400_000


class Turn(NamedTuple):
    """What a question asks for, its first words, and the words of the statement that go or come behind."""

    kind: str
    front: list[Row]
    gone: Sequence[int] = ()
    behind: Sequence[int] = ()


def question(one: Sentence, names: Sequence[str], dice: random.Random) -> Sentence | None:
    """Return a question made of a statement, or None if it has no clause that can be turned."""
    root = next((index for index, word in enumerate(one.words) if word.relation == "ROOT"), -1)
    if root < 0 or one.words[-1].form == "?":
        return None
    below = _below(one)
    subject = next((i for i in below[root] if one.words[i].relation in _SUBJECTS), None)
    if subject is None or subject > root or one.words[subject].feats.find("PronType=Rel") >= 0:
        return None
    if any(
        one.words[i].relation in {"expl", "nsubj:outer", "csubj"} or one.words[i].form in _CLIPPED for i in below[root]
    ):
        return None
    turned = _turned(one, root, subject, below, names, dice)
    if turned is None or not 3 < len(turned) <= _LONGEST:
        return None
    return _numbered(one, turned)


def named(one: Sentence, names: Sequence[str], dice: random.Random) -> Sentence | None:
    """Return a statement with given names where pronouns of the third person were its subjects, or None without one."""
    words = [
        replace(word, form=name, lemma=name, upos="PROPN", feats="Number=Sing")
        if word.form.lower() in {"he", "she"} and word.relation in _SUBJECTS and word.space
        else word
        for word in one.words
        for name in [dice.choice(names)]
    ]
    return replace(one, words=words) if words != one.words else None


def _below(one: Sentence) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in one.words]
    for index, word in enumerate(one.words):
        if word.head != index:
            found[word.head].append(index)
    return found


def _tree(top: int, below: Sequence[Sequence[int]], left: Iterable[int] = ()) -> list[int]:
    leave, found, stack = set(left), [], [top]
    while stack:
        index = stack.pop()
        if index not in leave:
            found.append(index)
            stack.extend(below[index])
    return sorted(found)


def _turned(
    one: Sentence, root: int, subject: int, below: list[list[int]], names: Sequence[str], dice: random.Random
) -> list[Row] | None:
    words = one.words
    away = [i for i in below[root] if words[i].relation.partition(":")[0] in _DROPPED]
    clause = _tree(root, below, away)
    helpers = [i for i in below[root] if words[i].relation in {"aux", "aux:pass", "cop"} and i < root and i > subject]
    if not helpers and (words[root].upos != "VERB" or "VerbForm=Fin" not in words[root].feats):
        return None
    own = _tree(subject, below, (i for i in below[subject] if words[i].relation in {"acl:relcl", "parataxis", "punct"}))
    if own != list(range(own[0], own[-1] + 1)) or len(own) > 5:
        return None
    turn = _front(words, root, subject, clause, below, dice)
    if turn is None:
        return None
    body = list(turn.front)
    asks_subject = turn.kind == "subject"
    if not asks_subject:
        noun = [(i, words[i]) for i in own]
        named = _named(noun, subject, words, names, dice)
        body.append(_helper(words, root, helpers, named=named is not noun))
        body += named
    taken = {*own, *turn.gone, *([helpers[0]] if helpers and not asks_subject else [])}
    for index in clause if turn.kind != "identity" else ():
        if index in taken or index < own[0]:
            continue
        word = words[index]
        if index == root and not helpers and not asks_subject:
            word = replace(word, form=word.lemma, feats="VerbForm=Inf")
        body.append((index, word))
    body += [(i, words[i]) for i in turn.behind]
    body.append((_MARK, Word("?", "?", "PUNCT", "", root, "punct", space=True)))
    return _possessed([(key, _uncontracted(word)) for key, word in body], dice, names)


def _uncontracted(word: Word) -> Word:
    return replace(word, form=_FULL.get(word.form.lower(), word.form), space=True) if word.upos == "AUX" else word


def _helper(words: Sequence[Word], root: int, helpers: Sequence[int], *, named: bool) -> Row:
    if helpers:
        word = words[helpers[0]]
        return helpers[0], replace(word, form=_BESIDE_NAME.get(word.form.lower(), word.form) if named else word.form)
    feats = words[root].feats
    third = ("Person=3" in feats and "Number=Sing" in feats) or named
    form, shape = _DO["Past" if "Tense=Past" in feats else "3" if third else ""]
    return _HELPER, Word(form, "do", "AUX", shape, root, "aux", space=True)


def _front(
    words: Sequence[Word], root: int, subject: int, clause: Sequence[int], below: list[list[int]], dice: random.Random
) -> Turn | None:
    verbs = [root, *(i for i in below[root] if words[i].relation == "xcomp" and words[i].upos == "VERB")]
    choices: list[tuple[str, int, int]] = [("subject", subject, root), ("polar", -1, root), ("adverb", -1, root)]
    for verb in verbs:
        for i in below[verb]:
            if i in clause and i > verb and words[i].relation == "obj":
                choices += [("object", i, verb)] * 6
            elif i in clause and i > verb and words[i].relation == "obl":
                choices += [("oblique", i, verb)] * 3 * any(words[j].relation == "case" for j in below[i])
    if words[root].upos in {"NOUN", "PROPN"} and any(words[i].relation == "cop" for i in below[root]):
        choices += [("identity", root, root)] * 4
    kind, gap, verb = dice.choice(choices)
    match kind:
        case "subject":
            return Turn(kind, _who(words[gap], gap, root, dice), _tree(gap, below))
        case "object":
            return Turn(kind, _object(words, gap, verb, dice), _tree(gap, below))
        case "oblique":
            return _oblique(words, gap, verb, below, dice)
        case "identity":
            return Turn(kind, [(root, replace(_asked(dice.choice(("What", "Who")), "PRON", root, "ROOT")))])
        case "adverb":
            return Turn(kind, _adverb(root, dice))
        case _:
            return Turn(kind, [])


def _who(word: Word, gap: int, root: int, dice: random.Random) -> list[Row]:
    who = dice.choice(("Who", "Who", "What", "Which"))
    if who == "Which" and word.upos == "NOUN":
        return [(_FRONT, _asked("Which", "DET", gap, "det")), (gap, replace(word, space=True))]
    return [(gap, _asked("Who" if who == "Which" else who, "PRON", root, word.relation))]


def _asked(form: str, upos: str, head: int, relation: str) -> Word:
    return Word(form, form.lower(), upos, _WHAT, head, relation, space=True)


def _adverb(root: int, dice: random.Random) -> list[Row]:
    asked = dice.choice(("When", "Where", "Why", "How", "How long", "How often", "Why"))
    first, _, second = asked.partition(" ")
    if not second:
        return [(_FRONT, _asked(first, "ADV", root, "advmod"))]
    return [
        (_FRONT, _asked(first, "ADV", _MANY, "advmod")),
        (_MANY, Word(second, second, "ADV", "Degree=Pos", root, "advmod", space=True)),
    ]


def _object(words: Sequence[Word], gap: int, verb: int, dice: random.Random) -> list[Row]:
    relation = words[gap].relation
    noun = words[gap].upos == "NOUN"
    plural = noun and "Number=Plur" in words[gap].feats
    dies = dice.random()
    if noun and dies < 0.3:
        return [
            (_FRONT, _asked(dice.choice(("What", "Which")), "DET", gap, "det")),
            (gap, replace(words[gap], space=True)),
        ]
    if plural and dies < 0.5:
        many = Word("many", "many", "ADJ", "Degree=Pos", gap, "amod", space=True)
        return [(_FRONT, _asked("How", "ADV", _MANY, "advmod")), (_MANY, many), (gap, replace(words[gap], space=True))]
    if noun and dies < 0.55:
        kind = dice.choice(("kind", "type", "sort"))
        return [
            (_FRONT, _asked("What", "DET", _MANY, "det")),
            (_MANY, Word(kind, kind, "NOUN", "Number=Sing", verb, relation, space=True)),
            (_OF, Word("of", "of", "ADP", "", gap, "case", space=True)),
            (gap, replace(words[gap], head=_MANY, relation="nmod", space=True)),
        ]
    who = words[gap].upos in {"PROPN", "PRON"} and dice.random() < 0.6
    return [(gap, _asked("Who" if who else "What", "PRON", verb, relation))]


def _oblique(words: Sequence[Word], gap: int, verb: int, below: list[list[int]], dice: random.Random) -> Turn | None:
    cases, gone = [i for i in below[gap] if words[i].relation == "case"], _tree(gap, below)
    marker = words[cases[0]].form.lower()
    if marker in _PLACES and dice.random() < 0.5:
        return Turn("place", [(gap, _asked("Where", "ADV", verb, "advmod"))], gone)
    if marker not in _STRANDED or len(cases) != 1:
        return None
    front = [(gap, _asked(dice.choice(("What", "What", "Who")), "PRON", verb, words[gap].relation))]
    if words[gap].upos == "NOUN" and dice.random() < 0.35:
        asked = _asked(dice.choice(("What", "Which")), "DET", gap, "det")
        front = [(_FRONT, asked), (gap, replace(words[gap], space=True))]
    return Turn("oblique", front, gone, cases)


def _named(
    rows: list[Row], subject: int, words: Sequence[Word], names: Sequence[str], dice: random.Random
) -> list[Row]:
    """Return the subject, a given name for a pronoun or a name mostly, with what is hers at times."""
    word = words[subject]
    if len(rows) == 1 and (word.form.lower() in _PERSONS or word.upos == "PROPN") and dice.random() < 0.8:
        name = dice.choice(names)
        return [(subject, Word(name, name, "PROPN", "Number=Sing", word.head, word.relation, space=True))]
    return rows


def _possessed(rows: list[Row], dice: random.Random, names: Sequence[str]) -> list[Row]:
    """Return rows where a possessive pronoun became a name with "'s", at times."""
    found: list[Row] = []
    for key, word in rows:
        if word.relation == "nmod:poss" and word.upos == "PRON" and dice.random() < 0.5:
            name = dice.choice(names)
            found.append((key, Word(name, name, "PROPN", "Number=Sing", word.head, "nmod:poss", space=False)))
            found.append((_POSSESSIVE + key, Word("'s", "'s", "PART", "", key, "case", space=True)))
        else:
            found.append((key, word))
    return found


def _numbered(one: Sentence, rows: list[Row]) -> Sentence | None:
    places = {key: place for place, (key, _) in enumerate(rows)}
    made: list[Word] = []
    for place, (key, word) in enumerate(rows):
        root = word.relation == "ROOT"
        head = key if root else word.head
        if head not in places:
            return None
        made.append(replace(word, head=place if root else places[head], space=word.space))
    if sum(word.relation == "ROOT" for word in made) != 1 or len(places) != len(rows):
        return None
    first = made[0]
    made[0] = replace(first, form=first.form[:1].upper() + first.form[1:])
    made = [
        replace(word, form=word.form.lower())
        if place and word.upos != "PROPN" and word.form.istitle() and word.form != "I"
        else word
        for place, word in enumerate(made)
    ]
    made[-2] = replace(made[-2], space=False)
    return Sentence(made, one.genre, opens=True, document=one.document)
