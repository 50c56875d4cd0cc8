"""Texts of every length and script: kept as they are and found, or refused with a named error."""

import unicodedata
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support import chatter

from hmem import Memory
from hmem.errors import HmemError, InvalidQuery, InvalidTurn
from hmem.language.prompt_text import on_one_line

MILLION = 1_000_000
SURROGATE = "broken \ud83d text"

# Texts that are hard to read.
HARD = {
    "an emoji": "🎉",
    "a million characters without a full stop": "and then we went on " * (MILLION // 20),
    "a word of a million characters": "a" * MILLION,
    "a million characters of lines": "we went on\n" * 90_000,
    "300 nested quotes": "".join(f'"she said {i} ' for i in range(300)) + '"' * 300,
    "typographic quotation marks": "\u201c\u2018" * 300 + "I moved to Oslo" + "\u2019\u201d" * 300,
    "quotes only": '"' * 300,
    "quoted lines": "> " * 300 + "I moved to Oslo",
    "brackets": "(" * 5_000 + "[" * 5_000 + ")" * 5_000,
    "control characters": "".join(map(chr, range(32))) + " I like\x7f it \x85\x9f\0",
    "direction marks": "\u202eI am well\u202c\u200d\ufeff" + "\u202e\u2066" * 500,
    "combining marks": "a" + "\u0301" * 20_000,
    "empty lines": "\n" * 10_000 + "x",
    "dots": ". " * 20_000,
    "commas": "a,b" * 50_000 + "\n" + ",,,," * 1_000,
    "a number": "1" * 100_000,
    "dates": "on 5 May 2023 " * 2_000,
    "names": "Maria and Tom " * 2_000,
    "clauses": "because I said that " * 2_000,
    "JSON": '{"a":' * 2_000 + "1" + "}" * 2_000,
    "JSON without end": "[" * 100_000,
    "an open fence": "```\n" * 5_000,
    "a table": "| a | b |\n" * 5_000,
    "a table without end": "| a " * 20_000 + "\n|---|\n" * 1_000,
    "an address": "https://example.org/" + "a/" * 50_000,
}

# A turn, and a question whose answer it is.
SCRIPTS = {
    "Chinese": ("我昨天在公园里看到一只小狗", "小狗在哪里"),
    "Japanese": ("先週の土曜日に新しい自転車を買いました", "自転車はいつ買った"),
    "Korean": ("어제 친구와 함께 김치찌개를 만들었어요", "김치찌개를 누구와 만들었어"),
    "Thai": ("เมื่อวานฉันไปตลาดซื้อมะม่วง", "ซื้อมะม่วงที่ไหน"),
    "Arabic": ("اشتريت كتابا جديدا عن النجوم", "كتابا عن النجوم"),
    "Hebrew": ("קניתי אתמול גיטרה חדשה", "מתי קניתי גיטרה"),
    "Russian": ("Вчера мы катались на велосипедах", "катались на велосипедах"),
    "Hindi": ("मैंने कल एक नई किताब खरीदी", "नई किताब कब खरीदी"),
    "Greek": ("Χθες αγόρασα ένα ποδήλατο", "πότε αγόρασα ποδήλατο"),
    "emoji": ("look at this 🦔", "🦔"),
    "accents": ("we ate crème brûlée in Málaga", "creme brulee Malaga"),
    "null bytes": ("the code is zebra\0quagga\0", "quagga"),
    "a mixture": ("我用 Python 写了一个爬虫", "Python 爬虫"),
}


@pytest.fixture
def busy(path: Path) -> Memory:
    """A memory with two hundred turns of other matter."""
    # What the indices make of words, without what the ranker makes of that.
    memory = Memory(path, recipe="flat")
    memory.add(chatter(200))
    return memory


@pytest.mark.any_storage
def test_a_turn_in_any_script_is_found_among_others(busy: Memory) -> None:
    with busy as memory:
        memory.add([{"text": text, "speaker": "Ben", "session": name} for name, (text, _) in SCRIPTS.items()])
        for _ in ("as they came", "after they were saved"):
            for text, question in SCRIPTS.values():
                assert memory.search(question, k=3)[0].text == text
                assert on_one_line(text) in memory.context(question).text
            memory.flush()


def test_a_question_in_a_script_without_blanks_finds_its_turn_alone(busy: Memory) -> None:
    with busy as memory:
        for name in ("Chinese", "Japanese", "Korean", "Thai"):
            text, question = SCRIPTS[name]
            memory.add(text, session="s7", speaker="Ben")
            for _ in ("as they came", "after they were saved"):
                (evidence,) = memory.search(question, k=1)
                assert evidence.text == text
                assert evidence.why.terms["lexical.turn"].value > 0
                memory.flush()


def test_an_empty_text_is_a_named_error_and_nothing_is_kept(memory: Memory) -> None:
    for text in ("", " ", "\n\t\u3000"):
        with pytest.raises(InvalidTurn, match="empty"):
            memory.add(text)
        with pytest.raises(InvalidQuery):
            memory.search(text)
    assert memory.stats().turns == 0


@pytest.mark.any_storage
def test_a_text_of_one_character_is_kept(memory: Memory) -> None:
    for text in ("x", "犬", "🐕", "\0", ".", "\u200f", "\ufeff"):
        receipt = memory.add(text)
        memory.flush()
        assert memory.get(receipt.id or "").text == text
        assert text in [evidence.text for evidence in memory.search(text, k=9)]
    assert memory.verify().problems == ()


@pytest.mark.parametrize(
    ("piece", "length"), [("many words and more ", MILLION), ("长文本", 100_000), ("x", MILLION), ("🎉\0", 100_000)]
)
def test_a_text_of_up_to_a_million_characters_is_kept_and_found(memory: Memory, piece: str, length: int) -> None:
    text = (piece * length)[: length - 10] + " kingfisher"[:10] + "s"
    receipt = memory.add([text, "a kingfishers short neighbour"], session="s", speaker="Ben")[0]
    for _ in ("from the tail", "from the indices"):
        assert memory.get(receipt.id or "").text == text
        assert receipt.id in [evidence.id for evidence in memory.search("kingfishers", k=5)]
        context = memory.context("kingfishers", tokens=200)
        assert 0 < context.tokens <= 200
        memory.flush()
    assert memory.verify().problems == ()


@pytest.mark.parametrize("name", HARD)
def test_a_text_of_any_kind_stops_no_formation(memory: Memory, name: str) -> None:
    said = {"Tom": "I live in Rome.", "Ben": HARD[name], "Maria": "I live in Porto."}
    memory.add([{"text": text, "speaker": speaker, "session": "s"} for speaker, text in said.items()])
    stats = memory.stats()
    assert stats.unformed == 0
    assert [turn.text for turn in memory.list()] == [*said.values()]
    # What the analyst cannot read is kept as it was said, and told.
    assert stats.formation_problem is None or "as it was said" in stats.formation_problem
    assert [note.value for who in ("Tom", "Maria") for note in memory.notes(subject=who, slot="home")] == [
        "Rome",
        "Porto",
    ]
    assert memory.verify().problems == ()


def test_a_question_of_a_million_characters_is_answered(busy: Memory) -> None:
    with busy as memory:
        memory.add("an ocelot crossed the road", speaker="Ben")
        assert memory.search("ocelot " + "lorem ipsum " * 80_000, k=1)[0].text == "an ocelot crossed the road"
        assert len(memory.search("\0" * 1_000_000, k=3)) <= 3


@pytest.mark.any_storage
@pytest.mark.filterwarnings("ignore::hmem.model.turn.MessagesRejected")
def test_a_lone_surrogate_is_a_named_error_and_nothing_is_kept(memory: Memory) -> None:
    picture = [{"type": "image_url", "image_url": {"url": SURROGATE}}, {"type": "text", "text": "fine"}]
    arguments = [{name: SURROGATE} for name in ("speaker", "session", "user", "agent")]
    broken: list[dict[str, Any]] = [
        *({"text": "fine"} | given for given in arguments),
        *({"text": "fine", name: SURROGATE} for name in ("caption", "message_id")),
        *({"text": "fine", "metadata": given} for given in ({"key": SURROGATE}, {SURROGATE: "value"})),
        {"text": "fine", "attachments": [SURROGATE]}, {"text": SURROGATE}, {"content": picture},
    ]  # fmt: skip
    for fields in broken:
        with pytest.raises(InvalidTurn):
            memory.add(fields)
    for given in arguments:
        with pytest.raises(InvalidTurn):
            memory.add("fine", **given)  # type: ignore[call-overload]
    fates = [receipt.fate for receipt in memory.add(["good", *broken, "better"])]
    assert fates == ["stored", *["rejected"] * len(broken), "stored"]
    assert [turn.text for turn in memory.list()] == ["good", "better"]


def test_a_lone_surrogate_in_a_question_is_a_named_error(memory: Memory) -> None:
    memory.add("fine")
    for ask in (memory.search, memory.context):
        with pytest.raises(InvalidQuery):
            ask(SURROGATE)
    for name in ("session", "speaker", "after"):
        with suppress(HmemError):
            assert memory.list(**{name: SURROGATE}) == []  # type: ignore[arg-type]


def test_composed_and_decomposed_texts_find_each_other_and_stay_verbatim(busy: Memory) -> None:
    composed, decomposed = (unicodedata.normalize(form, "Zoë's crêpes à Besançon") for form in ("NFC", "NFD"))
    assert composed != decomposed
    with busy as memory:
        memory.add(composed, session="one", speaker="Ben")
        memory.add(decomposed, session="two", speaker="Ben")
        for _ in ("as they came", "after they were saved"):
            for question in (composed, decomposed, "crepes in Besancon"):
                found = memory.search(question, k=2)
                assert {evidence.text for evidence in found} == {composed, decomposed}
                assert all(len(evidence.why.words) >= 2 for evidence in found)
            memory.flush()


@pytest.mark.any_storage
@pytest.mark.filterwarnings("ignore::hmem.model.turn.MessagesRejected")
def test_a_batch_keeps_what_is_good_and_tells_what_is_not(memory: Memory) -> None:
    memory.add("as it was", message_id="m1")
    batch = [
        "good",
        "",
        {"text": "good too", "at": "2025-03-14T19:02:00+01:00"},
        {"text": "when?", "at": "the day before"},
        {"text": "who?", "mood": "glad"},
        {"text": "what?", "metadata": {"set": {1}}},
        {"text": 5},
        None,
        SURROGATE,
        {"text": "as it was", "message_id": "m1"},
        {"text": "as it was not", "message_id": "m1"},
        {"role": "assistant", "content": "good as well"},
        {"caption": "only a picture"},
    ]
    receipts = memory.add(batch)  # type: ignore[call-overload]
    assert [receipt.fate for receipt in receipts] == [
        *("stored", "rejected", "stored", "rejected", "stored", "rejected", "rejected", "rejected", "rejected"),
        *("duplicate", "rejected", "stored", "stored"),
    ]
    assert all(receipt.error and "\n" not in receipt.error for receipt in receipts if receipt.fate == "rejected")
    assert all(receipt.id for receipt in receipts if receipt)
    assert [turn.text for turn in memory.list()] == ["as it was", "good", "good too", "who?", "good as well", ""]
    assert memory.verify().problems == ()


def test_a_session_id_never_becomes_a_word_to_find(busy: Memory) -> None:
    with busy as memory:
        memory.add("we repaired the roof", session="answer_wombat_1", message_id="numbat_2", speaker="Ben")
        for _ in ("as they came", "after they were saved"):
            for question in ("wombat", "numbat", "answer_wombat_1"):
                for evidence in memory.search(question, k=300):
                    assert evidence.why.terms.get("lexical.turn") is None or evidence.why.words == ()
            memory.flush()
