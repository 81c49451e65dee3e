"""Sign-ins in progress: begun here, completed once, in the same browser."""

from uuid import UUID

from trilha.access.sso import browser, unscoped
from trilha.access.sso.errors import SignInRefused
from trilha.access.sso.rules import FLOW, is_secret, new_secret
from trilha.access.sso.schema import Connection, Flow
from trilha.core.database import Database, Tx
from trilha.core.resealing.columns import SealedColumn
from trilha.core.secrets import Keyring
from trilha.core.web.request import Request
from trilha.kit import own_address
from trilha.platform.tenants import unscoped as tenants

_VERIFIER = "sso-verifier"
SEALED_VERIFIERS = SealedColumn(
    kind="sign-ins in progress",
    table="sso_flows",
    column="verifier",
    keys={"fingerprint": "bytea"},
    context=lambda row: (_VERIFIER, row["fingerprint"].hex()),
)


async def begin(
    tx: Tx,
    connection: Connection,
    request: Request,
    return_to: str | None = None,
    *,
    is_test: bool = False,
    nonce: str | None = None,
    verifier: str | None = None,
) -> str:
    """Begins a sign-in and returns its state: 43 characters of base64url, valid once within 10 minutes.

    The answer must come in the browser of this request. `return_to` must have been checked.
    """
    state = new_secret()
    fingerprint = _fingerprint(tx.keyring, state)
    await tx.execute(
        """
        INSERT INTO sso_flows (tenant_id, fingerprint, connection_id, browser, nonce, verifier, return_to,
                               is_test, expires_at)
        VALUES (:tenant, :fingerprint, :connection_id, :browser, :nonce, :verifier, :return_to,
                :is_test, :expires_at)
        """,
        fingerprint=fingerprint,
        connection_id=connection.id,
        browser=browser.mark(request, tx.keyring),
        nonce=nonce and nonce_fingerprint(tx.keyring, nonce),
        verifier=verifier and tx.keyring.seal(verifier, tx.tenant_id, _VERIFIER, fingerprint.hex()),
        return_to=return_to,
        is_test=is_test,
        expires_at=tx.now + FLOW,
    )
    return state


async def find_active_tenant(database: Database, slug: str) -> UUID:
    """Returns the tenant if people can sign in to it. Raises SignInRefused (tenant_unknown)."""
    async with database.unscoped() as asked:
        tenant = await tenants.find_by_slug(asked, slug)
    if tenant is None or tenant.status != "ACTIVE":
        raise SignInRefused("tenant_unknown")
    return tenant.id


async def find_tenant(database: Database, state: str) -> UUID | None:
    """Returns the tenant of a state, or None if it is unknown or was used."""
    if not is_secret(state):
        return None
    async with database.unscoped() as asked:
        return await unscoped.find_tenant_of_flow(asked, _fingerprint(database.keyring, state))


async def take(tx: Tx, state: str) -> Flow:
    """Ends a sign-in and returns it. Commit before doing anything else, whatever comes next.

    Raises SignInRefused (flow_unknown, flow_expired). The caller checks the browser and the connection.
    """
    fingerprint = _fingerprint(tx.keyring, state)
    rows = await tx.rows(
        """
        DELETE FROM sso_flows WHERE tenant_id = :tenant AND fingerprint = :fingerprint
        RETURNING connection_id, browser, nonce, verifier, return_to, is_test, expires_at > :now AS is_live
        """,
        fingerprint=fingerprint,
    )
    if not rows:
        raise SignInRefused("flow_unknown")
    found = dict(rows[0])
    if not found.pop("is_live"):
        raise SignInRefused("flow_expired")
    if found["verifier"] is not None:
        found["verifier"] = tx.keyring.open(found["verifier"], tx.tenant_id, _VERIFIER, fingerprint.hex())
    return Flow(**found)


def check_browser(flow: Flow, request: Request, keyring: Keyring) -> None:
    """Raises SignInRefused for another browser.

    A form posted by another site brings no cookie; in that case the browser is checked when the ticket is
    exchanged.
    """
    if not browser.is_same(request, keyring, flow.browser):
        raise SignInRefused("other_browser")


def check_return(path: str | None) -> str | None:
    """Returns the path, or None if it is not one of ours or is the first page."""
    if not path:
        return None
    own = own_address(path)
    return own if own != "/" else None


def nonce_fingerprint(keyring: Keyring, nonce: str) -> bytes:
    return keyring.fingerprint(f"sso-nonce:{nonce}")


def _fingerprint(keyring: Keyring, state: str) -> bytes:
    return keyring.fingerprint(f"sso-state:{state}")
