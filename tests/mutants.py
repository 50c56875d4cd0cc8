"""Mutation tests: `make mutants`, or `python -m tests.mutants GROUP …` for some of the groups in `mutants.toml`.

mutmut breaks the code in one small way after the other and runs the tests that meet it. A mutant that every test lets
pass survives: a test is missing, or `mutants.toml` explains why none could tell. The results lie in
`out/mutants/GROUP`; with `--survivors` only those are run again that survived the last run.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CONFIG = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
MUTMUT = Path(sys.executable).with_name("mutmut")
# Files that the tests read beside the package.
COPIED = ("conftest.py", "examples", "docs", "README.md")
KILLED = ("killed", "timeout", "segfault")
UNKNOWN = "not checked"


@dataclass
class Explained:
    """Mutants that no test can tell from the code.

    They are those of ``function`` (a pattern) whose lines before contain ``was`` and whose lines after contain one of
    ``now`` or, with ``removed``, are empty.
    """

    function: str
    why: str
    was: str = ""
    now: Sequence[str] = ("",)
    removed: bool = False
    count: int = field(default=0)

    def meets(self, function: str, was: str, now: str) -> bool:
        """Tell if a mutant is one of these, and count it."""
        met = re.fullmatch(self.function, function) is not None and self.was in was
        met = met and (not now if self.removed else any(part in now for part in self.now))
        self.count += met
        return met


def prepare(folder: Path, group: Mapping[str, Any]) -> None:
    """Make a folder in which mutmut finds the project, with settings for the group."""
    folder.mkdir(parents=True, exist_ok=True)
    home = ROOT / group.get("package", "")
    for source, names in ((home, ("src", "tests")), (ROOT, COPIED)):
        for each in names:
            (folder / each).unlink(missing_ok=True)
            (folder / each).symlink_to(source / each)
    options: dict[str, Any] = {
        "source_paths": ["src"],
        "only_mutate": group["modules"],
        "also_copy": list(COPIED),
        "pytest_add_cli_args_test_selection": group["tests"],
        "pytest_add_cli_args": [f"--deselect={each}" for each in group.get("without", ())],
        # Threads of compiled libraries do not outlive a fork.
        "process_isolation": "forkserver",
        "track_dependencies": False,
        **CONFIG["options"],
    }
    lines = [f"{option} = {json.dumps(value)}" for option, value in options.items()]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), "utf-8")


def asked(folder: Path, *arguments: str) -> list[str]:
    """Run mutmut and return the lines of its output."""
    done = subprocess.run([MUTMUT, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def survivors(folder: Path) -> dict[str, str]:
    """Return the mutants that were not killed, with their status."""
    found = (line.strip().rpartition(": ") for line in asked(folder, "results"))
    return {name: status for name, _, status in found if name and status not in KILLED}


def changes(folder: Path, names: Iterable[str]) -> Iterator[tuple[str, str, str, str]]:
    """Yield each of some mutants: its name, its function, the lines before and after."""
    for name in names:
        changed = [
            line for line in asked(folder, "show", name)[1:] if line[:1] in "+-" and line[:3] not in ("+++", "---")
        ]
        was, now = ("\n".join(line[1:].strip() for line in changed if line[0] == sign) for sign in "-+")
        function = re.sub(
            r"\.x(?:_|ǁ(\w+)ǁ)(\w+)__mutmut_\d+$", lambda m: f".{m[1]}.{m[2]}" if m[1] else f".{m[2]}", name
        )
        yield name, function, was, now


def run(name: str, children: int, *, again: bool) -> bool:
    """Run a group and print its unexplained survivors and its stale explanations."""
    folder, group = ROOT / "out" / "mutants" / name, CONFIG["groups"][name]
    chosen = [mutant for mutant, status in survivors(folder).items() if status != UNKNOWN] if again else []
    if not again:
        shutil.rmtree(folder, ignore_errors=True)
    prepare(folder, group)
    if subprocess.run([MUTMUT, "run", "--max-children", str(children), *chosen], cwd=folder, check=False).returncode:
        print(f"{name}: mutmut broke off")
        return False
    left = {mutant: status for mutant, status in survivors(folder).items() if not again or mutant in chosen}
    explained = [Explained(**each) for each in group.get("explained", ())]
    bad = 0
    for mutant, function, was, now in changes(folder, left):
        if left[mutant] == UNKNOWN or not sum(each.meets(function, was, now) for each in explained):
            bad += 1
            print(f"\n{mutant}: {left[mutant]}\n  - {was}\n  + {now}")
    for each in explained:
        if not each.count:
            bad += 1
            print(f"\n{each.function}: nothing of this survives any more: {each.why}")
    print(f"\n{name}: {len(left)} mutants survive, {bad} things are to be looked at")
    return not bad


def main() -> int:
    parser = argparse.ArgumentParser(description="Run mutation tests of groups of modules.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(CONFIG['groups'])}; default: all")
    parser.add_argument("--survivors", action="store_true", help="only those that survived the last run")
    parser.add_argument("--children", type=int, default=1, help="processes at once (default: 1)")
    chosen = parser.parse_args()
    if unknown := set(chosen.groups) - CONFIG["groups"].keys():
        parser.error(f"no group is called {', '.join(sorted(unknown))}")
    ended = [run(name, chosen.children, again=chosen.survivors) for name in chosen.groups or CONFIG["groups"]]
    return 0 if all(ended) else 1


if __name__ == "__main__":
    sys.exit(main())
