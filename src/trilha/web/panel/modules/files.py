"""Modules that are files: videos with their captions, and documents."""

from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.file_store import FileStore
from trilha.core.types import Title
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.kit import N_
from trilha.training.courses import media, module_actions
from trilha.training.courses.schema import AuthoredModule, ModulePatch, ModuleType, NewModule
from trilha.web.panel.courses.authors import WRITE, get_changeable
from trilha.web.panel.courses.pages import ADDRESS
from trilha.web.panel.modules import forms
from trilha.web.panel.modules.forms import CaptionsForm, FileForm, NewFile, WhichCaptions
from trilha.web.panel.modules.pages import NEW, address, get_module, lock_module, show_module
from trilha.web.panel.modules.uploads import insert, keep_file
from trilha.web.panel.view import PanelView

routes = Routes("Files of modules", "Videos, captions and documents.")
_MAX_BODY = media.MAX_BYTES + MIB
_SENTENCES = {"required": N_("Choose a file.")}


@routes.get("/courses/{course_id}/modules/new/video", access=WRITE)
async def new_video(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form for the file."""
    return await _ask_file(tx, view, course_id, "VIDEO", refusal)


@routes.get("/courses/{course_id}/modules/new/document", access=WRITE)
async def new_document(tx: Tx, view: PanelView, course_id: UUID, refusal: Refusal | None = None) -> Html:
    """Shows the form for the file."""
    return await _ask_file(tx, view, course_id, "DOCUMENT", refusal)


async def _ask_file(
    tx: Tx, view: PanelView, course_id: UUID, type: ModuleType, refusal: Refusal | None
) -> Html:
    course = await get_changeable(tx, view, course_id)
    return view.form(
        "panel/modules/file.html",
        refusal,
        NEW,
        _SENTENCES,
        course=course,
        type=type,
        accepts={name: file[0] for name, file in forms.FILES.items()},
        languages=forms.LANGUAGES,
    )


@routes.post("/courses/{course_id}/modules/new/video", access=WRITE, max_body=_MAX_BODY, refused=new_video)
async def add_video(view: PanelView, course_id: UUID, form: FileForm, files: FileStore) -> Answer:
    """Adds a video, with or without captions in one language."""
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
        await _add(tx, course_id, "VIDEO", form, content)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The video was added."))


@routes.post(
    "/courses/{course_id}/modules/new/document", access=WRITE, max_body=_MAX_BODY, refused=new_document
)
async def add_document(view: PanelView, course_id: UUID, form: FileForm, files: FileStore) -> Answer:
    """Adds a PDF."""
    async with view.reading() as tx:
        await get_changeable(tx, view, course_id)
    async with (
        keep_file(view, files, form.file, "file", forms.FILES["DOCUMENT"][1]) as media_file,
        view.changing() as tx,
    ):
        content = {"file_id": str((await insert(tx, media_file)).id)}
        await _add(tx, course_id, "DOCUMENT", form, content)
    return view.lead(f"{ADDRESS}/{course_id}", N_("The document was added."))


async def _add(tx: Tx, course_id: UUID, type: ModuleType, form: FileForm, content: dict[str, Any]) -> None:
    """Inserts the module."""
    assert form.file is not None
    new = NewModule(
        title=Title(form.title) if form.title else forms.build_title(form.file.filename),
        type=type,
        duration_minutes=form.duration_minutes,
        required=form.required,
        workload_kind=form.workload_kind,
        delivery=form.delivery,
        content=content,
    )
    await module_actions.add(tx, course_id, [new])


@routes.post(
    "/courses/{course_id}/modules/{module_id}/file", access=WRITE, max_body=_MAX_BODY, refused=show_module
)
async def replace_file(
    view: PanelView, course_id: UUID, module_id: UUID, form: NewFile, files: FileStore
) -> Answer:
    """Replaces the module's file."""
    async with view.reading() as tx:
        module = await get_module(tx, view, course_id, module_id)
    accepted = forms.FILES.get(module.type, ("", ()))[1]
    async with keep_file(view, files, form.file, "file", accepted) as media_file, view.changing() as tx:
        file = await insert(tx, media_file)
        module = await lock_module(tx, view, course_id, module_id)
        await _change_content(tx, course_id, module, file_id=str(file.id))
    return view.lead(address(course_id, module_id), N_("The file was replaced."))


@routes.post(
    "/courses/{course_id}/modules/{module_id}/captions", access=WRITE, max_body=_MAX_BODY, refused=show_module
)
async def add_captions(
    view: PanelView, course_id: UUID, module_id: UUID, form: CaptionsForm, files: FileStore
) -> Answer:
    """Adds captions, replacing those in the same language."""
    async with view.reading() as tx:
        await get_module(tx, view, course_id, module_id)
    async with (
        keep_file(view, files, form.file, "file", forms.FILES["captions"][1]) as media_file,
        view.changing() as tx,
    ):
        file = await insert(tx, media_file)
        module = await lock_module(tx, view, course_id, module_id)
        others = [track for track in _list_captions(module) if track["language"] != form.language]
        track = {"file_id": str(file.id), "language": form.language}
        await _change_content(tx, course_id, module, captions=[*others, track])
    return view.lead(address(course_id, module_id), N_("The captions were saved."))


@routes.post("/courses/{course_id}/modules/{module_id}/captions/remove", access=WRITE, refused=show_module)
async def remove_captions(
    tx: Tx, view: PanelView, course_id: UUID, module_id: UUID, form: WhichCaptions
) -> Answer:
    """Removes captions from the video."""
    module = await lock_module(tx, view, course_id, module_id)
    others = [track for track in _list_captions(module) if track["file_id"] != str(form.file_id)]
    await _change_content(tx, course_id, module, captions=others)
    return view.lead(address(course_id, module_id), N_("The captions were removed."))


def _list_captions(module: AuthoredModule) -> list[dict[str, str]]:
    captions: list[dict[str, str]] = (module.content or {}).get("captions", [])
    return captions


async def _change_content(tx: Tx, course_id: UUID, module: AuthoredModule, **changes: Any) -> None:
    """`module` is locked, so that this does not undo a change made meanwhile."""
    patch = ModulePatch(content={**(module.content or {}), **changes})
    await module_actions.change(tx, course_id, module.id, patch)
