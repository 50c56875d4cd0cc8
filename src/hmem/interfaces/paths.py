"""Where the memories of projects and of their user lie, when nobody names a file. Loads nothing: hooks wait for it."""

import hashlib
import os
import re
from pathlib import Path
from typing import Final

ROOT_VARIABLE: Final = "HMEM_ROOT"
PROJECT_VARIABLES: Final = ("HMEM_PROJECT", "CLAUDE_PROJECT_DIR")

_HOME: Final = Path("~/.hmem")
# What marks the topmost folder of a project.
_MARKS: Final = (".git", ".hg", ".jj", ".svn")
_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 40
_DIGITS: Final = 10


def default_root() -> Path:
    """The folder of all memories: what ``HMEM_ROOT`` names, else ``~/.hmem``."""
    return Path(os.environ.get(ROOT_VARIABLE) or _HOME).expanduser()


def default_folder() -> Path:
    """The folder that is worked in: what ``HMEM_PROJECT`` or ``CLAUDE_PROJECT_DIR`` names, else the current one."""
    named = next((value for name in PROJECT_VARIABLES if (value := os.environ.get(name))), ".")
    return Path(named).expanduser()


def project_folder(folder: Path) -> Path:
    """The topmost folder of the project that a folder belongs to: where its version control lies, else itself."""
    here = Path(os.path.realpath(folder))
    return next((each for each in (here, *here.parents) if any((each / mark).exists() for mark in _MARKS)), here)


def project_memory(root: Path, folder: Path) -> Path:
    """The memory's file of the project that a folder belongs to: the folder's name with a digest of its path."""
    project = project_folder(folder)
    name = _UNSAFE.sub("-", project.name.lower()).strip("-")[:_LONGEST] or "project"
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:_DIGITS]
    return root / "projects" / f"{name}-{digest}.hmem"


def user_memory(root: Path) -> Path:
    """The memory's file of the user, which all projects share."""
    return root / "user.hmem"
