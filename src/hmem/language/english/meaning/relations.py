"""Relations between the entities of a sentence, read from its clauses and from how its nouns hang together.

The subject of a clause is related to its object and to the nouns behind its prepositions; the label is the verb's
lemma with the preposition, or a fixed one such as ``works at`` where verbs mean the same. Appositions, possessives and
"be" relate too: "my sister Lucy", "Tom, the CEO of Acme", "Lucy is a nurse at St. Mary's", "my car is a Corolla". Where
the verb tells nothing, its noun does: "have an interview at Acme" is ``interview at``.

Only what is stated as a fact relates: no question, order, condition, denial, wish, plan, ability or guess. An end is a
name, a close person, or a thing of which it is said which ("pottery class", "Ann's car"); a bare noun is one only
behind a verb that does something to a single thing ("buy a car") or takes a kind ("play guitar").
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hmem.language.analyst.base import Tie
from hmem.language.english.meaning.clauses import Argument, Clause
from hmem.language.english.meaning.mentions import EntityMention, SentenceMentions, role_of
from hmem.language.english.meaning.name_lists import KIN, KINDS, PETS
from hmem.language.english.meaning.names import Name
from hmem.language.english.tree import Token
from hmem.language.english.word_lists import words
from hmem.model.entity import EntityType

_SURE: Final = 0.9
_LIKELY: Final = 0.7

_GO: Final = frozenset(
    {"go", "travel", "fly", "drive", "head", "come", "walk", "get", "take a trip", "return", "go back"}
)
_LIVES: Final = frozenset({"live", "reside", "base"})
_LIKES: Final = frozenset({"love", "like", "enjoy", "adore"})
_HATES: Final = frozenset({"hate", "dislike", "detest", "loathe"})
_GETS: Final = words("""
    have get adopt buy own rescue foster
    """)
_WORKS: Final = frozenset({"work", "intern"})
_STUDIES: Final = frozenset({"study", "learn"})
_ATTENDS: Final = words("""
    attend volunteer enroll participate compete perform speak study graduate apply register train teach work intern
    """) | {"sign up"}

# Verbs that tell nothing of how two entities are related.
_LIGHT: Final = words("""
    do make take give let put say see know think feel look sound seem hope wish want need thank appreciate guess plan
    name eye try keep tell ask hear believe remember forget share mention talk speak call wonder suggest recommend check
    find show wait welcome understand imagine suppose bet agree happen come turn bring set consider notice count matter
    hold add change include allow cause lead depend spend miss excite inspire remind motivate lose leave become remain
    keep start end begin stop finish deal figure give pick check hit face handle expect
    provide offer mind nee stay dig push fight focus choose decide pass fail respond reply react realize realise adapt
    dub surround relate refer score bring establish explore tour concern involve help teach support mean get go
    """) | {"end up", "give up", "pick up", "check out", "show up", "come up", "come across", "figure out", "find out"}
# With the present, these open what happens at some time, or may: "when I'm in Rome".
_WHENEVER: Final = words("when while once until before after whenever if unless as")
# Before the verb, these show that it is no fact: "to go", "gotta go".
_OPENERS: Final = words("""
    to gotta ta na gonna wanna lets let's better please
    """)
# What may be, or is only possible: "you can visit Rome".
_ABLE: Final = words("can could may might would should must ca 'd ought")
# Verbs that do something to a single thing: a bare noun is their object.
_WITH_THINGS: Final = words("""
    have own buy get purchase order sell donate join attend visit host organize organise found launch open
    run manage start take make bake cook paint draw write build create design sew knit carve craft grow plant read watch
    drive ride wear win volunteer rent lease restore repair fix renovate remodel record compose perform direct produce
    edit publish mentor raise rescue adopt photograph film decorate
    """)
# Verbs whose object is a kind of thing, and no certain one: "collects coins", "plays guitar".
_OF_KINDS: Final = _LIKES | _HATES | _STUDIES | words("teach play practice collect sell")
_MADE: Final = words("make take start get have watch read")
_INTRANSITIVE: Final = words("""
    participate volunteer work compete apply go live search look come stay travel lean
    """)
_PARTICLES: Final = frozenset(
    {"sign up", "grow up", "hang out", "catch up", "break up", "meet up", "team up", "link up", "split up", "move in",
     "sit down"}
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
# Verbs that are not done to people: what stands there as one is part of something else.
_THINGS_ONLY: Final = words("attend buy order make cook wear own sell purchase wash host organize book")
# What somebody does with whom or where, behind a verb that tells nothing: "have an interview at Acme".
_DEEDS: Final = words("""
    interview meeting appointment date dinner lunch breakfast brunch coffee call chat conversation argument fight
    internship job position role gig contract deal collaboration partnership crush degree membership subscription
    account scholarship reservation booking session lesson class course concert match race exam audition performance
    exhibition surgery shift playdate sleepover reunion picnic
    """)
_DEED_VERBS: Final = words("have get make take do hold attend schedule book host land accept finish start")
# Animals that are mostly food, unless they have a name.
_EATEN: Final = words("chicken fish goat pig hen rabbit bird")
# Nouns that say what a name is to nobody: "the best part was Rome", "my goal is Rome".
_EMPTY: Final = words("""
    goal plan idea dream question problem week day part kind sort type thing way lot bit point issue topic focus task
    challenge moment time inspiration highlight step concern answer request instruction background reason result word
    guess choice suggestion option mix team example sign symbol reminder version rest end one name half all most some
    none unit purchase copy project play piece collab order item stuff
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

