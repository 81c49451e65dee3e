"""Certificate templates: their texts and images, and which one a certificate uses."""

from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from PIL import Image, PngImagePlugin

from conftest import World
from training.certificates.paperwork import ADDRESS, Paperwork
from trilha.core.errors import Conflict, Invalid, NotFound
from trilha.core.file_store import open_file_store
from trilha.core.types import Name
from trilha.core.web.parsing import convert
from trilha.training.certificates.pdf.press import Press
from trilha.training.certificates.pdf.previewing import Previews
from trilha.training.certificates.templates import actions, pictures, queries, rules
from trilha.training.certificates.templates.schema import Look, NewTemplate, TemplatePatch, Texts


@pytest.fixture
async def paperwork(world: World, tmp_path: Path) -> AsyncIterator[Paperwork]:
    made = Paperwork(world, tmp_path)
    yield made
    await made.close()


def new(world: World, **members: Any) -> NewTemplate:
    return convert(NewTemplate, {"name": f"T {uuid4()}"} | members, world.clock.now.date())


async def test_a_certificate_keeps_its_courses_template_else_the_default_one(paperwork: Paperwork) -> None:
    world = paperwork.world
    course, other = await world.course(), await world.course()
    [builtin] = await paperwork.issue(course=course)
    async with world.tx() as tx:
        default = await actions.create(tx, new(world, design="modern", locale="en"))
        own = await actions.create(tx, new(world, orientation="portrait", colour="#7a1f3d"))
        await actions.make_default(tx, default.id)
        await actions.assign(tx, course, own.id)
    [of_course] = await paperwork.issue(course=course)
    [of_other] = await paperwork.issue(course=other)
    async with world.tx() as tx:
        await actions.archive(tx, own.id)
    [after] = await paperwork.issue(course=course)
    async with world.tx() as tx:
        await actions.update(tx, default.id, TemplatePatch(design="classic"))

    rows = await paperwork.rows()
    assert (rows[builtin]["template_id"], rows[builtin]["paper"]) == (None, {})
    assert rows[of_course]["template_id"] == own.id
    assert rows[of_course]["paper"]["colour"] == "#7a1f3d"
    assert rows[of_course]["locale"] == "pt-BR"
    for each in (of_other, after):
        # The template at the time of issue, not the present one.
        assert rows[each]["template_id"] == default.id
        assert (rows[each]["paper"]["design"], rows[each]["locale"]) == ("modern", "en")
    assert await paperwork.run() == 4
    assert await paperwork.run() == 0
    assert all(row["file_key"] for row in (await paperwork.rows()).values())


async def test_one_is_the_default(world: World) -> None:
    async with world.tx() as tx:
        made = [await actions.create(tx, new(world)) for _ in range(2)]
        for each in (*made, made[0]):
            assert (await actions.make_default(tx, each.id)).is_default
        assert [each.id for each in await queries.list_all(tx) if each.is_default] == [made[0].id]
        await actions.archive(tx, made[0].id)
        assert not any(each.is_default for each in await queries.list_all(tx, archived=True))
        with pytest.raises(Conflict):
            await actions.make_default(tx, made[0].id)
        with pytest.raises(Conflict):
            await actions.assign(tx, await _course(world), made[0].id)
        await actions.make_default(tx, made[1].id)
        await actions.use_builtin(tx)
        assert not any(each.is_default for each in await queries.list_all(tx))


async def _course(world: World) -> Any:
    return await world.course()


async def test_names_are_told_apart(world: World) -> None:
    async with world.tx() as tx:
        first = await actions.create(tx, new(world, name="Padrão"))
        second = await actions.create(tx, new(world))
        for clash in (
            actions.create(tx, new(world, name="Padrão")),
            actions.update(tx, second.id, TemplatePatch(name=Name("Padrão"))),
        ):
            with pytest.raises(Invalid) as refused:
                await clash
            assert refused.value.code == "template_name_exists"
        await actions.archive(tx, first.id)
        assert (await actions.update(tx, second.id, TemplatePatch(name=Name("Padrão")))).name == "Padrão"


async def test_what_changes_is_audited_and_nothing_else(world: World) -> None:
    async with world.tx() as tx:
        template = await actions.create(tx, new(world))
        await actions.update(tx, template.id, TemplatePatch(design="classic", texts=Texts()))
        await actions.update(tx, template.id, TemplatePatch(design="modern"))
        rows = await tx.rows(
            """
            SELECT action, detail FROM audit_records
            WHERE tenant_id = :tenant AND action LIKE 'certificate_template.%' ORDER BY created_at, id
            """
        )
    assert sorted(row["action"].partition(".")[2] for row in rows) == ["created", "updated"]


async def test_what_is_not_there(world: World) -> None:
    async with world.tx() as tx:
        for call in (
            actions.update(tx, uuid4(), TemplatePatch()),
            actions.archive(tx, uuid4()),
            actions.make_default(tx, uuid4()),
            actions.assign(tx, uuid4(), None),
        ):
            with pytest.raises(NotFound):
                await call


