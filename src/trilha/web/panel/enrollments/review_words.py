"""Labels and descriptions of review flags."""

from typing import Any

from trilha.kit import N_
from trilha.training.learning.review_flags.schema import FlagKind, ReviewFlag
from trilha.web.panel.view import PanelView

TITLES: dict[FlagKind, str] = {
    "NO_ANSWERS": N_("Score without any answers"),
    "TOO_FAST": N_("Completed much faster than by others"),
    "SAME_STATE": N_("Saved state identical to another person's"),
    "CLAIMED_TIME": N_("More time reported than has passed"),
}
_TEXTS: dict[FlagKind, str] = {
    "NO_ANSWERS": N_(
        "The module reported a score of %(score)s without any answers."
        " For other people, it reports their answers."
    ),
    "TOO_FAST": N_(
        "It took %(seconds)s. Half of the %(others)s people in the comparison took more than"
        " %(median_seconds)s."
    ),
    "SAME_STATE": N_(
        "The module's saved state is identical to that of other people (%(people)s). Saved states usually"
        " differ from person to person."
    ),
    "CLAIMED_TIME": N_(
        "The module reported a session of %(said_seconds)s in a launch that lasted %(launch_seconds)s."
    ),
}


def describe_flag(view: PanelView, flag: ReviewFlag) -> str:
    """What the flag says, with its figures."""
    figures = {name: _format_figure(view, name, value) for name, value in flag.detail.items()}
    return view.say(_TEXTS[flag.kind], **figures)


def _format_figure(view: PanelView, name: str, value: Any) -> str:
    if not name.endswith("seconds"):
        return f"{value:g}"
    minutes, seconds = divmod(int(value), 60)
    if not minutes:
        return view.say(N_("%(seconds)s s"), seconds=seconds)
    if not seconds:
        return view.say(N_("%(minutes)s min"), minutes=minutes)
    return view.say(N_("%(minutes)s min %(seconds)s s"), minutes=minutes, seconds=seconds)
