"""Puts all surfaces of the application together."""

from collections.abc import Sequence
from itertools import chain

from trilha import kit
from trilha.access.oauth.authentication import ClientAuthentication, ClientLimits
from trilha.access.sessions.identity import SessionIdentity, SessionLimits
from trilha.access.sso.domains.limits import DiscoverLimits
from trilha.core.database import Database
from trilha.core.web.admission import Admission
from trilha.core.web.bearer import BearerIdentity
from trilha.core.web.surface import Surface
from trilha.feature import Feature
from trilha.settings import Settings
from trilha.surfaces import api, oauth, operator, pages, scim, v1, xapi
from trilha.surfaces.descriptions import describers
from trilha.surfaces.shared_objects import SharedObjects
from trilha.web import reference
from trilha.web.player import surface as content


def build_surfaces(
    features: Sequence[Feature],
    settings: Settings,
    database: Database,
    admission: Admission,
    shared: SharedObjects,
) -> list[Surface]:
    return [
        # The content hosts come first: no other surface answers a request to them.
        content.surface(shared.content_origin, database, shared.clock),
        _v1(features, settings, database, shared),
        _api(features, settings, database, shared),
        operator.surface(settings),
        *_oauth(settings, database, admission, shared),
        _scim(settings, database, shared),
        _xapi(settings, database, shared),
        *reference.surfaces(describers(features, settings)),
        *kit.SURFACES,
        *chain.from_iterable(feature.build_surfaces(settings) for feature in features),
        *pages.surfaces(settings, database, shared),
    ]


def _v1(
    features: Sequence[Feature], settings: Settings, database: Database, shared: SharedObjects
) -> Surface:
    reader = v1.token_reader(settings.api_key_prefix, database.keyring, shared.access_tokens)
    return v1.surface(features, settings, BearerIdentity(reader, shared.clock), shared.api_calls.count)


def _api(
    features: Sequence[Feature], settings: Settings, database: Database, shared: SharedObjects
) -> Surface:
    keyring = database.keyring
    sessions = SessionLimits(keyring, settings.limit_v1, settings.limit_login)
    limits = DiscoverLimits(keyring, settings.limit_discover_ip, settings.limit_discover_domain, sessions)
    identity = SessionIdentity(keyring, shared.browsers, shared.clock, bearer=True)
    return api.surface(features, limits, identity)


def _oauth(
    settings: Settings, database: Database, admission: Admission, shared: SharedObjects
) -> Sequence[Surface]:
    limits = ClientLimits(settings.limit_v1, settings.limit_token)
    clients = ClientAuthentication(database, admission, shared.access_tokens, limits)
    return oauth.surfaces(limits, clients)


def _scim(settings: Settings, database: Database, shared: SharedObjects) -> Surface:
    identity = BearerIdentity(scim.token_reader(database), shared.clock)
    return scim.surface(scim.limits(settings.limit_scim), identity, shared.scim_log, shared.api_calls.count)


def _xapi(settings: Settings, database: Database, shared: SharedObjects) -> Surface:
    bearer = v1.token_reader(settings.api_key_prefix, database.keyring, shared.access_tokens)
    identity = xapi.XapiIdentity(database.keyring, bearer, shared.clock)
    return xapi.surface(xapi.limits(settings.limit_xapi), identity, shared.clock)
