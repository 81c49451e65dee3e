"""The View of the panel."""

from collections.abc import Sequence

from trilha.access.sessions.view import View
from trilha.core.web.answers import Answer
from trilha.kit import State, formats, redirect
from trilha.kit.translations import translations

HOME = "/admin"


class PanelView(View):
    """A page of the panel."""

    def number(self, value: int) -> str:
        return formats.number(self.page, value)

    def say_many(self, message: tuple[str, str], count: int) -> str:
        """Translates a message with its plural (see NN_), about `%(num)s` things."""
        text = translations(self.locale).ngettext(*message, count)
        return text % {"num": self.number(count)}

    def lead_with_undo(self, location: str, text: str, state: State, undo: str, details: str = "") -> Answer:
        """Redirects to another page. It and further pages show the text for a minute, with a button to undo
        what was done.
        """
        now = self.page.now
        return redirect(self.request, location, state, text, undo=undo, details=details, now=now)

    def breadcrumbs(self, trail: Sequence[tuple[str, str]] = ()) -> list[tuple[str, str]]:
        """Returns the labels and addresses from the menu to this page."""
        places = [(self.say(item.label), item.href) for item in self.page.menu if item.current]
        return [*places, *trail]
