"""Make the pipeline that ships of a trained one: its tokenizer divides words as the treebank does.

The treebank keeps runs of one mark ("!!!", "====="), numbers with hyphens ("713-853-3989") and words behind a prefix
("e-mail", "non-fiction") whole, which spaCy's rules take apart.
"""

import argparse
import re
from pathlib import Path

import spacy
from spacy.util import compile_prefix_regex, compile_suffix_regex

WHOLE = re.compile(
    r"^(?:[!?]{2,}|={2,}|_{2,}|\*{2,}|~{2,}|#{2,}|<{2,}|>{2,}|\+{2,}|\.{2,}|-{2,}"
    r"|\(?\+?x?\d[\d().]*(?:-\d+)+"
    r"|(?:e|pre|non|post|ex|pro|multi|anti|co|re|semi|mid|un|sub|inter|ultra|mini)-[a-z]+)$",
    re.IGNORECASE,
)


def main() -> None:
    """Write the pipeline."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("trained", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    pipeline = spacy.load(arguments.trained)
    divide(pipeline)
    pipeline.meta.update(name="english", version="0.1.0", spacy_version=">=3.8,<3.9", license="CC-BY-SA-4.0")
    pipeline.to_disk(arguments.out)


def divide(pipeline: spacy.Language) -> None:
    """Let the tokenizer of a pipeline divide words as the treebank does."""
    runs = [r"[!?]{2,}", r"={2,}", r"_{2,}", r"\*{2,}", r"<{2,}", r">{2,}", r"\+{2,}", r"~{2,}", r"#{2,}"]
    tokenizer = pipeline.tokenizer
    tokenizer.token_match = WHOLE.match
    tokenizer.prefix_search = compile_prefix_regex([*runs, *pipeline.Defaults.prefixes]).search
    tokenizer.suffix_search = compile_suffix_regex([*runs, *pipeline.Defaults.suffixes]).search


if __name__ == "__main__":
    main()
