"""What speakers are called, in the scope of each owner."""

from tests.formation import derived

from hmem import Memory
from hmem.derived.speaker_names import ScopedPerson
from hmem.model.scope import COMMON, scoped

ACCENTED, APART = "Jos\u00e9", "Jose\u0301"


def test_all_spellings_of_a_name_are_one_person_called_as_spelled_first(memory: Memory) -> None:
    for name in ("maria", "Maria", " MARIA ", ACCENTED, APART):
        memory.add("I live in Porto.", speaker=name)
    names = derived(memory).names
    with memory.corpus.reading():
        assert [names.name(person) for person in names.people()] == ["maria", ACCENTED]
        assert names.find(scoped(COMMON, "mArIa")) == names.find(scoped(COMMON, "Maria")) is not None
        assert names.first_spelling(COMMON, APART) == ACCENTED
    assert [turn.speaker for turn in memory.list()] == ["maria", "Maria", " MARIA ", ACCENTED, APART]


def test_people_of_different_owners_are_told_apart(memory: Memory) -> None:
    memory.add("I live in Rome.", speaker="Maria", user="bob")
    memory.add("I live in Porto.", speaker="maria", user="alice")
    memory.add("I live in Faro.", speaker="MARIA")
    names = derived(memory).names
    with memory.corpus.reading():
        assert [names.first_spelling(owner, "maria") for owner in ("bob", "alice", COMMON)] == [
            "Maria",
            "maria",
            "MARIA",
        ]
        assert names.find(scoped("carol", "maria")) is None
        assert names.people_named("Maria") == [
            ScopedPerson(COMMON, 3),
            ScopedPerson("alice", 2),
            ScopedPerson("bob", 1),
        ]
        assert [names.target(person) for person in names.people()] == ["bob/Maria", "alice/maria", "MARIA"]
        assert all(names.targeted(names.target(person)) == person for person in names.people())


def test_a_slash_in_a_users_name_makes_nobody_else(memory: Memory) -> None:
    memory.add("I live in Rome.", speaker="c", user="a/b")
    memory.add("I live in Porto.", speaker="b/c", user="a")
    names = derived(memory).names
    with memory.corpus.reading():
        assert {names.target(person) for person in names.people()} == {"a%2Fb/c", "a/b/c"}


def test_who_is_forgotten_is_nobody_and_the_next_spelling_names_the_rest(memory: Memory) -> None:
    first = memory.add("I live in Rome.", speaker="maria", user="bob")
    memory.add("I live in Porto.", speaker="Maria", user="bob")
    memory.forget(first.id)
    names = derived(memory).names
    with memory.corpus.reading():
        assert [names.name(person) for person in names.people("bob")] == ["Maria"]
    memory.forget(user="bob")
    assert derived(memory).names.people() == []
