"""Environments of peers."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hmem.errors import HmemError
from hmem_evals.peers.catalogue import Peer
from hmem_evals.peers.environment import interpreter


def test_a_peer_without_requirements_runs_in_our_own_environment(fake: Callable[..., Peer], tmp_path: Path) -> None:
    assert interpreter(fake(), tmp_path) == Path(sys.executable)
    assert list(tmp_path.iterdir()) == []


def test_an_environment_is_made_once_for_a_list_of_packages(
    fake: Callable[..., Peer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "calls"
    made = tmp_path / "python"
    # Stands in for the interpreter: it makes an environment whose own interpreter is the same.
    made.write_text(
        f'#!/bin/sh\necho "$@" >> {calls}\ncase $2 in venv) mkdir -p $3/bin; cp {made} $3/bin/python;; esac\n'
    )
    made.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(made))
    one = replace(fake("one"), requirements=("soup==1",))
    first = interpreter(one, tmp_path / "home")
    assert interpreter(one, tmp_path / "home") == first
    assert first.exists()
    assert calls.read_text().count("venv") == calls.read_text().count("soup==1") == 1
    assert interpreter(replace(one, requirements=("soup==2",)), tmp_path / "home") != first


def test_what_cannot_be_installed_is_named(
    fake: Callable[..., Peer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho one >&2; echo no such package >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    with pytest.raises(HmemError, match=r"the environment of fake cannot be made \(no such package\) - leave it out"):
        interpreter(replace(fake(), requirements=("soup==1",)), tmp_path / "home")
