"""Certificate templates, and what a certificate keeps of one."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.certificates.rendering.paper import Design, Orientation
from trilha.certificates.templates import rules
from trilha.core.errors import Problem, problem
from trilha.core.types import Name, Refused, Text, Timestamp
from trilha.tenants.schema import Colour

LogoFrom = Literal["company", "own", "none"]


class PictureName(Text):
    """As a picture is kept: made of its content."""

    __slots__ = ()
    schema = {"type": "string", "pattern": r"^[0-9a-f]{32}\.png$"}

    @classmethod
    def normalise(cls, text: str) -> str:
        if not rules.PICTURE.fullmatch(text):
            raise Refused("invalid_value")
        return text


class Line(Text):
    """One line of text with placeholders, at most 120 characters. Empty is the usual one."""

    __slots__ = ()
    most = 120
    codes = ("too_long", "invalid_text", "unknown_placeholder")

    @classmethod
    def normalise(cls, text: str) -> str:
        plain = " ".join(text.split())
        if len(plain) > cls.most:
            raise Refused("too_long")
        if any(not each.isprintable() for each in plain):
            raise Refused("invalid_text")
        if rules.unknown_placeholders(plain):
            raise Refused("unknown_placeholder")
        return plain


class Passage(Line):
    """As a line, at most 600 characters."""

    __slots__ = ()
    most = 600


class Texts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a certificate says around the facts. `body` stands between the name and the course's title,
    `closing` after it, `footer` in small print. What is empty is said in the words of the language."""

    title: Line = Line("")
    intro: Line = Line("")
    body: Passage = Passage("")
    closing: Passage = Passage("")
    footer: Passage = Passage("")


class Signer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose name stands below the line. `picture` is an image of the signature."""

    name: Name
    role: Line = Line("")
    picture: PictureName | None = None


class Look(Struct, frozen=True, kw_only=True):
    """What a certificate keeps of its template; of none, the defaults. No colour is the company's, no accent
    the design's own."""

    design: Design = "classic"
    orientation: Orientation = "landscape"
    colour: str | None = None
    accent: str | None = None
    texts: Texts = Texts()
    signatories: tuple[Signer, ...] = ()
    logo_from: LogoFrom = "company"
    logo: str | None = None
    syllabus: bool = True


def _too_light(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
    """Text is set in the colour, and white text on it; lines and ornaments in the accent."""
    for name, least in (("colour", rules.CONTRAST), ("accent", rules.ORNAMENT_CONTRAST)):
        colour = values.get(name)
        if isinstance(colour, str) and rules.contrast_on_white(colour) < least:
            yield problem(name, "too_little_contrast")


class NewTemplate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`locale` None is the company's. `logo` is the picture where `logo_from` is own."""

    name: Name
    design: Design = "classic"
    orientation: Orientation = "landscape"
    locale: Literal["pt-BR", "en"] | None = None
    colour: Colour | None = None
    accent: Colour | None = None
    texts: Texts = Texts()
    signatories: Annotated[list[Signer], Meta(max_length=rules.MOST_SIGNATORIES)] = []
    logo_from: LogoFrom = "company"
    logo: PictureName | None = None
    syllabus: bool = True

    problems = staticmethod(_too_light)


class TemplatePatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is left out stays."""

    name: Name | UnsetType = UNSET
    design: Design | UnsetType = UNSET
    orientation: Orientation | UnsetType = UNSET
    locale: Literal["pt-BR", "en"] | None | UnsetType = UNSET
    colour: Colour | None | UnsetType = UNSET
    accent: Colour | None | UnsetType = UNSET
    texts: Texts | UnsetType = UNSET
    signatories: Annotated[list[Signer], Meta(max_length=rules.MOST_SIGNATORIES)] | UnsetType = UNSET
    logo_from: LogoFrom | UnsetType = UNSET
    logo: PictureName | None | UnsetType = UNSET
    syllabus: bool | UnsetType = UNSET

    problems = staticmethod(_too_light)


class Template(Struct, frozen=True, kw_only=True):
    """As it is kept. `courses` is how many courses name it."""

    id: UUID
    name: str
    design: Design
    orientation: Orientation
    locale: Literal["pt-BR", "en"] | None
    colour: str | None
    accent: str | None
    texts: Texts
    signatories: list[Signer]
    logo_from: LogoFrom
    logo: str | None
    syllabus: bool
    is_default: bool
    courses: int
    archived_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class Picture(Struct, frozen=True):
    """An image that is safe to show. `name` is made of the content, which it never changes."""

    name: str
    content: bytes
