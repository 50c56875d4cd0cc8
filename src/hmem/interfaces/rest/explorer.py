"""The explorer: a page that reads and changes memories over the server's own interface.

The page itself holds nothing of a memory, so it needs no key; what it asks for does. A page for this machine alone has
a link, which holds once, and a session that the link begins: whoever follows it gets a cookie, which other sites cannot
send (``SameSite=Strict``) and no script can read, and a key, which only the page itself can send. A request needs both.
"""

import json
import secrets
from collections.abc import Mapping
from functools import cache
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from importlib.resources import files
from pathlib import PurePosixPath
from threading import Lock
from typing import Any, Final

from fastapi import FastAPI, Request, Response

from hmem.errors import InvalidRequest, KeyRefused
from hmem.interfaces.rest.routes import add_route, refusal, response

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


class LocalPage:
    """Secrets of a page for this machine alone, for as long as its server runs.

    ``token`` stands in the link, and holds for the first who sends it.
    """

    def __init__(self, memory: str) -> None:
        self.memory = memory
        self.token = secrets.token_urlsafe(32)
        # Cookies are those of a host, whatever the port, so that two pages need two names.
        self._cookie = f"hmem-{secrets.token_hex(4)}"
        self._session = secrets.token_urlsafe(32)
        self._key = secrets.token_urlsafe(32)
        self._used = False
        self._lock = Lock()

    def link(self, address: str) -> str:
        """Return the link to the page of a server. The token is in a part that browsers do not send."""
        return f"{address}/explore#token={self.token}"

    def check(self, authorization: str, cookies: str) -> None:
        """Refuse a request without the key or the cookie.

        Raises:
            KeyRefused: one of them is missing, or another.
        """
        kind, _, token = authorization.partition(" ")
        if kind.lower() != "bearer" or not _equal(token.strip(), self._key) or not self._knows(cookies):
            raise KeyRefused("this page was opened by no link of `hmem explore` - open the link that it printed")

    def _knows(self, cookies: str) -> bool:
        try:
            cookie = SimpleCookie(cookies).get(self._cookie)
        except CookieError:
            return False
        return cookie is not None and _equal(cookie.value, self._session)

    def _redeem(self, token: str) -> bool:
        with self._lock:
            valid = _equal(token, self.token) and not self._used
            self._used |= valid
        return valid

    async def session(self, request: Request) -> Response:
        """Answer with the key for the token of the link, which is used up then, or for the cookie."""
        try:
            message: Any = json.loads(await request.body() or b"{}")
        except ValueError:
            message = None
        if not isinstance(message, dict):
            return refusal(InvalidRequest("a session begins with JSON - open the link of `hmem explore`"))
        token: Any = message.get("token", "")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        by_token = isinstance(token, str) and bool(token) and self._redeem(token)
        if not by_token and not self._knows(request.headers.get("cookie", "")):
            return refusal(KeyRefused("this link was used, or is none - run `hmem explore` again"))
        body = json.dumps({"key": self._key, "memory": self.memory}).encode()
        cookie = f"{self._cookie}={self._session}; HttpOnly; SameSite=Strict; Path=/"
        return response(body, 200, {"Set-Cookie": cookie} if by_token else None)


def _equal(text: str, secret: str) -> bool:
    return compare_digest(text.encode("utf-8", "replace"), secret.encode())


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
