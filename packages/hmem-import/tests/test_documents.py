"""Documents: sections with their pages and headings, which are found and told by nobody."""

import io
import zipfile
from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import InvalidFile
from hmem_import.documents import looks_like, read, sections
from hmem_import.formats import recognise
from hmem_import.opening import ImportLimits
from hmem_import.tree import Item, open_tree


def pdf(*pages: list[str]) -> bytes:
    """A PDF with lines of text on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids: list[str] = []
    for lines in pages:
        shown = "".join(f"BT /F1 12 Tf 72 {720 - 40 * i} Td ({line}) Tj ET\n" for i, line in enumerate(lines))
        content = len(objects) + 1
        objects.append(f"<< /Length {len(shown)} >>\nstream\n{shown}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{content + 1} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    made, places = b"%PDF-1.4\n", list[int]()
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    tail = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer << /Size {len(objects) + 1} /Root 1 0 R >>\n"
    )
    return made + f"{tail}startxref\n{len(made)}\n%%EOF\n".encode()


def docx(*paragraphs: tuple[str, str]) -> bytes:
    """A document of Word with paragraphs, each with its style."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    kinds = "http://schemas.openxmlformats.org/package/2006/content-types"
    relations = "http://schemas.openxmlformats.org/package/2006/relationships"
    document = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    styles = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{kinds}"><Default Extension="rels" ContentType='
        '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
        f'ContentType="{main}.document.main+xml"/><Override PartName="/word/styles.xml" '
        f'ContentType="{main}.styles+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{document}" '
        'Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{relations}"><Relationship Id="r1" Type="{styles}" '
        'Target="styles.xml"/></Relationships>',
        "word/styles.xml": f'<w:styles {space}><w:style w:type="paragraph" w:styleId="Heading1">'
        '<w:name w:val="heading 1"/></w:style></w:styles>',
        "word/document.xml": f"<w:document {space}><w:body>{body}</w:body></w:document>",
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{content}')
    return made.getvalue()


def items(place: Path, data: bytes) -> list[Item]:
    place.write_bytes(data)
    tree = open_tree(place)
    assert recognise(tree).name == "document"
    return list(read(tree))


def test_a_pdf_is_read_by_page(tmp_path: Path) -> None:
    held = items(tmp_path / "oven.pdf", pdf(["Open the door."], ["The warranty lasts", "five years."]))
    assert [(each.message["text"], each.message["metadata"]["page"]) for each in held] == [
        ("Open the door.", 1), ("The warranty lasts\n\nfive years.", 2)
    ]  # fmt: skip
    first = held[0].message
    assert (first["role"], first["speaker"], first["session"]) == ("document", "oven.pdf", "document:oven.pdf")
    assert first["metadata"] == {"document": "oven.pdf", "page": 1}


def test_a_word_document_is_read_by_heading(tmp_path: Path) -> None:
    data = docx(("Heading1", "Warranty"), ("Normal", "It lasts five years."), ("Normal", "Ask the shop."))
    (section,) = items(tmp_path / "oven.docx", data)
    assert section.message["text"] == "It lasts five years.\n\nAsk the shop."
    assert section.message["metadata"] == {"document": "oven.docx", "heading": "Warranty"}


def test_a_page_of_html_is_read_by_heading_without_its_scripts(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><html><body><script>alert(1)</script><h1>Oven</h1><h2>Care</h2><p>Wipe it.</p></body></html>"
    (section,) = items(tmp_path / "oven.html", page.encode())
    assert (section.message["text"], section.message["metadata"]["heading"]) == ("Wipe it.", "Oven / Care")


def test_a_text_is_a_document(tmp_path: Path) -> None:
    assert [
        each.message["text"] for each in items(tmp_path / "a.txt", "Uma casa.\n\nE um gato. \U0001f431".encode())
    ] == ["Uma casa.\n\nE um gato. \U0001f431"]


def test_paragraphs_of_a_heading_are_joined_up_to_a_length() -> None:
    content = "# One\n\n" + "\n\n".join(["word " * 100] * 4) + "\n\n# Two\n\nshort"
    found = list(sections(content, "a.md", "x", None))
    assert [each["metadata"]["heading"] for each in found] == ["One", "One", "Two"]
    assert len({each["message_id"] for each in found}) == 3


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.pdf", b"%PDF-1.4\nnothing", "cannot be read"), ("a.pdf", pdf([]), "has no text"),
        ("a.docx", b"PK\x03\x04word/", "not a whole document"),
    ],
)  # fmt: skip
def test_what_is_broken_or_empty_is_told_by_its_name(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    with pytest.raises(InvalidFile, match=f"{name} .*{told}|{told}"):
        items(tmp_path / name, data)


def test_limits_hold_for_documents(tmp_path: Path) -> None:
    place = tmp_path / "a.pdf"
    place.write_bytes(pdf(["one"], ["two"], ["three"]))
    with pytest.raises(InvalidFile, match="more than 2 pages - raise --max-files"):
        list(read(open_tree(place, ImportLimits(files=2))))
    place = tmp_path / "a.docx"
    place.write_bytes(docx(("Normal", "x" * 300_000)))
    assert place.stat().st_size < 20_000
    with pytest.raises(InvalidFile, match="holds more than 100,000 bytes"):
        list(read(open_tree(place, ImportLimits(bytes=100_000))))


def test_a_document_is_known_by_its_beginning() -> None:
    assert looks_like("x", b"%PDF-1.7")
    assert looks_like("x", b"\n<!DOCTYPE HTML>")
    assert not looks_like("x.json", b"[]")


def test_a_document_is_found_with_its_place_and_becomes_nobodys_facts(tmp_path: Path, memory: Memory) -> None:
    page = ["I live in Berlin with my wife Ana, and I like tea.", "The warranty of the oven lasts five years."]
    held = [each.message for each in items(tmp_path / "oven.pdf", pdf(["Contents"], page))]
    memory.add(held)
    memory.add("Hello, I live in Porto.", speaker="user", session="s", at="2026-01-02")
    memory.consolidate()
    assert {note.text for note in memory.notes()} == {"Hello, I live in Porto."}
    assert {each.speaker for each in memory.personas()} == {"user"}
    assert {each.name for each in memory.graph().entities} <= {"Porto", "user"}
    assert all("oven" not in event.text for event in memory.events())
    best = memory.search("How long does the warranty of the oven last?", 1)[0]
    assert (best.speaker, best.place, best.session) == ("oven.pdf", "page 2", "document:oven.pdf")
    assert "oven.pdf (page 2): " in memory.context("How long does the warranty of the oven last?", 300).text
    assert {receipt.fate for receipt in memory.add(held)} == {"duplicate"}
