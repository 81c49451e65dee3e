"""Images of articles, and the media files that authors see in the panel."""

import asyncio
from pathlib import Path
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.errors import Invalid, NotFound, invalid
from trilha.core.file_store import FileStore
from trilha.core.web.answers import Answer
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import MIB, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_
from trilha.kit.forms import SENTENCES
from trilha.training.courses import images, media, module_actions, module_queries
from trilha.training.courses.schema import AuthoredModule, ModulePatch
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.modules.pages import address, get_module, list_images, lock_module, show_module
from trilha.web.panel.modules.uploads import insert
from trilha.web.panel.view import PanelView

routes = Routes("Images", "Images of articles.")
# The width in pixels of a column of text on a high-density screen.
_MAX_SIDE = 1600


class ImageForm(Struct, frozen=True):
    image: UploadedFile | None = None


@routes.post(
    "/courses/{course_id}/modules/{module_id}/images",
    access=WRITE,
    max_body=images.MAX_BYTES + MIB,
    refused=show_module,
)
async def add_image(
    view: PanelView, course_id: UUID, module_id: UUID, form: ImageForm, files: FileStore
) -> Answer:
    """Stores an image of an article and shows the line that inserts it into the text."""
    async with view.reading() as tx:
        module = await _get_article(tx, view, course_id, module_id)
    try:
        content = await _read_image(form.image)
    except Invalid as error:
        if not view.page.fragment:
            raise
        return await _show_images(view, module, SENTENCES[error.detail[0].code])
    path = form.image.path.with_name("image.webp") if form.image else Path()
    await asyncio.to_thread(path.write_bytes, content)
    name = Path(form.image.filename if form.image else "").stem or "image"
    stored = await media.keep(files, view.tenant_id, path, " ".join(name.translate(_PLAIN).split())[:100])
    try:
        async with view.changing() as tx:
            image = await insert(tx, stored)
            module = await lock_module(tx, view, course_id, module_id)
            others = [id for id in (module.content or {}).get("images", ()) if id != str(image.id)]
            patch = ModulePatch(content={"images": [str(image.id), *others]})
            module = await module_actions.change(tx, course_id, module_id, patch)
    except BaseException:
        await media.drop(files, view.database, view.tenant_id, stored)
        raise
    if view.page.fragment:
        return await _show_images(view, module)
    return view.lead(address(course_id, module_id), N_("The image was uploaded."))


# Replaces the characters that would end an image's description in Markdown.
_PLAIN = str.maketrans("[]()", "    ")


async def _get_article(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> AuthoredModule:
    module = await get_module(tx, view, course_id, module_id)
    if module.type != "ARTICLE":
        raise NotFound("module_not_found")
    return module


async def _read_image(image: UploadedFile | None) -> bytes:
    if image is None:
        raise invalid("image", "required")
    return await asyncio.to_thread(images.read, image.path, image.size, most_side=_MAX_SIDE, field="image")


async def _show_images(view: PanelView, module: AuthoredModule, problem: str = "") -> Answer:
    async with view.reading() as tx:
        stored = await list_images(tx, module)
    status = 422 if problem else 200
    return view.show("panel/modules/_image_list.html", status=status, images=stored, problem=problem)


@routes.get("/media/{file_id}", access=WRITE)
async def show_media(tx: Tx, files: FileStore, file_id: UUID) -> StoredFile:
    """Serves an image of an article, or a picture or audio of a question, to authors."""
    media_file = await module_queries.get_media(tx, file_id)
    if media_file.media_type not in (images.MEDIA_TYPE, *media.AUDIO_TYPES):
        raise NotFound("media_file_not_found")
    return StoredFile(
        files,
        media.key(tx.tenant_id, media_file.sha256),
        media_file.size,
        media_file.media_type,
        etag=media_file.sha256[:32],
        headers={"x-content-type-options": "nosniff"},
    )
