import pytest
from tests.formation import example

from hmem import Memory


def test_a_summary_names_who_and_when_and_keeps_its_bound() -> None:
    from hmem.language.tokens import count_tokens

    with Memory(":memory:", settings={"formation.summary_tokens": "60"}) as memory:
        memory.add(example(60))
        root = memory.tree("calendar", summaries=True)
        written = [branch.node for year in root.children for branch in (year, *year.children)]
        assert written
        for node in written:
            assert 0 < count_tokens(node.summary) <= 60
            assert "2025" in node.summary
            assert "Nadia" in node.summary or "Assistant" in node.summary


@pytest.mark.example(60)
def test_a_summary_is_written_again_when_a_turn_comes_under_its_node(memory: Memory) -> None:
    before = memory.tree("calendar", summaries=True).node.summary
    memory.add(
        "I won the national chess championship in Madrid, 10 matches of 10!", speaker="Nadia",
        at=example(60)[-1]["at"], session="new",
    )  # fmt: skip
    assert memory.tree("calendar").node.summary == ""
    assert memory.tree("calendar", summaries=True).node.summary != ""
    assert before


def test_a_topic_is_named_by_the_words_of_its_turns(memory: Memory) -> None:
    pottery = (
        "My pottery class began on Monday.",
        "I made bowls for Maria in the pottery class.",
        "Our pottery class is full until June.",
    )
    sailing = (
        "Rui and I sailed the boat to Madeira in August.",
        "I painted the boat blue with my brother on Sunday.",
        "We sold the old boat to a man from Faro.",
    )
    memory.add([{"text": text, "speaker": "Ana", "session": text} for text in (*pottery, *sailing)])
    (topic,) = memory.tree("topic").children
    assert topic.node.label == "pottery class, boat"


def test_a_topic_whose_turns_share_no_word_has_no_name(memory: Memory) -> None:
    said = ("I sold the sofa to a friend in Faro.", "We adopted a puppy from the shelter.", "My sister moved to Porto.")
    memory.add([{"text": text, "speaker": "Ana", "session": text} for text in said])
    labels = [topic.node.label for topic in memory.tree("topic").children]
    assert labels
    assert not any(labels)


@pytest.mark.example
def test_a_large_node_is_summed_up_from_what_is_below_it(memory: Memory) -> None:
    memory.add(example(60))
    root = memory.tree("calendar", summaries=True)
    assert root.node.size > 200
    assert root.node.summary


@pytest.mark.example(120)
def test_profiles_are_of_people_places_and_what_is_named_often(memory: Memory) -> None:
    graph = memory.graph(limit=200)
    types = {entity.id: entity.type for entity in graph.entities}
    assert graph.profiles
    for profile in graph.profiles:
        salient = types[profile.entity] in ("person", "animal", "organization", "location")
        assert salient or graph.mentions[profile.entity] >= 5
        assert profile.sources


def test_a_name_that_is_not_certain_has_no_profile_however_often_it_stands(memory: Memory) -> None:
    for number in range(6):
        memory.add(f"Meter {number} works. Grazie.", speaker="Aldo")
    graph = memory.graph("Grazie")
    (grazie,) = (entity.id for entity in graph.entities if entity.name == "Grazie")
    assert graph.mentions[grazie] == 6
    assert grazie not in [profile.entity for profile in graph.profiles]


def test_a_persona_stands_on_notes_and_counts_its_versions(memory: Memory) -> None:
    memory.add("I love hiking in the mountains.", speaker="Nadia", session="a")
    early = memory.persona("Nadia")
    memory.add("I am allergic to peanuts.", speaker="Nadia", session="b")
    memory.add("I live in Porto.", speaker="Nadia", session="c")
    late = memory.persona("Nadia")
    assert early is not None
    assert late is not None
    assert "hiking" in early.text
    assert "peanuts" in late.text
    assert late.version > early.version
    assert set(late.sources) == {note.id for note in memory.notes(subject="Nadia")}
