"""Renders a page of a guide in the shell of the pages that link to it."""

from trilha.access.sessions.view import View
from trilha.core.web.answers import Html
from trilha.web.guides import texts


def show(view: View, shell: str, guide: str, topic: str, address: str) -> Html:
    """Shows a topic of a guide. `address` is the path of the guide's index. Raises NotFound."""
    index = texts.get(view.locale, guide, texts.INDEX, address)
    article = texts.get(view.locale, guide, topic, address)
    return view.show(
        "guides/guide.html",
        shell=shell,
        article=article,
        index=None if topic == texts.INDEX else (index.title, address),
    )
