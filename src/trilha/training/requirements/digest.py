"""The weekly digest: managers are told who of their people is overdue or due soon."""

from datetime import datetime, time, timedelta
from functools import partial
from uuid import UUID
from zoneinfo import ZoneInfo

from trilha.core.database import Tx
from trilha.core.jobs import TenantJob, oldest
from trilha.core.lists import list_rows
from trilha.people.users import queries as users
from trilha.people.users.reach import Reach
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import DigestPerson, ManagerDigest
from trilha.training.enrollments import validity_queries
from trilha.training.reminders import settings_queries
from trilha.training.requirements import digest_queries, matrix, queries, totals
from trilha.training.requirements.matrix import MatrixQuery

_HOUR = time(8)
_NAMED_PEOPLE = 10
_LONG_AGO = "2000-01-01"


async def send_digests(tx: Tx, *, address: str) -> int:
    """Sends the digests of a tenant that are due, all in one transaction, and plans the next ones. `address`
    is the base of links. Returns 1 if they were due.
    """
    due_at = await digest_queries.lock_due_time(tx)
    if due_at is None or datetime.fromisoformat(due_at) > tx.now:
        return 0
    zone = await validity_queries.get_zone(tx)
    settings = await settings_queries.get(tx)
    if not due_at.startswith(_LONG_AGO) and settings.kinds.digest:
        await _send(tx, address)
    next_at = settings_queries.build_times(settings, zone).find_next(_find_next_monday(tx.now, zone))
    await digest_queries.set_due_time(tx, next_at)
    return 1


def _find_next_monday(now: datetime, zone: ZoneInfo) -> datetime:
    today = now.astimezone(zone).date()
    return datetime.combine(today + timedelta(days=7 - today.weekday()), _HOUR, zone)


async def _send(tx: Tx, address: str) -> None:
    titles = {each.id: each.title for each in await queries.list_all(tx) if each.active}
    messages = {}
    for manager_id in await digest_queries.list_managers(tx):
        if digest := await _build(tx, manager_id, titles, address):
            messages[manager_id] = digest
    recipients = await users.list_recipients(tx, list(messages))
    await outbox.send_all(tx, [(to, messages[to.user_id]) for to in recipients if to.user_id])


async def _build(tx: Tx, manager_id: UUID, titles: dict[UUID, str], address: str) -> ManagerDigest | None:
    """Builds the digest of a manager. Returns None if no person is overdue or due soon."""
    reach = Reach("gestor", manager_id)
    counts = totals.sum_up((await totals.count(tx, list(titles), reach)).values())
    if not counts.overdue and not counts.due_soon:
        return None
    late = await list_rows(tx, matrix.PEOPLE, MatrixQuery(state="OVERDUE"), reach, limit=_NAMED_PEOPLE)
    cells = await matrix.load_cells(tx, [each.id for each in late], list(titles))
    people = [
        DigestPerson(
            name=each.name,
            titles=tuple(
                titles[id] for id, cell in cells.get(each.id, {}).items() if cell.state == "OVERDUE"
            ),
        )
        for each in late
    ]
    return ManagerDigest(
        overdue=counts.overdue,
        due_soon=counts.due_soon,
        people=tuple(people),
        link=f"{address}/admin/requirements/matrix?state=OVERDUE",
    )


def build_job(address: str) -> TenantJob:
    return TenantJob(
        name="send digests to managers",
        due=oldest("requirement_engines", "digest_at <= :now", "digest_at"),
        batch=partial(send_digests, address=address),
        rest=60,
    )
