"""Proper names in a text: where they are and what kind of thing each names.

A capital in the middle of a sentence makes a name, unless the word is one that is usually written small; at the start
of a sentence the word must be known as a name, or be shown to be one by what surrounds it. Decided:

- Days and months are no entities, nor are peoples and languages used as adjectives ("Irish music"); a language by
  itself is one ("learning German").
- A name called out to its bearer ("Thanks, Maria!") is a naming of low salience.
- Titles in quotes are works when they are written like titles.
- Lines in which most words have a capital are headings: there a capital says nothing.
"""

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.analyst.base import Naming
from hmem.language.analyst.rules.gazetteer import (
    DAYS_AND_MONTHS,
    LANGUAGES,
    PEOPLES,
    given_names,
    is_common,
    known_names,
    known_pairs,
)
from hmem.language.analyst.rules.surroundings import (
    AFTER,
    BEFORE,
    addressed,
    apposed,
    guess,
    last_word,
    named,
    truly_named,
)
from hmem.language.analyst.rules.titles import titles
from hmem.language.regex import regex
from hmem.language.stopwords import STOP_WORDS
from hmem.model.entity import EntityType

_UPPER: Final = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİŁŃŇŌŐŘŚŞŠŤŪŮŰŹŻŽ"
_CAPITAL: Final = regex(
    rf"[{_UPPER}ie](?:(?<=[{_UPPER}])|(?=[{_UPPER}]))(?<![\w@#/\\-].)\w*(?:(?:['’.&:-](?=\w)|\+)\w*)*",
)
_CONTRACTED: Final = regex(r"['’](?:s|m|re|ve|ll|d|t|em)$", re.IGNORECASE)
_JOINED: Final = regex(r" (?:(?:of|of the|the|de|de la|del|van|von|der|and the|for the|in the|to the|&|in|and) )?|\. ")
_CAPITAL_INSIDE: Final = regex(rf"[a-z][-']?[{_UPPER}]")
_INITIALS: Final = regex(rf"(?!I\Z)[{_UPPER}](?:\.[{_UPPER}])*")
_LINE_WORD: Final = regex(r"[^\W\d_][\w'’-]{3,}")
_ENDS: Final = '.!?…:;\n\r\t*•-–—|>()[]{}"“”'
_SKIP: Final = " \u00a0'‘’_"
_LABEL: Final = regex(r"\s*(?:\*\*|:|[-–—]\s|\n)")
_TITLES: Final = frozenset({"dr", "mr", "mrs", "ms", "prof", "professor", "uncle", "aunt", "auntie", "sir"})
_SHORTENED: Final = frozenset({"st", "mt", "ft", "jr"}) | _TITLES
_LEADING: Final = frozenset({"the", "a", "an"})

_LONGEST_ACRONYM: Final = 5
_LONGEST_NAME: Final = 9
_HEADING_WORDS: Final = 3
_LONGEST_HEADING: Final = 240
_HEADING_SHARE: Final = 0.6

# How much of a mention a name is: of what is talked about, called out, or seen on a picture.
_TALKED_ABOUT: Final = 1.0
_CALLED_OUT: Final = 0.3
_PICTURED: Final = 0.5


class _Word(NamedTuple):
    """A capitalised word: ``base`` without what is contracted to it, written small."""

    start: int
    end: int
    surface: str
    base: str
    initial: bool
    cut: bool


def names(text: str, people: Collection[str] = (), pictured: int | None = None, most: int = 1_000) -> list[Naming]:
    """The first ``most`` proper names of a text, in its order.

    ``people`` are names, written small, that are known to be people's. From character ``pictured`` on the text is a
    picture's caption.
    """
    found = titles(text)
    taken = [(naming.start, naming.end) for naming in found]
    doubtful: list[list[_Word]] = []
    for run in _runs(text, taken):
        naming = _judge(text, run, people)
        if naming is None:
            doubtful.append(run)
        else:
            found.append(naming)
        if len(found) - len(taken) >= most:
            break
    _believe(found, doubtful)
    found = sorted(found, key=lambda naming: naming.start)[:most]
    if pictured is not None and pictured < len(text):
        found = [
            Naming(one.surface, one.type, one.start, one.end, min(one.salience, _PICTURED))
            if one.start >= pictured
            else one
            for one in found
        ]
    return found


def _believe(found: list[Naming], doubtful: list[list[_Word]]) -> None:
    """Take a doubtful word for the name that it is elsewhere in the text."""
    known: dict[str, EntityType] = {naming.surface: naming.type for naming in found}
    found += [
        Naming(word.surface, kind, word.start, word.end, _TALKED_ABOUT)
        for word in (run[0] for run in doubtful if len(run) == 1)
        if (kind := known.get(word.surface)) is not None
    ]


# Capitalised words.


