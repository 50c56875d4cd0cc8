"""What the TypeScript client is made from, without Node."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import hmem

CLIENT = Path(__file__).parents[2] / "clients" / "typescript"


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    command = [sys.executable, CLIENT / "scripts" / "describe.py"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, timeout=100).stdout)


def test_each_error_comes_after_its_base(described: dict[str, Any]) -> None:
    known = {"Exception"}
    for error in described["errors"]:
        assert error["base"] in known, error
        assert error["about"].endswith("."), error
        known.add(error["name"])
    problem = described["openapi"]["components"]["schemas"]["ProblemShape"]
    assert known - {"Exception"} == set(problem["properties"]["name"]["enum"])


def test_each_operation_has_a_summary_and_a_body_by_name(described: dict[str, Any]) -> None:
    for path, methods in described["openapi"]["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (method, path)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            assert body is None or "$ref" in body["schema"], (method, path)


@pytest.mark.parametrize("file", ["package.json", "package-lock.json"])
def test_the_package_and_its_lock_have_the_version_of_the_library(file: str) -> None:
    assert json.loads((CLIENT / file).read_text())["version"] == hmem.__version__
