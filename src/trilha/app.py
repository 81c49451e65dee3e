"""Settings to database to surfaces. The only module that knows every feature."""

from collections.abc import Callable
from typing import Any

from trilha import (
    __version__,
    business_units,
    health,
    learning,
    learning_groups,
    learning_paths,
    pages,
    people_import,
    reference,
    scorm,
    v1,
)
from trilha.api_keys import unscoped as api_keys
from trilha.api_keys.rules import is_well_formed
from trilha.api_keys.schema import KeyPrefix
from trilha.certificates import surface as certificate_files
from trilha.certificates.api import routes as certificates
from trilha.certificates.badges import surface as badges
from trilha.certificates.links import Links as CertificateLinks
from trilha.certificates.rendering.press import Press
from trilha.certificates.rendering.previewing import PREVIEW_LIMITS, Previews
from trilha.certificates.signatures.reading import IdentityReader
from trilha.core.clock import Clock, system_clock
from trilha.core.credentials import CredentialKind, PresentedCredential
from trilha.core.database import Database
from trilha.core.errors import Unauthenticated
from trilha.core.file_store import open_file_store
from trilha.core.openapi import describe
from trilha.core.outbound.fetching import Fetcher
from trilha.core.web.admission import Admission
from trilha.core.web.bearer import BearerIdentity, TokenReader
from trilha.core.web.callers import Anonymous
from trilha.core.web.capacity import Capacity
from trilha.core.web.deadlines import Deadlines
from trilha.core.web.gateway import Gateway
from trilha.core.web.routes import Route, Routes
from trilha.core.web.surface import Surface, unlimited
from trilha.courses import thumbnails
from trilha.courses.api import routes as courses
from trilha.courses.article_pages import ArticlePages
from trilha.enrollments.api import routes as enrollments
from trilha.events.api import routes as events
from trilha.guides import surface as guide_pictures
from trilha.learn import features as learn_pages
from trilha.learn.view import LearnView
from trilha.learn.view import menu as learn_menu
from trilha.learning.launches import unscoped as launch_unscoped
from trilha.login import email_changes as email_change_pages
from trilha.login import forgotten as forgotten_passwords
from trilha.login import pages as login
from trilha.login import providers as provider_pages
from trilha.login.welcome import Welcome
from trilha.mail.daily_limits import ServerLimit as MailLimit
from trilha.oauth import description as oauth_description
from trilha.oauth import surface as oauth
from trilha.oauth import tokens
from trilha.oauth import unscoped as oauth_unscoped
from trilha.oauth.actions import Issuer
from trilha.oauth.authentication import ClientAuthentication, ClientLimits
from trilha.oauth.signing_keys import SigningKeys
from trilha.panel import features as panel_pages
from trilha.panel.outbox.pages import texts_of
from trilha.panel.view import PanelView
from trilha.panel.view import menu as panel_menu
from trilha.people_import.files import ImportFiles
from trilha.personal_data.api import routes as personal_data
from trilha.player import surface as content
from trilha.player.files import PackageContents
from trilha.player.origin import ContentOrigin
from trilha.player.quiz.reports import VoiceAnswers
from trilha.reports.api import routes as reports
from trilha.reports.evidence.printing import EvidencePapers
from trilha.reports.exports import surface as export_files
from trilha.reports.exports.api import routes as exports
from trilha.reports.exports.links import ExportLinks
from trilha.reports.exports.streaming import CsvFiles
from trilha.scim import surface as scim
from trilha.scim.answers import BaseAddress
from trilha.scim.request_log import RequestLog
from trilha.scim.tokens import unscoped as scim_tokens
from trilha.sessions import surface as api
from trilha.sessions import unscoped as sessions_unscoped
from trilha.sessions.actions import SignIn
from trilha.sessions.api import PublicAddress
from trilha.sessions.api import routes as sessions
from trilha.sessions.browsers import Browsers
from trilha.sessions.identity import CsrfTokens, SessionIdentity, SessionLimits
from trilha.sessions.page_surface import page_surface
from trilha.sessions.view import Views
from trilha.settings import Settings
from trilha.sso.api import routes as single_sign_on
from trilha.sso.domains.actions import Verification
from trilha.sso.domains.api import routes as discovery
from trilha.sso.domains.limits import DiscoverLimits
from trilha.sso.exchanging import Exchanges
from trilha.sso.oidc.api import routes as oidc
from trilha.sso.oidc.documents import Discovery
from trilha.sso.oidc.signing_in import OidcSignIn
from trilha.sso.saml.actions import MetadataReader
from trilha.sso.saml.api import routes as saml_routes
from trilha.sso.saml.signing_in import SamlSignIn
from trilha.sso.saml.signing_out import SamlSignOut
from trilha.status.jobs import keep_errors_on
from trilha.tenants import surface as logos
from trilha.users.api import routes as users
from trilha.verify import surface as verify
from trilha.webhooks.actions import EndpointLimit
from trilha.webhooks.api import routes as webhooks

