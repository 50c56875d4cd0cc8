"""Names in a sentence, from its tree, and their kinds.

A name is a run of proper nouns that the tree holds together, with its title or number ("Dr. Z", "Tesla Model 3"). A
capital at the start of a sentence makes no name of a common word; a name in small letters is taken if it is listed and
no word as well. The kind is told by a noun beside the name ("my dog Rocky"), a title, a list, its last word, or the
verb and preposition that govern it; a name that nothing tells of is ``other``.

Days, months and peoples are no names; a language alone is one. Titles in quotes are works.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from hmem.language.english.gazetteer import DAYS_AND_MONTHS, given_names, known_names
from hmem.language.english.meaning.name_lists import (
    INSTITUTIONS,
    KIN,
    KINDS,
    LANGUAGES,
    LAST_WORDS,
    PEOPLES,
    TITLES,
    is_common,
    known_small,
)
from hmem.language.english.tree import Sentence, Token
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.entity import EntityType


@dataclass(frozen=True, slots=True)
class Name:
    """A name: its tokens' indices, the highest of them in the tree, its kind, and its characters in the text.

    ``described`` are the nouns beside it that say who or what it is: "sister" in "my sister Lucy". ``called`` tells
    that it is only an address: "Thanks, Lucy!".
    """

    text: str
    type: EntityType
    start: int
    end: int
    first: int
    last: int
    head: Token
    described: tuple[Token, ...] = ()
    called: bool = False

    def covers(self, token: Token) -> bool:
        """Tell if a token is part of the name."""
        return self.first <= token.index <= self.last


# Relations within one name, and those between two names that stand side by side.
_WITHIN: Final = words("""
    flat compound nmod:desc nmod:unmarked goeswith amod nummod
    """)
_APART: Final = words("""
    conj appos obj iobj nsubj vocative parataxis list ccomp obl nsubj:pass cc
    """)
_BESIDE: Final = ("compound", "nmod:desc", "appos", "flat", "nmod:unmarked", "nmod", "nsubj")
_NAMING: Final = words("""
    name call title entitle nickname know
    """)
_QUOTED: Final = regex(r"[\"“](?P<quoted>[^\"“”\n]{2,80})[\"”]|(?<![\w*])\*(?P<slanted>[^*\s][^*\n]{1,80})\*(?![\w*])")
_INITIALS: Final = regex(r"(?:[A-Z]\.?)+")
_GREETING: Final = words("""
    hey hi hello hiya yo dear thanks congrats bye wow thx cheers
    """)
_SPOKEN: Final = frozenset({"learn", "study", "speak", "teach", "practice", "practise"})
_LONGEST_TITLE: Final = 9
_LONGEST_ACRONYM: Final = 5
_SHARE_OF_A_HEADING: Final = 0.6
_WORDS_OF_A_HEADING: Final = 4


@lru_cache(maxsize=1)
def _starts_of_names() -> frozenset[str]:
    """Return beginnings of the listed names of several words: of a name "St. Paul's", each up to a mark."""
    firsts = (name.split()[0] for name in known_names() if " " in name)
    return frozenset(first[:end] for first in firsts for end in range(1, len(first) + 1))


@lru_cache(maxsize=4_096)
def names(sentence: Sentence, people: Collection[str] = ()) -> tuple[Name, ...]:
    """Return the names of a sentence in order; ``people`` are lower-cased words of names known to be people's."""
    return tuple(_Finder(sentence, people).find())


