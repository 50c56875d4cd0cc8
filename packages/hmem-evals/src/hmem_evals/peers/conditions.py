"""The conditions of a measurement, without which its figures say nothing."""

import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hmem


def conditions() -> dict[str, Any]:
    """Return the date, the machine, and the versions of Python and hmem."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {_processor()}, {platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "hmem": hmem.__version__,
        "threads": "one for linear algebra; a peer's own threads are left to it",
    }


def _processor() -> str:
    cpu_file = Path("/proc/cpuinfo")
    lines = cpu_file.read_text("utf-8").splitlines() if cpu_file.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown processor")
