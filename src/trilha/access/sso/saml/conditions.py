"""When and for whom an assertion is valid (core 2.5.1), and how long its session may last."""

from datetime import datetime, timedelta

from lxml import etree

from trilha.access.sso.saml.documents import Element, instant, require_child, text_of
from trilha.access.sso.saml.errors import build_refusal
from trilha.access.sso.saml.names import saml

# We meet these conditions anyway: an assertion is accepted once and passed to nobody.
_HARMLESS = (saml("OneTimeUse"), saml("ProxyRestriction"))


def check_conditions(assertion: Element, audience: str, now: datetime, skew: timedelta) -> datetime | None:
    """Returns the moment by which the session has to end, if the provider names one. Raises
    SignInRefused.
    """
    conditions = require_child(assertion, saml("Conditions"))
    if (before := conditions.get("NotBefore")) is not None and now + skew < instant(before):
        raise build_refusal("saml_assertion_not_yet", _at(now), f"good from {before}")
    if conditions.get("NotOnOrAfter") is not None:
        check_instant_ahead("saml_assertion_expired", conditions.get("NotOnOrAfter"), now, skew)
    for condition in conditions:
        if condition.tag != saml("AudienceRestriction") and condition.tag not in _HARMLESS:
            raise build_refusal(
                "saml_condition_unknown", "a condition of SAML core", etree.QName(condition).localname
            )
    _check_audience(conditions, audience)
    return _session_end(assertion, now, skew)


def _check_audience(conditions: Element, audience: str) -> None:
    """Requires that every audience restriction names us."""
    restrictions = conditions.findall(saml("AudienceRestriction"))
    if not restrictions:
        raise build_refusal("saml_audience_mismatch", audience, "no AudienceRestriction")
    for restriction in restrictions:
        named = [text_of(each) for each in restriction.findall(saml("Audience"))]
        if audience not in named:
            raise build_refusal("saml_audience_mismatch", audience, named or "no Audience")


def _session_end(assertion: Element, now: datetime, skew: timedelta) -> datetime | None:
    statements = assertion.findall(saml("AuthnStatement"))
    if not statements:
        raise build_refusal("saml_authentication_missing", "an AuthnStatement", "none")
    ends = [each.get("SessionNotOnOrAfter") for each in statements]
    for each in ends:
        if each is not None:
            check_instant_ahead("saml_session_expired", each, now, skew)
    return min((instant(each) for each in ends if each is not None), default=None)


def check_instant_ahead(code: str, text: str | None, now: datetime, skew: timedelta) -> None:
    """Raises SignInRefused (the code) for a moment that has passed or is missing."""
    if text is None or now - skew >= instant(text):
        raise build_refusal(code, f"a time after {_at(now)}", text or "no NotOnOrAfter")


def _at(now: datetime) -> str:
    return f"{now:%Y-%m-%dT%H:%M:%SZ}"
