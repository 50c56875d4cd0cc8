"""Telemetry of the server: metrics for Prometheus, and lines of JSON for the log and the audit, without content."""

import json
import logging
import os
import re
import sys
import traceback
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from datetime import UTC, datetime
from http import HTTPStatus
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from hmem.errors import ExtraMissing, StorageError
from hmem.interfaces.operations import RecallTime
from hmem.interfaces.rest.openapi import PREFIX
from hmem.model.ids import KINDS
from hmem.util.files import private_folder

MEDIA: Final = "text/plain; version=0.0.4; charset=utf-8"
LOGGER: Final = logging.getLogger("hmem.server")
_RECALLS: Final = frozenset({"search", "context", "ask"})
# How many times are kept of a memory, and of how many memories.
_TIMES_PER_MEMORY: Final = 100
_MEMORIES: Final = 1_000
_BOUNDS: Final = (0.002, 0.005, 0.01, 0.02, 0.04, 0.06, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

# Most ids of one line.
_MAX_IDS: Final = 1_000
_ID: Final = re.compile(rb'"((?:' + "|".join(KINDS).encode() + rb')_[0-9A-HJKMNP-TV-Z]{26})"')


class Telemetry(Collector):
    """Metrics and log of requests by route pattern, which contains no name, id or question."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("hmem_requests", "Requests.", labels, registry=self.registry)
        self._seconds = Histogram(
            "hmem_request_seconds", "Time of a request.", ("method", "route"), registry=self.registry, buckets=_BOUNDS
        )
        self._at_work = Gauge("hmem_requests_at_work", "Requests at work.", registry=self.registry)
        self._held = Gauge("hmem_memories", "Memories in all.", registry=self.registry)
        self._figures: Mapping[str, int] = {}
        self._recalls: OrderedDict[str, deque[RecallTime]] = OrderedDict()
        self.registry.register(self)

    def begin(self) -> None:
        """Count a request as at work."""
        self._at_work.inc()

    def end(self, scope: MutableMapping[str, Any], status: int, seconds: float) -> None:
        """Count and log an answered request."""
        self._at_work.dec()
        route = (getattr(scope.get("route"), "path", None) or "none").removeprefix(PREFIX)
        method = scope["method"] if route != "none" else "any"
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)
        state: MutableMapping[str, Any] = scope.get("state", {})
        operation = str(state.get("operation", "")).removesuffix("_stream")
        if status == HTTPStatus.OK and operation in _RECALLS:
            self._record_recall(state["memory"], operation, seconds)
        if LOGGER.isEnabledFor(logging.INFO):
            key = state.get("key")
            LOGGER.info(
                "request",
                extra={
                    "told": {
                        "request": state.get("request"),
                        "method": scope["method"],
                        "route": route,
                        # Absent until the name is checked: an invalid or forbidden one is user input.
                        "memory": state.get("memory"),
                        "status": status,
                        "milliseconds": round(seconds * 1_000, 2),
                        "key": None if key is None else key.id,
                    }
                },
            )

    def _record_recall(self, memory: str, operation: str, seconds: float) -> None:
        times = self._recalls.setdefault(memory, deque(maxlen=_TIMES_PER_MEMORY))
        times.append(RecallTime(datetime.now(UTC), operation, round(seconds * 1_000, 2)))
        self._recalls.move_to_end(memory)
        if len(self._recalls) > _MEMORIES:
            self._recalls.popitem(last=False)

    def recall_latencies(self, memory: str) -> list[RecallTime]:
        """Return how long the last recalls of a memory took, oldest first."""
        return list(self._recalls.get(memory, ()))

    def page(self, memories: int, figures: Mapping[str, int]) -> bytes:
        """Return all metrics in Prometheus' text format, with the figures of the engine."""
        self._held.set(memories)
        self._figures = figures
        return generate_latest(self.registry)

    def collect(self) -> Iterator[Metric]:
        """Yield the engine's figures, which its processes count."""
        figures = self._figures
        yield GaugeMetricFamily("hmem_open_memories", "Memories that are loaded.", figures.get("open", 0))
        yield GaugeMetricFamily("hmem_open_memory_bytes", "Measured bytes of loaded memories.", figures.get("bytes", 0))
        yield CounterMetricFamily("hmem_memory_hits", "Calls to loaded memories.", figures.get("hits", 0))
        yield CounterMetricFamily("hmem_memory_loads", "Memories that were loaded.", figures.get("loads", 0))
        yield CounterMetricFamily("hmem_memory_evictions", "Memories closed for room.", figures.get("evictions", 0))


class JsonLines(logging.Formatter):
    """Formatter of log records as JSON. Of an exception it writes the type and the frames, never the message."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        entry: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "what": record.getMessage(),
            **getattr(record, "told", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            entry["error"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])
            entry["places"] = [f"{frame.filename}:{frame.lineno}" for frame in frames[-12:]]
        return json.dumps(entry, ensure_ascii=False, default=str)


def log_to_stderr(level: int = logging.INFO) -> None:
    """Send the server's and uvicorn's logs to stderr as lines of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("hmem.server", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler] if name != "uvicorn.error" else []
        logger.setLevel(level)
        logger.propagate = name == "uvicorn.error"


def instrument(app: FastAPI) -> None:
    """Report requests to OpenTelemetry; its own environment variables choose the exporter.

    Raises:
        ExtraMissing: its packages are not installed.
    """
    try:
        from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ExtraMissing("opentelemetry is not installed - pip install 'hmem[otel]'") from error
    FastAPIInstrumentor.instrument_app(app, excluded_urls="healthz,readyz,metrics", exclude_spans=["receive", "send"])


# Audit.


class Audit:
    """File that lines are added to. It may be moved away at any time: the next line begins a new one.

    Raises:
        StorageError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            private_folder(path.parent)
            self._file = _OwnerOnly(path)
        except OSError as error:
            raise StorageError(f"{path.name} cannot be written ({error.strerror}) - give another file") from error
        self._file.setFormatter(JsonLines())

    def write(self, fields: Mapping[str, Any]) -> None:
        """Add a line with the time and some fields."""
        level = logging.getLevelName(logging.INFO)
        self._file.handle(logging.makeLogRecord({"levelname": level, "msg": "request", "told": fields}))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _OwnerOnly(WatchedFileHandler):
    """Handler whose file only its owner may read, whatever the process's mask."""

    def _open(self) -> Any:
        descriptor = os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")


def ids_in(*bodies: bytes) -> list[str]:
    """Return the ids of hmem's that stand in JSON as whole texts, each once, in order, up to a thousand."""
    matches: Iterable[bytes] = (match[1] for body in bodies for match in _ID.finditer(body))
    unique: dict[bytes, None] = {}
    for name in matches:
        unique.setdefault(name)
        if len(unique) == _MAX_IDS:
            break
    return [id_bytes.decode() for id_bytes in unique]
