"""The list of API keys."""

from datetime import timedelta

from trilha.access.api_keys.schema import ApiKey
from trilha.core.lists import Condition, List, Walk

SOON = timedelta(days=30)
_LIVE = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)"
_EXPIRING = f"{_LIVE} AND expires_at <= CAST(:now AS timestamptz) + interval '{SOON.days} days'"
KEYS = List(
    name="api-keys",
    table="api_keys",
    kind=ApiKey,
    orders={"created": Walk(keys=("created_at",)), "name": Walk(keys=("name",))},
    filters={
        "q": Condition(where="strpos(lower(row.name), lower(:q)) > 0"),
        "state": {
            "live": (Condition(where=_LIVE),),
            "expiring": (Condition(where=_EXPIRING),),
            "expired": (Condition(where="revoked_at IS NULL AND expires_at <= :now"),),
            "revoked": (Condition(where="revoked_at IS NOT NULL"),),
        },
    },
)
