"""Describes the audit records about a person."""

from collections.abc import Mapping

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.kit import N_, State
from trilha.platform.audit.schema import AuditRecord
from trilha.web.panel.people import words
from trilha.web.panel.view import PanelView

# Authors of changes who have no name.
_ACTORS = {
    "system": N_("Trilha"),
    "operator": N_("Command line"),
    "api_key": N_("API key"),
    "oauth_client": N_("OAuth client"),
    "access_token": N_("OAuth client"),
    "session": N_("Person with erased data"),
}


class HistoryEntry(Struct, frozen=True):
    """One entry of the history. `more` are further details."""

    state: State
    icon: str
    title: str
    more: str
    at: Timestamp
    by: str


def describe(
    view: PanelView, record: AuditRecord, words_of: Mapping[str, tuple[State, str, str]] = words.RECORDS
) -> HistoryEntry:
    """Describes a record with the texts of its action."""
    state, icon, title = words_of.get(record.action, ("info", "circle-dot", record.action))
    by = record.actor_name or view.say(_ACTORS.get(record.actor_kind, N_("Trilha")))
    by = f"{by} · {record.source}" if record.source else by
    return HistoryEntry(state, icon, view.say(title), _describe_details(view, record), record.created_at, by)


def _describe_details(view: PanelView, record: AuditRecord) -> str:
    detail = record.detail
    if changed := detail.get("changed"):
        return ", ".join(view.say(words.MEMBERS.get(name, name)) for name in changed)
    if role := detail.get("role"):
        return " → ".join(view.say(words.ROLES[each]) for each in (detail.get("previous_role"), role) if each)
    return str(detail.get("device", ""))
