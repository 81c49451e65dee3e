"""Maps claims to the person that a provider identifies."""

from collections.abc import Mapping
from typing import Any

from trilha.access.sso.errors import SignInRefused, mask_email
from trilha.access.sso.schema import Connection, FederatedIdentity, Step

GOOGLE = "https://accounts.google.com"
_MAX_CLAIMS, _MAX_VALUES, _LONGEST = 100, 50, 1000
# Claims about the token, not about the person.
_OF_THE_TOKEN = frozenset(
    (
        *("iss", "aud", "azp", "exp", "iat", "nbf", "nonce", "at_hash", "c_hash", "s_hash", "jti"),
        *("auth_time", "acr", "amr", "sid"),
    )
)


def lacks(claims: Mapping[str, Any], connection: Connection) -> bool:
    """Whether the token lacks something for which the user info endpoint has to be called."""
    wanted = {*connection.attributes.values(), connection.unit_attribute or "email", "email"}
    return any(name not in claims for name in wanted)


def join(claims: Mapping[str, Any], userinfo: Mapping[str, Any]) -> dict[str, Any]:
    """Merges the claims of the token and of the user info; the token wins. An address and its
    verification come from the same source.
    """
    joined = {**userinfo, **claims}
    if "email" in claims and "email_verified" not in claims and userinfo.get("email") != claims["email"]:
        joined.pop("email_verified", None)
    return joined


def identity_of(claims: Mapping[str, Any], issuer: str) -> FederatedIdentity:
    """Returns the identity in claims that were verified. Raises SignInRefused (hosted_domain_missing).

    Anybody can open a Google account with a company's address; only `hd` proves that the company manages it.
    """
    email, sid, hosted = claims.get("email"), claims.get("sid"), claims.get("hd")
    if issuer == GOOGLE and not hosted:
        raise SignInRefused("hosted_domain_missing", "hd", "none")
    return FederatedIdentity(
        subject=claims["sub"],
        email=email if isinstance(email, str) and 0 < len(email) <= _LONGEST else None,
        email_verified=_is_email_verified(claims),
        name=_name(claims),
        hosted_domain=None if hosted is None else str(hosted)[:_LONGEST].lower(),
        attributes={
            name[:_LONGEST]: texts
            for name, value in list(claims.items())[:_MAX_CLAIMS]
            if name not in _OF_THE_TOKEN and (texts := _texts(value))
        },
        session_index=sid if isinstance(sid, str) and sid.isprintable() and 0 < len(sid) <= 255 else None,
    )


def _is_email_verified(claims: Mapping[str, Any]) -> bool | None:
    """Some providers send it as text. Any value that is neither true nor false counts as false."""
    if "email_verified" not in claims:
        return None
    value = claims["email_verified"]
    return value is True or value == "true"


def _name(claims: Mapping[str, Any]) -> str | None:
    if isinstance(name := claims.get("name"), str) and name.strip():
        return name
    parts = [claims.get("given_name"), claims.get("family_name")]
    return " ".join(part for part in parts if isinstance(part, str) and part.strip()) or None


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for each in values[:_MAX_VALUES] if (text := _text(each)) is not None]


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)[:_LONGEST]
    return value[:_LONGEST] if isinstance(value, str) and value else None


def build_claims_step(claims: Mapping[str, Any]) -> Step:
    """Returns the claims for the log of a test, with personal values masked."""
    shown = [f"{name}: {_mask_claim(name, value)}" for name, value in list(claims.items())[:_MAX_CLAIMS]]
    return Step("claims", True, "\n".join(shown))


def _mask_claim(name: str, value: object) -> str:
    if name in ("iss", "aud", "azp", "exp", "iat", "nbf", "email_verified", "acr", "amr", "auth_time"):
        return str(value)[:200]
    if isinstance(value, list):
        return f"{len(value)} values"
    if not isinstance(value, str):
        return type(value).__name__
    return mask_email(value) if "@" in value else f"{value[:2]}… ({len(value)} characters)"
