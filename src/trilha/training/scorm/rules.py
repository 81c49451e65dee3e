"""The decisions of an import. No I/O, no clock."""

from typing import Literal

from trilha.core.errors import invalid
from trilha.training.scorm.package.extraction import Extraction
from trilha.training.scorm.package.report import clean_text

# READY can be used; REFUSED is the package's fault; FAILED is ours.
State = Literal["WAITING", "RUNNING", "READY", "REFUSED", "FAILED"]
# Unpacking is this part of the work in percent; storing the files is the rest.
_UNPACKING = 80
LONGEST_TITLE = 250
# The limit of an upload. Unpacked files have limits of their own: `package.limits`.
MAX_BYTES = 2048 * 1024 * 1024


def check_size(size: int) -> None:
    """Raises Invalid (package_too_large)."""
    if size > MAX_BYTES:
        raise invalid("file", "package_too_large")


def title_of(extraction: Extraction, file_name: str) -> str:
    said = extraction.manifest.title if extraction.manifest else ""
    return said or title_of_file(file_name)


def title_of_file(file_name: str) -> str:
    """Turns `nr-35_v2.zip` into `nr-35_v2`."""
    name = clean_text(file_name.replace("\\", "/").rpartition("/")[2], LONGEST_TITLE)
    return name[:-4] if name.lower().endswith((".zip", ".xml")) and len(name) > 4 else name or "SCORM"


def state_of(extraction: Extraction) -> State:
    return "READY" if extraction.report.verdict == "accepted" else "REFUSED"


def compute_unpacking_progress(percent: int) -> int:
    """Returns the total progress while unpacking."""
    return min(percent, 100) * _UNPACKING // 100


def compute_storing_progress(count: int, of: int) -> int:
    """Returns the total progress while storing; 100 is reported when everything is done."""
    return min(99, _UNPACKING + count * (100 - _UNPACKING) // max(of, 1))
