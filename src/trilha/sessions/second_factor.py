"""The second factor: codes of an authenticator app (RFC 6238), or recovery codes."""

import hmac
from datetime import timedelta
from typing import Literal
from uuid import UUID

import pyotp

from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, invalid
from trilha.core.types import Timestamp
from trilha.sessions import second_factor_queries
from trilha.sessions.rules import WRONG_CODES, WRONG_CODES_WITHIN, new_recovery_codes, normalised_code
from trilha.sessions.schema import AuthenticatorSecret

# `now_locked` is the wrong code that locks the second factor.
Attempt = Literal["right", "wrong", "locked", "now_locked"]
_STEP_SECONDS = 30
_DIGITS = 6
# How long a secret that waits for its first code is shown again.
_BEGUN = timedelta(minutes=30)


async def begin(tx: Tx, user_id: UUID, email: str, tenant_name: str) -> AuthenticatorSecret:
    """An authenticator that counts once it is confirmed. Raises Conflict where there is one."""
    secret = pyotp.random_base32()
    if not await second_factor_queries.put_authenticator(tx, user_id, _seal(tx, user_id, secret)):
        raise Conflict("second_factor_exists")
    return _shown(secret, email, tenant_name)


async def find_begun(tx: Tx, user_id: UUID, email: str, tenant_name: str) -> AuthenticatorSecret | None:
    """The one that was begun a moment ago and waits for its first code."""
    found = await second_factor_queries.read_authenticator(tx, user_id)
    if found is None or found.confirmed_at is not None or found.created_at < Timestamp.of(tx.now - _BEGUN):
        return None
    return _shown(tx.keyring.open(found.secret, *_context(tx, user_id)), email, tenant_name)


def _shown(secret: str, email: str, tenant_name: str) -> AuthenticatorSecret:
    uri = pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=f"Trilha: {tenant_name}")
    return AuthenticatorSecret(secret, uri)


async def confirm(tx: Tx, user_id: UUID, code: str) -> list[str]:
    """The recovery codes, shown this once. Raises BusinessRule where none was begun, and Invalid."""
    authenticator = await second_factor_queries.find_authenticator(tx, user_id)
    if authenticator is None or authenticator.confirmed_at is not None:
        raise BusinessRule("second_factor_not_begun")
    if not await _take_code(tx, user_id, code):
        raise invalid("code", "wrong_code")
    return await renew_recovery_codes(tx, user_id)


async def renew_recovery_codes(tx: Tx, user_id: UUID) -> list[str]:
    """New ones; the earlier ones work no more."""
    codes = new_recovery_codes()
    await second_factor_queries.put_recovery_codes(
        tx, user_id, [_fingerprint(tx, user_id, code) for code in codes]
    )
    return codes


async def attempt(tx: Tx, user_id: UUID, code: str) -> Attempt:
    """Tries a code, which is used up if it is right, and counts it if it is wrong.

    Attempts of one person wait for each other, so that no more are tried at once than one after the other.
    The caller commits whatever comes of it: a transaction that is rolled back counts nothing.
    """
    authenticator = await second_factor_queries.find_authenticator(tx, user_id)
    now = Timestamp.of(tx.now)
    if authenticator is not None and authenticator.locked_until and authenticator.locked_until > now:
        return "locked"
    if await _take(tx, user_id, code):
        await second_factor_queries.note_failures(tx, user_id, [], None)
        return "right"
    if authenticator is None:
        return "wrong"
    began = Timestamp.of(tx.now - WRONG_CODES_WITHIN)
    failed_at = [*(Timestamp(each).moment() for each in authenticator.failed_at if each > began), tx.now]
    if len(failed_at) < WRONG_CODES:
        await second_factor_queries.note_failures(tx, user_id, failed_at, None)
        return "wrong"
    await second_factor_queries.note_failures(tx, user_id, [], tx.now + WRONG_CODES_WITHIN)
    return "now_locked"


async def _take(tx: Tx, user_id: UUID, code: str) -> bool:
    typed = normalised_code(code)
    if typed.isdecimal() and len(typed) == _DIGITS:
        return await _take_code(tx, user_id, typed)
    return await second_factor_queries.take_recovery_code(tx, user_id, _fingerprint(tx, user_id, typed))


async def _take_code(tx: Tx, user_id: UUID, code: str) -> bool:
    authenticator = await second_factor_queries.find_authenticator(tx, user_id)
    if authenticator is None:
        return False
    codes = pyotp.TOTP(tx.keyring.open(authenticator.secret, *_context(tx, user_id)))
    now, typed = int(tx.now.timestamp()) // _STEP_SECONDS, normalised_code(code)
    # A clock may be half a minute off to either side (RFC 6238 section 5.2).
    for step in (now - 1, now, now + 1):
        right = hmac.compare_digest(codes.generate_otp(step).encode(), typed.encode())
        if right and step > authenticator.last_step:
            await second_factor_queries.note_step(tx, user_id, step)
            return True
    return False


def _seal(tx: Tx, user_id: UUID, secret: str) -> bytes:
    return tx.keyring.seal(secret, *_context(tx, user_id))


def _context(tx: Tx, user_id: UUID) -> tuple[object, ...]:
    return tx.tenant_id, "authenticators", user_id, "secret"


def _fingerprint(tx: Tx, user_id: UUID, code: str) -> bytes:
    return tx.keyring.fingerprint(f"recovery:{user_id}:{normalised_code(code)}")
