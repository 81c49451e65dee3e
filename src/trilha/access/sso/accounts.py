"""Finds, links or creates the person that a provider vouches for.

The order of the checks matters. A person is identified by connection and subject. An e-mail address
identifies a person only at their first sign-in, and only in a domain of both the connection and the tenant.
"""

from uuid import UUID

from msgspec import ValidationError, convert

from trilha.access.sso import queries, rules
from trilha.access.sso.domains import queries as domains
from trilha.access.sso.errors import SignInRefused, mask_email
from trilha.access.sso.schema import Connection, FederatedIdentity
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, NotFound
from trilha.core.types import Email, dec_hook
from trilha.people.business_units import queries as business_units
from trilha.people.users import actions as users
from trilha.people.users import queries as user_queries
from trilha.people.users.schema import NewUser, User, UserPatch
from trilha.platform.audit import queries as audit


async def sign_in(tx: Tx, connection: Connection, identity: FederatedIdentity) -> User:
    """Returns the person, linked and updated with the provider's attributes.

    Raises SignInRefused; the transaction must then be rolled back.
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
        user = await _sign_in_first_time(tx, connection, identity, email)
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
        raise SignInRefused("email_unreadable", "an e-mail address", mask_email(identity.email))
    return email


async def _check_domain(tx: Tx, connection: Connection, domain: str) -> None:
    if domain not in connection.domains:
        raise SignInRefused("domain_not_of_connection", ", ".join(connection.domains), domain)
    if not await domains.is_verified(tx, domain):
        raise SignInRefused("domain_not_verified", "a verified domain", domain)


async def _sign_in_first_time(
    tx: Tx, connection: Connection, identity: FederatedIdentity, email: Email | None
) -> User:
    """Links a person to the connection, creating the person if necessary."""
    if email is None:
        raise SignInRefused("email_missing", "an e-mail address", "none")
    user = await user_queries.find_by_email(tx, email)
    if user is None and connection.jit:
        user = await _create(tx, connection, identity, email)
    if user is None:
        raise SignInRefused("no_account", received=mask_email(email))
    user = await user_queries.get_for_update(tx, user.id)
    _check_status(user)
    if await queries.link(tx, connection.id, identity.subject, user.id):
        await audit.record(tx, "sso.identity_linked", user.id, "", connection_id=connection.id)
    elif await queries.find_linked(tx, connection.id, identity.subject) != user.id:
        raise SignInRefused("other_subject", received=mask_email(email))
    return user


async def _create(tx: Tx, connection: Connection, identity: FederatedIdentity, email: Email) -> User | None:
    """Creates a learner, whatever role the provider sends. If another request does so first, returns that
    person.
    """
    members = rules.map_attributes(identity.attributes, connection.attributes)
    mapped = rules.map_attributes({"name": [identity.name or ""]}, {"name": "name"})
    name = members.pop("name", None) or mapped.get("name") or email.partition("@")[0]
    unit = await _unit(tx, connection, identity)
    raw = {"email": email, "name": name[:120], "business_unit_id": unit, **members}
    try:
        async with tx.savepoint():
            return await users.create(tx, convert(raw, NewUser, dec_hook=dec_hook), None, invited=False)
    except ValidationError:
        raise SignInRefused("unfit_attribute") from None
    except BusinessRule:
        raise SignInRefused("people_quota_exceeded") from None
    except Conflict:
        return await user_queries.find_by_email(tx, email)


async def _update(tx: Tx, connection: Connection, identity: FederatedIdentity, user: User) -> User:
    """Updates the mapped attributes. Administrators are only changed by administrators."""
    if user.role == "admin":
        return user
    members = rules.map_attributes(identity.attributes, connection.attributes)
    unit = await _unit(tx, connection, identity)
    try:
        patch = convert(members | ({"business_unit_id": unit} if unit else {}), UserPatch, dec_hook=dec_hook)
        return await users.update(tx, user.id, patch)
    except ValidationError:
        raise SignInRefused("unfit_attribute") from None
    except Conflict:
        raise SignInRefused("account_changed") from None


async def _unit(tx: Tx, connection: Connection, identity: FederatedIdentity) -> UUID | None:
    """Returns the mapped unit. A unit that was deleted does not prevent the sign-in."""
    unit_id = rules.unit_of(identity.attributes, connection.unit_attribute, connection.units)
    if unit_id is None:
        return None
    try:
        return (await business_units.get(tx, unit_id)).id
    except NotFound:
        return None


def _check_status(user: User) -> None:
    if user.status != "ACTIVE":
        raise SignInRefused("account_suspended" if user.status == "SUSPENDED" else "account_inactive")
