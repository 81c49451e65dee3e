"""Wiping a tenant removes all its training data, and changes nothing of another tenant."""

from typing import Any
from uuid import uuid4

from conftest import World
from contract.test_tenancy import CLASS_NAMES, OWN, populate, rows, tables
from trilha.platform.tenants import actions

NAMES = (
    *("user_id", "course_id", "other_course_id", "free_course_id", "enrollment_id"),
    *("webhook_id", "delivery_id", "replay_id", "business_unit_id", "certificate_id", "export_id"),
    *("requirement_id", "enrollment_request_id", "other_request_id", "asked_course_id", "open_course_id"),
    *("module_id", "module_import_id"),
    *CLASS_NAMES,
)
# The tenant keeps these.
KEPT = {
    *("usage_counters", "usage_months", "tenant_quotas"),
    *("tenant_homes", "tenant_settings", "api_keys", "api_key_secrets", "audit_records"),
    *("certificate_templates", "signing_identities", "badge_keys", "push_keys"),
    *("reminder_settings", "reminder_texts"),
    *("identity_settings", "identity_texts"),
    *("oauth_clients", "oauth_client_secrets", "oauth_tokens", "oauth_assertions"),
    *("scim_tokens", "scim_token_secrets", "email_domains", "xapi_keys"),
    *("sso_connections", "sso_connection_domains", "sso_oidc", "sso_saml"),
    "meeting_services",
    "statement_settings",
}

# These are deleted with the rows they belong to, such as logs.
WITH_ENROLLMENTS = {"certificates", "certificate_papers", "missing_certificates"}


async def test_a_wipe_leaves_what_the_tenant_goes_on_with(world: World, stranger: World) -> None:
    for each in (world, stranger):
        await populate(each, {name: uuid4() for name in NAMES})
    before = await rows(stranger)
    async with world.tx() as tx:
        names = await tables(Unnamed(tx))
        deleted = await actions.wipe(tx)
    async with world.tx() as tx:
        counts = {
            name: await tx.value(f"SELECT count(*) FROM {name} WHERE tenant_id = :tenant") for name in names
        }
    assert {name for name, count in counts.items() if count} == KEPT
    # The answer names every table that was emptied.
    assert deleted.keys() >= set(OWN) - KEPT - WITH_ENROLLMENTS
    assert all(deleted[name] for name in OWN if name not in KEPT | WITH_ENROLLMENTS)
    assert await rows(stranger) == before


class Unnamed:
    """Statements about the catalog, which belongs to no tenant."""

    def __init__(self, tx: Any) -> None:
        self.fetch = tx._connection.fetch
