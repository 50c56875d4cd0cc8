"""An embedder of hmem by a function."""

import subprocess
import sys
from pathlib import Path

# In a process of its own, since an embedder is offered to the whole of one.
CODE = """
import sys, numpy as np
from pathlib import Path
from hmem import Memory
from hmem_evals.peers.adapters.given import offer

def embed(texts):
    rows = np.array([[len(text), text.count("a") + 1, text.count("e")] for text in texts], np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)

with Memory(Path(sys.argv[1]) / "m.hmem", recipe="flat", embedder=offer(Path(sys.argv[1]) / "given", embed)) as memory:
    memory.add("Maria adopted a puppy.", message_id="D1:1")
    print(memory.stats().embedder, memory.search("puppy")[0].message_id)
"""


def test_a_memory_embeds_by_a_function(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", CODE, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["given", "D1:1"]
