"""What stands before a text when a model embeds it: some were trained on questions and passages that begin differently.

The library of such a model rarely puts it there by itself, so it is looked up by the model's name here. A model whose
card asks for nothing has nothing. The words are those of the models' cards.
"""

import re
from typing import Final, Literal, NamedTuple

# What a text is embedded as: to be looked for with, or to be found.
Role = Literal["query", "passage"]


class Prefixes(NamedTuple):
    """What stands before a question, and before what is to be found."""

    query: str = ""
    passage: str = ""


NONE: Final = Prefixes()

_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"
_REPRESENT: Final = "Represent this sentence for searching relevant passages: "

# The first whose pattern is in the last part of a model's name, in lower case, applies.
_KNOWN: Final = tuple(
    (re.compile(pattern), prefixes)
    for pattern, prefixes in (
        (r"\be5\b.*instruct", Prefixes(f"Instruct: {_TASK}\nQuery: ")),
        (r"\be5\b", Prefixes("query: ", "passage: ")),
        (r"\bbge-(?:small|base|large)-en\b", Prefixes(_REPRESENT)),
        (r"\bnomic-embed-text\b|\bmodernbert-embed\b", Prefixes("search_query: ", "search_document: ")),
        (r"\bmxbai-embed-(?:large|xsmall)\b", Prefixes(_REPRESENT)),
        (r"\bsnowflake-arctic-embed.*(?:v2|2)\b", Prefixes("query: ")),
        (r"\bsnowflake-arctic-embed\b", Prefixes(_REPRESENT)),
        (r"\bqwen3-embedding\b", Prefixes(f"Instruct: {_TASK}\nQuery:")),
        (r"\bembeddinggemma\b", Prefixes("task: search result | query: ", "title: none | text: ")),
    )
)


def prefixes_of(model: str) -> Prefixes:
    """What a model's card asks for, by the model's name: ``intfloat/e5-small-v2``, ``nomic-embed-text:latest``."""
    name = model.replace("\\", "/").rstrip("/").rpartition("/")[2].lower().replace("_", "-")
    return next((prefixes for pattern, prefixes in _KNOWN if pattern.search(name)), NONE)
