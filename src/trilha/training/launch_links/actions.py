"""Creates launch links, and finds what a presented one stands for."""

import secrets
from uuid import UUID

from msgspec import structs

from trilha.core.database import Database, Tx
from trilha.core.errors import BusinessRule, Forbidden, NotFound
from trilha.core.secrets import Keyring
from trilha.core.types import Timestamp
from trilha.people.users import queries as users
from trilha.platform.audit import queries as audit
from trilha.training.enrollments import queries as enrollments
from trilha.training.launch_links import queries, rules, unscoped
from trilha.training.launch_links.schema import LaunchLink, NewLaunchLink, ReturnAddress
from trilha.training.learning.completion import overviews
from trilha.training.learning.launches.actions import check_launch

_TOKEN_BYTES = 32
_TOKEN_LENGTH = 43


class LinkMaker:
    """Creates links below the server's own address. With `plain_http`, they may lead back to HTTP."""

    def __init__(self, address: str, *, plain_http: bool) -> None:
        self._address = address
        self._plain_http = plain_http

    async def create(self, tx: Tx, enrollment_id: UUID, new: NewLaunchLink) -> LaunchLink:
        """Creates a link.

        Raises NotFound (enrollment_not_found, module_not_found), Forbidden (privileged_user), Invalid,
        BusinessRule (user_not_active, module_locked) and Conflict (enrollment_expired,
        module_without_content).
        """
        if new.return_url is not None:
            rules.check_return_url(new.return_url, plain_http=self._plain_http)
        enrollment = await enrollments.get(tx, enrollment_id)
        user = await users.get(tx, enrollment.user_id)
        if user.role != "learner":
            # A leaked key must not become a session that manages the company.
            raise Forbidden("privileged_user")
        if user.status != "ACTIVE":
            raise BusinessRule("user_not_active")
        module_id = new.module_id or await _find_next_module(tx, enrollment_id, enrollment.course_id)
        await check_launch(tx, user.id, enrollment_id, module_id)
        token, expires_at = secrets.token_urlsafe(_TOKEN_BYTES), tx.now + rules.LIFETIME
        link = structs.replace(new, module_id=module_id)
        fingerprint = build_fingerprint(tx.keyring, token)
        if not await queries.insert(tx, fingerprint, user.id, enrollment_id, link, expires_at):
            raise BusinessRule("user_not_active")
        await audit.record(tx, "launch_link.created", enrollment_id, module_id=str(module_id))
        return LaunchLink(f"{self._address}{rules.PAGE}#token={token}", Timestamp.of(expires_at))


async def _find_next_module(tx: Tx, enrollment_id: UUID, course_id: UUID) -> UUID:
    overview = await overviews.get_overview(tx, enrollment_id, course_id)
    if overview.next_module is None:
        raise NotFound("module_not_found")
    return overview.next_module


async def find_tenant(database: Database, token: str) -> UUID | None:
    """Returns the tenant of a link, or None if it is not ours."""
    if len(token) != _TOKEN_LENGTH or not token.isascii():
        return None
    async with database.unscoped() as connection:
        return await unscoped.find_tenant(connection, build_fingerprint(database.keyring, token))


async def find_return(tx: Tx, session_id: UUID, enrollment_id: UUID) -> ReturnAddress | None:
    """Returns where this session goes back to from this enrollment; None if no link has brought it."""
    url = await queries.find_return_url(tx, session_id, enrollment_id)
    return ReturnAddress(url, rules.get_host(url)) if url else None


def build_fingerprint(keyring: Keyring, token: str) -> bytes:
    return keyring.fingerprint(f"launch-link:{token}")
