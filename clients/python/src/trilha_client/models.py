"""What the API takes and returns.

Written by `python -m docs.clients`. Do not edit.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ErrorEnvelope(TypedDict):
    """The response to every failed request."""

    error: ErrorBody


class ErrorBody(TypedDict):
    """An error. `code` is stable and from a closed list. `message` explains it for people. `field` is the
    invalid field, if the error is about one.
    """

    type: Literal[
        "validation_error",
        "authentication_error",
        "authorization_error",
        "not_found",
        "conflict",
        "business_rule",
        "rate_limited",
        "internal_error",
    ]
    code: str
    message: str
    field: NotRequired[str]
    detail: NotRequired[Any]
    """Of a `validation_error` the list of all problems: each an object with `field`, `code` and `message`,
    and with what is allowed, in `allowed`, `minimum` and `maximum`. Else an object: the context of the
    code.
    """
    request_id: NotRequired[str]


class EventEnvelope(TypedDict):
    """An event. `created` is in Unix seconds. `data` depends on the type.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    type: str
    created: int
    version: str
    tenant_id: str
    data: dict[str, Any]


class UserCreated(TypedDict):
    """Sent when a user is created: in the panel, through the API, by an import or by provisioning."""

    user_id: str
    role: str
    status: str


class UserUpdated(TypedDict):
    """Sent when a user's profile changes. `changed` lists the changed fields, including `email` and
    `status`.
    """

    user_id: str
    changed: list[str]


class UserSuspended(TypedDict):
    """Sent when an active user is suspended."""

    user_id: str


class UserReactivated(TypedDict):
    """Sent when a suspended user is reactivated."""

    user_id: str


class UserDeleted(TypedDict):
    """Sent when a user's personal data is erased. Training records are kept without a name."""

    user_id: str


class UserRoleChanged(TypedDict):
    """Sent when a user's role changes."""

    user_id: str
    role: str
    previous_role: str


class CourseCreated(TypedDict):
    """Sent when a course is created. New courses are drafts."""

    course_id: str
    slug: str
    status: str


class CourseUpdated(TypedDict):
    """Sent when a course is published or restored, or when the course or one of its modules changes."""

    course_id: str
    slug: str
    status: str


class CourseArchived(TypedDict):
    """Sent when a course is archived. It accepts no new enrollments; open enrollments continue."""

    course_id: str
    slug: str
    status: str


class CourseRated(TypedDict):
    """Sent when at least five more people's evaluations of a course are published. `rating_count` is how
    many there are, and `nps` the net promoter score from -100 to 100. It names no person and no
    enrollment: the answers are anonymous.
    """

    course_id: str
    rating_count: int
    nps: int


class LearningPathAssigned(TypedDict):
    """Sent when a learning path is assigned to a user."""

    learning_path_id: str
    user_id: str


class LearningPathCompleted(TypedDict):
    """Sent when a user completes the last course of a learning path."""

    learning_path_id: str
    user_id: str
    completed_at: str


class EnrollmentCreated(TypedDict):
    """Sent when a user is enrolled in a course, individually or in bulk."""

    enrollment_id: str
    user_id: str
    course_id: str
    expires_at: str | None


class EnrollmentStarted(TypedDict):
    """Sent when the first module of an enrollment is launched."""

    enrollment_id: str
    user_id: str
    course_id: str
    started_at: str


class EnrollmentProgress(TypedDict):
    """Sent when the progress of an enrollment increases: at most once per 5 points or 60 seconds."""

    enrollment_id: str
    user_id: str
    course_id: str
    progress_percent: float


class EnrollmentCompleted(TypedDict):
    """Sent when an enrollment meets the last of its completion criteria."""

    enrollment_id: str
    user_id: str
    course_id: str
    progress_percent: float
    score: float | None
    completed_at: str


class EnrollmentExpired(TypedDict):
    """Sent within a minute after an enrollment passes its `expires_at` without being completed."""

    enrollment_id: str
    user_id: str
    course_id: str
    expires_at: str


class EnrollmentUpdated(TypedDict):
    """Sent when the due date of an enrollment changes. A later date can reopen an expired enrollment."""

    enrollment_id: str
    user_id: str
    course_id: str
    status: str
    expires_at: str | None


class EnrollmentCancelled(TypedDict):
    """Sent when an enrollment is cancelled. Its learning records are kept."""

    enrollment_id: str
    user_id: str
    course_id: str
    cancelled_at: str


class EnrollmentRequested(TypedDict):
    """Sent when a person asks to be enrolled in a course of the catalog, once for each request. `status`
    is `WAITING`, or `APPROVED` if the course is open to everyone; `enrollment.created` is then sent
    too.
    """

    request_id: str
    user_id: str
    course_id: str
    status: str


class ClassCreated(TypedDict):
    """Sent when a class of a course is created."""

    class_id: str
    course_id: str


class ClassUpdated(TypedDict):
    """Sent when a class changes, or one of its sessions is added, changed or cancelled."""

    class_id: str
    course_id: str


class ClassCancelled(TypedDict):
    """Sent when a class is cancelled with all its sessions. People stay registered."""

    class_id: str
    course_id: str


class RegistrationCreated(TypedDict):
    """Sent when a person gets a place in a class, also from its waiting list."""

    registration_id: str
    class_id: str
    user_id: str
    course_id: str
    status: str


class RegistrationWaitlisted(TypedDict):
    """Sent when a person is put on the waiting list of a full class."""

    registration_id: str
    class_id: str
    user_id: str
    course_id: str
    status: str


class RegistrationCancelled(TypedDict):
    """Sent when a registration is cancelled, from a place or from the waiting list."""

    registration_id: str
    class_id: str
    user_id: str
    course_id: str
    status: str


class AttendanceRecorded(TypedDict):
    """Sent when the minutes that a person was in a session are recorded or corrected."""

    session_id: str
    class_id: str
    user_id: str
    minutes: int


class PracticeAssessed(TypedDict):
    """Sent when an assessment of practice is final: an unsatisfactory one once its assessor signs, and a
    satisfactory one when the learner has signed, too.
    """

    assessment_id: str
    enrollment_id: str
    user_id: str
    course_id: str
    module_id: str
    result: str


class RequirementAssigned(TypedDict):
    """Sent when a requirement starts to apply to a person, even if they meet it already."""

    requirement_id: str
    user_id: str
    course_id: str | None
    learning_path_id: str | None


class RequirementSatisfied(TypedDict):
    """Sent when a person meets a requirement: once for each completion that does."""

    requirement_id: str
    user_id: str
    course_id: str | None
    learning_path_id: str | None


class RequirementOverdue(TypedDict):
    """Sent when a due date passes without the person meeting the requirement, once for each due date."""

    requirement_id: str
    user_id: str
    course_id: str | None
    learning_path_id: str | None


class RequirementReleased(TypedDict):
    """Sent when a requirement stops applying to a person."""

    requirement_id: str
    user_id: str
    course_id: str | None
    learning_path_id: str | None


class ReminderSent(TypedDict):
    """Sent when a person, `user_id`, is reminded of an enrollment, once for each kind and channel."""

    user_id: str
    enrollment_id: str
    kind: str
    channel: str


class CertificateIssued(TypedDict):
    """Sent when a certificate is issued for a completed enrollment. `expires_at` is null if the
    certificate never expires.
    """

    certificate_id: str
    enrollment_id: str
    user_id: str
    course_id: str
    issued_at: str
    expires_at: str | None


class CertificateRevoked(TypedDict):
    """Sent when a certificate is revoked."""

    certificate_id: str
    enrollment_id: str
    user_id: str
    course_id: str
    revoked_at: str


class CertificateExpiring(TypedDict):
    """Sent 30 days before a certificate expires."""

    certificate_id: str
    enrollment_id: str
    user_id: str
    course_id: str
    expires_at: str


class AssessmentAttempted(TypedDict):
    """Sent when an attempt at a scored module ends. `score` is null if the attempt has no score."""

    enrollment_id: str
    user_id: str
    course_id: str
    module_id: str
    attempt: int
    score: float | None


class AssessmentPassed(TypedDict):
    """Sent when an attempt at a scored module ends with a passing result."""

    enrollment_id: str
    user_id: str
    course_id: str
    module_id: str
    attempt: int
    score: float | None


class AssessmentFailed(TypedDict):
    """Sent when an attempt at a scored module ends without a passing result."""

    enrollment_id: str
    user_id: str
    course_id: str
    module_id: str
    attempt: int
    score: float | None


class VoiceActivityCompleted(TypedDict):
    """Sent when a learner submits a voice answer."""

    enrollment_id: str
    user_id: str
    course_id: str
    module_id: str
    completed_at: str


class ApiKeyCreated(TypedDict):
    """Sent when an API key is created."""

    api_key_id: str
    name: str
    scopes: list[str]


