"""What the server tells of itself has no content."""

import json
import logging
import sys
from pathlib import Path

import pytest
from tests.serving import serving

from hmem.interfaces.rest.telemetry import JsonLines, Telemetry


class Route:
    path = "/memories/{memory}/search"


def test_requests_are_counted_by_route_and_never_by_address() -> None:
    telemetry = Telemetry()
    telemetry.begin()
    telemetry.end({"method": "POST", "path": "/v1/memories/ann/search", "route": Route(), "state": {}}, 200, 0.003)
    telemetry.begin()
    telemetry.end({"method": "BREW", "path": "/coffee/for/ann", "state": {}}, 404, 0.001)
    page = telemetry.page(3, {"open": 2, "bytes": 70, "hits": 9, "loads": 4, "evictions": 2}).decode()
    assert 'hmem_requests_total{method="POST",route="/memories/{memory}/search",status="200"} 1.0' in page
    assert 'hmem_requests_total{method="any",route="none",status="404"} 1.0' in page
    assert 'hmem_request_seconds_bucket{le="0.005",method="POST",route="/memories/{memory}/search"} 1.0' in page
    assert "hmem_memories 3.0" in page
    assert "hmem_open_memories 2.0" in page
    assert "hmem_open_memory_bytes 70.0" in page
    counts = {"hits": 9, "loads": 4, "evictions": 2}
    assert all(f"hmem_memory_{name}_total {count}.0" in page for name, count in counts.items())
    assert "hmem_requests_at_work 0.0" in page
    assert "ann" not in page


def test_an_exception_is_told_by_its_type_and_its_places() -> None:
    try:
        int("Maria said something private")
    except ValueError:
        record = logging.LogRecord("hmem.server", logging.ERROR, "x", 1, "fault", (), sys.exc_info())
    record.told = {"request": "r1"}
    line = json.loads(JsonLines().format(record))
    assert (line["level"], line["what"], line["request"], line["error"]) == ("error", "fault", "r1", "ValueError")
    assert line["places"][0].split(":")[0].endswith("test_telemetry.py")
    assert "private" not in json.dumps(line)


def test_a_request_is_a_span_without_its_content(root: Path) -> None:
    pytest.importorskip("opentelemetry.instrumentation.fastapi")
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    with serving(root, otel=True) as site:
        site.create("a")
        site.post("memories/a/search", {"question": "Where is the fern?"})
    told = [(span.name, dict(span.attributes or {})) for span in spans.get_finished_spans()]
    assert any("search" in name for name, _ in told)
    assert "fern" not in str(told)
