"""What is decided of an import. No I/O, no clock."""

from typing import Literal

from trilha.core.errors import invalid
from trilha.scorm.package.extraction import Extraction
from trilha.scorm.package.report import shown

# It is READY to be used, was REFUSED for what it is, or FAILED for what happened here.
State = Literal["WAITING", "RUNNING", "READY", "REFUSED", "FAILED"]
# Of the whole work, unpacking; the rest is putting files where they stay.
_UNPACKING = 80
LONGEST_TITLE = 250
# What may be sent. What it unpacks to has limits of its own: `package.limits`.
MOST_BYTES = 2048 * 1024 * 1024


def check_size(size: int) -> None:
    """Raises Invalid (package_too_large)."""
    if size > MOST_BYTES:
        raise invalid("file", "package_too_large")


def title_of(extraction: Extraction, file_name: str) -> str:
    said = extraction.manifest.title if extraction.manifest else ""
    return said or title_of_file(file_name)


def title_of_file(file_name: str) -> str:
    """`nr-35_v2.zip` as `nr-35_v2`."""
    name = shown(file_name.replace("\\", "/").rpartition("/")[2], LONGEST_TITLE)
    return name[:-4] if name.lower().endswith(".zip") and len(name) > 4 else name or "SCORM"


def state_of(extraction: Extraction) -> State:
    return "READY" if extraction.report.verdict == "accepted" else "REFUSED"


def unpacked(percent: int) -> int:
    """Progress of the whole, when so much is unpacked."""
    return min(percent, 100) * _UNPACKING // 100


def stored(count: int, of: int) -> int:
    """Progress of the whole, when so many files are where they stay. 100 is told when all is done."""
    return min(99, _UNPACKING + count * (100 - _UNPACKING) // max(of, 1))
