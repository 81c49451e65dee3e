"""A page of a guide, in the shell of the pages that lead to it."""

from trilha.core.web.answers import Html
from trilha.guides import texts
from trilha.sessions.view import View


def show(view: View, shell: str, guide: str, topic: str, address: str) -> Html:
    """`address` is where the guide's index is shown. Raises NotFound."""
    index = texts.get(view.locale, guide, texts.INDEX, address)
    article = texts.get(view.locale, guide, topic, address)
    return view.show(
        "guides/guide.html",
        shell=shell,
        article=article,
        index=None if topic == texts.INDEX else (index.title, address),
    )
