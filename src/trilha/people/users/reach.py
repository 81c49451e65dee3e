"""Which people a viewer may see, as a condition for lists of people."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.people.users.schema import Role

# The units that a gestor manages, and all below them.
MANAGED_UNITS = """
    WITH RECURSIVE managed AS (
        SELECT business_unit_id AS id FROM business_unit_managers
        WHERE tenant_id = :tenant AND user_id = :reach_user
        UNION
        SELECT unit.id FROM business_units AS unit JOIN managed ON unit.parent_id = managed.id
        WHERE unit.tenant_id = :tenant)
    SELECT id FROM managed
    """
# An array, so that the courses are looked up only once.
TAUGHT = """ANY(ARRAY(
    SELECT course_id FROM course_teachers WHERE tenant_id = :tenant AND user_id = :reach_user))"""
# A correlated subquery: a join would first collect all learners of a large course.
_LEARNS = f"""(
    SELECT true FROM enrollments AS place
    WHERE place.tenant_id = :tenant AND place.user_id = {{alias}}.id AND place.course_id = {TAUGHT}
    LIMIT 1)"""  # noqa: S608


class Reach(Struct, frozen=True):
    """The people that a viewer with this role may see.

    An admin sees everybody; a gestor the people of the units they manage and of those below; an instrutor the
    learners of the courses they teach; a learner only themselves.
    """

    role: Role
    user_id: UUID | None = None

    @property
    def is_everyone(self) -> bool:
        return self.role == "admin"

    def units(self, alias: str) -> tuple[str, dict[str, Any]]:
        """Returns SQL that selects rows, named `alias`, in the units that a gestor manages or below them, and
        its parameters.
        """
        return f"{alias}.business_unit_id = ANY(ARRAY({MANAGED_UNITS}))", {"reach_user": self.user_id}

    def condition(self, alias: str) -> tuple[str, dict[str, Any]]:
        """Returns SQL that selects rows of `users`, named `alias`, within reach, and its parameters.

        The surrounding statement binds `:tenant`.
        """
        if self.is_everyone:
            return "true", {}
        params = {"reach_user": self.user_id}
        if self.role == "gestor":
            return self.units(alias)
        if self.role == "instrutor":
            return _LEARNS.format(alias=alias), params
        return f"{alias}.id = :reach_user", params


EVERYONE = Reach("admin")
