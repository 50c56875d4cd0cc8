"""Relations between the entities of a sentence, read from its clauses and from how its nouns hang together.

The subject of a clause is related to its object and to the nouns behind its prepositions; the label is the verb's
lemma with the preposition, or a fixed one such as ``works at`` where verbs mean the same. Appositions, possessives and
"be" relate too: "my sister Lucy", "Tom, the CEO of Acme", "Lucy is a nurse at St. Mary's".

Only what is stated as a fact relates: no question, order, condition, denial, wish, plan or guess.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from hmem.language.analyst.base import Tie
from hmem.language.english.meaning.clauses import Argument, Clause
from hmem.language.english.meaning.mentions import EntityMention, SentenceMentions, role_of
from hmem.language.english.meaning.name_lists import KIN, KINDS, PETS
from hmem.language.english.meaning.names import Name
from hmem.language.english.tree import Token
from hmem.language.english.word_lists import words

_SURE: Final = 0.9
_LIKELY: Final = 0.7

_GO: Final = frozenset(
    {"go", "travel", "fly", "drive", "head", "be", "come", "walk", "get", "take a trip", "return", "go back"}
)
_LIVES: Final = frozenset({"live", "reside", "base"})
_LIKES: Final = frozenset({"love", "like", "enjoy", "adore"})
_HATES: Final = frozenset({"hate", "dislike", "detest", "loathe"})
_GETS: Final = words("""
    have get adopt buy own rescue foster
    """)
_JOINS: Final = frozenset({"join"})
_WORKS: Final = frozenset({"work", "intern"})
_STUDIES: Final = frozenset({"study", "learn"})
_MARRIES: Final = frozenset({"marry", "wed"})
_ATTENDS: Final = words("""
    attend volunteer enroll participate compete perform speak study graduate apply register train teach work intern
    """) | {"sign up"}

# Verbs that tell nothing of how two entities are related.
_LIGHT: Final = words("""
    do make take give let put say see know think feel mean look sound seem hope wish want need thank appreciate guess
    plan name eye try keep tell ask hear believe remember forget share mention talk speak call wonder suggest
    recommend check find show wait welcome understand imagine suppose bet agree happen come turn bring set consider
    notice count matter hold add change include allow cause lead depend spend miss excite inspire remind motivate lose
    leave become remain keep start end begin stop finish deal figure give up pick up check out look into look at hit
    face handle expect provide offer mind nee stay dig push fight focus choose decide pass fail
    """)
# With the present, these open what happens at some time, or may: "when I'm in Rome".
_WHENEVER: Final = words("when while once until before after whenever if unless as")
# Before the verb, these show that it is no fact: "to go", "gotta go".
_OPENERS: Final = words("""
    to gotta ta na gonna wanna lets let's better please
    """)
# Verbs whose object may be a common noun.
_WITH_THINGS: Final = words("""
    have own buy get purchase order sell donate like love enjoy adore hate dislike study learn teach practice play
    join attend visit explore tour host organize organise found launch open run manage start take make bake cook paint
    draw write build create design sew knit carve craft grow plant read watch collect drive ride wear win eat drink
    volunteer rent lease restore repair fix renovate remodel record compose perform direct produce edit publish coach
    mentor train feed walk raise foster rescue adopt photograph film clean decorate
    """)
_INTRANSITIVE: Final = words("""
    participate volunteer work compete apply go live search look come stay travel lean
    """)
_PARTICLES: Final = frozenset(
    {"sign up", "grow up", "hang out", "catch up", "break up", "meet up", "team up", "link up", "split up", "end up",
     "move in", "sit down", "set up", "take up", "pick up", "give up", "put up"}
)  # fmt: skip
_TAKEN: Final = words("""
    class course lesson workshop medication pill supplement vitamin train bus medicine
    """)
_TRIPS: Final = words("""
    trip visit vacation holiday tour journey honeymoon getaway cruise retreat weekend
    """)
_TRAVELLING: Final = words("""
    take go have make return be get enjoy come complete finish
    """)
_ABSTRACT: Final = (
    "ness",
    "ity",
    "tion",
    "sion",
    "ment",
    "ance",
    "ence",
    "ship",
    "hood",
    "ism",
    "cy",
    "ing",
    "edge",
    "th",
)

_BEING: Final = {"from": "from", "in": "is in", "at": "is at", "near": "near", "with": "is with"}
_PLACED: Final = words("""
    in at to from with for by near of into on through against about around
    """)
_TYPED_PREPOSITIONS: Final = frozenset({"at", "for", "in", "with", "to"})
_OTHER_TALK: Final = frozenset({"be", "have", "get"})


def relations(mentions: SentenceMentions, clauses: Sequence[Clause], names: Sequence[Name], speaker: str) -> list[Tie]:
    """Return the relations of a sentence, each once."""
    reader = _Reader(mentions, speaker)
    found = [*reader.nominal(names)]
    for clause in clauses:
        if _is_fact(clause):
            found += reader.clausal(clause)
    found = [tie for tie in found if tie.source.casefold() != tie.target.casefold()]
    return list(dict.fromkeys(found))


def _is_fact(clause: Clause) -> bool:
    """Tell if a clause is stated of the world, now or before, with a finite verb of its own."""
    opening = clause.opening
    # "Searching for a studio is hard" has no subject either, but tells nothing of the speaker.
    finite = (
        bool(clause.auxiliaries)
        or opening.has("VerbForm=Fin")
        or (clause.dropped and not clause.inherited and not opening.lower.endswith("ing"))
    )
    before = [each.lower for each in clause.sentence.tokens[max(opening.index - 1, 0) : clause.head.index]]
    finite = finite and _OPENERS.isdisjoint(before)
    return (
        finite and clause.stated and not clause.negated and clause.modality == "" and clause.tense != "future"
        and clause.phase != "stop" and _governed(clause)
    )  # fmt: skip


def _governed(clause: Clause) -> bool:
    """Tell if the clause that it belongs to makes it no plan: "I'll tell you when I visit Rome"."""
    parent, noun = clause.parent, clause.sentence.head(clause.opening)
    if clause.kind == "relative" and noun is not None and noun.lemma.lower() == "time":
        # "next time I go to London"
        return clause.tense == "past"
    if parent is None or clause.kind not in ("complement", "adverbial"):
        return True
    marks = {each.lower for each in clause.sentence.children(clause.opening, "mark", "advmod")}
    if not marks.isdisjoint(_WHENEVER) and clause.tense == "present" and parent.tense != "past":
        return False
    planned = parent.modality not in ("", "need") or parent.tense == "future" or not parent.certain
    return not (planned or parent.negated or parent.mood != "statement")


class _Reader:
    def __init__(self, mentions: SentenceMentions, speaker: str) -> None:
        self._mentions = mentions
        self._sentence = mentions.sentence
        self._speaker = EntityMention(speaker, "person", pronoun=True)
        self._acting = set[str]()
        self._asked = self._sentence.words.rstrip("\"') ").endswith("?")

    # Nouns.

    def nominal(self, names: Sequence[Name]) -> Iterator[Tie]:
        """Yield the relations of names and roles to those beside them."""
        sentence, asked = self._sentence, self._asked
        for name in names:
            me = self._mentions.of(name.head)
            if me is None or name.called:
                continue
            holder = (
                self._mentions.owner(name.head) if me.type == "product" and name.head.relation != "compound" else None
            )
            if holder is not None and holder.pronoun and not holder.hearer:
                yield _tie(holder, me, "owns")
            for noun in name.described:
                owner = self._mentions.owner(noun) or (
                    self._mentions.owner(name.head)
                    if noun.relation in ("compound", "nmod:desc", "nmod:unmarked")
                    else None
                )
                denied = (noun.relation == "nsubj" and self._denied(name.head)) or (
                    name.head.relation == "nsubj" and self._denied(noun)
                )
                if owner is not None and not denied and not (asked and noun.relation == "nsubj"):
                    yield from self._belongs(owner, noun, me)
                if noun.relation in ("appos", "compound", "nmod:desc"):
                    yield from self._of(me, noun)
            if not asked:
                yield from self._located(me, name)
        for token in sentence:
            following = sentence[token.index + 1] if token.index + 1 < len(sentence) else token
            whole = token.relation != "compound" and (following.upos != "NOUN" or token.lemma.lower() not in PETS)
            if token.upos == "NOUN" and whole and self._mentions.name(token) is None:
                role = self._mentions.of(token)
                if role is not None and role.owner is not None and (role.named or role.type == "animal"):
                    yield from self._belongs(role.owner, token, role)

    def _denied(self, token: Token) -> bool:
        return any(each.lower in ("not", "n't", "never") for each in self._sentence.children(token))

    def _belongs(self, owner: EntityMention, noun: Token, other: EntityMention) -> Iterator[Tie]:
        word = noun.lemma.lower()
        own = any(each.lower == "own" for each in self._sentence.children(noun, "amod"))
        if owner.surface == other.surface or own or (owner.hearer and self._asked):
            return
        if word in PETS:
            yield _tie(owner, other, "owns")
        elif word in KIN or word in ("parents", "kids", "children") or noun.lower in KIN:
            best = any(each.lower == "best" for each in self._sentence.children(noun, "amod"))
            word = role_of(noun)
            married = word in ("wife", "husband", "spouse")
            word = {"kid": "child", "kids": "child", "children": "child", "parents": "parent"}.get(word, word)
            word = word[:-1] if word.endswith("s") and word[:-1] in KIN else word
            yield _tie(other, owner, "married to" if married else f"{'best ' if best else ''}{word} of")

    def _of(self, me: EntityMention, noun: Token) -> Iterator[Tie]:
        """Yield "CEO of Acme" of a name."""
        if KINDS.get(noun.lemma.lower()) in ("work", None) and noun.lemma.lower() not in (
            "author",
            "creator",
            "capital",
            "head",
            "member",
            "fan",
        ):
            return
        behind = self._sentence.children(noun, "nmod", "obl")
        for below in behind:
            marker = self._marker(below)
            target = self._mentions.of(below)
            if marker == "in" and len(behind) > 1:
                continue
            if (
                marker in ("of", "at", "from", "in", "for")
                and target is not None
                and target.named
                and not target.pronoun
            ):
                yield _tie(me, target, f"{noun.text if noun.text.isupper() else noun.lemma} {marker}")

    def _located(self, me: EntityMention, name: Name) -> Iterator[Tie]:
        for below in self._sentence.children(name.head, "nmod"):
            marker, target = self._marker(below), self._mentions.of(below)
            if marker == "by" and me.type == "work" and target is not None and target.named:
                yield _tie(me, target, "by")
            if (
                marker in ("from", "in", "at")
                and target is not None
                and target.named
                and not target.pronoun
                and not name.covers(below)
            ) and (marker == "from" or me.type in ("organization", "location", "event")):
                yield _tie(me, target, marker)

    def _marker(self, token: Token) -> str:
        return " ".join(
            each.lower for each in self._sentence.children(token, "case") if each.lower not in ("'s", "'", "’s")
        )

    # Clauses.

    def clausal(self, clause: Clause) -> Iterator[Tie]:
        """Yield the relations of a clause's subject to what it does something to or with, and where."""
        subjects = [each for each in self._subjects(clause) if each.named]
        self._acting = {each.surface for each in subjects}
        if not subjects or not clause.verb.replace(" ", "").isalpha():
            return
        yield from self._together(clause, subjects)
        if clause.verb == "be":
            yield from self._being(clause, subjects)
            return
        for source in subjects:
            made = [tie for argument in clause.arguments if (tie := self._argued(clause, source, argument)) is not None]
            # "playing tennis with my friend Rachel": the tree may make Rachel an object as well.
            behind = {tie.target for tie in made if tie.label.endswith(tuple(f" {each}" for each in _PLACED))}
            yield from (tie for tie in made if tie.target not in behind or tie.label != clause.verb)
            yield from self._following(clause, source)
            yield from self._travelled(clause, source)

    def _subjects(self, clause: Clause) -> Iterator[EntityMention]:
        subject = clause.subject
        if subject is None or (clause.dropped and clause.inherited):
            if clause.dropped:
                yield self._speaker
            return
        if (
            clause.kind == "relative"
            and clause.inherited
            and any(each.relation.startswith("nsubj") for each in self._sentence.children(clause.opening))
        ):
            return
        if subject.lower in ("who", "that", "which"):
            relative = clause if clause.kind == "relative" or clause.parent is None else clause.parent
            subject = self._sentence.head(relative.opening) or subject
        head = self._mentions.of(subject)
        if head is not None:
            yield head
        others = [*self._sentence.children(subject, "conj")]
        others += [each for each in self._sentence.children(clause.opening, "nsubj") if each.index > subject.index]
        if subject.index > 1 and self._sentence[subject.index - 1].lower in ("and", "&"):
            # "tom and i broke up", where the tree has lost Tom; but "a trip to Jordan and I …" is of another clause.
            other = self._sentence[subject.index - 2]
            name = self._mentions.name(other)
            top = other if name is None else name.head
            others += [] if self._sentence.children(top, "case") else [other]
        found = {head.surface} if head is not None else set[str]()
        for other in others:
            mention = self._mentions.of(other) if other.upos in ("NOUN", "PROPN", "PRON") else None
            if mention is not None and mention.surface not in found:
                found.add(mention.surface)
                yield mention

    def _together(self, clause: Clause, subjects: Sequence[EntityMention]) -> Iterator[Tie]:
        """Yield "Tom and I went": Tom with the speaker."""
        people = [each for each in subjects if each.type in ("person", "animal") and not each.hearer]
        if len(people) < 2 or clause.subject is None or clause.passive:
            return
        near = self._sentence.tokens[max(clause.subject.index - 2, 0) : clause.opening.index]
        if not any(each.lower in ("and", "&") for each in near):
            return
        source, target = (people[1], people[0]) if people[0].pronoun else (people[0], people[1])
        yield _tie(source, target, "married to" if clause.verb == "marry" else _with(clause))

    def _argued(self, clause: Clause, source: EntityMention, argument: Argument) -> Tie | None:
        """Return the relation of a subject to an argument of its verb, or None."""
        verb, marker, direct = clause.verb, argument.marker, argument.role in ("object", "indirect")
        if argument.role not in ("object", "oblique", "agent", "indirect") or (direct and marker):
            return None
        if (clause.passive and argument.role == "object") or (argument.role == "agent" and not clause.passive):
            return None
        if verb in _GETS and argument.role == "object" and source.type == "person":
            if verb == "have" and clause.auxiliaries and not clause.perfect:
                return None
            if (got := self._got(clause, source, argument.head)) is not None:
                return got
        target = self._target(clause, source, argument)
        if target is None:
            return None
        if argument.role == "agent":
            return _tie(target, source, verb) if target.named and verb not in _LIGHT else None
        label = _label(clause, target, marker)
        if label is None or (target.pronoun and marker not in ("", "with", "for")):
            return None
        return _tie(source, target, label)

    def _target(self, clause: Clause, source: EntityMention, argument: Argument) -> EntityMention | None:
        """Return the entity of an argument, if the clause can tell something of the two."""
        head = argument.head
        if head.lower.endswith(("self", "selves")) or self._owns_what_follows(head):
            return None
        target = self._mentions.of(head)
        if target is None or target.surface in self._acting or (target.pronoun and source.pronoun):
            return None
        if not argument.marker and clause.verb in _INTRANSITIVE:
            return None
        if target.named:
            return target
        working_on = clause.verb == "work" and clause.find("oblique", markers=("on",)) is not None
        return target if not working_on and self._tells_of(clause, source, target, head) else None

    def _got(self, clause: Clause, source: EntityMention, head: Token) -> Tie | None:
        """Return whose a pet or a relative is that somebody has or gets."""
        word, name = head.lemma.lower(), self._mentions.name(head)
        if word in PETS and name is None and (pet := self._mentions.pet(head, source)) is not None:
            return _tie(source, pet, "owns")
        if clause.verb != "have" or word not in KIN or head.has("Number=Plur"):
            return None
        who = self._mentions.of(head) if name is not None else self._mentions.role(head, source)
        return next(self._belongs(source, head, who), None) if who is not None else None

    def _owns_what_follows(self, token: Token) -> bool:
        """Tell if a name is only the owner of what is meant: "at Sarah's place"."""
        name = self._mentions.name(token)
        if name is None or not name.covers(token) or name.last + 2 >= len(self._sentence):
            return False
        following, noun = self._sentence.tokens[name.last + 1 : name.last + 3]
        return following.text in ("'s", "’s", "'") and noun.text[0].isalpha()

    def _following(self, clause: Clause, source: EntityMention) -> Iterator[Tie]:
        """Yield the title right behind a verb like "read", which the tree may take apart."""
        rest = [
            each
            for each in self._sentence.tokens[clause.head.index + 1 : clause.head.index + 4]
            if each.text not in ('"', "“", "*")
        ]
        name = (
            self._mentions.name(rest[0])
            if rest and clause.verb in ("read", "watch", "finish", "reread", "see")
            else None
        )
        if name is not None and name.type == "work" and not clause.passive:
            yield _tie(source, EntityMention(name.text, name.type, name.start, name.end), clause.verb)

    def _travelled(self, clause: Clause, source: EntityMention) -> Iterator[Tie]:
        """Yield where "a trip to Rome" led, and "back from Rome"."""
        sentence = self._sentence
        goals: list[Token] = []
        for argument in clause.all("object", "oblique"):
            if argument.head.lemma.lower() in _TRIPS and clause.verb in _TRAVELLING and not source.hearer:
                goals += [
                    each for each in sentence.children(argument.head, "nmod") if self._marker(each) in ("to", "in")
                ]
                goals += [each.head for each in clause.all("oblique", markers=("to",))]
        for back in sentence.children(clause.head, "advmod", "compound:prt"):
            if back.lower == "back":
                behind = (*sentence.children(back, "obl"), *sentence.children(clause.head, "obl"))
                goals += [each for each in behind if self._marker(each) == "from"]
        for goal in goals:
            target = self._mentions.of(goal)
            if target is not None and target.named and target.type in ("location", "other", "event"):
                yield _tie(source, target, "visit")

    def _tells_of(self, clause: Clause, source: EntityMention, target: EntityMention, head: Token) -> bool:
        """Tell if a noun phrase is more than what is just seen or praised: "you captured the sunset"."""
        if source.hearer or (target.owner is not None and target.owner.hearer):
            return False
        word = head.lemma.lower()
        if clause.verb == "take" and word not in _TAKEN:
            return False
        if clause.find("object") is not None and head.relation.startswith("obl") and clause.verb != "study":
            return False
        if clause.verb not in _WITH_THINGS and not (clause.verb in _ATTENDS or clause.verb == "sign up"):
            return False
        abstract = word.endswith(_ABSTRACT) and target.type == "other" and " " not in target.surface
        if abstract and clause.verb not in _LIKES | _HATES | _STUDIES | {"play", "practice", "teach"}:
            return False
        definite = any(
            each.lower in ("the", "this", "that", "these", "those") for each in self._sentence.children(head, "det")
        )
        return not (definite and clause.verb in _LIKES | _HATES | _GETS)

    def _being(self, clause: Clause, subjects: Sequence[EntityMention]) -> Iterator[Tie]:
        """Yield the relations of "be": who somebody is to whom, where they are or come from."""
        head = clause.head
        marker, target = self._marker(head), self._mentions.of(head)
        for source in subjects:
            if self._owns_what_follows(head):
                continue
            if marker:
                if marker in _BEING and target is not None and target.named and not target.pronoun:
                    yield _tie(source, target, _BEING[marker])
            elif head.lemma.lower() == "be":
                yield from self._placed(clause, source)
            elif head.upos == "NOUN":
                yield from self._role(source, head)
            elif head.lower in ("married", "engaged", "related", "born", "based", "located"):
                yield from self._bound(clause, source)

    def _role(self, source: EntityMention, head: Token) -> Iterator[Tie]:
        """Yield the relations of "Max is my dog" and "Lucy is a nurse at St. Mary's"."""
        owner = self._mentions.owner(head)
        if owner is not None:
            if source.type in ("person", "animal", "other"):
                yield from self._belongs(owner, head, source)
            return
        for below in self._sentence.children(head, "nmod"):
            marker, target = self._marker(below), self._mentions.of(below)
            beside = marker in ("of", "at", "from", "in", "for", "with")
            if beside and target is not None and target.named and not target.pronoun:
                yield _tie(source, target, f"{head.lemma} {marker}")

    def _bound(self, clause: Clause, source: EntityMention) -> Iterator[Tie]:
        """Yield the relations of "married to Tom" and "born in Rome"."""
        word = clause.head.lower
        for argument in clause.all("oblique"):
            target = self._mentions.of(argument.head)
            if target is None:
                continue
            if word in ("married", "engaged", "related"):
                if argument.marker == "to":
                    yield _tie(source, target, f"{word} to")
            elif target.named and not target.pronoun:
                at_home = word == "based" and source.type == "person"
                yield _tie(source, target, "lives in" if at_home else f"{word} {argument.marker}")

    def _placed(self, clause: Clause, source: EntityMention) -> Iterator[Tie]:
        for argument in clause.all("oblique", markers=("to", "in", "from", "at")):
            target = self._mentions.of(argument.head)
            if target is not None and target.named and not target.pronoun:
                yield _tie(
                    source, target, {"to": "visit", "from": "from"}.get(argument.marker, f"is {argument.marker}")
                )


