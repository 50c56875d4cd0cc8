"""The key of a provider: from the environment or from a command, and never anywhere else.

It is asked for when it is needed, is kept in the process's memory only, and stands in no message of an error and in
nothing that is printed.
"""

import os
import shlex
import subprocess
from typing import Final

from hmem.errors import ModelUnavailable
from hmem.language.analyst.model.endpoint import Endpoint, usual_url

COMMAND: Final = "HMEM_KEY_COMMAND"
OWN: Final = "HMEM_API_KEY"
_USUAL: Final = {"anthropic": "ANTHROPIC_API_KEY", "ollama": "OLLAMA_API_KEY", "openai": "OPENAI_API_KEY"}
_PATIENCE: Final = 30.0

# What is sent to a server that asks for no key.
NO_KEY: Final = "no-key"
_HIDDEN: Final = "…"


class ApiKey:
    """A key that does not show itself."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The key, for the client that sends it."""
        return self._text

    def hidden_in(self, text: str) -> str:
        """A text in which the key does not stand any more."""
        return text.replace(self._text, _HIDDEN) if self._text and self._text != NO_KEY else text

    def __repr__(self) -> str:
        return f"Key({_HIDDEN})"

    def __reduce__(self) -> str:
        raise TypeError("a key is not pickled - set it in the environment of the other process")


def key_for(endpoint: Endpoint) -> ApiKey:
    """The key for a model, asked for anew.

    ``HMEM_KEY_COMMAND`` comes first: a command that prints the key, with the model's name in ``HMEM_MODEL``. Then
    ``HMEM_API_KEY``, then the provider's own variable, which is sent to the provider and to nobody else.

    Raises:
        ModelUnavailable: there is none, or the command fails.
    """
    if command := os.environ.get(COMMAND):
        return ApiKey(_printed_by(command, endpoint))
    if key := os.environ.get(OWN, "").strip():
        return ApiKey(key)
    usual = _USUAL[endpoint.provider]
    own_server = endpoint.base_url == usual_url(endpoint.provider)
    if own_server and (key := os.environ.get(usual, "").strip()):
        return ApiKey(key)
    if endpoint.is_foreign:
        return ApiKey(NO_KEY)
    raise ModelUnavailable(
        f"there is no key for {endpoint.name} - set {usual}, or {COMMAND} to what prints it", lasting=True
    )


def _printed_by(command: str, endpoint: Endpoint) -> str:
    """What a command prints. Its words are split as a shell does, and no shell reads them."""
    mend = "run it by itself to see why"
    try:
        done = subprocess.run(  # noqa: S603 - the owner of the environment names the command
            shlex.split(command),
            env={**os.environ, "HMEM_MODEL": endpoint.name},
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise ModelUnavailable(f"{COMMAND} did not run ({type(error).__name__}) - {mend}", lasting=True) from None
    if done.returncode != 0:
        raise ModelUnavailable(f"{COMMAND} failed with exit code {done.returncode} - {mend}", lasting=True)
    if not (printed := done.stdout.strip()):
        raise ModelUnavailable(f"{COMMAND} printed no key - {mend}", lasting=True)
    return printed.splitlines()[0].strip()
