"""The verdicts on a certificate as the public reads them. All texts are msgids."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from trilha.kit import N_, State

Kind = Literal["valid", "expired", "revoked", "replaced", "unknown", "unknown_file"]


class Verdict(Struct, frozen=True):
    """`%(day)s` in a sentence is the day on which the certificate expired, was revoked or was replaced."""

    state: State
    icon: str
    title: str
    sentence: str


VERDICTS: Mapping[Kind, Verdict] = {
    "valid": Verdict(
        "ok", "badge-check", N_("This certificate is valid"), N_("It was issued with the details below.")
    ),
    "expired": Verdict(
        "warn",
        "calendar-x",
        N_("This certificate has expired"),
        N_("It was valid until %(day)s. The holder needs to take the training again."),
    ),
    "revoked": Verdict(
        "bad",
        "ban",
        N_("This certificate was revoked"),
        N_("It has not been valid since %(day)s. For details, contact the company that issued it."),
    ),
    "replaced": Verdict(
        "warn",
        "replace",
        N_("This certificate was replaced"),
        N_("A new certificate replaced it on %(day)s. Ask the holder for the new one."),
    ),
    "unknown": Verdict(
        "bad",
        "search-x",
        N_("We did not find this code"),
        N_("No certificate has this code. Check each character against the certificate."),
    ),
    "unknown_file": Verdict(
        "bad",
        "file-x",
        N_("We did not recognize this file"),
        N_(
            "It was not issued on this platform, or it was modified afterward. Enter its verification code "
            "to see the original details."
        ),
    ),
}
