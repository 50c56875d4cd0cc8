"""WhatsApp's exported chats, of both kinds of phones and of several countries."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem_import.formats import recognise
from hmem_import.tree import open_tree
from hmem_import.whatsapp import looks_like, messages

ANDROID = """\
31/12/2023, 21:40 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.
31/12/2023, 21:40 - Ana created group "Trip: Porto"
31/12/2023, 21:41 - Ana: Happy new year \U0001f389
from all of us

and the dog
31/12/2023, 21:42 - +351 912 345 678: IMG-20231231-WA0001.jpg (file attached)
The dog at the sea
31/12/2023, 21:43 - Ben: <Media omitted>
31/12/2023, 21:44 - Ben: This message was deleted
01/01/2024, 00:05 - Ana: See you at 10:30: do not be late
01/01/2024, 00:05 - Ana: ok
01/01/2024, 00:05 - Ana: ok
"""
IPHONE = (
    "\u200e[12/31/23, 9:40:00\u202fPM] Ana: \u200eMessages and calls are end-to-end encrypted.\r\n"
    "[12/31/23, 9:41:05\u202fPM] Ana: Happy new year\r\nfrom all of us\r\n"
    "\u200e[12/31/23, 9:42:00\u202fPM] ~\u202fBen: \u200e<attached: 00000012-PHOTO-2023-12-31-21-42-00.jpg>\r\n"
    "[12/31/23, 9:43:00\u202fPM] Ben: \u200eimage omitted\r\n"
    "[12/31/23, 9:44:00\u202fPM] Ben: \u200eThis message was deleted.\r\n"
    "[1/1/24, 12:05:00\u202fAM] Ana: See you \u200e<This message was edited>\r\n"
)


def said(content: str) -> list[dict[str, Any]]:
    return [item.message for item in messages(content, "Trip")]


def test_a_chat_of_an_android_phone() -> None:
    read = said(ANDROID)
    assert [(each["speaker"], each["text"], each.get("caption")) for each in read] == [
        ("Ana", "Happy new year \U0001f389\nfrom all of us\n\nand the dog", None),
        ("+351 912 345 678", "The dog at the sea", "attached: IMG-20231231-WA0001.jpg"),
        ("Ben", "", "media"),
        ("Ana", "See you at 10:30: do not be late", None),
        ("Ana", "ok", None),
        ("Ana", "ok", None),
    ]
    assert read[0]["at"] == "2023-12-31T21:41:00"
    assert (read[0]["session"], read[3]["session"]) == ("whatsapp:Trip:2023-12-31", "whatsapp:Trip:2024-01-01")
    assert len({each["message_id"] for each in read}) == 6


def test_a_chat_of_an_iphone() -> None:
    read = said(IPHONE)
    assert [(each["speaker"], each["text"], each.get("caption"), each["at"]) for each in read] == [
        ("Ana", "Happy new year\nfrom all of us", None, "2023-12-31T21:41:05"),
        ("Ben", "", "attached: 00000012-PHOTO-2023-12-31-21-42-00.jpg", "2023-12-31T21:42:00"),
        ("Ben", "", "image", "2023-12-31T21:43:00"),
        ("Ana", "See you", None, "2024-01-01T00:05:00"),
    ]


@pytest.mark.parametrize(
    ("line", "at"),
    [
        ("31.12.23, 21:41 - Ana: x", "2023-12-31T21:41:00"),
        ("31-12-2023 21:41 - Ana: x", "2023-12-31T21:41:00"),
        ("31/12/2023 21:41 - Ana: x", "2023-12-31T21:41:00"),
        ("2023-12-31 21:41 - Ana: x", "2023-12-31T21:41:00"),
        ("12/31/23, 9:41 PM - Ana: x", "2023-12-31T21:41:00"),
        ("31/12/2023, 9:41 p. m. - Ana: x", "2023-12-31T21:41:00"),
        ("[31.12.2023 klo 21.41.05] Ana: x", "2023-12-31T21:41:05"),
        ("[31/12/23, 12:41:05 AM] Ana: x", "2023-12-31T00:41:05"),
        ("2023/12/31 下午9:41 - Ana: x", "2023-12-31T21:41:00"),
        ("2023년 12월 31일 오후 9:41 - Ana: x", "2023-12-31T21:41:00"),
        (
            "\u200f\u0663\u0661/\u0661\u0662/\u0662\u0660\u0662\u0663، \u0669:\u0664\u0661 م - Ana: x",
            "2023-12-31T21:41:00",
        ),
    ],
)
def test_dates_of_many_countries(line: str, at: str) -> None:
    assert looks_like("chat.txt", line.encode())
    (read,) = said(line)
    assert (read["speaker"], read["text"], read["at"]) == ("Ana", "x", at)


def test_the_order_of_day_and_month_is_that_in_which_time_goes_on() -> None:
    month_first = "1/2/24, 09:00 - Ana: x\n3/1/24, 09:00 - Ana: x\n"
    assert [each["at"][5:10] for each in said(month_first)] == ["01-02", "03-01"]
    day_first = "2/1/24, 09:00 AM - Ana: x\n1/3/24, 09:00 AM - Ana: x\n"
    assert [each["at"][5:10] for each in said(day_first)] == ["01-02", "03-01"]
    # With nothing to tell, the clock of twelve hours is that of the United States.
    assert said("1/2/24, 9:00 AM - Ana: x")[0]["at"][:10] == "2024-01-02"
    assert said("1/2/24, 09:00 - Ana: x")[0]["at"][:10] == "2024-02-01"


def test_text_from_right_to_left_is_as_it_was_written() -> None:
    (read,) = said("31/12/2023, 21:41 - نادية: مرحبا, كيف الحال؟\nبخير")
    assert (read["speaker"], read["text"]) == ("نادية", "مرحبا, كيف الحال؟\nبخير")


def test_attachments_are_told_in_other_languages() -> None:
    (read,) = said("31.12.23, 21:41 - Ana: VID-1.mp4 (Datei angehängt)")
    assert (read["text"], read["caption"], read["attachments"]) == ("", "attached: VID-1.mp4", ["VID-1.mp4"])
    (read,) = said("[31.12.23, 21:41:00] Ana: \u200e<Anhang: a.pdf>")
    assert read["attachments"] == ["a.pdf"]


def test_an_impossible_date_leaves_the_time_open() -> None:
    (read,) = said("99/99/2023, 21:41 - Ana: x")
    assert "at" not in read


def test_an_archive_is_called_by_its_name_and_its_media_are_passed_over(tmp_path: Path) -> None:
    place = tmp_path / "chat"
    place.mkdir()
    (place / "_chat.txt").write_text(IPHONE, "utf-8")
    (place / "00000012-PHOTO-2023-12-31-21-42-00.jpg").write_bytes(b"\xff\xd8\xff")
    archive = Path(shutil.make_archive(str(tmp_path / "WhatsApp Chat - Trip"), "zip", place))
    tree = open_tree(archive)
    assert recognise(tree).name == "whatsapp"
    read = [item.message for item in recognise(tree).read(tree)]
    assert read[0]["metadata"] == {"chat": "WhatsApp Chat - Trip"}


def test_a_later_export_adds_only_what_is_new(tmp_path: Path, memory: Memory) -> None:
    place = tmp_path / "WhatsApp Chat with Trip.txt"
    fates: list[str] = []
    for content in (ANDROID, ANDROID + "02/01/2024, 08:00 - Ben: Good morning\n"):
        place.write_text(content, "utf-8")
        tree = open_tree(place)
        fates += [receipt.fate for receipt in memory.add([item.message for item in recognise(tree).read(tree)])]
    assert fates == ["stored"] * 6 + ["duplicate"] * 6 + ["stored"]


@pytest.mark.parametrize("other", [b"", b"Shopping: eggs", b"2023-12-31 was cold", b"\xff\xfe", b"{}"])
def test_other_texts_are_no_chats(other: bytes) -> None:
    assert not looks_like("a.txt", other)


@pytest.mark.parametrize("part", ["a.b (c", "<a:", " ", "\u200e<x", "\u200e"])
def test_a_text_made_to_be_slow_is_not(part: str) -> None:
    assert len(said(f"31/12/2023, 21:41 - Ana: x{part * 100_000}y\n31/12/2023,{part * 100_000}")) == 1


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("image omitted", "image"), ("imagem ocultada", "imagem"), ("Bild weggelassen", "Bild"),
        ("cartão de contato omitido", "cartão de contato"), ("画像は省略されました", "画像"),
    ],
)  # fmt: skip
def test_a_picture_that_an_iphone_left_out_is_told_of_in_any_language(line: str, kind: str) -> None:
    (read,) = said(f"[31.12.23, 21:41:00] Ana: \u200e{line}")
    assert (read["text"], read["caption"]) == ("", kind)
