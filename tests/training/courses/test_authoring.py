"""Courses and modules are changed: the stored values and the emitted events."""

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

import media_files
from conftest import World
from training.scorm.packages import item, manifest, package, resource, zipped
from trilha.cli.course_files import CourseFiles
from trilha.core.credentials import SYSTEM
from trilha.core.errors import ApiError
from trilha.core.web.parsing import convert
from trilha.settings import Settings
from trilha.training.courses import actions, module_actions, module_queries, queries
from trilha.training.courses.schema import Course, CoursePatch, ModulePatch, NewModule, OutlinedModule


async def told(world: World) -> list[str]:
    """Returns the types of all course events so far."""
    return [type for type, _ in await world.events() if type.startswith("course.")]


async def change(world: World, course_id: UUID, **members: Any) -> Course:
    async with world.tx() as tx:
        return await actions.change(tx, course_id, convert(CoursePatch, members, tx.today))


async def modules(world: World, course_id: UUID) -> list[OutlinedModule]:
    async with world.tx() as tx:
        return await module_queries.list_all(tx, course_id)


async def titles(world: World, course_id: UUID) -> list[str]:
    """Returns the titles in order, and checks that the API has the same order and numbers."""
    found = [each.title for each in await modules(world, course_id)]
    listed = (await world.http.get(f"/v1/courses/{course_id}/modules")).json()["data"]
    assert [(each["position"], each["title"]) for each in listed] == list(enumerate(found, 1))
    return found


def articles(*titles: str) -> list[dict[str, Any]]:
    return [{"title": title, "duration_minutes": 10} for title in titles]


async def test_every_member_is_changed_and_told_once(world: World) -> None:
    course_id = await world.course(category="Old", tags=["a"])
    world.clock.move(seconds=5)
    members: dict[str, Any] = {
        "title": "NR-35",
        "slug": f"nr-35-{uuid4().hex}",
        "description": "Altura",
        "difficulty": "ADVANCED",
        "duration_hours": 8,
        "tags": ["nr", "altura"],
        "category": "Normas",
        "certificate_validity_months": 24,
        "regulation": {"kind": "occupational_safety", "minimum_score": 70},
    }
    before = await told(world)
    course = await change(world, course_id, **members)
    assert (course.title, course.slug, course.tags) == ("NR-35", members["slug"], ["nr", "altura"])
    assert course.updated_at > course.created_at
    async with world.tx() as tx:
        stored = await queries.get_authored(tx, course_id)
    assert (stored.category, stored.certificate_validity_months) == ("Normas", 24)
    assert (stored.regulation["minimum_score"], stored.regulation["required_profile_fields"]) == (
        70,
        ["cpf", "cnh"],
    )
    assert await told(world) == [*before, "course.updated"]
    # The same change again changes nothing.
    assert await change(world, course_id, **members) == course
    assert await told(world) == [*before, "course.updated"]
    await change(world, course_id, category=None, regulation=None, description=None)
    async with world.tx() as tx:
        stored = await queries.get_authored(tx, course_id)
    assert (stored.category, stored.regulation, stored.description) == (None, None, None)


async def test_a_slug_stays_one_course_s(world: World) -> None:
    await world.course(slug="one")
    other = await world.course(slug="two")
    with pytest.raises(ApiError) as error:
        await change(world, other, slug="one")
    assert error.value.code == "course_slug_exists"


async def test_a_course_is_archived_and_restored(world: World) -> None:
    course_id = await world.course()
    before = await told(world)
    for _ in range(2):
        async with world.tx() as tx:
            assert (await actions.archive(tx, course_id)).status == "ARCHIVED"
    for _ in range(2):
        async with world.tx() as tx:
            assert (await actions.restore(tx, course_id)).status == "PUBLISHED"
    assert (await told(world))[len(before) :] == ["course.archived", "course.updated"]
    draft = await world.course(publish=False)
    for action in (actions.archive, actions.restore):
        async with world.tx() as tx:
            with pytest.raises(ApiError) as error:
                await action(tx, draft)
        assert error.value.code == "course_is_draft"


