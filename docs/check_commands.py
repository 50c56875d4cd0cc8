"""Check that the commands, options and make targets named in the given pages exist.

It reads fenced blocks marked `sh` or `console`, and code between backticks that begins with `hmem` or `make`.
"""

import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from hmem.interfaces.cli import hmem

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^```(?:sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`((?:hmem|make) [^`\n]+)`")


def commands(page: str) -> Iterator[str]:
    """Yield the command lines of a page."""
    for block in FENCE.findall(page):
        for line in block.replace("\\\n", " ").splitlines():
            typed = line.removeprefix("$ ").strip()
            yield from (part.strip() for part in re.split(r"&&|\|(?!\|)|;(?= )", typed))
    yield from INLINE.findall(ANY_FENCE.sub("", page))


def problem(typed: str) -> str | None:
    """Return the fault of a command line; None if it is right or not one of ours."""
    try:
        words = shlex.split(typed, comments=True)
    except ValueError:
        return None
    if not words:
        return None
    if words[0] == "make":
        return make_problem([word for word in words[1:] if "=" not in word and not word.startswith("-")])
    return hmem_problem(words[1:]) if words[0].rpartition("/")[2] == "hmem" else None


def make_problem(targets: list[str]) -> str | None:
    known = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    unknown = [target for target in targets if target not in known]
    return f"make has no target {unknown[0]!r}" if unknown else None


def hmem_problem(words: list[str]) -> str | None:
    command: click.Command = hmem
    trail = ["hmem"]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        context = click.Context(command)
        deeper = command.get_command(context, words[0])
        if deeper is None:
            return f"{' '.join(trail)} has no command {words[0]!r}"
        command, trail, words = deeper, [*trail, words[0]], words[1:]
    context = click.Context(command)
    known = {name for parameter in command.get_params(context) for name in (*parameter.opts, *parameter.secondary_opts)}
    for word in words:
        option = word.partition("=")[0]
        if re.match(r"--?[a-z]", option) and option not in known:
            return f"{' '.join(trail)} has no option {option!r}"
    return None


def pages(arguments: list[str]) -> Iterator[Path]:
    for argument in arguments:
        path = Path(argument)
        yield from sorted(path.rglob("*.md")) if path.is_dir() else [path]


def main(arguments: list[str]) -> int:
    wrong = [
        f"{page}: `{typed}`: {what}"
        for page in pages(arguments)
        for typed in commands(page.read_text("utf-8"))
        if (what := problem(typed))
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
