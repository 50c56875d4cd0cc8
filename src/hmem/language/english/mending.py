"""Mending of trees: words of talk whose tag contradicts their place in the tree are read by their place.

What no English sentence can have is read as what it must be:

- a bare number as punctuation, a time or a second object: it belongs to the noun right before it ("port 9090");
- a bare noun behind "used to": it is a verb ("I used to smoke");
- a participle that modifies the object of a verb of beginning or ending: it is what begins or ends ("stopped drinking
  coffee"), and so is a bare noun in "-ing" as its object ("quit smoking");
- what stands behind "not" and a comma: it is coordinated with what it is no part of ("we pay by card, not by cheque");
- a name between commas that is coordinated without a conjunction, or a second subject: it is an apposition ("my dog,
  Coco, barks");
- names between commas behind a plural noun of somebody's, or a counted one: they are its appositions ("my twins, Lena
  and Bo, swim"), and a verb behind them is the main verb;
- a name behind "called" or "named" right behind a noun: it is what that is called, not the subject of what follows
  ("a nurse called Brendan looks in");
- what stands behind "rather than": it is set against what it is coordinated with, as what stands behind "not" is, and
  no clause is about it ("it was Harold, not Stanley, who taught me");
- a sentence without a main verb whose subject has a verb in "-s" behind a comma: that is the main verb ("my cat, Minka,
  sleeps here").
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from hmem.language.dates.words import CARDINALS
from hmem.language.english.meaning.clauses import PHASES
from hmem.language.english.meaning.lists import KIN, PETS, ROLES
from hmem.language.english.meaning.name_lists import is_common
from hmem.language.english.meaning.reference import SECOND
from hmem.language.english.tree import NOT_BUT, ROOT, Token

_IS: Final = "Mood=Ind|Number=Sing|Person=3|Tense=Pres|VerbForm=Fin"
_SUBJECTS: Final = frozenset({"nsubj", "nsubj:pass"})
_MISTAKEN: Final = frozenset({"NOUN", "INTJ", "ADJ", "ADV", "X"})
_PREDICATES: Final = frozenset({"VERB", "ADJ", "NOUN", "PROPN", "NUM", "ADV"})
_STOPS: Final = frozenset(",.!?;")
# Nouns of phrases that only answer: "tomorrow, not a problem".
_ANSWERS: Final = frozenset({"problem", "deal", "issue", "worry", "chance", "way", "joke", "bit", "lot", "one"})
_NOMINAL: Final = frozenset({"NOUN", "PROPN"})
_CALLED: Final = frozenset({"called", "named"})
# Most words of one of several names.
_LONGEST_NAME: Final = 2
# Verbs that tell how far what follows them in "-ing" has come.
_BEGUN_OR_ENDED: Final = frozenset(verb for verb, phase in PHASES.items() if phase in {"start", "stop", "finish"})


def mended(tokens: Iterable[Token], lemma: Callable[[str, str], str]) -> tuple[Token, ...]:
    """Return the tokens of a tree with what can only be a verb as one.

    "'s" behind a subject is "is", as a possessor is no subject: "Lisbon's cancelled". A root in "-ing" with an
    auxiliary is a verb, and so is one in "-ed" with a subject and an object or a goal, but without "be". A bare word
    with a capital that is no common one is a name as the subject of a verb: "Wout broke his wrist".
    """
    given = tuple(tokens)
    found = list(given)
    _main_verb(found, lemma)
    for place in range(len(found)):
        token = found[place]
        if _is_name(token, found):
            found[place] = replace(token, upos="PROPN", feats="Number=Sing")
        if token.text in {"'s", "\u2019s"} and token.upos == "PART":
            found[place] = _is(token, found)
        if token.text[0].isdigit() and token.relation in {"punct", "obl:unmarked", "obj"}:
            _number(token, found)
        if token.lower == "used" and token.upos == "VERB":
            _infinitive(token, found, lemma)
        if token.lower == "not":
            _contrast(token, found)
        if token.lower == "rather" and token.relation == "cc":
            _preference(token, found)
        if token.lower in _CALLED and 0 < place < len(found) - 1:
            _called(token, found)
        if token.has("Number=Plur") and token.upos == "NOUN":
            _appositions(token, found)
        if token.text.endswith("ing") and token.index:
            _gerund(token, found, lemma)
        if token.text[:1].isupper() and token.relation in {"conj", "nsubj", "appos"}:
            _apposition(token, found)
    made = [_verb(token, found, lemma) if token.relation == ROOT else token for token in found]
    # What is read contradicts itself where two rules would make tokens depend on each other: nothing is mended there.
    return tuple(made) if _is_tree(made) else given


def _is_tree(tokens: Sequence[Token]) -> bool:
    """Tell if the way up from each token ends at a root."""
    rooted = [token.head == token.index for token in tokens]
    for token in tokens:
        way = list[int]()
        at = token.index
        while not rooted[at] and at not in way:
            way.append(at)
            at = tokens[at].head
        if not rooted[at]:
            return False
        for each in way:
            rooted[each] = True
    return True


def _is_name(token: Token, tokens: list[Token]) -> bool:
    """Tell if a subject, or what something is called, that is tagged as a common word can only be a name."""
    if token.upos not in _MISTAKEN or not token.text.istitle():
        return False
    if token.relation == "xcomp" and tokens[token.head].lower in _CALLED:
        return True
    if token.relation not in _SUBJECTS:
        return False
    if is_common(token.lower, token.lemma) or tokens[token.head].upos not in {"VERB", "ADJ"}:
        return False
    below = [each for each in _below(token, tokens) if each.upos != "PUNCT"]
    # "My dog Rex": what the name is of may stand before it.
    return not below or (token.index > 0 and all(each.relation in {"compound", "nmod:poss"} for each in below))


def _number(token: Token, tokens: list[Token]) -> None:
    """Give a bare number to the noun right before it."""
    before = tokens[token.index - 1]
    beside = token.relation != "obj" or (before.relation == "obj" and before.head == token.head)
    if token.index and beside and before.upos in _NOMINAL and not any(_below(token, tokens)):
        tokens[token.index] = replace(token, head=before.index, relation="nmod:unmarked")


def _infinitive(token: Token, tokens: list[Token], lemma: Callable[[str, str], str]) -> None:
    """Make a bare noun behind "used to" a verb, unless somebody *is* used to it."""
    if any(each.relation.startswith(("aux", "cop")) for each in _below(token, tokens)):
        return
    if token.index + 2 >= len(tokens):
        return
    to, noun = tokens[token.index + 1 : token.index + 3]
    if to.lower == "to" and to.head == noun.index and noun.upos in _NOMINAL and noun.text.islower():
        tokens[to.index] = replace(to, upos="PART", relation="mark")
        base = lemma(noun.text, "VERB")
        tokens[noun.index] = replace(noun, lemma=base, upos="VERB", feats="VerbForm=Inf", relation="xcomp")


def _gerund(token: Token, tokens: list[Token], lemma: Callable[[str, str], str]) -> None:
    """Make a word in "-ing" right behind a verb of beginning or ending what that verb opens."""
    base = lemma(token.text, "VERB")
    opening = tokens[token.index - 1]
    particle = opening.lower if opening.relation == "compound:prt" else ""
    if particle:
        opening = tokens[opening.head]
    verb = f"{lemma(opening.text, 'VERB')} {particle}".strip()
    if opening.upos != "VERB" or verb not in _BEGUN_OR_ENDED or base == token.lower:
        return
    noun = tokens[token.head]
    if (
        token.upos == "VERB"
        and token.relation in {"amod", "compound"}
        and noun.relation == "obj"
        and noun.head == opening.index
    ):
        tokens[noun.index] = replace(noun, head=token.index)
    elif token.relation != "obj" or noun is not opening or any(each.upos in _NOMINAL for each in _below(token, tokens)):
        return
    feats = "VerbForm=Ger"
    tokens[token.index] = replace(token, lemma=base, upos="VERB", feats=feats, head=opening.index, relation="xcomp")


def _contrast(token: Token, tokens: list[Token]) -> None:
    """Coordinate what "not" denies behind a comma with the part of the clause that it is set against."""
    noun = tokens[token.head]
    comma = token.index - 1 - (token.index > 1 and tokens[token.index - 1].lower in {"and", "but"})
    nominal = noun.upos in _NOMINAL | {"NUM", "ADJ", "PRON"}
    if comma < 1 or tokens[comma].text != "," or noun.index < token.index or not nominal or noun.relation == ROOT:
        return
    below = list(_below(noun, tokens))
    if any(each.relation.startswith(("nsubj", "cop", "aux", "mark")) for each in below):
        return
    if noun.lower in _ANSWERS and not any(each.relation == "amod" for each in below):
        return
    _set_against(noun, tokens[:comma], tokens)


def _preference(token: Token, tokens: list[Token]) -> None:
    """Set what stands behind "rather than" against its like."""
    noun = tokens[token.head]
    than = any(each.lower == "than" for each in _below(token, tokens))
    if than and noun.relation == "conj" and noun.upos in _NOMINAL | {"NUM", "ADJ"}:
        _set_against(noun, tokens[: token.index], tokens)


def _set_against(noun: Token, before: list[Token], tokens: list[Token]) -> None:
    """Coordinate what is denied with the last word before it that may be of its kind; no clause is about it."""
    alike = [each for each in reversed(before) if _is_set_against(each, noun)]
    case = _cases(noun, tokens)
    other = next((each for each in alike if each.relation != "nsubj" and _cases(each, tokens) == case), None)
    if other is None and not case:
        # "On Monday, not Tuesday".
        other = next(iter(alike), None)
    if other is None:
        return
    tokens[noun.index] = replace(noun, head=other.index, relation=NOT_BUT)
    for each in list(_below(noun, tokens)):
        if each.relation == "acl:relcl":
            tokens[each.index] = replace(each, head=other.index)


def _is_set_against(token: Token, noun: Token) -> bool:
    """Tell if a part of a clause may be of the same kind as what is denied."""
    if noun.upos == "ADJ":
        return token.upos == "ADJ" and token.relation in {ROOT, "amod", "xcomp", "obj", "conj"}
    if noun.upos == "NUM":
        return token.upos == "NUM"
    return token.upos in _NOMINAL | {"NUM", "X"} and token.relation in {"obj", "obl", "nmod", "nsubj", "xcomp", ROOT}


def _cases(token: Token, tokens: list[Token]) -> set[str]:
    """Return the prepositions of a word."""
    return {each.lower for each in _below(token, tokens) if each.relation == "case"}


def _apposition(token: Token, tokens: list[Token]) -> None:
    """Hang a name behind a comma on the one thing or person that is named so: "my dog, Coco"."""
    below = [each for each in _below(token, tokens) if each.upos != "PUNCT"]
    comma = min([token.index, *(each.index for each in below)]) - 1
    if comma < 1 or tokens[comma].text != "," or token.upos not in _MISTAKEN | {"PROPN"}:
        return
    if any(each.relation != "det" for each in below) or (not below and is_common(token.lower, token.lemma)):
        return
    if token.relation == "appos":
        tokens[token.index] = replace(token, upos="PROPN")
        return
    noun, behind = tokens[comma - 1], tokens[token.index + 1 : token.index + 2]
    beside = [each for each in _below(noun, tokens) if each is not token]
    if (
        noun.upos != "NOUN"
        or noun.has("Number=Plur")
        or any(each.text not in _STOPS for each in behind)
        or not any(each.relation == "nmod:poss" for each in beside)
        # A list has a conjunction before its last member.
        or any(each.relation == "conj" for each in beside)
    ):
        return
    if token.head == (noun.index if token.relation == "conj" else noun.head):
        tokens[token.index] = replace(token, upos="PROPN", head=noun.index, relation="appos")


def _appositions(noun: Token, tokens: list[Token]) -> None:
    """Hang names behind a comma on the things or people that are named so: "my twins, Lena and Bo"."""
    run, end = _names_behind(noun, tokens)
    if not run or not _are_its_names(noun, run, end, tokens):
        return
    names = [token for name in run for token in name]
    top = tokens[noun.head]
    if any(each.relation == ROOT for each in names):
        return
    if top in names:
        if tokens[top.head] in (*names, noun):
            return
        tokens[noun.index] = replace(noun, head=top.head, relation=top.relation)
    first = run[0][0]
    for name in run:
        relation = ("appos", noun.index) if name is run[0] else ("conj", first.index)
        tokens[name[0].index] = replace(name[0], upos="PROPN", relation=relation[0], head=relation[1])
        for each in name[1:]:
            tokens[each.index] = replace(each, upos="PROPN", relation="flat", head=name[0].index)
    for each in tokens[first.index : end]:
        if each not in names and each.lower in {"and", "&"}:
            behind = next(name[0] for name in run if name[0].index > each.index)
            tokens[each.index] = replace(tokens[each.index], relation="cc", head=behind.index)
    verb = tokens[end + 1] if end + 1 < len(tokens) and tokens[end].text == "," else None
    if noun.relation == ROOT and verb is not None and verb.upos == "VERB" and tokens[verb.head] in (noun, *names):
        _lead(verb, noun, tokens)


def _names_behind(noun: Token, tokens: list[Token]) -> tuple[list[list[Token]], int]:
    """Return the coordinated names behind a noun and a comma, and the place behind them; none without "and"."""
    run: list[list[Token]] = [[]]
    joined, place = False, noun.index + 2
    if place >= len(tokens) or tokens[place - 1].text != ",":
        return [], place
    while place < len(tokens):
        token = tokens[place]
        if token.text[0].isupper() and token.lower != "i" and token.upos in _MISTAKEN | {"PROPN"}:
            run[-1].append(token)
        elif token.lower in {"and", "&"} and (run[-1] or len(run) > 2):
            joined = True
            run = run if not run[-1] else [*run, []]
        elif token.text == "," and run[-1] and not joined:
            run.append([])
        else:
            break
        place += 1
    whole = joined and all(run) and all(len(name) <= _LONGEST_NAME for name in run)
    return (run if whole else []), place


def _are_its_names(noun: Token, run: list[list[Token]], end: int, tokens: list[Token]) -> bool:
    """Tell if as many things of somebody's as there are names stand before them, and the names are no address."""
    below = list(_below(noun, tokens))
    counts = [each.lower for each in below if each.relation == "nummod"]
    count = next((CARDINALS.get(each) or (int(each) if each.isdecimal() else 0) for each in counts), None)
    owner = next((each.lower for each in below if each.relation == "nmod:poss"), "")
    if count is not None:
        return count == len(run) and owner not in SECOND
    closed = end >= len(tokens) or tokens[end].text in _STOPS
    # "I love my photos, Lena and Bo!" is said to them.
    inside = end + 1 < len(tokens) and tokens[end].text == ","
    somebody = {noun.lower, noun.lemma.lower()} & (KIN | ROLES | PETS)
    return bool(owner) and owner not in SECOND and closed and (inside or bool(somebody))


