"""The sign-in log for a tenant's administrators: the last thousand sign-ins, or those of the tenant's own
period.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID, uuid4

from msgspec import Meta

from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.rules import new_reference
from trilha.access.sso.schema import Outcome, SignInEntry, Step
from trilha.core.database import Tx, columns_of
from trilha.core.lists import Condition, List, Walk, equal
from trilha.core.types import STORABLE, to_json
from trilha.core.web.pagination import ListQuery, PageSize
from trilha.platform.retention.logs import ArchivedLog

MAX_SIGN_INS = 1000
# Without what was expected and received, which may be addresses of people.
LOG = ArchivedLog(
    name="sign_ins",
    at="at",
    columns={
        "id": "text",
        "at": "moment",
        "connection_id": "text",
        "outcome": "text",
        "code": "text",
        "reference": "text",
        "user_id": "text",
    },
)


class SignInQuery(ListQuery, frozen=True, kw_only=True):
    """A page of the log. `q` is the reference that a refused person was shown."""

    limit: PageSize = 40
    connection: UUID | None = None
    outcome: Outcome | None = None
    q: Annotated[str, Meta(max_length=40, extra_json_schema=STORABLE)] | None = None


async def record(
    tx: Tx,
    connection_id: UUID | None,
    outcome: Outcome,
    *,
    refused: SignInRefused | None = None,
    user_id: UUID | None = None,
    trace: Sequence[Step] | None = None,
) -> SignInEntry:
    """Adds an entry. A refused sign-in needs a separate transaction, because its own is rolled back."""
    entry = await tx.find(
        SignInEntry,
        f"""
        INSERT INTO sso_sign_ins (tenant_id, id, at, connection_id, outcome, code, expected, received,
                                  reference, user_id, trace)
        VALUES (:tenant, :id, :now, :connection_id, :outcome, :code, :expected, :received,
                :reference, :user_id, CAST(:trace AS text)::jsonb)
        RETURNING {columns_of(SignInEntry)}
        """,  # noqa: S608
        id=uuid4(),
        connection_id=connection_id,
        outcome=outcome,
        code=refused and refused.code,
        expected=refused and refused.expected,
        received=refused and refused.received,
        reference=new_reference(),
        user_id=user_id,
        trace=None if trace is None else to_json(trace).decode(),
    )
    assert entry is not None
    await _prune(tx)
    return entry


SIGN_INS = List(
    name="sso_sign_ins",
    table="sso_sign_ins",
    kind=SignInEntry,
    default_walk=Walk(keys=("at",), direction="DESC"),
    filters={
        "connection": equal("connection", column="connection_id"),
        "outcome": equal("outcome"),
        "q": Condition(
            where="row.reference = upper(trim(:q))",
            ids="SELECT id FROM sso_sign_ins WHERE tenant_id = :tenant AND reference = upper(trim(:q))",
        ),
    },
)


async def prune_old(tx: Tx, before: datetime, limit: int) -> Sequence[Any]:
    """Deletes the oldest sign-ins before `before`."""
    return await tx.rows(
        f"""
        DELETE FROM sso_sign_ins WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM sso_sign_ins WHERE tenant_id = :tenant AND at < :before
            ORDER BY at, id LIMIT :limit)
        RETURNING {LOG.names}
        """,  # noqa: S608
        before=before,
        limit=limit,
    )


async def _prune(tx: Tx) -> None:
    """Deletes all but the last sign-ins, unless the tenant has a period of its own."""
    await tx.execute(
        """
        DELETE FROM sso_sign_ins WHERE tenant_id = :tenant AND id IN (
            SELECT id FROM sso_sign_ins WHERE tenant_id = :tenant
            ORDER BY at DESC, id DESC OFFSET :kept)
          AND NOT EXISTS (SELECT FROM tenant_settings
                          WHERE tenant_id = :tenant AND sign_in_days IS NOT NULL)
        """,
        kept=MAX_SIGN_INS,
    )