async def test_a_duplicate_is_a_draft_of_its_own(world: World) -> None:
    course_id = await world.course(slug="nr", modules=articles("A", "B"), certificate_validity_months=12)
    async with world.tx() as tx:
        copied = await actions.duplicate(tx, course_id)
        another = await actions.duplicate(tx, course_id, "Outro Título")
        stored = await queries.get_authored(tx, copied.id)
    assert (copied.status, copied.slug, copied.title) == ("DRAFT", "nr-2", "Segurança")
    assert (another.slug, another.title) == ("outro-titulo", "Outro Título")
    assert stored.certificate_validity_months == 12
    assert await titles(world, copied.id) == ["A", "B"]
    ids = {each.id for each in await modules(world, course_id)}
    assert not ids & {each.id for each in await modules(world, copied.id)}
    assert (await told(world)).count("course.created") == 3


async def test_modules_are_added_moved_changed_and_removed(world: World) -> None:
    course_id = await world.course(modules=articles("A", "B", "C"))
    a, b, c = await modules(world, course_id)
    before = await told(world)
    async with world.tx() as tx:
        await module_actions.move(tx, course_id, c.id, 1)
    assert await titles(world, course_id) == ["C", "A", "B"]
    async with world.tx() as tx:
        await module_actions.move(tx, course_id, c.id, 1)  # its own position
        await module_actions.change(tx, course_id, a.id, ModulePatch(title="A", required=True))  # unchanged
        await module_actions.add(tx, course_id, [])
    assert (await told(world))[len(before) :] == ["course.updated"]
    async with world.tx() as tx:
        changed = await module_actions.change(tx, course_id, a.id, ModulePatch(title="D", body="Texto"))
    assert (changed.title, changed.body, changed.position) == ("D", "Texto", 2)
    async with world.tx() as tx:
        await module_actions.remove(tx, course_id, c.id)
    async with world.tx() as tx:
        await module_actions.add(tx, course_id, [NewModule(title="E", duration_minutes=1)])
    assert await titles(world, course_id) == ["D", "B", "E"]
    assert (await told(world))[len(before) :] == ["course.updated"] * 4
    assert [each.id for each in await modules(world, course_id)][:2] == [a.id, b.id]


async def test_a_published_course_keeps_a_required_module(world: World) -> None:
    course_id = await world.course()
    (only,) = await modules(world, course_id)
    async with world.tx() as tx:
        with pytest.raises(ApiError) as error:
            await module_actions.remove(tx, course_id, only.id)
    assert error.value.code == "course_without_modules"
    async with world.tx() as tx:
        with pytest.raises(ApiError):
            await module_actions.change(tx, course_id, only.id, ModulePatch(required=False))
    draft = await world.course(publish=False)
    async with world.tx() as tx:
        await module_actions.remove(tx, draft, (await module_queries.list_all(tx, draft))[0].id)


async def test_another_course_s_and_another_tenant_s_modules_are_not_there(
    world: World, stranger: World
) -> None:
    mine, other, theirs = await world.course(), await world.course(), await stranger.course()
    for course_id, of in ((mine, other), (theirs, mine)):
        module_id = (await modules(stranger if of == theirs else world, of))[0].id
        async with world.tx() as tx:
            with pytest.raises(ApiError) as error:
                await module_actions.remove(tx, course_id, module_id)
        assert error.value.code in ("module_not_found", "course_not_found")
    with pytest.raises(ApiError) as error:
        await change(world, theirs, title="Mine")
    assert error.value.code == "course_not_found"


def of_parts(*identifiers: str) -> bytes:
    """Returns a package with these parts."""
    items = "".join(item(each, title=each.upper()) for each in identifiers)
    resources = "".join(resource(f"r-{each}", "index.html") for each in identifiers)
    return package(xml=manifest(items, resources))


