"""The lists of qualifications."""

from trilha.core.lists import CHANGED_SINCE, Condition, List
from trilha.people.users.lists import in_reach
from trilha.training.qualifications.rules import SOON
from trilha.training.qualifications.schema import ListedQualification, Qualification

_DAY = """to_char((CAST(:now AS timestamptz) + interval '{} days') AT TIME ZONE COALESCE(
    (SELECT time_zone FROM tenant_settings WHERE tenant_id = :tenant), 'America/Sao_Paulo'), 'YYYY-MM-DD')"""
# Today in the company's time zone, and the last day that is soon.
TODAY, _SOON = _DAY.format(0), _DAY.format(SOON.days)
STATE = f"""CASE WHEN row.valid_until < {TODAY} THEN 'EXPIRED' WHEN row.valid_from > {TODAY} THEN 'UPCOMING'
    WHEN row.valid_until <= {_SOON} THEN 'EXPIRING' ELSE 'VALID' END"""
_HAS_DOCUMENT = "row.content IS NOT NULL"
_STATES = ("VALID", "EXPIRING", "EXPIRED", "UPCOMING")
_IN_STATE = {state: (Condition(where=f"{STATE} = '{state}'"),) for state in _STATES}
_IDS_OF_USER = "SELECT id FROM qualifications WHERE tenant_id = :tenant AND user_id = :{}"
_NOT_REMOVED = (Condition(where="row.removed_at IS NULL", leads=("created_at", "updated_at")),)
QUALIFICATIONS = List(
    name="qualifications",
    table="qualifications",
    kind=Qualification,
    columns={"state": STATE, "has_document": _HAS_DOCUMENT},
    filters={
        "user_id": Condition(where="row.user_id = :user_id", ids=_IDS_OF_USER.format("user_id")),
        "state": _IN_STATE,
        "updated_since": CHANGED_SINCE,
    },
    always=_NOT_REMOVED,
)
ROWS = List(
    name="qualifications/rows",
    table="qualifications",
    kind=ListedQualification,
    columns={
        "user_name": "(SELECT name FROM users WHERE tenant_id = :tenant AND id = row.user_id)",
        "state": STATE,
        "has_document": _HAS_DOCUMENT,
    },
    filters={
        "user": Condition(where="row.user_id = :user", ids=_IDS_OF_USER.format("user")),
        "state": _IN_STATE,
    },
    always=_NOT_REMOVED,
    reach=lambda reach: in_reach(reach, "user_id"),
)