_FAVOURITE: Final = frozenset({"favorite", "favourite", "fave"})
_BEING: Final = {"from": "from", "in": "is in", "at": "is at", "near": "near", "with": "is with"}
_PLACED: Final = words("""
    in at to from with for near into on through against
    """)
_TYPED_PREPOSITIONS: Final = frozenset({"at", "for", "in", "with", "to"})
_BESIDE: Final = ("of", "at", "from", "in", "for", "with")


def relations(
    mentions: SentenceMentions,
    clauses: Sequence[Clause],
    names: Sequence[Name],
    speaker: str,
    hearer: str | None = None,
) -> list[Tie]:
    """Return the relations of a sentence, each once."""
    reader = _Reader(mentions, names, speaker, hearer)
    found = [*reader.nominal()]
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
    finite = finite and _OPENERS.isdisjoint(before) and _ABLE.isdisjoint(each.lower for each in clause.auxiliaries)
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
        # "tell me about how it has changed the air"
        asked = clause.sentence.children(clause.opening, "advmod", "mark", "det")
        return clause.kind != "relative" or not any(each.lower in ("how", "whether") for each in asked)
    marks = {each.lower for each in clause.sentence.children(clause.opening, "mark", "advmod")}
    if not marks.isdisjoint({"how", "whether"}):
        return False
    if not marks.isdisjoint(_WHENEVER) and clause.tense == "present" and parent.tense != "past":
        return False
    planned = parent.modality not in ("", "need") or parent.tense == "future" or not parent.certain
    return not (planned or parent.negated or parent.mood != "statement")


