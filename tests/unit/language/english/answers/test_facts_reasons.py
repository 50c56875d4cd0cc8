from tests.recall import plain

from hmem import Memory


def test_why_is_answered_by_what_stands_behind_because() -> None:
    with Memory(":memory:") as memory:
        memory.add("I quit my job because I wanted to see the world.", speaker="Nora", session="s")
        memory.add("The trains were late all week.", speaker="Tom", session="s")
        assert plain(memory.ask("Why did Nora quit her job?")) == "they wanted to see the world"
