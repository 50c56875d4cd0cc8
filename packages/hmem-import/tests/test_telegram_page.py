"""Telegram's export as pages."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem_import.formats import recognise
from hmem_import.telegram_page import messages
from hmem_import.tree import open_tree

HEAD = """<!DOCTYPE html>
<html>
 <head><meta charset="utf-8"/><title>Exported Data</title></head>
 <body><div class="page_wrap">
  <div class="page_header"><div class="content"><div class="text bold">
Ben &amp; Ana
  </div></div></div>
  <div class="page_body chat_page"><div class="history">
   <div class="message service" id="message-1"><div class="body details">1 March 2024</div></div>
"""
BODY = """
   <div class="message default clearfix" id="message7">
    <div class="pull_left userpic_wrap"><div class="userpic"><div class="initials">A</div></div></div>
    <div class="body">
     <div class="pull_right date details" title="01.03.2024 11:00:00 UTC+01:00">11:00</div>
     <div class="from_name">Ana </div>
     <div class="reply_to details">In reply to <a href="#go_to_message6">this message</a></div>
     <div class="text">Hello &amp; olá<br>see <a href="https://example.com">the plan</a></div>
    </div>
   </div>
   <div class="message default clearfix joined" id="message8">
    <div class="body">
     <div class="pull_right date details" title="01.03.2024 11:01:00 UTC+01:00">11:01</div>
     <div class="media_wrap clearfix"><a class="media clearfix pull_left media_file" href="files/bill.pdf">
      <div class="body"><div class="title bold">bill.pdf</div><div class="status details">12 KB</div></div></a></div>
    </div>
   </div>
   <div class="message default clearfix" id="message9">
    <div class="body">
     <div class="pull_right date details" title="01.03.2024 11:02:00 UTC+01:00">11:02</div>
     <div class="from_name">Ben</div>
     <div class="forwarded body">
      <div class="from_name">Eva
       <span class="date details" title="01.02.2024 09:00:00 UTC+01:00">01.02.2024</span></div>
      <div class="text">I moved</div>
     </div>
    </div>
   </div>
"""
TAIL = "</div></div></div></body></html>"


def read(place: Path) -> list[dict[str, Any]]:
    tree = open_tree(place)
    assert recognise(tree).name == "telegram"
    return [item.message for item in recognise(tree).read(tree)]


def test_a_page_is_read_with_names_times_files_and_who_said_what_is_forwarded(tmp_path: Path) -> None:
    (tmp_path / "messages.html").write_text(HEAD + BODY + TAIL, "utf-8")
    hello, bill, moved = read(tmp_path / "messages.html")
    assert hello == {
        "text": "Hello & olá\nsee the plan", "speaker": "Ana", "at": "2024-03-01T11:00:00+01:00",
        "session": "telegram:Ben & Ana:2024-03-01", "message_id": "telegram:Ben & Ana:message7",
        "metadata": {"chat": "Ben & Ana"},
    }  # fmt: skip
    assert (bill["speaker"], bill["caption"], bill["attachments"]) == ("Ana", "bill.pdf", ["files/bill.pdf"])
    assert (moved["speaker"], moved["text"], moved["metadata"]["forwarded_by"]) == ("Eva", "I moved", "Ben")


def test_pages_of_a_folder_are_one_chat(tmp_path: Path) -> None:
    for name, number in (("messages.html", 7), ("messages2.html", 107)):
        body = BODY.replace('id="message', f'id="message{number}')
        (tmp_path / name).write_text(HEAD + body + TAIL, "utf-8")
    held = read(tmp_path)
    assert len({each["message_id"] for each in held}) == 6


def test_a_folder_may_have_the_data_beside_its_pages(tmp_path: Path) -> None:
    message = {"id": 7, "type": "message", "date": "2024-03-01T11:00:00", "from": "Ana", "text": "Hello"}
    chat = {"name": "Ben", "type": "personal_chat", "id": 1, "messages": [message]}
    (tmp_path / "result.json").write_text(json.dumps(chat))
    (tmp_path / "messages.html").write_text(HEAD + BODY + TAIL, "utf-8")
    # The data has all that the pages have.
    assert [each["text"] for each in read(tmp_path)] == ["Hello"]


@pytest.mark.parametrize("page", ["", "<div class='message'>", "</div></div>", "<div class='text'>x", HEAD])
def test_a_page_without_messages_says_nothing(page: str) -> None:
    assert list(messages(page, "telegram")) == []


@given(st.text(alphabet="<>/divclass='messagetextfrom_name \n", max_size=300))
def test_no_page_breaks_it(page: str) -> None:
    assert all(each["speaker"] for each in messages(HEAD + page + BODY, "telegram"))
