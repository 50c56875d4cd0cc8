"""What was measured of embedders, kept on this machine: a file for each in the user's folder of caches.

It holds an embedder's name and numbers, no text that was said and no key. Without it, or where it cannot be written,
the model is measured again.
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
    """The length of a model's vectors, the signature of its probe, and the points of its calibration."""

    dimension: int
    signature: str
    points: tuple[tuple[float, float], ...]


def load_measurements(key: str) -> ModelMeasurements | None:
    """What is remembered under a key; None when nothing is, or nothing that can be read."""
    try:
        held: dict[str, Any] = json.loads(_file(key).read_bytes())
        points = tuple((float(raw), float(common)) for raw, common in held["points"])
        int(held["signature"], 16)
        return ModelMeasurements(int(held["dimension"]), held["signature"], points) if held["key"] == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def store_measurements(key: str, facts: ModelMeasurements) -> None:
    """Keep what was measured, if the folder can be written; another process sees all of it or nothing."""
    file = _file(key)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        written = file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps({"key": key, **asdict(facts)}), "utf-8")
        written.replace(file)


def delete_measurements(key: str) -> None:
    """Measure anew from the next process on."""
    with suppress(OSError):
        _file(key).unlink(missing_ok=True)


def _file(key: str) -> Path:
    named = os.environ.get(VARIABLE)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = Path(named).expanduser() if named else caches / "hmem"
    return folder / "embedders" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