class ApiKeyRotated(TypedDict):
    """Sent when an API key is rotated. The previous secret works until `previous_expires_at`."""

    api_key_id: str
    name: str
    scopes: list[str]
    previous_expires_at: str


class ApiKeyRevoked(TypedDict):
    """Sent when an API key is revoked."""

    api_key_id: str
    name: str
    scopes: list[str]


class WebhookTest(TypedDict):
    """Sent to a webhook endpoint when a test of it is requested. Other endpoints do not receive it."""

    endpoint_id: str


class WebhookActivated(TypedDict):
    """Sent when an inactive webhook endpoint is activated."""

    endpoint_id: str


class WebhookFailed(TypedDict):
    """Sent when a delivery fails permanently. The endpoint that failed does not receive it.

    `http_status` is the status of the last attempt, or null if there was no response. `attempts` is 0
    if the endpoint was inactive for so long that no attempt was made.
    """

    endpoint_id: str
    delivery_id: str
    event_id: str
    event_type: str
    attempts: int
    http_status: int | None


class XapiPipePaused(TypedDict):
    """Sent when a pipe that forwards xAPI statements is paused because it has failed for three days.
    `http_status` is the status of the last attempt, or null if there was no response.
    """

    pipe_id: str
    name: str
    failures: int
    http_status: int | None


class User(TypedDict):
    """A person in the tenant's directory. Documents are masked.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    email: str
    name: str
    role: Literal["admin", "gestor", "instrutor", "learner"]
    status: Literal["ACTIVE", "INACTIVE", "SUSPENDED"]
    department: str | None
    job_title: str | None
    business_unit_id: str | None
    employee_number: str | None
    hire_date: str | None
    custom_fields: dict[str, Any]
    """Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices.
    Personal ones read `***`.
    """
    cpf: str | None
    phone: str | None
    birth_date: str | None
    cnh: Cnh | None
    xp: int
    level: int
    last_login_at: str | None
    created_at: str
    updated_at: str


class Cnh(TypedDict):
    """A driver's license. The number is masked."""

    numero: str
    categoria: str
    validade: str
    ear: bool


class UserCreate(TypedDict):
    email: str
    name: str
    role: NotRequired[Literal["learner", "gestor", "instrutor"]]
    password: NotRequired[str | None]
    department: NotRequired[str | None]
    job_title: NotRequired[str | None]
    business_unit_id: NotRequired[str | None]
    employee_number: NotRequired[str | None]
    hire_date: NotRequired[str | None]
    custom_fields: NotRequired[dict[str, Any]]
    """Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices.
    Keys that are left out do not change; null clears one.
    """
    cpf: NotRequired[str | None]
    phone: NotRequired[str | None]
    birth_date: NotRequired[str | None]
    cnh: NotRequired[CnhCreate | None]


class CnhCreate(TypedDict):
    """A driver's license (Carteira Nacional de Habilitação)."""

    numero: str
    categoria: Literal["A", "B", "C", "D", "E", "AB", "AC", "AD", "AE", "ACC"]
    validade: str
    ear: bool


class CreatedMeta(TypedDict):
    """`temporary_password` is only in this response, and only if the request had no password."""

    temporary_password: NotRequired[str | None]


class UserSearch(TypedDict):
    """A search by a value that must not appear in a URL."""

    cpf: str


class BulkUsersDescription(TypedDict):
    """Each item succeeds or fails on its own. The response lists the errors."""

    users: list[BulkUser]
    invite: NotRequired[bool]
    """Whether to e-mail an invitation to new users without a password."""


class BulkUser(TypedDict):
    """A user to create or update. The item updates the user with this `employee_number`, or else with this
    `email`; if there is none, it creates a user and requires `email` and `name`. Members that are left
    out do not change; null clears one.

    `role` and `password` apply only to new users.
    """

    employee_number: NotRequired[str | None]
    email: NotRequired[str]
    name: NotRequired[str]
    role: NotRequired[Literal["learner", "gestor", "instrutor"]]
    password: NotRequired[str]
    department: NotRequired[str | None]
    job_title: NotRequired[str | None]
    business_unit_id: NotRequired[str | None]
    hire_date: NotRequired[str | None]
    custom_fields: NotRequired[dict[str, Any]]
    """Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices.
    Keys that are left out do not change; null clears one.
    """
    cpf: NotRequired[str | None]
    phone: NotRequired[str | None]
    birth_date: NotRequired[str | None]
    cnh: NotRequired[CnhCreate | None]


class BulkUsersResult(TypedDict):
    """The result of a bulk call. `user_ids` has one id per item, in the order of the request; null for a
    failed item.
    """

    created: int
    updated: int
    unchanged: int
    failed: int
    errors: list[BulkUserError]
    user_ids: list[str | None]


class BulkUserError(TypedDict):
    """Why an item failed. `index` counts from 0; `field` is the first invalid member.

    `detail` has the same context as the error of a single-user call.
    """

    index: int
    field: str | None
    code: str
    message: str
    detail: NotRequired[dict[str, Any]]


class UserUpdate(TypedDict):
    """Members that are left out do not change; null clears one. A new `email` ends the person's sessions.
    Only a learner's address can change here; use the admin panel for instructors, managers and
    administrators.
    """

    email: NotRequired[str]
    name: NotRequired[str]
    department: NotRequired[str | None]
    job_title: NotRequired[str | None]
    business_unit_id: NotRequired[str | None]
    employee_number: NotRequired[str | None]
    hire_date: NotRequired[str | None]
    custom_fields: NotRequired[dict[str, Any]]
    """Values of the company's custom fields by key: text, number, date (YYYY-MM-DD) or one of the choices.
    Keys that are left out do not change; null clears one.
    """
    cpf: NotRequired[str | None]
    phone: NotRequired[str | None]
    birth_date: NotRequired[str | None]
    cnh: NotRequired[CnhCreate | None]


class CustomField(TypedDict):
    """A field of the company's own. `choices` are the allowed values of a choice. The values of a
    `personal` one are sealed, and masked on every read.

    With `fields`, only the members that it names.
    """

    key: str
    name: str
    type: Literal["choice", "date", "number", "text"]
    choices: list[str]
    personal: bool


class Course(TypedDict):
    """A course of the tenant. `category` is the name of its category. `self_enrollment` says whether
    people may enroll themselves: `OPEN` at once, `APPROVAL` if their manager or an administrator
    approves, `CLOSED` not at all. With null as `certificate_validity_months`, its certificates never
    expire. With null as `regulation`, no law regulates it. `title` and `description` are in `language`;
    `languages` are all that the course has, its own first.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    title: str
    description: str | None
    slug: str
    status: Literal["ARCHIVED", "DRAFT", "PUBLISHED"]
    difficulty: Literal["ADVANCED", "BEGINNER", "INTERMEDIATE", "None"]
    duration_hours: float
    thumbnail_url: str | None
    category_id: str | None
    category: str | None
    tags: list[str]
    self_enrollment: Literal["APPROVAL", "CLOSED", "OPEN"]
    certificate_validity_months: int | None
    regulation: Regulation | None
    language: Literal["en", "es", "pt-BR"]
    languages: list[Literal["en", "es", "pt-BR"]]
    created_at: str
    updated_at: str


class Regulation(TypedDict):
    """The legal requirements for completing a course."""

    kind: Literal["finance", "occupational_safety", "other", "traffic"]
    minimum_workload_minutes: NotRequired[int]
    minimum_score: NotRequired[float]
    sequential: NotRequired[bool]
    required_profile_fields: NotRequired[list[Literal["birth_date", "cnh", "cpf", "phone"]]]


class CourseCreate(TypedDict):
    """A new course. Without a `slug`, it gets one made from its title. `category` is a name; the category
    is created if the tenant has none of that name. Without a `language`, the course is in the tenant's.
    """

    title: str
    slug: NotRequired[str | None]
    language: NotRequired[Literal["en", "es", "pt-BR", "None"]]
    description: NotRequired[str | None]
    difficulty: NotRequired[Literal["ADVANCED", "BEGINNER", "INTERMEDIATE", "None"]]
    duration_hours: NotRequired[float]
    tags: NotRequired[list[str]]
    category: NotRequired[str | None]
    certificate_validity_months: NotRequired[int | None]
    regulation: NotRequired[Regulation | None]
    self_enrollment: NotRequired[Literal["APPROVAL", "CLOSED", "OPEN"]]


class ListedCategory(TypedDict):
    """A category of courses. A course refers to it by `category_id`.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    name: str


