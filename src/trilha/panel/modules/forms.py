"""What the forms of modules send."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Title
from trilha.core.web.uploads import UploadedFile
from trilha.courses.schema import AuthoredModule, Body, Language, Minutes, ModuleType
from trilha.pages import N_, say
from trilha.panel.courses.forms import Line

# By what is told in `<track srclang>`; others can be typed.
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
PACKAGE_OPTIONS = ("lenient_get", "microphone", "camera")
SENTENCES: Mapping[str, str] = {
    "course_without_modules": N_(
        "The course is open for enrollment: it keeps a required module. Add one first."
    ),
}
say(
    unknown_media_type=N_("Choose a file of another format."),
    wrong_media_type=N_("Choose a file of another format."),
    media_too_large=N_("Choose a file of at most 2 GB."),
    document_unreadable=N_("This PDF cannot be read, or asks for a password. Save it again without one."),
    video_without_length=N_("This video does not tell how long it is. Save it again with a video editor."),
    module_not_found=N_("This module is not there any more."),
    text_too_complex=N_("This text takes too long to show. Make its tables smaller, or divide it."),
    too_many_modules=N_("A course has at most 500 modules. Divide it into several courses."),
)


class ModuleForm(Struct, frozen=True, kw_only=True):
    """What every module has, and what a package alone has (`PACKAGE_OPTIONS`)."""

    title: Line
    duration_minutes: Minutes = 0
    required: bool = False
    lenient_get: bool = False
    microphone: bool = False
    camera: bool = False


class ArticleForm(ModuleForm, frozen=True, kw_only=True):
    body: Body = ""


class FileForm(Struct, frozen=True, kw_only=True):
    """Without a title, the name of the file. `captions` are those of a video, in `language`."""

    title: Line | None = None
    duration_minutes: Minutes = 0
    required: bool = False
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


def begins_of(module: AuthoredModule) -> dict[str, object]:
    """The form of a module that is there."""
    return {
        "title": module.title,
        "duration_minutes": module.duration_minutes,
        "required": "true" if module.required else "",
        "body": module.body,
        **{name: "true" if (module.content or {}).get(name) else "" for name in PACKAGE_OPTIONS},
    }


def title_of(file_name: str) -> Title:
    """`NR-35 aula 2.mp4` as `NR-35 aula 2`."""
    name = file_name.replace("\\", "/").rpartition("/")[2]
    stem = name.rpartition(".")[0] or name
    return Title.fit(stem)


TYPES_WITH_FILES: Mapping[str, ModuleType] = {"video": "VIDEO", "document": "DOCUMENT"}
