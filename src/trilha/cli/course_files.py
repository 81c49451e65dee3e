"""The course file of `trilha course create`: a course and the files of its modules."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct, structs

from trilha.cli.output import CommandError
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import Invalid, invalid
from trilha.core.file_store import FileStore, open_file_store
from trilha.core.types import Name, Title
from trilha.platform.tenants.quotas import actions as quotas
from trilha.settings import Settings
from trilha.training.courses import images, media, module_actions, module_queries, quiz_actions
from trilha.training.courses.lessons import queries as lessons
from trilha.training.courses.media import StoredMedia
from trilha.training.courses.schema import (
    Body,
    CourseLanguage,
    Delivery,
    Description,
    Language,
    Minutes,
    ModuleType,
    NewCourse,
    NewItems,
    NewModule,
    PresencePercent,
    WorkloadKind,
    build_checklist,
)
from trilha.training.courses.translations import actions as translations
from trilha.training.quizzes.schema import (
    MAX_CHOICES,
    MAX_QUESTIONS,
    AltText,
    Audio,
    Choice,
    NewQuestion,
    NewQuiz,
    Picture,
    QuizSettings,
    Transcript,
)
from trilha.training.scorm import actions as packages
from trilha.training.scorm import archives
from trilha.training.scorm import queries as package_queries
from trilha.training.scorm.jobs import ImportPackages
from trilha.training.scorm.schema import Package

# The width in pixels of a column of text on a high-density screen.
_PICTURE_SIDE = 1600
# The members of every module.
_COMMON = ("title", "duration_minutes", "required", "workload_kind", "delivery")


class CaptionsFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    file: str
    language: Language


class FilePicture(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A picture beside the course file, and the text for those who cannot see it."""

    file: str
    alt: AltText


