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
    "private_key_jwt": N_("Key made here, without a secret"),
}
DOMAIN_STATES: Mapping[str, tuple[str, str]] = {
    "verified": ("ok", N_("Verified")),
    "missing": ("bad", N_("Record missing")),
    "pending": ("warn", N_("Not verified yet")),
}
# Results of looking up a domain's record.
FINDINGS: Mapping[str, str] = {
    "found": N_("The record is there."),
    "no_record": N_("There is no such record yet. Name servers may take an hour to tell of a new one."),
    "other_record": N_("The record has another value. Copy it from here again."),
    "no_answer": N_("The domain's name servers gave no answer. Try again in a few minutes."),
    "taken": N_("Another company has verified this domain. Ask whoever runs this server."),
}
# By the codes of alerts.
ALERTS: Mapping[str, str] = {
    "document_unreadable": N_("The provider's discovery document could not be read again"),
    "metadata": N_("The provider's metadata could not be read again"),
    "certificate": N_("The provider's certificate expires, or has"),
}
STEPS: Mapping[str, str] = {
    "answer": N_("The provider answered"),
    "token": N_("A token was given for the code"),
    "key": N_("The provider's key was found"),
    "claims": N_("The token is right"),
    "userinfo": N_("The provider told more of the person"),
    "response": N_("The response is right"),
    "account": N_("Who would be signed in"),
}
