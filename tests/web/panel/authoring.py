"""Shared helpers for courses, packages and modules: form results, files, and the worker."""

import re
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2

from conftest import World
from training.scorm.packages import item, manifest, package, resource
from trilha.core.file_store import open_file_store
from trilha.settings import Settings
from trilha.training.courses import module_queries, queries
from trilha.training.courses.schema import AuthoredCourse, OutlinedModule
from trilha.training.scorm.jobs import ImportPackages
from web.panel.training_pages import send


def led_to(answer: httpx2.Response) -> UUID:
    """Returns the last id in the address that a form redirects to."""
    assert answer.status_code == 303, re.sub(r"<svg.*?</svg>", "", answer.text, flags=re.DOTALL)
    ids = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", answer.headers["location"].partition("?")[0])
    return UUID(ids[-1])


async def upload(client: httpx2.AsyncClient, address: str, **fields: Any) -> httpx2.Response:
    """Submits a form with files, given as pairs of name and bytes."""
    files = {name: value for name, value in fields.items() if isinstance(value, tuple)}
    return await send(
        client,
        address,
        files=files or {"none": b""},
        **{name: value for name, value in fields.items() if name not in files},
    )


def of_parts(*identifiers: str, version: Any = "1.2") -> bytes:
    """Returns a package with these parts."""
    items = "".join(item(each, title=f"Part {each.upper()}") for each in identifiers)
    resources = "".join(resource(f"r-{each}", "index.html") for each in identifiers)
    return package(xml=manifest(items, resources, version=version))


class Worker:
    """Imports what was uploaded to the test's application."""

    def __init__(self, world: World, settings: Settings) -> None:
        self._world = world
        files = open_file_store(None, settings.data_dir / "files")
        self._job = ImportPackages(files, settings.data_dir / "scratch")

    async def run(self) -> None:
        assert await self._job.run_next(self._world.database, self._world.tenant.id) == 1


async def course(world: World, course_id: UUID) -> AuthoredCourse:
    async with world.tx() as tx:
        return await queries.get_authored(tx, course_id)


async def modules(world: World, course_id: UUID) -> list[OutlinedModule]:
    async with world.tx() as tx:
        return await module_queries.list_all(tx, course_id)


def stored(settings: Settings, world: World) -> set[str]:
    """Returns every file of the tenant in the store."""
    folder = Path(settings.data_dir / "files")
    return {
        str(each.relative_to(folder))
        for each in folder.rglob("*")
        if each.is_file() and str(world.tenant.id) in str(each)
    }