class CourseUpdate(TypedDict):
    """Changes to a course. Omitted members stay unchanged; `null` clears an optional member."""

    title: NotRequired[str]
    slug: NotRequired[str]
    language: NotRequired[Literal["en", "es", "pt-BR"]]
    description: NotRequired[str | None]
    difficulty: NotRequired[Literal["ADVANCED", "BEGINNER", "INTERMEDIATE", "None"]]
    duration_hours: NotRequired[float]
    tags: NotRequired[list[str]]
    category: NotRequired[str | None]
    certificate_validity_months: NotRequired[int | None]
    regulation: NotRequired[Regulation | None]
    self_enrollment: NotRequired[Literal["APPROVAL", "CLOSED", "OPEN"]]


class Module(TypedDict):
    """A module of a course. `position` counts from 1, in the order in which learners take the modules.
    Only a CLASS has a `presence_percent`, and only a PRACTICE has `items`; they are null in all other
    types. `workload_kind` and `delivery` say what the minutes count as on certificates. If the author
    has not chosen them, a practice is practice in person, a class with a room meets in person, and
    everything else is theory at a distance.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    course_id: str
    position: int
    title: str
    type: Literal["ARTICLE", "CLASS", "CMI5", "DOCUMENT", "PRACTICE", "QUIZ", "SCORM", "VIDEO"]
    duration_minutes: int
    required: bool
    presence_percent: int | None
    workload_kind: Literal["PRACTICE", "THEORY"]
    delivery: Literal["DISTANCE", "IN_PERSON"]
    items: list[ChecklistItem] | None
    qualification: str | None
    created_at: str
    updated_at: str


class ChecklistItem(TypedDict):
    """An item that an assessor rates, and when it is satisfactory."""

    id: str
    title: str
    criteria: str


class ModuleCreate(TypedDict):
    """A new module. An ARTICLE has its text in `body`, in Markdown. A QUIZ has `questions` and, in `quiz`,
    the criteria for passing. A CLASS is completed by presence in one of its classes: `presence_percent`
    of the minutes of its sessions, or all of them if it is left out. A PRACTICE has a checklist in
    `items`, which a person with the `qualification` rates; any valid one is enough if it is left out. A
    package (SCORM or CMI5), a DOCUMENT (PDF) or a VIDEO (MP4, WebM) is fetched from `source_url`; one
    with its file is sent as multipart/form-data instead. Without `duration_minutes`, they are estimated
    from the content; those of a package, a class or a practice are 0. A package with several parts
    becomes as many modules, which keep the titles of the parts and share the minutes. Without
    `workload_kind` and `delivery`, they follow from the type.
    """

    title: str
    type: NotRequired[Literal["ARTICLE", "CLASS", "CMI5", "DOCUMENT", "PRACTICE", "QUIZ", "SCORM", "VIDEO"]]
    duration_minutes: NotRequired[int | None]
    required: NotRequired[bool]
    body: NotRequired[str | None]
    presence_percent: NotRequired[int | None]
    workload_kind: NotRequired[Literal["PRACTICE", "THEORY", "None"]]
    delivery: NotRequired[Literal["DISTANCE", "IN_PERSON", "None"]]
    items: NotRequired[list[ChecklistItemCreate]]
    qualification: NotRequired[str | None]
    questions: NotRequired[list[ModuleQuestion]]
    quiz: NotRequired[QuizSettings | None]
    source_url: NotRequired[str | None]
    """The HTTPS address of the file. It is encrypted until it is used, and never shown."""


class ChecklistItemCreate(TypedDict):
    """An item that an assessor rates. `criteria` say when it is satisfactory."""

    title: str
    criteria: NotRequired[str]


class ModuleQuestion(TypedDict):
    """A question and its answer key. The last members depend on the kind:

    `choices` for single and multiple; `right` for true_false; `value` and `tolerance` for numeric;
    `accepted` and the `ignore_…` members for fill_in; `longest_characters` for essay and
    `longest_seconds` for voice, which a person grades, by a `rubric` if there is one. Pictures and
    audio are added in the panel.
    """

    kind: Literal["essay", "fill_in", "multiple", "numeric", "single", "true_false", "voice"]
    text: str
    weight: NotRequired[float]
    pool: NotRequired[str]
    feedback: NotRequired[str]
    choices: NotRequired[list[ModuleChoice]]
    right: NotRequired[bool | None]
    value: NotRequired[float | None]
    tolerance: NotRequired[float]
    accepted: NotRequired[list[str]]
    ignore_case: NotRequired[bool]
    ignore_accents: NotRequired[bool]
    ignore_spaces: NotRequired[bool]
    longest_seconds: NotRequired[int]
    longest_characters: NotRequired[int]
    rubric: NotRequired[list[Criterion]]


class ModuleChoice(TypedDict):
    """An answer choice of a question of kind `single` or `multiple`."""

    text: str
    right: NotRequired[bool]


class Criterion(TypedDict):
    """One criterion of a rubric, and the most points that a grader can give for it."""

    text: str
    points: float


class QuizSettings(TypedDict):
    """The settings of a quiz. `attempts` is the limit for each learner; None means unlimited. `draws` is
    the number of questions to draw from each pool; pools without an entry are asked whole. `bank_draws`
    adds questions of the bank. Without `time_limit_minutes`, an attempt may take as long as the learner
    likes.
    """

    pass_mark: NotRequired[float]
    attempts: NotRequired[int | None]
    shuffle_questions: NotRequired[bool]
    shuffle_choices: NotRequired[bool]
    feedback: NotRequired[Literal["answers", "never", "result"]]
    presentation: NotRequired[Literal["all", "one"]]
    time_limit_minutes: NotRequired[int | None]
    draws: NotRequired[dict[str, Any]]
    bank_draws: NotRequired[list[BankDraw]]


class BankDraw(TypedDict):
    """A rule that draws `count` questions from the bank: of those that have every one of these tags."""

    tags: list[str]
    count: int


class ModuleFile(TypedDict):
    """A new module with its file, as multipart/form-data. The members are those of JSON; `file` takes the
    place of `source_url`.
    """

    title: str
    type: Literal["CMI5", "DOCUMENT", "SCORM", "VIDEO"]
    file: str
    """The ZIP file of a package, a PDF, or an MP4 or WebM video, of at most 2 GiB."""
    duration_minutes: NotRequired[int]
    required: NotRequired[bool]
    workload_kind: NotRequired[Literal["PRACTICE", "THEORY"]]
    delivery: NotRequired[Literal["DISTANCE", "IN_PERSON"]]


class ModuleImport(TypedDict):
    """The import of a package, document or video as modules of a course. `module_ids` are the modules that
    it has added: one for each part of a package. A package has a `report` once it is read. A FAILED
    import has an `error`; to try again, send the module again.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    course_id: str
    type: Literal["CMI5", "DOCUMENT", "SCORM", "VIDEO"]
    status: Literal["FAILED", "PENDING", "RUNNING", "SUCCEEDED"]
    module_ids: list[str]
    report: ImportReport | None
    error: ImportFailure | None
    created_at: str
    updated_at: str


class ImportReport(TypedDict):
    """What is in a package, and what was found wrong or repaired. `tool` made the package; `scos` and
    `assets` are its parts with and without progress; `hosts` are other servers from which it loads
    something.
    """

    verdict: Literal["accepted", "refused"]
    version: Literal["1.2", "2004", "cmi5", "None"]
    edition: str
    tool: str
    scos: int
    assets: int
    files: int
    size: int
    hosts: list[str]
    findings: list[ImportFinding]


class ImportFinding(TypedDict):
    """One finding: an `error`, because of which the package was refused, a `warning`, or `info`. `where`
    is a path in the package, or empty.
    """

    severity: Literal["error", "info", "warning"]
    code: str
    what: str
    where: str
    fix: str


class ImportFailure(TypedDict):
    """Why an import failed."""

    code: str
    message: str


class ModuleUpdate(TypedDict):
    """Changes to a module. Omitted members stay unchanged. Only an ARTICLE has a `body`, only a CLASS has
    a `presence_percent`, and only a PRACTICE has `items` and a `qualification`. Items that are left out
    are removed; send known ones with their `id`. Assessments that were begun keep their checklist. With
    `null`, `workload_kind` and `delivery` follow from the type again.
    """

    title: NotRequired[str]
    duration_minutes: NotRequired[int]
    required: NotRequired[bool]
    body: NotRequired[str]
    presence_percent: NotRequired[int]
    workload_kind: NotRequired[Literal["PRACTICE", "THEORY", "None"]]
    delivery: NotRequired[Literal["DISTANCE", "IN_PERSON", "None"]]
    items: NotRequired[list[ChecklistChange]]
    qualification: NotRequired[str | None]


class ChecklistChange(TypedDict):
    """An item of a changed checklist: a known one with its `id`, or a new one."""

    title: str
    criteria: NotRequired[str]
    id: NotRequired[str | None]


class ModuleMove(TypedDict):
    """The new place, counted from 1. A place past the end means last."""

    position: int


