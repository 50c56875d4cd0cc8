from hmem import Memory


def test_an_answer_is_read_from_what_took_the_place() -> None:
    with Memory(":memory:") as memory:
        memory.add("I live in Porto.", speaker="Maria", at="2024-01-05T10:00:00Z", session="a")
        last = memory.add("I moved to Lisbon this week.", speaker="Maria", at="2024-03-12T10:00:00Z", session="b")
        now = memory.ask("Where does Maria live?")
        assert "Lisbon" in now.text
        assert last.id in {source for item in now.evidence for source in item.sources}
        assert "Porto" in memory.ask("Where did Maria live before?").text


def test_a_turn_that_says_something_else_too_is_still_read_for_that() -> None:
    with Memory(":memory:") as memory:
        memory.add("I live in Porto and my brother Tim plays the cello.", speaker="Maria", at="2024-01-05T10:00:00Z")
        memory.add("I moved to Lisbon this week.", speaker="Maria", at="2024-03-12T10:00:00Z")
        assert "cello" in memory.ask("Which instrument does Tim play?").text
