"""What a learner reads of work that was done without a connection and could not be applied."""

from collections.abc import Mapping

from trilha.learn.view import LearnView
from trilha.learning.held_work.actions import HeldReportResult
from trilha.pages import N_
from trilha.pages.formats import moment_text

_REASONS: Mapping[str, str] = {
    "SUPERSEDED": N_("the module was opened somewhere else afterwards, and what was done there counts"),
    "EXPIRED": N_("the time to complete the course was over"),
    "CLOSED": N_("the quiz had been handed in already"),
    "INVALID": N_("it could not be read"),
    "PARTLY": N_("part of the time does not fit into the time since you opened the module"),
}
_LEAST_SECONDS = 5.0


def say_unapplied(view: LearnView, module: str, taken: HeldReportResult) -> str:
    """One line: which module, when, why. Empty where all of it was applied, or nothing was meant to count."""
    outcome = "PARTLY" if taken.uncounted > _LEAST_SECONDS else taken.outcome
    if outcome not in _REASONS:
        return ""
    reason = view.say(_REASONS[outcome])
    if taken.done_at is None:
        return view.say(N_("%(module)s: %(reason)s."), module=module, reason=reason)
    at = moment_text(view.page, taken.done_at)
    return view.say(N_("%(module)s, %(at)s: %(reason)s."), module=module, at=at, reason=reason)
