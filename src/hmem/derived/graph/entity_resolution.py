"""Entity resolution: the entity that a name means (H-Mem, tree and graph: normalisation, resolution, graph repair).

Names are compared in a normal form. A name that is already known with a compatible type means that entity; else the
entity of a known name that shares most of its words, or almost all of its letters; else a new entity. Entities whose
names resemble each other but stay apart are joined by an overlap, which never says that the two are one.
"""

import re
import unicodedata
from bisect import bisect_left, insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from hmem.model.entity import EntityType

# Types that are easily confused: a company and its product, a place and who runs it.
_CONFUSED_TYPES: Final = frozenset(
    {
        frozenset({"organization", "location"}),
        frozenset({"organization", "product"}),
        frozenset({"product", "work"}),
        frozenset({"event", "date"}),
        frozenset({"date", "time"}),
        # A dog with a person's name, before anything was said of what it is.
        frozenset({"person", "animal"}),
    }
)
# Types of a name that may be a person's first or full name: what an analyst is not sure of is "other".
_MAY_BE_PERSON: Final = frozenset({"person", "other"})
_APOSTROPHES: Final = str.maketrans("\u2018\u2019\u02bc", "'''")
_POSSESSIVE: Final = re.compile(r"'s?(?=\s|$)")
_NEEDLESS: Final = re.compile(r"[^\w\s&+#']+|_+")
# "Ann's sister" is named after Ann, and is somebody else.
_POSSESSION: Final = re.compile(r"\w's [a-z]")
_LEADING: Final = re.compile(r"^(?:the|a|an|mr|mrs|ms|miss|dr|prof)\s+(?=\S)")
_PREFIX: Final = 3
_SEVERAL_WORDS: Final = 2

# Scores below any similarity of letters, for looking up a name.
_SHORT_FORM: Final = 60.0
_SHARED_WORD: Final = 50.0


# The paper gives no numbers; these separate names as a reader would. Least share of common words (intersection over
# union) of names of two or more words.
_COMMON_WORDS: Final = 0.8
# Least similarity of letters, 0 to 100 (RapidFuzz's ratio), and least number of letters of names that are compared so:
# one-word names of persons need more, since Maria is not Marie.
_LIKE_LETTERS: Final = 90.0
_LETTERS: Final = 6
_LETTERS_OF_PERSON: Final = 8
# Most names that are compared, for resolution and for overlaps.
CANDIDATES: Final = 48
# Least number of letters of a short form: a person's ("Jo"), and another one.
_SHORT_PERSON: Final = 2
_SHORT_OTHER: Final = 3


def compatible(first: EntityType, second: EntityType) -> bool:
    """Tell if the same name under both types can mean one entity."""
    return first == second or first == "other" or second == "other" or frozenset({first, second}) in _CONFUSED_TYPES


@lru_cache(maxsize=65_536)
def normal(name: str) -> str:
    """Return a name's normal form: lower case, without punctuation, article, title of address or possessive.

    The possessive stays in what somebody is or has: "ann's sister".
    A name in lower case is a common noun, whose last word is put in the singular. Never empty for a name that is not
    blank.
    """
    text = unicodedata.normalize("NFKC", name).translate(_APOSTROPHES)
    plain = _NEEDLESS.sub(" ", text.casefold())
    if _POSSESSION.search(text) is None:
        plain = _POSSESSIVE.sub("", plain)
    plain = " ".join(plain.split()).strip("'")
    plain = _LEADING.sub("", plain)
    if text == text.lower():
        plain = _singular(plain)
    return plain or " ".join(text.casefold().split())


def _singular(phrase: str) -> str:
    if len(phrase) > 4 and phrase.endswith("ies"):
        return phrase[:-3] + "y"
    if phrase.endswith(("sses", "shes", "ches", "xes")):
        return phrase[:-2]
    if len(phrase) > 3 and phrase.endswith("s") and not phrase.endswith(("ss", "us", "is")):
        return phrase[:-1]
    return phrase


def overlapping(first: str, second: str, *, letters: bool) -> bool:
    """Tell if two normal forms, at least one of them of one word, look like a name and its short form.

    The short form is the first or the last word of the long one or, where ``letters`` may be cut, its start or end.
    """
    short, long = sorted((first, second), key=len)
    if not short or " " in short or short == long or "'s " in long:
        return False
    if letters:
        return long.startswith(short) or (len(short) >= _PREFIX and long.endswith(short))
    return long.startswith(f"{short} ") or long.endswith(f" {short}")


