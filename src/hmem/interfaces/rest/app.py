"""ASGI application of the server: routes, problems, start and end."""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from http import HTTPStatus
from time import monotonic
from typing import Any, Final, cast

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from hmem import __version__
from hmem.errors import HmemError, InvalidRequest, ServerFault, StorageError
from hmem.interfaces.rest.engine import engine_for
from hmem.interfaces.rest.explorer import LocalPage, add_page
from hmem.interfaces.rest.idempotency import IdempotencyStore
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.middleware import Asgi, RequestMiddleware
from hmem.interfaces.rest.names import catalog_of
from hmem.interfaces.rest.openapi import EXPORT, LIVE, describe
from hmem.interfaces.rest.routes import (
    Calls,
    add_operations,
    add_route,
    calls,
    check_scope,
    export,
    live,
    refusal,
    response,
)
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.rest.telemetry import LOGGER, Audit, Telemetry, instrument
from hmem.interfaces.rest.telemetry import MEDIA as METRICS
from hmem.model.plain import to_bytes
from hmem.storage.catalog import Catalog


def create_app(settings: Settings, ending: asyncio.Event | None = None, local: LocalPage | None = None) -> Asgi:
    """Return the server as an ASGI application; its streams end when ``ending`` is set.

    With a ``local`` page it answers to that alone.

    Raises:
        Unprotected, InvalidFile: the keys under the root cannot be relied on.
        StorageError: the root or the audit cannot be written.
    """
    keys, telemetry = Keys(settings.keys), Telemetry()
    audit = None if settings.audit is None else Audit(settings.audit)
    app = FastAPI(title="hmem", version=__version__, lifespan=_lifespan(settings, audit, ending), redoc_url=None)
    app.state.telemetry, app.state.keys = telemetry, keys
    add_operations(app)
    for path, endpoint in (("/healthz", _healthz), ("/readyz", _readyz), ("/metrics", _metrics)):
        add_route(app, path, endpoint)
    add_route(app, LIVE, live)
    add_route(app, EXPORT, export)
    add_page(app, local)
    app.openapi = cache(partial(describe, __version__))
    _handle_errors(app)
    if settings.otel:
        instrument(app)
    admitting = RequestMiddleware(cast("Asgi", app), settings, keys, telemetry, audit, local)
    return admitting if not settings.origins else _shared_with(settings.origins, admitting)


def _shared_with(origins: tuple[str, ...], app: Asgi) -> Asgi:
    """Return an application that pages of some origins may call: browsers ask it first, without a key."""
    middleware = CORSMiddleware(
        cast("Any", app),
        allow_origins=origins,
        allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
        allow_headers=["Authorization", "Content-Type", "Idempotency-Key"],
        expose_headers=["X-Request-Id", "Retry-After", "Idempotency-Replayed"],
    )
    return cast("Asgi", middleware)


def _lifespan(
    settings: Settings, audit: Audit | None, ending: asyncio.Event | None
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        engine, repeats = engine_for(settings), IdempotencyStore(settings.server_folder / "repeats.db", settings.key)
        await engine.start()
        catalog = catalog_of(settings)
        app.state.calls = Calls(settings, engine, repeats, catalog, ending)
        app.state.storage_check = StorageCheck(settings, catalog)
        LOGGER.info("ready", extra={"told": {"memories": await asyncio.to_thread(_count, catalog)}})
        try:
            yield
        finally:
            await engine.close()
            catalog.close()
            repeats.close()
            if audit is not None:
                audit.close()
            LOGGER.info("ended")

    return lifespan


def _count(catalog: Catalog) -> int | None:
    """Return the number of memories; None if that cannot be told now."""
    try:
        return catalog.count()
    except StorageError:
        return None


# Problems.


def _handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(HmemError, _answer_error)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _fault)


async def _answer_error(_: Request, error: Exception) -> Response:
    return refusal(cast("HmemError", error))


async def _http(_: Request, error: Exception) -> Response:
    """Answer a request that no route matches."""
    http_error = cast("HTTPException", error)
    phrase = HTTPStatus(http_error.status_code).phrase.lower()
    problem_error = InvalidRequest(f"the address and the method mean nothing here ({phrase}) - see /docs")
    return refusal(problem_error, http_error.status_code, dict(http_error.headers or {}))


async def _fault(request: Request, error: Exception) -> Response:
    LOGGER.error("fault", exc_info=error, extra={"told": {"request": request.state.request}})
    return refusal(ServerFault(f"the server failed - its log tells more of request {request.state.request}"))


# Health.


async def _healthz(request: Request) -> Response:  # noqa: ARG001 - an endpoint's signature
    return response(b'{"status":"ok"}')


# Seconds for which an answer about the storage holds, and that a request waits for one.
_CHECK_SECONDS: Final = 1.0


class StorageCheck:
    """Check that the memories can be read and written, made at most once a second."""

    def __init__(self, settings: Settings, catalog: Catalog) -> None:
        self._settings = settings
        self._catalog = catalog
        self._asked = 0.0
        self._task: asyncio.Task[str | None] | None = None

    async def failing_part(self) -> str | None:
        """Return what is away, "root" or "database"; None if all is there."""
        if self._task is None or (self._task.done() and monotonic() - self._asked >= _CHECK_SECONDS):
            self._asked = monotonic()
            self._task = asyncio.create_task(asyncio.to_thread(self._check))
        finished, _ = await asyncio.wait({self._task}, timeout=_CHECK_SECONDS)
        return self._task.result() if finished else self._storage

    @property
    def _storage(self) -> str:
        return "root" if self._settings.database is None else "database"

    def _check(self) -> str | None:
        if not os.access(self._settings.root, os.R_OK | os.W_OK | os.X_OK):
            return "root"
        try:
            self._catalog.check(_CHECK_SECONDS)
        except StorageError:
            return self._storage
        return None


async def _readyz(request: Request) -> Response:
    check: StorageCheck = request.app.state.storage_check
    part = await check.failing_part() if calls(request).engine.ready else "engine"
    if part is None:
        return response(b'{"status":"ready"}')
    return response(to_bytes({"status": "not ready", "part": part}), 503, {"Retry-After": "1"})


async def _metrics(request: Request) -> Response:
    check_scope(request, "admin", None)
    memories = await asyncio.to_thread(calls(request).catalog.count)
    figures = await calls(request).engine.figures()
    telemetry: Telemetry = request.app.state.telemetry
    return Response(telemetry.page(memories, figures), media_type=METRICS)
