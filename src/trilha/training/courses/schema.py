"""Input and output types of courses and modules."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Any, Literal, get_args
from uuid import UUID, uuid4

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, structs

from trilha.core.errors import Problem, problem
from trilha.core.types import (
    STORABLE,
    Choice,
    CommaList,
    InvalidValue,
    Line,
    Name,
    SearchWords,
    Text,
    Timestamp,
    Title,
    dec_hook,
)
from trilha.core.web.pagination import ListQuery, SyncQuery
from trilha.training.quizzes.schema import (
    MAX_CHOICES,
    MAX_CRITERIA,
    MAX_QUESTIONS,
    AcceptedAnswer,
    Characters,
    ChoiceText,
    Criterion,
    FeedbackText,
    Kind,
    NewQuestion,
    Number,
    PoolName,
    QuestionText,
    QuizSettings,
    Seconds,
    Weight,
)
from trilha.training.quizzes.schema import Choice as QuizChoice

CourseStatus = Literal["DRAFT", "PUBLISHED", "ARCHIVED"]
Difficulty = Literal["BEGINNER", "INTERMEDIATE", "ADVANCED"]
# Whether people may enroll themselves: at once, if somebody approves, or not at all.
SelfEnrollment = Literal["OPEN", "APPROVAL", "CLOSED"]
# The languages in which courses are offered.
CourseLanguage = Literal["pt-BR", "en", "es"]
ModuleType = Literal["SCORM", "VIDEO", "DOCUMENT", "ARTICLE", "QUIZ", "CLASS", "PRACTICE", "CMI5"]
# The types of modules that show a part of a package.
PACKAGED_TYPES = ("SCORM", "CMI5")
# The least part of the minutes of a class that a learner must be present for.
PresencePercent = Annotated[int, Meta(ge=1, le=100, examples=[100])]
DEFAULT_PRESENCE = 100
# The kinds of workload that the papers of a training tell apart.
WorkloadKind = Literal["THEORY", "PRACTICE"]
Delivery = Literal["DISTANCE", "IN_PERSON"]
MAX_CHECKLIST = 100
Document = Literal["cpf", "phone", "birth_date", "cnh"]
Minutes = Annotated[int, Meta(ge=0, le=100_000)]
Hours = Annotated[float, Meta(ge=0, le=100_000)]
Months = Annotated[int, Meta(ge=1, le=1200)]
Body = Annotated[str, Meta(max_length=400_000)]
# Such as `pt-BR`: the language of a <track> of a video.
Language = Annotated[str, Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=35)]
Tag = Annotated[str, Meta(min_length=1, max_length=60, pattern=r"^[^,\s]([^,]*[^,\s])?$")]
MarkdownText = Annotated[str, Meta(min_length=1, max_length=400_000, extra_json_schema=STORABLE)]
SourceUrl = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2048,
        description="The HTTPS address of the file. It is encrypted until it is used, and never shown.",
        extra_json_schema=STORABLE,
    ),
]
Tags = Annotated[list[Tag], Meta(max_length=20)]
Description = Annotated[str, Meta(max_length=10_000, extra_json_schema=STORABLE)]
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
            raise InvalidValue("too_long")
        if not _SLUG.fullmatch(text):
            raise InvalidValue("invalid_value")
        return text


class SlugFilter(CourseSlug):
    """A course's slug, in upper or lower case."""

    __slots__ = ()
    schema = {**CourseSlug.schema, "examples": ["direcao-defensiva"]}
    codes = ("too_long", "invalid_value")

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.lower())


