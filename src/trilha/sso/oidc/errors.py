"""Why a sign-in by OpenID Connect is refused."""

from trilha.core.errors import codes, register
from trilha.sso.errors import register_reasons

register_reasons(
    provider_unreachable="The provider could not be asked.",
    document_unreadable="The provider's discovery document cannot be read.",
    endpoint_missing="The provider's discovery document lacks an address.",
    endpoint_not_allowed="The provider's discovery document has an address that may not be called.",
    issuer_mismatch="The provider calls itself something else than the connection does.",
    keys_unavailable="The provider's keys could not be read, or none of them can sign.",
    key_unknown="The token was signed with a key that the provider does not publish.",
    provider_error="The provider answered with an error.",
    iss_missing="The answer does not say which provider it is from, though the provider says that it does.",
    iss_mismatch="The answer is from another provider.",
    code_missing="The answer brought no code.",
    token_refused="The provider did not give a token for the code.",  # noqa: S106
    token_unreadable="What the provider gave cannot be read as a token.",  # noqa: S106
    algorithm_not_allowed="The token is signed in a way that the connection does not allow.",
    signature_invalid="The token's signature is not right.",
    token_issuer="The token is from another issuer.",  # noqa: S106
    token_audience="The token is meant for another client.",  # noqa: S106
    token_party="The token was issued to another client.",  # noqa: S106
    token_time="The token lacks a time, or has one that is not right.",  # noqa: S106
    token_expired="The token has expired.",  # noqa: S106
    token_too_old="The token was issued too long ago.",  # noqa: S106
    token_in_future="The token is from the future: a clock is wrong.",  # noqa: S106
    nonce_mismatch="The token belongs to another sign-in.",
    access_token_mismatch="The access token is another than the signed one.",  # noqa: S106
    subject_unreadable="The token's subject is no text of 1 to 255 ASCII characters.",
    userinfo_failed="What the provider knows of the person could not be read.",
    userinfo_subject="What the provider told of the person is of somebody else.",
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
