"""What a request may say, and what is for who runs the server to choose."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unicodedata import normalize

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.serving import Site, problem, serving

from hmem import Memory
from hmem.errors import InvalidName
from hmem.interfaces.arguments import LONGEST, NAME
from hmem.interfaces.rest.names import normalise
from hmem.interfaces.rest.problems import error_classes
from hmem_testing.fake_llm import StandIn

SETTINGS = ("analyst", "embedder", "reranker", "path", "file", "root", "model", "url", "key", "settings", "background")


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    root = tmp_path_factory.mktemp("root")
    with Memory(root / "told.hmem") as memory:
        memory.add("I adopted a puppy named Coco", speaker="Maria")
    with serving(root) as site:
        yield site


def bodies(site: Site) -> dict[tuple[str, str], dict[str, Any]]:
    """The schema of each route's body, by method and path."""
    told = site.http.get("/openapi.json").json()
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for path, methods in told["paths"].items():
        for method, each in methods.items():
            schema = each.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if schema is not None:
                parts = [schema, *schema.get("anyOf", [])]
                name = next(part["$ref"] for part in parts if "$ref" in part).rpartition("/")[2]
                found[method, path] = told["components"]["schemas"][name]
    return found


def test_no_body_has_a_field_that_costs_money_or_touches_files(live: Site) -> None:
    found = bodies(live)
    assert len(found) > 15
    for (method, path), schema in found.items():
        # A field of a message that is none of a turn's becomes metadata.
        assert schema.get("additionalProperties", not path.endswith("/turns")) is False, (method, path)
        chosen = set(schema["properties"]) & set(SETTINGS)
        # Rules are free, and on this machine.
        assert chosen == ({"analyst"} if path.endswith(("/ask", "/ask/stream")) else set()), (method, path)
    (allowed, _) = found["post", "/v1/memories/{memory}/ask"]["properties"]["analyst"]["anyOf"]
    assert sorted(allowed["enum"]) == ["rules", "verbatim"]


def test_every_answer_has_a_schema(live: Site) -> None:
    told = live.http.get("/openapi.json").json()
    for path, methods in told["paths"].items():
        for method, each in methods.items():
            (good,) = (answer for status, answer in each["responses"].items() if status != "default")
            for media, content in good["content"].items():
                assert content.get("schema"), (method, path, media)
    for listed, item in {"sessions": "Session", "notes": "Note", "turns": "Turn", "episodes": "EpisodeShape"}.items():
        answer = told["paths"][f"/v1/memories/{{memory}}/{listed}"]["get"]["responses"]["200"]
        name = answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        items = told["components"]["schemas"][name]["properties"]["items"]["items"]
        assert items == {"$ref": f"#/components/schemas/{item}"}


def test_every_reference_leads_to_a_schema_and_every_field_has_a_type(live: Site) -> None:
    told = live.http.get("/openapi.json").json()
    parts = told["components"]["schemas"]
    for name in re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(told)):
        assert name in parts
    for name, part in parts.items():
        for field, schema in part.get("properties", {}).items():
            assert schema.keys() & {"type", "$ref", "anyOf", "enum"}, (name, field)


def test_a_streamed_answer_fits_the_schema_of_its_events(live: Site) -> None:
    told = live.http.get("/openapi.json").json()
    streamed = told["paths"]["/v1/memories/{memory}/ask/stream"]["post"]["responses"]["200"]["content"]
    reference = streamed["text/event-stream"]["schema"]["$ref"]
    text = live.http.post("/v1/memories/told/ask/stream", json={"question": "Who adopted a puppy?"}).text
    events = re.findall(r"event: (\w+)\ndata: (.*)\n\n", text)
    assert {name for name, _ in events} == {"piece", "plan", "evidence", "answer"}
    described = [each["properties"] for each in told["components"]["schemas"]["AskEvent"]["oneOf"]]
    content = {each["event"]["const"]: each["data"]["contentSchema"] for each in described}
    for name, data in events:
        jsonschema.validate({"event": name, "data": data}, {"$ref": reference, **told})
        jsonschema.validate(json.loads(data), {**content[name], **told})


def test_a_field_with_a_default_need_not_be_there(live: Site) -> None:
    parts = live.http.get("/openapi.json").json()["components"]["schemas"]
    for name, part in parts.items():
        for field, told in part.get("properties", {}).items():
            assert not ("default" in told and field in part.get("required", [])), (name, field)
    assert parts["Search"]["required"] == ["question"]
    assert parts["Search"]["properties"]["k"]["default"] == 10
    assert parts["Turn"]["properties"]["at"]["format"] == "date-time"


