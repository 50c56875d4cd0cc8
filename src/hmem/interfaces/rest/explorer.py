"""The explorer at a server: a page that reads and changes memories over the server's own interface.

The page itself holds nothing of a memory, so it needs no key; what it asks for does.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Final

from fastapi import FastAPI, Request, Response

from hmem.errors import InvalidRequest
from hmem.interfaces.rest.local import LocalPage
from hmem.interfaces.rest.routes import add_route, refusal

PAGE: Final = "/explore"
# Its script asks this server alone, nothing is taken from elsewhere, and no other page may show it in a frame.
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_MEDIA: Final[Mapping[str, str]] = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
# Tells the page to begin a session.
_LOCAL: Final = b'<head><meta name="hmem-local">'
_YEAR: Final = "public, max-age=31536000, immutable"


def add_page(app: FastAPI, local: LocalPage | None = None) -> None:
    """Add the page's routes to an application; a page for this machine alone begins a session by its link."""
    app.state.local = local
    if local is not None:
        add_route(app, f"{PAGE}/session", local.session, "POST")
    for path in (PAGE, f"{PAGE}/", f"{PAGE}/assets/{{name}}"):
        add_route(app, path, _file)


async def _file(request: Request) -> Response:
    name = request.path_params.get("name")
    content = built_page().get("index.html" if name is None else f"assets/{name}")
    if content is None:
        return refusal(InvalidRequest("the explorer is not there, or has no such file - `make explore` builds it"), 404)
    if name is None and request.app.state.local is not None:
        content = content.replace(b"<head>", _LOCAL, 1)
    media = _MEDIA[PurePosixPath(name or "index.html").suffix]
    # The names of the assets change with their content.
    caching = {"Cache-Control": "no-cache" if name is None else _YEAR}
    return Response(content, 200, {**_HEADERS, **caching}, media)


@cache
def built_page() -> Mapping[str, bytes]:
    """Return the built page by the names of its files; empty if it was not built."""
    page = files("hmem.interfaces").joinpath("explorer")
    index, assets = page.joinpath("index.html"), page.joinpath("assets")
    if not index.is_file():
        return {}
    built = {f"assets/{asset.name}": asset for asset in assets.iterdir() if PurePosixPath(asset.name).suffix in _MEDIA}
    return {name: file.read_bytes() for name, file in {"index.html": index, **built}.items()}