class FileAudio(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Audio beside the course file, and its text for those who cannot hear it."""

    file: str
    transcript: Transcript


class FileChoice(Choice, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    picture: FilePicture | None = None  # type: ignore[assignment]


class FileQuestion(NewQuestion, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A question whose pictures and audio are files beside the course file."""

    picture: FilePicture | None = None  # type: ignore[assignment]
    audio: FileAudio | None = None  # type: ignore[assignment]
    choices: Annotated[list[FileChoice], Meta(max_length=MAX_CHOICES)] = []  # type: ignore[assignment]

    def list_pictures(self) -> list[FilePicture]:
        pictures = [self.picture, *(choice.picture for choice in self.choices)]
        return [picture for picture in pictures if picture]


class ModuleTexts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of a module in a further language; only an article has a `body`."""

    title: Title | None = None
    body: Body | None = None


class CourseTexts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of the course in a further language."""

    title: Title | None = None
    description: Description | None = None


class FileModule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A module in the file. Its content is a file beside it: a SCORM `package`, or the `file` of a video,
    with `captions`, or of a document. An article has its text in `body`, a quiz its `questions` and,
    in `quiz`, the criteria for passing. A class has the `presence_percent` that completes it. A practice
    has the `items` of its checklist, and the title of the `qualification` that its assessor needs. Without
    `workload_kind` and `delivery`, they follow from the type.
    """

    title: Title
    duration_minutes: Minutes
    type: ModuleType = "ARTICLE"
    required: bool = True
    body: Body | None = None
    package: str | None = None
    file: str | None = None
    captions: list[CaptionsFile] = []
    questions: Annotated[list[FileQuestion], Meta(max_length=MAX_QUESTIONS)] = []
    quiz: QuizSettings = QuizSettings()
    presence_percent: PresencePercent | None = None
    workload_kind: WorkloadKind | None = None
    delivery: Delivery | None = None
    items: NewItems = []
    qualification: Name | None = None
    translations: dict[CourseLanguage, ModuleTexts] = {}


class CourseFile(NewCourse, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A course with its modules. `translations` are its texts in further languages; those of the modules are
    with the modules.
    """

    modules: list[FileModule] = []  # type: ignore[assignment]
    translations: dict[CourseLanguage, CourseTexts] = {}


class CourseFiles:
    """The files of a course, stored before the transaction that creates it."""

    def __init__(self, settings: Settings, database: Database, tenant_id: UUID, actor: Actor) -> None:
        self._database = database
        self._tenant_id = tenant_id
        self._actor = actor
        self._files: FileStore = open_file_store(settings.files_url, settings.data_dir / "files")
        self._job = ImportPackages(self._files, settings.data_dir / "scratch")

    async def import_package(self, path: Path) -> Package:
        """Imports a package completely, in this process. A refused package is removed. Raises Invalid
        (package_too_large).
        """
        kept = await archives.keep(self._files, self._tenant_id, path)
        try:
            async with self._database.transaction(self._tenant_id, actor=self._actor) as tx:
                started = await packages.start_import(tx, kept, path.name)
        except BaseException:
            await archives.drop(self._files, kept)
            raise
        found = await self._wait_for_import(started.id)
        if found.state != "READY":
            await self.remove_package(found)
        return found

    async def _wait_for_import(self, package_id: UUID) -> Package:
        while True:
            done = await self._job.run_next(self._database, self._tenant_id, package_id)
            async with self._database.transaction(self._tenant_id, read_only=True) as tx:
                found = await package_queries.get(tx, package_id)
            if found.finished_at is not None:
                return found
            # A worker of the server has claimed it.
            if not done:
                await asyncio.sleep(0.1)

    async def remove_package(self, package: Package) -> None:
        """Removes a package that no module shows."""
        async with self._database.transaction(self._tenant_id, actor=self._actor) as tx:
            last = await package_queries.delete(tx, package)
        if last:
            await archives.remove_files(self._files, self._tenant_id, package.sha256)

    async def keep(self, path: Path) -> StoredMedia:
        """Raises Invalid (media_too_large, unknown_media_type, document_unreadable, video_without_length)."""
        kept = await media.keep(self._files, self._tenant_id, path, path.name)
        try:
            media.check_readable(kept)
        except Invalid:
            await self.drop(kept)
            raise
        return kept

    async def keep_picture(self, path: Path) -> StoredMedia:
        """Stores a picture as WebP. Raises Invalid (not_an_image, image_too_large)."""
        size = (await asyncio.to_thread(path.stat)).st_size
        content = await asyncio.to_thread(images.read, path, size, most_side=_PICTURE_SIDE)
        with TemporaryDirectory() as folder:
            encoded = Path(folder) / "picture.webp"
            await asyncio.to_thread(encoded.write_bytes, content)
            return await media.keep(self._files, self._tenant_id, encoded, path.name)

    async def keep_audio(self, path: Path) -> StoredMedia:
        """Raises Invalid (audio_too_large, unknown_audio)."""
        return await media.keep_audio(self._files, self._tenant_id, path, path.name)

    async def drop(self, stored_media: StoredMedia) -> None:
        await media.drop(self._files, self._database, self._tenant_id, stored_media)


class BesideFile:
    """The files that the modules of a course file name, once they are stored."""

    def __init__(self, folder: Path, files: CourseFiles) -> None:
        self._folder = folder
        self._files = files
        self._packages = dict[str, Package]()
        self._media = dict[str, StoredMedia]()
        self._counts: list[int] = []  # of the modules that each module of the file becomes

    @property
    def reports(self) -> dict[str, Any]:
        return {name: each.report for name, each in self._packages.items()}

    async def take(self, modules: Sequence[FileModule]) -> None:
        """Stores every file that the modules name. Raises CommandError, and Invalid."""
        check(modules)
        names = [name for each in modules for name in _list_files(each)]
        for name in names:
            if not (self._folder / name).is_file():
                raise CommandError(f"{self._folder / name} is not there.")
        questions = [question for module in modules for question in module.questions]
        pictures = {picture.file for question in questions for picture in question.list_pictures()}
        audio = {question.audio.file for question in questions if question.audio}
        for name in names:
            if name not in self._media:
                keep = (
                    self._files.keep_picture
                    if name in pictures
                    else self._files.keep_audio
                    if name in audio
                    else self._files.keep
                )
                self._media[name] = await keep(self._folder / name)
        for name in [each.package for each in modules if each.package]:
            if name not in self._packages:
                found = await self._files.import_package(self._folder / name)
                check_ready(found)
                self._packages[name] = found

    async def modules(self, tx: Tx, file_modules: Sequence[FileModule]) -> list[NewModule]:
        await quotas.check_storage(tx, sum(each.size for each in self._media.values()))
        ids = {
            name: (
                await module_queries.insert_media(
                    tx,
                    sha256=each.sha256,
                    media_type=each.media_type,
                    size=each.size,
                    name=each.name,
                    seconds=each.seconds,
                    pages=each.pages,
                )
            ).id
            for name, each in self._media.items()
        }
        built = [await self._modules(tx, each, ids) for each in file_modules]
        self._counts = [len(each) for each in built]
        return [module for each in built for module in each]

    async def translate(self, tx: Tx, course_id: UUID, course_file: CourseFile) -> None:
        """Stores the translations of a course that was made from the modules of `modules`. Raises Conflict
        (language_exists).
        """
        ids = [each.id for each in await module_queries.list_all(tx, course_id)]
        firsts = [sum(self._counts[:n]) for n in range(len(self._counts))]
        # The parts of a package have titles of their own.
        single = [
            (ids[first], module)
            for first, count, module in zip(firsts, self._counts, course_file.modules, strict=True)
            if count == 1
        ]
        of_modules = {language for _, module in single for language in module.translations}
        for language in sorted(course_file.translations.keys() | of_modules):
            texts = course_file.translations.get(language, CourseTexts())
            modules = {id: module.translations.get(language, ModuleTexts()) for id, module in single}
            await translations.add_language(tx, course_id, language)
            await translations.save(
                tx,
                course_id,
                language,
                title=texts.title,
                description=texts.description or None,
                titles={id: each.title for id, each in modules.items() if each.title},
            )
            for id, each in modules.items():
                if each.body:
                    await lessons.insert_version(tx, id, 1, body=each.body, language=language)

    async def _modules(self, tx: Tx, module: FileModule, ids: Mapping[str, UUID]) -> list[NewModule]:
        if module.type == "QUIZ":
            return [await quiz_actions.with_quiz(tx, _bare(module), _quiz(module, ids))]
        if module.package is not None:
            package = self._packages[module.package]
            made = await module_actions.package_modules(
                tx,
                package.id,
                module.duration_minutes,
                module.required,
                workload_kind=module.workload_kind,
                delivery=module.delivery,
            )
            return [structs.replace(made[0], title=module.title)] if len(made) == 1 else made
        content: dict[str, Any] | None = None
        if module.file is not None:
            content = {"file_id": str(ids[module.file])}
        if content and module.captions:
            content["captions"] = [
                {"file_id": str(ids[each.file]), "language": each.language} for each in module.captions
            ]
        if module.type == "PRACTICE":
            content = build_checklist(module.items, module.qualification)
        own = ("type", "body", "presence_percent")
        return [NewModule(**{name: getattr(module, name) for name in (*_COMMON, *own)}, content=content)]

    async def give_back(self) -> None:
        """Removes the stored files when the course was not created."""
        for kept in self._media.values():
            await self._files.drop(kept)
        for package in self._packages.values():
            await self._files.remove_package(package)


def check(modules: Sequence[FileModule]) -> None:
    """Raises Invalid if a module lacks the file of its type, or names a file of another type."""
    for n, module in enumerate(modules):
        wanted = {"SCORM": "package", "CMI5": "package", "VIDEO": "file", "DOCUMENT": "file"}.get(module.type)
        if wanted and getattr(module, wanted) is None:
            raise invalid(f"modules.{n}.{wanted}", "required")
        for name in ("package", "file"):
            if name != wanted and getattr(module, name) is not None:
                raise invalid(f"modules.{n}.{name}", "invalid_value")
        if module.captions and module.type != "VIDEO":
            raise invalid(f"modules.{n}.captions", "invalid_value")
        if module.presence_percent is not None and module.type != "CLASS":
            raise invalid(f"modules.{n}.presence_percent", "invalid_value")
        if module.body is not None and module.type != "ARTICLE":
            raise invalid(f"modules.{n}.body", "invalid_value")
        for language, texts in module.translations.items():
            if texts.body is not None and module.type != "ARTICLE":
                raise invalid(f"modules.{n}.translations.{language}.body", "invalid_value")
        _check_practice(f"modules.{n}", module)
        _check_quiz(f"modules.{n}", module)


def _check_practice(field: str, module: FileModule) -> None:
    if module.type == "PRACTICE" and not module.items:
        raise invalid(f"{field}.items", "required")
    if module.items and module.type != "PRACTICE":
        raise invalid(f"{field}.items", "invalid_value")
    if module.qualification is not None and module.type != "PRACTICE":
        raise invalid(f"{field}.qualification", "invalid_value")


def _check_quiz(field: str, module: FileModule) -> None:
    if module.type != "QUIZ":
        if module.questions:
            raise invalid(f"{field}.questions", "invalid_value")
        if module.quiz != QuizSettings():
            raise invalid(f"{field}.quiz", "invalid_value")
        return
    if not module.questions:
        raise invalid(f"{field}.questions", "required")
    if set(module.quiz.draws) - {each.pool for each in module.questions}:
        raise invalid(f"{field}.quiz.draws", "unknown_pool")


def _bare(module: FileModule) -> NewModule:
    return NewModule(**{name: getattr(module, name) for name in _COMMON})


def _quiz(module: FileModule, ids: Mapping[str, UUID]) -> NewQuiz:
    questions = [_question(question, ids) for question in module.questions]
    return NewQuiz(**structs.asdict(module.quiz), questions=questions)


def _question(question: FileQuestion, ids: Mapping[str, UUID]) -> NewQuestion:
    """Returns the question with the ids of its files."""
    audio = question.audio
    choices = [
        Choice(text=choice.text, right=choice.right, picture=_picture(choice.picture, ids))
        for choice in question.choices
    ]
    members = {name: getattr(question, name) for name in NewQuestion.__struct_fields__}
    members |= {
        "picture": _picture(question.picture, ids),
        "audio": Audio(file_id=ids[audio.file], transcript=audio.transcript) if audio else None,
        "choices": choices,
    }
    return NewQuestion(**members)


def _picture(picture: FilePicture | None, ids: Mapping[str, UUID]) -> Picture | None:
    return Picture(file_id=ids[picture.file], alt=picture.alt) if picture else None


def check_ready(package: Package) -> None:
    """Raises CommandError with the report of a package that was refused."""
    if package.state == "READY":
        return
    errors = [each for each in package.report.findings if each.severity == "error"] if package.report else []
    said = " ".join(f"{each.what}{f' ({each.where})' if each.where else ''} {each.fix}" for each in errors)
    raise CommandError(f"{package.file_name} was refused. {said}".strip())


def _list_files(module: FileModule) -> list[str]:
    files = [*([module.file] if module.file else []), *(each.file for each in module.captions)]
    for question in module.questions:
        files += [picture.file for picture in question.list_pictures()]
        files += [question.audio.file] if question.audio else []
    return files