class Translation(TypedDict):
    """The texts of a course in one of its further languages. `modules` are all of the course, in its
    order. Null means not translated. `translated` of `texts` are translated, lessons included.

    With `fields`, only the members that it names.
    """

    language: Literal["en", "es", "pt-BR"]
    title: str | None
    description: str | None
    modules: list[TranslatedTitle]
    translated: int
    texts: int


class TranslatedTitle(TypedDict):
    """The title of a module in a language; null if it is not translated."""

    module_id: str
    title: str | None


class TranslationTexts(TypedDict):
    """The texts of a course in a language. What is left out is not translated: learners see it in the
    course's own language.
    """

    title: NotRequired[str | None]
    description: NotRequired[str | None]
    modules: NotRequired[list[ModuleTitle]]


class ModuleTitle(TypedDict):
    """The title of a module in a language."""

    module_id: str
    title: str


class LessonTranslation(TypedDict):
    """The lesson of an article in a language, in Markdown. With null as `body`, it is not translated.

    With `fields`, only the members that it names.
    """

    language: Literal["en", "es", "pt-BR"]
    title: str | None
    body: str | None


class LessonTexts(TypedDict):
    """The lesson of an article in a language. Omitted members stay unchanged."""

    title: NotRequired[str | None]
    body: str


class Enrollment(TypedDict):
    """One person's enrollment in one course. `score` is null until a module has a score. `imported_from`
    names the system where the course was completed, and is absent unless the enrollment was imported.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    user_id: str
    course_id: str
    status: EnrollmentStatus
    progress: float
    score: float | None
    started_at: str | None
    completed_at: str | None
    expires_at: str | None
    created_at: str
    updated_at: str
    imported_from: NotRequired[str | None]


EnrollmentStatus = Literal["COMPLETED", "EXPIRED", "IN_PROGRESS", "NOT_STARTED"]


class EnrollmentCreate(TypedDict):
    user_id: str
    course_id: str
    expires_at: NotRequired[str | None]
    """A time in the future."""


class BulkEnrollments(TypedDict):
    enrollments: list[EnrollmentCreate]


class BulkResult(TypedDict):
    """The result of a bulk call. `skipped` counts duplicates of a current enrollment or of an earlier
    item.
    """

    created: int
    skipped: int
    failed: int
    errors: list[BulkError]


class BulkError(TypedDict):
    """Why one item of a bulk call failed. `index` counts from 0. `detail` is the same context that the
    error of a single call would have.
    """

    index: int
    user_id: str
    course_id: str
    code: str
    message: str
    detail: NotRequired[dict[str, Any]]


class PastCompletions(TypedDict):
    completions: list[PastCompletion]
    issue_certificates: NotRequired[bool]
    """Issue a certificate for each new completion."""


class PastCompletion(TypedDict):
    """A course that a person completed in another system, named by `source`. Without `started_at`, the
    start is the moment of completion.
    """

    user_id: str
    course_id: str
    started_at: NotRequired[str | None]
    completed_at: str
    score: NotRequired[float | None]
    source: str


class EnrollmentUpdate(TypedDict):
    """Changes to an enrollment. Set `expires_at` to null for no due date."""

    expires_at: str | None
    """A time in the future."""


class Interaction(TypedDict):
    """A learner's latest answer to one question.

    With `fields`, only the members that it names.
    """

    module_id: str
    module_title: str
    interaction_id: str
    type: str
    description: str | None
    response: str | None
    correct_response: str | None
    result: str | None
    latency_seconds: float | None
    weighting: float | None
    updated_at: str


class EnrollmentRequestCreate(TypedDict):
    """A request to be enrolled. Whoever decides reads the `message`."""

    course_id: str
    message: NotRequired[str | None]


class EnrollmentRequest(TypedDict):
    """A person's request to be enrolled in a course. `enrollment_id` is the enrollment that the approval
    made. `decided_by` is the user who decided in the panel; null for a decision through the API, and
    for a course that is open to everyone.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    user_id: str
    course_id: str
    status: RequestStatus
    message: str | None
    reason: str | None
    enrollment_id: str | None
    decided_by: str | None
    decided_at: str | None
    created_at: str
    updated_at: str


RequestStatus = Literal["APPROVED", "CANCELLED", "REJECTED", "WAITING"]


class Approval(TypedDict):
    """How a request is approved. Without `expires_at`, the enrollment has no due date."""

    expires_at: NotRequired[str | None]
    """A time in the future."""


class Rejection(TypedDict):
    """Why a request is rejected. The person reads the `reason`."""

    reason: str


class ReminderSettings(TypedDict):
    """When reminders are sent, in the company's time zone, and which. Reminders wait during quiet hours
    and on other days than `working_days`; 1 is Monday.

    With `fields`, only the members that it names.
    """

    quiet_from: str | None
    quiet_until: str | None
    working_days: list[int]
    kinds: KindSwitches


class KindSwitches(TypedDict):
    """The kinds of reminders that are switched on. `enrollment_request` covers requests for enrollment and
    their answers; `digest` is the managers' weekly summary.
    """

    assigned: NotRequired[bool]
    due: NotRequired[bool]
    overdue: NotRequired[bool]
    quiz_graded: NotRequired[bool]
    voice_answer_waiting: NotRequired[bool]
    question_waiting: NotRequired[bool]
    question_answered: NotRequired[bool]
    evaluation_follow_up: NotRequired[bool]
    certificate_expiring: NotRequired[bool]
    enrollment_request: NotRequired[bool]
    digest: NotRequired[bool]


class ReminderSettingsUpdate(TypedDict):
    """Members that are left out do not change. Set both quiet hours to null for none."""

    quiet_from: NotRequired[str | None]
    quiet_until: NotRequired[str | None]
    working_days: NotRequired[list[int]]
    kinds: NotRequired[KindSwitchesUpdate]


class KindSwitchesUpdate(TypedDict):
    """Kinds that are left out do not change."""

    assigned: NotRequired[bool]
    due: NotRequired[bool]
    overdue: NotRequired[bool]
    quiz_graded: NotRequired[bool]
    voice_answer_waiting: NotRequired[bool]
    question_waiting: NotRequired[bool]
    question_answered: NotRequired[bool]
    evaluation_follow_up: NotRequired[bool]
    certificate_expiring: NotRequired[bool]
    enrollment_request: NotRequired[bool]
    digest: NotRequired[bool]


class ReminderCreate(TypedDict):
    """A reminder by hand, with a text of one's own."""

    text: NotRequired[str | None]


class SentReminder(TypedDict):
    """A reminder that waits to be sent, or was."""

    id: str
    user_id: str
    enrollment_id: str
    kind: str
    created_at: str


class PushSubscriptionCreate(TypedDict):
    endpoint: str
    keys: PushKeys


class PushKeys(TypedDict):
    """The keys of a push subscription, as the browser gives them (RFC 8291)."""

    p256dh: str
    auth: str


class PushSubscription(TypedDict):
    """A browser that gets push messages for a user. Its address is a secret and never shown."""

    id: str
    user_id: str
    created_at: str


class Certificate(TypedDict):
    """Proof of a completed course. `pdf_url` is null until the PDF exists (PDF/A-3b); `pdf_a1b_url` leads
    to the same certificate as PDF/A-1b, which is made at the first request. The links are valid for 15
    minutes.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    verification_code: str
    user_id: str
    enrollment_id: str
    course_id: str
    pdf_url: str | None
    pdf_a1b_url: str | None
    issued_at: str
    expires_at: str | None
    verification_url: str


class Verification(TypedDict):
    """The result of verifying a certificate. `reason` says why verification failed. `certificate` is
    present for every existing code.

    With `fields`, only the members that it names.
    """

    verified: bool
    reason: NotRequired[Literal["expired", "not_found", "revoked"]]
    certificate: NotRequired[PublicCertificate]


class PublicCertificate(TypedDict):
    """The public details of a certificate. `user_name` is null after the holder's personal data was
    erased.
    """

    verification_code: str
    user_name: str | None
    holder_cpf: str | None
    course_title: str
    issued_by: str
    issued_at: str
    expires_at: str | None


class Statement(TypedDict):
    """A whole statement of the Experience API. Members that it does not have are left out.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    actor: dict[str, Any]
    verb: dict[str, Any]
    object: dict[str, Any]
    result: NotRequired[dict[str, Any]]
    context: NotRequired[dict[str, Any]]
    attachments: NotRequired[list[dict[str, Any]]]
    timestamp: str
    stored: str
    authority: dict[str, Any]
    version: str


