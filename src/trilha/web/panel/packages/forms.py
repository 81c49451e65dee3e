"""The forms of packages, and where they lead."""

from collections.abc import Mapping
from uuid import UUID

from msgspec import Struct

from trilha.core.web.uploads import UploadedFile
from trilha.kit import N_, State, say
from trilha.training.courses.schema import Minutes
from trilha.training.scorm.rules import State as ImportState
from trilha.web.panel.addresses import address
from trilha.web.panel.courses.forms import Line

PATH = "/admin/packages"
STATES: Mapping[ImportState, tuple[State | None, str]] = {
    "WAITING": ("info", N_("Waiting")),
    "RUNNING": ("info", N_("Being read")),
    "READY": ("ok", N_("Accepted")),
    "REFUSED": ("bad", N_("Refused")),
    "FAILED": ("bad", N_("Failed")),
}
say(
    package_too_large=N_("Choose a file of up to 2 GB."),
    package_not_ready=N_("This package was not accepted."),
    package_not_found=N_("Choose one of the packages."),
)


class Purpose(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a package is uploaded for: nothing yet, a course, or replacing another package there."""

    course: UUID | None = None
    replaces: UUID | None = None

    def at(self, path: str) -> str:
        return address(path, {"course": self.course, "replaces": self.replaces})


class Upload(Struct, frozen=True):
    file: UploadedFile | None = None


class AddForm(Struct, frozen=True, kw_only=True):
    """Without `course_id`, a new course with this `title`. `minutes` is the duration of all modules
    together.
    """

    course_id: UUID | None = None
    title: Line | None = None
    minutes: Minutes = 0
    required: bool = False
