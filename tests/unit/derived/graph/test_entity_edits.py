"""Edits of entities, folded: which name stands for which, and which are kept apart."""

from hmem.derived.graph.entity_edits import EntityEdits, edits_of
from hmem.storage.base import LogEntry


def entry(verb: str, before: str | None, after: str | None, owner: str | None = None) -> LogEntry:
    return LogEntry(0, "user", verb, after or "", None, before, after, owner)


def test_a_name_stands_for_the_last_one_of_a_chain_of_merges() -> None:
    edits = edits_of([entry("merge", "Quim\nJoaquim", "Lucy"), entry("merge", "lucy", "Lucia")])
    assert [edits.surviving_name("", name) for name in ("quim", "Joaquim", "Lucy", "Tom")] == [
        "Lucia",
        "Lucia",
        "Lucia",
        "Tom",
    ]
    assert edits.merged("", "Lucia")
    assert not edits.merged("", "Tom")


def test_two_names_merged_into_each_other_stand_for_one_of_them() -> None:
    edits = edits_of([entry("merge", "B", "A"), entry("merge", "A", "B")])
    assert {edits.surviving_name("", "A"), edits.surviving_name("", "B")} <= {"A", "B"}


def test_a_split_parts_two_names_until_they_are_merged_again() -> None:
    split = entry("split", "Tom Smith", "Tom")
    assert list(edits_of([split]).split_names("", "tom")) == ["tom smith"]
    assert list(edits_of([split, entry("merge", "Tom", "Tom Smith")]).split_names("", "Tom")) == []


def test_edits_hold_for_their_owner_alone() -> None:
    edits = edits_of([entry("merge", "Quim", "Lucy", "bob")])
    assert edits.surviving_name("bob", "Quim") == "Lucy"
    assert edits.surviving_name("", "Quim") == "Quim"


def test_what_was_forgotten_edits_nothing() -> None:
    assert edits_of([entry("merge", None, "Lucy"), entry("split", None, None)]) == EntityEdits()
