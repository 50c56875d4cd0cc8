"""What CrewAI's interface promises, without a model."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta

from hmem import Memory
from hmem.errors import InvalidRequest, UnknownId
from hmem_agents.crewai import HmemCrewMemory

with Memory(":memory:") as memory:
    memory.add("My sister keeps a parrot", speaker="Maria", user="maria")
    crew = HmemCrewMemory(memory, speaker="Maria", user="maria")
    vet = crew.remember("The vet is in Rua Augusta", "/home/pets", ["places"], {"city": "Lisbon"}, 0.9)
    assert vet is not None
    assert (vet.scope, vet.categories, vet.metadata, vet.importance) == (
        "/home/pets",
        ["places"],
        {"city": "Lisbon"},
        0.9,
    )
    assert crew.remember_many(["The puppy is called Coco", "The fence is green"], "/home") == []
    crew.remember("The password of the gate is 1234", "/home", source="ben", private=True)
    HmemCrewMemory(memory, user="ben").remember("The puppy is called Rex", "/home")

    # Scopes and categories.
    assert [each.record.id for each in crew.recall("Where is the vet?", categories=["places"])] == [vet.id]
    assert crew.recall("Which parrot?", limit=1)[0].record.content.endswith("Maria: My sister keeps a parrot")
    assert "parrot" not in str(crew.recall("Which parrot?", "/home"))
    assert "Rex" not in str(crew.recall("What is the puppy called?"))
    assert "1234" not in str(crew.recall("What is the password of the gate?"))
    assert "1234" in str(crew.recall("What is the password of the gate?", source="ben"))
    assert "1234" in str(crew.recall("What is the password of the gate?", include_private=True))
    assert crew.list_scopes() == ["/home"]
    assert crew.list_scopes("/home") == ["/home/pets"]
    assert crew.list_categories() == {"places": 1}
    assert [each.content for each in crew.list_records("/home/pets")] == ["The vet is in Rua Augusta"]
    info = crew.info("/home")
    assert (info.record_count, info.categories, info.child_scopes) == (4, ["places"], ["/home/pets"])
    assert crew.tree().splitlines()[0] == "/ (4 records)"
    assert len(crew.scope("/home/pets").recall("Where is the vet?")) == 1

    # The text for a prompt has its marks around all lines.
    matches = crew.recall("What is the puppy called, is the fence green, and where is the vet?", "/home", limit=3)
    text = "\n".join(each.format() for each in matches)
    assert len(matches) == 3
    assert text.startswith("<hmem-recalled>\n")
    assert text.endswith("</hmem-recalled>")
    assert text.count("hmem-recalled>") == 2

    # A task is kept as asked and answered.
    report = "Task: What is\nfor tea?\nAgent: Helper\nExpected result: a\nlist\nResult: Cake"
    assert crew.extract_memories(report) == ["What is\nfor tea?", "Cake"]
    crew.remember_many(crew.extract_memories(report), agent_role="Helper", root_scope="/crew")
    assert [(turn.speaker, turn.role, turn.text) for turn in memory.list()[-2:]] == [
        ("Maria", "user", "What is\nfor tea?"),
        ("Helper", "assistant", "Cake"),
    ]
    assert crew.extract_memories("Something else") == ["Something else"]

    # Changes.
    right = crew.update(vet.id, "The vet is in Rua Garrett")
    assert (right.content, right.scope) == ("The vet is in Rua Garrett", "/home/pets")
    assert [each.id for each in crew.list_records("/home/pets")] == [right.id]
    assert "Garrett" in crew.recall("Where is the vet?", limit=1)[0].record.content
    for record, fields, error in ((vet.id, {"scope": "/x"}, InvalidRequest), ("turn_none", {}, UnknownId)):
        try:
            crew.update(record, **fields)
        except error:
            continue
        raise AssertionError(error)
    assert deepcopy(crew) is crew
    still = HmemCrewMemory(memory, user="maria", read_only=True)
    assert still.remember("No") is None
    assert still.remember_many(["No"]) == []

    # Erasing.
    assert crew.forget(older_than=datetime.now(UTC) - timedelta(days=1)) == 0
    assert crew.forget("/home/pets") == 1
    assert crew.forget(metadata_filter={"city": "Lisbon"}) == 0
    assert HmemCrewMemory(memory, user="maria", root_scope="/home").forget() == 3
    crew.reset()
    assert [(turn.user, turn.text) for turn in memory.list()] == [
        ("maria", "My sister keeps a parrot"),
        ("ben", "The puppy is called Rex"),
    ]
