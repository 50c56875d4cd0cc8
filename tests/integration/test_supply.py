"""What is told of the dependencies is so."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_direct_dependency_is_listed_with_a_licence_that_asks_nothing_of_the_user() -> None:
    command = [sys.executable, str(ROOT / ".ci" / "supply.py"), "licences"]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    listed = {line.split()[0]: line for line in lines[1:]}
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    names = {line.split(">")[0].split("<")[0].lower() for line in core} - {"hmem-encoder", "hmem-english"}
    assert names <= listed.keys()
    assert all(" core " in listed[name] for name in names)
    assert "numpy" in listed
    # A database's driver, of an extra, may be under the LGPL; the core may not.
    asking = [line for line in lines if "GPL" in line or "not declared" in line]
    assert not [line for line in asking if not (line.split()[0].startswith("psycopg") and " postgres " in line)]


def test_the_tools_for_supply_are_named_in_the_security_policy() -> None:
    policy, make = ((ROOT / name).read_text("utf-8") for name in ("SECURITY.md", "Makefile"))
    for target in ("licences", "sbom", "audit", "wheels"):
        assert f"`make {target}`" in policy
        assert f"\n{target}:" in make
