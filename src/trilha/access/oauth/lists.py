"""The list of OAuth clients."""

from trilha.access.oauth.schema import KnownClient
from trilha.core.lists import Condition, List, Walk

CLIENTS = List(
    name="oauth-clients",
    table="oauth_clients",
    kind=KnownClient,
    orders={"created": Walk(keys=("created_at",)), "name": Walk(keys=("name",))},
    filters={
        "q": Condition(where="strpos(lower(row.name), lower(:q)) > 0"),
        "state": {
            "live": (Condition(where="row.disabled_at IS NULL"),),
            "disabled": (Condition(where="row.disabled_at IS NOT NULL"),),
        },
    },
)
