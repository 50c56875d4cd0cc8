"""`hmem search`, `hmem context` and `hmem ask`."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Evidence, Memory, Outdated, Why
from hmem.interfaces.cli.output import evidence_list
from hmem_testing.fake_llm import StandIn

NOW = datetime(2025, 3, 14, 19, 2, tzinfo=UTC)


def test_search_shows_score_time_speaker_text_and_id(run: Run, filled: Path) -> None:
    result = run("search", "Who adopted Coco?", "-k", 1, "--memory", filled)
    with Memory(filled) as memory:
        found = memory.search("Who adopted Coco?", 1)[0]
    assert result.code == 0
    for shown in (f"{found.score:.2f}", "2023-08-11 10:00", "Maria", "I adopted a puppy named Coco", found.id):
        assert shown in result.out
    assert "fence" not in result.out
    assert "fusion: " not in result.out


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


def test_what_is_outdated_says_so(filled: Path) -> None:
    old = Evidence("turn_1", "turn", "I live in Porto", NOW, 1.0, Why((), {}, outdated=Outdated()), "s1")
    assert "newer" in evidence_list([old], explain=False)


def test_search_leaves_out_what_is_less_relevant_than_asked(run: Run, filled: Path) -> None:
    asked = ("search", "Who adopted Coco?", "--json", "--memory", filled)
    every = run(*asked).json["evidence"]
    best = max(item["relevance"] for item in every)
    assert [item["relevance"] for item in run(*asked, "--min-score", best).json["evidence"]] == [best]
    assert len(every) > 1
    failed = run(*asked, "--min-score", 2)
    assert failed.code
    assert "min_score cannot be 2.0 - give a number from 0 to 1" in failed.err


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


def test_search_explains_itself_when_asked(run: Run, filled: Path) -> None:
    result = run("search", "Coco", "--why", "--trace", "--memory", filled)
    assert "fusion: " in result.out
    assert "words: Coco" in " ".join(result.out.split())
    assert "candidates: semantic" in result.out
    assert " ms" in result.out


def test_the_json_of_a_search_is_all_that_is_known(run: Run, filled: Path) -> None:
    made = run("search", "Who adopted Coco?", "--json", "--memory", filled).json
    best = made["evidence"][0]
    assert made["question"] == "Who adopted Coco?"
    assert made["trace"] is None
    assert set(best) == {
        "id", "kind", "text", "when", "score", "why", "session", "speaker", "caption", "message_id", "sources",
        "relevance", "place", "content",
    }  # fmt: skip
    assert (best["message_id"], best["when"]) == ("m1", "2023-08-11T10:00:00+02:00")
    assert set(best["why"]) == {"strategies", "terms", "words", "paths", "echoes", "lacking", "outdated", "confidence"}
    total = sum(term["contribution"] for term in best["why"]["terms"].values())
    assert total == pytest.approx(best["score"], rel=1e-3)


def test_the_json_of_a_search_has_the_trace_when_asked(run: Run, filled: Path) -> None:
    trace = run("search", "Coco", "--json", "--trace", "--memory", filled).json["trace"]
    assert set(trace) == {
        "words", "speakers", "candidates", "milliseconds", "plan", "queries", "follow_up", "steps",
    }  # fmt: skip
    assert trace["queries"][0] == trace["plan"]["question"] == "Coco"


def test_a_span_of_the_plan_is_its_bounds_in_json(run: Run, filled: Path) -> None:
    asked = ("What happened in August 2023?", "--trace", "--json", "--memory", filled)
    [span] = run("search", *asked).json["trace"]["plan"]["parts"][0]["spans"]
    assert set(span) == {"start", "end"}
    assert span["start"].startswith("2023-08-01")


def test_a_search_of_an_empty_memory_finds_nothing(run: Run, path: Path) -> None:
    Memory(path).close()
    assert run("search", "Coco", "--memory", path).out == "nothing found\n"
    assert run("search", "Coco", "--memory", path, "--json").json["evidence"] == []


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


def test_context_is_the_text_for_a_prompt(run: Run, filled: Path) -> None:
    with Memory(filled) as memory:
        expected = memory.context("Coco", 100).text
    assert run("context", "Coco", "--tokens", 100, "--memory", filled).out == f"{expected}\n"


def test_the_json_of_a_context_has_its_citations_and_stays_within_its_budget(run: Run, filled: Path) -> None:
    made = run("context", "Coco", "--tokens", 100, "--memory", filled, "--json").json
    assert set(made) == {"question", "text", "tokens", "budget", "evidence", "citations", "lacking", "remark"}
    assert made["tokens"] <= made["budget"] == 100
    assert set(made["citations"].values()) == {item["id"] for item in made["evidence"]}


def test_a_recipe_is_chosen_by_name(run: Run, filled: Path) -> None:
    assert run("search", "Coco", "--recipe", "flat", "--memory", filled).code == 0


FILTERS: list[tuple[str, ...]] = [
    ("--speaker", "Ben"),
    ("--session", "s2"),
    ("--since", "2023-08-13"),
    ("--until", "2023-08-11T00:00Z"),
    ("--entity", "Nobody"),
    ("--metadata", "channel=letter"),
    ("--user", "someone"),
    ("--agent", "someone"),
]


@pytest.mark.parametrize("filtered", FILTERS, ids=" ".join)
@pytest.mark.parametrize("command", ["search", "context", "ask"])
def test_a_filter_holds_in_every_command(run: Run, filled: Path, command: str, filtered: tuple[str, ...]) -> None:
    made = run(command, "Who adopted Coco?", *filtered, "--memory", filled, "--json")
    assert made.code == 0
    assert "adopted a puppy" not in str(made.json["evidence"])
    assert "adopted a puppy" in str(run(command, "Who adopted Coco?", "--memory", filled, "--json").json["evidence"])


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


def test_kinds_can_be_chosen(run: Run, filled: Path) -> None:
    made = run("search", "Coco", "--kind", "event", "--kind", "note", "--memory", filled, "--json").json
    assert made["evidence"]
    assert {item["kind"] for item in made["evidence"]} <= {"event", "note"}


def test_a_question_goes_by_the_time_that_is_given(run: Run, filled: Path) -> None:
    asked = ("search", "What happened last week?", "--trace", "--json", "--memory", filled)
    [span] = run(*asked, "--at", "2023-08-16T09:00Z").json["trace"]["plan"]["parts"][0]["spans"]
    assert span["start"] < "2023-08-16" < "2023-09"


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


def test_the_json_of_an_answer_is_all_that_is_known(run: Run, filled: Path) -> None:
    made = run("ask", "Who adopted Coco?", "--memory", filled, "--json").json
    assert set(made) == {
        *(
            "question",
            "text",
            "confidence",
            "certainty",
            "abstained",
            "evidence",
            "plan",
            "made_by",
            "trace",
            "usage",
            "value",
            "why",
        )
    }
    assert (made["abstained"], made["trace"]) == (False, None)
    assert 0 <= made["confidence"] <= 1


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
