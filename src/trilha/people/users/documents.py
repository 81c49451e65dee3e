"""Brazilian documents: validation, one stored form of each, and a masked form for display.

Sources: Receita Federal (CPF check digits), Anatel (area codes), Contran Resolution 598/2016 and Senatran's
registry (CNH check digits and categories).
"""

import re
from datetime import date, timedelta

from validate_docbr import CNH, CPF

from trilha.core.database import Tx
from trilha.core.types import InvalidValue, Text

CNH_CATEGORIES = ("A", "B", "C", "D", "E", "AB", "AC", "AD", "AE", "ACC")
# An earlier birth date is treated as a typing error.
LONGEST_LIFE = timedelta(days=130 * 366)
# One of the 67 area codes, then a mobile number (9 and eight digits) or a landline (eight digits).
_PHONE = re.compile(
    r"(1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])(9\d{8}|[2-9]\d{7})"
)


# The longest accepted input of any document.
_LONGEST = 20


def _digits(text: str, allowed: str) -> str:
    """Returns the ASCII digits, or an empty string if the text contains anything but digits and `allowed`."""
    if len(text) > _LONGEST or any(not (c.isascii() and c.isdigit()) and c not in allowed for c in text):
        return ""
    return "".join(c for c in text if c.isdigit())


class Cpf(Text):
    """A CPF with valid check digits; punctuation is optional."""

    __slots__ = ()
    schema = {
        "type": "string",
        "format": "cpf",
        "minLength": 11,
        "maxLength": 14,
        "examples": ["529.982.247-25"],
    }
    codes = ("invalid_cpf",)

    @classmethod
    def normalise(cls, text: str) -> str:
        digits = _digits(text, ".- ")
        if len(text) > 14 or len(digits) != 11 or not CPF().validate(digits):
            raise InvalidValue("invalid_cpf")
        return digits

    @property
    def masked_text(self) -> str:
        return f"***.***.***-{self[-2:]}"


def cpf_fingerprint(tx: Tx, cpf: Cpf) -> bytes:
    """Returns a keyed hash for finding a CPF within a tenant. Useless without the master key."""
    return tx.keyring.mac(b"cpf", tx.tenant_id.bytes, cpf.encode())


class Phone(Text):
    """A Brazilian number: area code and 8 or 9 digits, optionally with +55. Stored without the country
    code.
    """

    __slots__ = ()
    schema = {
        "type": "string",
        "format": "br-phone",
        "minLength": 10,
        "maxLength": 20,
        "examples": ["+55 11 98765-4321"],
    }
    codes = ("invalid_phone",)

    @classmethod
    def normalise(cls, text: str) -> str:
        digits = _digits(text, "+()-. ")
        if len(digits) in (12, 13) and digits.startswith("55"):
            digits = digits[2:]
        if len(text) > 20 or not _PHONE.fullmatch(digits):
            raise InvalidValue("invalid_phone")
        return digits

    @property
    def masked_text(self) -> str:
        return f"(**) {'*' * (len(self) - 6)}-**{self[-2:]}"


class BirthDate(Text):
    """A date of birth, YYYY-MM-DD."""

    __slots__ = ()
    schema = {"type": "string", "format": "birth-date", "examples": ["1990-05-17"]}
    codes = ("invalid_birth_date", "underage")

    @classmethod
    def normalise(cls, text: str) -> str:
        try:
            born = date.fromisoformat(text)
        except ValueError:
            raise InvalidValue("invalid_birth_date") from None
        if born.isoformat() != text:
            raise InvalidValue("invalid_birth_date")
        return text

    @property
    def masked_text(self) -> str:
        return "****-**-**"

    def is_possible(self, today: date) -> bool:
        born = date.fromisoformat(self)
        return today - LONGEST_LIFE < born <= today

    def is_adult(self, today: date) -> bool:
        """Returns whether the person is 18 or older. Someone born on February 29 turns 18 on March 1."""
        born = date.fromisoformat(self)
        years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
        return years >= 18


class CnhNumber(Text):
    """The registry number of a driver's license: eleven digits with valid check digits."""

    __slots__ = ()
    schema = {
        "type": "string",
        "format": "cnh",
        "minLength": 11,
        "maxLength": 11,
        "examples": ["98765432109"],
    }
    codes = ("invalid_cnh_number",)

    @classmethod
    def normalise(cls, text: str) -> str:
        digits = _digits(text, "")
        if len(digits) != 11 or len(set(digits)) == 1 or not CNH().validate(digits):
            raise InvalidValue("invalid_cnh_number")
        return digits

    @property
    def masked_text(self) -> str:
        return "*" * 9 + self[-2:]


class CnhCategory(Text):
    __slots__ = ()
    schema = {"type": "string", "enum": list(CNH_CATEGORIES), "examples": ["AB"]}
    codes = ("invalid_cnh_category",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if text not in CNH_CATEGORIES:
            raise InvalidValue("invalid_cnh_category")
        return text


class ExpiryDate(Text):
    """The last day on which a document is valid, YYYY-MM-DD."""

    __slots__ = ()
    schema = {"type": "string", "format": "expiry-date", "examples": ["2031-03-09"]}
    codes = ("invalid_date", "cnh_expired")

    @classmethod
    def normalise(cls, text: str) -> str:
        try:
            last = date.fromisoformat(text)
        except ValueError:
            raise InvalidValue("invalid_date") from None
        if last.isoformat() != text:
            raise InvalidValue("invalid_date")
        return text