class NameIndex:
    """Index of the names of entities. The time of a lookup does not grow with their number."""

    def __init__(self) -> None:
        self._keys: dict[int, tuple[str, ...]] = {}
        self._types: dict[int, EntityType] = {}
        self._exact: dict[str, list[int]] = {}
        self._blocks: dict[str, list[int]] = {}

    def set(self, entity: int, type: EntityType, names: Iterable[str]) -> None:
        """Set the names of an entity; no names remove it."""
        keys = tuple(dict.fromkeys(normal(name) for name in names))
        old = self._keys.get(entity, ())
        if keys:
            self._keys[entity], self._types[entity] = keys, type
        else:
            self._keys.pop(entity, None)
            self._types.pop(entity, None)
        if keys == old:
            return
        self._change(entity, old, keys)

    def _change(self, entity: int, old: Sequence[str], new: Sequence[str]) -> None:
        for table, before, after in (
            (self._exact, set(old), set(new)),
            (self._blocks, {block for key in old for block in _blocks(key)}, {b for key in new for b in _blocks(key)}),
        ):
            for key_before in before - after:
                _take_out(table, key_before, entity)
            for key_after in after - before:
                _insert(table, key_after, entity)

    def exact(self, name: str) -> list[int]:
        """Return the entities that are known by this name, lowest number first."""
        return list(self._exact.get(normal(name), ()))

    def resolve(self, name: str, type: EntityType, excluded: Collection[int] = ()) -> int | None:
        """Return the entity that a name of a type means, or None for a new one.

        ``excluded`` are entities that it cannot mean, since the same turn relates them to it. A name that several
        entities have besides their own means none of them.
        """
        key = normal(name)
        matches = [entity for entity in self._exact.get(key, ()) if entity not in excluded]
        for fits in (self._same_type, compatible):
            fitting = [entity for entity in matches if fits(self._types[entity], type)]
            namesakes = [entity for entity in fitting if self._keys[entity][0] == key]
            if namesakes:
                return namesakes[0]
            if len(fitting) == 1 and not (type == "person" and self._is_shared(key, fitting[0])):
                return fitting[0]
            if fitting:
                return None
        if type in _MAY_BE_PERSON:
            person = self._person(key, excluded)
            if person is not None:
                return person
        return self._alike(key, type, excluded)

    @staticmethod
    def _same_type(first: EntityType, second: EntityType) -> bool:
        return first == second

    def _is_shared(self, key: str, entity: int) -> bool:
        """Tell if a name is the first name of another person's full name."""
        return " " not in key and any(namesake != entity for namesake, _ in self._full_names(key))

    def _full_names(self, first: str) -> Iterator[tuple[int, str]]:
        """Yield the persons with a full name that begins with a first name; if there is none, what may be one."""
        full_names = [
            (entity, key)
            for entity in self._blocks.get(first, ())[:CANDIDATES]
            if self._types[entity] in _MAY_BE_PERSON
            for key in self._keys[entity]
            if key.startswith(f"{first} ")
        ]
        persons = [(entity, key) for entity, key in full_names if self._types[entity] == "person"]
        yield from persons or full_names

    def _person(self, key: str, excluded: Collection[int]) -> int | None:
        """Return the one person whom a first or full name means, if nothing contradicts it."""
        first, _, surname = key.partition(" ")
        full_names = [(entity, name) for entity, name in self._full_names(first) if entity not in excluded]
        people = {entity for entity, name in full_names if not surname or name == key}
        if surname:
            # "Tom" is Tom Smith, unless he is Tom Jones already.
            people.update(
                entity
                for entity in self._exact.get(first, ())
                if self._types[entity] == "person"
                and entity not in excluded
                and not any(" " in name for name in self._keys[entity])
            )
        return next(iter(people)) if len(people) == 1 else None

    def _alike(self, key: str, type: EntityType, excluded: Collection[int]) -> int | None:
        best: tuple[float, int] | None = None
        for entity in self._candidates(key):
            if entity in excluded or not compatible(self._types[entity], type):
                continue
            main, *aliases = self._keys[entity]
            likeness = self._likeness(key, main, type)
            for alias in aliases:
                likeness = max(likeness, self._likeness(key, alias, type))
            if likeness > 0 and (best is None or (-likeness, entity) < best):
                best = (-likeness, entity)
        return None if best is None else best[1]

    def _likeness(self, first_name: str, second_name: str, type: EntityType) -> float:
        """Return the similarity of two normal forms, 0 to 100; 0 if they are too different to mean the same."""
        if "'s " in first_name or "'s " in second_name:
            # "Ann's brother" and "Ann's mother" differ by few letters.
            return 100.0 if first_name == second_name else 0.0
        (first, numbers), (second, other_numbers) = _words(first_name), _words(second_name)
        if numbers != other_numbers:
            return 0.0
        many_words = len(first) >= _SEVERAL_WORDS and len(second) >= _SEVERAL_WORDS
        if many_words and (overlap := len(first & second) / len(first | second)) >= _COMMON_WORDS:
            return 100 * overlap
        enough = _LETTERS_OF_PERSON if type == "person" and not many_words else _LETTERS
        if min(len(first_name), len(second_name)) < enough:
            return 0.0
        ratio = fuzz.ratio(first_name, second_name, score_cutoff=_LIKE_LETTERS)
        # A word more or less is another name ("dance club", "dance club two"), not a slip of the pen.
        return ratio if len(first) == len(second) else 0.0

    def _candidates(self, key: str) -> list[int]:
        """Return entities that share a word, or the start of one, with a normal form, smallest blocks first."""
        entities: dict[int, None] = {}
        blocks = [self._blocks.get(block, []) for block in dict.fromkeys(_blocks(key))]
        for block in sorted(blocks, key=len):
            room = CANDIDATES - len(entities)
            if room <= 0:
                break
            entities.update(dict.fromkeys(block[:room]))
        return list(entities)

    def overlaps(self, entity: int) -> list[int]:
        """Return the entities whose names are short or long forms of this one's, or the same of another type."""
        shorter, longer = self.shorter(entity), dict[int, None]()
        for key in self._keys.get(entity, ()):
            for block in _blocks(key):
                longer.update(dict.fromkeys(self._blocks.get(block, [])[:CANDIDATES]))
        overlapping = {candidate for candidate in longer if candidate != entity and self._overlap(entity, candidate)}
        return sorted(overlapping.union(shorter))

    def shorter(self, entity: int) -> list[int]:
        """Return the entities with the same name, or with a short form of one of this entity's names."""
        entities: dict[int, None] = {}
        for key in self._keys.get(entity, ()):
            starts = [key[:size] for size in range(1, len(key) + 1)]
            ends = [key[-size:] for size in range(_PREFIX, len(key))]
            for form in (*starts, *ends):
                entities.update(dict.fromkeys(self._exact.get(form, ())))
        return sorted(candidate for candidate in entities if candidate != entity and self._overlap(entity, candidate))

    def _overlap(self, first: int, second: int) -> bool:
        first_keys, second_keys = self._keys[first], self._keys[second]
        if not set(first_keys).isdisjoint(second_keys):
            return True
        types = (self._types[first], self._types[second])
        person, cut = types == ("person", "person"), types[0] == types[1] != "other"
        shortest = _SHORT_PERSON if person else _SHORT_OTHER
        return compatible(*types) and any(
            min(len(a), len(b)) >= shortest and overlapping(a, b, letters=cut) for a in first_keys for b in second_keys
        )

    def find(self, name: str) -> list[int]:
        """Return the entities that a name may mean: known by it, then similar, then sharing a word."""
        key = normal(name)
        ranking = [(-self._nearness(key, entity), entity) for entity in self._candidates(key)]
        close = [entity for nearness, entity in sorted(ranking) if nearness < 0]
        return list(dict.fromkeys([*self._exact.get(key, ()), *close]))

    def _nearness(self, key: str, entity: int) -> float:
        words = set(key.split())
        return max(
            max(
                self._likeness(key, name, "other"),
                _SHORT_FORM * overlapping(key, name, letters=self._types[entity] == "person"),
                _SHARED_WORD * (not words.isdisjoint(name.split())),
            )
            for name in self._keys[entity]
        )


def _blocks(key: str) -> list[str]:
    """Return the keys under which a normal form is filed: its words, and how they start and end."""
    words = key.split()
    starts = [f"{word[:_PREFIX]}*" for word in words]
    return [*words, *starts, f"{words[0][:2]}**" if words else "**", f"*{key[-_PREFIX:]}"]


@lru_cache(maxsize=65_536)
def _words(key: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words of a normal form, and those with a digit. Cached: a name is compared with many others."""
    words = frozenset(key.split())
    return words, frozenset(word for word in words if any(map(str.isdigit, word)))


def _insert(table: dict[str, list[int]], key: str, entity: int) -> None:
    row = table.setdefault(key, [])
    if not row or row[-1] < entity:
        row.append(entity)
    else:
        insort(row, entity)


def _take_out(table: dict[str, list[int]], key: str, entity: int) -> None:
    row = table[key]
    del row[bisect_left(row, entity)]
    if not row:
        del table[key]
