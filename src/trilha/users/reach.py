"""Whom a person may see: the condition that lists of people take."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.users.schema import Role

# The units that a gestor manages, and all below them.
MANAGED = """
    WITH RECURSIVE managed AS (
        SELECT business_unit_id AS id FROM business_unit_managers
        WHERE tenant_id = :tenant AND user_id = :reach_user
        UNION
        SELECT unit.id FROM business_units AS unit JOIN managed ON unit.parent_id = managed.id
        WHERE unit.tenant_id = :tenant)
    SELECT id FROM managed
    """
# An array, so that the courses are looked up once.
TAUGHT = """ANY(ARRAY(
    SELECT course_id FROM course_teachers WHERE tenant_id = :tenant AND user_id = :reach_user))"""
# Asked of one person after the other: as a join it would be done for all learners of a large course.
_LEARNS = f"""(
    SELECT true FROM enrollments AS place
    WHERE place.tenant_id = :tenant AND place.user_id = {{alias}}.id AND place.course_id = {TAUGHT}
    LIMIT 1)"""  # noqa: S608


class Reach(Struct, frozen=True):
    """The people that a user with this role reaches.

    An admin reaches everybody; a gestor the people of the units they manage and of those below; an
    instrutor the learners of the courses they teach; a learner themselves.
    """

    role: Role
    user_id: UUID | None = None

    @property
    def is_everyone(self) -> bool:
        return self.role == "admin"

    def units(self, alias: str) -> tuple[str, dict[str, Any]]:
        """SQL that holds for rows, named `alias`, of the units that a gestor manages and of those below."""
        return f"{alias}.business_unit_id = ANY(ARRAY({MANAGED}))", {"reach_user": self.user_id}

    def condition(self, alias: str) -> tuple[str, dict[str, Any]]:
        """SQL that holds for the rows of `users`, named `alias`, within reach; and its parameters.

        The statement it goes into binds `:tenant`.
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
