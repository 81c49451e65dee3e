"""The list of learning groups."""

from trilha.core.lists import Condition, List, Walk
from trilha.learning_groups.schema import LearningGroup

GROUPS = List(
    name="learning_groups",
    table="learning_groups",
    kind=LearningGroup,
    columns={
        "members": """(
            SELECT count(*) FROM learning_group_members AS member
            WHERE member.tenant_id = :tenant AND member.group_id = row.id)"""
    },
    usual=Walk(keys=("name",)),
    filters={"q": Condition(where="starts_with(row.name_key, (SELECT search_text(:q)))")},
)
