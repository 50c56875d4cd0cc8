"""Print what the TypeScript client is made from: the OpenAPI document, the tree of errors, the frame of a context."""

import json

from hmem import __version__
from hmem.interfaces.rest.openapi import describe
from hmem.interfaces.rest.problems import error_classes
from hmem.language.prompt_text import CONTEXT_CLOSE, CONTEXT_OPEN


def main() -> None:
    """Print it as JSON."""
    errors = [
        {"name": kind.__name__, "base": kind.__base__.__name__, "about": " ".join((kind.__doc__ or "").split())}
        for kind in error_classes()
        if kind.__base__ is not None
    ]
    frame = {"open": CONTEXT_OPEN, "close": CONTEXT_CLOSE}
    print(json.dumps({"openapi": describe(__version__), "errors": errors, "frame": frame}))


if __name__ == "__main__":
    main()
