"""Who comes in: the person a provider means, linked before, linked now, or made now.

The order of the checks is fixed. A person is known by connection and subject; an e-mail address leads to one
only the first time, and only in a domain that both the connection and the tenant have.
"""

from uuid import UUID

from msgspec import ValidationError, convert

from trilha.audit import queries as audit
from trilha.business_units import queries as business_units
from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound
from trilha.core.types import Email, dec_hook
from trilha.sso import queries, rules
from trilha.sso.domains import queries as domains
from trilha.sso.errors import SignInRefused, masked
from trilha.sso.schema import Connection, FederatedIdentity
from trilha.users import actions as users
from trilha.users import queries as user_queries
from trilha.users.schema import NewUser, User, UserPatch


async def sign_in(tx: Tx, connection: Connection, identity: FederatedIdentity) -> User:
    """The person, as this sign-in leaves them: linked, and with what the provider says of them.

    Raises SignInRefused: then nothing of the transaction may be kept.
    """
    if not identity.subject:
        raise SignInRefused("subject_missing")
    if identity.email_verified is False:
        raise SignInRefused("email_not_verified", "verified", "not verified")
    email = _email(identity)
    if email is not None:
        await _check_domain(tx, connection, rules.domain_of(email))
    if identity.hosted_domain is not None:
        await _check_domain(tx, connection, identity.hosted_domain)
    user_id = await queries.find_linked(tx, connection.id, identity.subject)
    if user_id is None:
        user = await _first(tx, connection, identity, email)
    else:
        user = await user_queries.get_for_update(tx, user_id)
        if email is None:
            await _check_domain(tx, connection, rules.domain_of(user.email))
    _check_status(user)
    user = await _update(tx, connection, identity, user)
    await queries.note_sign_in(tx, connection.id, identity.subject)
    return user


def _email(identity: FederatedIdentity) -> Email | None:
    if not identity.email:
        return None
    email = rules.strict_email(identity.email)
    if email is None:
        raise SignInRefused("email_unreadable", "an e-mail address", masked(identity.email))
    return email


async def _check_domain(tx: Tx, connection: Connection, domain: str) -> None:
    if domain not in connection.domains:
        raise SignInRefused("domain_not_of_connection", ", ".join(connection.domains), domain)
    if not await domains.is_verified(tx, domain):
        raise SignInRefused("domain_not_verified", "a verified domain", domain)


async def _first(tx: Tx, connection: Connection, identity: FederatedIdentity, email: Email | None) -> User:
    """Somebody whom the connection does not know yet: linked, and made where there is nobody."""
    if email is None:
        raise SignInRefused("email_missing", "an e-mail address", "none")
    user = await user_queries.find_by_email(tx, email)
    if user is None and connection.jit:
        user = await _make(tx, connection, identity, email)
    if user is None:
        raise SignInRefused("no_account", received=masked(email))
    user = await user_queries.get_for_update(tx, user.id)
    _check_status(user)
    if await queries.link(tx, connection.id, identity.subject, user.id):
        await audit.record(tx, "sso.identity_linked", user.id, "", connection_id=connection.id)
    elif await queries.find_linked(tx, connection.id, identity.subject) != user.id:
        raise SignInRefused("other_subject", received=masked(email))
    return user


async def _make(tx: Tx, connection: Connection, identity: FederatedIdentity, email: Email) -> User | None:
    """A learner, whatever the provider says; or who was made at the same moment."""
    members = rules.mapped(identity.attributes, connection.attributes)
    given = rules.mapped({"name": [identity.name or ""]}, {"name": "name"})
    name = members.pop("name", None) or given.get("name") or email.partition("@")[0]
    unit = await _unit(tx, connection, identity)
    raw = {"email": email, "name": name[:120], "business_unit_id": unit, **members}
    try:
        return await users.create(tx, convert(raw, NewUser, dec_hook=dec_hook), None, invited=False)
    except ValidationError:
        raise SignInRefused("unfit_attribute") from None
    except Conflict:
        return await user_queries.find_by_email(tx, email)


async def _update(tx: Tx, connection: Connection, identity: FederatedIdentity, user: User) -> User:
    """What the mapping tells. An administrator is changed by administrators alone."""
    if user.role == "admin":
        return user
    members = rules.mapped(identity.attributes, connection.attributes)
    unit = await _unit(tx, connection, identity)
    try:
        patch = convert(members | ({"business_unit_id": unit} if unit else {}), UserPatch, dec_hook=dec_hook)
        return await users.update(tx, user.id, patch)
    except ValidationError:
        raise SignInRefused("unfit_attribute") from None
    except Conflict:
        raise SignInRefused("account_changed") from None


async def _unit(tx: Tx, connection: Connection, identity: FederatedIdentity) -> UUID | None:
    """One that was deleted since keeps nobody out."""
    wanted = rules.unit_of(identity.attributes, connection.unit_attribute, connection.units)
    if wanted is None:
        return None
    try:
        return (await business_units.get(tx, wanted)).id
    except NotFound:
        return None


def _check_status(user: User) -> None:
    if user.status != "ACTIVE":
        raise SignInRefused("account_suspended" if user.status == "SUSPENDED" else "account_inactive")
