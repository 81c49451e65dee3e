"""Images of articles."""

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
from trilha.courses import images, media, module_actions, module_queries
from trilha.courses.schema import AuthoredModule, ModulePatch
from trilha.pages import N_
from trilha.pages.forms import SENTENCES
from trilha.panel.courses.authors import WRITE
from trilha.panel.modules.pages import address, found_module, list_images, locked_module, show_module
from trilha.panel.modules.uploads import insert
from trilha.panel.view import PanelView

routes = Routes("Images", "Images of articles.")
# Of a column of text on a screen with two pixels to one.
_MOST_SIDE = 1600


class ImageForm(Struct, frozen=True):
    image: UploadedFile | None = None


@routes.post(
    "/courses/{course_id}/modules/{module_id}/images",
    access=WRITE,
    max_body=images.MOST_BYTES + MIB,
    refused=show_module,
)
async def add_image(
    view: PanelView, course_id: UUID, module_id: UUID, form: ImageForm, files: FileStore
) -> Answer:
    """Keep an image for the text, and say how the text names it."""
    async with view.reading() as tx:
        module = await _article(tx, view, course_id, module_id)
    try:
        content = await _read(form.image)
    except Invalid as refused:
        if not view.page.fragment:
            raise
        return await _list(view, module, SENTENCES[refused.detail[0].code])
    path = form.image.path.with_name("image.webp") if form.image else Path()
    await asyncio.to_thread(path.write_bytes, content)
    name = Path(form.image.filename if form.image else "").stem or "image"
    kept = await media.keep(files, view.tenant_id, path, " ".join(name.translate(_PLAIN).split())[:100])
    try:
        async with view.changing() as tx:
            image = await insert(tx, kept)
            module = await locked_module(tx, view, course_id, module_id)
            sent = [each for each in (module.content or {}).get("images", ()) if each != str(image.id)]
            patch = ModulePatch(content={"images": [str(image.id), *sent]})
            module = await module_actions.change(tx, course_id, module_id, patch)
    except BaseException:
        await media.drop(files, view.database, view.tenant_id, kept)
        raise
    if view.page.fragment:
        return await _list(view, module)
    return view.lead(address(course_id, module_id), N_("The image was uploaded."))


# What would end the words of an image in Markdown.
_PLAIN = str.maketrans("[]()", "    ")


async def _article(tx: Tx, view: PanelView, course_id: UUID, module_id: UUID) -> AuthoredModule:
    module = await found_module(tx, view, course_id, module_id)
    if module.type != "ARTICLE":
        raise NotFound("module_not_found")
    return module


async def _read(image: UploadedFile | None) -> bytes:
    if image is None:
        raise invalid("image", "required")
    return await asyncio.to_thread(images.read, image.path, image.size, most_side=_MOST_SIDE, field="image")


async def _list(view: PanelView, module: AuthoredModule, problem: str = "") -> Answer:
    async with view.reading() as tx:
        found = await list_images(tx, module)
    status = 422 if problem else 200
    return view.show("panel/modules/_image_list.html", status=status, images=found, problem=problem)


@routes.get("/media/{file_id}", access=WRITE)
async def show_image(tx: Tx, files: FileStore, file_id: UUID) -> StoredFile:
    """An image of an article, for whoever writes it."""
    found = await module_queries.get_media(tx, file_id)
    if found.media_type != images.MEDIA_TYPE:
        raise NotFound("media_file_not_found")
    return StoredFile(
        files, media.key(tx.tenant_id, found.sha256), found.size, found.media_type, etag=found.sha256[:32]
    )
