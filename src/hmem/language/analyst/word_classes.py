"""Classes of words by which the phrases of a statement are found: what a tagger would tell, as numbers."""

from typing import Final

NAMES: Final = [
    "edge",
    "mark",
    "article",
    "possessive",
    "pronoun",
    "speaker",
    "preposition",
    "to",
    "conjunction",
    "because",
    "clause",
    "be",
    "auxiliary",
    "not",
    "number",
    "ing",
    "past",
    "adverb",
    "person",
    "place",
    "name",
    "date",
    "praise",
    "word",
    "other",
    "lets",
    "verb",
    "quality",
]
(
    EDGE, MARK, ARTICLE, POSSESSIVE, PRONOUN, SPEAKER, PREPOSITION, TO, CONJUNCTION, BECAUSE, CLAUSE, BE, AUXILIARY,
    NOT, NUMBER, ING, PAST, ADVERB, PERSON, PLACE, NAME, DATE, PRAISE, WORD, OTHER, LETS, VERB, QUALITY,
) = range(len(NAMES))  # fmt: skip
