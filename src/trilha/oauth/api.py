"""/oauth and its metadata: forms in, JSON out."""

from trilha.core.credentials import SCOPES
from trilha.core.database import Tx
from trilha.core.web.callers import IDENTIFIED, PUBLIC
from trilha.core.web.routes import Routes
from trilha.oauth import actions, assertions
from trilha.oauth.authentication import OAuthCaller
from trilha.oauth.errors import OAuthError
from trilha.oauth.rules import parse_scope
from trilha.oauth.schema import (
    Introspection,
    JwkSet,
    ServerMetadata,
    TokenAnswer,
    TokenQuestion,
    TokenRequest,
)
from trilha.oauth.signing_keys import ALGORITHM, PUBLISHED_FOR
from trilha.oauth.tokens import AccessTokens

routes = Routes("OAuth 2.0", "Access tokens for machines.")
metadata = Routes("OAuth metadata", "What a client library must know of this server.")

GRANT = "client_credentials"
_METHODS = ("client_secret_basic", "client_secret_post", "private_key_jwt")
_FORM_BYTES = 64 * 1024
_PUBLISHED = {"cache-control": f"public, max-age={int(PUBLISHED_FOR.total_seconds())}"}


@routes.post(
    "/token",
    access=IDENTIFIED,
    rate_limit="token",
    max_body=_FORM_BYTES,
    errors=["invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"],
)
async def issue_token(form: TokenRequest, caller: OAuthCaller, issuer: actions.Issuer) -> TokenAnswer:
    """Issue an access token to a client, for its own use (RFC 6749 section 4.4)."""
    if form.grant_type != GRANT:
        raise OAuthError("unsupported_grant_type", "The grant_type is not client_credentials.")
    return await issuer.issue(caller.client, parse_scope(form.scope, caller.client.scopes))


@routes.post(
    "/revoke",
    access=IDENTIFIED,
    rate_limit="revoke",
    max_body=_FORM_BYTES,
    errors=["invalid_client", "unauthorized_client"],
)
async def revoke_token(tx: Tx, form: TokenQuestion, caller: OAuthCaller, tokens: AccessTokens) -> None:
    """End an access token (RFC 7009). Unknown tokens and other tenants' are ignored."""
    await actions.revoke(tx, tokens, caller.client.id, form.token)


@routes.post(
    "/introspect",
    access=IDENTIFIED,
    rate_limit="introspect",
    max_body=_FORM_BYTES,
    errors=["invalid_client", "unauthorized_client"],
)
async def introspect_token(form: TokenQuestion, caller: OAuthCaller, tokens: AccessTokens) -> Introspection:
    """Say whether a token of the client's tenant is live, and what it opens (RFC 7662)."""
    if caller.asked is None or caller.claims is None:
        return Introspection(active=False)
    return actions.describe(caller.asked, caller.claims, caller.client, tokens.issuer, tokens.now())


@routes.get("/jwks", access=PUBLIC, headers=_PUBLISHED)
async def list_signing_keys(tokens: AccessTokens) -> JwkSet:
    """List the public keys that access tokens are signed with (RFC 7517)."""
    return JwkSet(await tokens.keys.published())


@metadata.get("/oauth-authorization-server", access=PUBLIC, headers=_PUBLISHED)
async def get_metadata(tokens: AccessTokens) -> ServerMetadata:
    """Describe the authorization server (RFC 8414)."""
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
