"""What was formed is shown in the shapes that the commands write."""

import json
from typing import Any

import pytest
from tests.serving import Site, problem

from hmem import Memory
from hmem.interfaces.serialisation import plain

STORY = [
    {"text": "I adopted a puppy named Coco", "speaker": "Maria", "at": "2023-08-11T10:00:00Z", "session": "s1"},
    {"text": "My favorite food is sushi", "speaker": "Maria", "at": "2023-09-02T18:00:00Z", "session": "s2"},
]


@pytest.fixture
def told(site: Site, name: str) -> str:
    assert site.post(f"memories/{name}/turns/batch", {"messages": STORY}).status_code == 200
    return name


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(plain(value)))


def test_each_view_is_what_the_commands_write(site: Site, told: str) -> None:
    def shown(view: str) -> Any:
        return site.get(f"memories/{told}/{view}").json()

    with Memory(site.settings.root / f"{told}.hmem") as memory:
        for tree in ("timeline", "topics", "layers", "evolution"):
            assert shown(tree) == as_json(getattr(memory, tree)())
        for listed in ("sessions", "notes", "events"):
            assert shown(listed) == {"items": as_json(getattr(memory, listed)()), "next": None}
        assert shown("episodes")["items"] == plain(memory.episodes())
        assert shown("graph") == as_json(plain(memory.graph()))
        assert shown("personas") == plain(memory.personas())
        assert shown("persona?speaker=Maria") in plain(memory.personas())
        # The scores fall as time goes by.
        assert shown("tiers")["counts"] == memory.tiers().counts
        assert shown("tiers")["cache"][0].keys() == as_json(memory.tiers())["cache"][0].keys()
        assert shown("conflicts") == []


def test_a_tree_has_as_many_levels_as_wanted(site: Site, told: str) -> None:
    tree = site.get(f"memories/{told}/timeline", params={"depth": 1, "summaries": "true"}).json()
    assert tree["children"]
    assert all(child["children"] == [] for child in tree["children"])


def test_what_is_not_there_is_a_problem(site: Site, told: str) -> None:
    assert problem(site.get(f"memories/{told}/persona", params={"speaker": "Nobody"})) == (404, "UnknownId")
    assert problem(site.get(f"memories/{told}/graph", params={"entity": "Nobody"})) == (404, "UnknownId")
    assert problem(site.get(f"memories/{told}/notes", params={"as_of": "noon"})) == (422, "InvalidTime")
    assert problem(site.get(f"memories/{told}/tiers", params={"as_of": "2024-01-01"})) == (422, "InvalidQuery")
    assert problem(site.get(f"memories/{told}/notes", params={"cursor": "x"})) == (422, "InvalidRequest")