# The features of /v1, in the order of the reference.
FEATURES: tuple[Routes, ...] = (
    *(users, courses, enrollments, certificates, reports, exports, events, webhooks),
)
CREDENTIALS = (
    api_keys.LOOKUP,
    oauth_unscoped.CLIENT_SECRET,
    oauth_unscoped.ACCESS_TOKEN,
    sessions_unscoped.LOOKUP,
    launch_unscoped.LOOKUP,
    scim_tokens.LOOKUP,
)
LOGIN_FEATURES: tuple[Routes, ...] = (
    login.routes,
    forgotten_passwords.routes,
    email_change_pages.routes,
    provider_pages.routes,
)
# The features of /api.
API_FEATURES: tuple[Routes, ...] = (sessions, discovery, single_sign_on, oidc, saml_routes, personal_data)
# Pages and commands alone have these so far. Their error codes are on the one list all the same.
WITHOUT_ROUTES = (
    business_units,
    learning,
    learning_groups,
    learning_paths,
    people_import,
    scorm,
)


def all_routes() -> list[Route]:
    """Of /v1."""
    return [route for feature in FEATURES for route in feature.all]


def create_app(settings: Settings, database: Database, clock: Clock = system_clock) -> Gateway:
    """The ASGI application. It opens the database when it starts and closes it when it stops."""
    admission = Admission(database, CREDENTIALS)
    access_tokens = tokens.AccessTokens(SigningKeys(database), clock, settings.address)
    bearers = BearerIdentity(_token_reader(settings, database, access_tokens), clock)
    client_limits = ClientLimits(settings.limit_v1, settings.limit_token)
    clients = ClientAuthentication(database, admission, access_tokens, client_limits)
    providers = BearerIdentity(scim.token_reader(database), clock)
    scim_log = RequestLog(database)
    browsers = Browsers(database.keyring)
    session_limits = SessionLimits(database.keyring, settings.limit_v1, settings.limit_login)
    discover_limits = DiscoverLimits(
        database.keyring, settings.limit_discover_ip, settings.limit_discover_domain, session_limits
    )
    signed_in = SessionIdentity(database.keyring, browsers, clock, bearer=True)
    csrf_tokens = CsrfTokens(database.keyring)
    origin = ContentOrigin(
        settings.content, settings.framing, database.keyring, follows_port=not settings.content_url
    )
    demands_https = settings.env == "production"
    return Gateway(
        [
            # Whatever is asked for at its hosts is answered by it alone.
            content.surface(origin, database, clock),
            v1.surface(FEATURES, settings, bearers),
            api.surface(API_FEATURES, discover_limits, signed_in),
            *oauth.surfaces(client_limits, clients),
            scim.surface(scim.limits(settings.limit_scim), providers, scim_log),
            *health.SURFACES,
            *reference.surfaces(_describers(settings)),
            *pages.SURFACES,
            guide_pictures.SURFACE,
            logos.SURFACE,
            thumbnails.SURFACE,
            certificate_files.SURFACE,
            export_files.SURFACE,
            badges.SURFACE,
            verify.surface(settings.limit_verify),
            *_page_surfaces(settings, database, clock, browsers, csrf_tokens),
        ],
        database,
        admission,
        dependencies=[
            *(access_tokens, Issuer(database, access_tokens), csrf_tokens, origin, scim_log),
            sign_in := SignIn(database, browsers, clock, settings.address),
            Exchanges(database, sign_in),
            *_dependencies(settings, database),
            Views(PanelView, csrf_tokens, panel_menu, "/admin", database),
            Views(LearnView, csrf_tokens, learn_menu, "/learn", database),
        ],
        trusted_proxies=settings.trusted_proxies,
        https_address=f"https://{settings.address.partition('://')[2]}" if demands_https else None,
        capacity=Capacity(settings.requests, settings.requests_per_address),
        deadlines=Deadlines(settings.body_timeout, settings.body_rate, settings.answer_timeout),
        beside=keep_errors_on,
    )


