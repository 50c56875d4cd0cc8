"""What ``hmem doctor`` finds: one check after the other."""

from dataclasses import dataclass

from hmem.errors import HmemError


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at and what was found; ``mend`` says what to do when it is not ok."""

    name: str
    found: str
    ok: bool = True
    mend: str | None = None


def failed(name: str, error: HmemError) -> Check:
    """The check that an error ended, with the error's own mend."""
    found, _, mend = str(error).rpartition(" - ")
    return Check(name, found or mend, ok=False, mend=mend if found else None)
