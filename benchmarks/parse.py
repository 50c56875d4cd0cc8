"""Clauses of talk read right by the parser: `python benchmarks/parse.py [--held-back] [--failures] [--json OUT]`.

The labels are benchmarks/data/clauses.json: a clause by its text, its verb as it is written, the head word of its
subject (empty if dropped), and the head word of its object; without an object, that of its complement, its predicate
noun or its place (empty without any). A clause that shares the subject of another has that subject.
"""

import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import arguments, keep, labels

from hmem.language.english.parser import parse

BE: Final = frozenset(["be", "am", "is", "are", "was", "were", "been"])
SUBJECTS: Final = ("nsubj", "csubj")
OBJECTS: Final = (("obj",), ("iobj",), ("xcomp", "ccomp"), ("obl", "advmod", "nmod"))
_TIMES: Final = ("obl:tmod", "obl:npmod", "obl:unmarked")
_CONTRACTED: Final = re.compile(
    r"(i)(?:['’]?(?:m|ve|ll|d))?|(s?he|it|what|how|who|they|we|you)(?:['’]?(?:s|re|ve|ll|d))?|(.+?)(?:n?['’]\w*)"
)


Tokens = Sequence[Any]


def plain(token: Any) -> str:
    """Return a token in lower case, without what a contraction added."""
    word = token.text.lower()
    found = _CONTRACTED.fullmatch(word)
    return next(filter(None, found.groups())) if found else word


def alternatives(label: str | list[str]) -> list[str]:
    return [each.lower() for each in ([label] if isinstance(label, str) else label)]


def children(tokens: Tokens, place: int, relations: Collection[str]) -> list[int]:
    """Return the places of a token's dependents by some relations, subtypes included."""
    return [
        other
        for other, token in enumerate(tokens)
        if token.head == place and other != place and token.relation.split(":")[0] in relations
    ]


def subjects(tokens: Tokens, place: int) -> list[str]:
    """Return the possible subjects of a predicate: its own, or those of the clause that it depends on."""
    own = children(tokens, place, SUBJECTS) or children(tokens, place, ("expl",))
    if own:
        return [plain(tokens[each]) for each in own]
    token = tokens[place]
    if token.relation.split(":")[0] not in ("conj", "xcomp") or token.head == place:
        return []
    objects = children(tokens, token.head, ("obj", "iobj")) if token.relation.startswith("xcomp") else []
    return [*subjects(tokens, token.head), *(plain(tokens[each]) for each in objects)]


def objects(tokens: Tokens, place: int) -> tuple[list[str], bool]:
    """Return the possible objects of a verb, and whether they may be left out, as a place may."""
    for relations in OBJECTS:
        found = [each for each in children(tokens, place, relations) if tokens[each].relation not in _TIMES]
        if found:
            return [plain(tokens[each]) for each in found], "obl" in relations
    return [], True


def right(tokens: Tokens, clause: Mapping[str, Any]) -> tuple[bool, bool]:
    """Whether the subject and the object of a labelled clause are right, by the best token that its verb may be."""
    verbs, wanted = alternatives(clause["verb"]), alternatives(clause["object"])
    readings = [_verb(tokens, clause, place) for place, token in enumerate(tokens) if _is(token, verbs)]
    if BE.intersection(verbs) and wanted != [""]:
        readings += [_predicate(tokens, clause, place) for place, token in enumerate(tokens) if plain(token) in wanted]
    return max(readings, key=sum, default=(False, False))


def _is(token: Any, verbs: Collection[str]) -> bool:
    return bool({token.text.lower(), plain(token)} & set(verbs)) or ("be" in verbs and token.lemma == "be")


def _subject(tokens: Tokens, clause: Mapping[str, Any], place: int) -> bool:
    wanted, found = alternatives(clause["subject"]), subjects(tokens, place)
    return bool(set(wanted) & set(found)) or (not found and "" in wanted)


def _verb(tokens: Tokens, clause: Mapping[str, Any], place: int) -> tuple[bool, bool]:
    wanted = alternatives(clause["object"])
    found, optional = objects(tokens, place)
    return _subject(tokens, clause, place), bool(set(wanted) & set(found)) or (optional and "" in wanted)


def _predicate(tokens: Tokens, clause: Mapping[str, Any], place: int) -> tuple[bool, bool]:
    """Read a word as predicate of "be": it must have a subject or a copula, or head the sentence."""
    heads = tokens[place].head == place or children(tokens, place, (*SUBJECTS, "cop"))
    return _subject(tokens, clause, place) and bool(heads), bool(heads)


def shares(rows: Iterable[tuple[bool, bool]]) -> dict[str, float]:
    """Return the shares of clauses with their subject right, their object right, and both."""
    every = list(rows)
    return {
        "clauses": len(every),
        "both": sum(all(row) for row in every) / len(every),
        "subject": sum(subject for subject, _ in every) / len(every),
        "object": sum(found for _, found in every) / len(every),
    }


def show(report: Mapping[str, Mapping[str, float]]) -> None:
    table = Table("clauses", "number", "subject and object", "subject", "object")
    for name, row in report.items():
        table.add_row(name, f"{row['clauses']}", *(f"{row[each]:.3f}" for each in ("both", "subject", "object")))
    Console(width=100).print(table)


def main() -> None:
    options = arguments(__doc__).parse_args()
    clauses = labels("clauses", options)
    judged: list[tuple[str, tuple[bool, bool]]] = []
    for clause, read in zip(clauses, parse([each["text"] for each in clauses]), strict=True):
        verdicts = [right(sentence.tokens, clause) for sentence in read.sentences]
        verdict = max(verdicts, key=sum, default=(False, False))
        judged.append((clause["style"], verdict))
        if options.failures and not options.held_back and not all(verdict):
            print(f"{clause['text']}\n    {clause['verb']}: {clause['subject']!r}, {clause['object']!r}; got {verdict}")
            for sentence in read.sentences:
                words = (f"{each.text}←{each.relation}←{sentence.tokens[each.head].text}" for each in sentence.tokens)
                print("    " + " ".join(words))
    report = {"all": shares(verdict for _, verdict in judged)}
    for style in dict.fromkeys(style for style, _ in judged):
        report[style] = shares(verdict for each, verdict in judged if each == style)
    show(report)
    keep(report, options)


if __name__ == "__main__":
    main()
