"""Types of members that validate and normalize themselves.

A type here has `parse`, which takes a JSON value and returns the stored form or raises `InvalidValue`;
`codes`, the error codes that it may raise; and `schema`, its JSON Schema for the OpenAPI description.
"""

import re
from datetime import UTC, datetime
from typing import Any, ClassVar, Self
from uuid import UUID

import idna
import msgspec

from trilha.core.clock import in_zone


class InvalidValue(ValueError):
    """The value is invalid. The message is a code of `core.errors.FIELD_CODES`."""


class Text(str):
    """A string with its own rules."""

    __slots__ = ()
    schema: ClassVar[dict[str, Any]] = {"type": "string"}
    codes: ClassVar[tuple[str, ...]] = ("invalid_value",)

    @classmethod
    def normalise(cls, text: str) -> str:
        raise NotImplementedError

    @classmethod
    def parse(cls, value: object) -> Self:
        if not isinstance(value, str):
            raise InvalidValue("invalid_type")
        return cls(cls.normalise(value))

    @classmethod
    def list_values(cls) -> list[str]:
        """Lists the allowed values, if they are few."""
        return list(cls.schema.get("enum", ()))


class Choice(Text):
    """One of the words of `schema`. Case is ignored."""

    __slots__ = ()

    @classmethod
    def normalise(cls, text: str) -> str:
        return cls.normalize_spelling(text)

    @classmethod
    def normalize_spelling(cls, text: str) -> str:
        for word in cls.list_values():
            if word.lower() == text.lower():
                return word
        raise InvalidValue("invalid_value")


class Choices(Choice):
    """Several of `words`, separated by commas. Case is ignored; the result has each once, in their order."""

    __slots__ = ()
    words: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def list_values(cls) -> list[str]:
        return list(cls.words)

    @classmethod
    def normalise(cls, text: str) -> str:
        given = {cls.normalize_spelling(part.strip(" ")) for part in text.split(",")}
        return ",".join(word for word in cls.words if word in given)

    def items(self) -> list[str]:
        return self.split(",")


def choices(*words: str) -> dict[str, Any]:
    """Builds the schema of Choices of these words."""
    one = "|".join(dict.fromkeys((*words, *map(str.lower, words))))
    return {"type": "string", "pattern": f"^({one})(,({one}))*$", "examples": list(words[:1])}


class Timestamp(Text):
    """A UTC time as in JSON: `2026-11-21T09:30:00.000Z`. Timestamps can be compared as text."""

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
        raise InvalidValue("invalid_date_time")

    def moment(self) -> datetime:
        return datetime.fromisoformat(self)


_LONGEST_ADDRESS, _MAX_DOTS = 1000, 60


class Email(Text):
    """An e-mail address: trimmed, in lower case, with its domain in IDNA form, at most 254 characters."""

    __slots__ = ()
    schema = {"type": "string", "format": "email", "maxLength": 254, "examples": ["ana.lima@example.com"]}
    codes = ("invalid_email",)

    @classmethod
    def normalise(cls, text: str) -> str:
        # IDNA is slow for many labels, and may return a longer domain.
        if len(text) > _LONGEST_ADDRESS or text.count(".") > _MAX_DOTS:
            raise InvalidValue("invalid_email")
        local, at, domain = text.strip().lower().rpartition("@")
        if not at or not _is_local_part(local):
            raise InvalidValue("invalid_email")
        try:
            domain = idna.encode(domain, uts46=True).decode()
        except (idna.IDNAError, UnicodeError) as error:
            raise InvalidValue("invalid_email") from error
        if "." not in domain or len(local) + 1 + len(domain) > 254:
            raise InvalidValue("invalid_email")
        return f"{local}@{domain}"


def _is_local_part(local: str) -> bool:
    # RFC 5322 §3.2.3 dot-atom, and RFC 6531's letters beyond ASCII. Quoted forms are refused.
    atoms = local.split(".")
    return 0 < len(local.encode(errors="replace")) <= 64 and all(
        atom and all(c.isalnum() or c in "!#$%&'*+-/=?^_`{|}~" for c in atom) for atom in atoms
    )


# Spelled out for JSON Schema patterns, because regular expression engines disagree on whitespace.
_BLANK = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# Control characters, and those that change the direction of text. With one in a name, a certificate, mail or
# page would display another name than the stored one (UTR #36 section 2.10).
_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb"
_UNREADABLE = re.compile(f"[{_CONTROL}]")
_VISIBLE = f"[^{_CONTROL}{_BLANK}]"
# PostgreSQL stores every character except this one.
STORABLE = {"pattern": r"^[^\x00]*$"}


def is_readable(text: str) -> bool:
    """Returns whether a line of text is displayed as it is stored: see `Line`."""
    return _UNREADABLE.search(text) is None


class Line(Text):
    """One line of text for people, without control characters and characters that change its direction.

    Subclasses set the maximum length, and may set an `example` for the descriptions.
    """

    __slots__ = ()
    shortest: ClassVar[int] = 0
    longest: ClassVar[int] = 200

    def __init_subclass__(cls, example: str | None = None) -> None:
        super().__init_subclass__()
        if "schema" in cls.__dict__:  # a subclass with its own schema
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
            raise InvalidValue("too_short")
        if len(text) > cls.longest:
            raise InvalidValue("too_long")
        if not is_readable(text):
            raise InvalidValue("invalid_text")
        return text

    @classmethod
    def fit(cls, text: str) -> Self:
        """Cleans and shortens a text that nobody can correct, such as a file name."""
        line = " ".join(_UNREADABLE.sub(" ", text).split())[: cls.longest].strip()
        return cls.parse(line or "…")


class Title(Line, example="Direção defensiva"):
    """The title of a course, module or learning path: 1 to 200 characters."""

    __slots__ = ()
    shortest = 1


class Name(Line):
    """The name of a person or thing: trimmed, 1 to 120 characters, without those that `Line` refuses."""

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
    """Search words: trimmed, 1 to 200 characters."""

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
            raise InvalidValue("too_short")
        if len(text) > 200:
            raise InvalidValue("too_long")
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
            raise InvalidValue("too_short")
        if len(text) > 1000:
            raise InvalidValue("too_long")
        return ",".join(part for part in parts if part)

    def items(self) -> list[str]:
        return self.split(",")


class FieldNames(CommaList):
    """The fields to return, separated by commas. The available fields depend on the route."""

    __slots__ = ()
    codes = ("too_short", "too_long", "invalid_value")

    @classmethod
    def normalise(cls, text: str) -> str:
        if any(not part.strip(" ") for part in text.split(",")):
            raise InvalidValue("invalid_value" if text.strip(" ") else "too_short")
        return super().normalise(text)


def dec_hook(kind: type, value: Any) -> Any:
    """Decodes the types of this module for msgspec."""
    if issubclass(kind, Text):
        return kind.parse(value)
    if kind is UUID:
        return value
    raise NotImplementedError(kind)


def enc_hook(value: Any) -> Any:
    """Encodes the types of this module for msgspec."""
    if isinstance(value, str):
        return str(value)
    raise NotImplementedError(type(value))


def schema_hook(kind: type) -> dict[str, Any]:
    """Describes the types of this module for msgspec."""
    if issubclass(kind, Text):
        return kind.schema
    raise NotImplementedError(kind)


_encoder = msgspec.json.Encoder(enc_hook=enc_hook)


def to_json(value: object) -> bytes:
    return _encoder.encode(value)
