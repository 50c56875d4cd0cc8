import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.blocks import EXAMINED, blocks, prose

PYTHON = """def mean(values):
    total = sum(values)
    return total / len(values)"""
JAVASCRIPT = """const list = document.querySelectorAll('input');
list.forEach((each) => {
  each.value = 1;
});"""
SQL = "SELECT name, age FROM people\nWHERE age > 30\nORDER BY name;"
SHELL = "$ pip install hmem\n$ hmem stats"
DIFF = """diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,2 @@
-x = 1
+x = 2"""
HTML = '<div class="card">\n  <p>Hello</p>\n</div>'
TRACE = """Traceback (most recent call last):
  File "app.py", line 3, in <module>
    main()
ValueError: no such thing"""
JAVA = """Exception in thread "main" java.lang.NullPointerException: nope
\tat com.example.App.run(App.java:12)
\tat com.example.App.main(App.java:5)"""
LOG = """2024-03-01 10:15:02,113 INFO app.server started on port 8080
2024-03-01 10:15:09,870 ERROR app.db connection refused"""
SYSLOG = "Mar  1 10:15:02 web1 nginx[312]: worker started"
TABLE = "| Name | Age |\n|------|-----|\n| Ann | 31 |"
CSV = "name,age,city\nAnn,31,Porto\nBob,28,Leeds"
TSV = "name\tage\tcity\nAnn\t31\tPorto\nBob\t28\tLeeds"
JSON = '{"name": "Ann", "dogs": ["Max", "Daisy"],\n "age": 31}'
QUOTE = "> I moved to Rome\n> and then to Oslo"
NESTED = ">> are you coming?\n> yes, on Monday"
FORWARDED = "-----Original Message-----\nFrom: Ann\n\nI moved to Rome."

# A text with the block in its middle, and its kind.
KINDS = [
    (PYTHON, "code"), (JAVASCRIPT, "code"), (SQL, "code"), (SHELL, "code"), (DIFF, "code"), (HTML, "code"),
    (f"```python\n{PYTHON}\n```", "code"), ("~~~\nnot talk at all\n~~~", "code"), (TRACE, "log"), (JAVA, "log"),
    (LOG, "log"), (SYSLOG, "log"), (TABLE, "table"), (CSV, "table"), (TSV, "table"), (JSON, "data"), (QUOTE, "quote"),
    (NESTED, "quote"),
]  # fmt: skip

BEFORE = "Look at this, I moved to Rome last week.\n\n"
AFTER = "\n\nWhat do you think of it?"

TALK = [
    "Hey! How are you?  I'm good.  We went hiking.",
    "lol ok (see you there) :) >.< ^_^ <3 -_-",
    ">50 people came!! > 9000 even",
    "mom = Ann\ndad = Bob\nme = the best",
    "height = 180\nweight = 75",
    "Mon: gym\nTue: rest\nWed: gym; Thu: swim; Fri: rest",
    "- milk\n- eggs (12)\n- bread\n  - rye, if they have it\n* and wine",
    "1. I moved to Rome.\n2. I bought a car (a Fiat);\n3. I'm happy.",
    "(i) an equity interest;\n(ii) a stock;\n(iii) a security;",
    "[10:15:22] Ann: hi\n[10:15:40] Bob: hello\n[10:16:02] Ann: I moved to Rome",
    "12/05/23, 10:15 - Ann: hi\n12/05/23, 10:16 - Bob: I got a dog",
    "2023-05-07 12:33 Went to the dentist\n2023-05-07 15:00 Bought milk\n2023-05-08 Slept in",
    "00:01:23 So today we talk about bread\n00:01:29 My name is Ann\n00:01:35 and I bake",
    "WARNING: long rant ahead. I hate my job.",
    "if it is sunny:\nwe go to the beach",
    "while we wait: tell me about Rome",
    "import duties are so high, I paid $40 in fees; never again",
    "return flight on Monday\nreturn train on Friday",
    "Use `git push --force` with care; I lost a day to it = not fun",
    "Max, Daisy, Luna\nRex, Bello, Fido\nTom, Jerry, Spike",
    "I paid $1,200, she paid $3,400, he paid $900\nthen $2,000, $3,000, $4,000\nand $5,000, $6,000, $7,000",
    "See https://example.com/rome for where I live, and www.example.com too.",
    "Dear Ann,\n\n    I write to you from Rome.\n\nYours,\nBob",
    "We watched 'Her' (2013), 'Up' (2009); both great {not kidding}",
    "# Monday\nI ran 5k.\n# Tuesday\nI rested.",
    "so i was like\nwhat the...\nand she goes\nno way!!!\n-- Ann",
    "class tomorrow: 9am\ndef going (I think)",
    "@ann @bob are you in?\n@cara?",
    "update: the vet says Max is fine; select one of the dates from the list",
    "Ann | 31 | Porto",
    "x" * 79,
]


