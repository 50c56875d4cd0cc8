"""Many memories at once: each is answered from itself alone, within bounded files."""

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from tests.serving import SECONDS, Site, serving

from hmem.interfaces.rest.keys import Keys

MEMORIES = 12


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A server that keeps fewer memories open than there are."""
    with serving(tmp_path / "root", memories=4, threads=4) as found:
        yield found


def canary(number: int) -> str:
    return f"canary{number:04}x"


def test_no_answer_of_one_memory_has_a_word_of_another_under_load(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    keys = Keys(root / ".keys.json")
    heads = [{"Authorization": f"Bearer {keys.create(canary(i), ['admin'], [f'of-{i}'])[0]}"} for i in range(MEMORIES)]
    with serving(root, memories=4, threads=4) as site:

        def use(number: int) -> list[str]:
            """What one client is told that it should not be."""
            mine, wrong = canary(number), list[str]()
            with httpx.Client(base_url=site.address, timeout=SECONDS, trust_env=False, headers=heads[number]) as http:
                base = f"/v1/memories/of-{number}"
                assert http.post("/v1/memories", json={"name": f"of-{number}"}).status_code == 201
                for turn in range(3):
                    said = {"text": f"My {mine} sings in the tree {turn}", "speaker": f"Owner{mine}"}
                    other = (number + turn + 1) % MEMORIES
                    answers = [
                        http.post(f"{base}/turns", json=said, headers={"Idempotency-Key": f"same-{turn}"}),
                        http.post(f"{base}/search", json={"question": "What sings in the tree?"}),
                        http.post(f"{base}/context", json={"question": "What sings?", "tokens": 400}),
                        http.post(f"{base}/ask", json={"question": "What sings in the tree?"}),
                        http.get(f"{base}/turns"),
                        http.get(f"{base}/events"),
                        http.get("/v1/memories"),
                    ]
                    wrong += [f"{each.request.url}: {each.status_code}" for each in answers if each.status_code != 200]
                    answers.append(http.post(f"/v1/memories/of-{other}/search", json={"question": "tree"}))
                    texts = [each.text.replace(mine, "") for each in answers]
                    wrong += [text for text in texts if "canary" in text]
                    wrong += [] if answers[-1].status_code == 403 else [f"of-{other} was opened"]
                    wrong += [] if mine in answers[1].text else ["its own is missing"]
            return wrong

        with ThreadPoolExecutor(MEMORIES) as pool:
            found = list(pool.map(use, range(MEMORIES)))
    assert found == [[]] * MEMORIES


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts files in /proc")
def test_memories_opened_in_turn_leave_no_files_open(site: Site) -> None:
    def files() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - no path is wanted

    counts: list[int] = []
    for number in range(20):
        site.create(f"m{number}")
        assert site.post(f"memories/m{number}/turns", {"text": "The oven is hot"}).status_code == 200
        assert "oven" in site.post(f"memories/m{number}/search", {"question": "oven"}).text
        counts.append(files())
    assert max(counts[10:]) <= max(counts[:10]) + 4
