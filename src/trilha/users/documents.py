"""Brazilian documents: the one stored form of each, and the masked form that is read.

Sources: Receita Federal (CPF check digits), Anatel (area codes), Contran Resolution 598/2016 and
Senatran's registry (CNH check digits and categories).
"""

import re
from datetime import date, timedelta

from validate_docbr import CNH, CPF

from trilha.core.database import Tx
from trilha.core.types import Refused, Text

CNH_CATEGORIES = ("A", "B", "C", "D", "E", "AB", "AC", "AD", "AE", "ACC")
# An older birth date is taken for a typing error.
LONGEST_LIFE = timedelta(days=130 * 366)
# The 67 area codes, then a mobile number (9 and eight digits) or eight digits.
_PHONE = re.compile(
    r"(1[1-9]|2[12478]|3[1-578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])(9\d{8}|[2-9]\d{7})"
)


# Characters of any of these documents as people write them.
_LONGEST = 20


def _digits(text: str, allowed: str) -> str:
    """The ASCII digits of a text that holds nothing but digits and these characters; else empty."""
    if len(text) > _LONGEST or any(not (c.isascii() and c.isdigit()) and c not in allowed for c in text):
        return ""
    return "".join(c for c in text if c.isdigit())


class Cpf(Text):
    """Eleven digits with their check digits, with or without punctuation."""

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
            raise Refused("invalid_cpf")
        return digits

    @property
    def masked(self) -> str:
        return f"***.***.***-{self[-2:]}"


def cpf_fingerprint(tx: Tx, cpf: Cpf) -> bytes:
    """By which a CPF is found and told apart in a tenant; useless without the master key."""
    return tx.keyring.mac(b"cpf", tx.tenant_id.bytes, cpf.encode())


class Phone(Text):
    """A Brazilian number: area code and 8 or 9 digits, +55 or not. Stored without the country code."""

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
            raise Refused("invalid_phone")
        return digits

    @property
    def masked(self) -> str:
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
            raise Refused("invalid_birth_date") from None
        if born.isoformat() != text:
            raise Refused("invalid_birth_date")
        return text

    @property
    def masked(self) -> str:
        return "****-**-**"

    def is_possible(self, today: date) -> bool:
        born = date.fromisoformat(self)
        return today - LONGEST_LIFE < born <= today

    def is_adult(self, today: date) -> bool:
        """At least 18 years old. A person born on 29 February turns 18 on 1 March."""
        born = date.fromisoformat(self)
        years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
        return years >= 18


class CnhNumber(Text):
    """The driving licence's registry number: eleven digits with their check digits."""

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
            raise Refused("invalid_cnh_number")
        return digits

    @property
    def masked(self) -> str:
        return "*" * 9 + self[-2:]


class CnhCategory(Text):
    __slots__ = ()
    schema = {"type": "string", "enum": list(CNH_CATEGORIES), "examples": ["AB"]}
    codes = ("invalid_cnh_category",)

    @classmethod
    def normalise(cls, text: str) -> str:
        if text not in CNH_CATEGORIES:
            raise Refused("invalid_cnh_category")
        return text


class ExpiryDate(Text):
    """A document's last day of validity, YYYY-MM-DD."""

    __slots__ = ()
    schema = {"type": "string", "format": "expiry-date", "examples": ["2031-03-09"]}
    codes = ("invalid_date", "cnh_expired")

    @classmethod
    def normalise(cls, text: str) -> str:
        try:
            last = date.fromisoformat(text)
        except ValueError:
            raise Refused("invalid_date") from None
        if last.isoformat() != text:
            raise Refused("invalid_date")
        return text
