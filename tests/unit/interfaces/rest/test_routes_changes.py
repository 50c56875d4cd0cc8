"""What people decide, over HTTP."""

import pytest
from tests.serving import Site, problem


@pytest.fixture
def told(site: Site, name: str) -> tuple[str, str]:
    said = {"text": "I adopted a puppy named Coco", "speaker": "Maria", "session": "s1"}
    return name, site.post(f"memories/{name}/turns", said).json()["id"]


def test_a_change_is_made_told_and_taken_back(site: Site, told: tuple[str, str]) -> None:
    name, turn = told
    change = site.post(f"memories/{name}/correct", {"id": turn, "text": "It was a kitten", "why": "a slip"}).json()
    assert (change["verb"], change["target"], change["why"], change["by"]) == ("correct", turn, "a slip", "user")
    assert site.get(f"memories/{name}/history", params={"id": turn}).json()[0]["id"] == change["id"]
    assert site.post(f"memories/{name}/undo", {"change": change["id"]}).json()["verb"] == "undo"
    assert site.post(f"memories/{name}/retract", {"id": turn}).json()["verb"] == "retract"
    assert problem(site.post(f"memories/{name}/retract", {"id": turn})) == (422, "InvalidQuery")


def test_feedback_is_on_all_of_the_ids_or_on_none(site: Site, told: tuple[str, str]) -> None:
    name, turn = told
    both = {"ids": [turn, "turn_01HBGXNJ80000000000000TZR0"], "verdict": "approve"}
    assert problem(site.post(f"memories/{name}/feedback", both)) == (404, "UnknownId")
    assert site.get(f"memories/{name}/history").json() == []
    told_so = site.post(f"memories/{name}/feedback", {"ids": [turn], "verdict": 1.5}).json()
    assert [each["verb"] for each in told_so] == ["feedback"]


def test_what_is_forgotten_is_previewed_and_gone_from_every_answer(site: Site, told: tuple[str, str]) -> None:
    name, turn = told
    head = {"Idempotency-Key": "said"}
    changed = site.post(f"memories/{name}/correct", {"id": turn, "text": "It was a zebra"}, headers=head)
    assert "zebra" in changed.text
    seen = site.post(f"memories/{name}/forget", {"ids": [turn], "preview": True}).json()
    assert (seen["turns"], seen["preview"]) == (2, True)
    gone = site.post(f"memories/{name}/forget", {"ids": [turn]}, headers={"Idempotency-Key": "forget"}).json()
    assert "zebra" in gone["words"]
    assert site.post(f"memories/{name}/verify", {"forgotten": gone["words"]}).json()["ok"]
    assert all(b"zebra" not in path.read_bytes() for path in site.settings.own.iterdir())
    again = site.post(f"memories/{name}/forget", {"ids": [turn]}, headers={"Idempotency-Key": "forget"})
    assert (again.json()["turns"], again.json()["words"]) == (2, [])
    assert problem(site.post(f"memories/{name}/forget", {})) == (422, "InvalidQuery")


def test_upkeep_is_done_when_asked_for(site: Site, told: tuple[str, str]) -> None:
    name, _ = told
    assert site.http.put(f"/v1/memories/{name}/retention", json={"days": 36_500}).json() == {"retain_days": 36_500}
    assert site.http.put(f"/v1/memories/{name}/retention", json={"days": None}).json() == {"retain_days": None}
    assert site.post(f"memories/{name}/consolidate", {"budget": 10}).json()["left"] == 0
    assert site.post(f"memories/{name}/flush").json() == {"done": True}
    assert site.post(f"memories/{name}/rebuild").json() == {"done": True}
    assert site.get(f"memories/{name}/stats").json()["turns"] == 1


def test_a_persona_is_edited_and_a_rule_is_set(site: Site, told: tuple[str, str]) -> None:
    name, _ = told
    body = {"speaker": "Maria", "text": "Likes animals.", "traits": ["kind"]}
    assert site.http.patch(f"/v1/memories/{name}/persona", json=body).json()["verb"] == "persona"
    assert site.http.put(f"/v1/memories/{name}/rules", json={"slot": "pet", "rule": "ask"}).json()["verb"] == "rule"
    assert site.get(f"memories/{name}/rules").json()["pet"] == "ask"
    assert problem(site.http.put(f"/v1/memories/{name}/rules", json={"slot": "pet", "rule": "x"})) == (
        422,
        "InvalidQuery",
    )
