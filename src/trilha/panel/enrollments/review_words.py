"""Signs of unusual learning in plain words."""

from typing import Any

from trilha.learning.reviews.schema import FlagKind, ReviewFlag
from trilha.pages import N_
from trilha.panel.view import PanelView

TITLES: dict[FlagKind, str] = {
    "NO_ANSWERS": N_("A score without any answer"),
    "TOO_FAST": N_("Completed far faster than by others"),
    "SAME_STATE": N_("The same saved state as somebody else's"),
    "CLAIMED_TIME": N_("More time claimed than has passed"),
}
_TEXTS: dict[FlagKind, str] = {
    "NO_ANSWERS": N_(
        "The module reported a score of %(score)s and not one answer."
        " Of other people it reports their answers."
    ),
    "TOO_FAST": N_(
        "It took %(seconds)s. Half of the %(others)s people who are compared needed more than"
        " %(median_seconds)s."
    ),
    "SAME_STATE": N_(
        "What the module saved is the same to the letter as for other people (%(people)s). Such a state is"
        " usually one person's own."
    ),
    "CLAIMED_TIME": N_(
        "The module reported a session of %(said_seconds)s, in a launch that lasted %(launch_seconds)s."
    ),
}


def told(view: PanelView, flag: ReviewFlag) -> str:
    """What was found, with its figures."""
    shown = {name: _shown(view, name, value) for name, value in flag.detail.items()}
    return view.say(_TEXTS[flag.kind], **shown)


def _shown(view: PanelView, name: str, value: Any) -> str:
    if not name.endswith("seconds"):
        return f"{value:g}"
    minutes, seconds = divmod(int(value), 60)
    if not minutes:
        return view.say(N_("%(seconds)s s"), seconds=seconds)
    if not seconds:
        return view.say(N_("%(minutes)s min"), minutes=minutes)
    return view.say(N_("%(minutes)s min %(seconds)s s"), minutes=minutes, seconds=seconds)
