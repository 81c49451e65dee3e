"""Courses of videos, documents and articles with files in the application's store."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

from conftest import World
from training.learning.students import Student, student
from trilha.people.users.schema import User
from trilha.settings import Settings
from trilha.training.courses import media, module_queries
from web.player.playing import file_store


async def stored(world: World, settings: Settings, content: bytes, name: str = "file") -> UUID:
    """Stores a media file, like an upload."""
    path = settings.data_dir / f"{uuid4()}"
    await asyncio.to_thread(path.write_bytes, content)
    kept = await media.keep(file_store(settings), world.tenant.id, path, name)
    async with world.tx() as tx:
        names = ("sha256", "media_type", "size", "name", "seconds", "pages")
        made = await module_queries.insert_media(tx, **{each: getattr(kept, each) for each in names})
    return made.id


async def image(world: World, settings: Settings, content: bytes) -> UUID:
    """Stores an image of an article."""
    path = settings.data_dir / f"{uuid4()}"
    await asyncio.to_thread(path.write_bytes, content)
    sha256 = (content.hex() + "0" * 64)[:64]
    await file_store(settings).put(media.key(world.tenant.id, sha256), path)
    async with world.tx() as tx:
        made = await module_queries.insert_media(
            tx, sha256=sha256, media_type="image/webp", size=len(content), name="image"
        )
    return made.id


async def taking(world: World, user: User | None, *modules: dict[str, Any], **members: Any) -> Student:
    """Enrolls a person in a course of these modules."""
    who = {"user_id": str(user.id)} if user else {}
    return await student(world, *modules, **who, **members)


def video(file_id: UUID, **captions: UUID) -> dict[str, Any]:
    """Stores a video with `captions` by language."""
    tracks = [{"file_id": str(each), "language": language} for language, each in captions.items()]
    return {"type": "VIDEO", "content": {"file_id": str(file_id), "captions": tracks}}


def document(file_id: UUID) -> dict[str, Any]:
    return {"type": "DOCUMENT", "content": {"file_id": str(file_id)}}


def article(body: str) -> dict[str, Any]:
    return {"type": "ARTICLE", "body": body}
