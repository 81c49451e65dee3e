"""The HTML of articles: what Markdown may become, and that it is rendered once for each version."""

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from conftest import World
from trilha.training.courses import module_actions
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons import rendering, rules
from trilha.training.courses.lessons.markdown_reading import MAX_NESTING
from trilha.training.courses.lessons.process import convert_markdown
from trilha.training.courses.lessons.rendering import TooComplex
from trilha.training.courses.schema import ModulePatch
from web.panel.authoring import led_to, modules
from web.panel.test_module_previews import opened
from web.panel.training_pages import browsing, send


def table(columns: int, rows: int) -> str:
    """Writes rows with one cell each; the other cells are filled in."""
    return "|" + "a|" * columns + "\n|" + "-|" * columns + "\n" + "a\n" * rows


COMPLEX = table(50, 300)


def html_of(body: str) -> str:
    return convert_markdown(body).html


def test_a_table_of_many_columns_is_no_table() -> None:
    html = html_of(table(rules.MAX_COLUMNS + 1, 300))
    assert "<table>" not in html
    assert len(html) < 2_000
    assert html_of(table(rules.MAX_COLUMNS, 2)).count("<td>") == 2 * rules.MAX_COLUMNS


def test_a_table_has_as_many_cells_as_are_allowed() -> None:
    columns = rules.MAX_COLUMNS
    html = html_of(table(columns, rules.MAX_CELLS // columns - 1))
    assert html.count("<td>") + html.count("<th ") == rules.MAX_CELLS


@pytest.mark.parametrize(
    "body",
    [
        *(COMPLEX, "\n\n".join([table(20, 30)] * 20), "&" * 900_000),
        *("[" * 20_000, "![" * 20_000, "a*" * 60_000),
    ],
    ids=["rows", "tables", "HTML", "brackets", "images in images", "emphasis"],
)
def test_a_text_that_becomes_too_much_is_refused(body: str) -> None:
    with pytest.raises(TooComplex):
        html_of(body)


def test_nesting_ends() -> None:
    assert html_of("> " * 200 + "a").count("<blockquote>") <= MAX_NESTING


async def stored(world: World, module_id: UUID) -> str | None:
    async with world.tx() as tx:
        html: str | None = await tx.value(
            "SELECT html FROM rendered_lessons WHERE tenant_id = :tenant AND module_id = :id", id=module_id
        )
    return html


async def mark(world: World, module_id: UUID) -> None:
    """Marks the stored HTML, so that it differs from a new rendering."""
    async with world.tx() as tx:
        await tx.execute(
            "UPDATE rendered_lessons SET html = '<p>kept</p>' WHERE tenant_id = :tenant AND module_id = :id",
            id=module_id,
        )


async def test_an_article_is_rendered_when_it_is_saved_and_not_when_it_is_read(world: World) -> None:
    admin = await browsing(world)
    course_id = await world.course(publish=False)
    address = f"/admin/courses/{course_id}/modules/new/article"
    module_id = led_to(await send(admin, address, title="A", duration_minutes=1, body="# Um"))
    assert await stored(world, module_id) == "<h2>Um</h2>\n"
    await mark(world, module_id)
    place = next(n for n, each in enumerate(await modules(world, course_id)) if each.id == module_id)
    assert "<p>kept</p>" in (await (await opened(world, admin, course_id, place)).get()).text

    address = f"/admin/courses/{course_id}/modules/{module_id}"
    await send(admin, address, title="B", duration_minutes=1, body="# Um")
    assert await stored(world, module_id) == "<p>kept</p>"
    await send(admin, address, title="B", duration_minutes=1, body="# Dois")
    assert await stored(world, module_id) == "<h2>Dois</h2>\n"


async def test_a_text_that_was_changed_elsewhere_is_shown_as_it_is_now(world: World) -> None:
    admin = await browsing(world)
    course_id = await world.course(publish=False)
    address = f"/admin/courses/{course_id}/modules/new/article"
    module_id = led_to(await send(admin, address, title="A", duration_minutes=1, body="# Um"))
    async with world.tx() as tx:
        await module_actions.change(tx, course_id, module_id, ModulePatch(body="# Dois"))
    place = next(n for n, each in enumerate(await modules(world, course_id)) if each.id == module_id)
    assert "<h2>Dois</h2>" in (await (await opened(world, admin, course_id, place)).get()).text


async def test_html_of_an_older_renderer_is_made_anew(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module_id = await article(world, "# Um")
    pages = ArticlePages(world.database, tmp_path)
    async with world.tx() as tx:
        await pages.save(tx, module_id, "# Um")
    await mark(world, module_id)
    async with world.tx() as tx:
        assert await pages.get(tx, module_id, "# Um") == "<p>kept</p>"
    monkeypatch.setattr(rendering, "VERSION", rendering.VERSION + 1)
    async with world.tx() as tx:
        assert await pages.get(tx, module_id, "# Um") == "<h2>Um</h2>\n"
    await pages.close()
    assert await stored(world, module_id) == "<h2>Um</h2>\n"


async def article(world: World, body: str) -> UUID:
    module: dict[str, Any] = {"title": "A", "duration_minutes": 1, "body": body}
    course_id = await world.course(publish=False, modules=[module])
    return (await modules(world, course_id))[0].id


async def test_a_text_that_cannot_be_rendered_is_shown_as_it_is_written(world: World, tmp_path: Path) -> None:
    """The text was saved before there was a limit. Rendering is tried once, not at each view."""
    module_id = await article(world, COMPLEX + "<script>")
    pages = ArticlePages(world.database, tmp_path)
    async with world.tx() as tx:
        html = await pages.get(tx, module_id, COMPLEX + "<script>")
    assert "<table>" not in html
    assert "&lt;script&gt;" in html
    await pages.close()
    assert await stored(world, module_id) == html


async def test_an_author_is_told_that_a_text_is_too_complex(world: World) -> None:
    admin = await browsing(world)
    course_id = await world.course(publish=False, modules=[])
    address = f"/admin/courses/{course_id}/modules"
    page = await send(admin, f"{address}/new/article", title="A", duration_minutes=1, body=COMPLEX)
    assert (page.status_code, "This text is too complex to display" in page.text) == (422, True)
    assert await modules(world, course_id) == []
    preview = await send(admin, f"{address}/text", body=COMPLEX)
    assert (preview.status_code, "This text is too complex to display" in preview.text) == (200, True)
