"""The editor of a lesson: drafts, files, Word and Markdown, and versions, over HTTP."""

import io
import json
import zipfile
from typing import Any
from uuid import UUID

import httpx2
import pytest

from conftest import World
from media_files import mp4, pdf, vtt
from training.courses.documents import doc, paragraph
from trilha.settings import Settings
from trilha.training.courses import module_queries
from web.panel.authoring import modules, stored, upload
from web.panel.training_pages import browsing, flash, send

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship '
    'Id="r1" Target="word/document.xml" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    "</Relationships>"
)


def word(*paragraphs: tuple[str, str]) -> bytes:
    """Returns a Word file with these pairs of style and text."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELATIONS)
        archive.writestr("word/document.xml", f"<w:document {_W}><w:body>{body}</w:body></w:document>")
    return content.getvalue()


def body_of(*texts: str) -> str:
    return json.dumps(doc(*map(paragraph, texts)))


@pytest.fixture
async def author(world: World) -> httpx2.AsyncClient:
    return await browsing(world)


@pytest.fixture
async def lesson(world: World) -> str:
    """Returns the address of a lesson in the panel."""
    course_id = await world.course(
        publish=False, modules=[{"title": "A", "duration_minutes": 1, "body": "# Antes"}]
    )
    (module,) = await modules(world, course_id)
    return f"/admin/courses/{course_id}/modules/{module.id}"


async def read(world: World, lesson: str) -> str | None:
    """Returns the lesson as learners read it."""
    course_id, module_id = (UUID(each) for each in lesson.split("/")[3::2])
    async with world.tx() as tx:
        return (await module_queries.get(tx, course_id, module_id)).body


def draft(page: str) -> Any:
    """Returns what the editor begins with."""
    _, _, rest = page.partition('id="lesson-data">')
    return json.loads(rest.partition("</script>")[0])


async def test_a_draft_is_kept_for_its_author_and_hidden_from_learners(
    world: World, author: httpx2.AsyncClient, lesson: str
) -> None:
    saved = await send(author, f"{lesson}/draft", document=body_of("Rascunho"), base=0, revision=0)
    assert saved.status_code == 200
    assert saved.json()["revision"] == 1
    assert await read(world, lesson) == "# Antes"
    assert draft((await author.get(lesson)).text)["document"] == doc(paragraph("Rascunho"))
    discarded = await send(author, f"{lesson}/draft/discard")
    assert flash(discarded) == "The draft was discarded."
    assert "Rascunho" not in (await author.get(lesson)).text


async def test_an_older_window_does_not_overwrite_a_draft(author: httpx2.AsyncClient, lesson: str) -> None:
    await send(author, f"{lesson}/draft", document=body_of("Um"), base=0, revision=0)
    await send(author, f"{lesson}/draft", document=body_of("Dois"), base=0, revision=1)
    older = await send(author, f"{lesson}/draft", document=body_of("Velho"), base=0, revision=1)
    assert (older.status_code, older.json()["code"]) == (409, "lesson_draft_changed")
    assert draft((await author.get(lesson)).text)["document"] == doc(paragraph("Dois"))


async def test_a_second_author_is_told_and_overwrites_nothing(
    world: World, author: httpx2.AsyncClient, lesson: str
) -> None:
    form = {"title": "A", "duration_minutes": "1", "required": "true", "base": "0"}
    first = await send(author, lesson, **form, document=body_of("Primeira"))
    assert flash(first) == "The module was saved."
    second = await send(author, lesson, **form, document=body_of("Segunda"))
    assert second.status_code == 422
    assert "Somebody else published changes to this lesson" in second.text
    assert await read(world, lesson) == "Primeira\n"
    knowing = await send(author, lesson, **form, document=body_of("Segunda"), overwrite="1")
    assert flash(knowing) == "The module was saved."
    assert await read(world, lesson) == "Segunda\n"
    compared = (await author.get(f"{lesson}/versions/1")).text
    assert "Primeira" in compared
    assert "Segunda" in compared
    restored = await send(author, f"{lesson}/versions/1/restore", base="2")
    assert flash(restored) == "Version 1 was restored."
    assert await read(world, lesson) == "Primeira\n"
    late = await send(author, f"{lesson}/versions/2/restore", base="2")
    assert late.status_code == 409
    assert await read(world, lesson) == "Primeira\n"


@pytest.mark.parametrize("document", ["", "{", "[]", '{"type": "doc", "content": "x"}', "\x00", '"' * 4000])
async def test_a_broken_draft_is_refused_and_changes_nothing(
    author: httpx2.AsyncClient, lesson: str, document: str
) -> None:
    await send(author, f"{lesson}/draft", document=body_of("Bom"), base=0, revision=0)
    refused = await send(author, f"{lesson}/draft", document=document, base=0, revision=1)
    assert refused.status_code in (400, 422)
    assert draft((await author.get(lesson)).text)["document"] == doc(paragraph("Bom"))


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        (("aula.mp4", mp4(1), "video/mp4"), "video"),
        (("norma.pdf", pdf(1), "application/pdf"), "attachment"),
        (("aula.vtt", vtt("Oi"), "text/vtt"), "captions"),
    ],
)
async def test_files_for_a_lesson(
    world: World,
    author: httpx2.AsyncClient,
    lesson: str,
    settings: Settings,
    file: tuple[str, bytes, str],
    kind: str,
) -> None:
    answer = await upload(author, f"{lesson}/files", file=file)
    assert answer.status_code == 200
    assert (answer.json()["kind"], answer.json()["name"]) == (kind, file[0])
    assert len(stored(settings, world)) == 1


@pytest.mark.parametrize(
    "file",
    [("a.svg", b"<svg onload='alert(1)'/>", "image/svg+xml"), ("a.mp4", b"nothing", "video/mp4"), None],
)
async def test_other_files_are_refused_and_not_kept(
    world: World,
    author: httpx2.AsyncClient,
    lesson: str,
    settings: Settings,
    file: tuple[str, bytes, str] | None,
) -> None:
    answer = await upload(author, f"{lesson}/files", **({"file": file} if file else {}))
    assert answer.status_code in (400, 415, 422)
    assert answer.json()["message"]
    assert stored(settings, world) == set()


async def test_a_word_file_becomes_blocks(author: httpx2.AsyncClient, lesson: str) -> None:
    content = word(("Heading1", "Altura"), ("Normal", "Acima de dois metros."))
    answer = await upload(author, f"{lesson}/word", file=("nr35.docx", content, ""))
    blocks = answer.json()["document"]["content"]
    assert [(each["type"], each["content"][0]["text"]) for each in blocks] == [
        ("heading", "Altura"),
        ("paragraph", "Acima de dois metros."),
    ]


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"%PDF-1.7", word()[:-30]])
async def test_what_is_no_word_file_is_told(author: httpx2.AsyncClient, lesson: str, content: bytes) -> None:
    answer = await upload(author, f"{lesson}/word", file=("nr35.docx", content, ""))
    assert answer.status_code == 422
    assert answer.json()["message"]


async def test_markdown_goes_in_and_out(world: World, author: httpx2.AsyncClient, lesson: str) -> None:
    answer = await send(author, f"{lesson}/markdown", body="## Título\n\n- um\n- dois\n")
    document = answer.json()["document"]
    form = {"title": "A", "duration_minutes": "1", "required": "true", "base": "0"}
    await send(author, lesson, **form, document=json.dumps(document))
    assert (await author.get(f"{lesson}/lesson.md")).text == "## Título\n\n- um\n- dois\n"


@pytest.mark.parametrize("number", ["9", "-1", "x", "9" * 30])
async def test_a_version_that_does_not_exist(author: httpx2.AsyncClient, lesson: str, number: str) -> None:
    assert (await author.get(f"{lesson}/versions/{number}")).status_code == 404
    assert (await send(author, f"{lesson}/versions/{number}/restore", base="0")).status_code == 404
