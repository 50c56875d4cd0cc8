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
_MIN_LETTERS: Final = 8

# py3langid's label of a text without language, and the least likelihood that is told from none.
_NO_LANGUAGE: Final = "zxx"
_MIN_LIKELIHOOD: Final = 1e-30

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

LanguageScores = tuple[tuple[str, float], ...]


def language(text: str, earlier: Sequence[str] = ()) -> str:
    """Return the ISO 639-1 code of a text's language, or a longer code of py3langid for a language without one.

    ``earlier`` are the turns before it, oldest first. Their language is that of a text too short to be judged, and the
    likelier one of any other.
    """
    if is_plain_english(text):
        return DEFAULT
    letters = _letters(text[:READ])
    short = _is_short(letters)
    if not short and (_likeliest(letters) == DEFAULT or _is_english_without_names(letters)):
        return DEFAULT
    before = " ".join(_letters(turn[:READ]) for turn in earlier)
    conversation = DEFAULT if is_plain_english(before) else _decide_language(f"{before} {letters}".strip(), DEFAULT)
    return conversation if short else _decide_language(letters, conversation)


def in_foreign_script(text: str) -> bool:
    """Tell if most letters of a text are of a script in which no English is written."""
    foreign_count = len(_FOREIGN.findall(text))
    return foreign_count > 1 and 2 * foreign_count > len(_LETTER.findall(text))


def is_plain_english(text: str) -> bool:
    """Tell if the function words of a text's beginning show without doubt that it is English."""
    letters = _letters(text[:READ])
    words = [word.replace("\u2019", "'") for word in _WORD.findall(letters.lower())]
    english_words = [word for word in words if word in _ENGLISH]
    return (
        len(set(english_words)) >= _ENOUGH
        and len(english_words) >= _SHARE * len(words)
        and _FOREIGN.search(letters) is None
    )


@lru_cache(maxsize=1_024)
def _letters(text: str) -> str:
    """Return the words of a text: without addresses, names of accounts, figures and marks."""
    cleaned = _NOISE.sub(lambda match: match[0] if match[0] in ("'", "\u2019") else " ", text)
    return " ".join(cleaned.split())


def _is_short(letters: str) -> bool:
    return len(letters) < SHORT and not in_foreign_script(letters)


def _decide_language(letters: str, conversation: str) -> str:
    """Return the likeliest language, if it is likely enough that it is not the conversation's."""
    if _is_short(letters):
        return conversation
    scores = dict(_score_languages(letters))
    best = _likeliest(letters)
    conversation_score = max(scores.get(conversation, 0.0), _MIN_LIKELIHOOD)
    return conversation if log(max(scores.values()) / conversation_score) < MARGIN else best


def _is_english_without_names(letters: str) -> bool:
    """Tell if the words without a capital are likeliest English: names are foreign in any language."""
    lowercase_words = " ".join(word for word in letters.split() if not word[0].isupper())
    return (
        len(lowercase_words) >= _MIN_LETTERS and lowercase_words != letters and _likeliest(lowercase_words) == DEFAULT
    )


def _likeliest(letters: str) -> str:
    likeliest = _score_languages(letters)[0][0]
    return DEFAULT if likeliest == _PIDGIN else likeliest


@lru_cache(maxsize=1_024)
def _score_languages(letters: str) -> LanguageScores:
    """Return the languages of a text with their likelihoods, likeliest first."""
    return tuple((code, share) for code, share in _detector()(letters) if code != _NO_LANGUAGE)


@cache
def _detector() -> Callable[[str], LanguageScores]:
    library: Any = import_module("py3langid.langid")
    try:
        identifier = library.LanguageIdentifier.from_model_file(library.MODEL_FILE, norm_probs=True)
    except OSError:
        # It unpacks the model into a temporary file, for which there may be no room.
        identifier = _unpacked_in_memory(library)
    return cast("Callable[[str], LanguageScores]", identifier.rank)


def _unpacked_in_memory(library: Any) -> Any:
    with lzma.open(library.MODEL_DIR / library.MODEL_FILE) as archive:
        model: Any = np.load(BytesIO(archive.read()), allow_pickle=False)
    return library.LanguageIdentifier(
        model["ptc"],
        model["pc"],
        model["classes"].tolist(),
        model["nextmove"].tolist(),
        model["out_feat"].tolist(),
        norm_probs=True,
        tk_row=model["nextmove_row"].tolist(),
    )