class TrainingClass(TypedDict):
    """A class, with its `sessions` by start. It is `ENDED` once its last session that is not cancelled is
    over. `registered` people have a place, and `waitlisted` people wait for one.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    course_id: str
    module_id: str
    title: str
    status: Literal["CANCELLED", "ENDED", "SCHEDULED"]
    minimum_people: int
    maximum_people: int
    waiting_list: bool
    registered: int
    waitlisted: int
    cancel_reason: str | None
    sessions: list[ClassSession]
    created_at: str
    updated_at: str


class ClassSession(TypedDict):
    """One meeting of a class. `time_zone` is that of the place; the times themselves are UTC.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    class_id: str
    status: Literal["CANCELLED", "SCHEDULED"]
    starts_at: str
    ends_at: str
    time_zone: str
    room: str | None
    meeting_url: str | None
    instructor_ids: list[str]
    cancel_reason: str | None
    created_at: str
    updated_at: str


class ClassCreate(TypedDict):
    """A new class of a module of the type CLASS. Once `maximum_people` have a place, more people wait, or
    are refused without a `waiting_list`. Nobody enforces `minimum_people`.
    """

    course_id: str
    module_id: str
    title: str
    minimum_people: NotRequired[int]
    maximum_people: int
    waiting_list: NotRequired[bool]
    sessions: list[SessionPlan]


class SessionPlan(TypedDict):
    """A new session. It may lie in the past. Without a `time_zone`, it is in the company's. `room` is the
    name of a place, and `meeting_url` the link of a video call.
    """

    starts_at: str
    ends_at: str
    time_zone: NotRequired[str | None]
    room: NotRequired[str | None]
    meeting_url: NotRequired[str | None]
    instructor_ids: NotRequired[list[str]]


class OverlapMeta(TypedDict):
    """Overlaps refuse nothing."""

    warnings: list[Overlap]


class Overlap(TypedDict):
    """Something or somebody is in two sessions at once. `session_id` is the other session."""

    code: Literal["instructor_overlap", "learner_overlap", "room_overlap"]
    session_id: str


class ClassUpdate(TypedDict):
    """Changes to a class. Omitted members stay unchanged. With more places, who waits moves up at once."""

    title: NotRequired[str]
    minimum_people: NotRequired[int]
    maximum_people: NotRequired[int]
    waiting_list: NotRequired[bool]


class Cancellation(TypedDict):
    reason: str


class SessionCreate(TypedDict):
    """A session to add to a class. It may lie in the past. Without a `time_zone`, it is in the company's.
    `room` is the name of a place, and `meeting_url` the link of a video call.
    """

    starts_at: str
    ends_at: str
    time_zone: NotRequired[str | None]
    room: NotRequired[str | None]
    meeting_url: NotRequired[str | None]
    instructor_ids: NotRequired[list[str]]


class SessionUpdate(TypedDict):
    """Changes to a session. Omitted members stay unchanged; `null` clears the room or the link."""

    starts_at: NotRequired[str]
    ends_at: NotRequired[str]
    time_zone: NotRequired[str]
    room: NotRequired[str | None]
    meeting_url: NotRequired[str | None]
    instructor_ids: NotRequired[list[str]]


class ClassRegistration(TypedDict):
    """A person's place in a class. `position` on the waiting list counts from 1; it is null for everybody
    else.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    class_id: str
    user_id: str
    enrollment_id: str
    status: Literal["CANCELLED", "REGISTERED", "WAITLISTED"]
    position: int | None
    created_at: str
    updated_at: str


class RegistrationCreate(TypedDict):
    user_id: str


class BulkRegistrations(TypedDict):
    user_ids: list[str]


class BulkRegistrationResult(TypedDict):
    """The result of a bulk registration. `skipped` counts people who are in the class already, and
    repetitions.
    """

    registered: int
    waitlisted: int
    skipped: int
    failed: int
    errors: list[BulkRegistrationError]


class BulkRegistrationError(TypedDict):
    """Why one user of a bulk call was not registered. `index` counts from 0."""

    index: int
    user_id: str
    code: str
    message: str


class RegistrationCancellation(TypedDict):
    reason: NotRequired[str | None]


class Attendance(TypedDict):
    """How many minutes a registered person was in a session. `method` and `recorded_at` are null until
    attendance is recorded.

    With `fields`, only the members that it names.
    """

    user_id: str
    minutes: int
    method: Literal["LIST", "QR", "SIGNATURE", "None"]
    recorded_at: str | None


class AttendanceSheet(TypedDict):
    entries: list[AttendanceEntry]


class AttendanceEntry(TypedDict):
    """How many minutes a person was in the session. A changed number needs a `reason`."""

    user_id: str
    minutes: int
    reason: NotRequired[str | None]


class CheckInCode(TypedDict):
    """The code to show in the room, as a QR code of `url`. There is another one every 15 seconds.

    With `fields`, only the members that it names.
    """

    code: str
    url: str
    expires_at: str


class PracticeAssessment(TypedDict):
    """One attempt of a user in a PRACTICE module. It is `OPEN` until the assessor signs, then `ASSESSED`,
    and `SIGNED` once the learner has signed, too. Only a `SIGNED` and `SATISFACTORY` one completes the
    module.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    enrollment_id: str
    user_id: str
    course_id: str
    module_id: str
    number: int
    status: Literal["ANNULLED", "ASSESSED", "OPEN", "SIGNED"]
    result: Literal["SATISFACTORY", "UNSATISFACTORY", "None"]
    assessor_id: str
    qualification: HeldQualification | None
    items: list[RatedItem]
    assessed_on: str | None
    assessor_signed_at: str | None
    learner_signed_at: str | None
    annul_reason: str | None
    created_at: str
    updated_at: str


class HeldQualification(TypedDict):
    """The assessor's qualification as it was on the day of the assessment."""

    title: str
    issuing_body: str
    register_number: str | None
    valid_until: str | None


class RatedItem(TypedDict):
    """An item of the checklist as it was then. `rating` is null until it is rated; `photo_id` until there
    is a photo.
    """

    id: str
    title: str
    criteria: str
    rating: Literal["SATISFACTORY", "UNSATISFACTORY", "None"]
    note: str | None
    photo_id: str | None


class AssessmentCreate(TypedDict):
    """An assessment, which counts once the assessor and the learner have signed it on their pages. Without
    `assessed_on`, its day is the one on which the assessor signs.
    """

    enrollment_id: str
    module_id: str
    assessor_id: str
    assessed_on: NotRequired[str | None]
    ratings: NotRequired[list[RatingCreate]]


class RatingCreate(TypedDict):
    item_id: str
    rating: Literal["SATISFACTORY", "UNSATISFACTORY"]
    note: NotRequired[str | None]


class Annulment(TypedDict):
    reason: str


class Qualification(TypedDict):
    """What a user is qualified for. `UPCOMING`: it is not valid yet; `EXPIRING`: it expires within 30
    days. `has_document` says whether its document was uploaded.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    user_id: str
    title: str
    issuing_body: str
    register_number: str | None
    valid_from: str
    valid_until: str | None
    state: Literal["EXPIRED", "EXPIRING", "UPCOMING", "VALID"]
    has_document: bool
    created_at: str
    updated_at: str


class QualificationCreate(TypedDict):
    """A qualification of a user. Without `valid_until`, it does not expire. Both days are in the company's
    time zone.
    """

    user_id: str
    title: str
    issuing_body: str
    register_number: NotRequired[str | None]
    valid_from: str
    valid_until: NotRequired[str | None]


class QualificationUpdate(TypedDict):
    """Changes to a qualification. Omitted members stay unchanged; `null` clears the register number or the
    last day.
    """

    title: NotRequired[str]
    issuing_body: NotRequired[str]
    register_number: NotRequired[str | None]
    valid_from: NotRequired[str]
    valid_until: NotRequired[str | None]


class LaunchLinkCreate(TypedDict):
    """Without `module_id`, the link opens the module to continue with."""

    module_id: NotRequired[str | None]
    return_url: NotRequired[str | None]
    """An HTTPS address of your portal. The player and the end of the module have a link to it."""


class LaunchLink(TypedDict):
    """A link that signs the learner in and opens the module, once, until `expires_at`. It is not shown
    again.
    """

    url: str
    expires_at: str


class Requirement(TypedDict):
    """People who must hold a course or a learning path, and by when.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    title: str
    rule: dict[str, Any]
    """Who must be trained. A node is `{all: [...]}`, `{any: [...]}`, `{not: node}` or a condition `{field,
    op, value}`. `{all: []}` is everybody.
    """
    course_id: str | None
    learning_path_id: str | None
    due_days: int | None
    due_on: str | None
    renew_months: int | None
    window_days: int
    active: bool
    cancel_not_started: bool
    created_at: str
    updated_at: str


