"""Word files that authors upload, and the pictures in them."""

import asyncio
import base64
import binascii
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

from trilha.core.errors import Invalid, invalid
from trilha.core.file_store import FileStore
from trilha.core.web.uploads import UploadedFile
from trilha.training.courses import images, media
from trilha.training.courses.article_pages import ArticlePages
from trilha.training.courses.lessons.schema import Chapter, Document
from trilha.training.courses.lessons.word_reading import MAX_FILE, WordText
from trilha.web.panel.modules.uploads import insert
from trilha.web.panel.view import PanelView

_MAX_SIDE = 1600


async def read_word_file(
    view: PanelView, texts: ArticlePages, files: FileStore, uploaded: UploadedFile
) -> WordText:
    """Converts a Word file, and stores its pictures, which its documents then show. Raises Invalid
    (word_unreadable, text_too_complex).
    """
    if uploaded.size > MAX_FILE:
        raise invalid("file", "text_too_complex")
    content = await asyncio.to_thread(uploaded.path.read_bytes)
    word = await texts.read_word(view.tenant_id, content)
    stored = [await _store_picture(view, files, each) for each in word.images]
    return WordText(
        document=_place_images(word.document, stored),
        chapters=[Chapter(each.title, _place_images(each.document, stored)) for each in word.chapters],
        images=[],
    )


async def store_image(view: PanelView, files: FileStore, path: Path, size: int, name: str) -> UUID:
    """Stores a picture of any size as WebP. Raises Invalid (not_an_image, image_too_large)."""
    content = await asyncio.to_thread(images.read, path, size, most_side=_MAX_SIDE, field="file")
    with TemporaryDirectory() as folder:
        encoded = Path(folder) / "image.webp"
        await asyncio.to_thread(encoded.write_bytes, content)
        stored = await media.keep(files, view.tenant_id, encoded, name)
        try:
            async with view.changing() as tx:
                return (await insert(tx, stored)).id
        except BaseException:
            await media.drop(files, view.database, view.tenant_id, stored)
            raise


async def _store_picture(view: PanelView, files: FileStore, encoded: str) -> UUID | None:
    """Returns None for what is no picture that browsers show, such as Windows metafiles."""
    try:
        content = base64.b64decode(encoded, validate=True)
    except binascii.Error:
        return None
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture"
        await asyncio.to_thread(path.write_bytes, content)
        try:
            return await store_image(view, files, path, len(content), "image")
        except Invalid:
            return None


def _place_images(node: Document, stored: list[UUID | None]) -> Document:
    """Replaces the placeholders of images by stored files, and leaves out the others."""
    return {**node, "content": list(_place(node.get("content", []), stored))}


def _place(nodes: list[Document], stored: list[UUID | None]) -> Iterator[Document]:
    for node in nodes:
        if node["type"] == "image":
            number = int(node["attrs"]["file"].removeprefix("image-"))
            if number < len(stored) and (file_id := stored[number]):
                yield {**node, "attrs": {**node["attrs"], "file": str(file_id)}}
        elif "content" in node:
            yield _place_images(node, stored)
        else:
            yield node
