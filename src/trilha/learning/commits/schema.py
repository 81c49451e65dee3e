"""A commit, as the SCORM runtime sends it."""

from trilha.learning.reports.schema import Report


class Commit(Report, frozen=True, kw_only=True):
    """What the runtime sends. `cmi` is as it was sent. `sequencing` is the runtime's state of the package's
    activities, as it gave it, where there are rules."""

    cmi: object
    sequencing: str = ""
