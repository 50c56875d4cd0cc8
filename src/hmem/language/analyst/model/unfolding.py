"""JSON while it is being said: the text of one field, piece by piece, long before the object ends."""

from typing import Final

_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX: Final = 4


class PartialJson:
    """Reads an object as it comes, and gives what is new of one text field of its own, not of objects inside it.

    ``settled`` has the literals (numbers, true, false) of fields that ended. It judges nothing: JSON that is not well
    formed gives some text, or none.
    """

    def __init__(self, field: str) -> None:
        self.settled: dict[str, str] = {}
        self._field = field
        self._depth = 0
        self._key = ""
        self._in_key = False
        self._in_text = False
        self._expects_key = False
        self._escape: str | None = None
        self._high = 0
        self._literal = ""

    def feed(self, piece: str) -> str:
        """What is new of the field."""
        return "".join(map(self._step, piece))

    def _step(self, sign: str) -> str:
        if self._in_text:
            return self._within(sign)
        if sign == '"':
            self._in_text, self._in_key = True, self._depth == 1 and self._expects_key
            self._key = "" if self._in_key else self._key
        elif sign in "{[":
            self._depth += 1
            self._expects_key = sign == "{" and self._depth == 1
        elif sign in "}],:":
            self._mark(sign)
        elif self._depth == 1 and not self._expects_key and not sign.isspace():
            self._literal += sign
        return ""

    def _mark(self, sign: str) -> None:
        if self._depth == 1 and sign == ":":
            self._expects_key = False
            return
        if self._depth == 1 and self._literal:
            self.settled[self._key] = self._literal
            self._literal = ""
        if self._depth == 1 and sign == ",":
            self._expects_key = True
        self._depth -= sign in "}]"

    def _within(self, sign: str) -> str:
        """One sign of a text."""
        if self._escape is not None:
            return self._said(self._escaped(sign))
        if sign == "\\":
            self._escape = ""
        elif sign == '"':
            self._in_text = self._in_key = False
        else:
            return self._said(sign)
        return ""

    def _escaped(self, sign: str) -> str:
        """What an escape stands for, when it ends with this sign."""
        collected = f"{self._escape}{sign}"
        if collected[0] != "u":
            self._escape = None
            return _ESCAPES.get(sign, sign)
        self._escape = collected
        if len(collected) <= _HEX:
            return ""
        self._escape = None
        try:
            return self._unit(int(collected[1:], 16))
        except ValueError:
            return ""

    def _unit(self, unit: int) -> str:
        """A character of UTF-16, of which some take two units."""
        if 0xD800 <= unit < 0xDC00:
            self._high = unit
            return ""
        if 0xDC00 <= unit < 0xE000:
            high, self._high = self._high, 0
            return chr(0x10000 + ((high - 0xD800) << 10) + unit - 0xDC00) if high else ""
        return chr(unit)

    def _said(self, text: str) -> str:
        if self._in_key:
            self._key += text
            return ""
        return text if self._depth == 1 and self._key == self._field else ""