def _label(clause: Clause, target: EntityMention, marker: str) -> str | None:
    """Return the label of a verb with its object or preposition; None if it relates nothing."""
    verb = clause.verb
    if " " in verb and marker and verb not in _PARTICLES:
        return None
    typed = _typed(verb, marker, target)
    if typed is not None:
        return typed
    verb.partition(" ")[0]
    if not marker:
        if verb in _LIGHT and (target.named or verb not in _WITH_THINGS):
            return None
        if verb in ("have", "get", "be", "go", "come"):
            return (
                "has" if verb == "have" and target.type in ("product", "organization") and not clause.passive else None
            )
        return None if clause.passive else verb
    if marker not in _PLACED or verb in _LIGHT | _LIKES | _HATES or verb in ("be", "have", "get"):
        return None
    if marker == "by":
        return None
    if marker == "from" and verb in ("listen", "read", "watch", "see", "learn"):
        return None
    if not target.named and not (verb in _ATTENDS and marker in _TYPED_PREPOSITIONS):
        return None
    if target.pronoun and target.type != "person":
        return None
    lead = "be " if clause.passive else ""
    participle = clause.head.lower if clause.passive else verb
    return f"{lead}{participle} {marker}"


_PLACES: Final = frozenset({"location", "other", "organization"})
_ANY: Final = frozenset[str]()

