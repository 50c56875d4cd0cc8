"""What people say about a subject without stating anything: the noise that recall has to see through."""

from collections.abc import Mapping
from functools import cache

from hmem_evals.synthetic.script import lines_of

Bank = Mapping[str, tuple[str, ...]]


@cache
def domains() -> Mapping[str, Bank]:
    """For each domain its sayings by use: feel, muse, ask, request, tip, cap; a blank domain has general ones."""
    found: dict[str, dict[str, list[str]]] = {}
    bank: dict[str, list[str]] = {}
    for line in lines_of("domains"):
        if line.startswith("["):
            bank = found.setdefault(line.strip("[]"), {})
            continue
        use, saying = line.split(":", 1)
        bank.setdefault(use.strip(), []).append(saying.strip())
    return {name: {use: tuple(sayings) for use, sayings in uses.items()} for name, uses in found.items()}