class _Reader:
    def __init__(
        self, mentions: SentenceMentions, names: Sequence[Name], speaker: str, hearer: str | None = None
    ) -> None:
        self._mentions = mentions
        self._sentence = mentions.sentence
        self._names = names
        self._speaker = EntityMention(speaker, "person", pronoun=True)
        self._hearer = hearer
        self._acting = set[str]()
        self._asked = self._sentence.words.rstrip("\"') ").endswith("?")

    # Nouns.

    def nominal(self) -> Iterator[Tie]:
        """Yield the relations of names and roles to those beside them."""
        for name in self._names:
            me = self._mentions.of(name.head)
            if me is not None and not name.called:
                yield from self._named(name, me)
        for token in self._sentence:
            following = self._sentence[token.index + 1] if token.index + 1 < len(self._sentence) else token
            whole = token.relation != "compound" and (following.upos != "NOUN" or token.lemma.lower() not in PETS)
            named = any(token in name.described for name in self._names)
            if token.upos == "NOUN" and whole and not named and self._mentions.name(token) is None:
                role = self._mentions.of(token)
                if role is not None and role.owner is not None and (role.named or role.type == "animal"):
                    yield from self._belongs(role.owner, token, role)

    def _named(self, name: Name, me: EntityMention) -> Iterator[Tie]:
        """Yield the relations of a name to those beside it."""
        holder = self._mentions.owner(name.head) if me.type == "product" and name.head.relation != "compound" else None
        if holder is not None and holder.pronoun and not holder.hearer and not self._owns_what_follows(name.head):
            yield _tie(holder, me, "owns")
        for noun in name.described:
            owner = self._mentions.owner(noun) or (
                self._mentions.owner(name.head) if noun.relation in ("compound", "nmod:desc", "nmod:unmarked") else None
            )
            denied = (noun.relation == "nsubj" and self._denied(name.head)) or (
                name.head.relation == "nsubj" and self._denied(noun)
            )
            if owner is not None and not denied and not (self._asked and noun.relation == "nsubj"):
                yield from self._belongs(owner, noun, me)
            if noun.relation in ("appos", "compound", "nmod:desc"):
                yield from self._of(me, noun)
        if not self._asked:
            yield from self._located(me, name)
            yield from self._between(me, name)

    def _denied(self, token: Token) -> bool:
        return any(each.lower in ("not", "n't", "never") for each in self._sentence.children(token))

    def _belongs(self, owner: EntityMention, noun: Token, other: EntityMention) -> Iterator[Tie]:
        word = noun.lemma.lower()
        own = any(each.lower == "own" for each in self._sentence.children(noun, "amod"))
        if owner.surface == other.surface or own or (owner.hearer and self._asked) or self._everybody(noun):
            return
        if other.type not in ("person", "animal", "other") or any(each.isdigit() for each in other.surface):
            return
        if word in PETS:
            if word not in _EATEN or self._mentions.name(noun) is not None:
                yield _tie(owner, other, "owns")
        elif word in KIN or word in ("parents", "kids", "children") or noun.lower in KIN:
            best = any(each.lower == "best" for each in self._sentence.children(noun, "amod"))
            word = role_of(noun)
            married = word in ("wife", "husband", "spouse")
            word = {"kid": "child", "kids": "child", "children": "child", "parents": "parent"}.get(word, word)
            word = word[:-1] if word.endswith("s") and word[:-1] in KIN else word
            yield _tie(other, owner, "married to" if married else f"{'best ' if best else ''}{word} of")

    def _everybody(self, noun: Token) -> bool:
        """Tell if "our kids" may be those of all people."""
        holder = self._sentence.child(noun, "nmod:poss")
        return holder is not None and holder.lower == "our" and noun.has("Number=Plur") and self._hearer is not None

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
            if target is None or not target.named or target.pronoun or name.covers(below):
                continue
            if (
                (marker == "by" and me.type == "work" and target.type in ("person", "other"))
                or (marker == "from" and target.type in ("location", "organization", "work"))
                or (
                    marker in ("in", "at")
                    and me.type in ("organization", "location", "event")
                    and target.type in ("location", "organization")
                )
            ):
                yield _tie(me, target, marker)

    def _between(self, me: EntityMention, name: Name) -> Iterator[Tie]:
        """Yield "the meeting between Anna and Tom"."""
        noun = self._sentence.head(name.head)
        if noun is None or noun.upos != "NOUN" or self._marker(name.head) != "between":
            return
        for below in self._sentence.children(name.head, "conj"):
            other = self._mentions.of(below)
            if other is not None and other.named and noun.lemma.lower() in _DEEDS and me.type == other.type:
                yield _tie(me, other, f"{noun.lemma.lower()} with")

    def _marker(self, token: Token) -> str:
        return " ".join(
            each.lower for each in self._sentence.children(token, "case") if each.lower not in ("'s", "'", "’s")
        )

    # Clauses.

    def clausal(self, clause: Clause) -> Iterator[Tie]:
        """Yield the relations of a clause's subject to what it does something to or with, and where."""
        subjects = [each for each in self._subjects(clause) if each.named]
        self._acting = {each.surface for each in subjects}
        if clause.verb == "be":
            yield from self._is_called(clause)
        if not subjects or not clause.verb.replace(" ", "").isalpha():
            return
        yield from self._together(clause, subjects)
        if clause.verb == "be":
            yield from self._being(clause, subjects)
            return
        for source in subjects:
            made = [tie for argument in clause.arguments for tie in self._argued(clause, source, argument)]
            # "playing tennis with my friend Rachel": the tree may make Rachel an object as well.
            behind = {tie.target for tie in made if tie.label.endswith(tuple(f" {each}" for each in _PLACED))}
            yield from (tie for tie in made if tie.target not in behind or tie.label != clause.verb)
            yield from self._following(clause, source)
            yield from self._travelled(clause, source)

    def _subjects(self, clause: Clause) -> Iterator[EntityMention]:
        subject = clause.subject
        if subject is None and not clause.dropped:
            subject = self._left_behind(clause)
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
        found = {head.surface} if head is not None else set[str]()
        for other in self._beside(clause, subject):
            mention = self._mentions.of(other) if other.upos in ("NOUN", "PROPN", "PRON") else None
            if mention is not None and mention.surface not in found:
                found.add(mention.surface)
                yield mention

    def _beside(self, clause: Clause, subject: Token) -> Iterator[Token]:
        """Yield what else is the subject of a clause: "Tom and I"."""
        yield from self._sentence.children(subject, "conj")
        yield from (each for each in self._sentence.children(clause.opening, "nsubj") if each.index > subject.index)
        if subject.index > 1 and self._sentence[subject.index - 1].lower in ("and", "&"):
            # "tom and i broke up", where the tree has lost Tom; but "a trip to Jordan and I …" is of another clause.
            other = self._sentence[subject.index - 2]
            name = self._mentions.name(other)
            top = other if name is None else name.head
            if not self._sentence.children(top, "case"):
                yield other

    def _left_behind(self, clause: Clause) -> Token | None:
        """Return the noun that a clause without subject hangs on: "Lucy, the manager, called" as two sentences."""
        above = self._sentence.head(clause.opening)
        if clause.opening.relation not in ("parataxis", "conj") or above is None or above.head != above.index:
            return None
        plain = above.upos in ("NOUN", "PROPN") and not self._sentence.children(above, "cop", "case", "nsubj")
        return above if plain and clause.opening.has("VerbForm=Fin") else None

    def _together(self, clause: Clause, subjects: Sequence[EntityMention]) -> Iterator[Tie]:
        """Yield "Tom and I went": Tom with the speaker."""
        people = [each for each in subjects if each.type in ("person", "animal") and not each.hearer]
        married = clause.verb == "marry"
        if len(people) < 2 or clause.subject is None or (clause.passive and not married):
            return
        near = self._sentence.tokens[max(clause.subject.index - 2, 0) : clause.opening.index]
        if not any(each.lower in ("and", "&") for each in near):
            return
        source, target = (people[1], people[0]) if people[0].pronoun else (people[0], people[1])
        if married:
            yield _tie(source, target, "married to")
        elif clause.verb not in _LIGHT | _LIKES | _HATES | {"be", "have"}:
            yield _tie(source, target, f"{clause.verb} with")

    def _argued(self, clause: Clause, source: EntityMention, argument: Argument) -> Iterator[Tie]:
        """Yield the relations of a subject to an argument of its verb."""
        verb, direct = clause.verb, argument.role in ("object", "indirect")
        marker = argument.marker or self._before(argument.head)
        if argument.role not in ("object", "oblique", "agent", "indirect") or (direct and argument.marker):
            return
        if (clause.passive and argument.role == "object") or (argument.role == "agent" and not clause.passive):
            return
        if verb in _GETS and argument.role == "object" and source.type == "person":
            if verb == "have" and clause.auxiliaries and not clause.perfect:
                return
            if got := [*self._got(clause, source, argument.head)]:
                yield from got
                return
        if argument.role == "object" and verb in _DEED_VERBS:
            yield from self._deed(clause, source, argument.head)
        target = self._target(clause, source, argument)
        if target is None:
            return
        if argument.role == "agent":
            if target.named and verb not in _LIGHT:
                yield _tie(target, source, verb)
            return
        label = _label(clause, target, marker)
        if label is not None and not (target.pronoun and marker not in ("", "with", "for")):
            yield _tie(source, target, label)

    def _before(self, token: Token) -> str:
        """Return the preposition before a name, which the tree may give to its first word."""
        name = self._mentions.name(token)
        if name is None or not name.covers(token):
            return ""
        near = [each for each in self._sentence.tokens[max(name.first - 2, 0) : name.first] if each.upos != "DET"]
        before = near[-1] if near else None
        return before.lower if before is not None and before.upos == "ADP" and before.relation == "case" else ""

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
        if argument.marker and argument.role == "oblique" and not self._with_its_object(clause, target, argument):
            return None
        if target.named:
            # Who says "Love you, Nate" speaks to Nate.
            spoken_to = self._hearer is not None and not target.pronoun and source.pronoun
            return None if spoken_to and _alike(target.surface, self._hearer or "") else target
        working_on = clause.verb == "work" and clause.find("oblique", markers=("on",)) is not None
        return target if not working_on and self._tells_of(clause, source, target, head) else None

    def _with_its_object(self, clause: Clause, target: EntityMention, argument: Argument) -> bool:
        """Tell if a noun behind a preposition says something without the verb's object: "played chess with Tom"."""
        if clause.find("object") is None:
            return True
        if argument.marker == "with":
            return target.type in ("person", "animal")
        return clause.verb in ("study", "buy", "order", "rent") and argument.marker in ("at", "in", "from")

    def _got(self, clause: Clause, source: EntityMention, head: Token) -> Iterator[Tie]:
        """Yield whose a pet or a relative is that somebody has or gets: "I have two dogs, Max and Daisy"."""
        word = head.lemma.lower()
        named = [each for each in self._names if any(noun.index == head.index for noun in each.described)]
        if word not in PETS and (clause.verb != "have" or word not in KIN):
            return
        for name in named:
            who = self._mentions.of(name.head)
            if who is not None:
                yield from self._belongs(source, head, _of_kind(who, "animal" if word in PETS else "person"))
        if named or (word in _EATEN and clause.verb in ("buy", "get", "have")):
            return
        if word in PETS:
            pet = self._mentions.pet(head, source)
            if pet is not None:
                yield _tie(source, pet, "owns")
        elif not head.has("Number=Plur") and (who := self._mentions.role(head, source)) is not None:
            yield from self._belongs(source, head, who)

    def _deed(self, clause: Clause, source: EntityMention, noun: Token) -> Iterator[Tie]:
        """Yield what somebody has with whom or where: "have an interview at Acme"."""
        word = noun.lemma.lower()
        if word not in _DEEDS or source.hearer:
            return
        behind = [*self._sentence.children(noun, "nmod"), *(each.head for each in clause.all("oblique"))]
        for below in behind:
            marker, target = self._marker(below), self._mentions.of(below)
            if marker not in ("with", "at", "for", "to") or target is None or self._owns_what_follows(below):
                continue
            if target.named and not target.pronoun and target.surface not in self._acting:
                yield _tie(source, target, f"{word} {marker}")

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
            # "I took it on my trip to Rome", "we went on a trip to Rome"
            gone = clause.verb in _TRAVELLING or argument.marker in ("on", "during")
            if argument.head.lemma.lower() in _TRIPS and gone and not source.hearer:
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
        verb, word = clause.verb, head.lemma.lower()
        if source.hearer or (target.owner is not None and target.owner.hearer) or word in _EMPTY:
            return False
        if verb == "take" and word not in _TAKEN:
            return False
        if verb in _MADE and self._sentence.child(clause.head, "xcomp", "ccomp") is not None:
            # "make my routine more efficient"
            return False
        if clause.find("object") is not None and head.relation.startswith("obl") and verb != "study":
            return False
        told = " " in target.surface or target.owner is not None
        if verb not in _WITH_THINGS | _OF_KINDS | _ATTENDS and (not told or verb in _LIGHT):
            return False
        alone = not self._sentence.children(head, "compound", "amod")
        abstract = word.endswith(_ABSTRACT) and target.type == "other" and alone
        if abstract and verb not in _OF_KINDS - {"teach"}:
            return False
        determiners = {each.lower for each in self._determiners(head)}
        definite = not determiners.isdisjoint({"the", "this", "that", "these", "those"})
        first = self._sentence.head(head) if head.relation == "conj" else None
        holder = self._sentence.child(first, "nmod:poss") if first is not None else None
        if target.owner is None and holder is not None and holder.lower not in ("my", "our"):
            # "her spirit and determination"
            return False
        if (definite and verb in _LIKES | _HATES | _GETS) or self._cut_short(head):
            return False
        if told:
            return True
        if KINDS.get(word) == "work":
            # "I'm reading a book"
            return False
        if verb in _OF_KINDS:
            return not target.plural or verb == "collect"
        return not target.plural and not determiners.isdisjoint({"a", "an", "the", "this", "another"})

    def _determiners(self, noun: Token) -> Iterator[Token]:
        """Yield the articles and owners of a noun: those of "the energy and food" are of both."""
        first = self._sentence.head(noun) if noun.relation == "conj" else None
        for each in (noun, first):
            if each is not None:
                yield from self._sentence.children(each, "det", "nmod:poss")

    def _cut_short(self, noun: Token) -> bool:
        """Tell if a noun is only a part of what is meant: "action" of "action and war films"."""
        sentence = self._sentence
        following = sentence[noun.index + 1] if noun.index + 1 < len(sentence) else None
        if following is None or following.start > noun.end + 1:
            return False
        if following.upos in ("NOUN", "PROPN", "NUM"):
            return following.relation not in ("obl:unmarked", "nmod:unmarked", "obl:tmod", "xcomp")
        if following.upos == "VERB":
            return following.head == noun.index and not following.lower.endswith(("ing", "ed", "en"))
        others = [each for each in sentence.children(noun, "conj") if sentence.children(each, "compound")]
        return (
            following.lower in ("and", "or", "&") and bool(others) and not sentence.children(noun, "compound", "amod")
        )

    def _is_called(self, clause: Clause) -> Iterator[Tie]:
        """Yield what a name is to whom: "my car is a Toyota Corolla", "my favorite book is Dune"."""
        noun, name = clause.subject, self._mentions.name(clause.head)
        if noun is None or name is None or noun.upos != "NOUN" or self._marker(name.head) or clause.inherited:
            return
        owner, word = self._mentions.owner(noun), noun.lemma.lower()
        if (
            owner is None
            or owner.hearer
            or word in _EMPTY | KIN | PETS
            or any(each.covers(noun) for each in self._names)
        ):
            return
        favourite = any(each.lower in _FAVOURITE for each in self._sentence.children(noun, "amod"))
        kind = KINDS.get(word)
        if favourite or (kind not in (None, "person", "animal") and name.type in (kind, "other", "organization")):
            target = self._mentions.of(name.head)
            if target is not None and target.surface != owner.surface:
                yield _tie(owner, target, f"favourite {word}" if favourite else word)

    def _being(self, clause: Clause, subjects: Sequence[EntityMention]) -> Iterator[Tie]:
        """Yield the relations of "be": who somebody is to whom, where they are or come from."""
        head = clause.head
        marker, target = self._marker(head), self._mentions.of(head)
        for source in subjects:
            if self._owns_what_follows(head):
                continue
            if marker:
                if marker == "with" and target is not None and target.type not in ("person", "animal"):
                    continue
                if marker in _BEING and target is not None and target.named and not target.pronoun:
                    yield _tie(source, target, _where(clause, target, _BEING[marker]))
            elif head.lemma.lower() == "be":
                yield from self._placed(clause, source)
            elif head.upos == "NOUN":
                yield from self._role(source, head)
            elif head.lower in ("married", "engaged", "related", "born", "based", "located", "allergic"):
                yield from self._bound(clause, source)

    def _role(self, source: EntityMention, head: Token) -> Iterator[Tie]:
        """Yield the relations of "Max is my dog" and "Lucy is a nurse at St. Mary's"."""
        owner = self._mentions.owner(head)
        if owner is not None:
            if source.type in ("person", "animal", "other"):
                yield from self._belongs(owner, head, source)
            favourite = any(each.lower in _FAVOURITE for each in self._sentence.children(head, "amod"))
            if favourite and not owner.hearer and not source.pronoun:
                yield _tie(owner, source, f"favourite {head.lemma.lower()}")
            return
        if head.lemma.lower() in _EMPTY:
            return
        for below in self._sentence.children(head, "nmod"):
            marker, target = self._marker(below), self._mentions.of(below)
            if marker in _BESIDE and target is not None and target.named and not target.pronoun:
                yield _tie(source, target, f"{head.lemma} {marker}")

    def _bound(self, clause: Clause, source: EntityMention) -> Iterator[Tie]:
        """Yield the relations of "married to Tom" and "born in Rome"."""
        word = clause.head.lower
        for argument in clause.all("oblique"):
            target = self._mentions.of(argument.head)
            if target is None:
                continue
            if word in ("married", "engaged", "related", "allergic"):
                if argument.marker == "to":
                    yield _tie(source, target, f"{word} to")
            elif target.named and not target.pronoun:
                at_home = word == "based" and source.type == "person"
                yield _tie(source, target, "lives in" if at_home else f"{word} {argument.marker}")

    def _placed(self, clause: Clause, source: EntityMention) -> Iterator[Tie]:
        for argument in clause.all("oblique", markers=("to", "in", "from", "at")):
            target = self._mentions.of(argument.head)
            if target is not None and target.named and not target.pronoun:
                label = {"to": "visit", "from": "from"}.get(argument.marker, f"is {argument.marker}")
                yield _tie(source, target, _where(clause, target, label))