@pytest.mark.parametrize(("block", "kind"), KINDS)
def test_a_block_is_cut_out_of_the_talk_around_it(block: str, kind: str) -> None:
    text = BEFORE + block + AFTER
    assert [found.kind for found in blocks(text)] == [kind]
    cut = blocks(text)[0]
    assert text[cut.start : cut.end].strip() == block
    assert [text[start:end].strip() for start, end in prose(text)] == [BEFORE.strip(), AFTER.strip()]


@pytest.mark.parametrize(("block", "kind"), KINDS)
def test_a_block_may_be_the_whole_text(block: str, kind: str) -> None:
    assert [(found.kind, block[found.start : found.end]) for found in blocks(block)] == [(kind, block)]


@pytest.mark.parametrize("text", TALK)
def test_plain_talk_is_never_cut(text: str) -> None:
    assert blocks(text) == ()
    assert prose(text) == ((0, len(text)),)


def test_a_forwarded_message_is_a_quote_to_its_end() -> None:
    text = f"See below.\n{FORWARDED}"
    assert [text[start:end] for start, end in prose(text)] == ["See below.\n"]


def test_the_line_that_names_the_author_of_a_quote_goes_with_it() -> None:
    text = "On Mon, 3 Mar 2024 at 10:15, Ann Lee wrote:\n> I moved to Rome\n\nGood for you!"
    assert [text[start:end].strip() for start, end in prose(text)] == ["Good for you!"]


def test_a_fence_in_a_list_is_code_and_the_list_is_not() -> None:
    text = "1. Install it:\n\n   ```sh\n   pip install hmem\n   ```\n2. I like it."
    assert [text[found.start : found.end].strip() for found in blocks(text)] == ["```sh\n   pip install hmem\n   ```"]


def test_an_address_is_cut_alone_on_its_line_and_kept_in_a_sentence() -> None:
    text = "I live here, see https://a.example/b for more\nhttps://a.example/rome\n* https://a.example/oslo"
    assert [text[found.start : found.end] for found in blocks(text)] == [
        "https://a.example/rome",
        "https://a.example/oslo",
    ]
    long = "https://a.example/" + "b" * 100
    assert [found.kind for found in blocks(f"I live here, see {long} for more")] == ["url"]


def test_a_word_that_nobody_says_is_data() -> None:
    assert [found.kind for found in blocks("key: " + "aGVsbG8" * 20)] == ["data"]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_ends_of_lines_of_other_systems_are_ends_of_lines(end: str) -> None:
    text = (BEFORE + PYTHON + AFTER).replace("\n", end)
    assert [found.kind for found in blocks(text)] == ["code"]
    assert text[blocks(text)[0].start :].startswith("def mean")


def test_only_the_beginning_of_a_text_is_examined() -> None:
    line = "word " * 20 + "\n"
    text = line * (EXAMINED // len(line) + 2) + PYTHON
    assert blocks(text) == ()


LINES = st.sampled_from(
    [line for text in (*(block for block, _ in KINDS), *TALK) for line in text.split("\n")]
    + ["", "```", "> ", "{", "["]
)


@given(st.one_of(st.text(), st.lists(LINES, max_size=30).map("\n".join)))
def test_blocks_and_prose_part_every_text(text: str) -> None:
    spans = sorted([(found.start, found.end) for found in blocks(text)] + list(prose(text)))
    assert all(start < end for start, end in spans)
    assert "".join(text[start:end] for start, end in spans) == text
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
