"""Mailboxes and messages."""

import gzip
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory
from hmem_import.formats import recognise
from hmem_import.mail import looks_like, own_words, words
from hmem_import.opening import ImportLimits
from hmem_import.tree import Item, open_tree


def message(number: int, text: str = "Hello", html: str | None = None, **heads: str) -> EmailMessage:
    made = EmailMessage()
    usual = {
        "From": "Ana Reis <ana@example.com>", "To": "ben@example.com", "Subject": "The oven",
        "Date": "Fri, 01 Mar 2024 10:00:00 +0100", "Message-ID": f"<m{number}@example.com>",
    }  # fmt: skip
    for name, value in (usual | {name.replace("_", "-"): value for name, value in heads.items()}).items():
        made[name] = value
    made.set_content(text)
    if html is not None:
        made.add_alternative(html, subtype="html")
    return made


def mbox(place: Path, *held: EmailMessage | bytes) -> Path:
    parts = [
        b"From ana@example.com Fri Mar  1 10:00:00 2024\n"
        + (each if isinstance(each, bytes) else each.as_bytes())
        + b"\n"
        for each in held
    ]
    place.write_bytes(b"".join(parts))
    return place


def read(place: Path, limits: ImportLimits | None = None) -> list[Item]:
    tree = open_tree(place, limits or ImportLimits())
    assert recognise(tree).name == "mail"
    return list(recognise(tree).read(tree))


QUOTED = """\
Yes, on Friday. \U0001f44d

On Fri, Mar 1, 2024 at 10:00 AM Ana Reis <ana@example.com>
wrote:

> Can you come?
> I live in Porto.
--
Ben
+351 912 345 678
"""


def test_a_thread_is_a_session_and_replies_have_their_own_words(tmp_path: Path) -> None:
    reply = message(
        2, QUOTED, From='"Ben, Baker" <ben@example.com>', Subject="Re: The oven", In_Reply_To="<m1@example.com>",
        References="<m1@example.com>", Date="Fri, 01 Mar 2024 12:00:00 -0500",
    )  # fmt: skip
    first, second, other = [
        item.message for item in read(mbox(tmp_path / "all.mbox", message(1, "Can you come?"), reply, message(3)))
    ]
    assert first == {
        "text": "The oven\n\nCan you come?", "speaker": "Ana Reis", "at": "2024-03-01T10:00:00+01:00",
        "session": "mail:m1@example.com", "message_id": "mail:m1@example.com",
        "metadata": {"subject": "The oven", "from": "ana@example.com", "to": ["ben@example.com"]},
    }  # fmt: skip
    assert (second["text"], second["speaker"]) == ("Yes, on Friday. \U0001f44d", "Ben, Baker")
    assert second["at"] == "2024-03-01T12:00:00-05:00"
    assert (second["session"], other["session"]) == (first["session"], "mail:m3@example.com")


def test_a_thread_is_known_by_its_replies_alone(tmp_path: Path) -> None:
    chain = [message(1), message(2, In_Reply_To="<m1@example.com>"), message(3, In_Reply_To="<m2@example.com>")]
    assert {item.message["session"] for item in read(mbox(tmp_path / "a.mbox", *chain))} == {"mail:m1@example.com"}
    labelled = [message(4, X_GM_THRID="77"), message(5, X_GM_THRID="77")]
    assert {item.message["session"] for item in read(mbox(tmp_path / "b.mbox", *labelled))} == {"mail:77"}


@pytest.mark.parametrize(
    ("written", "own"),
    [
        ("Yes\n\n> When?\n\nAt ten\n> Where?\n\nHere", "Yes\n\nAt ten\n\nHere"),
        ("Ja\n\nAm 01.03.2024 um 10:00 schrieb Ana:\n> Wann?", "Ja\n"),
        ("See below:\n\n> When?", "See below:\n"),
        ("Ok\n\n-----Original Message-----\nFrom: Ana\nSent: Friday\nSubject: Oven\n\nWhen?", "Ok\n"),
        ("Ok\n________________________________\nDe : Ana\nEnvoyé : vendredi\n\nQuand ?", "Ok"),
        ("One\n----------\nTwo", "One\n----------\nTwo"),
        ("One\n-- \nAna\nPorto", "One"),
    ],
)
def test_what_is_answered_and_signed_is_left_out(written: str, own: str) -> None:
    assert own_words(written, reply=True).rstrip() == own.rstrip()