class _Finder:
    def __init__(self, sentence: Sentence, people: Collection[str]) -> None:
        self._sentence = sentence
        self._people = people
        words = [token for token in sentence if token.text[0].isalpha()]
        self._first = words[0].index if words else -1
        heavy = [token for token in words if len(token.text) > 3]
        capital = sum(token.text[0].isupper() for token in heavy)
        told = any(token.has("VerbForm=Fin") and token.text[0].islower() for token in words)
        self._heading = not told and len(heavy) >= _WORDS_OF_A_HEADING and capital >= _SHARE_OF_A_HEADING * len(heavy)
        self._shouted = sum(token.text.isupper() for token in words if len(token.text) > 1) * 2 > len(words) > 2
        self._small = bool(words) and not any(token.text[0].isupper() for token in words)

    def find(self) -> list[Name]:
        titled = list(self._titled())
        taken = {index for first, last in titled for index in range(first, last + 1)}
        found = [
            self._name(first, last, "work" if not self._explicit(self._head(first, last)) else None)
            for first, last in titled
        ]
        for first, last in self._runs(taken):
            trimmed = self._trim(first, last)
            if trimmed is not None:
                found.append(self._name(*trimmed))
        agreed: list[Name] = []
        for name in sorted(found, key=lambda each: each.start):
            agreed.append(self._agreed(name, agreed))
        return agreed

    def _agreed(self, name: Name, found: Sequence[Name]) -> Name:
        """Return a name with what is said of the name before it: "Tom and Zog", "our cats Luna and Oliver"."""
        before = self._sentence[name.first - 1].lower if name.first else ""
        if before not in ("and", ",", "&", "or") or name.text.lower() in LANGUAGES:
            return name
        other = next((each for each in found if each.last == name.first - 2), None)
        if other is None:
            return name
        plural = tuple(each for each in other.described if each.has("Number=Plur"))
        if plural and not name.described:
            return replace(name, type=other.type, described=plural)
        if name.type == "other" and other.type in ("person", "animal", "location"):
            return replace(name, type=other.type)
        return name

    # Spans.

    def _runs(self, taken: Collection[int]) -> Iterator[tuple[int, int]]:
        sentence, place = self._sentence, 0
        while place < len(sentence):
            if (end := self._listed_run(place)) is not None and place not in taken:
                while (following := self._joined(end)) is not None and following not in taken:
                    end = following
                yield place, end
                place = end + 1
                continue
            if place in taken or not self._like_a_name(sentence[place]):
                place += 1
                continue
            last = place
            while (following := self._joined(last)) is not None and following not in taken:
                last = following
            yield place, last
            place = last + 1

    def _listed_run(self, place: int) -> int | None:
        """Return the last token of a listed name of several words that begins at a place; a place in any letters."""
        sentence = self._sentence
        if sentence[place].lower.replace("’", "'") not in _starts_of_names():
            return None
        for last in range(min(place + 3, len(sentence) - 1), place, -1):
            words = " ".join(
                sentence.text[sentence[place].start : sentence[last].end].lower().replace("’", "'").split()
            )
            kind = known_names().get(words) if " " in words else None
            capital = all(sentence[i].text[0].isupper() or len(sentence[i].text) < 3 for i in (place, last))
            if kind is not None and (capital or kind == "location"):
                return last
        return None

    def _like_a_name(self, token: Token) -> bool:
        word = token.lower
        if not token.text[0].isalpha() or word == "i" or word.startswith(("i'", "http", "www.")):
            return False
        if word.endswith("in'"):
            # "Startin' my business"
            return False
        if not token.text[0].isupper():
            return self._small_name(token) or (any(letter.isupper() for letter in token.text[1:3]) and token.upos in (
                "PROPN", "NOUN", "X"))  # fmt: skip
        if self._is_title_of_address(token) or self._truly_named(token):
            return True
        if word in self._people or word in known_names() or (word in given_names() and token.upos != "AUX"):
            return token.upos in ("PROPN", "NOUN", "X") or token.index != self._first or not is_common(word)
        if token.upos in ("PRON", "DET", "ADP", "AUX", "CCONJ", "SCONJ", "PART", "INTJ", "NUM"):
            return False
        if token.index == self._first or self._heading or self._shouted:
            return (
                token.upos == "PROPN" and not is_common(word, token.lemma.lower()) and not word.endswith(("ly", "ing"))
            )
        return token.upos == "PROPN" or not is_common(word, token.lemma.lower()) or self._inside(token)

    def _is_title_of_address(self, token: Token) -> bool:
        """Tell if a title stands before a capitalised word: "Uncle Bob"."""
        following = self._sentence[token.index + 1] if token.index + 1 < len(self._sentence) else None
        return token.lower.rstrip(".") in TITLES and following is not None and following.text[0].isupper()

    def _inside(self, token: Token) -> bool:
        """Tell if a capitalised common word stands within a sentence of small ones, as in "the Peak District"."""
        return token.upos in ("NOUN", "ADJ") and not self._heading and self._opens(token)

    def _opens(self, token: Token) -> bool:
        before = self._sentence[token.index - 1].text if token.index else ""
        return before[-1:].isalnum() or before in (",", "&", "'s")

    def _small_name(self, token: Token) -> bool:
        """Tell if a word in small letters is a listed name: sure where no capitals are used, else by its tag."""
        word = token.lower
        if word in self._people and not is_common(word):
            return self._small or token.upos == "PROPN"
        kind = known_small(word)
        if kind is None or kind == "event":
            return False
        if token.upos not in ("PROPN", "NOUN", "X", "ADJ", "VERB"):
            return False
        return self._small or token.upos == "PROPN" or (kind == "location" and token.upos == "NOUN")

    def _joined(self, last: int) -> int | None:
        """Return the last token of what goes on a name that has reached a token, or None."""
        sentence = self._sentence
        if last + 1 >= len(sentence):
            return None
        one, two = sentence[last], sentence[last + 1]
        gap = sentence.text[one.end : two.start]
        if gap.strip():
            return None
        third = sentence[last + 2] if last + 2 < len(sentence) else None
        if two.text in ("'s", "’s", "'", "’") and third is not None:
            whole = f"{one.text}'s".lower()
            if whole in known_names() or any(name.startswith(f"{one.lower}'s ") for name in known_names()):
                return last + 1
            if one.relation != "nmod:poss" and one.lower not in given_names() and one.text[0].isupper():
                # "dinner at Kenneally's"
                return last + 1
            institution = third.lower in INSTITUTIONS or (third.text[0].isupper() and third.lower in LAST_WORDS)
            saint = last > 0 and sentence[last - 1].lower.rstrip(".") in ("st", "saint")
            return last + 2 if institution and (saint or third.text[0].isupper()) else None
        if (
            two.text in ("&", "-", "/")
            and third is not None
            and third.text[0].isupper()
            and (two.text == "&" or not sentence.text[one.end : third.start].count(" "))
            and two.text != "/"
        ):
            return last + 2
        if two.text == "." and one.lower.rstrip(".") in TITLES | {"st", "mt", "ft", "jr"} and third is not None:
            return last + 2 if self._like_a_name(third) else None
        if (
            two.lower == "of"
            and KINDS.get(one.lower) not in ("person", "animal")
            and third is not None
            and one.text[0].isupper()
            and one.lower not in given_names()
        ):
            goal = last + 3 if third.lower == "the" and last + 3 < len(sentence) else last + 2
            noun = sentence[goal]
            return goal if noun.text[0].isupper() and self._like_a_name(noun) else None
        if two.text[0].isdigit() and one.text[0].isupper() and ":" not in two.text:
            # "Tesla Model 3", but "met Tom 3 times"
            below = two.head == last and two.relation in ("flat", "nummod", "compound", "nmod:unmarked")
            counts = third is not None and third.upos in ("NOUN", "ADJ", "PROPN", "SYM")
            return last + 1 if below or not (counts or two.relation.startswith(("obl", "nmod"))) else None
        return last + 1 if self._like_a_name(two) and self._together(one, two) else None

    def _together(self, one: Token, two: Token) -> bool:
        if self._is_title_of_address(one):
            return True
        pair = f"{one.lower} {two.lower}"
        if any(name.startswith(pair) for name in known_names() if " " in name):
            return True
        if two.head == one.index:
            return two.relation not in _APART
        if one.head == two.index:
            return one.relation not in _APART or (one.relation == "nsubj" and two.relation in ("compound", "flat"))
        # Both belong to a later word of the name, or the first word is one of its own.
        return (one.relation in _WITHIN and (two.head == one.head or one.head > two.index)) or (
            two.relation in _WITHIN and two.head <= one.index
        )

    def _trim(self, first: int, last: int) -> tuple[int, int] | None:
        """Return a run without words that are capitalised by place only; None if no name is left."""
        sentence = self._sentence
        if last > first and self._listed_run(first) == last:
            return first, last
        while first <= last and self._needless(sentence[first], alone=first == last):
            first += 1
        while last > first and (sentence[last].lower in DAYS_AND_MONTHS or sentence[last].upos in ("DET", "PRON")):
            last -= 1
        if first > last:
            return None
        if first == last:
            return (first, last) if self._alone(sentence[first]) else None
        words = [sentence[index] for index in range(first, last + 1)]
        if self._shouted and not any(self._listed(word) for word in words):
            return None
        return first, last

    def _needless(self, token: Token, *, alone: bool) -> bool:
        word = token.lower
        if word in DAYS_AND_MONTHS and not (word in given_names() and self._beside(token)):
            return True
        if token.upos in ("DET", "PRON", "INTJ", "ADP", "SCONJ", "CCONJ") and not self._listed(token):
            return True
        if alone or word in TITLES or self._listed(token):
            return False
        following = self._sentence[token.index + 1].lower if token.index + 1 < len(self._sentence) else ""
        common = token.upos != "PROPN" and is_common(word, token.lemma.lower())
        return token.index == self._first and common and following != "of"

    def _listed(self, token: Token) -> bool:
        return token.lower in self._people or token.lower in given_names() or token.lower in known_names()

    def _alone(self, token: Token) -> bool:
        """Tell if a lone word is a name."""
        word = token.lower
        if word.rstrip(".") in TITLES and word not in given_names():
            return False
        if word in PEOPLES or word.removesuffix("s") in PEOPLES or word.split("-")[0] in PEOPLES:
            # "learning German", where the tree may take the language for an adjective
            spoken = self._sentence[max(token.index - 1, 0)].lemma.lower() in _SPOKEN
            alone = token.relation not in ("amod", "compound", "ROOT") and (
                token.upos != "ADJ" or token.relation in ("obj", "xcomp") or spoken
            )
            return word in LANGUAGES and alone
        if word in self._people or known_small(word) is not None or self._truly_named(token):
            return True
        if word in DAYS_AND_MONTHS:
            return token.relation.startswith("nsubj") and word in given_names()
        if _INITIALS.fullmatch(token.text) and len(token.text) == 1:
            return False
        if token.text.isupper() and len(token.text) > _LONGEST_ACRONYM and word not in known_names():
            return False
        if is_common(word, token.lemma.lower()):
            if token.index == self._first or self._heading or self._shouted:
                return word in given_names() and token.upos == "PROPN" and token.relation.startswith("nsubj")
            return token.upos == "PROPN" and (self._listed(token) or self._opens(token))
        return True

    def _truly_named(self, token: Token) -> bool:
        """Tell if "named", "called" or "her name is" stands before."""
        before = [each.lower for each in self._sentence.tokens[max(token.index - 2, 0) : token.index]]
        naming = before[-1:] in (["named"], ["called"], ["nicknamed"]) or before in (
            ["name", "is"],
            ["name", "'s"],
            ["name", "was"],
        )
        return naming and token.text[0].isupper()

    def _titled(self) -> Iterator[tuple[int, int]]:
        """Yield the first and the last token of titles in quotes or between asterisks."""
        sentence = self._sentence
        if not any(mark in sentence.words for mark in '"“*'):
            return
        for match in _QUOTED.finditer(sentence.text, sentence.start, sentence.end):
            group = "quoted" if match["quoted"] else "slanted"
            inside = [t for t in sentence if match.start(group) <= t.start and t.end <= match.end(group)]
            while inside and not inside[-1].text[-1].isalnum() and inside[-1].text != "!":
                inside.pop()
            if inside and self._is_title(inside, slanted=group == "slanted"):
                yield inside[0].index, inside[-1].index

    def _is_title(self, words: Sequence[Token], *, slanted: bool) -> bool:
        """Tell if all main words have a capital, and it is more than a common word in quotes."""
        if len(words) > _LONGEST_TITLE or not words[0].text[0].isupper() or words[-1].text == "!":
            return False
        heavy = [each for each in words if each.text[0].isalpha() and len(each.text) > 3]
        if not all(each.text[0].isupper() for each in heavy) or any(each.upos == "INTJ" for each in words):
            return False
        common = all(is_common(each.lower, each.lemma.lower()) for each in words if each.text[0].isalpha())
        if len(words) == 1 or slanted:
            return not common
        return sum(each.text[0].isupper() for each in words) > 1 and words[0].lower not in ("i", "i'm")

    # Kinds.

    def _head(self, first: int, last: int) -> Token:
        """Return the token by which a run hangs on the rest."""
        inside = [self._sentence[index] for index in range(first, last + 1)]
        return next((each for each in inside if not first <= each.head <= last or each.head == each.index), inside[-1])

    def _name(self, first: int, last: int, kind: EntityType | None = None) -> Name:
        sentence = self._sentence
        head = self._head(first, last)
        text = sentence.text[sentence[first].start : sentence[last].end]
        nouns = tuple(
            {each.index: each for each in (*self._before(first), *self._after(last), *self._beside(head))}.values()
        )
        called = self._called(first, last, head) and not nouns
        near = (*self._before(first), *self._after(last))
        kind = kind or next((KINDS[each.lemma.lower()] for each in near), None)
        if kind is None:
            kind = self._kind(first, last, head, text, called=called)
        return Name(
            text, kind, sentence[first].start, sentence[last].end, first, last, head,
            tuple(each for each in nouns if not first <= each.index <= last), called,
        )  # fmt: skip

    def _beside(self, head: Token) -> Iterator[Token]:
        """Yield the nouns that say who or what a name is."""
        sentence = self._sentence
        for child in sentence.children(head, *_BESIDE):
            bare = not sentence.children(child, "case")
            if child.upos == "NOUN" and child.relation != "nsubj" and bare:
                yield child
            elif (
                child.relation == "nsubj"
                and child.upos == "NOUN"
                and sentence.child(head, "cop")
                and not (sentence.children(head, "case"))
            ):
                # "My best friend is Olga."
                yield child
        above = sentence.head(head)
        if above is None:
            return
        if above.upos == "NOUN" and head.relation in ("appos", "flat", "nmod:desc", "nmod:unmarked"):
            yield above
        told = above.upos == "NOUN" and head.relation == "nsubj" and sentence.child(above, "cop") is not None
        if told and not sentence.children(above, "case"):
            # "Lucy is a nurse."
            yield above
        if above.lemma.lower() in _NAMING and head.relation in ("obj", "xcomp", "obl", "flat", "ccomp", "appos"):
            top = sentence.head(above) if above.relation in ("acl", "acl:relcl", "amod") else None
            subject = sentence.child(above, "nsubj", "nsubj:pass")
            noun = subject if subject is not None and subject.upos == "NOUN" else top
            if noun is not None and noun.upos == "NOUN":
                yield noun

    def _before(self, first: int) -> Iterator[Token]:
        """Yield a noun of people or pets that stands right before a name: "my daughter Sara's birthday"."""
        sentence = self._sentence
        noun = sentence[first - 1] if first else None
        if noun is not None and noun.text == "," and first > 2:
            # "my horse, Thunder, …"
            owned = any(each.has("Poss=Yes") for each in sentence.tokens[max(first - 4, 0) : first - 2])
            end = next((each for each in sentence.tokens[first + 1 : first + 3] if each.upos != "PROPN"), None)
            noun = sentence[first - 2] if owned and (end is None or end.text in (",", ".", "!", ")", "-")) else None
        if noun is not None and noun.text in (",", ":", "-", "–", "—", "(") and first > 1:
            # "two dogs, Max and Daisy", "three kids: Tom, Lily and Sam"
            several = sentence[first - 2]
            noun = several if several.has("Number=Plur") else None
        if noun is not None and noun.upos == "NOUN" and KINDS.get(noun.lemma.lower()) in ("person", "animal"):
            yield noun

    def _after(self, last: int) -> Iterator[Token]:
        """Yield a noun that says who a name is, behind a comma: "Rocky, my dog, …"."""
        rest = self._sentence.tokens[last + 1 : last + 8]
        if (
            len(rest) < 3
            or rest[0].text not in (",", "(", "-")
            or not (rest[1].has("Poss=Yes") or rest[1].upos == "DET")
        ):
            return
        place = 2
        while place < len(rest) - 1 and (rest[place].upos == "ADJ" or rest[place].relation == "compound"):
            place += 1
        noun = rest[place]
        following = rest[place + 1] if place + 1 < len(rest) else None
        ends = (
            following is None
            or following.text in (",", ".", ")", "!", "-")
            or following.lower in ("of", "at", "who", "from", "in")
        )
        if (
            noun.upos == "NOUN"
            and KINDS.get(noun.lemma.lower()) in ("person", "animal")
            and ends
            and noun.has("Number=Sing")
        ):
            yield noun

    def _called(self, first: int, last: int, head: Token) -> bool:
        sentence = self._sentence
        if head.relation == "vocative":
            return True
        before = sentence[first - 1].lower if first else ""
        after = sentence[last + 1].text if last + 1 < len(sentence) else ""
        if before in _GREETING and not sentence.children(head, "nsubj"):
            return True
        closed = after in ("", "!", ".", "?", ",") and head.relation in (
            "discourse",
            "parataxis",
            "appos",
            "list",
            "ROOT",
        )
        return closed and (before == "," or (first == self._first and after == ",")) and not any(self._beside(head))

    def _explicit(self, head: Token) -> EntityType | None:
        """Return the kind that a noun beside a name tells."""
        for noun in self._beside(head):
            if (kind := KINDS.get(noun.lemma.lower())) is not None:
                return kind
        return None

    def _kind(self, first: int, last: int, head: Token, text: str, *, called: bool) -> EntityType:
        sentence = self._sentence
        word, final = sentence[first].lower, sentence[last].lower
        whole = " ".join(text.lower().replace("’", "'").split())
        whole = whole.replace(".", "") if _INITIALS.fullmatch(text) else whole
        if whole in self._people or (word in self._people and last > first and final not in LAST_WORDS):
            return "person"
        if (kind := self._explicit(head)) is not None and not (kind == "person" and whole in known_names()):
            return kind
        titled = word.rstrip(".") in TITLES and last > first
        if titled and word.rstrip(".") not in ("st", "saint"):
            return "person"
        if (kind := known_names().get(whole)) is not None and not (word in given_names() and called):
            return kind
        if last > first and (kind := LAST_WORDS.get(final)) is not None:
            return kind
        if word in LANGUAGES:
            return "other"
        if word in given_names() or any(noun.lemma.lower() == "name" for noun in self._beside(head)):
            return "person"
        return self._guess(head, first, last, called=called)

    def _guess(self, head: Token, first: int, last: int, *, called: bool) -> EntityType:
        """Return the kind that the words around an unlisted name tell."""
        sentence = self._sentence
        if called:
            return "person"
        following = sentence.head(head)
        if head.relation == "compound" and following is not None:
            # "the Zog restaurant", "a Zog phone"
            kind = KINDS.get(following.lemma.lower())
            return kind if kind is not None and kind not in ("person", "animal") else "other"
        if head.relation == "nmod:poss" and following is not None and following.lemma.lower() in KIN:
            return "person"
        if any(letter.isdigit() for letter in sentence.text[sentence[first].start : sentence[last].end]):
            return "product" if sentence[first].text[0].isupper() and last > first else "other"
        if (kind := _by_governor(sentence, head)) is not None:
            return kind
        words = [sentence[index] for index in range(first, last + 1)]
        if len(words) == 1 and words[0].text.isupper() and len(words[0].text) > 1:
            return "organization" if words[0].text.isalpha() else "other"
        known = [known_names().get(each.lower) for each in words]
        if len(words) > 1 and known[-1] == "location":
            return "location"
        if len(words) > 1 and known[0] is not None:
            return "location" if known[0] == "location" else "product"
        plain = all(each.text.isalpha() or each.text.endswith(".") or "-" in each.text for each in words)
        uncommon = not any(is_common(each.lower, each.lemma.lower()) for each in words)
        if plain and len(words) in (2, 3) and (uncommon or any(each.relation == "flat" for each in words[1:])):
            # English names of people are flat in Universal Dependencies; others are compounds.
            return "person"
        if plain and len(words) == 1 and (head.relation.startswith("nsubj") or head.relation in ("iobj", "vocative")):
            return "person" if not sentence.children(head, "det") else "organization"
        return "other"