class RequirementCreate(TypedDict):
    """A requirement has either a course or a learning path, and either `due_days` or `due_on`."""

    title: str
    rule: dict[str, Any]
    """Who must be trained. A node is `{all: [...]}`, `{any: [...]}`, `{not: node}` or a condition `{field,
    op, value}`. `{all: []}` is everybody.
    """
    course_id: NotRequired[str | None]
    learning_path_id: NotRequired[str | None]
    due_days: NotRequired[int | None]
    due_on: NotRequired[str | None]
    renew_months: NotRequired[int | None]
    window_days: NotRequired[int]
    active: NotRequired[bool]
    cancel_not_started: NotRequired[bool]


class PreviewRow(TypedDict):
    """What a requirement would mean for one person. `enroll_at` is when they would be enrolled: now, when
    the renewal window opens, or null if they are enrolled already or never need to be.

    With `fields`, only the members that it names.
    """

    user_id: str
    holds: bool
    valid_until: str | None
    enroll_at: str | None
    due_at: str | None


class PreviewTotals(TypedDict):
    """Counts of the whole preview: `to_enroll` are people who would be enrolled at once."""

    people: int
    holding: int
    to_enroll: int


class RequirementUpdate(TypedDict):
    """Members that are left out do not change. To change one of a pair for the other, set both: one of
    them to null.
    """

    title: NotRequired[str]
    rule: NotRequired[dict[str, Any]]
    """Who must be trained. A node is `{all: [...]}`, `{any: [...]}`, `{not: node}` or a condition `{field,
    op, value}`. `{all: []}` is everybody.
    """
    course_id: NotRequired[str | None]
    learning_path_id: NotRequired[str | None]
    due_days: NotRequired[int | None]
    due_on: NotRequired[str | None]
    renew_months: NotRequired[int | None]
    window_days: NotRequired[int]
    active: NotRequired[bool]
    cancel_not_started: NotRequired[bool]


class RequirementPerson(TypedDict):
    """With `fields`, only the members that it names."""

    requirement_id: str
    state: Literal["DUE_SOON", "EXCUSED", "MISSING", "OVERDUE", "VALID"]
    due_at: str | None
    valid_until: str | None
    enrollment_id: str | None
    because: str
    user_id: str


class PersonRequirement(TypedDict):
    """Where a person stands with a requirement. `because` says why it applies.

    With `fields`, only the members that it names.
    """

    requirement_id: str
    state: Literal["DUE_SOON", "EXCUSED", "MISSING", "OVERDUE", "VALID"]
    due_at: str | None
    valid_until: str | None
    enrollment_id: str | None
    because: str


class CourseRatings(TypedDict):
    """How learners rate a course. Answers are published in batches of at least five people: until then
    `rating_count` is 0 and everything else is null. `applied` is from 90 days after the completion: how
    much people use at work what they learned.

    With `fields`, only the members that it names.
    """

    course_id: str
    rating_count: int
    content: RatedScale | None
    clarity: RatedScale | None
    instructor: RatedScale | None
    platform: RatedScale | None
    applicability: RatedScale | None
    nps: RatedNps | None
    applied: RatedScale | None


class RatedScale(TypedDict):
    """The answers to one question: `distribution` has how many people chose 1, 2, 3, 4 and 5."""

    answers: int
    average: float
    distribution: list[int]


class RatedNps(TypedDict):
    """The net promoter score, from -100 to 100, and how many people are behind each of its parts."""

    score: int
    promoters: int
    passives: int
    detractors: int


class CourseStats(TypedDict):
    """One course's enrollment counts. Rates and averages are 0 to 100 with two decimals, and null without
    data.

    With `fields`, only the members that it names.
    """

    course_id: str
    enrollments: int
    not_started: int
    in_progress: int
    completions: int
    expired: int
    completion_rate: float | None
    average_score: float | None
    average_progress: float | None
    certificates_issued: int


class CompletionReport(TypedDict):
    """Enrollments by status, overall and by course. `courses` are sorted by title.

    With `fields`, only the members that it names.
    """

    overall: CompletionTotals
    courses: list[CourseCompletion]


class CompletionTotals(TypedDict):
    """Enrollments by status. The rate is the share of completed enrollments among all, expired ones
    included.
    """

    enrollments: int
    completed: int
    in_progress: int
    not_started: int
    expired: int
    certificates_issued: int
    completion_rate: float | None


class CourseCompletion(TypedDict):
    """Enrollments of one course by status, with the course's current title."""

    course_id: str
    course_title: str
    enrollments: int
    completed: int
    in_progress: int
    not_started: int
    expired: int
    certificates_issued: int
    completion_rate: float | None


class ExportCreate(TypedDict):
    type: Literal["csv", "parquet", "xlsx"]
    filters: NotRequired[ExportFilters]


class ExportFilters(TypedDict):
    """The enrollments to export; all of them by default."""

    course_id: NotRequired[str | None]
    """Only enrollments in this course."""
    status: NotRequired[str | None]
    """Only these statuses, separated by commas."""


class RequestedExport(TypedDict):
    """A newly requested export."""

    id: str
    status: Literal["FAILED", "PENDING", "READY", "RUNNING"]


class Export(TypedDict):
    """An export of enrollments. `rows` is the number read so far. `url` is present once the status is
    READY and is valid for 15 minutes; get the export again for a new link. The file is removed at
    `expires_at`.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    status: Literal["FAILED", "PENDING", "READY", "RUNNING"]
    rows: int
    url: str | None
    expires_at: str | None


class EventDescription(TypedDict):
    """An event type: when it is sent, and the JSON Schema of its `data`.

    With `fields`, only the members that it names.
    """

    type: str
    description: str
    schema: dict[str, Any]


class Endpoint(TypedDict):
    """A webhook endpoint. `failure_count` is the number of consecutive failed attempts.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    url: str
    """HTTPS, port 443 or 8443, at a public address."""
    events: list[
        Literal[
            "user.created",
            "user.updated",
            "user.suspended",
            "user.reactivated",
            "user.deleted",
            "user.role_changed",
            "course.created",
            "course.updated",
            "course.archived",
            "course.rated",
            "learning_path.assigned",
            "learning_path.completed",
            "enrollment.created",
            "enrollment.started",
            "enrollment.progress",
            "enrollment.completed",
            "enrollment.expired",
            "enrollment.updated",
            "enrollment.cancelled",
            "enrollment.requested",
            "class.created",
            "class.updated",
            "class.cancelled",
            "registration.created",
            "registration.waitlisted",
            "registration.cancelled",
            "attendance.recorded",
            "practice.assessed",
            "requirement.assigned",
            "requirement.satisfied",
            "requirement.overdue",
            "requirement.released",
            "reminder.sent",
            "certificate.issued",
            "certificate.revoked",
            "certificate.expiring",
            "assessment.attempted",
            "assessment.passed",
            "assessment.failed",
            "voice_activity.completed",
            "api_key.created",
            "api_key.rotated",
            "api_key.revoked",
            "webhook.test",
            "webhook.activated",
            "webhook.failed",
            "xapi_pipe.paused",
            "user.*",
            "course.*",
            "learning_path.*",
            "enrollment.*",
            "class.*",
            "registration.*",
            "attendance.*",
            "practice.*",
            "requirement.*",
            "reminder.*",
            "certificate.*",
            "assessment.*",
            "voice_activity.*",
            "api_key.*",
            "webhook.*",
            "xapi_pipe.*",
        ]
    ]
    description: str | None
    active: bool
    failure_count: int
    created_at: str


class EndpointCreate(TypedDict):
    url: str
    """HTTPS, port 443 or 8443, at a public address."""
    events: list[
        Literal[
            "user.created",
            "user.updated",
            "user.suspended",
            "user.reactivated",
            "user.deleted",
            "user.role_changed",
            "course.created",
            "course.updated",
            "course.archived",
            "course.rated",
            "learning_path.assigned",
            "learning_path.completed",
            "enrollment.created",
            "enrollment.started",
            "enrollment.progress",
            "enrollment.completed",
            "enrollment.expired",
            "enrollment.updated",
            "enrollment.cancelled",
            "enrollment.requested",
            "class.created",
            "class.updated",
            "class.cancelled",
            "registration.created",
            "registration.waitlisted",
            "registration.cancelled",
            "attendance.recorded",
            "practice.assessed",
            "requirement.assigned",
            "requirement.satisfied",
            "requirement.overdue",
            "requirement.released",
            "reminder.sent",
            "certificate.issued",
            "certificate.revoked",
            "certificate.expiring",
            "assessment.attempted",
            "assessment.passed",
            "assessment.failed",
            "voice_activity.completed",
            "api_key.created",
            "api_key.rotated",
            "api_key.revoked",
            "webhook.test",
            "webhook.activated",
            "webhook.failed",
            "xapi_pipe.paused",
            "user.*",
            "course.*",
            "learning_path.*",
            "enrollment.*",
            "class.*",
            "registration.*",
            "attendance.*",
            "practice.*",
            "requirement.*",
            "reminder.*",
            "certificate.*",
            "assessment.*",
            "voice_activity.*",
            "api_key.*",
            "webhook.*",
            "xapi_pipe.*",
        ]
    ]
    description: NotRequired[str | None]
    active: NotRequired[bool]