def test_a_text_made_to_be_slow_is_not() -> None:
    written = "-" * 200_000 + "x\nFrom: a\nTo: b\n" + "> " * 100_000 + "\n" + "_" * 200_000 + " \n"
    assert own_words(written, reply=True).startswith("---")


def test_what_is_forwarded_is_a_quotation() -> None:
    written = "Look\n\n---------- Forwarded message ---------\nFrom: Eva <e@example.com>\nDate: today\n\nI moved."
    assert own_words(written, reply=False) == "Look\n\n> From: Eva <e@example.com>\n> Date: today\n> I moved."


def test_html_is_read_where_there_is_no_text(tmp_path: Path) -> None:
    made = message(1, In_Reply_To="<m0@example.com>")
    made.set_content(
        "<html><head><style>p{}</style></head><body><p>Caf\u00e9 &amp; tea</p><div>Two</div>"
        "<blockquote>When?</blockquote></body></html>",
        subtype="html",
    )
    (item,) = read(mbox(tmp_path / "a.mbox", made))
    assert item.message["text"] == "Caf\u00e9 & tea\nTwo"


def test_attachments_and_encoded_heads_are_told_by_their_names(tmp_path: Path) -> None:
    made = message(1, "", From="=?utf-8?b?0JDQvdC90LA=?= <anna@example.com>", Subject="=?iso-8859-1?q?Caf=E9?=")
    made.add_attachment(b"x", maintype="application", subtype="pdf", filename="r\u00e9sum\u00e9.pdf")
    (item,) = read(mbox(tmp_path / "a.mbox", made))
    assert item.message["speaker"] == "\u0410\u043d\u043d\u0430"
    assert (item.message["text"], item.message["caption"]) == ("Caf\u00e9", "attached: r\u00e9sum\u00e9.pdf")


def test_messages_without_dates_names_or_known_charsets_are_kept(tmp_path: Path) -> None:
    raw = (
        b"From: ana@example.com\nSubject: Hello\nDate: soon\nContent-Type: text/plain; charset=klingon\n\n"
        b">From here on it rains\n"
    )
    (item,) = read(mbox(tmp_path / "a.mbox", raw))
    assert (item.message["speaker"], item.message["text"]) == ("ana@example.com", "Hello\n\nFrom here on it rains")
    assert "at" not in item.message
    assert read(tmp_path / "a.mbox")[0].message["message_id"] == item.message["message_id"]


def test_a_message_that_is_too_long_is_told_of_and_the_next_is_read(tmp_path: Path) -> None:
    place = mbox(tmp_path / "a.mbox", message(1, "word\n" * 5_000), message(2, "short"))
    long, short = read(place, ImportLimits(line=2_000))
    assert "longer than 2,000 bytes - raise --max-line" in str(long.error)
    assert short.message["text"].endswith("short")


def test_a_mailbox_is_known_by_its_beginning_and_messages_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "one.eml").write_bytes(message(1).as_bytes())
    assert len(read(tmp_path / "one.eml")) == 1
    place = mbox(tmp_path / "Inbox", message(1))
    (tmp_path / "all.mbox.gz").write_bytes(gzip.compress(place.read_bytes()))
    assert len(read(place)) == len(read(tmp_path / "all.mbox.gz")) == 1
    assert not looks_like("a.txt", b"From here on\nit rains: all day\n")


def test_a_memory_takes_every_message_and_none_twice(tmp_path: Path, memory: Memory) -> None:
    held = [item.message for item in read(mbox(tmp_path / "a.mbox", message(1), message(2, "Yes")))]
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add(held)} == {fate}


@given(st.binary(max_size=300))
def test_no_bytes_break_a_mailbox(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    place = tmp_path_factory.getbasetemp() / "any.eml"
    place.write_bytes(b"From: a@b.c\n" + data)
    for item in read(place):
        assert (item.message is None) != (item.error is None)


def test_words_of_a_page_stand_on_lines() -> None:
    assert words("<p>One <b>two</b></p><script>x</script><ul><li>three</li></ul>a<br>b") == "One two\nthree\na\nb"
    assert words("<blockquote>a</blockquote>b", quotes=False) == "b"
