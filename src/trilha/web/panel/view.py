"""The View of the panel."""

from collections.abc import Sequence

from trilha.access.sessions.view import View

HOME = "/admin"


class PanelView(View):
    """A page of the panel."""

    def breadcrumbs(self, trail: Sequence[tuple[str, str]] = ()) -> list[tuple[str, str]]:
        """Returns the labels and addresses from the menu to this page."""
        places = [(self.say(item.label), item.href) for item in self.page.menu if item.current]
        return [*places, *trail]
