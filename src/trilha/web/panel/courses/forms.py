"""The forms of courses, and the options of their fields."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.errors import Problem, problem
from trilha.core.types import InvalidValue, Text
from trilha.kit import N_, say
from trilha.training.courses.rules import usual_documents
from trilha.training.courses.schema import (
    AuthoredCourse,
    CourseLanguage,
    CourseSlug,
    Difficulty,
    Document,
    Hours,
    Months,
    Regulation,
    SelfEnrollment,
)

Kind = Literal["traffic", "occupational_safety", "finance", "other"]
KINDS: Mapping[Kind, str] = {
    "traffic": N_("Traffic"),
    "occupational_safety": N_("Occupational safety"),
    "finance": N_("Finance"),
    "other": N_("Other"),
}
DOCUMENTS: Mapping[Document, str] = {
    "cpf": N_("CPF"),
    "phone": N_("Phone"),
    "birth_date": N_("Date of birth"),
    "cnh": N_("Driver's license (CNH)"),
}
SELF_ENROLLMENT: Mapping[SelfEnrollment, str] = {
    "CLOSED": N_("Closed: only your company enrolls people"),
    "APPROVAL": N_("With approval: people ask, and their manager or an administrator decides"),
    "OPEN": N_("Open: people enroll themselves"),
}
_MAX_TAGS = 20
_MAX_TAG_LENGTH = 60
say(
    course_slug_exists=N_("Another course already uses this address. Enter a different one."),
    out_of_range=N_("Enter a number within the allowed range."),
    not_an_image=N_("Choose an image in PNG, JPEG or WebP."),
    image_too_large=N_("Choose an image of up to 10 MB."),
)


class Line(Text):
    """One line of text, without spaces at its ends or several in a row."""

    __slots__ = ()
    limit = 200
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        line = " ".join(text.split())
        if not line:
            raise InvalidValue("too_short")
        if len(line) > cls.limit:
            raise InvalidValue("too_long")
        if not line.isprintable():
            raise InvalidValue("invalid_text")
        return line


class ShortLine(Line):
    __slots__ = ()
    limit = 120


class MoveForm(Struct, frozen=True):
    """The new position, counted from 1. With `move`, one place up or down from `position`."""

    position: int
    move: Literal["up", "down"] | None = None

    @property
    def place(self) -> int:
        return self.position + {"up": -1, "down": 1, None: 0}[self.move]


class CourseForm(Struct, frozen=True, kw_only=True):
    """A whole course. Empty fields are cleared; without a `kind` the course has no regulation."""

    title: Line
    slug: CourseSlug | None = None
    language: CourseLanguage | None = None
    description: Annotated[str, Meta(max_length=10_000)] | None = None
    category: ShortLine | None = None
    tags: str = ""
    difficulty: Difficulty | None = None
    duration_hours: Hours = 0
    certificate_validity_months: Months | None = None
    certificate_template: UUID | None = None
    self_enrollment: SelfEnrollment = "CLOSED"
    kind: Kind | None = None
    minimum_workload_minutes: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    minimum_score: Annotated[float, Meta(ge=0, le=100)] = 0
    sequential: bool = False
    required_profile_fields: list[Document] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        tags = split_tags(values.get("tags", ""))
        if len(tags) > _MAX_TAGS or any(len(tag) > _MAX_TAG_LENGTH for tag in tags):
            yield problem("tags", "too_long")

    def members(self) -> dict[str, Any]:
        """The members that NewCourse and CoursePatch share, without the slug."""
        regulation = None
        if self.kind is not None:
            names = ("kind", "minimum_workload_minutes", "minimum_score", "sequential")
            criteria = {name: getattr(self, name) for name in names}
            regulation = Regulation(**criteria, required_profile_fields=self.required_profile_fields)
        return {
            "title": str(self.title),
            "language": self.language,
            "description": (self.description or "").strip() or None,
            "category": None if self.category is None else str(self.category),
            "tags": split_tags(self.tags),
            "difficulty": self.difficulty,
            "duration_hours": self.duration_hours,
            "certificate_validity_months": self.certificate_validity_months,
            "regulation": regulation,
            "self_enrollment": self.self_enrollment,
        }


def split_tags(text: str) -> list[str]:
    """The tags in a comma-separated text, in their order and without duplicates."""
    return list(dict.fromkeys(tag for part in text.split(",") if (tag := " ".join(part.split()))))


def build_values(course: AuthoredCourse) -> dict[str, object]:
    """The form's values for an existing course."""
    names = (
        "title",
        "slug",
        "language",
        "description",
        "category",
        "difficulty",
        "certificate_validity_months",
    )
    values: dict[str, object] = {name: getattr(course, name) for name in (*names, "self_enrollment")}
    values |= {"tags": ", ".join(course.tags), "duration_hours": format_number(course.duration_hours)}
    if course.regulation:
        regulation: dict[str, Any] = dict(course.regulation)
        regulation["minimum_score"] = format_number(regulation.get("minimum_score", 0))
        return values | regulation
    return values | NEW


# What the script `kind-documents` selects when the kind changes: unlike in a course file, nothing for other
# areas. Without scripts, the boxes begin with the CPF.
USUAL_DOCUMENTS = " ".join(
    f"{kind}:{','.join(usual_documents(kind) if kind != 'other' else [])}" for kind in KINDS
)
NEW: dict[str, object] = {"required_profile_fields": usual_documents(None), "self_enrollment": "CLOSED"}


def format_number(number: float) -> str:
    """Formats a number for the value of a number field."""
    return f"{number:g}"