class IssuedEndpoint(TypedDict):
    """A webhook endpoint with its signing secret. The secret is returned only once."""

    id: str
    url: str
    """HTTPS, port 443 or 8443, at a public address."""
    events: list[
        Literal[
            "user.created",
            "user.updated",
            "user.suspended",
            "user.reactivated",
            "user.deleted",
            "user.role_changed",
            "course.created",
            "course.updated",
            "course.archived",
            "course.rated",
            "learning_path.assigned",
            "learning_path.completed",
            "enrollment.created",
            "enrollment.started",
            "enrollment.progress",
            "enrollment.completed",
            "enrollment.expired",
            "enrollment.updated",
            "enrollment.cancelled",
            "enrollment.requested",
            "class.created",
            "class.updated",
            "class.cancelled",
            "registration.created",
            "registration.waitlisted",
            "registration.cancelled",
            "attendance.recorded",
            "practice.assessed",
            "requirement.assigned",
            "requirement.satisfied",
            "requirement.overdue",
            "requirement.released",
            "reminder.sent",
            "certificate.issued",
            "certificate.revoked",
            "certificate.expiring",
            "assessment.attempted",
            "assessment.passed",
            "assessment.failed",
            "voice_activity.completed",
            "api_key.created",
            "api_key.rotated",
            "api_key.revoked",
            "webhook.test",
            "webhook.activated",
            "webhook.failed",
            "xapi_pipe.paused",
            "user.*",
            "course.*",
            "learning_path.*",
            "enrollment.*",
            "class.*",
            "registration.*",
            "attendance.*",
            "practice.*",
            "requirement.*",
            "reminder.*",
            "certificate.*",
            "assessment.*",
            "voice_activity.*",
            "api_key.*",
            "webhook.*",
            "xapi_pipe.*",
        ]
    ]
    description: str | None
    active: bool
    failure_count: int
    created_at: str
    secret: str
    previous_secret_expires_at: NotRequired[str | None]


class EndpointUpdate(TypedDict):
    url: NotRequired[str]
    """HTTPS, port 443 or 8443, at a public address."""
    events: NotRequired[
        list[
            Literal[
                "user.created",
                "user.updated",
                "user.suspended",
                "user.reactivated",
                "user.deleted",
                "user.role_changed",
                "course.created",
                "course.updated",
                "course.archived",
                "course.rated",
                "learning_path.assigned",
                "learning_path.completed",
                "enrollment.created",
                "enrollment.started",
                "enrollment.progress",
                "enrollment.completed",
                "enrollment.expired",
                "enrollment.updated",
                "enrollment.cancelled",
                "enrollment.requested",
                "class.created",
                "class.updated",
                "class.cancelled",
                "registration.created",
                "registration.waitlisted",
                "registration.cancelled",
                "attendance.recorded",
                "practice.assessed",
                "requirement.assigned",
                "requirement.satisfied",
                "requirement.overdue",
                "requirement.released",
                "reminder.sent",
                "certificate.issued",
                "certificate.revoked",
                "certificate.expiring",
                "assessment.attempted",
                "assessment.passed",
                "assessment.failed",
                "voice_activity.completed",
                "api_key.created",
                "api_key.rotated",
                "api_key.revoked",
                "webhook.test",
                "webhook.activated",
                "webhook.failed",
                "xapi_pipe.paused",
                "user.*",
                "course.*",
                "learning_path.*",
                "enrollment.*",
                "class.*",
                "registration.*",
                "attendance.*",
                "practice.*",
                "requirement.*",
                "reminder.*",
                "certificate.*",
                "assessment.*",
                "voice_activity.*",
                "api_key.*",
                "webhook.*",
                "xapi_pipe.*",
            ]
        ]
    ]
    description: NotRequired[str | None]
    active: NotRequired[bool]


class Delivery(TypedDict):
    """The delivery of one event to one endpoint. `id` stays the same across retries.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    event_id: str
    event_type: Literal[
        "user.created",
        "user.updated",
        "user.suspended",
        "user.reactivated",
        "user.deleted",
        "user.role_changed",
        "course.created",
        "course.updated",
        "course.archived",
        "course.rated",
        "learning_path.assigned",
        "learning_path.completed",
        "enrollment.created",
        "enrollment.started",
        "enrollment.progress",
        "enrollment.completed",
        "enrollment.expired",
        "enrollment.updated",
        "enrollment.cancelled",
        "enrollment.requested",
        "class.created",
        "class.updated",
        "class.cancelled",
        "registration.created",
        "registration.waitlisted",
        "registration.cancelled",
        "attendance.recorded",
        "practice.assessed",
        "requirement.assigned",
        "requirement.satisfied",
        "requirement.overdue",
        "requirement.released",
        "reminder.sent",
        "certificate.issued",
        "certificate.revoked",
        "certificate.expiring",
        "assessment.attempted",
        "assessment.passed",
        "assessment.failed",
        "voice_activity.completed",
        "api_key.created",
        "api_key.rotated",
        "api_key.revoked",
        "webhook.test",
        "webhook.activated",
        "webhook.failed",
        "xapi_pipe.paused",
    ]
    status: DeliveryStatus
    attempts: int
    http_status: int | None
    response_body: str | None
    next_attempt_at: str | None
    delivered_at: str | None
    created_at: str
    updated_at: str
    attempt_log: list[Attempt]


DeliveryStatus = Literal["DEAD_LETTER", "DELIVERED", "PENDING"]


class Attempt(TypedDict):
    """One attempt to deliver an event. `error` is set if there was no response. `response_body` holds the
    first 16 KiB of the response.
    """

    number: int
    at: str
    http_status: int | None
    error: str | None
    duration_ms: int
    response_body: str | None


class ReplayCreate(TypedDict):
    """A request to send past events again: those created from `since` on and before `until`. Without
    `event_types`, all events that the endpoint subscribes to are sent.
    """

    since: str
    until: str
    event_types: NotRequired[
        list[
            Literal[
                "user.created",
                "user.updated",
                "user.suspended",
                "user.reactivated",
                "user.deleted",
                "user.role_changed",
                "course.created",
                "course.updated",
                "course.archived",
                "course.rated",
                "learning_path.assigned",
                "learning_path.completed",
                "enrollment.created",
                "enrollment.started",
                "enrollment.progress",
                "enrollment.completed",
                "enrollment.expired",
                "enrollment.updated",
                "enrollment.cancelled",
                "enrollment.requested",
                "class.created",
                "class.updated",
                "class.cancelled",
                "registration.created",
                "registration.waitlisted",
                "registration.cancelled",
                "attendance.recorded",
                "practice.assessed",
                "requirement.assigned",
                "requirement.satisfied",
                "requirement.overdue",
                "requirement.released",
                "reminder.sent",
                "certificate.issued",
                "certificate.revoked",
                "certificate.expiring",
                "assessment.attempted",
                "assessment.passed",
                "assessment.failed",
                "voice_activity.completed",
                "api_key.created",
                "api_key.rotated",
                "api_key.revoked",
                "webhook.test",
                "webhook.activated",
                "webhook.failed",
                "xapi_pipe.paused",
                "user.*",
                "course.*",
                "learning_path.*",
                "enrollment.*",
                "class.*",
                "registration.*",
                "attendance.*",
                "practice.*",
                "requirement.*",
                "reminder.*",
                "certificate.*",
                "assessment.*",
                "voice_activity.*",
                "api_key.*",
                "webhook.*",
                "xapi_pipe.*",
            ]
        ]
        | None
    ]


class Replay(TypedDict):
    """A replay of past events to one endpoint. `enqueued` is the number of events that are in the queue so
    far.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    endpoint_id: str
    since: str
    until: str
    event_types: (
        list[
            Literal[
                "user.created",
                "user.updated",
                "user.suspended",
                "user.reactivated",
                "user.deleted",
                "user.role_changed",
                "course.created",
                "course.updated",
                "course.archived",
                "course.rated",
                "learning_path.assigned",
                "learning_path.completed",
                "enrollment.created",
                "enrollment.started",
                "enrollment.progress",
                "enrollment.completed",
                "enrollment.expired",
                "enrollment.updated",
                "enrollment.cancelled",
                "enrollment.requested",
                "class.created",
                "class.updated",
                "class.cancelled",
                "registration.created",
                "registration.waitlisted",
                "registration.cancelled",
                "attendance.recorded",
                "practice.assessed",
                "requirement.assigned",
                "requirement.satisfied",
                "requirement.overdue",
                "requirement.released",
                "reminder.sent",
                "certificate.issued",
                "certificate.revoked",
                "certificate.expiring",
                "assessment.attempted",
                "assessment.passed",
                "assessment.failed",
                "voice_activity.completed",
                "api_key.created",
                "api_key.rotated",
                "api_key.revoked",
                "webhook.test",
                "webhook.activated",
                "webhook.failed",
                "xapi_pipe.paused",
                "user.*",
                "course.*",
                "learning_path.*",
                "enrollment.*",
                "class.*",
                "registration.*",
                "attendance.*",
                "practice.*",
                "requirement.*",
                "reminder.*",
                "certificate.*",
                "assessment.*",
                "voice_activity.*",
                "api_key.*",
                "webhook.*",
                "xapi_pipe.*",
            ]
        ]
        | None
    )
    enqueued: int
    created_at: str
    finished_at: str | None


