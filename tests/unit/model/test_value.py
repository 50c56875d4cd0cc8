"""What results look like: as JSON, in a prompt, in a notebook."""

import json
import re
from dataclasses import is_dataclass
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import hmem
from hmem import Context, Evidence, Found, Memory, Note, Persona, Why
from hmem.model.answer import Answer, assurance
from hmem.model.evidence import Term, in_brief
from hmem.model.plain import plain
from hmem.model.plan import Plan
from hmem.model.value import Listed, Value

NOW = datetime(2025, 3, 14, 19, 2, tzinfo=UTC)
EVIL = "<script>alert(1)</script><img src=x onerror='x()'> $e^x$ & \"q\" \u202edrow"


def evidence(text: str = "I adopted a puppy", **more: Any) -> Evidence:
    why = Why(("flat",), {"flat": Term(2.0, 1.5), "speaker": Term(0.5, 1.0), "small": Term(0.1, 1.0)}, ("adopt",))
    return Evidence("turn_1", "turn", text, NOW, 3.5, why, "s1", more.pop("speaker", "Maria"), **more)


def answer(text: str = "Lisbon", confidence: float = 0.9, *, abstained: bool = False) -> Answer:
    return Answer("Where?", text, confidence, abstained, (evidence(),), Plan("Where?", ()))


