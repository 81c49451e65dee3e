"""Which domains can be claimed, what their record contains, and what follows when it is gone."""

import secrets
from datetime import timedelta
from enum import StrEnum
from functools import cache
from importlib.resources import files

import idna
from publicsuffixlist import PublicSuffixList

from trilha.core.types import InvalidValue

# A name of its own, so that the record does not interfere with others of the domain (RFC 8552).
RECORD_LABEL = "_trilha-challenge"
_VALUE = "trilha-domain-verification="
MAX_DOMAINS = 100
# A verified domain's record is checked every day, and sooner after a lookup without an answer.
CHECK_AFTER = timedelta(days=1)
CHECK_AFTER_NO_ANSWER = timedelta(hours=1)
# How long a record may be gone before administrators are warned, and before the verification ends.
ALERT_AFTER = timedelta(days=3)
ENDS_AFTER = timedelta(days=30)


class Finding(StrEnum):
    """The result of a lookup. `NO_ANSWER` says nothing about the record."""

    FOUND = "found"
    NO_RECORD = "no_record"
    OTHER_RECORD = "other_record"
    NO_ANSWER = "no_answer"
    TAKEN = "taken"


def new_token() -> str:
    """Returns 160 random bits as letters and digits that every DNS form accepts."""
    return secrets.token_hex(20)


def record_name(domain: str) -> str:
    return f"{RECORD_LABEL}.{domain}"


def record_value(token: str) -> str:
    return f"{_VALUE}{token}"


def finding(token: str, records: list[str] | None) -> Finding:
    """Compares the texts at the record's name with the token. None means that no name server answered."""
    if records is None:
        return Finding.NO_ANSWER
    if record_value(token) in (each.strip() for each in records):
        return Finding.FOUND
    return Finding.OTHER_RECORD if records else Finding.NO_RECORD


def normalise(text: str) -> str:
    """Returns the stored form of a domain: IDNA, lower case. Raises InvalidValue."""
    text = text.strip().removesuffix(".").lower()
    try:
        domain = idna.encode(text, uts46=True).decode()
    except (idna.IDNAError, UnicodeError) as error:
        raise InvalidValue("invalid_domain") from error
    if "." not in domain or domain.rpartition(".")[2].isdigit() or len(domain) > 253 - len(RECORD_LABEL) - 1:
        raise InvalidValue("invalid_domain")
    return domain


def normalize_or_empty(text: str) -> str:
    """Returns the stored form, or an empty string for an invalid domain."""
    try:
        return normalise(text)
    except InvalidValue:
        return ""


def check_claimable(domain: str) -> None:
    """Raises InvalidValue for domains that no single company owns."""
    if domain in _consumer_domains():
        raise InvalidValue("consumer_domain")
    if _suffixes().publicsuffix(domain) == domain:
        raise InvalidValue("public_suffix")


@cache
def _consumer_domains() -> frozenset[str]:
    lines = files(__package__).joinpath("consumer.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
