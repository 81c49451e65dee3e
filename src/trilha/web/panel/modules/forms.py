"""The forms of modules, and the options of their fields."""

from collections.abc import Mapping, Sequence
from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Title
from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, say
from trilha.training.courses.lessons.schema import DocumentText
from trilha.training.courses.schema import (
    AuthoredModule,
    Body,
    Delivery,
    Language,
    Minutes,
    ModuleType,
    PresencePercent,
    WorkloadKind,
)
from trilha.web.panel.courses.forms import Line

# By the value of `<track srclang>`.
LANGUAGES: Mapping[str, str] = {
    "pt-BR": N_("Portuguese (Brazil)"),
    "en": N_("English"),
    "es": N_("Spanish"),
    "fr": N_("French"),
    "de": N_("German"),
    "it": N_("Italian"),
    "ja": N_("Japanese"),
    "zh": N_("Chinese"),
}
FILES: Mapping[str, tuple[str, Sequence[str]]] = {
    "VIDEO": ("video/mp4,video/webm,.mp4,.webm", ("video/mp4", "video/webm")),
    "DOCUMENT": ("application/pdf,.pdf", ("application/pdf",)),
    "captions": ("text/vtt,.vtt", ("text/vtt",)),
}
WORKLOAD_KINDS: Mapping[WorkloadKind, str] = {"THEORY": N_("Theory"), "PRACTICE": N_("Practice")}
DELIVERIES: Mapping[Delivery, str] = {"DISTANCE": N_("Online"), "IN_PERSON": N_("In person")}
DEVICES = ("microphone", "camera")
PACKAGE_OPTIONS = ("lenient_get", *DEVICES)
SENTENCES: Mapping[str, str] = {
    "lesson_changed": N_("Somebody else published changes to this lesson after you opened it."),
    "course_without_modules": N_(
        "A published course needs at least one required module. Add another one first."
    ),
}
say(
    unknown_media_type=N_("This format is not accepted. Choose a file of another format."),
    wrong_media_type=N_("This format is not accepted. Choose a file of another format."),
    media_too_large=N_("Choose a file of up to 2 GB."),
    unknown_audio=N_("Choose audio in MP3, M4A, Ogg, WAV or WebM."),
    audio_too_large=N_("Choose audio of up to 20 MB."),
    document_unreadable=N_("This PDF cannot be read or has a password. Save it again without one."),
    video_without_length=N_(
        "The duration of this video could not be read. Save it again with a video editor."
    ),
    module_not_found=N_("This module no longer exists."),
    text_too_complex=N_(
        "This text is too complex to display. Make its tables smaller or split it into several articles."
    ),
    question_incomplete=N_(
        "A self-check question is incomplete. It needs its text, at least two choices, and the right answer."
    ),
    word_unreadable=N_("This file is not a Word document (.docx), or it is damaged."),
    lesson_draft_changed=N_("This draft was changed in another window. Reload the page to see it."),
    lesson_version_not_found=N_("This version no longer exists."),
    too_many_modules=N_("A course can have up to 1,500 modules. Split it into several courses."),
)


class ModuleForm(Struct, frozen=True, kw_only=True):
    """The fields of every module, those of packages only (`PACKAGE_OPTIONS`), and of classes only
    (`presence_percent`). Without minutes, they are estimated.
    """

    title: Line
    duration_minutes: Minutes | None = None
    required: bool = False
    workload_kind: WorkloadKind | None = None
    delivery: Delivery | None = None
    lenient_get: bool = False
    microphone: bool = False
    camera: bool = False
    presence_percent: PresencePercent | None = None


class ArticleForm(ModuleForm, frozen=True, kw_only=True):
    """A lesson as Markdown, or as the document of the editor. `base` is the version that the author started
    from, and `overwrite` the newer one that they replace knowingly.
    """

    body: Body = ""
    document: DocumentText = ""
    base: Annotated[int, Meta(ge=0)] | None = None
    overwrite: Annotated[int, Meta(ge=0)] | None = None


class LessonTranslationForm(Struct, frozen=True, kw_only=True):
    """A lesson and the title of its module in a further language. Without a title, learners see the one in
    the course's own. The other members are as in `ArticleForm`.
    """

    title: Line | None = None
    body: Body = ""
    document: DocumentText = ""
    base: Annotated[int, Meta(ge=0)] | None = None
    overwrite: Annotated[int, Meta(ge=0)] | None = None


class FileForm(Struct, frozen=True, kw_only=True):
    """Without a title, the module gets the name of the file. `captions` belong to a video, in `language`."""

    title: Line | None = None
    duration_minutes: Minutes | None = None
    required: bool = False
    workload_kind: WorkloadKind | None = None
    delivery: Delivery | None = None
    file: UploadedFile | None = None
    captions: UploadedFile | None = None
    language: Language = "pt-BR"


class NewFile(Struct, frozen=True):
    file: UploadedFile | None = None


class CaptionsForm(Struct, frozen=True, kw_only=True):
    file: UploadedFile | None = None
    language: Language


class WhichCaptions(Struct, frozen=True):
    file_id: UUID


def build_values(module: AuthoredModule) -> dict[str, object]:
    """The form's values for an existing module."""
    return {
        "title": module.title,
        "duration_minutes": "" if module.minutes_estimated else module.duration_minutes or "",
        "required": "true" if module.required else "",
        "workload_kind": module.chosen_workload_kind or "",
        "delivery": module.chosen_delivery or "",
        "body": module.body,
        "presence_percent": module.presence_percent,
        "qualification": (module.content or {}).get("qualification") or "",
        **{name: "true" if (module.content or {}).get(name) else "" for name in PACKAGE_OPTIONS},
    }


def build_title(file_name: str) -> Title:
    """The file name without folder and extension: `NR-35 aula 2.mp4` becomes `NR-35 aula 2`."""
    name = file_name.replace("\\", "/").rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    return Title.fit(stem)


TYPES_WITH_FILES: Mapping[str, ModuleType] = {"video": "VIDEO", "document": "DOCUMENT"}
