"""Modules that are files: videos with their captions, and documents."""

from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.types import Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.courses import media, module_actions
from trilha.courses.schema import AuthoredModule, ModulePatch, ModuleType, NewModule
from trilha.pages import N_
from trilha.panel.courses.authors import WRITE, get_changeable
from trilha.panel.courses.pages import ADDRESS
from trilha.panel.modules import forms
from trilha.panel.modules.forms import CaptionsForm, FileForm, NewFile, WhichCaptions
from trilha.panel.modules.pages import NEW, address, found_module, locked_module, show_module
from trilha.panel.modules.uploads import insert, keep_file
from trilha.panel.view import PanelView

routes = Routes("Files of modules", "Videos, captions and documents.")
_MOST = media.MOST_BYTES + MIB
_REQUIRED = {"required": N_("Choose the file.")}


@routes.get("/courses/{course_id}/modules/new/video", access=WRITE)
async def new_video(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for the file."""
    return await _ask(tx, view, course_id, "VIDEO", refusal)


@routes.get("/courses/{course_id}/modules/new/document", access=WRITE)
async def new_document(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Ask for the file."""
    return await _ask(tx, view, course_id, "DOCUMENT", refusal)


async def _ask(tx: Tx, view: PanelView, course_id: UUID, type: ModuleType, refusal: Refusal | None) -> Html:
    course = await get_changeable(tx, view, course_id)
    return view.form(
        "panel/modules/file.html",
        refusal,
        NEW,
        _REQUIRED,
        course=course,
        type=type,
        accepts={name: each[0] for name, each in forms.FILES.items()},
        languages=forms.LANGUAGES,
    )


@routes.post("/courses/{course_id}/modules/new/video", access=WRITE, max_body=_MOST, refused=new_video)
async def add_video(view: PanelView, course_id: UUID, form: FileForm, files: FileStore) -> Answer:
    """A video, with captions in one language or without."""
    async with view.reading() as tx:
        await get_changeable(tx, view, course_id)
    async with AsyncExitStack() as stack:
        keeping = keep_file(view, files, form.file, "file", forms.FILES["VIDEO"][1])
        video = await stack.enter_async_context(keeping)
        captions = None
        if form.captions is not None:
            keeping = keep_file(view, files, form.captions, "captions", forms.FILES["captions"][1])
            captions = await stack.enter_async_context(keeping)
        tx = await stack.enter_async_context(view.changing())
        content: dict[str, Any] = {"file_id": str((await insert(tx, video)).id)}
        if captions is not None:
            track = {"file_id": str((await insert(tx, captions)).id), "language": form.language}
            content["captions"] = [track]
        await _add(tx, course_id, "VIDEO", form, video.seconds, content)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The video was added."))


@routes.post("/courses/{course_id}/modules/new/document", access=WRITE, max_body=_MOST, refused=new_document)
async def add_document(view: PanelView, course_id: UUID, form: FileForm, files: FileStore) -> Answer:
    """A PDF."""
    async with view.reading() as tx:
        await get_changeable(tx, view, course_id)
    async with (
        keep_file(view, files, form.file, "file", forms.FILES["DOCUMENT"][1]) as found,
        view.changing() as tx,
    ):
        content = {"file_id": str((await insert(tx, found)).id)}
        await _add(tx, course_id, "DOCUMENT", form, None, content)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The document was added."))


async def _add(
    tx: Tx, course_id: UUID, type: ModuleType, form: FileForm, seconds: float | None, content: dict[str, Any]
) -> None:
    """A video whose minutes are not said lasts as long as it is."""
    assert form.file is not None
    new = NewModule(
        title=Title(form.title) if form.title else forms.title_of(form.file.filename),
        type=type,
        duration_minutes=form.duration_minutes or (max(1, round(seconds / 60)) if seconds else 0),
        required=form.required,
        content=content,
    )
    await module_actions.add(tx, course_id, [new])


@routes.post(
    "/courses/{course_id}/modules/{module_id}/file", access=WRITE, max_body=_MOST, refused=show_module
)
async def replace_file(
    view: PanelView, course_id: UUID, module_id: UUID, form: NewFile, files: FileStore
) -> Answer:
    """Show another file in its place."""
    async with view.reading() as tx:
        module = await found_module(tx, view, course_id, module_id)
    accepted = forms.FILES.get(module.type, ("", ()))[1]
    async with keep_file(view, files, form.file, "file", accepted) as found, view.changing() as tx:
        file = await insert(tx, found)
        module = await locked_module(tx, view, course_id, module_id)
        await _change_content(tx, course_id, module, file_id=str(file.id))
    return view.lead(address(course_id, module_id), N_("The file was replaced."))


@routes.post(
    "/courses/{course_id}/modules/{module_id}/captions", access=WRITE, max_body=_MOST, refused=show_module
)
async def add_captions(
    view: PanelView, course_id: UUID, module_id: UUID, form: CaptionsForm, files: FileStore
) -> Answer:
    """Captions in a language, in place of those that it had in it."""
    async with view.reading() as tx:
        await found_module(tx, view, course_id, module_id)
    async with (
        keep_file(view, files, form.file, "file", forms.FILES["captions"][1]) as found,
        view.changing() as tx,
    ):
        file = await insert(tx, found)
        module = await locked_module(tx, view, course_id, module_id)
        others = [each for each in _captions(module) if each["language"] != form.language]
        track = {"file_id": str(file.id), "language": form.language}
        await _change_content(tx, course_id, module, captions=[*others, track])
    return view.lead(address(course_id, module_id), N_("The captions were saved."))


@routes.post("/courses/{course_id}/modules/{module_id}/captions/remove", access=WRITE, refused=show_module)
async def remove_captions(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: WhichCaptions
) -> Answer:
    """Show the video without these."""
    module = await locked_module(tx, view, course_id, module_id)
    left = [each for each in _captions(module) if each["file_id"] != str(form.file_id)]
    await _change_content(tx, course_id, module, captions=left)
    return view.lead(address(course_id, module_id), N_("The captions were removed."))


def _captions(module: AuthoredModule) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (module.content or {}).get("captions", [])
    return found


async def _change_content(tx: Tx, course_id: UUID, module: AuthoredModule, **changed: Any) -> None:
    """`module` is locked, so that no change made meanwhile is undone."""
    patch = ModulePatch(content={**(module.content or {}), **changed})
    await module_actions.change(tx, course_id, module.id, patch)
