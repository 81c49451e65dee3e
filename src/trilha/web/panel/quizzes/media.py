"""The pictures and audio of a question: of the question itself, and of its choices."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.file_store import FileStore
from trilha.core.types import STORABLE
from trilha.core.web.answers import Answer, Html
from trilha.core.web.routes import MIB, Refusal, Routes
from trilha.core.web.uploads import UploadedFile
from trilha.kit import HEADERS, N_, policy
from trilha.training.courses import images, media, quiz_actions
from trilha.training.courses.media import StoredMedia
from trilha.training.quizzes.schema import Audio, Picture, Question
from trilha.web.panel.courses.authors import WRITE
from trilha.web.panel.modules import uploads
from trilha.web.panel.quizzes.page_quiz import find_question
from trilha.web.panel.view import PanelView

routes = Routes("Media of questions", "Pictures and audio in questions.")
HEADERS_WITH_AUDIO = {**HEADERS, "content-security-policy": policy(media_src="'self'")}
_PATH = "/courses/{course_id}/modules/{module_id}/quiz/questions/{question_id}/media/{slot}"
# The width in pixels of a column of text on a high-density screen.
_MAX_SIDE = 1600
_SENTENCES = {"required": N_("Fill in this field.")}


class Slot(Struct, frozen=True):
    """A place for a picture or for audio in a question.

    Its name is `picture`, `audio`, or `choice-` with a choice's id.
    """

    name: str
    stored: Picture | Audio | None
    choice: str = ""

    @property
    def is_audio(self) -> bool:
        return self.name == "audio"

    @property
    def text(self) -> str:
        """The text that replaces the picture or audio."""
        if self.stored is None:
            return ""
        return self.stored.alt if isinstance(self.stored, Picture) else self.stored.transcript


class MediaForm(Struct, frozen=True):
    file: UploadedFile | None = None
    text: Annotated[str, Meta(max_length=10_000, extra_json_schema=STORABLE)] = ""
    step: Literal["save", "remove"] = "save"


def list_slots(question: Question) -> list[Slot]:
    return [
        Slot("picture", question.picture),
        Slot("audio", question.audio),
        *(Slot(f"choice-{choice.id}", choice.picture, choice.text) for choice in question.choices),
    ]


def find_slot(question: Question, name: str) -> Slot:
    """Raises NotFound."""
    slot = next((slot for slot in list_slots(question) if slot.name == name), None)
    if slot is None:
        raise NotFound("route_not_found")
    return slot


def fill_slot(question: Question, name: str, stored: Picture | Audio | None) -> Question:
    """Returns the question with another picture or audio, or without one."""
    if name in ("picture", "audio"):
        return structs.replace(question, **{name: stored})
    choices = [
        structs.replace(choice, picture=stored) if f"choice-{choice.id}" == name else choice
        for choice in question.choices
    ]
    return structs.replace(question, choices=choices)


@routes.get(_PATH, access=WRITE, headers=HEADERS_WITH_AUDIO)
async def show_media(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    question_id: UUID,
    slot: str,
    refusal: Refusal | None = None,
) -> Html:
    """Show the form of a picture or of audio."""
    found, question = await find_question(tx, view, course_id, module_id, question_id)
    shown = find_slot(question, slot)
    begins = {"text": shown.text}
    return view.form(
        "panel/quizzes/media.html", refusal, begins, _SENTENCES, found=found, question=question, slot=shown
    )


@routes.post(_PATH, access=WRITE, max_body=media.MAX_AUDIO_BYTES + MIB, refused=show_media)
async def save_media(
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    question_id: UUID,
    slot: str,
    form: MediaForm,
    files: FileStore,
) -> Answer:
    """Store the file and its text, or remove it. Attempts that have the question keep what they have."""
    async with view.reading() as tx:
        found, question = await find_question(tx, view, course_id, module_id, question_id)
    place = f"{found.address}/questions/{question_id}"
    shown = find_slot(question, slot)
    if form.step == "remove":
        async with view.changing() as tx:
            await _fill(tx, view, course_id, module_id, question_id, slot, None)
        return view.lead(place, N_("The file was removed from the question."))
    if form.file is None and shown.stored is None:
        raise invalid("file", "required")
    if not form.text.strip():
        raise invalid("text", "required")
    if not shown.is_audio and len(form.text.strip()) > 500:
        raise invalid("text", "too_long")
    async with _store(view, files, form.file, shown) as stored, view.changing() as tx:
        file_id = shown.stored.file_id if shown.stored else None
        if stored is not None:
            row = await uploads.insert(tx, stored)
            if row.media_type != stored.media_type:  # the same bytes are known as something else
                raise invalid("file", "unknown_audio")
            file_id = row.id
        assert file_id is not None
        text = form.text.strip()
        made = (
            Audio(file_id=file_id, transcript=text) if shown.is_audio else Picture(file_id=file_id, alt=text)
        )
        await _fill(tx, view, course_id, module_id, question_id, slot, made)
    return view.lead(place, N_("The question was saved."))


async def _fill(
    tx: Tx,
    view: PanelView,
    course_id: UUID,
    module_id: UUID,
    question_id: UUID,
    slot: str,
    stored: Picture | Audio | None,
) -> None:
    _, question = await find_question(tx, view, course_id, module_id, question_id)
    find_slot(question, slot)
    changed = fill_slot(question, slot, stored)
    await quiz_actions.change_question(tx, course_id, module_id, question_id, changed)


@asynccontextmanager
async def _store(
    view: PanelView, files: FileStore, uploaded: UploadedFile | None, slot: Slot
) -> AsyncIterator[StoredMedia | None]:
    """Stores the file for the block, if there is one; deletes it if the block fails."""
    if uploaded is None:
        yield None
        return
    path, name = uploaded.path, uploaded.filename
    if slot.is_audio:
        stored = await media.keep_audio(files, view.tenant_id, path, name)
    else:
        content = await asyncio.to_thread(images.read, path, uploaded.size, most_side=_MAX_SIDE)
        path = path.with_name("picture.webp")
        await asyncio.to_thread(path.write_bytes, content)
        stored = await media.keep(files, view.tenant_id, path, name)
    try:
        yield stored
    except BaseException:
        await media.drop(files, view.database, view.tenant_id, stored)
        raise
