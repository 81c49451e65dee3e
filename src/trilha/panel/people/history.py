"""Audit records about a person, in words."""

from collections.abc import Mapping

from msgspec import Struct

from trilha.audit.schema import AuditRecord
from trilha.core.types import Timestamp
from trilha.pages import N_, State
from trilha.panel.people import words
from trilha.panel.view import PanelView

# Who did it, where it was nobody with a name.
_ACTORS = {
    "system": N_("Trilha"),
    "operator": N_("Command line"),
    "api_key": N_("API key"),
    "oauth_client": N_("OAuth client"),
    "access_token": N_("OAuth client"),
    "session": N_("Somebody who was erased"),
}


class Happened(Struct, frozen=True):
    """`more` is what else is known of it."""

    state: State
    icon: str
    title: str
    more: str
    at: Timestamp
    by: str


def describe(
    view: PanelView, record: AuditRecord, words_of: Mapping[str, tuple[State, str, str]] = words.RECORDS
) -> Happened:
    """What a record says, with the words of its action."""
    state, icon, title = words_of.get(record.action, ("info", "circle-dot", record.action))
    by = record.actor_name or view.say(_ACTORS.get(record.actor_kind, N_("Trilha")))
    by = f"{by} · {record.source}" if record.source else by
    return Happened(state, icon, view.say(title), _more(view, record), record.created_at, by)


def _more(view: PanelView, record: AuditRecord) -> str:
    detail = record.detail
    if changed := detail.get("changed"):
        return ", ".join(view.say(words.MEMBERS.get(name, name)) for name in changed)
    if role := detail.get("role"):
        return " → ".join(view.say(words.ROLES[each]) for each in (detail.get("previous_role"), role) if each)
    return str(detail.get("device", ""))
