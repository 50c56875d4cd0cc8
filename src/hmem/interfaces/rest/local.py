"""Page for this machine alone: its link, which holds once, and the session that the link begins.

Whoever follows the link gets a cookie, which other sites cannot send (``SameSite=Strict``) and no script can read, and
a key, which only the page itself can send. A request needs both.
"""

import json
import secrets
from hmac import compare_digest
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import Any

from fastapi import Request, Response

from hmem.errors import InvalidRequest, KeyRefused
from hmem.interfaces.rest.routes import refusal, response


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