class Regulation(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The legal requirements for completing a course."""

    kind: Literal["traffic", "occupational_safety", "finance", "other"]
    minimum_workload_minutes: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    minimum_score: Annotated[float, Meta(ge=0, le=100)] = 0
    sequential: bool = False
    required_profile_fields: Annotated[list[Document], Meta(max_length=4)] = msgspec.field(
        default_factory=lambda: ["cpf", "cnh"]
    )


class ScormContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One part of a SCORM package. `item` is its identifier in the manifest. With `lenient_get`, the runtime
    returns an empty value for an element that was never set, where SCORM 2004 requires error 403 and some
    content fails. `microphone` and `camera` allow the content to ask learners for access; the browser asks
    them too.
    """

    package_id: UUID
    item: str
    lenient_get: bool = False
    microphone: bool = False
    camera: bool = False


class Cmi5Content(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One assignable unit of a cmi5 package. `item` is its identifier in the course structure. `microphone`
    and `camera` as in ScormContent.
    """

    package_id: UUID
    item: str
    microphone: bool = False
    camera: bool = False


class Captions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    file_id: UUID
    language: Language


class VideoContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    file_id: UUID
    captions: list[Captions] = []


class DocumentContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A PDF document."""

    file_id: UUID


class QuizContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A quiz that belongs to this module only."""

    quiz_id: UUID


class ArticleContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The images that an article's text refers to."""

    images: list[UUID] = []


ItemCriteria = Annotated[
    str,
    Meta(
        max_length=2000,
        examples=["Costuras, fivelas e validade, antes de vestir."],
        extra_json_schema=STORABLE,
    ),
]


class ChecklistItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item that an assessor rates, and when it is satisfactory."""

    id: UUID
    title: Annotated[Title, Meta(examples=["Inspeciona o cinto"])]
    criteria: ItemCriteria


class NewChecklistItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item that an assessor rates. `criteria` say when it is satisfactory."""

    title: Annotated[Title, Meta(examples=["Inspeciona o cinto"])]
    criteria: ItemCriteria = ""


class ChecklistChange(NewChecklistItem, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An item of a changed checklist: a known one with its `id`, or a new one."""

    id: UUID | None = None


class PracticeContent(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The checklist of a practical module, and the title of the qualification that its assessor needs; any
    valid one is enough if it is null.
    """

    items: Annotated[list[ChecklistItem], Meta(min_length=1, max_length=MAX_CHECKLIST)]
    qualification: Name | None = None


QualificationNeeded = Annotated[Name | None, Meta(examples=[None])]
NewItems = Annotated[list[NewChecklistItem], Meta(max_length=MAX_CHECKLIST, examples=[[]])]
Content = (
    ScormContent
    | Cmi5Content
    | VideoContent
    | DocumentContent
    | QuizContent
    | ArticleContent
    | PracticeContent
)


def build_checklist(
    items: Sequence[NewChecklistItem], qualification: str | None, known: Collection[UUID] = ()
) -> dict[str, Any]:
    """Builds the content of a practical module. Items keep those of their ids that are `known`."""
    left = set(known)
    built = []
    for each in items:
        id = each.id if isinstance(each, ChecklistChange) else None
        if id not in left:
            id = uuid4()
        left.discard(id)
        built.append({"id": str(id), "title": str(each.title), "criteria": str(each.criteria)})
    return {"items": built, "qualification": qualification}


def read_checklist(content: Mapping[str, Any] | None) -> PracticeContent:
    """Reads the content of a practical module."""
    return msgspec.convert(content or {"items": []}, PracticeContent, dec_hook=dec_hook)


class NewModule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new module. An ARTICLE has a `body`, a CLASS has a `presence_percent` or gets 100, and all other
    types have `content`. Without `duration_minutes`, they are estimated from the content. Without
    `workload_kind` and `delivery`, they follow from the type.
    """

    title: Title
    duration_minutes: Minutes | None
    type: ModuleType = "ARTICLE"
    required: bool = True
    body: Body | None = None
    content: dict[str, Any] | None = None
    presence_percent: PresencePercent | None = None
    workload_kind: WorkloadKind | None = None
    delivery: Delivery | None = None


class ModulePatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a module. Omitted members stay unchanged. The type cannot be changed. With `null`,
    `duration_minutes` are estimated from the content, now and whenever it changes, and `workload_kind` and
    `delivery` follow from the type.
    """

    title: Title | UnsetType = UNSET
    duration_minutes: Minutes | None | UnsetType = UNSET
    required: bool | UnsetType = UNSET
    body: Body | None | UnsetType = UNSET
    content: dict[str, Any] | UnsetType = UNSET
    presence_percent: PresencePercent | UnsetType = UNSET
    workload_kind: WorkloadKind | None | UnsetType = UNSET
    delivery: Delivery | None | UnsetType = UNSET


class NewCourse(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new course. Without a `language`, it is in the company's."""

    title: Title
    slug: CourseSlug
    language: CourseLanguage | None = None
    description: str | None = None
    difficulty: Difficulty | None = None
    duration_hours: Hours = 0
    tags: list[Tag] = []
    category: Category | None = None
    certificate_validity_months: Months | None = None
    regulation: Regulation | None = None
    self_enrollment: SelfEnrollment = "CLOSED"
    modules: list[NewModule] = []


class CoursePatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a course. Omitted members stay unchanged; `null` clears an optional member."""

    title: Title | UnsetType = UNSET
    slug: CourseSlug | UnsetType = UNSET
    language: CourseLanguage | UnsetType = UNSET
    description: str | None | UnsetType = UNSET
    difficulty: Difficulty | None | UnsetType = UNSET
    duration_hours: Hours | UnsetType = UNSET
    tags: list[Tag] | UnsetType = UNSET
    category: Category | None | UnsetType = UNSET
    certificate_validity_months: Months | None | UnsetType = UNSET
    regulation: Regulation | None | UnsetType = UNSET
    self_enrollment: SelfEnrollment | UnsetType = UNSET
    thumbnail_url: str | None | UnsetType = UNSET


class CourseCreate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new course. Without a `slug`, it gets one made from its title. `category` is a name; the category is
    created if the tenant has none of that name. Without a `language`, the course is in the tenant's.
    """

    title: Title
    slug: CourseSlug | None = None
    language: CourseLanguage | None = None
    description: Description | None = None
    difficulty: Difficulty | None = None
    duration_hours: Hours = 0
    tags: Tags = []
    category: Category | None = None
    certificate_validity_months: Months | None = None
    regulation: Regulation | None = None
    self_enrollment: SelfEnrollment = "CLOSED"


class CourseUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a course. Omitted members stay unchanged; `null` clears an optional member."""

    title: Title | UnsetType = UNSET
    slug: CourseSlug | UnsetType = UNSET
    language: CourseLanguage | UnsetType = UNSET
    description: Description | None | UnsetType = UNSET
    difficulty: Difficulty | None | UnsetType = UNSET
    duration_hours: Hours | UnsetType = UNSET
    tags: Tags | UnsetType = UNSET
    category: Category | None | UnsetType = UNSET
    certificate_validity_months: Months | None | UnsetType = UNSET
    regulation: Regulation | None | UnsetType = UNSET
    self_enrollment: SelfEnrollment | UnsetType = UNSET


class ModuleChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer choice of a question of kind `single` or `multiple`."""

    text: ChoiceText
    right: bool = False


class ModuleQuestion(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question and its answer key. The last members depend on the kind:

    `choices` for single and multiple; `right` for true_false; `value` and `tolerance` for numeric; `accepted`
    and the `ignore_…` members for fill_in; `longest_characters` for essay and `longest_seconds` for voice,
    which a person grades, by a `rubric` if there is one. Pictures and audio are added in the panel.
    """

    kind: Annotated[Kind, Meta(examples=["true_false"])]
    text: Annotated[QuestionText, Meta(examples=["Água apaga fogo elétrico."])]
    weight: Weight = 1.0
    pool: PoolName = ""
    feedback: FeedbackText = ""
    choices: Annotated[list[ModuleChoice], Meta(max_length=MAX_CHOICES, examples=[[]])] = []
    right: Annotated[bool, Meta(examples=[False])] | None = None
    value: Annotated[Number | None, Meta(examples=[None])] = None
    tolerance: Annotated[float, Meta(ge=0, le=1e15)] = 0.0
    accepted: Annotated[list[AcceptedAnswer], Meta(max_length=50, examples=[[]])] = []
    ignore_case: bool = True
    ignore_accents: bool = True
    ignore_spaces: bool = True
    longest_seconds: Annotated[Seconds, Meta(examples=[180])] = 180
    longest_characters: Annotated[Characters, Meta(examples=[5000])] = 5000
    rubric: Annotated[list[Criterion], Meta(max_length=MAX_CRITERIA, examples=[[]])] = []

    def build(self) -> NewQuestion:
        members = {name: getattr(self, name) for name in self.__struct_fields__}
        choices = [QuizChoice(text=each.text, right=each.right) for each in self.choices]
        return NewQuestion(**(members | {"choices": choices}))


class ModuleCreate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new module. An ARTICLE has its text in `body`, in Markdown. A QUIZ has `questions` and, in `quiz`,
    the criteria for passing. A CLASS is completed by presence in one of its classes: `presence_percent` of
    the minutes of its sessions, or all of them if it is left out. A PRACTICE has a checklist in `items`,
    which a person with the `qualification` rates; any valid one is enough if it is left out. A package (SCORM
    or CMI5), a DOCUMENT (PDF) or a VIDEO (MP4, WebM) is fetched from `source_url`; one with its file is sent
    as multipart/form-data instead. Without `duration_minutes`, they are estimated from the content; those of
    a package, a class or a practice are 0. A package with several parts becomes as many modules, which keep
    the titles of the parts and share the minutes. Without `workload_kind` and `delivery`, they follow from
    the type.
    """

    title: Title
    type: Annotated[ModuleType, Meta(examples=["ARTICLE"])] = "ARTICLE"
    duration_minutes: Minutes | None = None
    required: bool = True
    body: Annotated[MarkdownText, Meta(examples=["Antes de dar ré, **desça e olhe**."])] | None = None
    presence_percent: Annotated[PresencePercent | None, Meta(examples=[None])] = None
    workload_kind: Annotated[WorkloadKind | None, Meta(examples=["PRACTICE"])] = None
    delivery: Annotated[Delivery | None, Meta(examples=["IN_PERSON"])] = None
    items: NewItems = []
    qualification: QualificationNeeded = None
    questions: Annotated[list[ModuleQuestion], Meta(max_length=MAX_QUESTIONS, examples=[[]])] = []
    quiz: Annotated[QuizSettings | None, Meta(examples=[None])] = None
    source_url: Annotated[SourceUrl | None, Meta(examples=[None])] = None

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        if "type" not in values:
            return
        needed = {"ARTICLE": "body", "QUIZ": "questions", "CLASS": "", "PRACTICE": "items"}.get(
            values["type"], "source_url"
        )
        if values["type"] != "CLASS" and values.get("presence_percent") is not None:
            yield problem("presence_percent", "invalid_value")
        if values["type"] != "PRACTICE" and values.get("qualification") is not None:
            yield problem("qualification", "invalid_value")
        if needed in values and not values[needed]:
            yield problem(needed, "required")
        for other in ("body", "questions", "items", "source_url"):
            if other != needed and values.get(other):
                yield problem(other, "invalid_value")
        yield from _list_quiz_problems(values, today)


def _list_quiz_problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
    for number, question in enumerate(values.get("questions", ())):
        for found in NewQuestion.problems(structs.asdict(question), today):
            yield structs.replace(found, field=f"questions.{number}.{found.field}")
    quiz = values.get("quiz")
    if quiz is not None and values["type"] != "QUIZ":
        yield problem("quiz", "invalid_value")
    elif quiz is not None and "questions" in values:
        known = {each.pool.strip() for each in values["questions"]} - {""}
        if set(quiz.draws) - known:
            yield problem("quiz.draws", "unknown_pool")


class ModuleUpdate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a module. Omitted members stay unchanged. Only an ARTICLE has a `body`, only a CLASS has a
    `presence_percent`, and only a PRACTICE has `items` and a `qualification`. Items that are left out are
    removed; send known ones with their `id`. Assessments that were begun keep their checklist. With
    `null`, `workload_kind` and `delivery` follow from the type again.
    """

    title: Title | UnsetType = UNSET
    duration_minutes: Minutes | UnsetType = UNSET
    required: bool | UnsetType = UNSET
    body: MarkdownText | UnsetType = UNSET
    presence_percent: PresencePercent | UnsetType = UNSET
    workload_kind: WorkloadKind | None | UnsetType = UNSET
    delivery: Delivery | None | UnsetType = UNSET
    items: Annotated[list[ChecklistChange], Meta(min_length=1, max_length=MAX_CHECKLIST)] | UnsetType = UNSET
    qualification: Name | None | UnsetType = UNSET


class ModuleMove(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The new place, counted from 1. A place past the end means last."""

    position: Annotated[int, Meta(ge=1, le=100_000)]


class Course(Struct, frozen=True):
    """A course of the tenant. `category` is the name of its category. `self_enrollment` says whether people
    may enroll themselves: `OPEN` at once, `APPROVAL` if their manager or an administrator approves, `CLOSED`
    not at all. With null as `certificate_validity_months`, its certificates never expire. With null as
    `regulation`, no law regulates it. `title` and `description` are in `language`; `languages` are all that
    the course has, its own first.
    """

    id: UUID
    title: Annotated[str, Meta(examples=["Direção defensiva"])]
    description: Annotated[str, Meta(examples=["Condições adversas e legislação de trânsito."])] | None
    slug: Annotated[str, Meta(examples=["direcao-defensiva"])]
    status: Annotated[CourseStatus, Meta(examples=["PUBLISHED"])]
    difficulty: Difficulty | None
    duration_hours: Annotated[float, Meta(ge=0, examples=[8.0])]
    thumbnail_url: Annotated[str, Meta(examples=["https://learn.example.com/thumbnails/direcao.png"])] | None
    category_id: UUID | None
    category: Annotated[str, Meta(examples=["Trânsito"])] | None
    tags: Annotated[list[str], Meta(examples=[["trânsito", "segurança"]])]
    self_enrollment: Annotated[SelfEnrollment, Meta(examples=["APPROVAL"])]
    certificate_validity_months: Annotated[int, Meta(ge=1, le=1200, examples=[24])] | None
    regulation: Regulation | None  # plain JSON, as stored
    language: Annotated[CourseLanguage, Meta(examples=["pt-BR"])]
    languages: Annotated[list[CourseLanguage], Meta(examples=[["pt-BR", "en"]])]
    created_at: Timestamp
    updated_at: Timestamp


class Module(Struct, frozen=True):
    """A module of a course. `position` counts from 1, in the order in which learners take the modules. Only a
    CLASS has a `presence_percent`, and only a PRACTICE has `items`; they are null in all other types.
    `workload_kind` and `delivery` say what the minutes count as on certificates. If the author has not chosen
    them, a practice is practice in person, a class with a room meets in person, and everything else is theory
    at a distance.
    """

    id: UUID
    course_id: UUID
    position: Annotated[int, Meta(ge=1)]
    title: Annotated[str, Meta(examples=["Distância de segurança"])]
    type: ModuleType
    duration_minutes: Annotated[int, Meta(ge=0, examples=[120])]
    required: bool
    presence_percent: Annotated[PresencePercent | None, Meta(examples=[None])]
    workload_kind: Annotated[WorkloadKind, Meta(examples=["THEORY"])]
    delivery: Annotated[Delivery, Meta(examples=["DISTANCE"])]
    items: Annotated[list[ChecklistItem] | None, Meta(examples=[None])]
    qualification: Annotated[str | None, Meta(examples=[None])]
    created_at: Timestamp
    updated_at: Timestamp


class AuthoredCourse(Struct, frozen=True):
    """A course as its authors see it."""

    id: UUID
    title: str
    language: CourseLanguage
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
    self_enrollment: SelfEnrollment


class OutlinedModule(Module, frozen=True):
    """A module in a course's outline, without the text of an article. `minutes_estimated`: its minutes follow
    from its content. What its author has not chosen is None in the `chosen_` members.
    """

    content: Any
    minutes_estimated: bool
    chosen_workload_kind: WorkloadKind | None
    chosen_delivery: Delivery | None

    @property
    def quiz_id(self) -> UUID | None:
        return UUID(self.content["quiz_id"]) if self.type == "QUIZ" and self.content else None


class AuthoredModule(OutlinedModule, frozen=True):
    """A module as its authors see it."""

    body: str | None


class MediaFile(Struct, frozen=True):
    """An uploaded file. It never changes."""

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
    status: Annotated[CourseStatusFilter, Meta(description="Only courses in this status.")] | None = None
    slug: Annotated[SlugFilter, Meta(description="Only the course with this slug.")] | None = None
    category_id: Annotated[UUID, Meta(description="Only courses of this category.")] | None = None
    q: (
        Annotated[SearchWords, Meta(description="Only courses with these words in the title or slug.")] | None
    ) = None
    tags: (
        Annotated[CommaList, Meta(description="Only courses with any of these tags, separated by commas.")]
        | None
    ) = None


class ListedCategory(Struct, frozen=True):
    """A category of courses. A course refers to it by `category_id`."""

    id: UUID
    name: Annotated[str, Meta(examples=["Segurança"])]


CourseSort = Literal["title", "-title", "created", "-created"]


class CourseSearch(ListQuery, frozen=True, kw_only=True):
    """The parameters of the panel's list of courses. `q` matches part of the title or slug."""

    q: Annotated[str, Meta(max_length=200)] | None = None
    status: CourseStatus | None = None
    sort: CourseSort = "title"


class ListedCourse(Struct, frozen=True):
    """A course in the panel's list, with its numbers of modules and enrollments."""

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
    """The members of a course that enrollment rules depend on.

    `required_fields` are the fields that a person's profile must have; None without a regulation.
    """

    id: UUID
    status: CourseStatus
    required_fields: Any
    self_enrollment: SelfEnrollment