def _called(token: Token, tokens: list[Token]) -> None:
    """Make a name behind "called" what the noun before that is called."""
    noun, behind = tokens[token.index - 1], tokens[token.index + 1]
    if noun.upos != "NOUN" or not behind.text[0].isupper() or behind.upos not in _MISTAKEN | {"PROPN"}:
        return
    end = token.index + 1
    while end < len(tokens) and tokens[end].text[0].isupper() and tokens[end].upos in _MISTAKEN | {"PROPN"}:
        end += 1
    run = tokens[token.index + 1 : end]
    name = next((each for each in run if tokens[each.head] not in run), behind)
    if token.relation == ROOT:
        verb = _verb_of(name, token, tokens)
        if verb is None:
            return
        _lead(verb, noun, tokens)
    elif token.head != noun.index or not token.relation.startswith("acl") or name.head == token.index:
        return
    tokens[token.index] = replace(token, feats="VerbForm=Part", head=noun.index, relation="acl")
    tokens[name.index] = replace(name, upos="PROPN", head=token.index, relation="xcomp")


def _verb_of(name: Token, called: Token, tokens: list[Token]) -> Token | None:
    """Return the verb whose subject can only be what is called so: "looks" of "a nurse called Brendan looks in"."""
    head = tokens[name.head]
    if name.relation in _SUBJECTS:
        return head if head.index > name.index else None
    for each in _below(called, tokens):
        below = {below.relation for below in _below(each, tokens)}
        if each.index > name.index and below & {"aux", "aux:pass", "cop"} and not below & {"cc", "mark", *_SUBJECTS}:
            return each
    return None


