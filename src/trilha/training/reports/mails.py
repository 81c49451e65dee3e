"""Weekly or monthly report mails about the people and courses within the recipient's reach, or a part of
them.

The mail contains only totals and links to the report, which requires signing in.
"""

from datetime import datetime, time, timedelta
from functools import partial
from typing import Literal
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from msgspec import Struct, structs

from trilha.core.database import Tx, columns_of
from trilha.core.jobs import TenantJob, oldest
from trilha.people.users.reach import Reach
from trilha.people.users.schema import Role
from trilha.platform.audit import queries as audit
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import ReportSummary
from trilha.platform.mail.schema import Locale, Recipient
from trilha.training.reports import dashboards
from trilha.training.reports.report_filter import MONTHS, ReportFilter, last_months

Every = Literal["week", "month"]
_HOUR = time(7)
_BATCH = 20
_READERS = ("admin", "gestor", "instrutor")


class ReportMail(Struct, frozen=True):
    """A subscription. `months` is the length of the period, of which the current month is the last."""

    every: Every
    course_id: UUID | None = None
    unit_id: UUID | None = None
    group_id: UUID | None = None
    months: int = MONTHS


class _Due(Struct, frozen=True):
    every: Every
    course_id: UUID | None
    unit_id: UUID | None
    group_id: UUID | None
    months: int
    user_id: UUID
    email: str
    name: str
    role: Role
    locale: Locale
    time_zone: str
    is_active: bool
    course_title: str | None
    unit_name: str | None
    group_name: str | None


def next_after(every: Every, now: datetime, time_zone: str) -> datetime:
    """Returns seven in the morning of the next Monday, or of the first day of the next month."""
    zone = ZoneInfo(time_zone)
    today = now.astimezone(zone).date()
    if every == "week":
        day = today + timedelta(days=7 - today.weekday())
    else:
        day = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    return datetime.combine(day, _HOUR, zone)


async def find(tx: Tx, user_id: UUID) -> ReportMail | None:
    return await tx.find(
        ReportMail,
        f"""SELECT {columns_of(ReportMail)} FROM report_mails
            WHERE tenant_id = :tenant AND user_id = :user_id""",  # noqa: S608
        user_id=user_id,
    )


async def change(tx: Tx, user_id: UUID, new: ReportMail | None, time_zone: str) -> None:
    """Sets or, with None, ends a subscription. Equal settings change nothing."""
    if await find(tx, user_id) == new:
        return
    if new is None:
        await stop(tx, user_id)
    else:
        await tx.execute(
            """
            INSERT INTO report_mails (tenant_id, user_id, every, course_id, unit_id, group_id, months,
                                      next_at)
            VALUES (:tenant, :user_id, :every, :course_id, :unit_id, :group_id, :months, :next_at)
            ON CONFLICT (tenant_id, user_id) DO UPDATE
            SET every = excluded.every, course_id = excluded.course_id, unit_id = excluded.unit_id,
                group_id = excluded.group_id, months = excluded.months, next_at = excluded.next_at
            """,
            user_id=user_id,
            next_at=next_after(new.every, tx.now, time_zone),
            **structs.asdict(new),
        )
    await audit.record(tx, "report_mail.changed", user_id, every=new.every if new else "never")


async def stop(tx: Tx, user_id: UUID) -> None:
    """Stops sending the report to a person."""
    await tx.execute(
        "DELETE FROM report_mails WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )


async def send_due(tx: Tx, *, address: str) -> int:
    """Sends the next mails; returns how many. Recipients who may no longer read reports get none."""
    due = await tx.list(
        _Due,
        """
        SELECT m.user_id, m.every, m.course_id, m.unit_id, m.group_id, m.months, c.title AS course_title,
               unit.name AS unit_name, g.name AS group_name, u.email, u.name, u.role,
               COALESCE(u.locale, t.locale) AS locale,
               COALESCE(s.time_zone, 'America/Sao_Paulo') AS time_zone,
               u.status = 'ACTIVE' AS is_active
        FROM (SELECT * FROM report_mails WHERE tenant_id = :tenant AND next_at <= :now
              ORDER BY next_at, user_id LIMIT :limit FOR UPDATE SKIP LOCKED) AS m
        JOIN users AS u ON u.tenant_id = :tenant AND u.id = m.user_id
        JOIN tenants AS t ON t.id = :tenant AND t.status = 'ACTIVE'
        LEFT JOIN tenant_settings AS s ON s.tenant_id = :tenant
        LEFT JOIN courses AS c ON c.tenant_id = :tenant AND c.id = m.course_id
        LEFT JOIN business_units AS unit ON unit.tenant_id = :tenant AND unit.id = m.unit_id
        LEFT JOIN learning_groups AS g ON g.tenant_id = :tenant AND g.id = m.group_id
        """,
        limit=_BATCH,
    )
    for each in due:
        await _send(tx, each, address)
    return len(due)


async def _send(tx: Tx, due: _Due, address: str) -> None:
    if not due.is_active or due.role not in _READERS:
        await stop(tx, due.user_id)
        return
    since, until = last_months(tx.today, due.months)
    wanted = ReportFilter(since, until, due.course_id, due.unit_id, due.group_id)
    standing = await dashboards.get(tx, Reach(due.role, due.user_id), wanted)
    overall = standing.overall
    message = ReportSummary(
        monthly=due.every == "month",
        enrollments=overall.enrollments if overall else None,
        completed=overall.completed if overall else None,
        open=overall.in_progress + overall.not_started if overall else None,
        overdue=overall.expired if overall else None,
        course=due.course_title,
        unit=due.unit_name,
        group=due.group_name,
        completed_lately=sum(standing.months.values()) if standing.months is not None else None,
        months=due.months,
        link=f"{address}/admin/reports{_filters(due)}",
    )
    to = Recipient(due.email, due.name, due.locale, due.time_zone, due.user_id)
    await outbox.send(tx, to=to, message=message)
    await tx.execute(
        "UPDATE report_mails SET next_at = :next_at WHERE tenant_id = :tenant AND user_id = :user_id",
        user_id=due.user_id,
        next_at=next_after(due.every, tx.now, due.time_zone),
    )


def _filters(mail: _Due) -> str:
    """Returns the filters as the page's parameters."""
    named = {"course": mail.course_id, "unit": mail.unit_id, "group": mail.group_id, "months": mail.months}
    given = {name: str(each) for name, each in named.items() if each not in (None, MONTHS)}
    return f"?{urlencode(given)}" if given else ""


def job(address: str) -> TenantJob:
    """Builds the job. `address` is the base of links."""
    return TenantJob(
        name="send reports",
        due=oldest("report_mails", "next_at <= :now", "next_at"),
        batch=partial(send_due, address=address),
        rest=60,
    )
