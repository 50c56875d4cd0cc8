"""The routes: what is asked for is done, told in the shapes that the commands write, or refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.serving import Site, problem, serving

from hmem import Memory
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.settings import Settings

# Memories.


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


# Turns.


def test_a_turn_is_kept_with_what_it_says(site: Site, name: str) -> None:
    said = {"text": "Hello there", "speaker": "Maria", "at": "2024-01-02T03:04:05+01:00", "metadata": {"n": 1}}
    receipt = site.post(f"memories/{name}/turns", said).json()
    assert receipt == {"fate": "stored", "id": receipt["id"], "error": None, "note": None, "further_turns": []}
    kept = site.get(f"memories/{name}/items", params={"id": receipt["id"]}).json()
    assert {field: kept[field] for field in said} == said


def test_what_cannot_be_kept_is_a_problem_alone_and_a_receipt_among_others(site: Site, name: str) -> None:
    assert problem(site.post(f"memories/{name}/turns", {"text": " "})) == (422, "InvalidTurn")
    assert problem(site.post(f"memories/{name}/turns", {"text": "x", "at": "noon"})) == (422, "InvalidTime")
    assert problem(site.post(f"memories/{name}/turns", {"words": "x"})) == (422, "InvalidTurn")
    batch = {"messages": ["Good morning", {"text": ""}, {"words": "x"}], "session": "s1"}
    assert [each["fate"] for each in site.post(f"memories/{name}/turns/batch", batch).json()] == [
        "stored", "rejected", "rejected"
    ]  # fmt: skip


@pytest.mark.parametrize("own", ["m1", 7])
def test_the_id_of_a_message_is_its_message_id_alone_and_in_a_batch(site: Site, name: str, own: str | int) -> None:
    said = {"text": "Hello there", "id": own}
    alone = site.post(f"memories/{name}/turns", said).json()
    (again,) = site.post(f"memories/{name}/turns/batch", {"messages": [said]}).json()
    assert (alone["fate"], again["fate"], again["id"]) == ("stored", "duplicate", alone["id"])
    assert site.get(f"memories/{name}/items", params={"id": alone["id"]}).json()["message_id"] == str(own)
    both = site.post(f"memories/{name}/turns", {"text": "Hello there", "id": "other", "message_id": str(own)}).json()
    assert both["fate"] == "duplicate"


# Recall.


SAID = {"text": "I adopted a puppy named Coco", "speaker": "Maria", "at": "2023-08-11T10:00:00Z", "session": "s1"}


@pytest.fixture
def filled(site: Site, name: str) -> str:
    assert site.post(f"memories/{name}/turns", SAID).json()["fate"] == "stored"
    later = {**SAID, "text": "Coco learned to swim in the lake", "at": "2023-09-02T10:00:00Z", "session": "s2"}
    assert site.post(f"memories/{name}/turns", later).json()["fate"] == "stored"
    return name


def test_of_each_score_the_terms_are_told_that_count_most(site: Site, filled: str) -> None:
    def terms(**wanted: int) -> dict[str, float]:
        found = site.post(f"memories/{filled}/search", {"question": "Who is Coco?", **wanted}).json()["evidence"][0]
        return {name: each["contribution"] for name, each in found["why"]["terms"].items()}

    all_of_them = terms(terms=1_000)
    greatest = sorted(all_of_them, key=lambda name: -abs(all_of_them[name]))
    assert list(terms()) == list(terms(terms=5)) == greatest[:5]
    assert terms(terms=0) == {}
    score = site.post(f"memories/{filled}/search", {"question": "Who is Coco?"}).json()["evidence"][0]["score"]
    assert sum(all_of_them.values()) == pytest.approx(score, abs=1e-3)
    assert problem(site.post(f"memories/{filled}/search", {"question": "Who?", "terms": -1})) == (422, "InvalidRequest")


def test_an_answer_comes_whole_or_as_events(site: Site, filled: str) -> None:
    question = {"question": "When did Maria adopt Coco?"}
    answer = site.post(f"memories/{filled}/ask", question).json()
    response = site.post(f"memories/{filled}/ask/stream", question)
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [block.split("\n") for block in response.text.strip().split("\n\n")]
    assert [lines[0] for lines in events] == [
        "event: piece", "event: plan", *["event: evidence"] * len(answer["evidence"]), "event: answer"
    ]  # fmt: skip
    assert len(json.loads(events[2][1].removeprefix("data: "))["why"]["terms"]) == 5
    one = site.post(f"memories/{filled}/ask/stream", {**question, "terms": 1})
    assert one.status_code == 200
    pieces = [block.partition("data: ")[2] for block in one.text.split("\n\n") if block.startswith("event: evidence")]
    assert {len(json.loads(piece)["why"]["terms"]) for piece in pieces} == {1}
    first, last = (json.loads(events[place][1].removeprefix("data: ")) for place in (0, -1))
    assert first == last["text"] == answer["text"]


@pytest.mark.parametrize("path", ["search", "context", "ask", "ask/stream"])
def test_what_cannot_be_asked_is_a_problem(site: Site, filled: str, path: str) -> None:
    assert problem(site.post(f"memories/{filled}/{path}", {"question": "  "})) == (422, "InvalidQuery")
    assert problem(site.post(f"memories/{filled}/{path}", {"question": "Who?", "at": "noon"})) == (422, "InvalidTime")
    assert problem(site.post(f"memories/{filled}/{path}", {"question": "Who?", "k": 0.5})) == (422, "InvalidRequest")
    assert problem(site.post(f"memories/nobody/{path}", {"question": "Who?"})) == (404, "MemoryNotFound")


# Views.


STORY = [
    {"text": "I adopted a puppy named Coco", "speaker": "Maria", "at": "2023-08-11T10:00:00Z", "session": "s1"},
    {"text": "My favorite food is sushi", "speaker": "Maria", "at": "2023-09-02T18:00:00Z", "session": "s2"},
]


@pytest.fixture
def formed(site: Site, name: str) -> str:
    assert site.post(f"memories/{name}/turns/batch", {"messages": STORY}).status_code == 200
    return name


def test_what_is_not_there_is_a_problem(site: Site, formed: str) -> None:
    assert problem(site.get(f"memories/{formed}/tree", params={"name": "topic", "node": "none"})) == (404, "UnknownId")
    assert problem(site.get(f"memories/{formed}/turns", params={"entity": "Nobody"})) == (404, "UnknownId")
    assert problem(site.get(f"memories/{formed}/persona", params={"speaker": "Nobody"})) == (404, "UnknownId")
    assert problem(site.get(f"memories/{formed}/profile", params={"person": "Nobody"})) == (404, "UnknownId")
    assert problem(site.get(f"memories/{formed}/profile", params={"tokens": 0})) == (422, "InvalidQuery")
    assert problem(site.get(f"memories/{formed}/graph", params={"entity": "Nobody"})) == (404, "UnknownId")
    assert problem(site.get(f"memories/{formed}/notes", params={"as_of": "noon"})) == (422, "InvalidTime")
    assert problem(site.get(f"memories/{formed}/tiers", params={"as_of": "2024-01-01"})) == (422, "InvalidQuery")
    assert problem(site.get(f"memories/{formed}/notes", params={"cursor": "x"})) == (422, "InvalidRequest")


# Changes.


@pytest.fixture
def told(site: Site, name: str) -> tuple[str, str]:
    said = {"text": "I adopted a puppy named Coco", "speaker": "Maria", "session": "s1"}
    return name, site.post(f"memories/{name}/turns", said).json()["id"]


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
    assert all(b"zebra" not in path.read_bytes() for path in site.settings.server_folder.iterdir())
    again = site.post(f"memories/{name}/forget", {"ids": [turn]}, headers={"Idempotency-Key": "forget"})
    assert (again.json()["turns"], again.json()["words"]) == (2, [])
    said = site.post(f"memories/{name}/correct", {"id": turn, "text": "It was a zebra"}, headers=head)
    assert (said.headers["Idempotency-Replayed"], said.json()["id"]) == ("true", changed.json()["id"])
    assert "zebra" not in said.text
    assert problem(site.post(f"memories/{name}/forget", {})) == (422, "InvalidQuery")


def test_what_another_process_forgets_is_replayed_to_nobody(site: Site, told: tuple[str, str]) -> None:
    name, turn = told
    asked = {"id": turn, "text": "It was a zebra"}, {"Idempotency-Key": "said"}
    first = site.post(f"memories/{name}/correct", asked[0], headers=asked[1])
    again = site.post(f"memories/{name}/correct", asked[0], headers=asked[1])
    assert (again.headers["Idempotency-Replayed"], again.json()) == ("true", first.json())
    path = site.settings.root / f"{name}.hmem"
    forgetting = [sys.executable, "-m", "hmem", "forget", "--id", turn, "--yes", "--memory", str(path)]
    assert subprocess.run(forgetting, check=False, capture_output=True).returncode == 0
    later = site.post(f"memories/{name}/correct", asked[0], headers=asked[1])
    assert (later.status_code, later.json()["id"], later.json()["after"]) == (200, first.json()["id"], None)
    kept = [file for file in site.settings.root.rglob("*") if file.is_file()]
    assert all(b"zebra" not in file.read_bytes() for file in kept)


@pytest.mark.parametrize("query", ["limit=null", "limit=1&limit=2", "kind=profile&kind=fact", "limit="])
def test_a_query_parameter_comes_once_and_has_a_value(site: Site, name: str, query: str) -> None:
    assert problem(site.get(f"memories/{name}/notes?{query}")) == (422, "InvalidRequest")


def test_the_word_null_is_a_speaker_like_any_other(site: Site, name: str) -> None:
    for speaker in ("null", "Maria"):
        site.post(f"memories/{name}/turns", {"text": "Hello", "speaker": speaker})
    found = site.get(f"memories/{name}/turns", params={"speaker": "null"}).json()["items"]
    assert [turn["speaker"] for turn in found] == ["null"]


@pytest.mark.parametrize("tokens", [0, 1_000_001, 10**400])
def test_a_token_budget_has_its_bounds(site: Site, name: str, tokens: int) -> None:
    refused = site.post(f"memories/{name}/context", {"question": "tea", "tokens": tokens})
    assert problem(refused)[0] == 422


def test_the_rights_of_a_key_are_those_on_a_memory(tmp_path: Path) -> None:
    keys = Keys(Settings(tmp_path).keys)
    reader, _ = keys.create("ann", ["read"], ["team-*"])
    admin, _ = keys.create("root", ["admin"], ["*"])
    with serving(tmp_path) as site:

        def may(key: str, **query: str) -> list[str]:
            return site.get("key", params=query, headers={"Authorization": f"Bearer {key}"}).json()["scopes"]

        assert may(reader, memory="team-a") == ["read"]
        assert may(reader, memory="other") == may(reader) == []
        assert may(admin, memory="other") == may(admin) == ["read", "write", "forget", "admin"]
        assert problem(site.get("key")) == (401, "KeyRefused")


def test_the_keys_are_told_without_themselves_to_who_may_do_all(tmp_path: Path) -> None:
    keys = Keys(Settings(tmp_path).keys)
    admin, record = keys.create("root", ["admin"], ["*"])
    one, _ = keys.create("one", ["admin"], ["one"])
    with serving(tmp_path) as site:
        told = site.get("keys", headers={"Authorization": f"Bearer {admin}"})
        assert [each["name"] for each in told.json()] == ["root", "one"]
        assert admin.rpartition("_")[2] not in told.text
        assert record.hash not in told.text
        assert problem(site.get("keys", headers={"Authorization": f"Bearer {one}"})) == (403, "NotAllowed")


def test_the_times_of_the_last_recalls_are_told_without_the_questions(site: Site) -> None:
    site.create("timed")
    site.post("memories/timed/turns", {"text": "I adopted a kitten named Coco"})
    site.post("memories/timed/search", {"question": "Who is Coco?"})
    site.post("memories/timed/ask/stream", {"question": "Who is Coco?"})
    site.post("memories/timed/search", {"question": " "})
    told = site.get("memories/timed/recalls/latencies")
    assert [each["operation"] for each in told.json()] == ["search", "ask"]
    assert all(each["milliseconds"] > 0 for each in told.json())
    assert "Coco" not in told.text
    assert problem(site.get("memories/untimed/recalls/latencies")) == (404, "MemoryNotFound")


def test_what_was_formed_of_a_turn_is_told(site: Site) -> None:
    site.create("formed")
    turn = site.post(
        "memories/formed/turns", {"text": "I live in Porto with my sister Laura.", "speaker": "Ann"}
    ).json()["id"]
    told = site.get("memories/formed/items/formed", params={"id": turn}).json()
    assert {each["name"] for each in told["entities"]} >= {"Laura", "Porto"}
    assert [turn] == told["episode"]["turns"]
    assert all(turn in each["sources"] for each in (*told["events"], *told["notes"]))
    assert told["events"]
    assert problem(site.get("memories/formed/items/formed", params={"id": "turn_0"})) == (404, "UnknownId")


def test_a_recall_by_another_recipe_is_that_of_a_memory_with_it(site: Site) -> None:
    site.create("by-recipe")
    for text in ("I adopted a kitten", "The kitten is called Coco", "We sailed to the island"):
        site.post("memories/by-recipe/turns", {"text": text, "speaker": "Ann"})

    def scores(**more: str) -> list[float]:
        found = site.post("memories/by-recipe/search", {"question": "Who is the kitten Coco?", **more}).json()
        return [each["score"] for each in found["evidence"]]

    with Memory(site.settings.root / "by-recipe.hmem", recipe="bm25") as memory:
        alone = [each.score for each in memory.search("Who is the kitten Coco?").evidence]
    assert scores(recipe="bm25") == alone != scores()
    assert problem(site.post("memories/by-recipe/ask", {"question": "Who?", "recipe": "none"})) == (422, "UnknownName")
