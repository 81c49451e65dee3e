"""Types of members that check and normalise themselves.

A type here has `parse`, which takes a JSON value and returns the one stored form or raises `Refused`;
`codes`, the error codes that it may raise; and `schema`, its JSON Schema for the OpenAPI description.
"""

import re
from datetime import UTC, datetime
from typing import Any, ClassVar, Self
from uuid import UUID

import idna
import msgspec

from trilha.core.clock import in_zone


class Refused(ValueError):
    """The value is not of the type. The message is a code of `core.errors.FIELD_CODES`."""


class Text(str):
    """A string with rules of its own."""

    __slots__ = ()
    schema: ClassVar[dict[str, Any]] = {"type": "string"}
    codes: ClassVar[tuple[str, ...]] = ("invalid_value",)

    @classmethod
    def normalise(cls, text: str) -> str:
        raise NotImplementedError

    @classmethod
    def parse(cls, value: object) -> Self:
        if not isinstance(value, str):
            raise Refused("invalid_type")
        return cls(cls.normalise(value))

    @classmethod
    def allowed(cls) -> list[str]:
        """The values there are, where they are few."""
        return list(cls.schema.get("enum", ()))


class Choice(Text):
    """One of the words of `schema`, in upper or lower case, spelled as it is there."""

    __slots__ = ()

    @classmethod
    def normalise(cls, text: str) -> str:
        return cls.spelled(text)

    @classmethod
    def spelled(cls, text: str) -> str:
        for word in cls.allowed():
            if word.lower() == text.lower():
                return word
        raise Refused("invalid_value")


class Choices(Choice):
    """Several words of `words`, separated by commas, in upper or lower case; each once, in their order."""

    __slots__ = ()
    words: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def allowed(cls) -> list[str]:
        return list(cls.words)

    @classmethod
    def normalise(cls, text: str) -> str:
        given = {cls.spelled(part.strip(" ")) for part in text.split(",")}
        return ",".join(word for word in cls.words if word in given)

    def items(self) -> list[str]:
        return self.split(",")


def choices(*words: str) -> dict[str, Any]:
    """The schema of Choices of these words."""
    one = "|".join(dict.fromkeys((*words, *map(str.lower, words))))
    return {"type": "string", "pattern": f"^({one})(,({one}))*$", "examples": list(words[:1])}


