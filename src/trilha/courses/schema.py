"""Courses and their modules, in and out."""

import re
from typing import Annotated, Any, Literal, get_args
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import Choice, CommaList, Line, Refused, SearchWords, Text, Timestamp, Title
from trilha.core.web.pagination import ListQuery, SyncQuery

CourseStatus = Literal["DRAFT", "PUBLISHED", "ARCHIVED"]
Difficulty = Literal["BEGINNER", "INTERMEDIATE", "ADVANCED"]
ModuleType = Literal["SCORM", "VIDEO", "DOCUMENT", "ARTICLE", "QUIZ"]
Document = Literal["cpf", "phone", "birth_date", "cnh"]
Minutes = Annotated[int, Meta(ge=0, le=100_000)]
Hours = Annotated[float, Meta(ge=0, le=100_000)]
Months = Annotated[int, Meta(ge=1, le=1200)]
Body = Annotated[str, Meta(max_length=400_000)]
# As in `pt-BR`: what a <track> of a video says.
Language = Annotated[str, Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=35)]
Tag = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[^,\s]([^,]*[^,\s])?$")]
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Category(Line, example="Trânsito"):
    __slots__ = ()
    shortest = 1
    longest = 120


class CourseSlug(Text):
    __slots__ = ()
    schema = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 120}

    @classmethod
    def normalise(cls, text: str) -> str:
        if len(text) > 120:
            raise Refused("too_long")
        if not _SLUG.fullmatch(text):
            raise Refused("invalid_value")
        return text


class SlugFilter(CourseSlug):
    """In upper or lower case."""

    __slots__ = ()
    schema = {**CourseSlug.schema, "examples": ["direcao-defensiva"]}
    codes = ("too_long", "invalid_value")

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.lower())


class Regulation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the law requires for completing a course."""

    kind: Literal["traffic", "occupational_safety", "finance", "other"]
    minimum_workload_minutes: Annotated[int, Meta(ge=0)] = 0
    minimum_score: Annotated[float, Meta(ge=0, le=100)] = 0
    sequential: bool = False
    required_profile_fields: list[Document] = msgspec.field(default_factory=lambda: ["cpf", "cnh"])


class ScormContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of a package. `item` is its identifier in the manifest. With `lenient_get` the runtime answers
    an element that was never set as an empty one, where SCORM 2004 has error 403: some content ends over it.
    With `microphone` and `camera` it may ask learners for these; their browser asks them, too.
    """

    package_id: UUID
    item: str
    lenient_get: bool = False
    microphone: bool = False
    camera: bool = False


class Captions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    file_id: UUID
    language: Language


class VideoContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    file_id: UUID
    captions: list[Captions] = []


class DocumentContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A PDF."""

    file_id: UUID


class QuizContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A quiz of this module alone."""

    quiz_id: UUID


class ArticleContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The images that were sent for a text, which names them itself."""

    images: list[UUID] = []


Content = ScormContent | VideoContent | DocumentContent | QuizContent | ArticleContent


class NewModule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ARTICLE has a `body`; the other types have a `content` of their own."""

    title: Title
    duration_minutes: Minutes
    type: ModuleType = "ARTICLE"
    required: bool = True
    body: Body | None = None
    content: dict[str, Any] | None = None


class ModulePatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays. A module keeps its type."""

    title: Title | UnsetType = UNSET
    duration_minutes: Minutes | UnsetType = UNSET
    required: bool | UnsetType = UNSET
    body: Body | None | UnsetType = UNSET
    content: dict[str, Any] | UnsetType = UNSET


class NewCourse(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: Title
    slug: CourseSlug
    description: str | None = None
    difficulty: Difficulty | None = None
    duration_hours: Hours = 0
    tags: list[Tag] = []
    category: Category | None = None
    certificate_validity_months: Months | None = None
    regulation: Regulation | None = None
    modules: list[NewModule] = []


class CoursePatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays; `null` clears what may be without a value."""

    title: Title | UnsetType = UNSET
    slug: CourseSlug | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    difficulty: Difficulty | None | UnsetType = UNSET
    duration_hours: Hours | UnsetType = UNSET
    tags: list[Tag] | UnsetType = UNSET
    category: Category | None | UnsetType = UNSET
    certificate_validity_months: Months | None | UnsetType = UNSET
    regulation: Regulation | None | UnsetType = UNSET
    thumbnail_url: str | None | UnsetType = UNSET


