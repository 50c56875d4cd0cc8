"""Write the treebank as spaCy's training files: its text, copies that look like talk, and questions made of it."""

import argparse
import random
from pathlib import Path

import spacy
from questions import named, question
from spacy.tokens import DocBin
from treebank import Sentence, document, paragraphs, sentences, talk

NAMES = Path(__file__).parents[3] / "src/hmem/language/english/data/given_names.txt"


def given_names(path: Path) -> list[str]:
    """Return the names of a file of lines of names, with comments."""
    lines = path.read_text("utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


def asked(whole: list[Sentence], names: list[str], dice: random.Random) -> list[Sentence]:
    """Return questions made of statements, and statements with names; a quarter of them looks like talk."""
    made = [one for each in whole if (one := question(each, names, dice))]
    made += [one for each in whole if (one := named(each, names, dice))]
    return [talk(one, dice) if dice.random() < 0.25 else one for one in made]


def main() -> None:
    """Convert the three parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank", type=Path, help="folder of ewt-{train,dev,test}.conllu.gz")
    parser.add_argument("out", type=Path)
    parser.add_argument("--talk", type=float, default=0.6, help="share of sentences that are copied as talk")
    parser.add_argument("--questions", action="store_true", help="add questions made of statements, with names")
    parser.add_argument("--names", type=Path, default=NAMES, help="given names that questions ask about")
    parser.add_argument("--seed", type=int, default=13)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    vocab = spacy.blank("en").vocab
    dice = random.Random(arguments.seed)
    for part in ("train", "dev"):
        whole = sentences(arguments.treebank / f"ewt-{part}.conllu.gz")
        docs = [document(vocab, run) for run in paragraphs(whole)]
        if part == "train":
            copies = [
                [talk(one, dice) for one in run]
                for run in paragraphs(whole, longest=5)
                if dice.random() < arguments.talk
            ]
            docs += [document(vocab, run) for run in copies]
            singles = [[talk(one, dice)] for one in whole if dice.random() < arguments.talk / 3]
            docs += [document(vocab, run) for run in singles]
            if arguments.questions:
                docs += [document(vocab, [one]) for one in asked(whole, given_names(arguments.names), dice)]
        DocBin(attrs=["ORTH", "SPACY", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"], docs=docs).to_disk(
            arguments.out / f"{part}.spacy"
        )
        print(part, len(docs), "documents", sum(map(len, docs)), "words")


if __name__ == "__main__":
    main()
