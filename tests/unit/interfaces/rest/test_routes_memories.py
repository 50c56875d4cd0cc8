"""Memories are made, listed, looked at and erased."""

import pytest
from tests.serving import Site, problem


def test_a_memory_is_made_once_whatever_its_case(site: Site) -> None:
    made = site.post("memories", {"name": "Garden", "zone": "Europe/Lisbon"})
    assert (made.status_code, made.json()["name"], made.json()["zone"]) == (201, "Garden", "Europe/Lisbon")
    assert "path" not in made.json()
    for name in ("Garden", "garden"):
        assert problem(site.post("memories", {"name": name})) == (409, "MemoryExists")
    assert problem(site.get("memories/garden")) == (404, "MemoryNotFound")


def test_names_are_listed_by_pages(site: Site) -> None:
    for number in range(3):
        site.create(f"listed-{number}")
    page = site.get("memories", params={"limit": 2, "after": "listed"}).json()
    assert page == {"items": ["listed-0", "listed-1"], "next": "listed-1"}
    assert site.get("memories", params={"after": page["next"]}).json()["items"][0] == "listed-2"


@pytest.mark.parametrize("name", ["", "..", "a/b", "con", "x" * 65, "a\u0000b"])
def test_a_name_that_could_leave_the_root_is_refused(site: Site, name: str) -> None:
    assert problem(site.post("memories", {"name": name})) == (422, "InvalidName")


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [("recipe", "soup", "UnknownName"), ("recipe", "", "UnknownName"), ("zone", "Mars", "InvalidTime"),
     ("embedder", "fastembed:x", "InvalidRequest"), ("analyst", "model:x", "InvalidRequest")],
)  # fmt: skip
def test_what_a_memory_cannot_be_made_with_is_refused_and_leaves_nothing(
    site: Site, field: str, value: str, error: str
) -> None:
    assert problem(site.post("memories", {"name": "half", field: value})) == (422, error)
    assert "half" not in site.get("memories").json()["items"]
    assert not (site.settings.root / "half.hmem").exists()


def test_an_erased_memory_is_gone_and_its_name_is_free(site: Site, name: str) -> None:
    site.post(f"memories/{name}/turns", {"text": "Hello there"})
    assert site.http.delete(f"/v1/memories/{name}").json() == {"name": name, "deleted": True}
    assert problem(site.get(f"memories/{name}/turns")) == (404, "MemoryNotFound")
    site.create(name)
    assert site.get(f"memories/{name}").json()["turns"] == 0
