"""Courses of videos, documents and articles, and a learner without a browser."""

import hashlib
from typing import Any
from uuid import UUID, uuid4

from conftest import World
from training.learning.learners import BROWSER, Learner, Player
from trilha.core.types import to_json
from trilha.training.learning.launches import actions as launches
from trilha.training.learning.player_reports.schema import ReportResult
from trilha.training.learning.studies import actions as studies
from trilha.training.learning.studies.schema import StudyKind

KINDS: dict[str, StudyKind] = {"VIDEO": "watched", "DOCUMENT": "dwelled", "ARTICLE": "read"}


class StudyPlayer(Player):
    """One launch of a module that is not a package."""

    async def tell(self, *, sequence: int | None = None, final: bool = False, **said: Any) -> ReportResult:
        if sequence is None:
            self.sequence = sequence = self.sequence + 1
        body = said | {"launch": {"sequence": sequence, "final": final}}
        kind = KINDS[self.launched.module_type]
        report = studies.read_report(kind, to_json(body))
        async with self.world.tx() as tx:
            return await studies.apply_report(tx, self.launched.launch_id, kind, report)


class Student(Learner):
    async def open(self, module: int = 0) -> StudyPlayer:
        async with self.world.tx() as tx:
            launched = await launches.launch(tx, self.user_id, self.id, self.modules[module], BROWSER)
        return StudyPlayer(self.world, launched, {})

    async def progress(self) -> float:
        return float((await self.read())["progress"])


async def media(world: World, media_type: str, **known: float | None) -> UUID:
    """Creates a file that exists only in the table."""
    file_id = uuid4()
    async with world.tx() as tx:
        await tx.execute(
            """
            INSERT INTO media_files (tenant_id, id, sha256, media_type, size, name, seconds, pages,
                                     created_at)
            VALUES (:tenant, :id, :sha256, :media_type, 1, 'File', :seconds, :pages, :now)
            """,
            id=file_id,
            sha256=hashlib.sha256(file_id.bytes).hexdigest(),
            media_type=media_type,
            **({"seconds": None, "pages": None} | known),
        )
    return file_id


async def student(world: World, *modules: dict[str, Any], **members: Any) -> Student:
    made = [{"title": f"M{n}", "duration_minutes": 10} | module for n, module in enumerate(modules)]
    regulation = members.pop("regulation", None)
    asked = {"kind": "other", "required_profile_fields": []} | regulation if regulation else None
    course = await world.course(modules=made, regulation=asked)
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT id FROM modules WHERE tenant_id = :tenant AND course_id = :course ORDER BY position",
            course=course,
        )
    return Student(world, await world.enrollment(course_id=course, **members), [row["id"] for row in rows])


async def video(world: World, seconds: float | None = 60, **members: Any) -> dict[str, Any]:
    file_id = await media(world, "video/webm", seconds=seconds)
    return {"type": "VIDEO", "content": {"file_id": str(file_id)}} | members


async def document(world: World, pages: int | None = 3) -> dict[str, Any]:
    file_id = await media(world, "application/pdf", pages=pages)
    return {"type": "DOCUMENT", "content": {"file_id": str(file_id)}}


def article(words: int = 100) -> dict[str, Any]:
    return {"type": "ARTICLE", "body": " palavra\n" * words}
