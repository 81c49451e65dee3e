"""/oauth and its metadata. Requests are forms, responses are JSON."""

from trilha.access.oauth import actions, assertions
from trilha.access.oauth.authentication import OAuthCaller
from trilha.access.oauth.errors import OAuthError
from trilha.access.oauth.rules import parse_scope
from trilha.access.oauth.schema import (
    Introspection,
    JwkSet,
    ServerMetadata,
    TokenAnswer,
    TokenQuestion,
    TokenRequest,
)
from trilha.access.oauth.signing_keys import ALGORITHM, PUBLISHED_FOR
from trilha.access.oauth.tokens import AccessTokens
from trilha.core.credentials import SCOPES
from trilha.core.database import Tx
from trilha.core.web.callers import IDENTIFIED_CALLER, PUBLIC
from trilha.core.web.routes import Routes

routes = Routes("OAuth 2.0", "Access tokens for machines.")
metadata = Routes("OAuth metadata", "Metadata for client libraries.")

GRANT = "client_credentials"
_METHODS = ("client_secret_basic", "client_secret_post", "private_key_jwt")
_FORM_BYTES = 64 * 1024
_CACHE_HEADERS = {"cache-control": f"public, max-age={int(PUBLISHED_FOR.total_seconds())}"}


@routes.post(
    "/token",
    access=IDENTIFIED_CALLER,
    rate_limit="token",
    max_body=_FORM_BYTES,
    errors=["invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"],
)
async def issue_token(form: TokenRequest, caller: OAuthCaller, issuer: actions.Issuer) -> TokenAnswer:
    """Issue an access token for the client itself (client credentials grant, RFC 6749 section 4.4)."""
    if form.grant_type != GRANT:
        raise OAuthError("unsupported_grant_type", "The grant_type must be client_credentials.")
    return await issuer.issue(caller.client, parse_scope(form.scope, caller.client.scopes))


@routes.post(
    "/revoke",
    access=IDENTIFIED_CALLER,
    rate_limit="revoke",
    max_body=_FORM_BYTES,
    errors=["invalid_client", "unauthorized_client"],
)
async def revoke_token(tx: Tx, form: TokenQuestion, caller: OAuthCaller, tokens: AccessTokens) -> None:
    """Revoke an access token (RFC 7009). Unknown tokens and tokens of other tenants are ignored."""
    await actions.revoke(tx, tokens, caller.client.id, form.token)


@routes.post(
    "/introspect",
    access=IDENTIFIED_CALLER,
    rate_limit="introspect",
    max_body=_FORM_BYTES,
    errors=["invalid_client", "unauthorized_client"],
)
async def introspect_token(form: TokenQuestion, caller: OAuthCaller, tokens: AccessTokens) -> Introspection:
    """Return whether a token of the client's tenant is active, and its scopes (RFC 7662)."""
    if caller.token_credential is None or caller.claims is None:
        return Introspection(active=False)
    return actions.describe(
        caller.token_credential, caller.claims, caller.client, tokens.issuer, tokens.now()
    )


@routes.get("/jwks", access=PUBLIC, headers=_CACHE_HEADERS)
async def list_signing_keys(tokens: AccessTokens) -> JwkSet:
    """List the public keys that verify access tokens (RFC 7517)."""
    return JwkSet(await tokens.keys.list_public())


@metadata.get("/oauth-authorization-server", access=PUBLIC, headers=_CACHE_HEADERS)
async def get_metadata(tokens: AccessTokens) -> ServerMetadata:
    """Retrieve the authorization server's metadata (RFC 8414)."""
    issuer = tokens.issuer
    algorithms = assertions.ALGORITHMS
    return ServerMetadata(
        issuer=issuer,
        token_endpoint=f"{issuer}/oauth/token",
        revocation_endpoint=f"{issuer}/oauth/revoke",
        introspection_endpoint=f"{issuer}/oauth/introspect",
        jwks_uri=f"{issuer}/oauth/jwks",
        scopes_supported=list(SCOPES),
        response_types_supported=[],
        grant_types_supported=[GRANT],
        token_endpoint_auth_methods_supported=_METHODS,
        revocation_endpoint_auth_methods_supported=_METHODS,
        introspection_endpoint_auth_methods_supported=_METHODS,
        token_endpoint_auth_signing_alg_values_supported=algorithms,
        revocation_endpoint_auth_signing_alg_values_supported=algorithms,
        introspection_endpoint_auth_signing_alg_values_supported=algorithms,
        access_token_signing_alg_values_supported=[ALGORITHM],
        service_documentation=f"{issuer}/docs",
    )
