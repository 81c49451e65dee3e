"""Which domains can be claimed, what their record says, and what follows when it is gone."""

import secrets
from datetime import timedelta
from enum import StrEnum
from functools import cache
from importlib.resources import files

import idna
from publicsuffixlist import PublicSuffixList

from trilha.core.types import Refused

# A name of its own, so that the record stands beside whatever else the domain says of itself (RFC 8552).
RECORD_LABEL = "_trilha-challenge"
_VALUE = "trilha-domain-verification="
MOST = 100
# A verified domain's record is looked for again each day, and sooner where name servers gave no answer.
CHECK_AFTER = timedelta(days=1)
CHECK_AFTER_NO_ANSWER = timedelta(hours=1)
# Who tidies up records is told in time: after so long that it is gone, and that the verification has ended.
ALERT_AFTER = timedelta(days=3)
ENDS_AFTER = timedelta(days=30)


class Finding(StrEnum):
    """What came of a look-up. `NO_ANSWER` says nothing about the record."""

    FOUND = "found"
    NO_RECORD = "no_record"
    OTHER_RECORD = "other_record"
    NO_ANSWER = "no_answer"
    TAKEN = "taken"


def new_token() -> str:
    """160 random bits, in letters that every form of a provider takes."""
    return secrets.token_hex(20)


def record_name(domain: str) -> str:
    return f"{RECORD_LABEL}.{domain}"


def record_value(token: str) -> str:
    return f"{_VALUE}{token}"


def finding(token: str, records: list[str] | None) -> Finding:
    """Of the texts at the record's name; None where no name server said what is there."""
    if records is None:
        return Finding.NO_ANSWER
    if record_value(token) in (each.strip() for each in records):
        return Finding.FOUND
    return Finding.OTHER_RECORD if records else Finding.NO_RECORD


def normalise(text: str) -> str:
    """In the one form that addresses are stored with: IDNA, small letters. Raises Refused."""
    text = text.strip().removesuffix(".").lower()
    try:
        domain = idna.encode(text, uts46=True).decode()
    except (idna.IDNAError, UnicodeError) as error:
        raise Refused("invalid_domain") from error
    if "." not in domain or domain.rpartition(".")[2].isdigit() or len(domain) > 253 - len(RECORD_LABEL) - 1:
        raise Refused("invalid_domain")
    return domain


def looked_up(text: str) -> str:
    """In its stored form; empty for what is no domain, which nobody has."""
    try:
        return normalise(text)
    except Refused:
        return ""


def check_claimable(domain: str) -> None:
    """Raises Refused for what belongs to everybody."""
    if domain in _consumer_domains():
        raise Refused("consumer_domain")
    if _suffixes().publicsuffix(domain) == domain:
        raise Refused("public_suffix")


@cache
def _consumer_domains() -> frozenset[str]:
    lines = files(__package__).joinpath("consumer.txt").read_text("utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
