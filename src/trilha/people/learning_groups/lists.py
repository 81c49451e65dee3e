"""The list of learning groups."""

from trilha.core.lists import Condition, List, Walk
from trilha.people.learning_groups.schema import GroupName, LearningGroup

GROUPS = List(
    name="learning_groups",
    table="learning_groups",
    kind=LearningGroup,
    columns={
        "members": """(
            SELECT count(*) FROM learning_group_members AS member
            WHERE member.tenant_id = :tenant AND member.group_id = row.id)"""
    },
    default_walk=Walk(keys=("name",)),
    filters={"q": Condition(where="starts_with(row.name_key, (SELECT search_text(:q)))")},
)
# Names for a picker, searched by any part of the name.
NAMES = GROUPS.with_kind(
    GroupName,
    "learning_groups/names",
    columns={},
    default_walk=Walk(keys=("name_key",)),
    filters={"q": Condition(where="strpos(row.name_key, (SELECT search_text(trim(:q)))) > 0")},
)
