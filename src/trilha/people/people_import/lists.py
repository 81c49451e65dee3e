"""The list of imports of people."""

from trilha.core.lists import Condition, List
from trilha.people.people_import.schema import Import

# A dry run changes nothing, so its problems need no attention.
_WITH_PROBLEMS = "NOT dry_run AND (state = 'FAILED' OR (state = 'DONE' AND refused > 0))"
IMPORTS = List(
    name="imports", table="imports", kind=Import, filters={"failed": Condition(where=_WITH_PROBLEMS)}
)
