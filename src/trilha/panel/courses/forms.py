"""What the forms of courses send, and what can be chosen in them."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.errors import Problem, problem
from trilha.core.types import Refused, Text
from trilha.courses.rules import usual_documents
from trilha.courses.schema import AuthoredCourse, CourseSlug, Difficulty, Document, Hours, Months, Regulation
from trilha.pages import N_, say

Kind = Literal["traffic", "occupational_safety", "finance", "other"]
KINDS: Mapping[Kind, str] = {
    "traffic": N_("Traffic"),
    "occupational_safety": N_("Occupational safety"),
    "finance": N_("Finance"),
    "other": N_("Another one"),
}
DOCUMENTS: Mapping[Document, str] = {
    "cpf": N_("CPF"),
    "phone": N_("Phone"),
    "birth_date": N_("Date of birth"),
    "cnh": N_("Driving licence (CNH)"),
}
MOST_TAGS = 20
_LONGEST_TAG = 60
say(
    course_slug_exists=N_("Another course has this address. Choose another one."),
    out_of_range=N_("Enter a number that is possible here."),
    not_an_image=N_("Choose an image in PNG, JPEG or WebP."),
    image_too_large=N_("Choose an image of at most 10 MB."),
)


class Line(Text):
    """Trimmed, one line."""

    __slots__ = ()
    most = 200
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        line = " ".join(text.split())
        if not line:
            raise Refused("too_short")
        if len(line) > cls.most:
            raise Refused("too_long")
        if not line.isprintable():
            raise Refused("invalid_text")
        return line


class ShortLine(Line):
    __slots__ = ()
    most = 120


class MoveForm(Struct, frozen=True):
    """To this position, counted from 1; or one place from there, by a button."""

    position: int
    move: Literal["up", "down"] | None = None

    @property
    def place(self) -> int:
        return self.position + {"up": -1, "down": 1, None: 0}[self.move]


class CourseForm(Struct, frozen=True, kw_only=True):
    """A whole course. What is left empty is cleared; without a `kind` it is not regulated by law."""

    title: Line
    slug: CourseSlug | None = None
    description: Annotated[str, Meta(max_length=10_000)] | None = None
    category: ShortLine | None = None
    tags: str = ""
    difficulty: Difficulty | None = None
    duration_hours: Hours = 0
    certificate_validity_months: Months | None = None
    certificate_template: UUID | None = None
    kind: Kind | None = None
    minimum_workload_minutes: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    minimum_score: Annotated[float, Meta(ge=0, le=100)] = 0
    sequential: bool = False
    required_profile_fields: list[Document] = []

    @staticmethod
    def problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
        tags = split_tags(values.get("tags", ""))
        if len(tags) > MOST_TAGS or any(len(each) > _LONGEST_TAG for each in tags):
            yield problem("tags", "too_long")

    def members(self) -> dict[str, Any]:
        """But for the slug, as they are in NewCourse and CoursePatch."""
        regulation = None
        if self.kind is not None:
            names = ("kind", "minimum_workload_minutes", "minimum_score", "sequential")
            demanded = {name: getattr(self, name) for name in names}
            regulation = Regulation(**demanded, required_profile_fields=self.required_profile_fields)
        return {
            "title": str(self.title),
            "description": (self.description or "").strip() or None,
            "category": None if self.category is None else str(self.category),
            "tags": split_tags(self.tags),
            "difficulty": self.difficulty,
            "duration_hours": self.duration_hours,
            "certificate_validity_months": self.certificate_validity_months,
            "regulation": regulation,
        }


def split_tags(text: str) -> list[str]:
    """In the order in which they are written, each once."""
    return list(dict.fromkeys(tag for each in text.split(",") if (tag := " ".join(each.split()))))


def begins_of(course: AuthoredCourse) -> dict[str, object]:
    """The form of a course that is there."""
    names = ("title", "slug", "description", "category", "difficulty", "certificate_validity_months")
    begins: dict[str, object] = {name: getattr(course, name) for name in names}
    begins |= {"tags": ", ".join(course.tags), "duration_hours": plain(course.duration_hours)}
    if course.regulation:
        asked: dict[str, Any] = dict(course.regulation)
        asked["minimum_score"] = plain(asked.get("minimum_score", 0))
        return begins | asked
    return begins | NEW


# What traffic asks for besides is chosen with it: see `kind-documents` in the scripts.
NEW: dict[str, object] = {"required_profile_fields": usual_documents(None)}


def plain(number: float) -> str:
    """As a number field takes it."""
    return f"{number:g}"