class CreatedUser(User, CreatedMeta):
    pass


class ChangedClass(TrainingClass, OverlapMeta):
    pass


class ChangedSession(ClassSession, OverlapMeta):
    pass


class MadeRegistration(ClassRegistration, OverlapMeta):
    pass


class MadeRegistrations(BulkRegistrationResult, OverlapMeta):
    pass


class AnyEvent(TypedDict):
    """An event. `created` is in Unix seconds. `data` depends on the type.

    With `fields`, only the members that it names, and `id`.
    """

    id: str
    created: int
    version: str
    tenant_id: str


class UserCreatedEvent(AnyEvent):
    type: Literal["user.created"]
    data: UserCreated


class UserUpdatedEvent(AnyEvent):
    type: Literal["user.updated"]
    data: UserUpdated


class UserSuspendedEvent(AnyEvent):
    type: Literal["user.suspended"]
    data: UserSuspended


class UserReactivatedEvent(AnyEvent):
    type: Literal["user.reactivated"]
    data: UserReactivated


class UserDeletedEvent(AnyEvent):
    type: Literal["user.deleted"]
    data: UserDeleted


class UserRoleChangedEvent(AnyEvent):
    type: Literal["user.role_changed"]
    data: UserRoleChanged


class CourseCreatedEvent(AnyEvent):
    type: Literal["course.created"]
    data: CourseCreated


class CourseUpdatedEvent(AnyEvent):
    type: Literal["course.updated"]
    data: CourseUpdated


class CourseArchivedEvent(AnyEvent):
    type: Literal["course.archived"]
    data: CourseArchived


class CourseRatedEvent(AnyEvent):
    type: Literal["course.rated"]
    data: CourseRated


class LearningPathAssignedEvent(AnyEvent):
    type: Literal["learning_path.assigned"]
    data: LearningPathAssigned


class LearningPathCompletedEvent(AnyEvent):
    type: Literal["learning_path.completed"]
    data: LearningPathCompleted


class EnrollmentCreatedEvent(AnyEvent):
    type: Literal["enrollment.created"]
    data: EnrollmentCreated


class EnrollmentStartedEvent(AnyEvent):
    type: Literal["enrollment.started"]
    data: EnrollmentStarted


class EnrollmentProgressEvent(AnyEvent):
    type: Literal["enrollment.progress"]
    data: EnrollmentProgress


class EnrollmentCompletedEvent(AnyEvent):
    type: Literal["enrollment.completed"]
    data: EnrollmentCompleted


class EnrollmentExpiredEvent(AnyEvent):
    type: Literal["enrollment.expired"]
    data: EnrollmentExpired


class EnrollmentUpdatedEvent(AnyEvent):
    type: Literal["enrollment.updated"]
    data: EnrollmentUpdated


class EnrollmentCancelledEvent(AnyEvent):
    type: Literal["enrollment.cancelled"]
    data: EnrollmentCancelled


class EnrollmentRequestedEvent(AnyEvent):
    type: Literal["enrollment.requested"]
    data: EnrollmentRequested


class ClassCreatedEvent(AnyEvent):
    type: Literal["class.created"]
    data: ClassCreated


class ClassUpdatedEvent(AnyEvent):
    type: Literal["class.updated"]
    data: ClassUpdated


class ClassCancelledEvent(AnyEvent):
    type: Literal["class.cancelled"]
    data: ClassCancelled


class RegistrationCreatedEvent(AnyEvent):
    type: Literal["registration.created"]
    data: RegistrationCreated


class RegistrationWaitlistedEvent(AnyEvent):
    type: Literal["registration.waitlisted"]
    data: RegistrationWaitlisted


class RegistrationCancelledEvent(AnyEvent):
    type: Literal["registration.cancelled"]
    data: RegistrationCancelled


class AttendanceRecordedEvent(AnyEvent):
    type: Literal["attendance.recorded"]
    data: AttendanceRecorded


class PracticeAssessedEvent(AnyEvent):
    type: Literal["practice.assessed"]
    data: PracticeAssessed


class RequirementAssignedEvent(AnyEvent):
    type: Literal["requirement.assigned"]
    data: RequirementAssigned


class RequirementSatisfiedEvent(AnyEvent):
    type: Literal["requirement.satisfied"]
    data: RequirementSatisfied


class RequirementOverdueEvent(AnyEvent):
    type: Literal["requirement.overdue"]
    data: RequirementOverdue


class RequirementReleasedEvent(AnyEvent):
    type: Literal["requirement.released"]
    data: RequirementReleased


class ReminderSentEvent(AnyEvent):
    type: Literal["reminder.sent"]
    data: ReminderSent


class CertificateIssuedEvent(AnyEvent):
    type: Literal["certificate.issued"]
    data: CertificateIssued


class CertificateRevokedEvent(AnyEvent):
    type: Literal["certificate.revoked"]
    data: CertificateRevoked


class CertificateExpiringEvent(AnyEvent):
    type: Literal["certificate.expiring"]
    data: CertificateExpiring


class AssessmentAttemptedEvent(AnyEvent):
    type: Literal["assessment.attempted"]
    data: AssessmentAttempted


class AssessmentPassedEvent(AnyEvent):
    type: Literal["assessment.passed"]
    data: AssessmentPassed


class AssessmentFailedEvent(AnyEvent):
    type: Literal["assessment.failed"]
    data: AssessmentFailed


class VoiceActivityCompletedEvent(AnyEvent):
    type: Literal["voice_activity.completed"]
    data: VoiceActivityCompleted


class ApiKeyCreatedEvent(AnyEvent):
    type: Literal["api_key.created"]
    data: ApiKeyCreated


class ApiKeyRotatedEvent(AnyEvent):
    type: Literal["api_key.rotated"]
    data: ApiKeyRotated


class ApiKeyRevokedEvent(AnyEvent):
    type: Literal["api_key.revoked"]
    data: ApiKeyRevoked


class WebhookTestEvent(AnyEvent):
    type: Literal["webhook.test"]
    data: WebhookTest


class WebhookActivatedEvent(AnyEvent):
    type: Literal["webhook.activated"]
    data: WebhookActivated


class WebhookFailedEvent(AnyEvent):
    type: Literal["webhook.failed"]
    data: WebhookFailed


class XapiPipePausedEvent(AnyEvent):
    type: Literal["xapi_pipe.paused"]
    data: XapiPipePaused


Event = (
    UserCreatedEvent
    | UserUpdatedEvent
    | UserSuspendedEvent
    | UserReactivatedEvent
    | UserDeletedEvent
    | UserRoleChangedEvent
    | CourseCreatedEvent
    | CourseUpdatedEvent
    | CourseArchivedEvent
    | CourseRatedEvent
    | LearningPathAssignedEvent
    | LearningPathCompletedEvent
    | EnrollmentCreatedEvent
    | EnrollmentStartedEvent
    | EnrollmentProgressEvent
    | EnrollmentCompletedEvent
    | EnrollmentExpiredEvent
    | EnrollmentUpdatedEvent
    | EnrollmentCancelledEvent
    | EnrollmentRequestedEvent
    | ClassCreatedEvent
    | ClassUpdatedEvent
    | ClassCancelledEvent
    | RegistrationCreatedEvent
    | RegistrationWaitlistedEvent
    | RegistrationCancelledEvent
    | AttendanceRecordedEvent
    | PracticeAssessedEvent
    | RequirementAssignedEvent
    | RequirementSatisfiedEvent
    | RequirementOverdueEvent
    | RequirementReleasedEvent
    | ReminderSentEvent
    | CertificateIssuedEvent
    | CertificateRevokedEvent
    | CertificateExpiringEvent
    | AssessmentAttemptedEvent
    | AssessmentPassedEvent
    | AssessmentFailedEvent
    | VoiceActivityCompletedEvent
    | ApiKeyCreatedEvent
    | ApiKeyRotatedEvent
    | ApiKeyRevokedEvent
    | WebhookTestEvent
    | WebhookActivatedEvent
    | WebhookFailedEvent
    | XapiPipePausedEvent
)