def _page_surfaces(
    settings: Settings, database: Database, clock: Clock, browsers: Browsers, csrf_tokens: CsrfTokens
) -> list[Surface]:
    """What browsers show. The last one answers whatever no other surface does."""
    limits = SessionLimits(database.keyring, None, settings.limit_login)
    identity = SessionIdentity(database.keyring, browsers, clock, bearer=False)
    check = csrf_tokens.check
    return [
        page_surface("panel", "/admin", panel_pages.FEATURES, identity, check, limits),
        page_surface("learn", "/learn", learn_pages.FEATURES, identity, check, limits),
        page_surface("login", "/login", LOGIN_FEATURES, identity, check, limits),
        page_surface("logout", "/logout", [login.leaving], identity, check),
        page_surface("front", "", [login.front], identity, check),
    ]


def _dependencies(settings: Settings, database: Database) -> list[object]:
    """What handlers ask for by type, and settings alone make."""
    files = open_file_store(settings.files_url, settings.data_dir / "files")
    scratch = settings.data_dir / "scratch"
    return [
        settings.guard,
        Verification.by(settings.dns_servers, settings.address),
        EndpointLimit(settings.webhook_endpoints),
        PublicAddress(settings.address),
        BaseAddress(settings.address + scim.PREFIX),
        scim.ServerLimit(settings.limit_scim),
        MailLimit(settings.invitations_per_day),
        Welcome(database, settings.address),
        KeyPrefix(settings.api_key_prefix),
        ImportFiles(settings.data_dir, database.keyring),
        files,
        thumbnails.Thumbnails(settings.address),
        CertificateLinks(settings.address, database.keyring),
        Previews(files, Press(scratch, size=2, limits=PREVIEW_LIMITS, per_tenant=1), settings.address),
        EvidencePapers(scratch),
        IdentityReader(scratch),
        ArticlePages(database, scratch),
        PackageContents(database),
        CsvFiles(database),
        ExportLinks(settings.address, database.keyring),
        VoiceAnswers(files, database),
        texts_of(settings),
        fetcher := Fetcher(settings.guard),
        discovery := Discovery(fetcher, settings.guard),
        OidcSignIn(database, fetcher, discovery, settings.address),
        MetadataReader(fetcher, settings.guard),
        saml := SamlSignIn(database, settings.address),
        SamlSignOut(database, saml, settings.address),
    ]


def descriptions(settings: Settings) -> dict[str, dict[str, Any]]:
    """The OpenAPI description of each JSON surface, by the address it is served at."""
    return {address: made() for address, made in _describers(settings).items()}


def _describers(settings: Settings) -> dict[str, Callable[[], dict[str, Any]]]:
    """What makes each description: that takes longer than all the rest of an application, so only when one
    is asked for."""
    nobody, address = Anonymous(), settings.address
    limits = ClientLimits(settings.limit_v1, settings.limit_token)
    return {
        "/openapi.json": lambda: describe(
            v1.description(v1.surface(FEATURES, settings, nobody), settings), __version__
        ),
        "/api/openapi.json": lambda: describe(
            api.description(api.surface(API_FEATURES, unlimited, nobody), address), __version__
        ),
        "/oauth/openapi.json": lambda: describe(
            oauth_description.description(oauth.surfaces(limits, nobody), address), __version__
        ),
        "/scim/openapi.json": lambda: describe(
            scim.description(scim.surface(unlimited, nobody), address), __version__
        ),
    }


def _token_reader(settings: Settings, database: Database, access_tokens: tokens.AccessTokens) -> TokenReader:
    """An API key or an access token, told apart by its form."""

    async def read(token: str) -> PresentedCredential:
        if is_well_formed(token, settings.api_key_prefix):
            return PresentedCredential(CredentialKind.API_KEY, database.keyring.fingerprint(token))
        if tokens.is_well_formed(token):
            return await access_tokens.present(token)
        raise Unauthenticated("credential_invalid")

    return read
