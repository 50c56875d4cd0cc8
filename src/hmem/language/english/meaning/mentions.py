"""Entities that the words of a sentence mean: names, close people and things by whose they are, and noun phrases.

"My sister" said by Ann is "Ann's sister", and the name beside it where there is one: "my sister Lucy" means Lucy, who
is also "Ann's sister". A role that people have several of ("my friend") means nobody without a name. Who a pronoun
means is asked of ``resolve``; a pronoun is no entity of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from hmem.language.english.gazetteer import DAYS_AND_MONTHS
from hmem.language.english.meaning.name_lists import KIN, KINDS, PEOPLES, PETS
from hmem.language.english.meaning.names import Name
from hmem.language.english.tree import Sentence, Token
from hmem.language.english.word_lists import lines_of, words
from hmem.model.entity import EntityType

# Tells which entity a pronoun means, None if that is open.
Resolve = Callable[["SentenceMentions", Token], "EntityMention | None"]

# What a role is called that has several words.
_CALLED: Final = {
    **dict.fromkeys(("mom", "mum", "mama", "mommy", "mummy", "ma", "mam"), "mother"),
    **dict.fromkeys(("dad", "papa", "daddy", "pa"), "father"),
    "hubby": "husband", "bf": "boyfriend", "gf": "girlfriend",
    **dict.fromkeys(("grandma", "granny", "nana", "gran"), "grandmother"),
    **dict.fromkeys(("grandpa", "grandad", "granddad"), "grandfather"),
    **dict.fromkeys(("moms", "mums"), "mothers"), **dict.fromkeys(("dads",), "fathers"),
    **dict.fromkeys(("sis",), "sister"), **dict.fromkeys(("bro",), "brother"), "auntie": "aunt",
    "pup": "puppy", "kitty": "cat",
}  # fmt: skip
_ONE_AT_A_TIME: Final = words("""
    wife husband spouse partner girlfriend boyfriend fiancé fiancée fiance fiancee sister brother sibling twin mother
    father son daughter child baby grandmother grandfather grandson granddaughter mother-in-law father-in-law
    stepmother stepfather stepmom stepdad boss roommate flatmate housemate landlord landlady dog cat puppy kitten
    parrot hamster rabbit horse parents kids children toddler newborn family
    """)
_ROLES: Final = frozenset(
    _ONE_AT_A_TIME
    | words("doctor dentist therapist coach tutor supervisor manager aunt uncle niece nephew godmother godfather")
    | words("sister-in-law brother-in-law son-in-law daughter-in-law stepson stepdaughter stepsister stepbrother")
)

# Nouns too vague to be an entity by themselves.
_LIGHT: Final = words("""
    difference progress connection connections wish wishes idea ideas decision decisions plan plans mistake mistakes
    choice choices effort efforts point sense bit bits ton tons theme genre energy series surge turnout news hang
    addition step steps start change changes impact job work family friend friends memory memories journey goal goals
    dream dreams skill skills way world place places view views vibe vibes atmosphere chance opportunity moment
    experience experiences feeling feelings spirit process challenge challenges passion support advice look sound
    style color colors colour success result results use fun room space stuff call calls deal deals note notes list
    lists name names person child kid kids year life lives pic pics photo photos picture pictures version session
    sessions nights feedback conversation chat lot rest top end hope hopes commitment word words side touch piece
    pieces money mind structure freedom thought thoughts happiness own ones love best most breakthrough contact
    appearance speech community lots couple time times day days week weeks month months hour hours morning night
    evening break trip area thing things something anything everything nothing someone everyone question questions
    answer part parts kind sort type example information info detail details help reason reasons case number problem
    problems issue issues situation rate amount option options benefit benefits quality value level interest focus
    attention care matter fact facts story stories people guy guys man woman men women boy girl group everybody
    anybody somebody nobody yes no thanks luck hand hands eye eyes head heart face body inspiration motivation
    creativity beauty joy peace comfort strength growth future past present weekend today tomorrow yesterday one two
    reminder blast glimpse smile laugh hug break rest step load bunch variety range set pair total half batch page
    term sphere kudos bank zone zones routine article articles video videos industry practice switch industry field
    percent mix hell heck shape order
    """)
_NEVER: Final = words("""
    idea time thing way kind sort lot bit ton bunch moment point sense reason stuff one
    """)
_MODIFIERS: Final = ("compound", "amod", "nmod:desc", "nmod:unmarked")
_DULL: Final = words("""
    new old great good nice cool awesome amazing fantastic wonderful lovely beautiful gorgeous incredible fun cute
    special favorite favourite little big small huge tiny local whole perfect interesting exciting brand best such
    sweet stunning unique different own usual actual fabulous first second third fourth fifth sixth last next
    other same newest latest few many more
    most several certain recent current late early long short young main real better bad worse worst own only single
    entire extra super pretty important simple easy hard delicious tasty yummy
    """)


@dataclass(frozen=True, slots=True)
class EntityMention:
    """An entity that a word of the sentence means. ``start`` is -1 where its name does not stand in the text.

    ``also`` are other names of the same entity. ``named`` tells that it is a proper name or a close person by role;
    ``pronoun`` that it is the speaker or, with ``hearer``, who is spoken to, and not named.
    """

    surface: str
    type: EntityType
    start: int = -1
    end: int = -1
    named: bool = True
    also: tuple[str, ...] = ()
    plural: bool = False
    role: str = ""
    owner: "EntityMention | None" = None
    pronoun: bool = False
    hearer: bool = False


class SentenceMentions:
    """The entities of one sentence by the words that mean them."""

    def __init__(self, sentence: Sentence, names: Sequence[Name], resolve: Resolve) -> None:
        self.sentence = sentence
        self._names = names
        self._resolve = resolve
        self._known: dict[int, EntityMention | None] = {}

    def name(self, token: Token) -> Name | None:
        """Return the name that a token is part of, or that stands beside a noun for the same one."""
        for name in self._names:
            if name.covers(token):
                return name
        for name in self._names:
            if any(noun.index == token.index for noun in name.described) and self._same(token, name):
                return name
        return None

    def _same(self, noun: Token, name: Name) -> bool:
        """Tell if a noun beside a name is one and the same with it: no plural, and no "Lucy is a nurse"."""
        if name.head.head == noun.index and name.head.relation.startswith("nsubj"):
            return noun.lemma.lower() in _ONE_AT_A_TIME and self.sentence.child(noun, "nmod:poss") is not None
        return not noun.has("Number=Plur") and noun.lemma.lower() != "name"

    def of(self, token: Token) -> EntityMention | None:
        """Return the entity that a noun or pronoun means, or None."""
        if token.index not in self._known:
            self._known[token.index] = None
            self._known[token.index] = self._find(token)
        return self._known[token.index]

    def _find(self, token: Token) -> EntityMention | None:
        name = self.name(token)
        if name is not None:
            return self._named(name)
        if token.upos == "PRON" or token.lower in ("i", "my", "our", "your", "me"):
            return self._resolve(self, token)
        if token.upos not in ("NOUN", "PROPN") or token.lower in DAYS_AND_MONTHS:
            return None
        owner = self.owner(token)
        if owner is not None:
            return self._owned(token, owner)
        if self.sentence.child(token, "nmod:poss") is not None:
            return None
        return self._phrase(token)

    def owner(self, token: Token) -> EntityMention | None:
        """Return the entity whose somebody or something is."""
        holder = self.sentence.child(token, "nmod:poss")
        if holder is None:
            # "my daughter Sara's birthday": the tree may give "my" to the birthday.
            place = token.index - 1
            while place > 0 and self.sentence[place].upos == "ADJ":
                place -= 1
            before = self.sentence[place] if place >= 0 else token
            holder = before if before.has("Poss=Yes") and before.upos in ("PRON", "DET") else None
        return self.of(holder) if holder is not None else None

    def _named(self, name: Name) -> EntityMention:
        roles = tuple(self._roles(name))
        also = tuple(dict.fromkeys(surface for noun, surface in roles if noun in _ONE_AT_A_TIME and noun != "family"))
        plural = name.head.has("Number=Plur")
        return EntityMention(name.text, name.type, name.start, name.end, also=also, plural=plural)

    def _roles(self, name: Name) -> Iterator[tuple[str, str]]:
        """Yield the roles of a name that have an owner: the noun, and the role in words."""
        for noun in name.described:
            if noun.lemma.lower() == "name":
                # "my mom's name is Rose", "her name is Lucy"
                holder = self.owner(noun)
                if holder is not None and holder.role:
                    yield holder.role, holder.surface
                continue
            owner = self.owner(noun) or (self.owner(name.head) if noun.relation in _MODIFIERS else None)
            word = role_of(noun)
            if owner is not None and not noun.has("Number=Plur") and owner.surface != name.text and word in KINDS:
                yield word, f"{owner.surface}'s {word}"

    def _owned(self, token: Token, owner: EntityMention) -> EntityMention | None:
        word = role_of(token)
        start = self._start(token)
        if token.lemma.lower() in KIN or word in KIN or word in ("parents", "kids", "children", "family"):
            best = any(each.lower == "best" for each in self.sentence.children(token, "amod"))
            if best and word == "friend":
                word = "best friend"
            elif word not in _ROLES or self.sentence.text[token.start - 1 : token.start] == "-":
                # A great-aunt is no aunt.
                return None
            return EntityMention(
                f"{owner.surface}'s {word}",
                "person",
                start,
                token.end,
                plural=token.has("Number=Plur"),
                role=word,
                owner=owner,
            )
        words = self._words(token)
        if words is None:
            return None
        kind = KINDS.get(token.lemma.lower(), "other")
        if kind == "person" or (owner.start < 0 and not owner.pronoun):
            # Whose it is was told by a pronoun for somebody named before, which is less sure than "my".
            return None
        surface = f"{owner.surface}'s {role_of(token) if kind == 'animal' else words[0]}"
        if owner.start >= 0 and words[1] < owner.end:
            # "St. Joseph's Day celebration", where the tree takes the saint for an owner
            surface = " ".join(self.sentence.text[owner.start : token.end].split())
        return EntityMention(
            surface, kind, start, token.end, named=False, plural=token.has("Number=Plur"), role=word, owner=owner
        )

    def _start(self, token: Token) -> int:
        first = token.index
        for each in self.sentence.tokens[token.index - 1 :: -1] if token.index else ():
            if each.head not in range(first, token.index + 1) and not each.has("Poss=Yes") and each.upos != "PART":
                break
            if each.relation not in ("det", "nmod:poss", "amod", "compound", "case", "nummod"):
                break
            first = each.index
        return self.sentence[first].start

    def _words(self, token: Token) -> tuple[str, int] | None:
        """Return a noun with the words that say which, and their first character; None for a vague one."""
        sentence = self.sentence
        first = token.index
        telling = 0
        for place in range(token.index - 1, max(token.index - 4, -1), -1):
            each = sentence[place]
            if each.head != token.index and not first <= each.head <= token.index:
                break
            if each.relation not in _MODIFIERS or each.upos not in ("NOUN", "PROPN", "ADJ") or each.lower in _DULL:
                break
            first, telling = place, telling + 1
        word = token.lemma.lower()
        if any(each.lower.endswith("ing") for each in sentence.tokens[first + 1 : token.index]):
            return None
        if token.text[0].isupper() and sentence[0].index != token.index:
            # Part of a name that was not read whole: "Attack on Titan".
            return None
        doing = sentence[first].lower.endswith("ing") and first < token.index
        if doing and (token.has("Number=Plur") or token.relation == "conj" or word in _LIGHT):
            # "reading articles" is what somebody does; a "cooking class" is a thing.
            return None
        if word in _NEVER or (word in _LIGHT and token.index == first):
            return None
        if word in _LIGHT and not any(each.upos == "NOUN" for each in sentence.tokens[first : token.index]):
            return None
        if len(word) < 3 or not token.text[:1].isalpha() or word in PEOPLES or (word in _vague() and not telling):
            return None
        start = sentence[first].start
        while start > 0 and sentence.text[start - 1] == "-":
            # "stir-fry", "6-week course"
            start = max(sentence.text.rfind(" ", 0, start), sentence.text.rfind("\n", 0, start)) + 1
        text = sentence.text[start : token.end]
        initial = sentence[first].index == sentence[0].index and sentence[first].lower not in PEOPLES
        proper = any(letter.isupper() for letter in text[1:]) or (text[0].isupper() and not initial)
        return " ".join(text.split()).lower() if not proper else text, start

    def _phrase(self, token: Token) -> EntityMention | None:
        if token.upos != "NOUN" or token.relation in ("vocative", "discourse"):
            return None
        kind = KINDS.get(token.lemma.lower(), "other")
        found = self._words(token)
        if found is None or kind in ("person", "animal") or token.lemma.lower() in ("news", "deadline"):
            return None
        return EntityMention(
            found[0],
            "other" if kind == "work" else kind,
            found[1],
            token.end,
            named=False,
            plural=token.has("Number=Plur"),
        )

    def role(self, token: Token, owner: EntityMention) -> EntityMention | None:
        """Return the close person whom somebody has: "Ann's brother" of "I have a brother"."""
        word = role_of(token)
        if word not in _ROLES:
            return None
        return EntityMention(
            f"{owner.surface}'s {word}", "person", self._start(token), token.end, role=word, owner=owner
        )

    def pet(self, token: Token, owner: EntityMention) -> EntityMention | None:
        """Return the pet that somebody has got: "Ann's puppy"."""
        if token.lemma.lower() in PETS and not token.has("Number=Plur") and self.name(token) is None:
            return EntityMention(
                f"{owner.surface}'s {role_of(token)}",
                "animal",
                self._start(token),
                token.end,
                role=role_of(token),
                owner=owner,
            )
        return None


def role_of(token: Token) -> str:
    """Return what somebody is to another: "mother" of "mom", "parents" of "parents"."""
    plural = token.has("Number=Plur") and token.lower.endswith(("s", "children"))
    word = token.lower if plural else token.lemma.lower()
    return _CALLED.get(word, word)


@cache
def _vague() -> frozenset[str]:
    return frozenset(word for line in lines_of("vague.txt") for word in line.split())
