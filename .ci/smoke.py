"""Smoke tests of an installation: ``python smoke.py WHAT``, outside of the repository; WHAT is ``core`` or an extra.

Each keeps a turn, recalls it, and does the one thing that its extra is for, as far as that needs no network.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import hmem
from hmem import Memory, errors

TEXT = "I live in Lisbon, with my sister Inês."
QUESTION = "Where does Maria live?"
# Frameworks: the module of the adapter, its class, and what it takes besides the memory.
FRAMEWORKS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "agent-framework": ("agent_framework", "HmemContextProvider", {}),
    "autogen": ("autogen", "HmemAutoGenMemory", {}),
    "crewai": ("crewai", "HmemCrewMemory", {}),
    "google-adk": ("google_adk", "HmemMemoryService", {}),
    "haystack": ("haystack", "HmemMemoryStore", {}),
    "langgraph": ("langgraph", "HmemStore", {}),
    "llama-index": ("llama_index", "HmemMemoryBlock", {}),
    "openai-agents": ("openai_agents", "HmemSession", {"session_id": "s1"}),
    "pydantic-ai": ("pydantic_ai", "Remembering", {}),
    "strands": ("strands", "HmemStrandsStore", {}),
}
# Extras whose work needs a model or a server: what must load, and the name to ask for, which says what is missing.
WEIGHTS = {
    "fastembed": ("fastembed", "fastembed:no/such-model"),
    "sentence-transformers": ("sentence_transformers", "sentence-transformers:/no/such/model"),
}


def command(*arguments: str) -> str:
    """Run ``hmem`` and return what it writes."""
    done = subprocess.run(
        [sys.executable, "-m", "hmem", *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def installed(error: Exception) -> None:
    """Fail if an error says that a package is missing, and not a model."""
    assert "pip install" not in str(error), error


def filled(folder: Path) -> Memory:
    """Return a memory of one turn."""
    memory = Memory(folder / "me.hmem")
    memory.add(TEXT, speaker="Maria", wait=True)
    return memory


def core(folder: Path) -> None:
    with filled(folder) as memory:
        assert memory.search(QUESTION)[0].text == TEXT
        assert "Lisbon" in memory.context(QUESTION).text
        assert "Lisbon" in memory.ask(QUESTION).text
        assert memory.notes()
        assert memory.verify()
    assert json.loads(command("search", QUESTION, "--memory", str(folder / "me.hmem"), "--json"))["evidence"]
    assert json.loads(command("doctor", "--memory", str(folder / "me.hmem"), "--json"))["ok"]


def client(folder: Path) -> None:
    del folder
    try:
        hmem.connect("http://127.0.0.1:9", "me", retries=0).search(QUESTION)
    except errors.ServerUnavailable:
        return
    raise AssertionError("a server that is not there was found")


def documents(folder: Path) -> None:
    page = folder / "page.html"
    page.write_text(f"<html><body><h1>Maria</h1><p>{TEXT}</p></body></html>")
    importlib.import_module("markitdown")
    command("import", str(page), "--memory", str(folder / "documents.hmem"))
    with Memory(folder / "documents.hmem") as memory:
        assert "Lisbon" in memory.search(QUESTION)[0].text


def import_(folder: Path) -> None:
    file, place = folder / "mem0.json", folder / "import.hmem"
    file.write_text(json.dumps([{"id": "1", "memory": TEXT, "user_id": "maria", "created_at": "2026-01-10T09:00:00Z"}]))
    command("import", str(file), "--memory", str(place))
    with Memory(place) as memory:
        assert memory.search(QUESTION)[0].text == TEXT


def hooks(folder: Path) -> None:
    mcp(folder)
    event = json.dumps({"session_id": "S1", "prompt": QUESTION, "cwd": str(folder)})
    clean = os.environ | {"HMEM_ROOT": str(folder / "root"), "HMEM_HOOKS": "off"}
    done = subprocess.run(
        [sys.executable, "-m", "hmem", "hook", "user-prompt-submit"],
        input=event, capture_output=True, text=True, check=True, timeout=300, env=clean,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("", "")


def faiss(_: Path) -> None:
    from hmem.corpus.index import vector  # noqa: PLC0415

    numpy = importlib.import_module("numpy")
    rows = numpy.random.default_rng(0).normal(size=(vector.EXACT + 1, 64)).astype("f4")
    index = vector.VectorIndex(64)
    index.add(rows / numpy.linalg.norm(rows, axis=1, keepdims=True))
    index.search(rows[0], 1)
    assert "faiss" in sys.modules


def mcp(folder: Path) -> None:
    said = json.loads(command("mcp", "--memory", str(folder / "me.hmem"), "--json"))
    assert said


def model(folder: Path) -> None:
    with Memory(folder / "model.hmem", analyst="openai:none@http://127.0.0.1:9/v1") as memory:
        memory.add(TEXT, speaker="Maria", wait=True)
        assert memory.search(QUESTION)


def multilingual(folder: Path) -> None:
    with Memory(folder / "me.hmem", embedder="multilingual") as memory:
        memory.add("Ich wohne in Lissabon.", speaker="Maria")
        assert memory.search("Wo wohnt Maria?")[0].text == "Ich wohne in Lissabon."


def postgres(folder: Path) -> None:
    del folder
    try:
        Memory("postgresql://nobody@127.0.0.1:9/none?memory=me")
    except errors.StorageUnavailable:
        return
    raise AssertionError("a database that is not there was found")


def rerank(folder: Path) -> None:
    with filled(folder):
        pass
    importlib.import_module("sentence_transformers")
    try:
        Memory(folder / "me.hmem", settings={"retrieval.rerank": "cross-encoder:/no/such/model"}).search(QUESTION)
    except errors.RerankerUnavailable as error:
        installed(error)


def server(folder: Path, *options: str) -> None:
    with filled(folder):
        pass
    started = [sys.executable, "-m", "hmem", "serve", "--root", str(folder), "--port", "18765", *options]
    with subprocess.Popen(started, stderr=subprocess.PIPE) as running:
        try:
            body = json.dumps({"question": QUESTION}).encode()
            address = "http://127.0.0.1:18765/v1/memories/me/search"
            request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
            assert "Lisbon" in answered(request, running)
        finally:
            running.terminate()


def answered(request: urllib.request.Request, server: "subprocess.Popen[bytes]") -> str:
    """Return a server's answer, when it has started."""
    for _ in range(600):
        if server.poll() is not None and server.stderr is not None:
            raise AssertionError(server.stderr.read().decode())
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read()) from error
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the server did not start")