def _lead(verb: Token, subject: Token, tokens: list[Token]) -> None:
    """Make a verb the root, with a subject; what stood below the root behind the verb stands below the verb."""
    root = next(each for each in tokens if each.relation == ROOT)
    tokens[verb.index] = replace(verb, head=verb.index, relation=ROOT)
    tokens[subject.index] = replace(subject, head=verb.index, relation="nsubj")
    for each in tokens[verb.index + 1 :]:
        if each.head == root.index:
            tokens[each.index] = replace(each, head=verb.index)


def _main_verb(tokens: list[Token], lemma: Callable[[str, str], str]) -> None:
    """Make a verb behind a comma the root of a sentence that has a bare noun as its root."""
    root = next((each for each in tokens if each.relation == ROOT), None)
    if root is None or root.upos not in _NOMINAL or root.has("Number=Plur"):
        return
    below = list(_below(root, tokens))
    if any(each.relation in {"cop", "nsubj", "aux", "case"} for each in below):
        return
    about = {root.index, *(each.index for each in below if each.relation.startswith(("acl", "appos")))}
    verb = next((each for each in tokens if _may_be_verb(each, tokens, about, lemma)), None)
    if verb is None:
        return
    base = lemma(verb.text, "VERB")
    tokens[verb.index] = replace(verb, lemma=base, upos="VERB", feats=_IS, head=verb.index, relation=ROOT)
    tokens[root.index] = replace(root, head=verb.index, relation="nsubj")
    for each in tokens[verb.index + 1 :]:
        if each.relation in {"nmod", "obl"} and each.head in {root.index, verb.index}:
            tokens[each.index] = replace(each, head=verb.index, relation="obl")
        elif each.head == root.index and each.relation == "punct":
            tokens[each.index] = replace(each, head=verb.index)


