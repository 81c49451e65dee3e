"""The texts for reasons, states and steps of single sign-on."""

from collections.abc import Mapping

from trilha.access.sso.oidc.schema import AuthMethod
from trilha.access.sso.schema import Kind, Outcome
from trilha.kit import N_

KINDS: Mapping[Kind, str] = {"OIDC": N_("OpenID Connect"), "SAML": N_("SAML 2.0")}
OUTCOMES: Mapping[Outcome, str] = {
    "SIGNED_IN": N_("Signed in"),
    "REFUSED": N_("Refused"),
    "TESTED": N_("Tested"),
}
METHODS: Mapping[AuthMethod, str] = {
    "client_secret_basic": N_("Client secret, in the header (usual)"),
    "client_secret_post": N_("Client secret, in the body"),
    "private_key_jwt": N_("Key generated here (no secret)"),
}
DOMAIN_STATES: Mapping[str, tuple[str, str]] = {
    "verified": ("ok", N_("Verified")),
    "missing": ("bad", N_("Record missing")),
    "pending": ("warn", N_("Not verified yet")),
}
# Results of looking up a domain's record.
FINDINGS: Mapping[str, str] = {
    "found": N_("The record is in place."),
    "no_record": N_("The record was not found yet. A new record can take an hour to appear."),
    "other_record": N_("The record has a different value. Copy the value from here again."),
    "no_answer": N_("The domain's name servers did not answer. Try again in a few minutes."),
    "taken": N_("Another company has already verified this domain. Contact support."),
}
# By the codes of alerts.
ALERTS: Mapping[str, str] = {
    "document_unreadable": N_("The provider's discovery document could not be read again"),
    "metadata": N_("The provider's metadata could not be read again"),
    "certificate": N_("The provider's certificate expires soon or has expired"),
}
STEPS: Mapping[str, str] = {
    "answer": N_("The provider answered"),
    "token": N_("The provider exchanged the code for a token"),
    "key": N_("The provider's key was found"),
    "claims": N_("The token is valid"),
    "userinfo": N_("The provider sent more details about the person"),
    "response": N_("The response is valid"),
    "account": N_("Account that would be signed in"),
}
