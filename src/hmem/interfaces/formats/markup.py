"""Words of HTML, without a library: mail is written in it."""

import re
from html.parser import HTMLParser
from typing import Final

_UNSEEN: Final = ("script", "style", "head", "title", "template")
_BREAKS: Final = ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table")
_QUOTES: Final = "blockquote"


class _Words(HTMLParser):
    def __init__(self, *, quotes: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._left_out = (*_UNSEEN, *(() if quotes else (_QUOTES,)))
        self._within = 0
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - as it is called
        self._within += tag in self._left_out
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._left_out:
            self._within = max(0, self._within - 1)
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.parts.append(re.sub(r"\s+", " ", data))


def words(page: str, *, quotes: bool = True) -> str:
    """Return the words of a page, a line for each paragraph; without its quotations unless ``quotes``."""
    parser = _Words(quotes=quotes)
    parser.feed(page)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(filter(None, lines))
