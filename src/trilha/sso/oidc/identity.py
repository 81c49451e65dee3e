"""From claims to the person whom a provider means."""

from collections.abc import Mapping
from typing import Any

from trilha.sso.errors import SignInRefused, masked
from trilha.sso.schema import Connection, FederatedIdentity, Step

GOOGLE = "https://accounts.google.com"
_MOST_CLAIMS, _MOST_VALUES, _LONGEST = 100, 50, 1000
# Claims about the token, not about the person.
_OF_THE_TOKEN = frozenset(
    (
        *("iss", "aud", "azp", "exp", "iat", "nbf", "nonce", "at_hash", "c_hash", "s_hash", "jti"),
        *("auth_time", "acr", "amr", "sid"),
    )
)


def lacks(claims: Mapping[str, Any], connection: Connection) -> bool:
    """Whether the provider has to be asked for what the token does not tell."""
    wanted = {*connection.attributes.values(), connection.unit_attribute or "email", "email"}
    return any(name not in claims for name in wanted)


def join(claims: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """What the token says stands. An address and whether it is verified are told by one of the two."""
    joined = {**more, **claims}
    if "email" in claims and "email_verified" not in claims and more.get("email") != claims["email"]:
        joined.pop("email_verified", None)
    return joined


def identity_of(claims: Mapping[str, Any], issuer: str) -> FederatedIdentity:
    """Of claims that were checked. Raises SignInRefused (hosted_domain_missing).

    Anybody can open a Google account with an address of a company's: only `hd` says that the company has it.
    """
    email, sid, hosted = claims.get("email"), claims.get("sid"), claims.get("hd")
    if issuer == GOOGLE and not hosted:
        raise SignInRefused("hosted_domain_missing", "hd", "none")
    return FederatedIdentity(
        subject=claims["sub"],
        email=email if isinstance(email, str) and 0 < len(email) <= _LONGEST else None,
        email_verified=_verified(claims),
        name=_name(claims),
        hosted_domain=None if hosted is None else str(hosted)[:_LONGEST].lower(),
        attributes={
            name[:_LONGEST]: texts
            for name, value in list(claims.items())[:_MOST_CLAIMS]
            if name not in _OF_THE_TOKEN and (texts := _texts(value))
        },
        session_index=sid if isinstance(sid, str) and sid.isprintable() and 0 < len(sid) <= 255 else None,
    )


def _verified(claims: Mapping[str, Any]) -> bool | None:
    """Some providers say it in letters. What is neither is no."""
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
    return [text for each in values[:_MOST_VALUES] if (text := _text(each)) is not None]


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)[:_LONGEST]
    return value[:_LONGEST] if isinstance(value, str) and value else None


def told(claims: Mapping[str, Any]) -> Step:
    """The claims as a test shows them: what is said of the person only in part."""
    shown = [f"{name}: {_shown(name, value)}" for name, value in list(claims.items())[:_MOST_CLAIMS]]
    return Step("claims", True, "\n".join(shown))


def _shown(name: str, value: object) -> str:
    if name in ("iss", "aud", "azp", "exp", "iat", "nbf", "email_verified", "acr", "amr", "auth_time"):
        return str(value)[:200]
    if isinstance(value, list):
        return f"{len(value)} values"
    if not isinstance(value, str):
        return type(value).__name__
    return masked(value) if "@" in value else f"{value[:2]}… ({len(value)} characters)"
