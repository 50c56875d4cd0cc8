"""A peer in its own process, spoken to in lines of JSON."""

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any, Final, Self

from hmem.errors import HmemError
from hmem_evals.bench.apart import ONE_THREAD
from hmem_evals.peers import adapters
from hmem_evals.peers.catalogue import Peer

_WORKER: Final = Path(adapters.__file__).with_name("worker.py")

# Function that gives a vector for each text.
Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


class PeerProcess:
    """Worker of one peer. ``embedder`` describes its embedder; ``embed`` gives the vectors that it asks for.

    Libraries of linear algebra get one thread, and whatever a peer keeps for its user lies in ``folder``.
    """

    def __init__(
        self,
        peer: Peer,
        python: Path,
        folder: Path,
        *,
        embedder: Mapping[str, Any] | None = None,
        embed: Embed | None = None,
    ) -> None:
        self.peer = peer
        self._embed = embed
        setup = {"adapter": peer.adapter, "options": dict(peer.options), "embedder": embedder if peer.embeds else None}
        self._stderr: IO[bytes] = TemporaryFile()  # noqa: SIM115 - closed on exit
        self._process = subprocess.Popen(  # noqa: S603 - our own file, by the peer's interpreter
            # Without -P the worker's folder would come first, and an adapter has the name of its package.
            [str(python), "-P", str(_WORKER), json.dumps(setup)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            encoding="utf-8",
            env={**os.environ, **ONE_THREAD, **_offline(folder)},
        )

    def ask(self, do: str, **request: Any) -> dict[str, Any]:
        """Return the reply to a request: its ``result``, ``ms`` and ``cpu_ms``.

        Raises:
            HmemError: the process ended.
        """
        reply = self._exchange({"do": do, **request})
        while "embed" in reply:
            if self._embed is None:
                raise HmemError(f"{self.peer.name} asked for vectors of a model - give it an embedder")
            reply = self._exchange({"vectors": [list(vector) for vector in self._embed(reply["embed"])]})
        return reply

    def _exchange(self, line: Mapping[str, Any]) -> dict[str, Any]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise HmemError(f"{self.peer.name} has no pipes - start it anew")
        try:
            stdin.write(f"{json.dumps(line)}\n")
            stdin.flush()
            reply = stdout.readline()
        except BrokenPipeError:
            reply = ""
        if not reply:
            raise HmemError(f"{self.peer.name} failed ({self._last_line()}) - leave it out by --peers")
        return json.loads(reply)

    def _last_line(self) -> str:
        self._process.wait()
        self._stderr.seek(0)
        lines = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else f"exit code {self._process.returncode}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        # The worker ends with its input; one that hangs, or whose reply was not awaited, is ended.
        if error is not None:
            self._process.kill()
        self._process.communicate()
        self._stderr.close()


def _offline(folder: Path) -> dict[str, str]:
    """Return the variables by which peers reach no model hub, send no figures, and write nothing elsewhere."""
    return {
        "HF_HUB_OFFLINE": "1",
        "ANONYMIZED_TELEMETRY": "False",
        "MEM0_TELEMETRY": "False",
        "MEM0_DIR": str(folder / "mem0"),
        "TOKENIZERS_PARALLELISM": "false",
    }
