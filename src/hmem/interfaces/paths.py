"""Paths of the memories of projects and of their user, where no file is named.

Loads no other module of hmem: hooks import it while a user waits.
"""

import hashlib
import os
import re
from pathlib import Path
from typing import Final

ROOT_VARIABLE: Final = "HMEM_ROOT"
DATABASE_VARIABLE: Final = "HMEM_DATABASE"
PROJECT_VARIABLES: Final = ("HMEM_PROJECT", "CLAUDE_PROJECT_DIR")

_HOME: Final = Path("~/.hmem")
# Entries that mark the topmost folder of a project.
_MARKS: Final = (".git", ".hg", ".jj", ".svn")
_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
_LONGEST: Final = 40
_DIGITS: Final = 10


def default_root() -> Path:
    """Return the folder of all memories: ``HMEM_ROOT``, else ``~/.hmem``."""
    return Path(os.environ.get(ROOT_VARIABLE) or _HOME).expanduser()


def default_folder() -> Path:
    """Return the working folder: ``HMEM_PROJECT``, else ``CLAUDE_PROJECT_DIR``, else the current folder."""
    folder = next((value for name in PROJECT_VARIABLES if (value := os.environ.get(name))), ".")
    return Path(folder).expanduser()


def project_folder(folder: Path) -> Path:
    """Return the nearest folder upwards with version control, else the folder itself, with links resolved."""
    start = Path(os.path.realpath(folder))
    return next(
        (candidate for candidate in (start, *start.parents) if any((candidate / mark).exists() for mark in _MARKS)),
        start,
    )


def project_memory(root: Path, folder: Path) -> Path:
    """Return the path of a project's memory: the project folder's name with a digest of its path."""
    project = project_folder(folder)
    name = _UNSAFE.sub("-", project.name.lower()).strip("-")[:_LONGEST] or "project"
    digest = hashlib.sha256(os.fsencode(project)).hexdigest()[:_DIGITS]
    return root / "projects" / f"{name}-{digest}.hmem"


def user_memory(root: Path) -> Path:
    """Return the path of the user's memory, which all projects share."""
    return root / "user.hmem"