def test_an_answer_has_every_field_of_its_schema_and_no_other(live: Site) -> None:
    told = live.http.get("/openapi.json").json()
    made = live.post("memories", {"name": "answering"}).json()
    jsonschema.validate(made, {"$ref": "#/components/schemas/MemoryShape", **told})
    bodies: dict[str, Any] = {
        "POST turns": {"text": "I adopted a puppy named Coco", "speaker": "Maria"},
        "POST search": {"question": "Who is Coco?", "trace": True},
        "POST ask": {"question": "Who is Coco?"},
        "POST context": {"question": "Who is Coco?"},
        "POST forget": {"speaker": "nobody", "preview": True},
        "POST consolidate": {},
        "POST verify": {},
    }
    views = ("turns", "stats", "graph", "tiers", "sessions", "notes", "personas", "model/budget", "history", "tree")
    schemas = closed(told["components"]["schemas"])
    for route in [*bodies, *(f"GET {view}" for view in views)]:
        method, path = route.split()
        query = {"name": "topic"} if path == "tree" else None
        answer = live.http.request(method, f"/v1/memories/answering/{path}", params=query, json=bodies.get(route))
        described = told["paths"][f"/v1/memories/{{memory}}/{path}"][method.lower()]["responses"]["200"]
        (content,) = described["content"].values()
        jsonschema.validate(answer.json(), {**content["schema"], "components": {"schemas": schemas}})
    assert live.http.delete("/v1/memories/answering").status_code == 200


def closed(parts: dict[str, Any]) -> dict[str, Any]:
    """The schemas, without room for further fields."""
    return {
        name: {**part, "additionalProperties": False} if "properties" in part else part for name, part in parts.items()
    }


def test_a_problem_is_named_and_says_where_a_request_is_wrong(live: Site) -> None:
    told = live.http.get("/openapi.json").json()
    shape = told["components"]["schemas"]["ProblemShape"]["properties"]
    assert set(shape["name"]["enum"]) == {kind.__name__ for kind in error_classes()}
    assert "urn:hmem:error:invalid-query" in shape["type"]["enum"]
    for body, errors in (({"question": ""}, None), ({"question": "x", "k": "ten"}, "body.k")):
        refused = live.post("memories/told/search", body).json()
        jsonschema.validate(refused, {"$ref": "#/components/schemas/ProblemShape", **told})
        assert errors is None or refused["errors"][0]["where"] == errors


@given(st.text(st.sampled_from("aZ9é中-_. ²cCoOnN/\n\u0301"), max_size=6) | st.text(max_size=70))
def test_the_pattern_of_a_name_is_what_the_server_accepts(given: str) -> None:
    name = normalize("NFKC", given)
    fits = re.search(NAME, name) is not None and len(name) <= LONGEST and len(name.encode("utf-8", "replace")) <= 200
    try:
        accepted = normalise(name) == name
    except InvalidName:
        accepted = False
    assert fits == accepted


def test_a_request_that_tries_is_refused_and_nobody_is_called(live: Site) -> None:
    with StandIn() as model:
        chosen = {"analyst": f"openai:m@{model.url}", "embedder": f"openai:m@{model.url}", "url": model.url}
        for (method, path), schema in bodies(live).items():
            filled = dict.fromkeys(schema.get("required", []), "Who is Coco?")
            for setting in SETTINGS:
                said = {**filled, setting: chosen.get(setting, str(live.settings.root / "new.hmem"))}
                refused = live.http.request(method, path.replace("{memory}", "told"), json=said)
                expected = "InvalidTurn" if path.endswith("/turns") else "InvalidRequest"
                assert problem(refused) == (422, expected), (method, path, setting)
        address = f"memories/told/ask?analyst=openai:m@{model.url}&embedder=openai:m@{model.url}"
        assert live.post(address, {"question": "Who is Coco?"}).json()["made_by"].startswith("verbatim")
        assert list(model.calls) == []
    assert [place.name for place in live.settings.root.glob("*.hmem")] == ["told.hmem"]


@pytest.mark.parametrize("recipe", ["/etc/passwd", "../evolving", "os:system", "fusion:analyst=openai:m@http://x"])
def test_a_recipe_is_one_of_the_engines_own(live: Site, recipe: str) -> None:
    assert problem(live.post("memories", {"name": "made", "recipe": recipe})) == (422, "UnknownName")
    assert not Path(live.settings.root / "made.hmem").exists()
