"""Writes the messages of notices to the outbox, one part of a notice at a time.

Each part is a transaction of its own that also notes how far it came, so that a worker that dies neither
loses nor repeats a message.
"""

from collections.abc import Sequence
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.platform.mail import outbox
from trilha.platform.mail.catalogue import (
    AnyMessage,
    MeetingEvent,
    SessionCancellation,
    SessionChange,
    SessionInvitation,
)
from trilha.platform.mail.schema import Recipient
from trilha.training.classes import queries as classes
from trilha.training.classes.invitations import queries, rules
from trilha.training.classes.invitations.rules import Plan
from trilha.training.classes.invitations.schema import ClassNames, Invitation, Notice, SessionNotice

# Messages in one transaction, except that one person always gets all of theirs.
_MESSAGES = 200


async def tell_next(tx: Tx, *, address: str) -> int:
    """Tells some people of the next notice. `address` is the base of links. Returns how many people and
    notices were dealt with.
    """
    notice = await queries.lock_next(tx)
    if notice is None:
        return 0
    sessions = await _list_sessions(tx, notice)
    limit = max(1, _MESSAGES // max(1, len(sessions)))
    people = await _list_people(tx, notice, limit)
    if sessions and people:
        await _tell(tx, notice, sessions, people, address)
    if notice.kind == "REGISTERED":
        existing = await classes.lock_users(tx, people)
        await queries.insert_invitees(tx, notice.class_id, list(existing))
    elif notice.kind == "UNREGISTERED":
        await queries.delete_invitees(tx, notice.class_id, people)
    if len(people) == limit:
        await queries.note_progress(tx, notice, people[-1])
    else:
        await queries.finish(tx, notice)
    return len(people) + 1


async def _list_sessions(tx: Tx, notice: Notice) -> list[SessionNotice]:
    """Lists what the message of each person is about."""
    if notice.session_id is None:
        return await queries.list_announced_sessions(tx, notice.class_id)
    if notice.kind == "SESSION":
        session = await queries.find_session(tx, notice)
    else:
        session = await queries.find_announced_session(tx, notice.class_id, notice.session_id)
    return [session] if session else []


async def _list_people(tx: Tx, notice: Notice, limit: int) -> list[UUID]:
    """Lists the next people to tell, by id."""
    if notice.user_ids is None:
        return await queries.list_invitees(tx, notice.class_id, notice.last_user_id, limit)
    return sorted(id for id in notice.user_ids if notice.last_user_id is None or id > notice.last_user_id)[
        :limit
    ]


async def _tell(
    tx: Tx, notice: Notice, sessions: Sequence[SessionNotice], people: Sequence[UUID], address: str
) -> None:
    # Nobody is erased between this and the message to them.
    await classes.lock_users(tx, people)
    recipients = {to.user_id: to for to in await users.list_recipients(tx, people) if to.user_id}
    before = await queries.list_invitations(tx, [each.session_id for each in sessions], list(recipients))
    names = await queries.get_names(tx, notice.class_id)
    reason = None
    if notice.kind == "SESSION_CANCELLED" and notice.session_id is not None:
        reason = await queries.find_reason(tx, notice.session_id)
    now = Timestamp.of(tx.now)
    cancels = notice.kind in ("SESSION_CANCELLED", "UNREGISTERED")
    messages: list[tuple[Recipient, AnyMessage]] = []
    after: list[Invitation] = []
    for user_id, to in recipients.items():
        for session in sessions:
            invitation = before.get((session.session_id, user_id))
            plan = (
                rules.plan_cancellation(invitation, now)
                if cancels
                else rules.plan_request(invitation, session.ends_at, now)
            )
            if plan is None:
                continue
            messages.append(
                (to, _compose(plan, session, user_id, names, reason, f"{address}/learn/calendar"))
            )
            after.append(Invitation(session.session_id, user_id, plan.sequence, session.ends_at, cancels))
    if messages:
        await outbox.send_all(tx, messages)
        await queries.save_invitations(tx, after)


def _compose(
    plan: Plan, session: SessionNotice, user_id: UUID, names: ClassNames, reason: str | None, link: str
) -> AnyMessage:
    members = structs.asdict(session)
    uid = rules.build_uid(members.pop("session_id"), user_id)
    event = MeetingEvent(
        uid=uid, sequence=plan.sequence, title=names.title, course=names.course_title, **members
    )
    if plan.kind == "invitation":
        return SessionInvitation(event=event, link=link)
    if plan.kind == "change":
        return SessionChange(event=event, link=link)
    return SessionCancellation(event=event, reason=reason, link=link)
