"""Usual purposes of an API key or OAuth client, and the scopes that they need."""

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from msgspec import Struct

from trilha.core.credentials import Scope
from trilha.kit import N_
from trilha.web.panel.view import PanelView

PresetName = Literal["hr", "bi", "portal"]
S = Scope


class Preset(Struct, frozen=True):
    """`label` and `hint` are msgids."""

    label: str
    hint: str
    scopes: Sequence[Scope]


PRESETS: Mapping[PresetName, Preset] = {
    "hr": Preset(
        N_("HR sync"),
        N_("Adds, changes and suspends people, and enrolls them."),
        (S.USERS_READ, S.USERS_WRITE, S.COURSES_READ, S.ENROLLMENTS_READ, S.ENROLLMENTS_BULK),
    ),
    "bi": Preset(
        N_("Read-only (BI)"),
        N_("Reads everything that reports need, and changes nothing."),
        (
            *(S.USERS_READ, S.COURSES_READ, S.ENROLLMENTS_READ, S.CERTIFICATES_READ, S.REQUIREMENTS_READ),
            S.ANALYTICS_READ,
        ),
    ),
    "portal": Preset(
        N_("Company portal"),
        N_("Shows courses, progress and certificates in your own portal, and enrolls people."),
        (S.USERS_READ, S.COURSES_READ, S.ENROLLMENTS_READ, S.ENROLLMENTS_WRITE, S.CERTIFICATES_READ),
    ),
}


class PresetQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    preset: PresetName | None = None


def choose(view: PanelView, query: PresetQuery) -> dict[str, object]:
    """Returns the fields of a form that a preset fills in."""
    if query.preset is None:
        return {}
    preset = PRESETS[query.preset]
    return {"name": view.say(preset.label), "scopes": [scope.value for scope in preset.scopes]}


def list_links(path: str, query: PresetQuery) -> list[tuple[str, str, str, bool]]:
    """Returns the label and hint (msgids) of each preset, its address, and whether it is chosen."""
    return [
        (preset.label, preset.hint, f"{path}?preset={name}", name == query.preset)
        for name, preset in cast("Mapping[str, Preset]", PRESETS).items()
    ]
