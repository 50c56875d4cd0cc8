"""Words that can be the topic of a text."""

from functools import lru_cache

from hmem.language.english.curation import FORMULA
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import lines_of, vague_stems
from hmem.language.english.wording import stem


@lru_cache(maxsize=1)
def subject_stems() -> frozenset[str]:
    """Return the stems of words that are a topic alone: the strong words of the domains."""
    plain = (line.partition(":")[2].partition("|")[0] for line in lines_of("domains.txt"))
    return frozenset(stem(word.removeprefix("=")) for words in plain for word in words.split())


@lru_cache(maxsize=50_000)
def is_content(word: str) -> bool:
    """Tell if a word, as returned by ``wording.bare``, can be a topic."""
    if len(word) < 2 or word in STOP_WORDS or word[0].isdigit():
        return False
    root = stem(word)
    return root not in vague_stems() and (root not in FORMULA or root in subject_stems())
