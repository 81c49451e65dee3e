"""The list of all features, and the application that they make together."""

import asyncio
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from trilha.access.api_keys import feature as api_keys
from trilha.access.oauth import feature as oauth
from trilha.access.scim import feature as scim
from trilha.access.sessions import feature as sessions
from trilha.access.sso import feature as sso
from trilha.access.xapi_keys import feature as xapi_keys
from trilha.core.clock import Clock, system_clock
from trilha.core.database import Database
from trilha.core.processes import Shutdown
from trilha.core.web.admission import Admission
from trilha.core.web.capacity import Capacity
from trilha.core.web.deadlines import Deadlines
from trilha.core.web.gateway import Gateway
from trilha.core.web.rate_limits import Counters
from trilha.core.web.routes import Route, Routes
from trilha.feature import Feature
from trilha.people.business_units import feature as business_units
from trilha.people.custom_fields import feature as custom_fields
from trilha.people.learning_groups import feature as learning_groups
from trilha.people.people_import import feature as people_import
from trilha.people.personal_data.actions import PersonalData
from trilha.people.users import feature as users
from trilha.platform.audit import feature as audit
from trilha.platform.bulk_actions import feature as bulk_actions
from trilha.platform.events import feature as events
from trilha.platform.health import feature as health
from trilha.platform.mail import feature as mail
from trilha.platform.metrics import feature as metrics
from trilha.platform.retention import feature as retention
from trilha.platform.saved_views import feature as saved_views
from trilha.platform.status import feature as status
from trilha.platform.status.jobs import watch_server
from trilha.platform.tenants import feature as tenants
from trilha.platform.tenants.usage.api_calls import ApiCalls
from trilha.platform.webhooks import feature as webhooks
from trilha.settings import Settings
from trilha.surfaces import pages, v1
from trilha.surfaces.composition import build_surfaces
from trilha.surfaces.descriptions import describers
from trilha.surfaces.shared_objects import SharedObjects
from trilha.training.calendar_feeds import feature as calendar_feeds
from trilha.training.catalog import feature as catalog
from trilha.training.certificates import feature as certificates
from trilha.training.classes import feature as classes
from trilha.training.courses import feature as courses
from trilha.training.enrollment_requests import feature as enrollment_requests
from trilha.training.enrollments import feature as enrollments
from trilha.training.evaluations import feature as evaluations
from trilha.training.external_certificates import feature as external_certificates
from trilha.training.identity import feature as identity
from trilha.training.launch_links import feature as launch_links
from trilha.training.learner_questions import feature as learner_questions
from trilha.training.learning import feature as learning
from trilha.training.learning_paths import feature as learning_paths
from trilha.training.meetings import feature as meetings
from trilha.training.pedagogic_projects import feature as pedagogic_projects
from trilha.training.platform_statements import feature as platform_statements
from trilha.training.practice import feature as practice
from trilha.training.qualifications import feature as qualifications
from trilha.training.question_bank import feature as question_bank
from trilha.training.quizzes import feature as quizzes
from trilha.training.record_retention import feature as record_retention
from trilha.training.reminders import feature as reminders
from trilha.training.reports import feature as reports
from trilha.training.requirements import feature as requirements
from trilha.training.scorm import feature as scorm
from trilha.training.signatures import feature as signatures
from trilha.training.xapi import feature as xapi
from trilha.training.xapi_pipes import feature as xapi_pipes
from trilha.web.accessibility import feature as accessibility
from trilha.web.guides import feature as guides
from trilha.web.learn import feature as learn
from trilha.web.login import feature as login
from trilha.web.panel import feature as panel
from trilha.web.player import feature as player
from trilha.web.verify import feature as verify

# Every feature. The order is that of the reference of /v1 and of the exported personal data.
FEATURES: tuple[Feature, ...] = tuple(
    module.FEATURE
    for module in (
        *(users, custom_fields, business_units, learning_groups, people_import),
        *(
            courses,
            quizzes,
            question_bank,
            scorm,
            catalog,
            enrollments,
            enrollment_requests,
            reminders,
            certificates,
            learning,
            signatures,
            classes,
            practice,
            qualifications,
            identity,
            launch_links,
            learning_paths,
            requirements,
            external_certificates,
            pedagogic_projects,
            learner_questions,
            evaluations,
            calendar_feeds,
            meetings,
            record_retention,
            platform_statements,
            xapi_pipes,
        ),
        reports,
        *(events, webhooks, mail, tenants, retention, audit, bulk_actions, saved_views),
        *(health, metrics, status),
        *(sessions, sso, api_keys, oauth, scim, xapi_keys),
        xapi,  # the last of the erasures, because every transaction locks the clock of the store last
        *(learn, panel, player, login, verify, accessibility, guides),
    )
)
PERSONAL_DATA = PersonalData(
    parts=[part for feature in FEATURES for part in feature.export],
    erasures=[erasure for feature in FEATURES for erasure in feature.erasures],
)


def create_app(
    settings: Settings, database: Database, clock: Clock = system_clock, shutdown: Shutdown | None = None
) -> Gateway:
    """Returns the ASGI application. It opens the database when it starts and closes it when it stops."""
    lookups = [lookup for feature in FEATURES for lookup in feature.credentials]
    admission = Admission(database, lookups, counters=_build_counters(settings))
    shared = SharedObjects(settings, database, clock)
    demands_https = settings.env == "production"
    return Gateway(
        build_surfaces(FEATURES, settings, database, admission, shared),
        database,
        admission,
        dependencies=[
            *(settings.guard, settings.open_files(), PERSONAL_DATA, shutdown or Shutdown()),
            *shared.list_dependencies(),
            *pages.build_views(database, shared),
            *chain.from_iterable(feature.build_dependencies(settings, database) for feature in FEATURES),
        ],
        trusted_proxies=settings.trusted_proxies,
        https_address=f"https://{settings.address.partition('://')[2]}" if demands_https else None,
        capacity=Capacity(settings.requests, settings.requests_per_address),
        deadlines=Deadlines(settings.body_timeout, settings.body_rate, settings.answer_timeout),
        beside=partial(_work_beside, shared.api_calls),
    )


async def _work_beside(calls: ApiCalls, database: Database) -> None:
    await asyncio.gather(watch_server(database), calls.run())


def _build_counters(settings: Settings) -> Counters | None:
    if settings.limits_url is None:
        return None
    # Only processes that use the client load it.
    from trilha.core.web.limit_counters import LimitCounters

    return LimitCounters(settings.limits_url, settings.limits_failure)


def list_file_prefixes(tenant_id: UUID) -> list[str]:
    """Returns the prefixes of the keys of all files of a tenant, except e-mails, which share a folder."""
    return list(chain.from_iterable(feature.list_file_prefixes(tenant_id) for feature in FEATURES))


def list_v1_routes() -> list[Routes]:
    """Returns the routes of /v1, feature by feature, in the order of the reference."""
    return v1.list_routes(FEATURES)


def all_routes() -> list[Route]:
    """Returns the single routes of /v1, in the order of the reference."""
    return [route for routes in list_v1_routes() for route in routes.all]


def descriptions(settings: Settings) -> dict[str, dict[str, Any]]:
    """Returns the OpenAPI description of each API, by the address that serves it."""
    return {address: build() for address, build in describers(FEATURES, settings).items()}