def _where(clause: Clause, target: EntityMention, label: str) -> str:
    """Return the label of where somebody is: "was in Chicago" is a visit."""
    place = label in ("is in", "is at") and target.type in ("location", "organization")
    return "visit" if place and clause.tense == "past" else label


def _of_kind(mention: EntityMention, kind: EntityType) -> EntityMention:
    """Return a mention of an animal or a person, where nothing else tells its kind."""
    return replace(mention, type=kind) if mention.type == "other" else mention


def _alike(name: str, other: str) -> bool:
    """Tell if two names begin alike, as "Mel" and "Melanie" do."""
    short, long = sorted((name.casefold(), other.casefold()), key=len)
    return long.startswith(short) or short in long.split()


def _label(clause: Clause, target: EntityMention, marker: str) -> str | None:
    """Return the label of a verb with its object or preposition; None if it relates nothing."""
    verb = clause.verb
    if " " in verb and (verb not in _PARTICLES or not marker):
        return None
    typed = _typed(verb, marker, target)
    if typed is not None:
        return typed
    if not marker:
        if verb in _LIGHT and (target.named or verb not in _WITH_THINGS | _OF_KINDS):
            return None
        return None if clause.passive else _plain(verb, target)
    if marker not in _PLACED or verb in _LIGHT | _LIKES | _HATES or verb in ("be", "have", "get"):
        return None
    if marker == "on" and not clause.passive:
        return None
    if (clause.passive and marker == "at") or (verb == "participate" and marker != "in"):
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