def _may_be_verb(token: Token, tokens: list[Token], about: set[int], lemma: Callable[[str, str], str]) -> bool:
    """Tell if a word coordinated without a conjunction behind a comma can be a verb in the present."""
    if token.relation != "conj" or token.head not in about or not token.lower.endswith("s"):
        return False
    if tokens[token.index - 1].text != "," or lemma(token.text, "VERB") == token.lower:
        return False
    unlike = {"cc", "det", "amod", "nmod:poss", "nummod", "compound", "nsubj", "case"}
    return token.upos in {"NOUN", "VERB"} and not any(each.relation in unlike for each in _below(token, tokens))


def _is(token: Token, tokens: list[Token]) -> Token:
    owner = tokens[token.head]
    if token.relation in {"cop", "aux", "aux:pass"}:
        return replace(token, lemma="be", upos="AUX", feats=_IS)
    if owner.relation not in _SUBJECTS:
        return token
    predicate = tokens[owner.head]
    below = tuple(_below(predicate, tokens))
    if predicate.upos not in _PREDICATES or predicate.index < token.index or any(
        each.relation.startswith(("aux", "cop")) and each is not token for each in below
    ):  # fmt: skip
        return token
    if predicate.upos != "VERB":
        relation = "cop"
    elif predicate.text.endswith("ing"):
        relation = "aux"
    elif predicate.has("VerbForm=Part"):
        relation = "aux:pass"
    else:
        return token
    return replace(token, lemma="be", upos="AUX", feats=_IS, head=predicate.index, relation=relation)


def _verb(root: Token, tokens: list[Token], lemma: Callable[[str, str], str]) -> Token:
    if root.upos not in {"NOUN", "ADJ"}:
        return root
    relations, word = {each.relation for each in _below(root, tokens)}, root.lower
    if "nsubj" not in relations or relations & {"cop", "det", "amod", "nmod:poss"}:
        return root
    if root.upos == "NOUN" and word.endswith("ing") and "aux" in relations:
        return replace(root, lemma=lemma(word, "VERB"), upos="VERB", feats="Tense=Pres|VerbForm=Part")
    if root.upos == "ADJ" and word.endswith("ed") and relations & {"obj", "obl"}:
        return replace(root, lemma=lemma(word, "VERB"), upos="VERB", feats="Mood=Ind|Tense=Past|VerbForm=Fin")
    return root


def _below(head: Token, tokens: list[Token]) -> Iterator[Token]:
    return (each for each in tokens if each.head == head.index and each is not head)
