"""Recorded readings of contexts: a reader answers from a context alone, a judge compares, both blind to the recipe.

``python -m hmem_evals.talks.reading contexts OUT.jsonl --recipes flat,fusion`` writes what readers get, ``sheet
ANSWERS.jsonl OUT.jsonl`` what judges get, ``judged ANSWERS.jsonl VERDICTS.jsonl`` prints the figures. No model
is called.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click
import numpy as np

from hmem.api.memory import Memory
from hmem.errors import InvalidFile
from hmem.util.amounts import amount
from hmem_evals.metrics import interval
from hmem_evals.run import BUDGET
from hmem_evals.talks import DATA, IMPLICIT, KINDS, NEVER_SAID, JudgedQuestion, load, questions
from hmem_evals.talks.drawing import SEED, drawn_ids

READINGS: Final = DATA / "readings"
RECORDINGS: Final = DATA / "recordings"
VERDICTS: Final = ("right", "partly", "wrong", "declined")
RECIPES: Final = ("flat", "fusion")

Record = Mapping[str, Any]


def digest(question: str, recipe: str) -> str:
    """Return the id of a context, which hides the recipe that made it."""
    return blake2b(f"{SEED}:{question}:{recipe}".encode(), digest_size=6).hexdigest()


def contexts(recipes: Sequence[str], *, tokens: int = BUDGET) -> Iterator[dict[str, Any]]:
    """Yield the context of each drawn question and recipe; sorted by ``id``, they are shuffled.

    ``fusion+model`` is the recipe ``fusion`` over what a recorded model formed.
    """
    selected = drawn_ids()
    for conversation in load():
        drawn_questions = [question for question in questions(conversation) if question.id in selected]
        for recipe in recipes:
            name, _, has_model = recipe.partition("+")
            analyst = f"recorded:{RECORDINGS / conversation.id}" if has_model else "verbatim"
            with (
                TemporaryDirectory(prefix="hmem-reading-") as folder,
                Memory(
                    f"{folder}/memory.hmem", recipe=name, analyst=analyst, settings={"retrieval.record": "false"}
                ) as memory,
            ):
                memory.add(conversation.messages)
                memory.flush()
                while has_model and memory.model.run_jobs().calls:
                    pass
                for question in drawn_questions:
                    context = memory.context(question.text, tokens, at=question.at).text
                    yield {"id": digest(question.id, recipe), **_question_fields(question), "context": context}


def _question_fields(question: JudgedQuestion) -> dict[str, str]:
    """Return what a reader may know of a question: an implicit cue is told by its speaker."""
    speaker_fields = {"speaker": question.speaker} if question.category == IMPLICIT else {}
    return {**speaker_fields, "asked": question.text, "at": "" if question.at is None else question.at.isoformat()}


def sheet(answers: Mapping[str, Record], recipes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield each answer beside the reference and the note of what is right, without kind or recipe."""
    for (question, _), record in _context_ids(recipes).items():
        if record in answers:
            yield {
                "id": record,
                **_question_fields(question),
                "reference": question.answer or "(never said)",
                "right": question.right,
                "answer": answers[record]["answer"],
            }


