"""The lists of learning paths, and of the people on one."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.lists import Condition, Conditions, List, Walk, equal
from trilha.people.users import lists as people
from trilha.people.users import words
from trilha.people.users.reach import Reach
from trilha.training.learning_paths.schema import Follower, FollowQuery, ListedPath

_PERSON = "(SELECT {} FROM users WHERE tenant_id = :tenant AND id = row.user_id)"
_IS_OVERDUE = "COALESCE(row.completed_at IS NULL AND row.due_at <= :now, false)"
_OVERDUE = """
    SELECT user_id FROM learning_path_assignments
    WHERE tenant_id = :tenant AND path_id = :path_id AND completed_at IS NULL AND due_at <= :now"""
_COMPLETIONS = """(
    SELECT count(*) FROM learning_path_courses AS part
    WHERE part.tenant_id = :tenant AND part.path_id = :path_id AND EXISTS (
        SELECT FROM enrollments AS e
        WHERE e.tenant_id = :tenant AND e.user_id = row.user_id AND e.course_id = part.course_id
          AND e.status = 'COMPLETED'))"""
_PROBLEMS = """(
    SELECT count(*) FROM learning_path_problems AS problem
    WHERE problem.tenant_id = :tenant AND problem.path_id = :path_id AND problem.user_id = row.user_id)"""
_WITH_PROBLEMS = """
    SELECT DISTINCT user_id FROM learning_path_problems WHERE tenant_id = :tenant AND path_id = :path_id"""


PATHS = List(
    name="learning_paths",
    table="learning_paths",
    kind=ListedPath,
    columns={
        "courses": """(
            SELECT count(*) FROM learning_path_courses AS part
            WHERE part.tenant_id = :tenant AND part.path_id = row.id)"""
    },
    default_walk=Walk(keys=("title_key",)),
    filters={
        "status": equal("status"),
        "q": Condition(where="strpos(row.title_key, (SELECT search_text(trim(:q)))) > 0"),
    },
)


async def _match_text(tx: Tx, query: FollowQuery, reach: Reach) -> Conditions:
    return words.find_typed(tx, query.q or "", "user_id")


def followers(path_id: UUID) -> List[Follower]:
    """Lists the people on this path, the latest first."""
    on_path = Condition(where="row.path_id = :path_id", params={"path_id": path_id}, leads=("assigned_at",))
    return List(
        name=f"paths/{path_id}/people",
        table="learning_path_assignments",
        kind=Follower,
        id="user_id",
        columns={
            "id": "row.user_id",
            "name": _PERSON.format("name"),
            "email": _PERSON.format("email"),
            "overdue": _IS_OVERDUE,
            "completed": _COMPLETIONS,
            "problems": _PROBLEMS,
        },
        default_walk=Walk(keys=("assigned_at",), direction="DESC"),
        always=(on_path,),
        filters={
            "q": _match_text,
            "show": {
                "open": (Condition(where="row.completed_at IS NULL"),),
                "completed": (Condition(where="row.completed_at IS NOT NULL"),),
                "overdue": (Condition(where=_IS_OVERDUE, ids=_OVERDUE, of="user_id"),),
                "problems": (Condition(where=f"{_PROBLEMS} > 0", ids=_WITH_PROBLEMS, of="user_id"),),
            },
        },
        reach=lambda reach: people.in_reach(reach, "user_id"),
    )
