"""Recall over HTTP."""

import json

import pytest
from tests.serving import Site, problem

from hmem import Memory
from hmem.interfaces.serialisation import plain

SAID = {"text": "I adopted a puppy named Coco", "speaker": "Maria", "at": "2023-08-11T10:00:00Z", "session": "s1"}


@pytest.fixture
def told(site: Site, name: str) -> str:
    assert site.post(f"memories/{name}/turns", SAID).json()["fate"] == "stored"
    later = {**SAID, "text": "Coco learned to swim in the lake", "at": "2023-09-02T10:00:00Z", "session": "s2"}
    assert site.post(f"memories/{name}/turns", later).json()["fate"] == "stored"
    return name


def test_what_is_found_has_the_shape_that_the_commands_write(site: Site, told: str) -> None:
    found = site.post(f"memories/{told}/search", {"question": "Who is Coco?", "k": 5}).json()
    with Memory(site.settings.root / f"{told}.hmem") as memory:
        alike = json.loads(json.dumps(plain(memory.search("Who is Coco?", k=5))))
    assert found.keys() == alike.keys()
    assert [item.keys() for item in found["evidence"]] == [item.keys() for item in alike["evidence"]]
    assert [item["text"] for item in found["evidence"]] == [item["text"] for item in alike["evidence"]]
    assert found["evidence"][0]["why"].keys() == alike["evidence"][0]["why"].keys()


def test_of_each_score_the_terms_are_told_that_count_most(site: Site, told: str) -> None:
    def terms(**wanted: int) -> dict[str, float]:
        found = site.post(f"memories/{told}/search", {"question": "Who is Coco?", **wanted}).json()["evidence"][0]
        return {name: each["contribution"] for name, each in found["why"]["terms"].items()}

    all_of_them = terms(terms=1_000)
    greatest = sorted(all_of_them, key=lambda name: -abs(all_of_them[name]))
    assert list(terms()) == list(terms(terms=5)) == greatest[:5]
    assert terms(terms=0) == {}
    score = site.post(f"memories/{told}/search", {"question": "Who is Coco?"}).json()["evidence"][0]["score"]
    assert sum(all_of_them.values()) == pytest.approx(score, abs=1e-3)
    assert problem(site.post(f"memories/{told}/search", {"question": "Who?", "terms": -1})) == (422, "InvalidRequest")


def test_a_context_fits_its_budget_and_cites(site: Site, told: str) -> None:
    made = site.post(f"memories/{told}/context", {"question": "Who is Coco?", "tokens": 60}).json()
    assert 0 < made["tokens"] <= 60
    assert made["citations"]


def test_an_answer_comes_whole_or_as_events(site: Site, told: str) -> None:
    question = {"question": "When did Maria adopt Coco?"}
    answer = site.post(f"memories/{told}/ask", question).json()
    response = site.post(f"memories/{told}/ask/stream", question)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [block.split("\n") for block in response.text.strip().split("\n\n")]
    assert [lines[0] for lines in events] == [
        "event: piece", "event: plan", *["event: evidence"] * len(answer["evidence"]), "event: answer"
    ]  # fmt: skip
    assert len(json.loads(events[2][1].removeprefix("data: "))["why"]["terms"]) == 5
    one = site.post(f"memories/{told}/ask/stream", {**question, "terms": 1})
    assert one.status_code == 200
    pieces = [block.partition("data: ")[2] for block in one.text.split("\n\n") if block.startswith("event: evidence")]
    assert {len(json.loads(piece)["why"]["terms"]) for piece in pieces} == {1}
    first, last = (json.loads(events[place][1].removeprefix("data: ")) for place in (0, -1))
    assert first == last["text"] == answer["text"]


def test_a_question_may_be_asked_of_an_earlier_time(site: Site, told: str) -> None:
    asked = {"question": "What did Coco learn?", "k": 10}
    assert len(site.post(f"memories/{told}/search", asked).json()["evidence"]) == 2
    before = site.post(f"memories/{told}/search", asked, params={"as_of": "2023-08-20"}).json()
    assert [item["text"] for item in before["evidence"]] == [SAID["text"]]


@pytest.mark.parametrize("path", ["search", "context", "ask", "ask/stream"])
def test_what_cannot_be_asked_is_a_problem(site: Site, told: str, path: str) -> None:
    assert problem(site.post(f"memories/{told}/{path}", {"question": "  "})) == (422, "InvalidQuery")
    assert problem(site.post(f"memories/{told}/{path}", {"question": "Who?", "at": "noon"})) == (422, "InvalidTime")
    assert problem(site.post(f"memories/{told}/{path}", {"question": "Who?", "k": 0.5})) == (422, "InvalidRequest")
    assert problem(site.post(f"memories/nobody/{path}", {"question": "Who?"})) == (404, "MemoryNotFound")
