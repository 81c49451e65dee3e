"""Signs people in with a passkey, which is both factors at once: the device, and who unlocks it."""

from uuid import UUID

from trilha.access.sessions import actions, queries
from trilha.access.sessions.passkeys import queries as passkeys
from trilha.access.sessions.passkeys import rules, verification
from trilha.access.sessions.passkeys.challenges import bind_browser, find_browser, new_challenge
from trilha.access.sessions.passkeys.schema import RelyingParty
from trilha.access.sessions.schema import SignedInPerson
from trilha.core.credentials import Actor
from trilha.core.database import Database, Tx
from trilha.core.errors import BusinessRule
from trilha.core.web.callers import Caller
from trilha.core.web.request import Request
from trilha.platform.audit import queries as audit
from trilha.platform.tenants import unscoped as tenants


async def begin(database: Database, request: Request, slug: str, address: str) -> str:
    """Returns the options for signing in as JSON. They are alike whether or not the company exists.

    Raises BusinessRule (passkeys_unavailable) where browsers have no passkeys.
    """
    party = _get_party(address, slug)
    challenge, browser = new_challenge(), bind_browser(request)
    tenant_id = await _find_tenant(database, slug)
    if tenant_id is not None:
        async with database.transaction(tenant_id, actor=_actor("", request)) as tx:
            if await passkeys.are_allowed(tx):
                await passkeys.put_challenge(tx, challenge, "SIGN_IN", browser)
    return verification.build_request_options(party, challenge)


async def finish(
    database: Database,
    request: Request,
    caller: Caller,
    sign_in: actions.SignIn,
    slug: str,
    text: str,
    address: str,
) -> SignedInPerson:
    """Starts a session by a browser's answer.

    Raises BusinessRule (passkey_refused), whatever is wrong. A challenge is used up in any case, and a
    counter that went back stays in the audit log.
    """
    party = _get_party(address, slug)
    answer = verification.read_answer(text)
    challenge, browser = verification.read_challenge(answer), find_browser(request)
    tenant_id = await _find_tenant(database, slug)
    if tenant_id is None or browser is None:
        raise BusinessRule("passkey_refused")
    async with database.transaction(tenant_id, actor=_actor("", request)) as tx:
        taken = await passkeys.take_challenge(tx, challenge, "SIGN_IN", browser)
        passkey = await passkeys.find_by_credential(tx, verification.read_credential_id(answer))
        allowed = await passkeys.are_allowed(tx)
    if taken is None or passkey is None or not allowed:
        raise BusinessRule("passkey_refused")
    handle = rules.build_user_handle(tenant_id, passkey.user_id)
    assertion = verification.verify_assertion(answer, party, challenge, passkey, handle)
    async with database.transaction(tenant_id, actor=_actor(str(passkey.user_id), request)) as tx:
        account = await queries.get_account(tx, passkey.user_id)
        is_copied = rules.may_be_copied(passkey, assertion)
        if is_copied or not await passkeys.note_use(tx, passkey.id, assertion):
            await audit.record(tx, "user.passkey_refused", passkey.user_id, passkey_id=passkey.id)
            person = None
        elif account.status != "ACTIVE" or not account.password_opens:
            person = None
        else:
            person = await sign_in.by_passkey(tx, account, slug, request, passkey.id)
    if person is None:
        raise BusinessRule("passkey_refused")
    await sign_in.settle(request, caller, person.session, slug, account.email)
    return person


def _get_party(address: str, slug: str) -> RelyingParty:
    party = rules.find_relying_party(address, slug)
    if party is None:
        raise BusinessRule("passkeys_unavailable")
    return party


async def _find_tenant(database: Database, slug: str) -> UUID | None:
    async with database.unscoped() as connection:
        tenant = await tenants.find_by_slug(connection, slug)
    return tenant.id if tenant is not None and tenant.status == "ACTIVE" else None


async def offers_passkeys(tx: Tx, address: str, slug: str) -> bool:
    """Returns whether the company's sign-in page offers passkeys."""
    return rules.find_relying_party(address, slug) is not None and await passkeys.are_allowed(tx)


def _actor(user_id: str, request: Request) -> Actor:
    return Actor("session", user_id, request.source)