# Verbs and prepositions that mean the same, the kinds that their object may have (any, where none is given), if it
# must be a name or a close person, and the label.
_TYPED: Final[tuple[tuple[frozenset[str], frozenset[str], frozenset[str], bool, str], ...]] = (
    (_WORKS, words("at"), _ANY, False, "works at"),
    (_WORKS, words("for"), _PLACES, False, "works at"),
    (_LIVES, words("in near"), _PLACES, True, "lives in"),
    (frozenset({"grow up"}), words("in near"), _ANY, True, "from"),
    (words("come"), words("from"), words("location"), False, "from"),
    (words("move relocate"), words("to"), _ANY, True, "move to"),
    (words("go"), words("in"), words("location"), True, "visit"),
    (_GO, words("to"), _PLACES, True, "visit"),
    (words("listen"), frozenset({"", "to"}), _ANY, False, "listens to"),
    (words("visit explore tour"), frozenset({""}), _PLACES | {"event", "product", "work"}, False, "visit"),
    (_LIKES, frozenset({""}), _ANY, False, "likes"),
    (_HATES, frozenset({""}), _ANY, False, "dislikes"),
    (_JOINS, frozenset({""}), _ANY, False, "member of"),
    (_MARRIES, frozenset({""}), _ANY, False, "married to"),
    (_STUDIES, frozenset({""}), _ANY, False, "studies"),
    (words("own"), frozenset({""}), _ANY, False, "owns"),
)


def _typed(verb: str, marker: str, target: EntityMention) -> str | None:
    """Return the fixed label of verbs that mean the same."""
    for verbs, markers, kinds, named, label in _TYPED:
        if verb in verbs and marker in markers and (not kinds or target.type in kinds) and (target.named or not named):
            return label
    return None


def _with(clause: Clause) -> str:
    if clause.verb == "be" or clause.verb in _LIGHT | _OTHER_TALK | _LIKES or clause.passive:
        return "with"
    return f"{clause.verb} with"


def _tie(source: EntityMention, target: EntityMention, label: str) -> Tie:
    sure = source.named and target.named
    return Tie(source.surface, source.type, target.surface, target.type, label, _SURE if sure else _LIKELY)
