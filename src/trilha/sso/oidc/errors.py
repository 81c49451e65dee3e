"""Why a sign-in by OpenID Connect is refused."""

from trilha.core.errors import codes, register
from trilha.pages import N_
from trilha.sso.errors import register_reasons

register_reasons(
    provider_unreachable=N_("The provider could not be asked."),
    document_unreadable=N_("The provider's discovery document cannot be read."),
    endpoint_missing=N_("The provider's discovery document lacks an address."),
    endpoint_not_allowed=N_("The provider's discovery document has an address that may not be called."),
    issuer_mismatch=N_("The provider calls itself something else than the connection does."),
    keys_unavailable=N_("The provider's keys could not be read, or none of them can sign."),
    key_unknown=N_("The token was signed with a key that the provider does not publish."),
    provider_error=N_("The provider answered with an error."),
    iss_missing=N_(
        "The answer does not say which provider it is from, though the provider says that it does."
    ),
    iss_mismatch=N_("The answer is from another provider."),
    code_missing=N_("The answer brought no code."),
    token_refused=N_("The provider did not give a token for the code."),
    token_unreadable=N_("What the provider gave cannot be read as a token."),
    algorithm_not_allowed=N_("The token is signed in a way that the connection does not allow."),
    signature_invalid=N_("The token's signature is not right."),
    token_issuer=N_("The token is from another issuer."),
    token_audience=N_("The token is meant for another client."),
    token_party=N_("The token was issued to another client."),
    token_time=N_("The token lacks a time, or has one that is not right."),
    token_expired=N_("The token has expired."),
    token_too_old=N_("The token was issued too long ago."),
    token_in_future=N_("The token is from the future: a clock is wrong."),
    nonce_mismatch=N_("The token belongs to another sign-in."),
    access_token_mismatch=N_("The access token is another than the signed one."),
    subject_unreadable=N_("The token's subject is no text of 1 to 255 ASCII characters."),
    hosted_domain_missing=N_("The Google account belongs to no company: the token names no domain (hd)."),
    userinfo_failed=N_("What the provider knows of the person could not be read."),
    userinfo_subject=N_("What the provider told of the person is of somebody else."),
)
register(
    "sso.oidc",
    codes(
        "business_rule",
        422,
        provider_not_usable="The provider cannot be used: see detail.",
        client_secret_missing="This way to prove who the client is needs its secret.",  # noqa: S106
        algorithm_unknown="There is no such signature algorithm, or it is not allowed.",
    ),
)
