"""OpenTelemetry is told of requests by their route."""

from pathlib import Path

import pytest
from tests.serving import serving

pytest.importorskip("opentelemetry.instrumentation.fastapi")


def test_a_request_is_a_span_without_its_content(root: Path) -> None:
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
