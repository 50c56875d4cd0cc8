"""Write the treebank as spaCy's training files: the text as it is, and copies of it that look like talk."""

import argparse
import random
from pathlib import Path

import spacy
from spacy.tokens import DocBin
from treebank import document, paragraphs, sentences, talk


def main() -> None:
    """Convert the three parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("treebank", type=Path, help="folder of ewt-{train,dev,test}.conllu.gz")
    parser.add_argument("out", type=Path)
    parser.add_argument("--talk", type=float, default=0.6, help="share of sentences that are copied as talk")
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
        DocBin(attrs=["ORTH", "SPACY", "POS", "MORPH", "LEMMA", "HEAD", "DEP", "SENT_START"], docs=docs).to_disk(
            arguments.out / f"{part}.spacy"
        )
        print(part, len(docs), "documents", sum(map(len, docs)), "words")


if __name__ == "__main__":
    main()
