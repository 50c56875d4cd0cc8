import re
import subprocess
import sys
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import pytest

import hmem.language
import hmem.retrieval
import hmem_english
from hmem.language import regex as module
from hmem.language.regex import regex


def every() -> list[Any]:
    """All expressions that wait in the modules of the rules and of the reader."""
    found: list[Any] = []
    for package in (hmem.language, hmem.retrieval, hmem_english):
        for each in walk_packages(package.__path__, f"{package.__name__}."):
            if ".model" not in each.name and ".embed" not in each.name:
                held = vars(import_module(each.name)).values()
                found += [value for value in held if isinstance(value, module._Later)]
    return found


@pytest.mark.parametrize(("method", "arguments"), [("search", ("a B",)), ("sub", ("-", "a B b")), ("findall", ("bB",))])
def test_it_does_what_a_compiled_one_does(method: str, arguments: tuple[str, ...]) -> None:
    later, now = regex(r"(b)", re.IGNORECASE), re.compile(r"(b)", re.IGNORECASE)
    for _ in range(2):
        assert repr(getattr(later, method)(*arguments)) == repr(getattr(now, method)(*arguments))
    assert (later.pattern, later.flags, later.groups) == (now.pattern, now.flags, now.groups)


def test_every_expression_of_the_rules_can_be_compiled() -> None:
    waiting = every()
    assert len(waiting) > 100
    for each in waiting:
        assert each.groups >= 0


def test_loading_the_engine_compiles_few_of_them() -> None:
    script = (
        "import re; made = []; before = re.compile\n"
        "re.compile = lambda *given: (made.append(given), before(*given))[1]\n"
        "import hmem.api.memory; print(len(made))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 200
