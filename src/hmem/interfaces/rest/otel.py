"""OpenTelemetry: a span for each request, by its route, without anything that it says."""

from fastapi import FastAPI

from hmem.errors import ExtraMissing


def instrument(app: FastAPI) -> None:
    """Tell OpenTelemetry of requests; the exporter is chosen by its own environment variables.

    Raises:
        ExtraMissing: its packages are not installed.
    """
    try:
        from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ExtraMissing("opentelemetry is not installed - pip install 'hmem[otel]'") from error
    FastAPIInstrumentor.instrument_app(app, excluded_urls="healthz,readyz,metrics", exclude_spans=["receive", "send"])
