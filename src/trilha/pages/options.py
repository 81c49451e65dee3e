"""The options of a select."""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

# Is in no text: the database refuses it.
_APART = "\0"


def options(choices: Sequence[tuple[Any, Any]], chosen: object = "") -> Markup:
    """`<option>`s of pairs of a value and the words for it.

    A company has hundreds of units, groups and courses to choose from on one page: all are escaped at once,
    which takes a third of the time that a loop of the template does.
    """
    values = _escaped([str(value) for value, _ in choices])
    words = _escaped([str(shown) for _, shown in choices])
    selected = str(escape(chosen))
    drawn = [
        f'<option value="{value}"{" selected" if value == selected else ""}>{shown}</option>'
        for value, shown in zip(values, words, strict=True)
    ]
    return Markup("\n".join(drawn))  # noqa: S704 - escaped above


def _escaped(texts: Sequence[str]) -> list[str]:
    return str(escape(_APART.join(texts))).split(_APART) if texts else []
