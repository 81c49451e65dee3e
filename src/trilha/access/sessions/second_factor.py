"""The second factor: codes of an authenticator app (RFC 6238), or recovery codes."""

import hmac
from datetime import timedelta
from typing import Literal
from uuid import UUID

import pyotp

from trilha.access.sessions import second_factor_queries
from trilha.access.sessions.rules import WRONG_CODES, WRONG_CODES_WITHIN, new_recovery_codes, normalize_code
from trilha.access.sessions.schema import AuthenticatorSecret
from trilha.core.database import Tx
from trilha.core.errors import BusinessRule, Conflict, invalid
from trilha.core.resealing.columns import SealedColumn
from trilha.core.types import Timestamp

# `now_locked` is the wrong code that locks the second factor.
Attempt = Literal["right", "wrong", "locked", "now_locked"]
_STEP_SECONDS = 30
_DIGITS = 6
SEALED_AUTHENTICATORS = SealedColumn(
    kind="second factors",
    table="authenticators",
    column="secret",
    keys={"user_id": "uuid"},
    context=lambda row: ("authenticators", row["user_id"], "secret"),
)
# How long a secret is shown again while it waits for its first code.
_SETUP_PERIOD = timedelta(minutes=30)


async def begin(tx: Tx, user_id: UUID, email: str, tenant_name: str) -> AuthenticatorSecret:
    """Creates an authenticator, which takes effect once confirmed. Raises Conflict if there is one."""
    secret = pyotp.random_base32()
    if not await second_factor_queries.put_authenticator(tx, user_id, _seal(tx, user_id, secret)):
        raise Conflict("second_factor_exists")
    return _build_secret(secret, email, tenant_name)


async def find_begun(tx: Tx, user_id: UUID, email: str, tenant_name: str) -> AuthenticatorSecret | None:
    """Returns the recently created authenticator that waits for its first code."""
    authenticator = await second_factor_queries.read_authenticator(tx, user_id)
    if (
        authenticator is None
        or authenticator.confirmed_at is not None
        or authenticator.created_at < Timestamp.of(tx.now - _SETUP_PERIOD)
    ):
        return None
    return _build_secret(tx.keyring.open(authenticator.secret, *_context(tx, user_id)), email, tenant_name)


def _build_secret(secret: str, email: str, tenant_name: str) -> AuthenticatorSecret:
    uri = pyotp.TOTP(secret).provisioning_uri(name=email, issuer_name=f"Trilha: {tenant_name}")
    return AuthenticatorSecret(secret, uri)


async def confirm(tx: Tx, user_id: UUID, code: str) -> list[str]:
    """Confirms the authenticator and returns new recovery codes. Raises BusinessRule if there is none to
    confirm, and Invalid.
    """
    authenticator = await second_factor_queries.find_authenticator(tx, user_id)
    if authenticator is None or authenticator.confirmed_at is not None:
        raise BusinessRule("second_factor_not_begun")
    if not await _take_code(tx, user_id, code):
        raise invalid("code", "wrong_code")
    return await renew_recovery_codes(tx, user_id)


async def renew_recovery_codes(tx: Tx, user_id: UUID) -> list[str]:
    """Replaces the recovery codes and returns the new ones."""
    codes = new_recovery_codes()
    await second_factor_queries.put_recovery_codes(
        tx, user_id, [_fingerprint(tx, user_id, code) for code in codes]
    )
    return codes


async def attempt(tx: Tx, user_id: UUID, code: str) -> Attempt:
    """Checks a code, uses it up if it is right, and counts it if it is wrong.

    Attempts of one person run one after the other, so that parallel ones do not bypass the count. The caller
    must commit in any case, because a rollback would lose the count.
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
    since = Timestamp.of(tx.now - WRONG_CODES_WITHIN)
    failed_at = [
        *(Timestamp(moment).moment() for moment in authenticator.failed_at if moment > since),
        tx.now,
    ]
    if len(failed_at) < WRONG_CODES:
        await second_factor_queries.note_failures(tx, user_id, failed_at, None)
        return "wrong"
    await second_factor_queries.note_failures(tx, user_id, [], tx.now + WRONG_CODES_WITHIN)
    return "now_locked"


async def _take(tx: Tx, user_id: UUID, code: str) -> bool:
    normalized = normalize_code(code)
    if normalized.isdecimal() and len(normalized) == _DIGITS:
        return await _take_code(tx, user_id, normalized)
    return await second_factor_queries.take_recovery_code(tx, user_id, _fingerprint(tx, user_id, normalized))


async def _take_code(tx: Tx, user_id: UUID, code: str) -> bool:
    authenticator = await second_factor_queries.find_authenticator(tx, user_id)
    if authenticator is None:
        return False
    codes = pyotp.TOTP(tx.keyring.open(authenticator.secret, *_context(tx, user_id)))
    now, normalized = int(tx.now.timestamp()) // _STEP_SECONDS, normalize_code(code)
    # Clocks may differ by half a minute in either direction (RFC 6238 section 5.2).
    for step in (now - 1, now, now + 1):
        matches = hmac.compare_digest(codes.generate_otp(step).encode(), normalized.encode())
        if matches and step > authenticator.last_step:
            await second_factor_queries.note_step(tx, user_id, step)
            return True
    return False


def _seal(tx: Tx, user_id: UUID, secret: str) -> bytes:
    return tx.keyring.seal(secret, *_context(tx, user_id))


def _context(tx: Tx, user_id: UUID) -> tuple[object, ...]:
    return tx.tenant_id, "authenticators", user_id, "secret"


def _fingerprint(tx: Tx, user_id: UUID, code: str) -> bytes:
    return tx.keyring.fingerprint(f"recovery:{user_id}:{normalize_code(code)}")
