"""The list of keys."""

from trilha.access.xapi_keys.schema import XapiKey
from trilha.core.lists import Condition, List, Walk

XAPI_KEYS = List(
    name="xapi-keys",
    table="xapi_keys",
    kind=XapiKey,
    orders={"created": Walk(keys=("created_at",)), "name": Walk(keys=("name",))},
    filters={
        "q": Condition(where="strpos(lower(row.name), lower(:q)) > 0 OR row.key = trim(:q)"),
        "state": {
            "live": (Condition(where="revoked_at IS NULL"),),
            "revoked": (Condition(where="revoked_at IS NOT NULL"),),
        },
    },
)
