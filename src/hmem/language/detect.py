"""Language of a text, by the library py3langid.

Most English is known by its function words, so that the detector, which takes most of a second to load, is asked in
doubt only. A short text says little about its language, and is in that of its conversation. A longer one is in another
language only where the detector is sure of it: English taken for another language loses what it tells.
"""

import lzma
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib import import_module
from io import BytesIO
from math import log
from typing import Any, Final, cast

import numpy as np

from hmem.language.regex import regex

DEFAULT: Final = "en"

# Fewest characters of a text that is judged by itself, and the number that is read of a long one.
SHORT: Final = 20
READ: Final = 300

# How much likelier another language than the conversation's must be, as the logarithm of the ratio. Chosen on the open
# half of the messages of `benchmarks/detection.py`: English lies below 1.9 there, other languages above 3.4.
MARGIN: Final = 2.6

# Nigerian Pidgin, which the detector does not tell from English as people type it.
_PIDGIN: Final = "pcm"

# Fewest letters without the names of a text that still tell its language.
_FEW: Final = 8

# py3langid's label of a text without language, and the least likelihood that is told from none.
_NO_LANGUAGE: Final = "zxx"
_LEAST: Final = 1e-30

_NOISE: Final = regex(r"https?://\S+|www\.\S+|[@#]\w+|[\W\d_]+")
_WORD: Final = regex(r"[a-z]+(?:['\u2019][a-z]+)?")
# Letters of the scripts in which no English is written: all but Latin ones.
_FOREIGN: Final = regex(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff\u2100-\u214f]")

_LETTER: Final = regex(r"[^\W\d_]")

# Frequent English words that other languages in Latin letters hardly use.
_ENGLISH_WORDS: Final = """
    the and with my your you this that's it's i'm i've i'll i'd we're they're you're have been just about would
    should could because when what from our their there which who how going want think know really got getting don't
    didn't can't isn't doesn't were they she let's us please thanks where why not had has did does made new some any
    something anything everything more much very only out back today tomorrow yesterday again always never it are if
    but can like get one she she's he's great good love nice work week year people time day happy sounds take make
    need looking feel thing things way being into after before while through
"""
_ENGLISH: Final = frozenset(_ENGLISH_WORDS.split())

# Fewest different words of those in a text that is plainly English, and their least share of its words.
_ENOUGH: Final = 2
_SHARE: Final = 0.2

Ranked = tuple[tuple[str, float], ...]


def language(text: str, earlier: Sequence[str] = ()) -> str:
    """Return the ISO 639-1 code of a text's language, or a longer code of py3langid for a language without one.

    ``earlier`` are the turns before it, oldest first. Their language is that of a text too short to be judged, and the
    likelier one of any other.
    """
    if is_plain_english(text):
        return DEFAULT
    said = _letters(text[:READ])
    short = _is_short(said)
    if not short and (_likeliest(said) == DEFAULT or _is_english_without_names(said)):
        return DEFAULT
    before = " ".join(_letters(each[:READ]) for each in earlier)
    conversation = DEFAULT if is_plain_english(before) else _judged(f"{before} {said}".strip(), DEFAULT)
    return conversation if short else _judged(said, conversation)


def in_foreign_script(text: str) -> bool:
    """Tell if most letters of a text are of a script in which no English is written."""
    found = len(_FOREIGN.findall(text))
    return found > 1 and 2 * found > len(_LETTER.findall(text))


def is_plain_english(text: str) -> bool:
    """Tell if the function words of a text's beginning show without doubt that it is English."""
    said = _letters(text[:READ])
    words = [word.replace("\u2019", "'") for word in _WORD.findall(said.lower())]
    found = [word for word in words if word in _ENGLISH]
    return len(set(found)) >= _ENOUGH and len(found) >= _SHARE * len(words) and _FOREIGN.search(said) is None


@lru_cache(maxsize=1_024)
def _letters(text: str) -> str:
    """Return the words of a text: without addresses, names of accounts, figures and marks."""
    kept = _NOISE.sub(lambda found: found[0] if found[0] in ("'", "\u2019") else " ", text)
    return " ".join(kept.split())


def _is_short(said: str) -> bool:
    return len(said) < SHORT and not in_foreign_script(said)


def _judged(said: str, conversation: str) -> str:
    """Return the likeliest language, if it is likely enough that it is not the conversation's."""
    if _is_short(said):
        return conversation
    ranked = dict(_ranked(said))
    best = _likeliest(said)
    known = max(ranked.get(conversation, 0.0), _LEAST)
    return conversation if log(max(ranked.values()) / known) < MARGIN else best


def _is_english_without_names(said: str) -> bool:
    """Tell if the words without a capital are likeliest English: names are foreign in any language."""
    rest = " ".join(word for word in said.split() if not word[0].isupper())
    return len(rest) >= _FEW and rest != said and _likeliest(rest) == DEFAULT


def _likeliest(said: str) -> str:
    likeliest = _ranked(said)[0][0]
    return DEFAULT if likeliest == _PIDGIN else likeliest


@lru_cache(maxsize=1_024)
def _ranked(said: str) -> Ranked:
    """Return the languages of a text with their likelihoods, likeliest first."""
    return tuple((code, share) for code, share in _detector()(said) if code != _NO_LANGUAGE)


@cache
def _detector() -> Callable[[str], Ranked]:
    library: Any = import_module("py3langid.langid")
    try:
        identifier = library.LanguageIdentifier.from_model_file(library.MODEL_FILE, norm_probs=True)
    except OSError:
        # It unpacks the model into a temporary file, for which there may be no room.
        identifier = _unpacked_in_memory(library)
    return cast("Callable[[str], Ranked]", identifier.rank)


def _unpacked_in_memory(library: Any) -> Any:
    with lzma.open(library.MODEL_DIR / library.MODEL_FILE) as packed:
        model: Any = np.load(BytesIO(packed.read()), allow_pickle=False)
    return library.LanguageIdentifier(
        model["ptc"],
        model["pc"],
        model["classes"].tolist(),
        model["nextmove"].tolist(),
        model["out_feat"].tolist(),
        norm_probs=True,
        tk_row=model["nextmove_row"].tolist(),
    )
