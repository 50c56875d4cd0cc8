"""Measurements of embedders, kept in one file each in the user's cache folder.

A file holds an embedder's name and numbers, but no text of a memory and no key. A model without a readable file is
measured again.
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

VARIABLE: Final = "HMEM_CACHE"


@dataclass(frozen=True, slots=True)
class ModelMeasurements:
    """Length of a model's vectors, signature of its probe, and points of its calibration."""

    dimension: int
    signature: str
    points: tuple[tuple[float, float], ...]


def load_measurements(key: str) -> ModelMeasurements | None:
    """Return the measurements under a key; None if there are none or they cannot be read."""
    try:
        held: dict[str, Any] = json.loads(_file(key).read_bytes())
        points = tuple((float(raw), float(common)) for raw, common in held["points"])
        int(held["signature"], 16)
        return ModelMeasurements(int(held["dimension"]), held["signature"], points) if held["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def store_measurements(key: str, facts: ModelMeasurements) -> None:
    """Store measurements atomically; do nothing if the folder cannot be written."""
    file = _file(key)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        written = file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps({"key": key, **asdict(facts)}), "utf-8")
        written.replace(file)


def delete_measurements(key: str) -> None:
    """Delete the measurements under a key, so that the next process measures anew."""
    with suppress(OSError):
        _file(key).unlink(missing_ok=True)


def _file(key: str) -> Path:
    named = os.environ.get(VARIABLE)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = Path(named).expanduser() if named else caches / "hmem"
    return folder / "embedders" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