def verdicts_by_recipe(verdicts: Mapping[str, Record], recipes: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the verdict on each question by recipe and question id.

    Raises:
        InvalidFile: a context has no verdict, or one that there is not.
    """
    by_recipe: dict[str, dict[str, str]] = {recipe: {} for recipe in recipes}
    for (question, recipe), record in _context_ids(recipes).items():
        verdict = verdicts.get(record, {}).get("verdict")
        if verdict not in VERDICTS:
            raise InvalidFile(f"the verdict on {record} is {verdict!r} - give one of: {', '.join(VERDICTS)}")
        by_recipe[recipe][question.id] = verdict
    return by_recipe


def report(by_recipe: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yield the lines of the figures: by recipe and kind, and the differences of recipes in answers judged right.

    Of what was never said, only declining counts.
    """
    kinds = {question.id: question.category for conversation in load() for question in questions(conversation)}
    for recipe, verdicts in by_recipe.items():
        yield f"{recipe:20}{'questions':>10}" + "".join(f"{verdict:>10}" for verdict in VERDICTS)
        for kind in KINDS:
            yield _line(f"  {kind}", [verdict for question, verdict in verdicts.items() if kinds[question] == kind])
        answerable = [verdict for question, verdict in verdicts.items() if kinds[question] != NEVER_SAID]
        never = [verdict for question, verdict in verdicts.items() if kinds[question] == NEVER_SAID]
        yield _line("  all but adversarial", answerable)
        yield f"  right: {_share(answerable, 'right')}; rightly declined: {_share(never, 'declined')}"
    first, *other_recipes = by_recipe
    for other_recipe in other_recipes:
        for name, verdict_name, never_said in (("right", "right", False), ("rightly declined", "declined", True)):
            ids = [question for question in by_recipe[first] if (kinds[question] == NEVER_SAID) is never_said]
            pairs = [
                float(by_recipe[other_recipe][question] == verdict_name)
                - float(by_recipe[first][question] == verdict_name)
                for question in ids
            ]
            low, high = interval(pairs)
            yield (
                f"{other_recipe} - {first}, {name}: {100 * np.mean(pairs):+.1f} points "
                f"[{100 * low:+.1f}, {100 * high:+.1f}], {amount(len(pairs), 'question')}"
            )


def _line(name: str, verdicts: Sequence[str]) -> str:
    counts = Counter(verdicts)
    return f"{name:20}{len(verdicts):>10}" + "".join(f"{counts[verdict]:>10}" for verdict in VERDICTS)


def _share(verdicts: Sequence[str], verdict_name: str) -> str:
    count = sum(verdict == verdict_name for verdict in verdicts)
    return f"{count} of {len(verdicts)} ({100 * count / len(verdicts):.1f} %)"


def _context_ids(recipes: Sequence[str]) -> dict[tuple[JudgedQuestion, str], str]:
    """Return the id of each context, in the order of ids, by its question and its recipe."""
    selected = drawn_ids()
    ids = {
        (question, recipe): digest(question.id, recipe)
        for conversation in load()
        for question in questions(conversation)
        if question.id in selected
        for recipe in recipes
    }
    return dict(sorted(ids.items(), key=lambda item: item[1]))


def read(file: Path) -> dict[str, Record]:
    """Return the records of a file of JSON lines by their ids.

    Raises:
        InvalidFile: the file is missing, or is not such a file.
    """
    try:
        lines = file.read_text("utf-8").splitlines()
        return {record["id"]: record for record in map(json.loads, lines)}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidFile(f"{file} is no file of JSON lines with ids ({error}) - write one with `contexts`") from error


def _write(records: Iterable[Record], file: Path) -> None:
    sorted_records = sorted(records, key=lambda record: record["id"])
    file.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in sorted_records), "utf-8")


def _names(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.split(","))


_FILE: Final = click.Path(path_type=Path)
_recipes = click.option("--recipes", metavar="A,B", callback=_names, default=",".join(RECIPES), show_default=True)


@click.group()
def main() -> None:
    """Write contexts for readers and sheets for judges, and print what was judged."""


@main.command("contexts")
@click.argument("out", type=_FILE)
@_recipes
def write_contexts(out: Path, recipes: tuple[str, ...]) -> None:
    """Write the contexts that readers answer from."""
    _write(contexts(recipes), out)


@main.command("sheet")
@click.argument("answers", type=_FILE)
@click.argument("out", type=_FILE)
@_recipes
def write_sheet(answers: Path, out: Path, recipes: tuple[str, ...]) -> None:
    """Write the answers beside the references, for judges."""
    _write(sheet(read(answers), recipes), out)


@main.command("judged")
@click.argument("answers", type=_FILE)
@click.argument("verdicts", type=_FILE)
@_recipes
def print_judged(answers: Path, verdicts: Path, recipes: tuple[str, ...]) -> None:
    """Print right, partly, wrong and declined answers by recipe and kind."""
    reader_answers = read(answers)
    if missing := [record for record in _context_ids(recipes).values() if record not in reader_answers]:
        raise InvalidFile(f"{answers} has no answer to {missing[0]} - answer every context")
    for line in report(verdicts_by_recipe(read(verdicts), recipes)):
        click.echo(line)


if __name__ == "__main__":
    main()
