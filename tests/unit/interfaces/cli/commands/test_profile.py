"""`hmem profile`."""

from pathlib import Path

from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_a_profile_is_written_for_a_prompt_and_as_json(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(
            "Big news: I started a job as a baker in Faro last week!", speaker="Maria", at="2024-03-12T10:00:00Z"
        )
        memory.add({"role": "assistant", "content": "Maria works as a pilot."}, at="2024-03-13T10:00:00Z")
        profile = memory.profile("Maria")
    assert "baker" in profile.text
    written = run("profile", "Maria", "--memory", path)
    assert (written.code, written.out, written.err) == (0, f"{profile.text}\n", "")
    assert run("profile", "maria", "--memory", path, "--json").json == profile.to_dict()
    assert run("profile", "--memory", path).out == written.out
    assert run("profile", "--tokens", 1, "--memory", path).out == "nothing is known yet\n"
    assert run("profile", "--as-of", "2024-01-01", "--memory", path).out == "nothing is known yet\n"
    assert run("profile", "Nobody", "--memory", path).code == 2
    assert run("profile", "--tokens", 0, "--memory", path).code == 2


def test_a_profile_of_one_of_several_users_is_asked_for(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        for user, work in (("alice", "baker"), ("bob", "pilot")):
            memory.add(f"Big news: I started a job as a {work} in Faro last week!", speaker="user", user=user)
    shown = run("profile", "--user", "alice", "--memory", path)
    assert "baker" in shown.out
    assert "pilot" not in shown.out
    assert "several users" in run("profile", "--memory", path).err
