"""`hmem search` and `hmem context`."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_search_shows_score_time_speaker_text_and_id(run: Run, filled: Path) -> None:
    result = run("search", "Who adopted Coco?", "-k", 1, "--memory", filled)
    with Memory(filled) as memory:
        found = memory.search("Who adopted Coco?", 1)[0]
    assert result.code == 0
    for shown in (f"{found.score:.2f}", "2023-08-11 10:00", "Maria", "I adopted a puppy named Coco", found.id):
        assert shown in result.out
    assert "fence" not in result.out
    assert "lexical" not in result.out


def test_search_explains_itself_when_asked(run: Run, filled: Path) -> None:
    result = run("search", "Coco", "--why", "--trace", "--memory", filled)
    assert "flat: " in result.out
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
    }  # fmt: skip
    assert (best["message_id"], best["when"]) == ("m1", "2023-08-11T10:00:00+02:00")
    assert set(best["why"]) == {"strategies", "terms", "words", "paths"}
    total = sum(term["contribution"] for term in best["why"]["terms"].values())
    assert total == pytest.approx(best["score"], rel=1e-3)


def test_the_json_of_a_search_has_the_trace_when_asked(run: Run, filled: Path) -> None:
    trace = run("search", "Coco", "--json", "--trace", "--memory", filled).json["trace"]
    assert set(trace) == {"words", "speakers", "candidates", "milliseconds"}


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
    assert set(made) == {"question", "text", "tokens", "budget", "evidence", "citations"}
    assert made["tokens"] <= made["budget"] == 100
    assert set(made["citations"].values()) == {item["id"] for item in made["evidence"]}


def test_a_recipe_is_chosen_by_name(run: Run, filled: Path) -> None:
    assert run("search", "Coco", "--recipe", "flat", "--memory", filled).code == 0
