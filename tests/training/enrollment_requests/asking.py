"""Requests for enrollment through the API."""

from typing import Any

from conftest import World


async def ask(world: World, user_id: object, course_id: object, **members: Any) -> tuple[int, Any]:
    body = {"course_id": str(course_id)} | members
    answer = await world.http.post(f"/v1/users/{user_id}/enrollment-requests", json=body)
    return answer.status_code, answer.json().get("error", answer.json().get("data"))


async def decide(world: World, request_id: object, decision: str, **members: Any) -> tuple[int, Any]:
    path = f"/v1/enrollment-requests/{request_id}/{decision}"
    answer = await (world.http.post(path, json=members) if members else world.http.post(path))
    return answer.status_code, answer.json().get("error", answer.json().get("data"))


async def told(world: World) -> list[tuple[str, str]]:
    """Returns the kinds of the reminders in bells, with the names of their people."""
    async with world.tx() as tx:
        rows = await tx.rows(
            """
            SELECT r.kind, u.name FROM reminders r JOIN users u ON u.tenant_id = :tenant AND u.id = r.user_id
            WHERE r.tenant_id = :tenant ORDER BY r.kind, u.name
            """
        )
    return [(row["kind"], row["name"]) for row in rows]


async def audited(world: World) -> list[str]:
    async with world.tx() as tx:
        rows = await tx.rows(
            "SELECT action FROM audit_records WHERE tenant_id = :tenant "
            "AND action LIKE 'enrollment_request.%'"
        )
    return sorted(row["action"] for row in rows)
