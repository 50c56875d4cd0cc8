"""Turns are kept one by one and many at once."""

from tests.serving import Site, problem


def test_a_turn_is_kept_with_what_it_says(site: Site, name: str) -> None:
    said = {"text": "Hello there", "speaker": "Maria", "at": "2024-01-02T03:04:05+01:00", "metadata": {"n": 1}}
    receipt = site.post(f"memories/{name}/turns", said).json()
    assert receipt == {"fate": "stored", "id": receipt["id"], "error": None}
    kept = site.get(f"memories/{name}/items", params={"id": receipt["id"]}).json()
    assert {field: kept[field] for field in said} == said


def test_what_cannot_be_kept_is_a_problem_alone_and_a_receipt_among_others(site: Site, name: str) -> None:
    assert problem(site.post(f"memories/{name}/turns", {"text": " "})) == (422, "InvalidTurn")
    assert problem(site.post(f"memories/{name}/turns", {"text": "x", "at": "noon"})) == (422, "InvalidTime")
    assert problem(site.post(f"memories/{name}/turns", {"words": "x"})) == (422, "InvalidRequest")
    batch = {"messages": ["Good morning", {"text": ""}, {"words": "x"}], "session": "s1"}
    assert [each["fate"] for each in site.post(f"memories/{name}/turns/batch", batch).json()] == [
        "stored", "rejected", "rejected"
    ]  # fmt: skip


def test_a_message_id_is_kept_once(site: Site, name: str) -> None:
    said = {"text": "Hello there", "message_id": "m1"}
    first, again = [site.post(f"memories/{name}/turns", said).json() for _ in range(2)]
    assert (first["fate"], again["fate"], first["id"]) == ("stored", "duplicate", again["id"])
    assert problem(site.post(f"memories/{name}/turns", {**said, "text": "Other"})) == (409, "MessageConflict")


def test_a_turn_that_is_not_formed_yet_is_found(site: Site, name: str) -> None:
    for number in range(30):
        site.post(f"memories/{name}/turns", {"text": f"I bought the lamp number {number}", "speaker": "Anna"})
    found = site.post(f"memories/{name}/search", {"question": "lamp number 29", "k": 1}).json()
    assert found["evidence"][0]["text"].endswith("29")