_TO: Final = words("""
    go come fly drive move travel head get return walk trip be back relocate flight visit tour vacation road way
    ticket emigrate hike welcome journey
    """)
_IN: Final = words("""
    in near around across through throughout outside into within
    """)
_EMPLOYING: Final = words("""
    work job intern internship employ hire career position role shift
    """)
_VISITING: Final = frozenset({"visit", "explore", "tour", "leave", "reach"})
_JOINING: Final = frozenset({"join", "found", "sue"})
_ENJOYING: Final = words("""
    read watch reread rewatch finish stream
    """)
_PLAYING: Final = frozenset({"play"})
_BUYING: Final = words("""
    buy use install drive order own download sell wear
    """)
_MEETING: Final = words("""
    meet marry miss hug tell ask call text thank invite date remind help know
    """)
_SPEAKING: Final = words("""
    say tell ask think love like want text mention suggest recommend teach give feel know laugh cry marry believe hope
    live die write sing explain agree smile call invite
    """)


def _by_governor(sentence: Sentence, head: Token) -> EntityType | None:
    """Return the kind that the verb and the preposition of a name tell."""
    above = sentence.head(head)
    if above is None:
        return None
    lemma = above.lemma.lower()
    marker = " ".join(each.lower for each in sentence.children(head, "case"))
    if head.relation.startswith(("obl", "nmod")) or marker:
        return _by_preposition(sentence, head, above, marker)
    if head.relation == "obj":
        return next((kind for verbs, kind in _OBJECTS if lemma in verbs), None)
    if head.relation == "iobj" or (head.relation == "nsubj" and lemma in _SPEAKING):
        return "person"
    if head.relation == "conj" and sentence[head.index - 1].lower in ("and", "or", ",") and above.upos == "PROPN":
        return _by_governor(sentence, above)
    return None


def _by_preposition(sentence: Sentence, head: Token, above: Token, marker: str) -> EntityType | None:
    lemma = above.lemma.lower()
    determined = sentence.children(head, "det", "nmod:poss")
    if marker == "at" or (marker in ("for", "with") and lemma in _EMPLOYING):
        return "organization"
    if (marker in _IN and lemma not in ("believe", "invest", "interested")) or (
        marker in ("to", "from") and lemma in _TO
    ):
        return "location"
    by_person = marker == "by" and (above.upos == "NOUN" or lemma in ("write", "direct", "sing", "paint", "compose"))
    if by_person or (marker == "with" and lemma not in _BUYING and not determined):
        return "person"
    return None


_OBJECTS: Final[tuple[tuple[frozenset[str], EntityType], ...]] = (
    (_VISITING, "location"), (_JOINING, "organization"), (_ENJOYING, "work"), (_MEETING, "person"),
    (_BUYING, "product"), (_PLAYING, "other"),
)  # fmt: skip
