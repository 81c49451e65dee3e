"""How the filters of a span of days are told."""

from trilha.core.moments import Day
from trilha.pages import N_
from trilha.pages.formats import day
from trilha.panel.view import PanelView


def words_of(view: PanelView, since: Day | None, until: Day | None) -> dict[str, str]:
    """What the filters of a span of days are called."""
    return {
        "since": view.say(N_("From %(day)s"), day=day(view.page, since).striptags()) if since else "",
        "until": view.say(N_("Until %(day)s"), day=day(view.page, until).striptags()) if until else "",
    }
