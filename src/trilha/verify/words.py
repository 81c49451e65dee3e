"""What is said of a certificate to the public. All msgids."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from trilha.pages import N_, State

Kind = Literal["valid", "expired", "revoked", "replaced", "unknown", "unknown_file"]


class Verdict(Struct, frozen=True):
    """`%(day)s` is the day of what the sentence tells."""

    state: State
    icon: str
    title: str
    sentence: str


VERDICTS: Mapping[Kind, Verdict] = {
    "valid": Verdict(
        "ok", "badge-check", N_("This certificate is valid"), N_("It was issued as it is shown here.")
    ),
    "expired": Verdict(
        "warn",
        "calendar-x",
        N_("This certificate has expired"),
        N_("It was good until %(day)s. The training has to be taken again."),
    ),
    "revoked": Verdict(
        "bad",
        "ban",
        N_("This certificate was revoked"),
        N_("It has not counted since %(day)s. Ask whoever issued it for more."),
    ),
    "replaced": Verdict(
        "warn",
        "replace",
        N_("This certificate was replaced"),
        N_("Another one was issued in its place on %(day)s. Ask the holder for the newer one."),
    ),
    "unknown": Verdict(
        "bad",
        "search-x",
        N_("We do not know this code"),
        N_("No certificate has it. Compare it with the paper, character by character."),
    ),
    "unknown_file": Verdict(
        "bad",
        "file-x",
        N_("We do not know this file"),
        N_("It was not issued here, or it was changed. Enter the code on it to see what was issued."),
    ),
}