def _plain(verb: str, target: EntityMention) -> str | None:
    """Return the label of a verb with its object."""
    if verb in ("have", "get", "be", "go", "come"):
        thing = target.type == "product" or (target.type == "organization" and target.named)
        return "has" if verb == "have" and thing else None
    return None if target.type == "person" and target.named and verb in _THINGS_ONLY else verb


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
    (words("visit"), frozenset({""}), _PLACES | {"event", "product", "work"}, False, "visit"),
    (words("explore tour"), frozenset({""}), _PLACES | {"event"}, True, "visit"),
    (_LIKES, frozenset({""}), _ANY, False, "likes"),
    (_HATES, frozenset({""}), _ANY, False, "dislikes"),
    (words("join"), frozenset({""}), _ANY, False, "member of"),
    (words("marry wed"), frozenset({""}), _ANY, False, "married to"),
    (_STUDIES, frozenset({""}), _ANY, False, "studies"),
    (words("own"), frozenset({""}), _ANY, False, "owns"),
)


def _typed(verb: str, marker: str, target: EntityMention) -> str | None:
    """Return the fixed label of verbs that mean the same."""
    for verbs, markers, kinds, named, label in _TYPED:
        if verb in verbs and marker in markers and (not kinds or target.type in kinds) and (target.named or not named):
            return label
    return None


def _tie(source: EntityMention, target: EntityMention, label: str) -> Tie:
    sure = source.named and target.named
    return Tie(source.surface, source.type, target.surface, target.type, label, _SURE if sure else _LIKELY)
