"""`hmem standin`."""

import json
import signal
import socket
import subprocess
import sys
from http.client import HTTPConnection
from pathlib import Path

import pytest
from tests.processes import SECONDS, running
from tests.unit.interfaces.cli.conftest import Run


def ended(*arguments: str, calls: int, by: signal.Signals) -> tuple[list[int], list[str], int]:
    """Start it, call it, end it: the statuses of the calls, its lines after the first, its exit code."""
    command = [sys.executable, "-m", "hmem", "standin", *arguments]
    with running(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        port = int(first.partition("127.0.0.1:")[2].partition("/")[0])
        statuses: list[int] = []
        for _ in range(calls):
            connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
            connection.request("POST", "/v1/chat/completions", '{"messages": [{"role": "user", "content": "Hi"}]}')
            statuses.append(connection.getresponse().status)
            connection.close()
        process.send_signal(by)
        rest = process.stdout.read().splitlines()
        return statuses, rest, process.wait(SECONDS)


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM], ids=lambda each: each.name)
def test_it_answers_until_it_is_interrupted(by: signal.Signals) -> None:
    assert ended("--fail", "every:3", calls=4, by=by) == ([200, 200, 500, 200], ["4 calls answered"], 0)


def test_a_script_and_json(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text('[{"do": "busy", "calls": "1", "seconds": 0}]')
    statuses, rest, code = ended("--script", str(script), "--json", calls=2, by=signal.SIGTERM)
    assert (statuses, [json.loads(line) for line in rest], code) == ([429, 200], [{"calls": 2}], 0)


def test_a_bad_script_and_bad_calls_are_refused(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text("{}")
    assert run("standin", "--script", script, "--json").json["error"]["name"] == "InvalidFile"
    assert run("standin", "--fail", "often", "--json").json["error"]["name"] == "UnknownName"


def test_a_port_that_is_taken_is_told_of_in_one_line(run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = run("standin", "--port", taken.getsockname()[1])
    assert result.code == 2
    assert "choose another" in result.err