def _runs(text: str, taken: list[tuple[int, int]]) -> Iterator[list[_Word]]:
    """Capitalised words that stand together, joined by "of" and the like, outside of what is taken."""
    run: list[_Word] = []
    place = 0
    taken = sorted(taken)
    for match in _CAPITAL.finditer(text):
        while place < len(taken) and taken[place][1] <= match.start():
            place += 1
        if place < len(taken) and taken[place][0] <= match.start():
            continue
        word = _word(text, match)
        if run and not _joins(text, run[-1], word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _word(text: str, match: re.Match[str]) -> _Word:
    surface = match[0].rstrip(".-&:'’")
    contracted = _CONTRACTED.search(surface) if "'" in surface or "’" in surface else None
    # The apostrophe of "McDonald's" and "Levi's" belongs to the name.
    own = contracted is not None and surface.lower().replace("’", "'") in known_names()
    end = match.start() + (len(surface) if contracted is None or own else contracted.start())
    plain = text[match.start() : end]
    return _Word(
        match.start(),
        end,
        plain,
        plain.lower().replace("’", "'"),
        _is_initial(text, match.start()),
        contracted is not None,
    )


def _is_initial(text: str, start: int) -> bool:
    """Whether a word begins a sentence, a line or a quotation."""
    place = start - 1
    while place >= 0 and text[place] in _SKIP:
        place -= 1
    return place < 0 or text[place] in _ENDS or not (text[place].isalnum() or text[place] in ",&/%$+'’")


def _joins(text: str, last: _Word, word: _Word) -> bool:
    gap = text[last.end : word.start]
    if last.cut:
        return last.base + "'s " + word.base in known_names() or (
            gap in ("'s ", "’s ") and word.base in ("day", "eve") and not is_common(last.base)
        )
    if gap == ". ":
        return last.base in _SHORTENED or _INITIALS.fullmatch(last.surface) is not None
    if gap == " " and (last.base, word.base) in known_pairs():
        return True
    if not _JOINED.fullmatch(gap) or last.base in STOP_WORDS:
        return gap == " " and not last.initial and last.surface != "I"
    if gap in (" and ", " in ", " & "):
        # "Luna and Oliver" are two, "Barnes & Noble" is one.
        return gap == " & "
    return word.base not in STOP_WORDS or word.base in given_names()


def _judge(text: str, run: list[_Word], people: Collection[str]) -> Naming | None:
    """The name that a run of words holds, or None."""
    if len(run) == 1 and run[0].base in _never_names() and run[0].base not in people:
        return None
    run = _trimmed(text, run, people)
    if not run:
        return None
    start, end = run[0].start, run[-1].end
    before, after = text[max(0, start - BEFORE) : start], text[end : end + AFTER]
    kind, salience = (
        _one_word(text, run[0], before, after, people) if len(run) == 1 else _several(text, run, before, after, people)
    )
    return None if kind is None else Naming(text[start:end], kind, start, end, salience)


@lru_cache(maxsize=1)
def _never_names() -> frozenset[str]:
    """Words that have a capital only where a sentence begins: most capitals are theirs."""
    return frozenset(word for word in STOP_WORDS | _LEADING if word not in given_names() and word not in known_names())


def _trimmed(text: str, run: list[_Word], people: Collection[str]) -> list[_Word]:
    """A run without the words around the name that only have a capital because they begin or are shouted."""
    whole = text[run[0].start : run[-1].end].lower()
    if whole in known_names():
        return run
    for place, word in enumerate(run):
        if word.base in people and all(other.initial or is_common(other.base) for other in run[:place]):
            stop = place + 1
            while stop < len(run) and run[stop].base not in STOP_WORDS and not is_common(run[stop].base):
                stop += 1
            return run[place:stop]
    first, last = 0, len(run)
    while first < last and _only_leads(run[first], alone=last - first == 1):
        first += 1
    while last > first and (run[last - 1].base in STOP_WORDS and last - first > 1):
        last -= 1
    return run[first:last]


def _only_leads(word: _Word, *, alone: bool) -> bool:
    if word.base in given_names() and not alone and word.base not in ("may", "will"):
        return False
    if word.base in DAYS_AND_MONTHS and not alone:
        return True
    if word.base in STOP_WORDS or word.base in _LEADING:
        return not alone or word.base not in given_names()
    return word.initial and not alone and is_common(word.base)


def _one_word(
    text: str, word: _Word, before: str, after: str, people: Collection[str]
) -> tuple[EntityType | None, float]:
    base = word.base
    if base in people:
        return "person", _weight(word, before, after)
    if _INITIALS.fullmatch(word.surface) or base == "i":
        return None, 0
    if not _shouted(text, word) and truly_named(before) and word.base not in PEOPLES:
        return named(before), _TALKED_ABOUT
    if base in DAYS_AND_MONTHS and not (base in given_names() and apposed(before, after)):
        return None, 0
    if base.split("-")[0] in PEOPLES:
        alone = base in LANGUAGES and not word.initial and not re.match(r"[ -][a-z]", _unless_joined(after))
        return ("other", _TALKED_ABOUT) if alone else (None, 0)
    common = _is_common(word)
    known = _known_word(word, before, after, common=common, heading=_heading(text, word.start))
    if known is not None:
        return known, _weight(word, before, after) if known == "person" else _TALKED_ABOUT
    if common or (word.surface.isupper() and (_shouted(text, word) or len(base) > _LONGEST_ACRONYM)):
        return None, 0
    return _unknown_word(text, word, before, after)


def _is_common(word: _Word) -> bool:
    if is_common(word.base) or (word.initial and word.base.endswith("ly") and word.base not in given_names()):
        return True
    return "-" in word.base and not _CAPITAL_INSIDE.search(word.surface) and all(map(is_common, word.base.split("-")))


def _unless_joined(after: str) -> str:
    """What follows, or nothing when it is a word that goes on with the sentence and not one that is described."""
    following = re.match(r" (\w+)", after)
    return "" if following and following[1].lower() in STOP_WORDS else after


def _known_word(word: _Word, before: str, after: str, *, common: bool, heading: bool) -> EntityType | None:
    """The type of a word that is on a list, where a capital is more than the start of a sentence."""
    base = word.base
    if common and (word.initial or heading):
        return None
    kind = known_names().get(base)
    if base in given_names() and (kind is None or apposed(before, after)):
        return "person"
    return kind


def _weight(word: _Word, before: str, after: str) -> float:
    """How much of a mention a person's name is."""
    called = addressed(before, after, initial=word.initial) and not apposed(before, after)
    return _CALLED_OUT if called else _TALKED_ABOUT


def _unknown_word(text: str, word: _Word, before: str, after: str) -> tuple[EntityType | None, float]:
    if _heading(text, word.start):
        return None, 0
    if apposed(before, after):
        return "person", _TALKED_ABOUT
    if word.initial and not _CAPITAL_INSIDE.search(word.surface):
        return None, 0
    # A word for a person beside it was looked for above.
    if addressed(before, after, initial=word.initial):
        return "person", _CALLED_OUT
    if (kind := named(before)) is not None:
        return kind, _TALKED_ABOUT
    return guess(before, after) or ("organization" if word.surface.isupper() else "other"), _TALKED_ABOUT


def _several(
    text: str, run: list[_Word], before: str, after: str, people: Collection[str]
) -> tuple[EntityType | None, float]:
    whole = text[run[0].start : run[-1].end].lower().replace("’", "'")
    kind = known_names().get(whole)
    if kind is not None:
        return kind, _TALKED_ABOUT
    common = [_is_common(word) for word in run]
    if len(run) > _LONGEST_NAME or (run[0].initial and _LABEL.match(after) and 2 * sum(common) >= len(run)):
        return None, 0
    if all(word.surface.isupper() for word in run) or (
        all(common) and (run[0].initial or _heading(text, run[0].start))
    ):
        return None, 0
    if run[0].base in people:
        return "person", _TALKED_ABOUT
    if run[0].base in _TITLES:
        return "person", _TALKED_ABOUT
    by_last = last_word(run[-1].base)
    if by_last is not None:
        return by_last, _TALKED_ABOUT
    if truly_named(before):
        return named(before), _TALKED_ABOUT
    if run[0].base in known_names() and run[0].base not in given_names():
        return ("product" if known_names()[run[0].base] == "organization" else "other"), _TALKED_ABOUT
    if (run[0].base in given_names() and not (common[0] and common[-1])) or apposed(before, after):
        return "person", _TALKED_ABOUT
    return guess(before, after) or "other", _TALKED_ABOUT


def _heading(text: str, place: int) -> bool:
    """Whether most words of the line have a capital, as in a heading."""
    first, last = text.rfind("\n", 0, place) + 1, text.find("\n", place)
    if first == 0 and last == -1:
        return False
    last = len(text) if last < 0 else last
    return last - first <= _LONGEST_HEADING and _is_heading(text[first:last])


@lru_cache(maxsize=4096)
def _is_heading(line: str) -> bool:
    words = _LINE_WORD.findall(line)
    return len(words) >= _HEADING_WORDS and sum(word[0].isupper() for word in words) >= _HEADING_SHARE * len(words)


def _shouted(text: str, word: _Word) -> bool:
    """Whether a word in capitals stands beside another one."""
    if not word.surface.isupper():
        return False
    near = text[max(0, word.start - 12) : word.start].split()[-1:] + text[word.end : word.end + 12].split()[:1]
    return any(len(other) > 1 and other.isupper() and other.isalpha() for other in near)
