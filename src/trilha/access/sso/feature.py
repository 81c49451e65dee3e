from collections.abc import Sequence

from trilha.access.sso import erasure, errors
from trilha.access.sso.api import routes
from trilha.access.sso.domains import errors as domain_errors
from trilha.access.sso.domains.actions import Verification
from trilha.access.sso.domains.api import routes as discovery_routes
from trilha.access.sso.domains.jobs import CheckDomains
from trilha.access.sso.flows import SEALED_VERIFIERS
from trilha.access.sso.jobs import PRUNING, prune_job
from trilha.access.sso.oidc import errors as oidc_errors
from trilha.access.sso.oidc.api import routes as oidc_routes
from trilha.access.sso.oidc.documents import Discovery
from trilha.access.sso.oidc.queries import SEALED_SECRETS
from trilha.access.sso.oidc.signing_in import OidcSignIn
from trilha.access.sso.saml import errors as saml_errors
from trilha.access.sso.saml.actions import MetadataReader
from trilha.access.sso.saml.api import routes as saml_routes
from trilha.access.sso.saml.jobs import LookAfterMetadata
from trilha.access.sso.saml.queries import SEALED_KEYS
from trilha.access.sso.saml.signing_in import SamlSignIn
from trilha.access.sso.saml.signing_out import SamlSignOut
from trilha.core.database import Database
from trilha.core.jobs import Job
from trilha.core.outbound.fetching import Fetcher
from trilha.feature import Feature
from trilha.platform.retention.archive import Archive
from trilha.settings import Settings


def _build_dependencies(settings: Settings, database: Database) -> Sequence[object]:
    fetcher = Fetcher(settings.guard)
    discovery = Discovery(fetcher, settings.guard)
    saml = SamlSignIn(database, settings.address)
    return [
        Verification.by(settings.dns_servers, settings.address),
        *(fetcher, discovery, OidcSignIn(database, fetcher, discovery, settings.address)),
        *(MetadataReader(fetcher, settings.guard), saml, SamlSignOut(database, saml, settings.address)),
    ]


def _build_jobs(settings: Settings) -> Sequence[Job]:
    metadata = MetadataReader(Fetcher(settings.guard), settings.guard)
    return [
        CheckDomains(Verification.by(settings.dns_servers, settings.address)),
        LookAfterMetadata(metadata, settings.address),
        *PRUNING,
        prune_job(Archive.of(settings)),
    ]


FEATURE = Feature(
    name="sso",
    errors=[errors, domain_errors, oidc_errors, saml_errors],
    api=[discovery_routes, routes, oidc_routes, saml_routes],
    build_dependencies=_build_dependencies,
    build_jobs=_build_jobs,
    sealed_columns=[SEALED_SECRETS, SEALED_KEYS, SEALED_VERIFIERS],
    erasures=[erasure.erase_person],
)
