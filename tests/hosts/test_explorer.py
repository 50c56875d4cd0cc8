"""The explorer in a real Chromium, against a real server and the example of ten months."""

import json
import os
import shutil
import sys
from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest
from benchmarks.stories import messages
from tests.hosts.environments import NODE, ROOT, npm_environment
from tests.hosts.typescript_package import install, pack, run

from hmem.language.embed import DEFAULT

PACKAGES: Final = (
    "@axe-core/playwright@^4.14.0",
    "@sparticuz/chromium@^153.0.0",
    "@sveltejs/vite-plugin-svelte@^7.3.0",
    "diff@^9.0.0",
    "eventsource-parser@^3.0.6",
    "graphology@^0.26.0",
    "graphology-layout-forceatlas2@^0.10.1",
    "graphology-types@^0.24.8",
    "openapi-fetch@^0.17.0",
    "playwright-core@^1.65.0",
    "sigma@^3.0.3",
    "svelte@^5.57.0",
    "svelte-check@^4.7.0",
    "typescript@5.9",
    "uplot@^1.6.32",
    "virtua@^0.54.0",
    "vite@^8.3.0",
    "vitest@^5.1.0",
)


PAGE: Final = files("hmem.interfaces").joinpath("explorer")
PICTURES: Final = os.environ.get("HMEM_PICTURES", "")
TESTS: Final = sorted(path.name for path in (ROOT / "explorer" / "test").glob("*.test.mjs"))


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder of the explorer's sources and tests, with the page built where the server finds it."""
    file, _ = pack()
    folder = npm_environment("explorer", PACKAGES)
    install(file, folder)
    source = folder / "explorer"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "explorer", source, ignore=shutil.ignore_patterns("node_modules"))
    run(source, NODE, folder / "node_modules" / "svelte-check" / "bin" / "svelte-check", "--fail-on-warnings")
    run(source, NODE, folder / "node_modules" / "vitest" / "vitest.mjs", "run", "--dir", "test/unit")
    run(source, NODE, folder / "node_modules" / "vite" / "bin" / "vite.js", "build", "--outDir", str(PAGE))
    return source


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example of ten months as a memory."""
    return remembered(tmp_path_factory.mktemp("example"), ROOT / "examples" / "ten_months.jsonl")


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The story of two friends as a memory."""
    folder = tmp_path_factory.mktemp("story")
    talk = folder / "talk.jsonl"
    talk.write_text("".join(f"{json.dumps(message, default=str)}\n" for message in messages("friends")), "utf-8")
    # Tests have another encoder than users.
    return remembered(folder, talk, {"HMEM_EMBEDDER": DEFAULT})


def remembered(folder: Path, talk: Path, also: dict[str, str] | None = None) -> Path:
    """Import a talk, and write all texts of it."""
    file = folder / "example.hmem"
    run(folder, sys.executable, "-m", "hmem", "import", "--memory", file, talk, also=also)
    run(folder, sys.executable, "-m", "hmem", "consolidate", "--memory", file)
    return file


@pytest.mark.parametrize("name", TESTS)
def test_each_view_does_its_main_act(built: Path, example: Path, name: str) -> None:
    also = {"HMEM_PYTHON": sys.executable, "HMEM_EXAMPLE": str(example)}
    print(run(built, NODE, "--test", "--test-force-exit", f"test/{name}", also=also))


@pytest.mark.skipif(not PICTURES, reason="makes pictures for the documentation - run `make pictures`")
def test_pictures_are_made(built: Path, story: Path) -> None:
    also = {"HMEM_PYTHON": sys.executable, "HMEM_EXAMPLE": str(story)}
    print(run(built, NODE, "test/pictures.mjs", PICTURES, also=also))


@pytest.mark.skipif(not PICTURES, reason="measures for the documentation - run `make pictures`")
def test_the_page_is_measured(built: Path, example: Path) -> None:
    also = {"HMEM_PYTHON": sys.executable, "HMEM_EXAMPLE": str(example)}
    print(run(built, NODE, "test/measure.mjs", also=also))