@pytest.mark.parametrize(
    ("members", "field", "code"),
    [
        ({"colour": "#ffee00"}, "colour", "too_little_contrast"),
        ({"accent": "#fefefe"}, "accent", "too_little_contrast"),
        ({"colour": "red"}, "colour", "invalid_value"),
        ({"texts": {"body": "Oi {{salario}}"}}, "texts.body", "unknown_placeholder"),
        ({"texts": {"body": "Oi {salario}"}}, "texts.body", "unknown_placeholder"),
        ({"signatories": [{"name": "A", "role": "{cargo}"}]}, "signatories.0.role", "unknown_placeholder"),
        ({"texts": {"title": "x" * 121}}, "texts.title", "too_long"),
        ({"texts": {"title": "{validade}" * 12}}, "texts.title", "too_long"),
        ({"texts": {"body": "x" * 601}}, "texts.body", "too_long"),
        ({"texts": {"body": "a\u0007b"}}, "texts.body", "invalid_text"),
        ({"signatories": [{"name": "A"}] * 4}, "signatories", "too_long"),
        (
            {"signatories": [{"name": "A", "picture": "../../etc/passwd"}]},
            "signatories.0.picture",
            "invalid_value",
        ),
        ({"logo_from": "own", "logo": "/x.png"}, "logo", "invalid_value"),
        ({"design": "baroque"}, "design", "invalid_value"),
    ],
)
async def test_what_a_template_may_not_be(world: World, members: Any, field: str, code: str) -> None:
    with pytest.raises(Invalid) as refused:
        new(world, **members)
    assert (refused.value.field, refused.value.code) == (field, code)


async def test_an_own_logo_has_to_be_there(world: World) -> None:
    async with world.tx() as tx:
        with pytest.raises(Invalid) as refused:
            await actions.create(tx, new(world, logo_from="own"))
    assert refused.value.code == "picture_missing"


@pytest.mark.parametrize(
    ("typed", "stored", "portuguese", "english"),
    [
        ("Nota {nota}.", "Nota {{score}}.", "Nota {nota}.", "Nota {score}."),
        (
            "{{ Nome }} {Carga horária}",
            "{{name}} {{workload}}",
            "{nome} {carga_horaria}",
            "{name} {workload}",
        ),
        ("{Data de Conclusão}", "{{completed_on}}", "{conclusao}", "{completed_on}"),
        ("{code} { 2 }", "{{code}} { 2 }", "{codigo} { 2 }", "{code} { 2 }"),
    ],
)
def test_placeholders_are_written_in_the_readers_language(
    typed: str, stored: str, portuguese: str, english: str
) -> None:
    assert rules.normalize_placeholders(typed) == stored
    assert rules.display_placeholders(stored, "pt-BR") == portuguese
    assert rules.display_placeholders(stored, "en") == english
    assert rules.normalize_placeholders(portuguese) == stored


def test_a_misspelled_placeholder_has_a_suggestion() -> None:
    assert rules.list_unknown("{nome} {{score}} {notta} {{salary}}") == ["notta", "salary"]
    assert rules.find_nearest("notta", "pt-BR") == "nota"
    assert rules.find_nearest("conclusion", "en") == "completed_on"
    assert rules.find_nearest("", "en") == rules.find_nearest("zzz" * 1000, "en") == ""
    assert set(rules.PORTUGUESE.values()) == set(rules.PLACEHOLDERS)


def test_a_value_is_not_filled_in_again() -> None:
    assert (
        rules.fill_placeholders("{{ name }}, {{course}}", {"name": "{{course}}", "course": "x"})
        == "{{course}}, x"
    )


@pytest.mark.parametrize("colour", ["#ffee00", "#ffffff", "#00ff00", "#123456"])
def test_a_brand_colour_is_made_readable(colour: str) -> None:
    assert rules.contrast_on_white(rules.readable(colour)) >= rules.CONTRAST


def test_a_picture_is_written_anew(tmp_path: Path) -> None:
    told = PngImagePlugin.PngInfo()
    told.add_text("Comment", "secret place")
    file = tmp_path / "a.png"
    Image.new("RGBA", (2000, 100), (10, 20, 30, 128)).save(file, pnginfo=told)
    read = pictures.read(file, file.stat().st_size, "logo")
    with Image.open(BytesIO(read.content)) as kept:
        assert kept.size == (840, 42)
        assert kept.format == "PNG"
    assert b"secret" not in read.content
    assert rules.PICTURE.fullmatch(read.name)
    assert pictures.read(file, file.stat().st_size, "logo") == read


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "picture_not_an_image"),
        (b'#image("/etc/passwd")', "picture_not_an_image"),
        (bytes(pictures.MAX_BYTES + 1), "picture_too_large"),
    ],
)
def test_what_is_no_picture(tmp_path: Path, content: bytes, code: str) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(content)
    with pytest.raises(Invalid) as refused:
        pictures.read(file, len(content), "signature")
    assert refused.value.code == code


def test_a_huge_picture_is_not_decoded(tmp_path: Path) -> None:
    """A file of a few kilobytes would become 400 megapixels."""
    file = tmp_path / "a.png"
    Image.new("1", (20_000, 20_000)).save(file)
    assert file.stat().st_size < pictures.MAX_BYTES
    with pytest.raises(Invalid) as refused:
        pictures.read(file, file.stat().st_size, "logo")
    assert refused.value.code == "picture_too_large"


async def test_a_preview_shows_both_pages(world: World, tmp_path: Path) -> None:
    press = Press(tmp_path / "scratch", size=1)
    previews = Previews(open_file_store(None, tmp_path / "files"), press, ADDRESS)
    for look, wide in (
        (Look(), True),
        (Look(design="modern", orientation="portrait", syllabus=False), False),
    ):
        async with world.tx() as tx:
            pages = await previews.render(tx, look)
        assert len(pages) == 1 + look.syllabus
        for page in pages:
            with Image.open(BytesIO(page)) as image:
                assert (image.width > image.height) == wide
    await press.close()