def otel(folder: Path) -> None:
    importlib.import_module("opentelemetry.sdk")
    server(folder, "--otel")


def framework(name: str, folder: Path) -> None:
    module, kind, more = FRAMEWORKS[name]
    adapter = importlib.import_module(f"hmem_agents.{module}")
    with filled(folder) as memory:
        assert getattr(adapter, kind)(memory=memory, **more)


def weights(name: str, folder: Path) -> None:
    module, embedder = WEIGHTS[name]
    importlib.import_module(module)
    try:
        Memory(folder / "other.hmem", embedder=embedder)
    except errors.EmbedderUnavailable as error:
        installed(error)
        return
    raise AssertionError("a model that is not there was found")


def wordllama(folder: Path) -> None:
    with Memory(folder / "me.hmem", embedder="wordllama") as memory:
        memory.add(TEXT, speaker="Maria")
        assert memory.search(QUESTION)[0].text == TEXT


def main() -> int:
    what = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        began = time.perf_counter()
        if what in FRAMEWORKS:
            framework(what, folder)
        elif what in WEIGHTS:
            weights(what, folder)
        else:
            # `import` is no name for a function.
            tried: Callable[[Path], None] = globals()["import_" if what == "import" else what.replace("-", "_")]
            tried(folder)
        print(f"{what}: hmem {version('hmem')} on {sys.version.split()[0]}, {time.perf_counter() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
