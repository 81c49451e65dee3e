"""/v1 as a surface: who may call, what a call counts against, and how it is described."""

from collections.abc import Iterable, Sequence

from trilha.access.api_keys.rules import is_well_formed
from trilha.access.oauth import tokens
from trilha.core.credentials import SCOPES, CredentialKind, PresentedCredential
from trilha.core.errors import Unauthenticated
from trilha.core.openapi import Description
from trilha.core.openapi.webhooks import parameter_components
from trilha.core.secrets import Keyring
from trilha.core.web.bearer import TokenReader
from trilha.core.web.callers import Identity, Limits, RequestCredentials
from trilha.core.web.rate_limits import Hit, Limit
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Meter, Surface
from trilha.feature import Feature
from trilha.settings import Settings

_INTRODUCTION = """\
JSON over HTTPS. One credential belongs to one tenant and sees nothing else.

**Credentials.** Send an API key with every call, or an access token of an OAuth client:
`Authorization: Bearer <key or token>`. Each operation names the scope that it must have.

**Lists** answer `data`, `next_cursor`, `has_more` and `limit`. Ask again with `cursor=<next_cursor>`, and the
same filters, until `has_more` is false.

**Errors** have one form: `error.type` says what kind, `error.code` the stable reason, `error.message` is
for people. A `validation_error` tells every problem at once, in `error.detail`. Quote `error.request_id` to
support.

**Repeating a call.** A POST that carries an `Idempotency-Key` may be sent again within 24 hours: the answer
comes back and nothing is done twice.

**Limits.** Every answer tells what is left of the window, in `X-RateLimit-*` and `RateLimit-*`. After a
429, wait the seconds that `Retry-After` names.
"""


def list_routes(features: Iterable[Feature]) -> list[Routes]:
    """Returns the routes of /v1, feature by feature, in the order of the reference."""
    return [routes for feature in features for routes in feature.v1]


def token_reader(prefix: str, keyring: Keyring, access_tokens: tokens.AccessTokens) -> TokenReader:
    """Returns a reader that tells API keys, which begin with `prefix`, from access tokens by their form."""

    async def read(token: str) -> PresentedCredential:
        if is_well_formed(token, prefix):
            return PresentedCredential(CredentialKind.API_KEY, keyring.fingerprint(token))
        if tokens.is_well_formed(token):
            return await access_tokens.present(token)
        raise Unauthenticated("credential_invalid")

    return read


def surface(
    features: Iterable[Feature], settings: Settings, identity: Identity, meter: Meter | None = None
) -> Surface:
    return Surface(
        name="v1",
        prefixes=["/v1", "/api/v1"],
        features=list_routes(features),
        identity=identity,
        limits=_limits(settings.limit_key, settings.limit_v1, settings.limit_verify),
        headers={"cache-control": "no-store"},
        idempotency=True,
        meter=meter,
    )


def _limits(by: str, usual: Limit, verify: Limit) -> Limits:
    """`by` is `ip`, `credential` or `both`."""

    def limits(request: Request, presented: RequestCredentials) -> Sequence[Hit]:
        if request.path.startswith("/certificates/verify/"):
            return [Hit(f"verify:{request.counted_as}", verify)]
        by_address = f"v1:{request.counted_as}"
        if by == "ip" or not presented.credentials:
            return [Hit(by_address, usual)]
        (credential,) = presented.credentials
        if by == "both":
            return [Hit(by_address, usual), Hit("v1:", usual, credential)]
        # What is not proven counts against the address.
        return [Hit("v1:", usual, credential, otherwise=by_address)]

    return limits


def description(v1: Surface, settings: Settings) -> Description:
    address = settings.address
    scopes = {str(scope): meaning for scope, meaning in SCOPES.items()}
    return Description(
        title="Trilha API",
        summary="People, courses and enrollments, for HR and ERP systems.",
        introduction=_INTRODUCTION,
        server=f"{address}/v1",
        surfaces=[v1],
        challenges=Unauthenticated.challenges,
        security_schemes={
            "apiKey": {
                "type": "http",
                "scheme": "bearer",
                "description": "An API key. Scopes:\n\n"
                + "\n".join(f"- `{scope}`: {meaning}" for scope, meaning in scopes.items()),
            },
            "oauth": {
                "type": "oauth2",
                "description": "An access token of an OAuth client, good for an hour.",
                "flows": {"clientCredentials": {"tokenUrl": f"{address}/oauth/token", "scopes": scopes}},
            },
        },
        # Scopes are listed with the oauth2 scheme alone: Spectral refuses them elsewhere.
        security=lambda route: [{"apiKey": []}, {"oauth": [route.scope]}] if route.scope else [],
        webhook_headers=parameter_components(settings.header_prefix, settings.webhook_agent),
        shared_failures={
            401: "Unauthenticated",
            408: "TimedOut",
            413: "TooLarge",
            415: "UnsupportedMediaType",
            429: "RateLimited",
            500: "Failed",
            503: "Unavailable",
        },
    )
