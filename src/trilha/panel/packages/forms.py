"""What the forms of packages send, and where they lead."""

from collections.abc import Mapping
from uuid import UUID

from msgspec import Struct

from trilha.core.web.uploads import UploadedFile
from trilha.courses.schema import Minutes
from trilha.pages import N_, State, say
from trilha.panel.addresses import address
from trilha.panel.courses.forms import Line
from trilha.scorm.rules import State as ImportState

PATH = "/admin/packages"
STATES: Mapping[ImportState, tuple[State | None, str]] = {
    "WAITING": ("info", N_("Waiting")),
    "RUNNING": ("info", N_("Being read")),
    "READY": ("ok", N_("Accepted")),
    "REFUSED": ("bad", N_("Refused")),
    "FAILED": ("bad", N_("Failed")),
}
say(
    package_too_large=N_("Choose a file of at most 2 GB."),
    package_not_ready=N_("This package was not accepted."),
    package_not_found=N_("Choose one of the packages."),
)


class Purpose(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a package is sent for: nothing yet, a course, or to be the new version of another there."""

    course: UUID | None = None
    replaces: UUID | None = None

    def at(self, path: str) -> str:
        return address(path, {"course": self.course, "replaces": self.replaces})


class Upload(Struct, frozen=True):
    file: UploadedFile | None = None


class AddForm(Struct, frozen=True, kw_only=True):
    """Without a `course_id`, a new course of this `title`. The modules last `minutes` together."""

    course_id: UUID | None = None
    title: Line | None = None
    minutes: Minutes = 0
    required: bool = False