@pytest.fixture
def files(world: World, tmp_path: Path) -> CourseFiles:
    return CourseFiles(Settings(data_dir=tmp_path), world.database, world.tenant.id, SYSTEM)


async def imported(files: CourseFiles, tmp_path: Path, raw: bytes) -> UUID:
    path = tmp_path / "package.zip"
    path.write_bytes(raw)
    found = await files.import_package(path)
    assert found.state == "READY"
    return found.id


async def test_a_new_version_keeps_the_modules_of_its_parts(
    world: World, files: CourseFiles, tmp_path: Path
) -> None:
    old, new = [await imported(files, tmp_path, of_parts(*each)) for each in ("abc", "cbd")]
    course_id = await world.course(modules=articles("First"))
    async with world.tx() as tx:
        a, b, c = await module_actions.add(tx, course_id, await module_actions.package_modules(tx, old, 10))
        last = await module_actions.add(tx, course_id, [NewModule(title="Last", duration_minutes=5)])
    assert [each.duration_minutes for each in (a, b, c)] == [4, 3, 3]
    before = await told(world)
    for _ in range(2):  # the second time, no module shows the old package anymore
        async with world.tx() as tx:
            await module_actions.replace_package(tx, course_id, old, new)
    assert await titles(world, course_id) == ["First", "B", "C", "D", "Last"]
    found = await modules(world, course_id)
    assert [each.id for each in found][1:3] == [b.id, c.id]
    assert [each.content for each in found[1:4]] == [{"package_id": str(new), "item": each} for each in "bcd"]
    assert found[4].id == last[0].id
    assert (await told(world))[len(before) :] == ["course.updated"]


async def test_content_is_what_there_is(world: World, files: CourseFiles, tmp_path: Path) -> None:
    package_id = await imported(files, tmp_path, of_parts("a"))
    pdf, vtt = tmp_path / "a.pdf", tmp_path / "a.vtt"
    pdf.write_bytes(media_files.pdf(1))
    vtt.write_bytes(b"WEBVTT\n")
    ids = []
    for path in (pdf, vtt):
        kept = await files.keep(path)
        async with world.tx() as tx:
            made = await module_queries.insert_media(
                tx, sha256=kept.sha256, media_type=kept.media_type, size=kept.size, name=kept.name
            )
        ids.append(str(made.id))
    document, captions = ids
    course_id = await world.course()
    refused: list[tuple[str, dict[str, Any]]] = [
        ("required", {"type": "SCORM"}),
        ("unknown_field", {"content": {"file_id": document}}),
        ("invalid_value", {"type": "DOCUMENT", "content": {"file_id": document}, "body": "x"}),
        ("unknown_part", {"type": "SCORM", "content": {"package_id": str(package_id), "item": "b"}}),
        ("package_not_found", {"type": "SCORM", "content": {"package_id": document, "item": "a"}}),
        ("media_file_not_found", {"type": "VIDEO", "content": {"file_id": str(package_id)}}),
        ("wrong_media_type", {"type": "VIDEO", "content": {"file_id": document}}),
        ("wrong_media_type", {"type": "DOCUMENT", "content": {"file_id": captions}}),
        ("unknown_field", {"type": "DOCUMENT", "content": {"file_id": document, "pages": 3}}),
    ]
    for code, members in refused:
        async with world.tx() as tx:
            with pytest.raises(ApiError) as error:
                await module_actions.add(tx, course_id, [NewModule(title="T", duration_minutes=1, **members)])
        assert error.value.code == code, members
    async with world.tx() as tx:
        (made_module,) = await module_actions.add(
            tx,
            course_id,
            [NewModule(title="T", duration_minutes=1, type="DOCUMENT", content={"file_id": document})],
        )
    assert made_module.content == {"file_id": document}


async def test_a_file_that_is_nothing_shown_is_refused(files: CourseFiles, tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(zipped([("a", "b")]))
    with pytest.raises(ApiError) as error:
        await files.keep(path)
    assert error.value.code == "unknown_media_type"
    assert not list((tmp_path / "files").rglob("*"))
