"""Certificate templates, and the part of one that a certificate keeps."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.errors import Problem, problem
from trilha.core.types import InvalidValue, Name, Text, Timestamp
from trilha.platform.tenants.schema import Colour
from trilha.training.certificates.pdf.paper import Design, Orientation
from trilha.training.certificates.templates import rules

LogoFrom = Literal["company", "own", "none"]


class PictureName(Text):
    """The name of a stored picture, derived from its content."""

    __slots__ = ()
    schema = {"type": "string", "pattern": r"^[0-9a-f]{32}\.png$"}

    @classmethod
    def normalise(cls, text: str) -> str:
        if not rules.PICTURE.fullmatch(text):
            raise InvalidValue("invalid_value")
        return text


class Line(Text):
    """One line of text with placeholders, up to 120 characters. Empty means the default text.

    Placeholders may be written in Portuguese or English, with one or two pairs of braces. They are stored as
    `{{score}}`. Texts that were stored before may have other words in single braces, which are printed.
    """

    __slots__ = ()
    limit = 120
    codes = ("too_long", "invalid_text", "unknown_placeholder")

    @classmethod
    def normalise(cls, text: str) -> str:
        plain = " ".join(text.split())
        if len(plain) > cls.limit:
            raise InvalidValue("too_long")
        if any(not each.isprintable() for each in plain):
            raise InvalidValue("invalid_text")
        plain = rules.normalize_placeholders(plain)
        if len(plain) > cls.limit:
            raise InvalidValue("too_long")
        if rules.unknown_placeholders(plain):
            raise InvalidValue("unknown_placeholder")
        return plain


class Passage(Line):
    """A text with placeholders, up to 600 characters. Empty means the default text."""

    __slots__ = ()
    limit = 600


class Texts(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The texts of a certificate. `body` stands between the name and the course's title, `closing` after the
    title, `footer` in small print. An empty text uses the language's default.
    """

    title: Line = Line("")
    intro: Line = Line("")
    body: Passage = Passage("")
    closing: Passage = Passage("")
    footer: Passage = Passage("")


class Signer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signatory, whose name is printed below the line. `picture` is an image of the signature."""

    name: Name
    role: Line = Line("")
    picture: PictureName | None = None


class Look(Struct, frozen=True, kw_only=True):
    """The template settings that a certificate keeps. Without a color the company's is used, and without an
    accent the design's.
    """

    design: Design = "classic"
    orientation: Orientation = "landscape"
    colour: str | None = None
    accent: str | None = None
    texts: Texts = Texts()
    signatories: tuple[Signer, ...] = ()
    logo_from: LogoFrom = "company"
    logo: str | None = None
    syllabus: bool = True


def _list_problems(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
    yield from _too_light(values, today)
    texts: Texts | None = values.get("texts")
    for name in Texts.__struct_fields__ if texts else ():
        if rules.list_unknown(getattr(texts, name)):
            yield problem(f"texts.{name}", "unknown_placeholder")
    for place, signer in enumerate(values.get("signatories") or ()):
        if rules.list_unknown(signer.role):
            yield problem(f"signatories.{place}.role", "unknown_placeholder")


def _too_light(values: Mapping[str, Any], today: date) -> Iterator[Problem]:
    """Checks the contrast: text is set in the color, and white text on it; lines and ornaments use the
    accent.
    """
    for name, least in (("colour", rules.CONTRAST), ("accent", rules.ORNAMENT_CONTRAST)):
        colour = values.get(name)
        if isinstance(colour, str) and rules.contrast_on_white(colour) < least:
            yield problem(name, "too_little_contrast")


class NewTemplate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`locale` None means the company's. `logo` is the picture if `logo_from` is own."""

    name: Name
    design: Design = "classic"
    orientation: Orientation = "landscape"
    locale: Literal["pt-BR", "en"] | None = None
    colour: Colour | None = None
    accent: Colour | None = None
    texts: Texts = Texts()
    signatories: Annotated[list[Signer], Meta(max_length=rules.MAX_SIGNATORIES)] = []
    logo_from: LogoFrom = "company"
    logo: PictureName | None = None
    syllabus: bool = True

    problems = staticmethod(_list_problems)


class TemplatePatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a template. Omitted members stay unchanged."""

    name: Name | UnsetType = UNSET
    design: Design | UnsetType = UNSET
    orientation: Orientation | UnsetType = UNSET
    locale: Literal["pt-BR", "en"] | None | UnsetType = UNSET
    colour: Colour | None | UnsetType = UNSET
    accent: Colour | None | UnsetType = UNSET
    texts: Texts | UnsetType = UNSET
    signatories: Annotated[list[Signer], Meta(max_length=rules.MAX_SIGNATORIES)] | UnsetType = UNSET
    logo_from: LogoFrom | UnsetType = UNSET
    logo: PictureName | None | UnsetType = UNSET
    syllabus: bool | UnsetType = UNSET

    problems = staticmethod(_list_problems)


class Template(Struct, frozen=True, kw_only=True):
    """A stored template. `courses` is the number of courses that use it."""

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
    """An image that is safe to show. `name` is derived from its content."""

    name: str
    content: bytes
