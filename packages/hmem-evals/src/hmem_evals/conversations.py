"""Common form of benchmarks: conversations to remember, and questions about them with gold evidence."""

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from hmem.errors import InvalidFile


@dataclass(frozen=True, slots=True)
class Question:
    """Question with its gold answer and evidence.

    ``evidence`` are message ids of its conversation. ``sessions`` are the gold sessions, if the benchmark names them.
    ``unanswerable``: the history does not answer it. ``at`` is when it is asked.
    """

    id: str
    text: str
    answer: str
    category: str
    evidence: tuple[str, ...]
    sessions: tuple[str, ...] = ()
    unanswerable: bool = False
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages for one memory, as ``Memory.add`` takes them, and the questions about them."""

    id: str
    messages: tuple[Mapping[str, Any], ...]
    questions: tuple[Question, ...]


def read_json(path: str | Path) -> Any:
    """Return the content of a ``.json`` or ``.json.gz`` file.

    Raises:
        InvalidFile: it is missing, unreadable or not JSON.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
        return json.loads(gzip.decompress(data) if file.suffix == ".gz" else data)
    except FileNotFoundError as error:
        raise InvalidFile(f"there is no file {file} - check the path") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InvalidFile(f"{file} is not a whole gzip file ({error}) - fetch it again") from error
    except OSError as error:
        raise InvalidFile(f"{file} cannot be read ({error.strerror}) - check the path and its rights") from error
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{file} is not JSON ({error}) - fetch it again") from error


def not_this_format(path: str | Path, name: str, error: Exception) -> InvalidFile:
    """Return the error for a file that is JSON but not of the named benchmark."""
    reason = f"no {error}" if isinstance(error, KeyError) else str(error)
    return InvalidFile(f"{path} is not in the format of {name} ({reason}) - give the benchmark's own file")


_ID: Final = re.compile(r"D:?(\d+):(\d+)")


def repaired(texts: Iterable[Any]) -> tuple[str, ...]:
    """Return the turn ids in some texts as ``D1:2``, each once, in order; a text without an id is dropped."""
    ids = [f"D{int(number)}:{int(turn)}" for item in texts for number, turn in _ID.findall(str(item))]
    return tuple(dict.fromkeys(ids))


def unique(turn_id: Any, used_ids: set[str]) -> str:
    """Return the repaired id of a turn, made unique among ``seen``, to which it is added.

    A repeated id gets a suffix: evidence means the first turn that has it.
    """
    base = next(iter(repaired([turn_id])), str(turn_id))
    candidate, count = base, 1
    while candidate in used_ids:
        count += 1
        candidate = f"{base}#{count}"
    used_ids.add(candidate)
    return candidate
