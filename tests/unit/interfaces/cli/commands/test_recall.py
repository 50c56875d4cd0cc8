"""`hmem search`, `hmem context` and `hmem ask`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory
from hmem.interfaces.cli.output import evidence_list
from hmem.model.plain import plain
from hmem_testing.fake_llm import StandIn


@pytest.mark.parametrize(
    ("command", "options", "arguments"),
    [
        ("search", ("-k", 2, "--kind", "turn", "--kind", "event"), {"k": 2, "kinds": ("turn", "event")}),
        ("search", ("--min-score", 0.5), {"min_score": 0.5}),
        ("search", ("--metadata", "channel=mail"), {"metadata": {"channel": "mail"}}),
        ("search", ("--speaker", "Ben", "--session", "s2"), {"speaker": "Ben", "session": "s2"}),
        ("context", ("--tokens", 100, "--entity", "Coco"), {"tokens": 100, "entity": "Coco"}),
        ("context", ("--since", "2023-08-13", "--until", "2023-09-01"), {"since": "2023-08-13", "until": "2023-09-01"}),
        ("ask", ("--tokens", 200, "--agent", "someone"), {"tokens": 200, "agent": "someone"}),
        ("ask", ("--user", "someone"), {"user": "someone"}),
    ],
)  # fmt: skip
def test_the_json_is_what_the_memory_gives(
    run: Run, filled: Path, command: str, options: tuple[object, ...], arguments: dict[str, Any]
) -> None:
    moment = "2023-08-16T09:00:00Z"
    made = run(command, "Who adopted Coco?", *options, "--at", moment, "--json", "--memory", filled).json
    then = run(command, "Who adopted Coco?", "--as-of", "2001-01-01", "--json", "--memory", filled)
    with Memory(filled) as memory:
        assert made == json.loads(
            json.dumps(plain(getattr(memory, command)("Who adopted Coco?", at=moment, **arguments)))
        )
    assert (then.code, then.json["evidence"]) == (0, [])


def test_an_id_stands_whole_on_a_line_however_narrow_the_screen(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "24")
    found = run("search", "Coco", "--json", "--memory", filled).json["evidence"]
    lines = [line.strip() for line in run("search", "Coco", "--memory", filled).out.splitlines()]
    assert [line for line in lines if line.startswith("turn_")] == [item["id"] for item in found]
    corrected = run("correct", found[0]["id"], "I adopted a cat named Coco", "--json", "--memory", filled).json
    said = run("history", "--memory", filled).out
    assert corrected["id"] in said
    assert found[0]["id"] in said


def test_search_says_why_in_a_line(run: Run, filled: Path) -> None:
    said = run("search", "Who adopted Coco?", "-k", "1", "--memory", filled).out.splitlines()
    assert said[0].startswith("1. Maria, 2023-08-11 10:00  relevance ")
    assert said[1] == "   I adopted a puppy named Coco"
    assert said[2].startswith("   shares adopted, Coco; ")


def test_words_of_the_question_are_marked_on_a_screen_alone(run: Run, filled: Path) -> None:
    with Memory(filled) as memory:
        shown = evidence_list(memory.search("Who adopted Coco?", 1), explain=False)
    assert "\x1b[1m\x1b[4madopted\x1b[0m a puppy named \x1b[1m\x1b[4mCoco\x1b[0m" in shown
    assert "\x1b" not in run("search", "Who adopted Coco?", "--memory", filled).out


def test_search_tells_what_is_newer(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add("I take the number 12 tram to work every morning.", speaker="Maria", at="2024-01-05T10:00:00Z")
        cycling = memory.add(
            "They closed the number 12 tram, so I cycle to work every morning.", speaker="Maria", at="2024-03-14T10:00Z"
        )
        memory.add("The soup was good.", speaker="Maria", at="2024-03-15T10:00Z")
    said = f"newer: 14 March 2024, see {cycling.id}"
    assert said in " ".join(run("search", "Which tram does Maria take?", "--memory", path).out.split())
    assert said in " ".join(run("search", "Which tram does Maria take?", "--why", "--memory", path).out.split())


def test_a_context_about_nothing_in_the_memory_says_so(run: Run, filled: Path) -> None:
    result = run("context", "How does a tokamak confine plasma?", "--memory", filled)
    assert (result.code, result.out) == (0, "Nothing in the memory answers this.\n")


def test_recalled_text_is_shown_without_markup_and_control_characters(run: Run, path: Path) -> None:
    run("add", "[bold red]Coco[/] \x1b[2J barks :dog:", "--memory", path)
    shown = run("search", "Coco", "--memory", path).out
    assert "[bold red]Coco[/] [2J barks :dog:" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("search", " "), "InvalidQuery"),
        (("search", "Coco", "-k", "0"), "InvalidQuery"),
        (("search", "Coco", "--recipe", "soup"), "UnknownName"),
        (("context", "Coco", "--tokens", "0"), "InvalidQuery"),
        (("context", "Coco", "--recipe", "soup"), "UnknownName"),
        (("ask", " "), "InvalidQuery"),
        (("ask", "Coco", "--recipe", "soup"), "UnknownName"),
        (("ask", "Coco", "--at", "soon"), "InvalidTime"),
        (("search", "Coco", "--since", "soon"), "InvalidTime"),
        (("context", "Coco", "--since", "2023-08-12", "--until", "2023-08-11"), "InvalidTime"),
        (("search", "Coco", "--entity", "entity_01M7YPE7MFF8D4BBMANS5J904Z"), "UnknownId"),
        (("search", "Coco", "--kind", "dream"), "UsageError"),
        (("search", "Coco", "--metadata", "channel"), "UsageError"),
        (("ask", "Coco", "--metadata", "=mail"), "UsageError"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(run: Run, filled: Path, arguments: tuple[str, ...], name: str) -> None:
    result = run(*arguments, "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)


@pytest.mark.parametrize(
    ("filtered", "found"),
    [
        (("place=Lisbon",), {"a"}),
        (("place=Lisbon", "place=Porto"), {"a", "b"}),
        (("number=3",), {"a", "b"}),
        (("number=3", "place=Porto"), {"b"}),
        (("urgent=true",), {"a"}),
        (("place=",), set()),
    ],
)
def test_metadata_is_met_by_a_text_or_what_it_means(
    run: Run, path: Path, filtered: tuple[str, ...], found: set[str]
) -> None:
    with Memory(path) as memory:
        memory.add("One day", message_id="a", metadata={"place": "Lisbon", "number": 3, "urgent": True})
        memory.add("Another day", message_id="b", metadata={"place": "Porto", "number": "3"})
    options = [part for each in filtered for part in ("--metadata", each)]
    made = run("search", "day", *options, "--memory", path, "--json").json
    assert {item["message_id"] for item in made["evidence"]} == found


def test_ask_answers_with_its_confidence_and_evidence(run: Run, filled: Path) -> None:
    result = run("ask", "Who adopted Coco?", "--memory", filled)
    with Memory(filled) as memory:
        answer = memory.ask("Who adopted Coco?")
    assert result.code == 0
    assert result.out.startswith(f"{answer.text}\n")
    assert f"{answer.certainty}, confidence {answer.confidence:.2f}" in result.out
    assert answer.evidence[0].id in result.out
    assert "fusion: " not in result.out


def test_ask_explains_itself_when_asked(run: Run, filled: Path) -> None:
    shown = " ".join(
        run("ask", "When did Maria adopt Coco in August 2023?", "--why", "--trace", "--memory", filled).out.split()
    )
    for part in (
        "fusion: ",
        "part 1 When did Maria",
        "answer: time",
        "looked up",
        "step: ",
        "time: answer",
        "1 Aug 2023",
    ):
        assert part in shown


def test_to_abstain_is_no_error(run: Run, path: Path) -> None:
    Memory(path).close()
    assert run("ask", "Who sold the yacht?", "--memory", path).code == 0
    assert run("ask", "Who sold the yacht?", "--memory", path, "--json").json["abstained"] is True


@pytest.fixture
def model() -> Iterator[str]:
    with StandIn() as server:
        yield f"openai:m@{server.url}"


def test_ask_may_have_a_model_answer_once(run: Run, filled: Path, model: str) -> None:
    result = run("ask", "Who adopted Coco?", "--analyst", model, "--why", "--memory", filled)
    assert "by openai:m/4; 2 calls took " in result.out
    assert "\nsearched the memory: sufficient\n" in result.out
    made = run("ask", "Who adopted Coco?", "--analyst", model, "--json", "--memory", filled).json
    assert made["usage"]["calls"] == 2
    assert set(made["usage"]["stages"]) == {"plan", "answer"}
    assert run("ask", "Who adopted Coco?", "--json", "--memory", filled).json["usage"] is None


def test_ask_streams(run: Run, filled: Path, model: str) -> None:
    asked = ("ask", "Who adopted Coco?", "--stream", "--memory", filled)
    lines = [json.loads(line) for line in run(*asked, "--analyst", model, "--json").out.splitlines()]
    assert "".join(line["piece"] for line in lines[:-1]) == lines[-1]["text"]
    told = run(*asked, "--analyst", model).out
    assert told.startswith(f"{lines[-1]['text']}\n\n{lines[-1]['certainty']}, confidence")
