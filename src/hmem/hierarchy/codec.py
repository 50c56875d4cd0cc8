"""How a chunk's content lies in storage: JSON, deflated; or bytes as they are behind a byte that says so."""

import json
import zlib
from typing import Any, Final

# A stream of zlib never begins with this byte.
_RAW: Final = b"\x00"
_LEVEL: Final = 9


def encode(content: Any) -> bytes:
    """The bytes of a content of JSON's values, or of bytes."""
    if isinstance(content, bytes):
        return _RAW + content
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def decode(stored: bytes) -> Any:
    """The inverse.

    Raises:
        ValueError: the bytes are damaged.
    """
    if stored[:1] == _RAW:
        return stored[1:]
    try:
        return json.loads(zlib.decompress(stored).decode("utf-8", "surrogatepass"))
    except zlib.error as error:
        raise ValueError(str(error)) from error
