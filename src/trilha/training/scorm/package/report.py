"""What is told of a package. The sentences to a finding's code are in `scorm.words`."""

from typing import Literal

from msgspec import Struct

Severity = Literal["error", "warning", "info"]
Value = str | int | float


class Finding(Struct, frozen=True, kw_only=True):
    """`where` is a path in the package, or empty; `values` are what the sentences of its code name."""

    severity: Severity
    code: str
    where: str = ""
    values: dict[str, Value] = {}


class PackageRefused(Exception):
    """The package is not let in. `findings` say why, one at least."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__(", ".join(finding.code for finding in findings))
        self.findings = findings


def build_refusal(code: str, where: str = "", **values: Value) -> PackageRefused:
    return PackageRefused(Finding(severity="error", code=code, where=clean_text(where), values=values))


def clean_text(text: str, limit: int = 200) -> str:
    """As it can be stored and shown: no control characters, no halves of characters, not too long."""
    whole = text.encode(errors="replace").decode()
    clean = "".join(each if each.isprintable() else "\ufffd" for each in whole)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