class Course(Struct, frozen=True):
    """A course of the tenant."""

    id: UUID
    title: Annotated[str, Meta(examples=["Direção defensiva"])]
    description: Annotated[str, Meta(examples=["Condições adversas e legislação de trânsito."])] | None
    slug: Annotated[str, Meta(examples=["direcao-defensiva"])]
    status: Annotated[CourseStatus, Meta(examples=["PUBLISHED"])]
    difficulty: Difficulty | None
    duration_hours: Annotated[float, Meta(ge=0, examples=[8.0])]
    thumbnail_url: Annotated[str, Meta(examples=["https://learn.example.com/thumbnails/direcao.png"])] | None
    category_id: UUID | None
    tags: Annotated[list[str], Meta(examples=[["trânsito", "segurança"]])]
    created_at: Timestamp
    updated_at: Timestamp


class Module(Struct, frozen=True):
    """A part of a course. `position` counts from 1 in consumption order."""

    id: UUID
    course_id: UUID
    position: Annotated[int, Meta(ge=1)]
    title: Annotated[str, Meta(examples=["Distância de segurança"])]
    type: ModuleType
    duration_minutes: Annotated[int, Meta(ge=0, examples=[120])]
    required: bool
    created_at: Timestamp
    updated_at: Timestamp


class AuthoredCourse(Struct, frozen=True):
    """A course as its authors see it."""

    id: UUID
    title: str
    description: str | None
    slug: str
    status: CourseStatus
    difficulty: Difficulty | None
    duration_hours: float
    thumbnail_url: str | None
    category: str | None
    tags: list[str]
    certificate_validity_months: int | None
    regulation: Any


class OutlinedModule(Module, frozen=True):
    """A module in the outline of a course: what it shows, without the text of an article."""

    content: Any

    @property
    def quiz_id(self) -> UUID | None:
        return UUID(self.content["quiz_id"]) if self.type == "QUIZ" and self.content else None


class AuthoredModule(OutlinedModule, frozen=True):
    """A module as its authors see it."""

    body: str | None


class MediaFile(Struct, frozen=True):
    """A file that was uploaded. It never changes."""

    id: UUID
    sha256: str
    media_type: str
    size: int
    name: str
    seconds: float | None
    pages: int | None
    created_at: Timestamp


class CourseStatusFilter(Choice):
    __slots__ = ()
    schema = {"type": "string", "enum": [*get_args(CourseStatus)], "examples": ["PUBLISHED"]}


class CourseQuery(SyncQuery, frozen=True, kw_only=True):
    status: Annotated[CourseStatusFilter, Meta(description="Only those in this state.")] | None = None
    slug: Annotated[SlugFilter, Meta(description="Only the course with this slug.")] | None = None
    category_id: Annotated[UUID, Meta(description="Only those of this category.")] | None = None
    q: (
        Annotated[SearchWords, Meta(description="Only those with this in their title or their slug.")] | None
    ) = None
    tags: (
        Annotated[CommaList, Meta(description="Only those that bear any of these tags, separated by commas.")]
        | None
    ) = None


class ListedCategory(Struct, frozen=True):
    """What courses are sorted by; `category_id` of a course names one."""

    id: UUID
    name: Annotated[str, Meta(examples=["Segurança"])]


CourseSort = Literal["title", "-title", "created", "-created"]


class CourseSearch(ListQuery, frozen=True, kw_only=True):
    """What the panel's list of courses takes. `q` is a part of the title or the slug, as it is searched."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    status: CourseStatus | None = None
    sort: CourseSort = "title"


class ListedCourse(Struct, frozen=True):
    """A course in the panel's list, with the numbers of its modules and enrollments."""

    id: UUID
    title: str
    slug: str
    status: CourseStatus
    thumbnail_url: str | None
    modules: int
    enrollments: int
    completions: int
    created_at: Timestamp


class CourseName(Struct, frozen=True):
    id: UUID
    title: str


class Enrollable(Struct, frozen=True):
    """What the rules of enrolling read of a course.

    `required_fields` are the members that a user's profile must have; None without a regulation.
    """

    id: UUID
    status: CourseStatus
    required_fields: Any
