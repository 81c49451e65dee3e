"""What a learner reads about offline work that could not be applied."""

from collections.abc import Mapping

from trilha.kit import N_
from trilha.kit.formats import moment_text
from trilha.training.learning.held_work.actions import HeldReportResult
from trilha.web.learn.view import LearnView

_REASONS: Mapping[str, str] = {
    "SUPERSEDED": N_("the module was opened elsewhere afterward, and the work done there counts"),
    "EXPIRED": N_("the course had expired"),
    "CLOSED": N_("the quiz was already submitted"),
    "INVALID": N_("the data could not be read"),
    "PARTLY": N_("part of the study time exceeds the time since you opened the module"),
}
_MIN_SECONDS = 5.0


def describe_unapplied(view: LearnView, module: str, result: HeldReportResult) -> str:
    """Returns one line with the module, the time and the reason; empty if nothing was lost."""
    outcome = "PARTLY" if result.uncounted > _MIN_SECONDS else result.outcome
    if outcome not in _REASONS:
        return ""
    reason = view.say(_REASONS[outcome])
    if result.done_at is None:
        return view.say(N_("%(module)s: %(reason)s."), module=module, reason=reason)
    at = moment_text(view.page, result.done_at)
    return view.say(N_("%(module)s, %(at)s: %(reason)s."), module=module, at=at, reason=reason)
