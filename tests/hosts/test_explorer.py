"""The explorer in a real Chromium, against a real server and the example of ten months."""

import shutil
import sys
from pathlib import Path
from typing import Final

import pytest
from tests.hosts.environments import NODE, ROOT, npm_environment
from tests.hosts.typescript_package import install, pack, run
from tests.serving import serving

from hmem.interfaces.rest import explorer

PACKAGES: Final = (
    "@axe-core/playwright@^4.14.0",
    "@sparticuz/chromium@^153.0.0",
    "@sveltejs/vite-plugin-svelte@^7.3.0",
    "eventsource-parser@^3.0.6",
    "openapi-fetch@^0.17.0",
    "playwright-core@^1.65.0",
    "svelte@^5.57.0",
    "svelte-check@^4.7.0",
    "typescript@5.9",
    "vite@^8.3.0",
)


@pytest.fixture(scope="module")
def built() -> Path:
    """The folder of the explorer's sources and tests, with the page built from them."""
    file, _ = pack()
    folder = npm_environment("explorer", PACKAGES)
    install(file, folder)
    source = folder / "explorer"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "explorer", source, ignore=shutil.ignore_patterns("node_modules"))
    run(source, NODE, folder / "node_modules" / "svelte-check" / "bin" / "svelte-check", "--fail-on-warnings")
    run(source, NODE, folder / "node_modules" / "vite" / "bin" / "vite.js", "build", "--outDir", folder / "page")
    return source


def test_each_view_does_its_main_act(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = built.parent / "page"
    made = {each.relative_to(page).as_posix(): each.read_bytes() for each in page.rglob("*") if each.is_file()}
    monkeypatch.setattr(explorer, "built_page", lambda: made)
    example = ROOT / "examples" / "ten_months.jsonl"
    run(tmp_path, sys.executable, "-m", "hmem", "import", "--memory", tmp_path / "example.hmem", example)
    with serving(tmp_path) as site:
        print(run(built, NODE, "--test", "--test-force-exit", "test/views.test.mjs", also={"HMEM_URL": site.address}))
