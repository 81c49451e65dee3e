"""The list of packages."""

from trilha.core.lists import Condition, Conditions, List, equal
from trilha.training.scorm.schema import Package


def _match_author(actor: str | None) -> Conditions:
    return () if actor is None else (Condition(where="row.actor = :actor", params={"actor": actor}),)


PACKAGES = List(
    name="packages",
    table="packages",
    kind=Package,
    columns={"created_by": "row.actor"},
    filters={"state": equal("state")},
    reach=_match_author,
)
