"""Why a sign-in by OpenID Connect is refused."""

from trilha.access.sso.errors import register_reasons
from trilha.core.errors import codes, register
from trilha.kit import N_

register_reasons(
    provider_unreachable=N_("The provider could not be reached."),
    document_unreadable=N_("The provider's discovery document cannot be read."),
    endpoint_missing=N_("The provider's discovery document is missing an address."),
    endpoint_not_allowed=N_("The provider's discovery document has an address that is not allowed."),
    issuer_mismatch=N_("The provider's issuer differs from the one in the connection."),
    keys_unavailable=N_("The provider's keys could not be read, or none of them can sign."),
    key_unknown=N_("The token was signed with a key that the provider does not publish."),
    provider_error=N_("The provider answered with an error."),
    iss_missing=N_("The response has no issuer, although the provider declares that it sends one."),
    iss_mismatch=N_("The response is from a different provider."),
    code_missing=N_("The response has no code."),
    token_refused=N_("The provider returned no token for the code."),
    token_unreadable=N_("The provider's response is not a readable token."),
    algorithm_not_allowed=N_("The token's signing algorithm is not allowed by the connection."),
    signature_invalid=N_("The token's signature is invalid."),
    token_issuer=N_("The token is from a different issuer."),
    token_audience=N_("The token is intended for a different client."),
    token_party=N_("The token was issued to a different client."),
    token_time=N_("The token has a missing or invalid time."),
    token_expired=N_("The token has expired."),
    token_too_old=N_("The token was issued too long ago."),
    token_in_future=N_("The token was issued in the future. Check the clocks."),
    nonce_mismatch=N_("The token belongs to a different sign-in."),
    access_token_mismatch=N_("The access token does not match the signed hash."),
    subject_unreadable=N_("The token's subject is not a text of 1 to 255 ASCII characters."),
    hosted_domain_missing=N_("This is not a Google Workspace account: its token has no domain (hd)."),
    userinfo_failed=N_("The provider's user information could not be read."),
    userinfo_subject=N_("The provider's user information is about a different person."),
)
register(
    "sso.oidc",
    codes(
        "business_rule",
        422,
        provider_not_usable="The provider cannot be used; `detail` says why.",
        client_secret_missing="This authentication method requires the client secret.",  # noqa: S106
        algorithm_unknown="There is no such signature algorithm, or it is not allowed.",
    ),
)