class _Read(HTMLParser):
    """The tags of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert {name for name, _ in attrs} <= {"class", "style"}
        self.tags.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(value: Any) -> _Read:
    page = _Read(value._repr_html_())
    assert page.open == []
    return page


def test_every_public_result_is_written_as_json() -> None:
    results = [getattr(hmem, name) for name in hmem.__all__ if is_dataclass(getattr(hmem, name))]
    assert len(results) > 30
    assert [each.__name__ for each in results if not issubclass(each, Value)] == []


def test_to_dict_is_what_the_commands_and_the_server_write(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.hmem") as memory:
        memory.add("I live in Lisbon.", speaker="Maria", at=NOW)
        found = memory.search("Where does Maria live?")
        results = [found, found[0], memory.context("Maria"), memory.ask("Where does Maria live?"), memory.stats()]
        results += [
            memory.tree("topic"),
            memory.graph(),
            memory.tiers(),
            memory.verify(),
            *memory.notes(),
            *memory.events(),
        ]
        results += [*memory.episodes(), *memory.personas(), *memory.sessions(), *memory.list()]
    for each in results:
        assert each.to_dict() == plain(each) == json.loads(json.dumps(plain(each)))
        assert json.loads(each.to_json()) == each.to_dict()


def test_an_unpaired_surrogate_does_not_keep_a_result_from_being_written() -> None:
    assert json.loads(evidence("\ud800 hi").to_json())["text"] == "? hi"


def test_a_repr_says_what_is_there_in_a_few_lines() -> None:
    persona = Persona("persona_1", 3, "Likes dogs.", ("dogs",), (0.25,) * 256, NOW, ("note_1",) * 90, "Maria")
    assert "0.25" not in repr(persona)
    assert repr(persona).startswith("Persona(id='persona_1', version=3, text='Likes dogs.'")
    assert "at=2025-03-14T19:02:00+00:00" in repr(persona)
    assert len(repr(persona)) < 300
    one = evidence()
    assert repr(one) == (
        "Evidence(id='turn_1', kind='turn', text='I adopted a puppy', when=2025-03-14T19:02:00+00:00, score=3.5, "
        "session='s1', speaker='Maria')"
    )
    assert len(repr(evidence("long " * 100_000))) < 500
    assert len(repr(Found("Where?", (one,) * 1_000))) < 3_000


@pytest.mark.parametrize("open", [True, False])
def test_a_memory_says_where_it_is(tmp_path: Path, *, open: bool) -> None:
    memory = Memory(tmp_path / "m.hmem")
    if not open:
        memory.close()
    assert repr(memory) == f"Memory('{tmp_path / 'm.hmem'}')"
    memory.close()
    with Memory(tmp_path / "m.hmem", read_only=True) as seen:
        assert repr(seen) == f"Memory('{tmp_path / 'm.hmem'}', read_only=True)"


HOSTILE = [
    evidence(EVIL, speaker=EVIL, caption=EVIL),
    Found(EVIL, (evidence(EVIL, speaker=EVIL),)),
    Context(EVIL, EVIL, 3, 10, (evidence(EVIL),), {}),
    Note("note_1", "fact", EVIL, EVIL, EVIL, EVIL, ("turn_1",), NOW, why=EVIL),
    Persona("persona_1", 1, EVIL, (EVIL, EVIL), (), NOW, (), EVIL),
    answer(EVIL),
    hmem.Turn("turn_1", EVIL, EVIL, NOW, EVIL, metadata={EVIL: EVIL}),
    hmem.Session(EVIL, NOW, NOW, 1, (EVIL,), EVIL),
    Listed((Note("note_1", "fact", EVIL, EVIL, EVIL, EVIL, ("turn_1",), NOW),)),
]


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: type(value).__name__)
def test_a_notebook_shows_texts_and_never_obeys_them(value: Any) -> None:
    page = read(value)
    assert page.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "b", "p", "ul", "li", "bdi", "mark", "em",
                         "br", "code", "pre"}  # fmt: skip
    assert "<script>alert(1)" in page.text
    # Formulas are not set, and the direction of writing ends with the text.
    assert value._repr_html_().startswith('<div class="hmem tex2jax_ignore mathjax_ignore">')
    assert re.search(r"<bdi>[^<]*\u202e[^<]*</bdi>", value._repr_html_())


def test_a_notebook_shows_evidence_with_its_reason_and_the_words_of_the_question_marked() -> None:
    page = evidence()._repr_html_()
    assert "I <mark>adopted</mark> a puppy" in page
    assert "shares adopt; flat +3.00, speaker +0.50, small +0.10" in page
    assert "turn_1" in page
    assert "nothing found" in Found("Where?", ())._repr_html_()


def test_a_notebook_shows_notes_one_under_another() -> None:
    note = Note(
        "note_1", "preference", "Maria", "likes", "cilantro", "Maria dislikes it.", ("turn_1",), NOW, positive=False
    )
    page = read(Listed((note, note))).text
    assert page.count("not cilantro") == 2
    assert "preference, current, since 14 Mar 2025, 19:02" in page
    assert read(Listed(())).text == "nothing"
    assert read(Listed(("plain",))).text == "'plain'"


def test_lists_of_a_memory_are_tuples_that_a_notebook_shows(tmp_path: Path) -> None:
    with Memory(tmp_path / "m.hmem") as memory:
        memory.add("I live in Lisbon.", speaker="Maria")
        notes = memory.notes()
        assert isinstance(notes, tuple)
        assert notes == tuple(notes)
        assert "Lisbon" in read(notes).text


@pytest.mark.parametrize(
    ("confidence", "abstained", "told"),
    [
        (0.9, False, "sure, confidence 0.90"),
        (0.7, False, "likely, confidence 0.70: look at the evidence if much depends on it"),
        (0.4, False, "unsure, confidence 0.40: it may well be wrong, so look at the evidence"),
        (0.8, True, "sure that the memory does not tell it, confidence 0.80"),
        (0.1, True, "unsure, confidence 0.10: the memory may tell it in other words, so look at the evidence"),
    ],
)
def test_an_answer_says_how_far_it_can_be_relied_on(confidence: float, *, abstained: bool, told: str) -> None:
    assert assurance(answer("x", confidence, abstained=abstained)) == told


def test_the_reason_is_brief() -> None:
    assert in_brief(evidence().why, 1) == "shares adopt; flat +3.00"
    assert in_brief(Why(("flat",), {})) == "shares no word"
