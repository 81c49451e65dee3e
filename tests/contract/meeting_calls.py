"""Calls that return the error codes of services for video calls, by code. Only pages do."""

from uuid import UUID, uuid4

from contract.quiz_calls import Call, acting
from trilha.core.database import Tx
from trilha.training.meetings import actions


async def _request_without_service(tx: Tx) -> None:
    await actions.request_link(tx, await _add_session(tx, None), "zoom")


async def _request_twice(tx: Tx) -> None:
    await actions.request_link(tx, await _add_session(tx, "https://meet.example.com/x"), "zoom")


async def _add_session(tx: Tx, meeting_url: str | None) -> UUID:
    id: UUID = await tx.value(
        """
        WITH course AS (
            INSERT INTO courses (tenant_id, slug, title, created_at, updated_at)
            VALUES (:tenant, :slug, 'A', :now, :now) RETURNING id),
        module AS (
            INSERT INTO all_modules (tenant_id, course_id, position, title, type, presence_percent,
                                     duration_minutes, created_at, updated_at)
            SELECT :tenant, id, 1, 'M', 'CLASS', 100, 1, :now, :now FROM course RETURNING id, course_id),
        class AS (
            INSERT INTO classes (tenant_id, course_id, module_id, title, minimum_people, maximum_people,
                                 waiting_list, created_at, updated_at)
            SELECT :tenant, course_id, id, 'C', 0, 9, true, :now, :now FROM module RETURNING id)
        INSERT INTO class_sessions (tenant_id, class_id, starts_at, ends_at, time_zone, meeting_url,
                                    created_at, updated_at)
        SELECT :tenant, id, CAST(:now AS timestamptz), CAST(:now AS timestamptz) + interval '1 hour', 'UTC',
               :meeting_url, :now, :now
        FROM class RETURNING id
        """,
        slug=f"c-{uuid4().hex}",
        meeting_url=meeting_url,
    )
    return id


async def _read_no_key(_: Tx) -> None:
    actions.read_service_key(b"{}")


MEETING_CALLS: dict[str, Call] = {
    "meeting_service_missing": acting(_request_without_service),
    "meeting_link_exists": acting(_request_twice),
    "service_key_invalid": acting(_read_no_key),
    "credentials_incomplete": acting(lambda tx: actions.set_up(tx, "zoom", "ana@example.com", None)),
}
