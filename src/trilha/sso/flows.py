"""A person on the way to a provider and back: begun here, taken once, in the same browser."""

from uuid import UUID

from trilha.core.database import Database, Tx
from trilha.core.secrets import Keyring
from trilha.core.web.request import Request
from trilha.pages import own_address
from trilha.sso import browser, unscoped
from trilha.sso.errors import SignInRefused
from trilha.sso.rules import FLOW, is_secret, new_secret
from trilha.sso.schema import Connection, Flow
from trilha.tenants import unscoped as tenants

_VERIFIER = "sso-verifier"


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
    """What the provider hands back to us: 43 characters of base64url, good once within 10 minutes.

    The browser of the request is marked, and the answer has to come in it. `return_to` was checked.
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
    """Where a sign-in may begin. Raises SignInRefused (tenant_unknown)."""
    async with database.unscoped() as asked:
        tenant = await tenants.find_by_slug(asked, slug)
    if tenant is None or tenant.status != "ACTIVE":
        raise SignInRefused("tenant_unknown")
    return tenant.id


async def find_tenant(database: Database, state: str) -> UUID | None:
    """Whose sign-in this state is of; None for one that is unknown, or was taken."""
    if not is_secret(state):
        return None
    async with database.unscoped() as asked:
        return await unscoped.find_tenant_of_flow(asked, _fingerprint(database.keyring, state))


async def take(tx: Tx, state: str) -> Flow:
    """Which is over with this, whatever comes of it: commit before anything else is done.

    Raises SignInRefused (flow_unknown, flow_expired). Whether browser and connection are the same is for the
    caller to check.
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
    """Raises SignInRefused. What another site's page posts brings no cookie: there it is checked where the
    ticket is exchanged."""
    if not browser.is_same(request, keyring, flow.browser):
        raise SignInRefused("other_browser")


def checked_return(path: str | None) -> str | None:
    """None where it is no path of ours, or the first page."""
    if not path:
        return None
    own = own_address(path)
    return own if own != "/" else None


def nonce_fingerprint(keyring: Keyring, nonce: str) -> bytes:
    return keyring.fingerprint(f"sso-nonce:{nonce}")


def _fingerprint(keyring: Keyring, state: str) -> bytes:
    return keyring.fingerprint(f"sso-state:{state}")