class Timestamp(Text):
    """A moment in UTC, as it is in JSON: `2026-11-21T09:30:00.000Z`. These compare as text."""

    __slots__ = ()
    schema = {"type": "string", "format": "date-time", "examples": ["2026-11-21T09:30:00.000Z"]}
    codes = ("invalid_date_time",)

    @classmethod
    def normalise(cls, text: str) -> str:
        try:
            moment = msgspec.convert(text, datetime)
            return cls.of(moment.astimezone(UTC)) if moment.tzinfo else cls._refuse()
        except (msgspec.ValidationError, OverflowError):
            return cls._refuse()

    @classmethod
    def of(cls, moment: datetime) -> Self:
        utc = in_zone(moment, UTC)
        return cls(utc.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z")

    @staticmethod
    def _refuse() -> str:
        raise Refused("invalid_date_time")

    def moment(self) -> datetime:
        return datetime.fromisoformat(self)


_LONGEST_ADDRESS, _MOST_DOTS = 1000, 60


class Email(Text):
    """An e-mail address: trimmed, lower-cased, its domain in IDNA form, at most 254 characters."""

    __slots__ = ()
    schema = {"type": "string", "format": "email", "maxLength": 254, "examples": ["ana.lima@example.com"]}
    codes = ("invalid_email",)

    @classmethod
    def normalise(cls, text: str) -> str:
        # IDNA takes long for what has many labels, and may end longer than it began.
        if len(text) > _LONGEST_ADDRESS or text.count(".") > _MOST_DOTS:
            raise Refused("invalid_email")
        local, at, domain = text.strip().lower().rpartition("@")
        if not at or not _is_local_part(local):
            raise Refused("invalid_email")
        try:
            domain = idna.encode(domain, uts46=True).decode()
        except (idna.IDNAError, UnicodeError) as error:
            raise Refused("invalid_email") from error
        if "." not in domain or len(local) + 1 + len(domain) > 254:
            raise Refused("invalid_email")
        return f"{local}@{domain}"


def _is_local_part(local: str) -> bool:
    # RFC 5322 §3.2.3 dot-atom, and RFC 6531's letters beyond ASCII. Quoted forms are refused.
    atoms = local.split(".")
    return 0 < len(local.encode(errors="replace")) <= 64 and all(
        atom and all(c.isalnum() or c in "!#$%&'*+-/=?^_`{|}~" for c in atom) for atom in atoms
    )


# Spelled out for JSON Schema patterns: regular expression engines disagree on what `\\s` is.
_BLANK = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Control characters, and those that change the direction in which the text around them is read: with one in a
# name, a certificate, a mail or a page shows another name than the one that is stored (UTR #36 section 2.10).
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb"
_UNREADABLE = re.compile(f"[{_CONTROL}]")
_VISIBLE = f"[^{_CONTROL}{_BLANK}]"
# PostgreSQL stores every character but this one.
STORABLE = {"pattern": r"^[^\x00]*$"}


def is_readable(text: str) -> bool:
    """Whether a text on one line is shown as it is stored: see `Line`."""
    return _UNREADABLE.search(text) is None


class Line(Text):
    """One line of text that people read, without control characters and characters that change its direction.

    Subclasses set how many characters it may have, and may name an `example` for the descriptions.
    """

    __slots__ = ()
    shortest: ClassVar[int] = 0
    longest: ClassVar[int] = 200

    def __init_subclass__(cls, example: str | None = None) -> None:
        super().__init_subclass__()
        if "schema" in cls.__dict__:  # one with a form of its own
            return
        cls.schema = {
            "type": "string",
            **({"minLength": cls.shortest} if cls.shortest else {}),
            "maxLength": cls.longest,
            "pattern": f"^[^{_CONTROL}]*$",
            **({"examples": [example]} if example else {}),
        }
        cls.codes = (*(("too_short",) if cls.shortest else ()), "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        if len(text) < cls.shortest:
            raise Refused("too_short")
        if len(text) > cls.longest:
            raise Refused("too_long")
        if not is_readable(text):
            raise Refused("invalid_text")
        return text

    @classmethod
    def fit(cls, text: str) -> Self:
        """Cleans and shortens a text that nobody can be asked to correct, such as the name of a file."""
        line = " ".join(_UNREADABLE.sub(" ", text).split())[: cls.longest].strip()
        return cls.parse(line or "…")


class Title(Line, example="Direção defensiva"):
    """What a course, a module or a learning path is called: 1 to 200 characters."""

    __slots__ = ()
    shortest = 1


class Name(Line):
    """A person's or thing's name: trimmed, 1 to 120 characters, none that `Line` refuses."""

    __slots__ = ()
    schema = {
        "type": "string",
        "minLength": 1,
        "pattern": f"^[{_BLANK}]*{_VISIBLE}([^{_CONTROL}]{{0,118}}{_VISIBLE})?[{_BLANK}]*$",
        "examples": ["Ana Lima"],
    }
    codes = ("too_short", "too_long", "invalid_text")
    shortest = 1
    longest = 120

    @classmethod
    def normalise(cls, text: str) -> str:
        return super().normalise(text.strip())


class SearchWords(Text):
    """What somebody looks for: trimmed, 1 to 200 characters."""

    __slots__ = ()
    schema = {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "pattern": f"^[^\\x00]*[^\\x00{_BLANK}][^\\x00]*$",
        "examples": ["ana"],
    }
    codes = ("too_short", "too_long")

    @classmethod
    def normalise(cls, text: str) -> str:
        words = text.strip()
        if not words:
            raise Refused("too_short")
        if len(text) > 200:
            raise Refused("too_long")
        return words


class CommaList(Text):
    """Names separated by commas, in a query parameter."""

    __slots__ = ()
    schema = {
        "type": "string",
        "minLength": 1,
        "maxLength": 1000,
        "pattern": r"^[^\x00]*[^\x00, ][^\x00]*$",
        "examples": ["integração,segurança"],
    }
    codes = ("too_short", "too_long", "invalid_text")

    @classmethod
    def normalise(cls, text: str) -> str:
        parts = [part.strip(" ") for part in text.split(",")]
        if not any(parts):
            raise Refused("too_short")
        if len(text) > 1000:
            raise Refused("too_long")
        return ",".join(part for part in parts if part)

    def items(self) -> list[str]:
        return self.split(",")


class FieldNames(CommaList):
    """Names of the members to answer with. Which ones exist depends on the route."""

    __slots__ = ()
    codes = ("too_short", "too_long", "invalid_value")

    @classmethod
    def normalise(cls, text: str) -> str:
        if any(not part.strip(" ") for part in text.split(",")):
            raise Refused("invalid_value" if text.strip(" ") else "too_short")
        return super().normalise(text)


def dec_hook(kind: type, value: Any) -> Any:
    """How msgspec decodes the types of this module."""
    if issubclass(kind, Text):
        return kind.parse(value)
    if kind is UUID:
        return value
    raise NotImplementedError(kind)


def enc_hook(value: Any) -> Any:
    """How msgspec encodes the types of this module."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError(type(value))


def schema_hook(kind: type) -> dict[str, Any]:
    """How msgspec describes the types of this module."""
    if issubclass(kind, Text):
        return kind.schema
    raise NotImplementedError(kind)


_encoder = msgspec.json.Encoder(enc_hook=enc_hook)


def to_json(value: object) -> bytes:
    return _encoder.encode(value)
