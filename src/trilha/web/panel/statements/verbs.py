"""Known verbs in words, for sentences and the filter by verb."""

from collections.abc import Mapping

from trilha.kit import N_

_ADL = "http://adlnet.gov/expapi/verbs"
_W3ID = "https://w3id.org/xapi/adl/verbs"
_VIDEO = "https://w3id.org/xapi/video/verbs"
# What stands between the person and the object of a sentence.
VERBS: Mapping[str, str] = {
    f"{_ADL}/launched": N_("launched"),
    f"{_ADL}/initialized": N_("started"),
    f"{_ADL}/attempted": N_("attempted"),
    f"{_ADL}/experienced": N_("experienced"),
    f"{_ADL}/progressed": N_("made progress in"),
    f"{_ADL}/interacted": N_("interacted with"),
    f"{_ADL}/answered": N_("gave an answer to"),
    f"{_ADL}/responded": N_("responded to"),
    f"{_ADL}/asked": N_("asked about"),
    f"{_ADL}/commented": N_("commented on"),
    f"{_ADL}/shared": N_("shared"),
    f"{_ADL}/completed": N_("completed"),
    f"{_ADL}/passed": N_("passed"),
    f"{_ADL}/failed": N_("did not pass"),
    f"{_ADL}/scored": N_("scored in"),
    f"{_ADL}/mastered": N_("mastered"),
    f"{_ADL}/attended": N_("attended"),
    f"{_ADL}/registered": N_("registered for"),
    f"{_ADL}/suspended": N_("paused"),
    f"{_ADL}/resumed": N_("resumed"),
    f"{_ADL}/terminated": N_("closed"),
    f"{_ADL}/exited": N_("left"),
    f"{_ADL}/voided": N_("voided"),
    f"{_W3ID}/abandoned": N_("abandoned"),
    f"{_W3ID}/waived": N_("was exempted from"),
    f"{_W3ID}/satisfied": N_("met the criteria of"),
    f"{_W3ID}/logged-in": N_("signed in to"),
    f"{_W3ID}/logged-out": N_("signed out of"),
    f"{_VIDEO}/played": N_("played"),
    f"{_VIDEO}/paused": N_("paused"),
    f"{_VIDEO}/seeked": N_("skipped in"),
}
