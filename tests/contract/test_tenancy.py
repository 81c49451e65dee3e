"""The four locks that separate the data of tenants."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, get_args
from uuid import UUID, uuid4

import asyncpg
import msgspec
import pytest

from conftest import Clock, World, new_world
from known import IMPORTED
from trilha.access.oauth import actions as oauth
from trilha.access.oauth import queries as oauth_queries
from trilha.access.oauth.schema import NewToken
from trilha.access.oauth.signing_keys import SigningKeys
from trilha.access.scim import request_log
from trilha.access.scim.groups import queries as scim_groups
from trilha.access.scim.tokens import actions as scim_tokens
from trilha.access.scim.users import queries as scim_users
from trilha.access.sso.domains import actions as email_domains
from trilha.access.xapi_keys import actions as xapi_keys
from trilha.app import all_routes
from trilha.core.database import Database, Tx
from trilha.core.database.connection import TenantNotNamed
from trilha.core.database.transactions import APP_ROLE, UNSCOPED_ROLE
from trilha.core.types import Name
from trilha.core.web.pagination import ListQuery
from trilha.core.web.routes import Route
from trilha.people.business_units import actions as business_units
from trilha.people.business_units.schema import NewBusinessUnit
from trilha.people.learning_groups import actions as learning_groups
from trilha.people.learning_groups.schema import NewLearningGroup
from trilha.platform.mail import outbox as mail
from trilha.platform.mail.catalogue import TestMessage
from trilha.platform.mail.schema import Recipient
from trilha.training.certificates.rules import new_code

# Lock 1: every statement names its tenant, and only the credential decides which.


@pytest.mark.parametrize("method", ["rows", "value", "execute"])
async def test_a_statement_that_names_no_tenant_is_refused(world: World, method: str) -> None:
    async with world.tx() as tx:
        for sql in ("SELECT id FROM users", "DELETE FROM users", "SELECT '{tenant}', ':tenants', x::tenant"):
            with pytest.raises(TenantNotNamed):
                await getattr(tx, method)(sql)


@pytest.mark.parametrize("method", ["list", "find"])
async def test_a_reading_that_names_no_tenant_is_refused(world: World, method: str) -> None:
    async with world.tx() as tx:
        with pytest.raises(TenantNotNamed):
            await getattr(tx, method)(msgspec.defstruct("Row", ["id"]), "SELECT id FROM users")


async def test_nobody_below_can_name_another_tenant(world: World, stranger: World) -> None:
    async with world.tx() as tx:
        assert await tx.value("SELECT :tenant::uuid", tenant=stranger.tenant.id) == world.tenant.id


# Lock 2: row-level security, for roles that cannot bypass it.

COMMON = {
    *("tenants", "limit_windows", "schema_migrations", "signing_keys", "database_logins"),
    *("global_audit_records", "domain_owners", "master_keys", "hash_keys", "last_errors", "backup_runs"),
    "tenant_deletions",
}
# Tables that the serving roles may only insert into and read. The application's role also deletes old rows:
# see tests/platform/test_retention.py.
APPEND_ONLY = {"audit_records", "learning_log"}
# Tables that they may only insert into and delete from.
NEVER_CHANGED = {
    *("passkey_challenges", "identity_texts", "identity_consents"),
    *("recovery_codes", "launch_traces", "unapplied_reports", "statement_outbox"),
}
# Tables that only the operator writes, as the owner.
OPERATOR_TABLES = {"tenant_homes"}
# Tables that they may insert into, and update only in columns that prove nothing. They may not delete from
# them.
CHANGED_IN_PART = {"certificates"}


async def tables(connection: Any) -> list[str]:
    """Returns the tables with a tenant_id. Any other table must be one of the few that belong to
    no tenant.
    """
    rows = await connection.fetch(
        """
        SELECT c.relname, EXISTS (
            SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') AS tenanted
        FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p', 'm', 'f')
        """
    )
    assert {row["relname"] for row in rows if not row["tenanted"]} == COMMON
    return sorted(row["relname"] for row in rows if row["tenanted"])


@pytest.fixture
async def as_owner(admin_url: str, database: Database) -> AsyncIterator[Any]:
    connection = await asyncpg.connect(admin_url)
    yield connection
    await connection.close()


@pytest.fixture
async def app_role(as_owner: Any) -> Any:
    await as_owner.execute(f"SET ROLE {APP_ROLE}")
    return as_owner


async def test_every_tenant_table_is_locked(as_owner: Any) -> None:
    names = await tables(as_owner)
    assert len(names) >= 9
    for name in names:
        locked = await as_owner.fetchrow(
            "SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = $1::text::regclass", name
        )
        assert tuple(locked) == (True, True), name
        policies = await as_owner.fetch(
            """
            SELECT policyname, permissive, roles::text[], cmd, qual, with_check FROM pg_policies
            WHERE schemaname = current_schema() AND tablename = $1
            """,
            name,
        )
        mine = [each for each in policies if set(each["roles"]) & {APP_ROLE, "public"}]
        restrictive = [each for each in mine if each["permissive"] == "RESTRICTIVE"]
        kept = [("retention", "DELETE")] if name in APPEND_ONLY else []
        assert [(each["policyname"], each["cmd"]) for each in restrictive] == kept, name
        mine = [each for each in mine if each not in restrictive]
        assert [(each["policyname"], each["roles"], each["cmd"]) for each in mine] == [
            ("tenant", [APP_ROLE], "ALL")
        ], name
        expected = "(tenant_id = (current_setting('trilha.tenant'::text))::uuid)"
        assert (mine[0]["qual"], mine[0]["with_check"]) == (expected, expected), name
        others = {role for each in policies for role in each["roles"]} - {APP_ROLE, UNSCOPED_ROLE}
        # The operator, who creates tenants and deletes them, and records it.
        assert bool(others) == (name in OPERATOR_TABLES | {"audit_records"}), name
        assert {each["cmd"] for each in policies if set(each["roles"]) & others} <= {
            *("INSERT", "SELECT", "DELETE")
        }


async def test_a_view_reads_as_whoever_asks(as_owner: Any) -> None:
    """So that the policies of its tables apply."""
    views = await as_owner.fetch(
        """
        SELECT relname, COALESCE(reloptions, '{}') AS options FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind = 'v'
        """
    )
    assert {row["relname"]: row["options"] for row in views} == {
        name: ["security_invoker=true"] for name in ("modules", "enrollments")
    }


async def test_the_serving_roles_pass_by_nothing(as_owner: Any) -> None:
    for role in (APP_ROLE, UNSCOPED_ROLE):
        row = await as_owner.fetchrow(
            """
            SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
                   EXISTS (SELECT FROM pg_class WHERE relowner = r.oid) AS owns,
                   EXISTS (SELECT FROM pg_auth_members WHERE member = r.oid) AS is_member
            FROM pg_roles r WHERE rolname = $1
            """,
            role,
        )
        assert not any(row.values()), (role, dict(row))


# Columns that are read before the tenant is known, or to find tenants with work. About people, they are those
# of the session look-up, without documents.
UNSCOPED_READS = {
    "api_keys": "every column",
    "api_key_secrets": "every column",
    "oauth_clients": "every column",
    "oauth_client_secrets": "every column",
    "oauth_tokens": "every column",
    "oauth_assertions": {"tenant_id", "expires_at"},
    "scim_tokens": "every column",
    "scim_token_secrets": {"tenant_id", "fingerprint", "token_id", "expires_at"},
    "xapi_keys": "every column",
    "cmi5_sessions": "every column",
    "users": {
        *("tenant_id", "id", "email", "name", "role", "status", "locale"),
        *("session_epoch", "must_change_password", "cpf_unmarked", "invitation_due"),
    },
    "sessions": {
        *("tenant_id", "id", "user_id", "fingerprint", "epoch", "second_factor"),
        *("last_seen_at", "idle_ends_at", "expires_at", "created_at", "connection_id", "by_link"),
    },
    "sso_connections": {"tenant_id", "id", "kind", "enabled", "created_at"},
    "sso_connection_domains": {"tenant_id", "connection_id", "domain"},
    "sso_flows": {"tenant_id", "fingerprint", "expires_at"},
    "sso_tickets": {"tenant_id", "fingerprint", "expires_at"},
    "launch_links": {"tenant_id", "fingerprint", "delete_at"},
    "sso_replays": {"tenant_id", "until"},
    "sso_saml": {"tenant_id", "looked_at"},
    "password_resets": {"tenant_id", "user_id", "email", "fingerprint", "expires_at"},
    "email_changes": {"tenant_id", "user_id", "fingerprint", "expires_at"},
    "calendar_feeds": {"tenant_id", "user_id", "digest"},
    "company_feeds": {"tenant_id", "user_id", "digest"},
    "file_sealings": {"tenant_id"},
    "tenant_settings": {
        *("tenant_id", "time_zone", "brand_colour", "second_factor_required", "password_minimum"),
        *("logo", "logo_name", "scim_limit", "audit_log_days", "learning_log_days", "sign_in_days"),
        *("request_log_days", "event_days", "delivery_days"),
    },
    "email_domains": {"tenant_id", "check_due_at"},
    "tenant_homes": {"tenant_id"},
    "usage_counters": {"tenant_id", "merged"},
    "usage_months": {"tenant_id", "month", "people", "active_people", "storage_bytes", "measured_at"},
    "tenant_quotas": "every column",
    "imports": {"tenant_id", "created_at", "has_file", "finished_at", "state"},
    "bulk_actions": {"tenant_id", "created_at", "is_due", "state", "held_until"},
    "packages": {"tenant_id", "created_at", "archive", "lease_until"},
    "module_imports": {"tenant_id", "step", "lease_until", "updated_at"},
    "quiz_attempts": {"tenant_id", "closes_at"},
    "voice_recordings": {"tenant_id", "removed_at"},
    "bank_questions": {"tenant_id", "measured_at"},
    "launches": {"tenant_id", "id", "enrollment_id", "fingerprint", "seen_at", "session_id", "started_at"},
    "learning_path_rollouts": {"tenant_id", "created_at", "finished_at"},
    "learning_path_changes": {"tenant_id", "created_at"},
    "review_checks": {"tenant_id", "created_at"},
    "presence_checks": {"tenant_id"},
    "qualifications": {"tenant_id", "notice_due_at"},
    "class_notices": {"tenant_id", "is_pending"},
    "meeting_requests": {"tenant_id", "status", "next_attempt_at"},
    "practice_photos": {"tenant_id", "removed_at"},
    "record_retention_runs": {"tenant_id", "ran_at"},
    "reminder_schedules": {"tenant_id", "next_at"},
    "course_evaluations": {"tenant_id", "due_at", "asked_at"},
    "reminder_deliveries": {"tenant_id", "channel", "status", "next_attempt_at"},
    "requirement_people": {"tenant_id", "next_at"},
    "requirement_engines": {"tenant_id", "swept_at", "digest_at"},
    "requirement_checks": {"tenant_id", "created_at"},
    "requirement_sweeps": {"tenant_id", "created_at"},
    "all_enrollments": {"tenant_id", "id", "user_id", "status", "expires_at", "cancelled_at"},
    "idempotency_keys": {"tenant_id", "expires_at"},
    "events": {"tenant_id", "relayed", "created_at", "sequence", "position"},
    "statement_settings": {"tenant_id", "position"},
    "xapi_pipes": {"tenant_id", "active", "position", "next_attempt_at"},
    "xapi_clocks": {"tenant_id", "last_stored"},
    "identity_photos": {"tenant_id", "retained_until"},
    "passkey_challenges": {"tenant_id", "expires_at"},
    "statement_outbox": {"tenant_id"},
    "exports": {"tenant_id", "status", "created_at", "lease_until", "expires_at"},
    "report_mails": {"tenant_id", "next_at"},
    "mail_messages": {"tenant_id", "status", "next_attempt_at", "created_at"},
    "webhook_endpoints": {"tenant_id", "id", "active", "deleted_at"},
    "webhook_deliveries": {
        "tenant_id",
        "endpoint_id",
        "status",
        "forced",
        "next_attempt_at",
        "created_at",
    },
    "webhook_queues": {"tenant_id", "endpoint_id", "due_at", "holder", "held_until"},
    "webhook_replays": {"tenant_id", "finished_at"},
    "business_unit_managers": {"tenant_id"},
    "course_counters": {"tenant_id", "merged"},
    "course_completions": {"tenant_id", "merged"},
    "course_deadlines": {"tenant_id", "merged"},
    "people_counters": {"tenant_id", "merged"},
    "unit_countings": {"tenant_id", "due_at"},
    "changed_courses": {"tenant_id", "changed_at"},
    "previews": {"tenant_id", "id", "user_id", "fingerprint", "session_id", "started_at"},
    "missing_certificates": {"tenant_id"},
    "certificate_papers": {"tenant_id", "certificate_id", "file_key", "file_sha256", "signed_by"},
    # Columns for the public check of a code, and for the worker. The document is masked.
    "certificates": {
        *("tenant_id", "id", "code", "holder_name", "holder_cpf_masked", "course_title", "issued_by"),
        *("workload_minutes", "completed_at", "regulation_kind", "issued_at", "expires_at", "revoked_at"),
        *("replaced_by", "erased_at", "files_removed_at", "file_key", "file_sha256", "render_due_at"),
        *("render_lease_until", "notice_due_at", "signed_by"),
    },
}
UNSCOPED_WRITES = {
    "api_keys": {"last_used_at"},
    "oauth_clients": {"last_used_at"},
    "oauth_tokens": {"revoked_at"},
    "scim_tokens": {"last_used_at"},
    "xapi_keys": {"last_used_at"},
    "sessions": {"last_seen_at", "idle_ends_at"},
}


async def test_the_second_role_reads_what_it_must_and_no_more(as_owner: Any) -> None:
    for name in await tables(as_owner):
        rows = await as_owner.fetch(
            """
            SELECT attname, has_column_privilege($1, attrelid, attnum, 'SELECT') AS reads,
                   has_column_privilege($1, attrelid, attnum, 'INSERT, UPDATE') AS writes
            FROM pg_attribute WHERE attrelid = $2::text::regclass AND attnum > 0 AND NOT attisdropped
            """,
            UNSCOPED_ROLE,
            name,
        )
        reads = {row["attname"] for row in rows if row["reads"]}
        allowed = UNSCOPED_READS.get(name, set())
        assert reads == ({row["attname"] for row in rows} if allowed == "every column" else allowed), name
        writes = {row["attname"] for row in rows if row["writes"]}
        assert writes == UNSCOPED_WRITES.get(name, set()), name


async def test_no_tenant_is_an_error_not_no_rows(app_role: Any, both: "Both") -> None:
    refused = (asyncpg.UndefinedObjectError, asyncpg.InvalidTextRepresentationError)
    for turn in ("never set", "set and over"):
        for name in await tables(app_role):
            with pytest.raises(refused):
                await app_role.fetch(f"SELECT * FROM {name}")
            if name not in APPEND_ONLY | CHANGED_IN_PART:
                with pytest.raises(refused):
                    await app_role.execute(f"DELETE FROM {name}")
        if turn == "never set":
            async with app_role.transaction():
                await app_role.execute(f"SET LOCAL trilha.tenant = '{both.mine.tenant.id}'")
                assert await app_role.fetch("SELECT FROM users")


async def test_a_tenant_ends_with_its_transaction(both: "Both") -> None:
    async with both.mine.tx() as tx:
        assert await tx.value("SELECT count(*) FROM users WHERE tenant_id = :tenant")
    for _ in range(3):
        async with both.mine.database._app.acquire() as connection:
            with pytest.raises((asyncpg.UndefinedObjectError, asyncpg.InvalidTextRepresentationError)):
                await connection.fetch("SELECT * FROM users")


async def test_no_row_of_another_is_seen_written_or_given_away(app_role: Any, both: "Both") -> None:
    mine, theirs = both.mine.tenant.id, both.theirs.tenant.id
    for name in await tables(app_role):
        async with app_role.transaction():
            await app_role.execute(f"SET LOCAL trilha.tenant = '{mine}'")
            seen = await app_role.fetch(f"SELECT DISTINCT tenant_id FROM {name}")
            assert [row["tenant_id"] for row in seen] == [mine], name
            if name in APPEND_ONLY | OPERATOR_TABLES:
                continue
            if name not in CHANGED_IN_PART:
                delete = f"DELETE FROM {name} WHERE tenant_id <> $1"
                assert await app_role.execute(delete, mine) == "DELETE 0"
            else:
                update = f"UPDATE {name} SET updated_at = updated_at WHERE tenant_id <> $1"
                assert await app_role.execute(update, mine) == "UPDATE 0"
            if name not in NEVER_CHANGED | CHANGED_IN_PART:
                update = f"UPDATE {name} SET tenant_id = $1 WHERE tenant_id <> $1"
                assert await app_role.execute(update, mine) == "UPDATE 0"
            savepoint = app_role.transaction()
            await savepoint.start()
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await app_role.execute(f"UPDATE {name} SET tenant_id = $1", theirs)
            await savepoint.rollback()


@pytest.mark.parametrize("change", ["UPDATE {} SET {column} = ''", "DELETE FROM {}", "TRUNCATE {}"])
@pytest.mark.parametrize("role", [APP_ROLE, UNSCOPED_ROLE])
async def test_what_only_grows_is_not_changed_or_removed(
    as_owner: Any, both: "Both", change: str, role: str
) -> None:
    for name in (*APPEND_ONLY, "global_audit_records"):
        column = "kind" if name == "learning_log" else "action"
        turn = as_owner.transaction()
        await turn.start()
        await as_owner.execute(f"SET LOCAL ROLE {role}; SET LOCAL trilha.tenant = '{both.mine.tenant.id}'")
        statement = change.format(name, column=column)
        if change.startswith("DELETE") and role == APP_ROLE and name in APPEND_ONLY:
            assert await as_owner.execute(statement) == "DELETE 0"
        else:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await as_owner.execute(statement)
        await turn.rollback()


async def test_of_the_tenants_each_sees_and_renames_itself_alone(app_role: Any, both: "Both") -> None:
    mine, theirs = both.mine.tenant, both.theirs.tenant
    async with app_role.transaction():
        await app_role.execute(f"SET LOCAL trilha.tenant = '{mine.id}'")
        assert [row["id"] for row in await app_role.fetch("SELECT id FROM tenants")] == [mine.id]
        assert await app_role.execute("UPDATE tenants SET name = $1", mine.name) == "UPDATE 1"
        rename = "UPDATE tenants SET name = 'Ours' WHERE id = $1"
        assert await app_role.execute(rename, theirs.id) == "UPDATE 0"
    for statement in (
        "UPDATE tenants SET id = gen_random_uuid()",
        "UPDATE tenants SET slug = slug",
        "UPDATE tenants SET environment = environment",
        "UPDATE tenants SET status = status",
        "INSERT INTO tenants (slug, name, created_at) VALUES ('x', 'X', now())",
        "DELETE FROM tenants",
    ):
        turn = app_role.transaction()
        await turn.start()
        await app_role.execute(f"SET LOCAL trilha.tenant = '{mine.id}'")
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await app_role.execute(statement)
        await turn.rollback()
    with pytest.raises((asyncpg.UndefinedObjectError, asyncpg.InvalidTextRepresentationError)):
        await app_role.fetch("SELECT id FROM tenants")


# Lock 3: keys are composite and start with the tenant.


async def test_every_key_begins_with_the_tenant(as_owner: Any) -> None:
    for name in await tables(as_owner):
        indexes = await as_owner.fetch(
            """
            SELECT i.indexrelid::regclass::text AS index, i.indisprimary, a.attname
            FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid = $1::text::regclass AND i.indisunique
            """,
            name,
        )
        assert any(row["indisprimary"] for row in indexes), name
        assert {row["attname"] for row in indexes} == {"tenant_id"}, [dict(row) for row in indexes]


async def test_every_reference_stays_inside_the_tenant(as_owner: Any) -> None:
    rows = await as_owner.fetch(
        """
        SELECT conrelid::regclass::text AS name, confrelid::regclass::text AS target,
               (SELECT array_agg(attname::text ORDER BY n) FROM unnest(conkey) WITH ORDINALITY AS k (num, n)
                JOIN pg_attribute ON attrelid = conrelid AND attnum = num) AS columns,
               (SELECT array_agg(attname::text ORDER BY n) FROM unnest(confkey) WITH ORDINALITY AS k (num, n)
                JOIN pg_attribute ON attrelid = confrelid AND attnum = num) AS targets
        FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
        """
    )
    assert rows
    for row in rows:
        if row["target"] == "tenants":
            assert (row["columns"], row["targets"]) == (["tenant_id"], ["id"])
        else:
            assert (row["columns"][0], row["targets"][0]) == ("tenant_id", "tenant_id"), dict(row)


async def test_every_reference_is_found_by_an_index(as_owner: Any) -> None:
    """Deleting a referenced row looks for the rows that refer to it. A partial index is enough if it omits
    only rows without a reference.
    """
    without = await as_owner.fetch(
        r"""
        SELECT conrelid::regclass::text AS name, pg_get_constraintdef(oid) AS reference
        FROM pg_constraint
        WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
              AND confrelid <> 'tenants'::regclass AND NOT EXISTS (
            SELECT FROM pg_index WHERE indrelid = conrelid
                AND (indpred IS NULL OR pg_get_expr(indpred, indrelid) ~ '^\(\w+ IS NOT NULL\)$')
                AND (indkey::smallint[])[0:cardinality(conkey) - 1] @> conkey)
        """
    )
    assert not [dict(row) for row in without]


# Lock 4: every route is called with the other tenant's objects.

ROUTES = [pytest.param(route, id=f"{route.method} {route.path}") for route in all_routes()]
LISTS = [each for each in ROUTES if issubclass(each.values[0].query, ListQuery)]
POSTS = [each for each in ROUTES if each.values[0].method == "POST"]

# A valid body for every route that takes one. Braces stand for an object of a tenant.
BODIES: dict[str, Any] = {
    "POST /users": {
        "email": "{new}@example.com",
        "name": "Eva",
        "password": "correct horse",
        "business_unit_id": "{business_unit_id}",
    },
    "PATCH /users/{user_id}": {"name": "Eva {new}", "business_unit_id": "{business_unit_id}"},
    "POST /users/search": {"cpf": "529.982.247-25"},
    "PUT /users/bulk": {
        "users": [{"email": "b{new}@example.com", "name": "Eva", "business_unit_id": "{business_unit_id}"}]
    },
    "POST /courses": {"title": "{new}", "category": "{new}"},
    "PATCH /courses/{course_id}": {"description": "{new}"},
    "POST /courses/{course_id}/modules": {"title": "{new}", "body": "{new}"},
    "PATCH /courses/{course_id}/modules/{module_id}": {"title": "{new}"},
    "POST /courses/{course_id}/modules/{module_id}/move": {"position": 1},
    "PUT /courses/{course_id}/translations/{language}": {
        "title": "{new}",
        "modules": [{"module_id": "{module_id}", "title": "{new}"}],
    },
    "PUT /courses/{course_id}/modules/{module_id}/translations/{language}": {"body": "{new}"},
    "POST /enrollments": {"user_id": "{user_id}", "course_id": "{course_id}"},
    "POST /users/{user_id}/enrollment-requests": {"course_id": "{course_id}", "message": "{new}"},
    "POST /enrollment-requests/{enrollment_request_id}/approve": {"expires_at": "2099-01-01T00:00:00Z"},
    "POST /enrollment-requests/{enrollment_request_id}/reject": {"reason": "{new}"},
    "PATCH /enrollments/{enrollment_id}": {"expires_at": "2099-01-01T00:00:00Z"},
    "POST /enrollments/{enrollment_id}/launch": {"module_id": "{module_id}"},
    "POST /enrollments/import": {
        "completions": [
            {
                "user_id": "{user_id}",
                "course_id": "{course_id}",
                "completed_at": "2024-03-09T17:30:00Z",
                "source": "LMS {new}",
            }
        ]
    },
    "POST /webhooks": {"url": "https://hooks.example.com/{new}", "events": ["user.created"]},
    "PATCH /webhooks/{webhook_id}": {"description": "{new}"},
    "POST /webhooks/{webhook_id}/replay": {"since": "2026-01-01T00:00:00Z", "until": "2026-02-01T00:00:00Z"},
    "POST /analytics/exports": {"type": "csv", "filters": {"course_id": "{course_id}"}},
    "POST /requirements": {"title": "{new}", "rule": {"all": []}, "course_id": "{course_id}", "due_days": 30},
    "POST /requirements/preview": {
        "title": "Own",
        "rule": {"all": []},
        "course_id": "{course_id}",
        "due_days": 30,
    },
    "PATCH /requirements/{requirement_id}": {"title": "{new}"},
    "PATCH /reminder-settings": {"working_days": [1]},
    "POST /enrollments/{enrollment_id}/remind": {"text": "{new}"},
    "POST /users/{user_id}/push-subscriptions": {
        "endpoint": "https://push.example.com/{new}",
        "keys": {
            # The example of RFC 8291.
            "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQt"
            "UbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
            "auth": "tBHItJI5svbpez7KI4CCXg",
        },
    },
    "POST /enrollments/bulk": {"enrollments": [{"user_id": "{user_id}", "course_id": "{course_id}"}]},
    "POST /classes": {
        "course_id": "{course_id}",
        "module_id": "{class_module_id}",
        "title": "{new}",
        "maximum_people": 5,
        "sessions": [
            {
                "starts_at": "2031-03-09T12:00:00Z",
                "ends_at": "2031-03-09T16:00:00Z",
                "instructor_ids": ["{user_id}"],
            }
        ],
    },
    "PATCH /classes/{class_id}": {"title": "{new}"},
    "POST /classes/{class_id}/cancel": {"reason": "{new}"},
    "POST /classes/{class_id}/sessions": {
        "starts_at": "2031-03-10T12:00:00Z",
        "ends_at": "2031-03-10T16:00:00Z",
        "instructor_ids": ["{user_id}"],
    },
    "PATCH /sessions/{class_session_id}": {"room": "{new}", "instructor_ids": ["{user_id}"]},
    "POST /sessions/{class_session_id}/cancel": {"reason": "{new}"},
    "POST /classes/{class_id}/registrations": {"user_id": "{user_id}"},
    "POST /classes/{class_id}/registrations/bulk": {"user_ids": ["{user_id}"]},
    "POST /classes/{class_id}/registrations/{registration_id}/cancel": {"reason": "{new}"},
    "PUT /sessions/{class_session_id}/attendance": {"entries": [{"user_id": "{user_id}", "minutes": 1}]},
    "POST /qualifications": {
        "user_id": "{user_id}",
        "title": "{new}",
        "issuing_body": "CREA",
        "valid_from": "2026-01-01",
    },
    "PATCH /qualifications/{qualification_id}": {"title": "{new}"},
    "POST /practice-assessments": {
        "enrollment_id": "{enrollment_id}",
        "module_id": "{practice_module_id}",
        "assessor_id": "{assessor_id}",
    },
    "POST /practice-assessments/{practice_assessment_id}/annul": {"reason": "{new}"},
}
# The objects whose ids some members have, by the member's name or by route and name.
ALIASES = {
    "instructor_ids": "user_id",
    "user_ids": "user_id",
    "POST /classes module_id": "class_module_id",
    "POST /practice-assessments module_id": "practice_module_id",
    "assessor_id": "assessor_id",
}
# Ids that a body may have instead of the ones it has.
INSTEAD = {
    "POST /requirements": {"learning_path_id"},
    "POST /requirements/preview": {"learning_path_id"},
    "PATCH /requirements/{requirement_id}": {"course_id", "learning_path_id"},
    "PATCH /courses/{course_id}/modules/{module_id}": {"id"},
    "POST /practice-assessments": {"item_id"},
}
# Objects for routes that cannot be called with the usual ones: there the user is enrolled, or the request was
# decided already.
OTHERS = {
    "POST /enrollments": {"course_id": "free_course_id"},
    "POST /users/{user_id}/enrollment-requests": {"course_id": "open_course_id"},
    "POST /enrollment-requests/{enrollment_request_id}/approve": {},
    "POST /enrollment-requests/{enrollment_request_id}/reject": {"enrollment_request_id": "other_request_id"},
    "POST /classes/{class_id}/cancel": {"class_id": "other_class_id"},
    "POST /sessions/{class_session_id}/cancel": {"class_session_id": "other_class_session_id"},
    "POST /classes/{class_id}/registrations": {"class_id": "spare_class_id"},
}
# The status for an unknown id in a body, if it is not 404, by its name or by route and name.
UNKNOWN = {
    "business_unit_id": (400, "unknown_business_unit"),
    "class_module_id": (404, "module_not_found"),
    "practice_module_id": (404, "module_not_found"),
    "assessor_id": (404, "user_not_found"),
    "PUT /sessions/{class_session_id}/attendance user_id": (422, "not_registered"),
}
# Lists that are still empty and so return no cursor.
EMPTY_LISTS = {"/enrollments/{enrollment_id}/interactions", "/enrollments/{enrollment_id}/statements"}


# The ids of what `meet` and `qualify` create.
CLASS_NAMES = (
    *("qualification_id", "practice_module_id", "practice_assessment_id", "assessor_id"),
    *("class_module_id", "class_id", "other_class_id", "spare_class_id", "class_session_id"),
    *("other_class_session_id", "registration_id"),
)


PRACTICE_NAMES = ("qualification_id", "practice_module_id", "practice_assessment_id", "assessor_id")


class Both:
    """Two tenants with the same rows: their ids, and ids that name a row in each of them."""

    def __init__(self, mine: World, theirs: World) -> None:
        self.mine = mine
        self.theirs = theirs
        self.my_ids: dict[str, str] = {}
        self.their_ids: dict[str, str] = {}
        self.twin_ids: dict[str, str] = {}


@pytest.fixture(scope="module")
async def both(database_url: str, database: Database, session_clock: Clock, app: Any) -> AsyncIterator[Both]:
    both = Both(*[await new_world(database_url, database, session_clock, app) for _ in range(2)])
    names = (
        *("user_id", "course_id", "other_course_id", "free_course_id", "enrollment_id"),
        *("webhook_id", "delivery_id", "replay_id", "business_unit_id", "certificate_id", "export_id"),
        *("requirement_id", "enrollment_request_id", "other_request_id", "asked_course_id"),
        *("open_course_id", "module_id", "module_import_id"),
        *CLASS_NAMES,
    )
    twins = {name: uuid4() for name in names}
    both.my_ids, both.their_ids = [await populate(world, twins) for world in (both.mine, both.theirs)]
    both.twin_ids = {name: str(id) for name, id in twins.items()}
    yield both
    for world in (both.mine, both.theirs):
        await world.http.aclose()


async def _provision(tx: Tx, user_id: UUID, group_id: UUID) -> None:
    """Creates the rows that an identity provider leaves."""
    token = (await scim_tokens.create(tx, "Twin")).scim_token
    kept = {"external_id": "twin", "document": {}, "seen_name": "Twin", "seen_email": "twin@example.com"}
    await scim_users.save(tx, user_id, {"user_name": "twin@example.com", **kept})
    await scim_groups.save(tx, group_id, "twin")
    await email_domains.claim(tx, "twin.test")
    await request_log.keep(tx, [request_log.LogEntry(token.id, tx.now, "GET", "/Users", 200, None, [], None)])


async def _experience(tx: Tx) -> None:
    """Creates the rows of the learning record store."""
    await xapi_keys.create(tx, "Twin", list(xapi_keys.SCOPES))
    await tx.execute(
        """
        WITH settings AS (
            INSERT INTO statement_settings (tenant_id, since, position) VALUES (:tenant, :now, 0)),
        pipes AS (
            INSERT INTO xapi_pipes (tenant_id, name, url, username, password, version, verbs, active,
                                    position, next_attempt_at, created_at, updated_at)
            VALUES (:tenant, 'Twin', 'https://lrs.example.com', 'twin', '', '2.0.0', '{}', false, 0, :now,
                    :now, :now)),
        outgoing AS (
            INSERT INTO statement_outbox (tenant_id, at, enrollment_id, number)
            VALUES (:tenant, :now, gen_random_uuid(), 1)),
        clocks AS (
            INSERT INTO xapi_clocks (tenant_id, last_stored) VALUES (:tenant, 2)),
        refers AS (
            INSERT INTO xapi_references (tenant_id, key, stored, verb, is_direct)
            VALUES (:tenant, gen_random_uuid(), 1, gen_random_uuid(), true)),
        targets AS (
            INSERT INTO xapi_targets (tenant_id, stored, target, distance) VALUES (:tenant, 2, 1, 1)),
        activities AS (
            INSERT INTO xapi_activities (tenant_id, key, iri, definition, seen, updated_at)
            VALUES (:tenant, gen_random_uuid(), 'https://example.com/', '{}', '', :now)),
        agents AS (
            INSERT INTO xapi_agents (tenant_id, key) VALUES (:tenant, gen_random_uuid())),
        attached AS (
            INSERT INTO xapi_attachments (tenant_id, sha2, content_type, content, created_at)
            VALUES (:tenant, repeat('0', 64), 'text/plain', '', :now)),
        documents AS (
            INSERT INTO xapi_documents (tenant_id, kind, activity, agent, registration, name, content_type,
                                        content, etag, updated)
            VALUES (:tenant, 'STATE', gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'twin',
                    'text/plain', '', '', 1))
        INSERT INTO xapi_statements (tenant_id, id, stored, verb, voids, digest, content)
        VALUES (:tenant, gen_random_uuid(), 1, gen_random_uuid(), false, '', '{}')
        """
    )


async def _federate(tx: Tx, user_id: UUID) -> None:
    """Creates two connections, a person who signed in with one, and a sign-in in progress."""
    await tx.execute(
        """
        WITH ids AS (SELECT gen_random_uuid() AS one, gen_random_uuid() AS two),
        connections AS (
            INSERT INTO sso_connections (tenant_id, id, kind, name, created_at, updated_at)
            SELECT :tenant, id, kind, 'Twin', :now, :now
            FROM ids, LATERAL (VALUES (one, 'OIDC'), (two, 'SAML')) AS made (id, kind)),
        domains AS (
            INSERT INTO sso_connection_domains (tenant_id, connection_id, domain)
            SELECT :tenant, one, 'example.com' FROM ids),
        oidc AS (
            INSERT INTO sso_oidc (tenant_id, connection_id, issuer, client_id, auth_method, algorithms,
                                  document, document_read_at)
            SELECT :tenant, one, 'https://idp.example.com', 'twin', 'client_secret_basic', '{}', '{}', :now
            FROM ids),
        saml AS (
            INSERT INTO sso_saml (tenant_id, connection_id, entity_id, sso_url, certificates, private_key,
                                  certificate)
            SELECT :tenant, two, 'https://idp.example.com', '', '{}', '', '' FROM ids),
        identities AS (
            INSERT INTO sso_identities (tenant_id, connection_id, subject, user_id, last_sign_in_at,
                                        created_at)
            SELECT :tenant, one, 'twin', :user_id, :now, :now FROM ids),
        flows AS (
            INSERT INTO sso_flows (tenant_id, fingerprint, connection_id, browser, is_test, expires_at)
            SELECT :tenant, '', one, '', false, :now FROM ids),
        tickets AS (
            INSERT INTO sso_tickets (tenant_id, fingerprint, user_id, epoch, connection_id, browser, subject,
                                     expires_at)
            SELECT :tenant, '', :user_id, 0, one, '', 'twin', :now FROM ids),
        replays AS (
            INSERT INTO sso_replays (tenant_id, connection_id, digest, until)
            SELECT :tenant, two, '', :now FROM ids)
        INSERT INTO sso_sign_ins (tenant_id, id, at, connection_id, outcome, reference)
        SELECT :tenant, gen_random_uuid(), :now, one, 'SIGNED_IN', '' FROM ids
        """,
        user_id=user_id,
    )


async def populate(world: World, twins: dict[str, UUID]) -> dict[str, str]:
    """Creates two rows in every list and one row in every table, and returns the ids of the first ones."""
    course = await world.course(category="Segurança")
    enrollment = await world.enrollment(course_id=course)
    await world.enrollment(user_id=enrollment["user_id"])
    await world.http.post("/v1/enrollments/bulk", json={"enrollments": []}, headers={"idempotency-key": "k"})
    body = {"url": "https://hooks.example.com/", "events": ["user.created"]}
    webhook = (await world.http.post("/v1/webhooks", json=body)).json()["data"]
    path = f"/v1/webhooks/{webhook['id']}"
    export = (await world.http.post("/v1/analytics/exports", json={"type": "csv"})).json()["data"]
    (delivery, _) = [(await world.http.post(f"{path}/test")).json()["data"] for _ in range(2)]
    span = BODIES["POST /webhooks/{webhook_id}/replay"]
    (replay, _) = [(await world.http.post(f"{path}/replay", json=span)).json()["data"] for _ in range(2)]
    path = f"/v1/courses/{enrollment['course_id']}/modules"
    module_import, _ = [(await world.http.post(path, json=IMPORTED)).json()["data"] for _ in range(2)]
    await world.course(category="Integração")
    keys = SigningKeys(world.database)
    async with world.tx() as tx:
        kid = (await keys.signing()).kid
        client = (await oauth.create(tx, "Twin", ["users:read"])).client
        token = NewToken(uuid4(), world.tenant.id, client.id, kid, "users:read")
        await oauth_queries.insert_tokens(tx, [token], tx.now)
        await oauth_queries.use_assertion(tx, client.id, b"digest", tx.now)
        await mail.send(tx, to=Recipient("twin@example.com", "Twin", "en"), message=TestMessage())
        await tx.execute(
            """
            WITH units AS (
                INSERT INTO business_units (tenant_id, id, name, created_at, updated_at)
                VALUES (:tenant, :business_unit_id, 'Twin', :now, :now)),
            archived AS (
                INSERT INTO archive_files (tenant_id, log, month, rows, file_key, created_at)
                VALUES (:tenant, 'events', '2026-01', 1, 'archive/x', :now)),
            files AS (
                INSERT INTO exports (tenant_id, id, type, wanted, created_at)
                VALUES (:tenant, :export_id, 'csv', '{}', :now)),
            people AS (
                INSERT INTO users (tenant_id, id, email, name, role, created_at, updated_at)
                VALUES (:tenant, :user_id, 'twin@example.com', 'Twin', 'learner', :now, :now)),
            courses AS (
                INSERT INTO courses (tenant_id, id, title, slug, status, created_at, updated_at)
                VALUES (:tenant, :course_id, 'Twin', 'twin', 'PUBLISHED', :now, :now),
                       (:tenant, :other_course_id, 'Twin', 'other', 'PUBLISHED', :now, :now),
                       (:tenant, :asked_course_id, 'Twin', 'asked', 'PUBLISHED', :now, :now),
                       (:tenant, :open_course_id, 'Twin', 'open', 'PUBLISHED', :now, :now),
                       (:tenant, :free_course_id, 'Twin', 'free', 'PUBLISHED', :now, :now)),
            modules AS (
                INSERT INTO all_modules (tenant_id, id, course_id, position, title, type, duration_minutes,
                                     created_at, updated_at)
                SELECT :tenant, CASE WHEN n = 1 THEN CAST(:module_id AS uuid) ELSE gen_random_uuid() END,
                       :course_id, n, 'M', 'ARTICLE', 1, :now, :now FROM generate_series(1, 2) AS n),
            imported AS (
                INSERT INTO module_imports (tenant_id, id, course_id, type, title, required, status, step,
                                            file_name, actor_kind, actor, source, created_at, updated_at)
                SELECT :tenant,
                       CASE WHEN n = 1 THEN CAST(:module_import_id AS uuid) ELSE gen_random_uuid() END,
                       :course_id, 'SCORM', 'M', true, 'RUNNING', 'UNPACK', '', 'system', '', '', :now, :now
                FROM generate_series(1, 2) AS n),
            wanting AS (
                INSERT INTO report_mails (tenant_id, user_id, every, next_at)
                VALUES (:tenant, :user_id, 'week', :now))
            INSERT INTO enrollments (tenant_id, id, user_id, course_id, created_at, updated_at)
            VALUES (:tenant, :enrollment_id, :user_id, :course_id, :now, :now),
                   (:tenant, gen_random_uuid(), :user_id, :other_course_id, :now, :now)
            """,
            **twins,
        )
        await tx.execute(
            """
            WITH endpoints AS (
                INSERT INTO webhook_endpoints (tenant_id, id, url, events, active, created_at, updated_at)
                VALUES (:tenant, :webhook_id, 'https://twin.example.com/', '{user.created}', true, :now,
                        :now),
                       (:tenant, gen_random_uuid(), 'https://twin.example.com/', '{user.created}', true,
                        :now, :now)),
            replays AS (
                INSERT INTO webhook_replays (tenant_id, id, endpoint_id, since, until, created_at)
                VALUES (:tenant, :replay_id, :webhook_id, :now, :now, :now),
                       (:tenant, gen_random_uuid(), :webhook_id, :now, :now, :now)),
            happened AS (
                INSERT INTO events (tenant_id, id, type, data, created_at, relayed)
                SELECT :tenant, gen_random_uuid(), 'user.created', '{}', :now, true FROM generate_series(1, 2)
                RETURNING id)
            INSERT INTO webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type,
                                            next_attempt_at, created_at, updated_at)
            SELECT :tenant, CASE number WHEN 1 THEN CAST(:delivery_id AS uuid) ELSE gen_random_uuid() END,
                   :webhook_id, id, 'user.created', :now, :now, :now
            FROM (SELECT id, row_number() OVER () AS number FROM happened) AS event
            """,
            **twins,
        )
        unit = await business_units.create(tx, NewBusinessUnit(name=Name("Own")))
        group = await learning_groups.create(tx, NewLearningGroup(name=Name("Own")))
        await learning_groups.add_members(tx, group.id, [twins["user_id"]])
        await _provision(tx, twins["user_id"], group.id)
        await _federate(tx, twins["user_id"])
        await _experience(tx)
        await tx.execute(
            """
            WITH teachers AS (
                INSERT INTO course_teachers (tenant_id, course_id, user_id)
                VALUES (:tenant, :course_id, :user_id)),
            managers AS (
                INSERT INTO business_unit_managers (tenant_id, business_unit_id, user_id)
                VALUES (:tenant, :business_unit_id, :user_id)),
            started AS (
                INSERT INTO imports (tenant_id, file_name, dry_run, mapping, dialect, rows, actor_kind, actor,
                                     source, created_at)
                VALUES (:tenant, 'x.csv', true, '{}', '{}', 0, '', '', '', :now) RETURNING id)
            INSERT INTO import_problems (tenant_id, import_id, line, number, "column", code, message, value)
            SELECT :tenant, id, 2, 0, '', '', '', '' FROM started
            """,
            **twins,
        )
        await tx.execute(
            """
            WITH sent AS (
                INSERT INTO packages (tenant_id, id, sha256, file_name, size, title, actor_kind, actor,
                                      source, created_at)
                VALUES (:tenant, gen_random_uuid(), repeat('0', 64), '', 0, '', '', '', '', :now)),
            media AS (
                INSERT INTO media_files (tenant_id, sha256, media_type, size, name, created_at)
                VALUES (:tenant, repeat('0', 64), 'video/mp4', 0, '', :now)),
            calls AS (
                INSERT INTO usage_counters (tenant_id, month, api_calls) VALUES (:tenant, '2026-01-01', 1)),
            measured AS (
                INSERT INTO usage_months (tenant_id, month, people, active_people, files, storage_bytes,
                                          measured_at)
                VALUES (:tenant, '2026-01-01', 0, 0, 0, 0, :now)),
            quotas AS (
                INSERT INTO tenant_quotas (tenant_id, updated_at) VALUES (:tenant, :now)),
            mail_counts AS (
                INSERT INTO mail_counters (tenant_id, day) VALUES (:tenant, '2026-01-01')),
            counting AS (
                INSERT INTO unit_countings (tenant_id, due_at) VALUES (:tenant, :now)),
            counts AS (
                INSERT INTO unit_counters (tenant_id, business_unit_id, people, open, expiring, licences,
                                           completions, counted_at)
                VALUES (:tenant, :business_unit_id, 0, 0, 0, 0, '{}', :now)),
            changed AS (
                INSERT INTO changed_courses (tenant_id, course_id, changed_at)
                VALUES (:tenant, :course_id, :now)),
            completions AS (
                INSERT INTO course_completions (tenant_id, course_id, month)
                VALUES (:tenant, :course_id, '2026-01-01')),
            translations AS (
                INSERT INTO course_translations (tenant_id, course_id, language, created_at, updated_at)
                VALUES (:tenant, :course_id, 'en', :now, :now), (:tenant, :own_course_id, 'en', :now, :now)),
            titles AS (
                INSERT INTO module_translations (tenant_id, module_id, language, course_id, title)
                VALUES (:tenant, :module_id, 'en', :course_id, 'M')),
            deadlines AS (
                INSERT INTO course_deadlines (tenant_id, course_id, month)
                VALUES (:tenant, :course_id, '2026-01-01')),
            settings AS (
                INSERT INTO tenant_settings (tenant_id, updated_at) VALUES (:tenant, :now)),
            signed_in AS (
                INSERT INTO sessions (tenant_id, user_id, fingerprint, epoch, second_factor, agent, source,
                                      last_seen_at, idle_ends_at, expires_at, created_at)
                VALUES (:tenant, :user_id, '', 0, 'passed', '', '', :now, :now, :now, :now)),
            apps AS (
                INSERT INTO authenticators (tenant_id, user_id, secret, created_at)
                VALUES (:tenant, :user_id, '', :now)),
            codes AS (
                INSERT INTO recovery_codes (tenant_id, user_id, fingerprint) VALUES (:tenant, :user_id, '')),
            keys AS (
                INSERT INTO passkeys (tenant_id, user_id, name, credential_id, public_key, sign_count,
                                      may_sync, is_synced, created_at)
                VALUES (:tenant, :user_id, 'Phone', '\\x01', '\\x01', 0, false, false, :now)),
            challenges AS (
                INSERT INTO passkey_challenges (tenant_id, digest, purpose, binding, expires_at)
                VALUES (:tenant, '', 'SIGN_IN', '', :now)),
            changes AS (
                INSERT INTO email_changes
                    (tenant_id, user_id, old_email, new_email, fingerprint, expires_at, created_at)
                VALUES (:tenant, :user_id, '', '', '', :now, :now)),
            feeds AS (
                INSERT INTO calendar_feeds (tenant_id, user_id, digest, created_at)
                VALUES (:tenant, :user_id, '', :now)),
            company_feeds AS (
                INSERT INTO company_feeds (tenant_id, user_id, digest, created_at)
                VALUES (:tenant, :user_id, '', :now)),
            sealings AS (
                INSERT INTO file_sealings (tenant_id, kind) VALUES (:tenant, 'certificates'))
            INSERT INTO password_resets
                (tenant_id, user_id, purpose, email, fingerprint, expires_at, created_at)
            VALUES (:tenant, :user_id, 'reset', '', '', :now, :now)
            """,
            **twins,
            own_course_id=course,
        )
        await learn(tx, enrollment)
        class_ids = {name: uuid4() for name in CLASS_NAMES}
        await meet(tx, UUID(enrollment["user_id"]), UUID(enrollment["id"]), class_ids)
        await meet(tx, twins["user_id"], twins["enrollment_id"], twins)
        await qualify(tx, UUID(enrollment["user_id"]), class_ids["qualification_id"])
        await qualify(tx, twins["user_id"], twins["qualification_id"])
        await identify(tx, UUID(enrollment["user_id"]), UUID(enrollment["id"]))
        await practice(tx, UUID(enrollment["id"]), class_ids)
        await practice(tx, twins["enrollment_id"], twins)
        await follow_path(tx, enrollment, group.id)
        requirement = await require(tx, enrollment, twins)
        await tell(tx, enrollment)
        request = await ask(tx, enrollment, twins)
        await dress(tx)
        certificate = uuid4()
        await certify(tx, UUID(enrollment["id"]), certificate, uuid4())
        # One replaced the other: an enrollment has two.
        replaced = uuid4()
        await certify(tx, twins["enrollment_id"], replaced, twins["certificate_id"])
        await certify(tx, twins["enrollment_id"], twins["certificate_id"])
        module = await tx.value(
            "SELECT id FROM modules WHERE tenant_id = :tenant AND course_id = :id ORDER BY position LIMIT 1",
            id=enrollment["course_id"],
        )
    return {
        "module_id": str(module),
        "module_import_id": module_import["id"],
        "business_unit_id": str(unit.id),
        "user_id": enrollment["user_id"],
        "course_id": enrollment["course_id"],
        "enrollment_id": enrollment["id"],
        "webhook_id": webhook["id"],
        "delivery_id": delivery["id"],
        "export_id": export["id"],
        "replay_id": replay["id"],
        "category_id": (await world.http.get("/v1/categories")).json()["data"][0]["id"],
        "certificate_id": str(certificate),
        "requirement_id": str(requirement),
        "enrollment_request_id": str(request),
        **{name: str(id) for name, id in class_ids.items()},
    }


async def identify(tx: Tx, user_id: UUID, enrollment_id: UUID) -> None:
    """Creates a row in every table of identity photos."""
    await tx.execute(
        """
        WITH settings AS (
            INSERT INTO identity_settings (tenant_id, enabled, retention_days, updated_at)
            VALUES (:tenant, false, 30, :now)),
        texts AS (
            INSERT INTO identity_texts (tenant_id, version, text, created_at)
            VALUES (:tenant, 1, 'Texto', :now)),
        rules AS (
            INSERT INTO identity_rules
                (tenant_id, course_id, random_photos, threshold, blocking, updated_at)
            SELECT :tenant, course_id, 1, 0.5, true, CAST(:now AS timestamptz)
            FROM all_enrollments WHERE tenant_id = :tenant AND id = :enrollment_id
            RETURNING tenant_id),
        consents AS (
            INSERT INTO identity_consents (tenant_id, user_id, version, agreed, created_at)
            VALUES (:tenant, :user_id, 1, true, :now)),
        checks AS (
            INSERT INTO identity_checks (tenant_id, enrollment_id, user_id, moment, number, due_seconds,
                                         status, created_at)
            VALUES (:tenant, :enrollment_id, :user_id, 'START', 1, 0, 'PENDING', :now)),
        confirmations AS (
            INSERT INTO identity_confirmations
                (tenant_id, enrollment_id, user_id, reason, confirmed_by, created_at)
            VALUES (:tenant, :enrollment_id, :user_id, 'RG', :user_id, :now)),
        photos AS (
            INSERT INTO identity_photos (tenant_id, id, user_id, photo, taken_at, retained_until)
            VALUES (:tenant, :photo_id, :user_id, '', :now, :now))
        INSERT INTO identity_references (tenant_id, user_id, photo_id) VALUES (:tenant, :user_id, :photo_id)
        """,
        user_id=user_id,
        enrollment_id=enrollment_id,
        photo_id=uuid4(),
    )


async def meet(tx: Tx, user_id: UUID, enrollment_id: UUID, ids: dict[str, UUID]) -> None:
    """Creates three classes in the course of an enrollment. The first one has a session that runs now and a
    later one, and two people with attendance.
    """
    await tx.execute(
        """
        WITH sessions AS (
            INSERT INTO cmi5_sessions (tenant_id, id, user_id, launch_id, enrollment_id, module_id,
                                       registration, agent, mode, fetch_fingerprint, token_fingerprint,
                                       files_fingerprint, last_at, started_at)
            VALUES (:tenant, gen_random_uuid(), :user_id, gen_random_uuid(), :enrollment_id,
                    gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'Normal', '1', '2', '3', :now,
                    :now))
        INSERT INTO cmi5_progress (tenant_id, enrollment_id, package_id, kind, identifier)
        VALUES (:tenant, :enrollment_id, gen_random_uuid(), 'AU', 'https://example.com/')
        """,
        user_id=user_id,
        enrollment_id=enrollment_id,
    )
    other_id: UUID = await tx.value(
        """
        INSERT INTO users (tenant_id, email, name, role, created_at, updated_at)
        VALUES (:tenant, :email, 'Other', 'learner', :now, :now) RETURNING id
        """,
        email=f"{uuid4().hex}@example.com",
    )
    await tx.execute(
        """
        WITH course AS (
            SELECT course_id AS id FROM all_enrollments WHERE tenant_id = :tenant AND id = :enrollment_id),
        modules AS (
            INSERT INTO all_modules (tenant_id, id, course_id, position, title, type, presence_percent,
                                     duration_minutes, created_at, updated_at)
            SELECT :tenant, :class_module_id, id, 90, 'M', 'CLASS', 100, 1, :now, :now FROM course),
        classes AS (
            INSERT INTO classes (tenant_id, id, course_id, module_id, title, minimum_people, maximum_people,
                                 waiting_list, registered, last_ticket, created_at, updated_at)
            SELECT :tenant, class.id, course.id, :class_module_id, 'C', 0, 9, true, class.registered, 0, :now,
                   :now
            FROM course, (VALUES (CAST(:class_id AS uuid), 2), (CAST(:other_class_id AS uuid), 0),
                                 (CAST(:spare_class_id AS uuid), 0)) AS class (id, registered)),
        sessions AS (
            INSERT INTO class_sessions (tenant_id, id, class_id, starts_at, ends_at, time_zone, created_at,
                                        updated_at)
            SELECT :tenant, session.id, session.class_id, CAST(:now AS timestamptz) + session.starts,
                   CAST(:now AS timestamptz) + session.starts + interval '90 hours', 'UTC', :now, :now
            FROM (VALUES (CAST(:class_session_id AS uuid), CAST(:class_id AS uuid), interval '-1 hour'),
                         (gen_random_uuid(), :class_id, interval '99 hours'),
                         (CAST(:other_class_session_id AS uuid), CAST(:other_class_id AS uuid),
                          interval '1 hour')) AS session (id, class_id, starts)),
        instructors AS (
            INSERT INTO class_instructors (tenant_id, session_id, user_id, number)
            VALUES (:tenant, :class_session_id, :user_id, 1)),
        enrolled AS (
            INSERT INTO all_enrollments (tenant_id, user_id, course_id, created_at, updated_at)
            SELECT :tenant, CAST(:other_id AS uuid), id, :now, :now FROM course RETURNING id),
        registrations AS (
            INSERT INTO class_registrations (tenant_id, id, class_id, user_id, enrollment_id, status,
                                             created_at, updated_at)
            SELECT :tenant, CAST(:registration_id AS uuid), CAST(:class_id AS uuid), CAST(:user_id AS uuid),
                   CAST(:enrollment_id AS uuid), 'REGISTERED', CAST(:now AS timestamptz),
                   CAST(:now AS timestamptz)
            UNION ALL
            SELECT :tenant, gen_random_uuid(), :class_id, :other_id, id, 'REGISTERED', :now, :now
            FROM enrolled),
        attendance AS (
            INSERT INTO class_attendance (tenant_id, session_id, user_id, minutes, method, recorded_at,
                                          actor_kind, actor)
            VALUES (:tenant, :class_session_id, :user_id, 1, 'LIST', :now, '', '')),
        corrections AS (
            INSERT INTO attendance_corrections (tenant_id, session_id, user_id, minutes_before, method_before,
                                                minutes, reason, actor_kind, actor, created_at)
            VALUES (:tenant, :class_session_id, :user_id, 2, 'LIST', 1, 'Own', '', '', :now)),
        marks AS (
            INSERT INTO attendance_marks (tenant_id, id, session_id, user_id, minutes, marked_at, created_at)
            VALUES (:tenant, gen_random_uuid(), :class_session_id, :user_id, 1, :now, :now)),
        scans AS (
            INSERT INTO attendance_scans (tenant_id, id, session_id, name, media_type, bytes, digest,
                                          uploaded_by, created_at, removed_at, remove_reason)
            VALUES (:tenant, gen_random_uuid(), :class_session_id, 'a', 'image/png', 1, repeat('0', 64),
                    :user_id, :now, :now, 'Own')),
        signed AS (
            INSERT INTO signatures (tenant_id, user_id, kind, purpose, subject_id, digest, content,
                                    actor_kind, actor, signed_at)
            VALUES (:tenant, :user_id, 'DRAWN', 'attendance', :class_session_id, repeat('0', 64),
                    NULL, '', '', :now)),
        notices AS (
            INSERT INTO class_notices (tenant_id, class_id, number, kind, user_ids)
            VALUES (:tenant, :class_id, 1, 'REGISTERED', ARRAY[CAST(:user_id AS uuid)])),
        invitees AS (
            INSERT INTO class_invitees (tenant_id, class_id, user_id)
            VALUES (:tenant, :class_id, :user_id)),
        requests AS (
            INSERT INTO meeting_requests (tenant_id, session_id, kind, next_attempt_at, created_at,
                                          updated_at)
            VALUES (:tenant, :class_session_id, 'zoom', :now, :now, :now)),
        services AS (
            INSERT INTO meeting_services (tenant_id, kind, credentials, organizer, created_at, updated_at)
            VALUES (:tenant, 'zoom', '', 'ana@example.com', :now, :now)
            ON CONFLICT DO NOTHING),
        invitations AS (
            INSERT INTO class_invitations (tenant_id, session_id, user_id, sequence, ends_at)
            VALUES (:tenant, :class_session_id, :user_id, 0, :now))
        INSERT INTO presence_checks (tenant_id, enrollment_id, token)
        VALUES (:tenant, :enrollment_id, gen_random_uuid())
        """,
        user_id=user_id,
        enrollment_id=enrollment_id,
        other_id=other_id,
        **{name: ids[name] for name in CLASS_NAMES if name not in PRACTICE_NAMES},
    )


async def qualify(tx: Tx, user_id: UUID, id: UUID) -> None:
    """Creates a qualification."""
    await tx.execute(
        """
        INSERT INTO qualifications (tenant_id, id, user_id, title, title_key, issuing_body, valid_from,
                                    created_at, updated_at)
        VALUES (:tenant, :id, :user_id, 'Q', 'q', 'C', '2026-01-01', :now, :now)
        """,
        id=id,
        user_id=user_id,
    )


async def practice(tx: Tx, enrollment_id: UUID, ids: dict[str, UUID]) -> None:
    """Creates a practice in the course of an enrollment, an assessor, and a signed unsatisfactory attempt."""
    item = {"id": str(uuid4()), "title": "I", "criteria": ""}
    await tx.execute(
        """
        INSERT INTO users (tenant_id, id, email, name, role, created_at, updated_at)
        VALUES (:tenant, :assessor_id, :email, 'Assessor', 'admin', :now, :now)
        """,
        assessor_id=ids["assessor_id"],
        email=f"{uuid4().hex}@example.com",
    )
    await qualify(tx, ids["assessor_id"], uuid4())
    await tx.execute(
        """
        INSERT INTO all_modules (tenant_id, id, course_id, position, title, type, duration_minutes, content,
                                 required, created_at, updated_at)
        SELECT :tenant, :module_id, course_id, 91, 'P', 'PRACTICE', 1, :content, false, :now, :now
        FROM all_enrollments WHERE tenant_id = :tenant AND id = :enrollment_id
        """,
        enrollment_id=enrollment_id,
        module_id=ids["practice_module_id"],
        content={"items": [item], "qualification": None},
    )
    await tx.execute(
        """
        WITH assessed AS (
            INSERT INTO practice_assessments (tenant_id, id, enrollment_id, user_id, course_id, module_id,
                                              number, assessor_id, items, result, assessor_signature_id,
                                              assessor_signed_at, digest, assessed_on, created_at, updated_at)
            SELECT :tenant, CAST(:id AS uuid), id, user_id, course_id, CAST(:module_id AS uuid), 1,
                   CAST(:assessor_id AS uuid), CAST(:items AS jsonb), 'UNSATISFACTORY', gen_random_uuid(),
                   CAST(:now AS timestamptz), repeat('0', 64), '2026-01-01', CAST(:now AS timestamptz),
                   CAST(:now AS timestamptz)
            FROM all_enrollments WHERE tenant_id = :tenant AND id = :enrollment_id RETURNING id),
        rated AS (
            INSERT INTO practice_ratings (tenant_id, assessment_id, item_id, satisfactory, note, rated_at)
            SELECT :tenant, id, CAST(:item_id AS uuid), false, 'Own', CAST(:now AS timestamptz) FROM assessed)
        INSERT INTO practice_photos (tenant_id, assessment_id, item_id, sha256, size, created_at)
        SELECT :tenant, id, CAST(:item_id AS uuid), repeat('0', 64), 1, CAST(:now AS timestamptz)
        FROM assessed RETURNING tenant_id
        """,
        id=ids["practice_assessment_id"],
        enrollment_id=enrollment_id,
        module_id=ids["practice_module_id"],
        assessor_id=ids["assessor_id"],
        items=[item],
        item_id=UUID(item["id"]),
    )


async def tell(tx: Tx, enrollment: dict[str, Any]) -> None:
    """Creates a reminder on its way, and everything that goes with it."""
    await tx.execute(
        """
        WITH told AS (
            INSERT INTO reminders (tenant_id, user_id, enrollment_id, kind, created_at)
            VALUES (:tenant, :user_id, :enrollment_id, 'quiz_graded', :now)
            RETURNING id),
        deliveries AS (
            INSERT INTO reminder_deliveries (tenant_id, reminder_id, user_id, channel, next_attempt_at)
            SELECT :tenant, id, :user_id, 'mail', :now FROM told),
        settings AS (
            INSERT INTO reminder_settings (tenant_id, updated_at) VALUES (:tenant, :now)),
        uploaded AS (
            INSERT INTO external_certificates (tenant_id, user_id, course_id, completed_on, issuer,
                                               media_type, content, created_at)
            SELECT :tenant, :user_id, course_id, '2026-01-02', 'Senai', 'application/pdf', '', :now
            FROM enrollments WHERE tenant_id = :tenant AND id = :enrollment_id),
        batch AS (
            INSERT INTO course_evaluation_batches (tenant_id, course_id, kind, published_at)
            SELECT :tenant, course_id, 'REACTION', :now
            FROM enrollments WHERE tenant_id = :tenant AND id = :enrollment_id),
        evaluated AS (
            INSERT INTO course_evaluations (tenant_id, kind, course_id, enrollment_id, user_id, due_at)
            SELECT :tenant, 'APPLICATION', course_id, id, user_id, :now
            FROM enrollments WHERE tenant_id = :tenant AND id = :enrollment_id),
        banked AS (
            INSERT INTO bank_questions (tenant_id, kind, text, weight, answer_key, measured_at, created_at,
                                        updated_at)
            VALUES (:tenant, 'voice', '?', 1, '{}', :now, :now, :now) RETURNING id),
        tagged AS (
            INSERT INTO bank_question_tags (tenant_id, tag, question_id) SELECT :tenant, 'a', id FROM banked),
        sent AS (
            INSERT INTO question_imports (tenant_id, user_id, file_name, content, created_at)
            VALUES (:tenant, :user_id, 'a.gift', '', :now)),
        bulk AS (
            INSERT INTO bulk_actions (tenant_id, id, action, options, address, user_id, actor_kind, actor,
                                      source, state, rows, created_at)
            VALUES (:tenant, gen_random_uuid(), 'people/suspend', '{}', '/admin/people', :user_id, 'session',
                    'x', '', 'DONE', 1, :now) RETURNING id),
        bulk_items AS (
            INSERT INTO bulk_action_items (tenant_id, bulk_action_id, number, target_id)
            SELECT :tenant, id, 1, :user_id FROM bulk),
        viewed AS (
            INSERT INTO saved_views (tenant_id, user_id, list, name, query, created_at)
            VALUES (:tenant, :user_id, '/admin/people', 'Minha', 'status=ACTIVE', :now)),
        asked AS (
            INSERT INTO learner_questions (tenant_id, user_id, enrollment_id, course_id, waiting_since,
                                           changed_at, created_at)
            SELECT :tenant, :user_id, :enrollment_id, course_id, :now, :now, :now
            FROM enrollments WHERE tenant_id = :tenant AND id = :enrollment_id
            RETURNING id, course_id),
        messages AS (
            INSERT INTO learner_question_messages (tenant_id, question_id, number, user_id, is_answer, text,
                                                   created_at)
            SELECT :tenant, id, 1, :user_id, false, 'Why?', :now FROM asked),
        sharing AS (
            INSERT INTO learner_question_sharing (tenant_id, course_id, updated_at)
            SELECT :tenant, course_id, :now FROM asked),
        projects AS (
            INSERT INTO pedagogic_projects (tenant_id, course_id, contents, updated_at)
            SELECT :tenant, course_id, '{}', :now FROM asked),
        versions AS (
            INSERT INTO pedagogic_project_versions (tenant_id, id, course_id, number, contents, file_key,
                                                    file_sha256, file_size, actor_kind, actor, created_at)
            SELECT :tenant, gen_random_uuid(), course_id, 1, '{}', 'x', sha256('x'), 1, 'cli', 'x', :now
            FROM asked),
        extensions AS (
            INSERT INTO extension_requests (tenant_id, enrollment_id, user_id, created_at)
            VALUES (:tenant, :enrollment_id, :user_id, :now)),
        announced AS (
            INSERT INTO record_erasures (tenant_id, enrollment_id, user_id, course_id, announced_at, erase_at)
            SELECT :tenant, :enrollment_id, :user_id, course_id, :now, :now FROM asked),
        looked AS (INSERT INTO record_retention_runs (tenant_id, ran_at) VALUES (:tenant, :now)),
        texts AS (
            INSERT INTO reminder_texts (tenant_id, kind, locale, subject, text, updated_at)
            VALUES (:tenant, 'due', 'en', 'A', 'B', :now)),
        addresses AS (
            INSERT INTO reminder_addresses (tenant_id, user_id, channel, fingerprint, address, created_at)
            VALUES (:tenant, :user_id, 'slack', '', '', :now))
        INSERT INTO push_keys (tenant_id, private_key, created_at) VALUES (:tenant, '', :now)
        """,
        user_id=UUID(enrollment["user_id"]),
        enrollment_id=UUID(enrollment["id"]),
    )


async def ask(tx: Tx, enrollment: dict[str, Any], twins: dict[str, UUID]) -> UUID:
    """Opens every course to everyone, and creates three requests for enrollment. Returns the first."""
    own = uuid4()
    await tx.execute("UPDATE courses SET self_enrollment = 'OPEN' WHERE tenant_id = :tenant")
    await tx.execute(
        """
        INSERT INTO enrollment_requests (tenant_id, id, user_id, course_id, status, created_at, updated_at)
        SELECT :tenant, new.*, 'WAITING', :now, :now
        FROM unnest(:ids::uuid[], :users::uuid[], :courses::uuid[]) AS new
        """,
        ids=[own, twins["enrollment_request_id"], twins["other_request_id"]],
        users=[UUID(enrollment["user_id"]), twins["user_id"], twins["user_id"]],
        courses=[twins["free_course_id"], twins["asked_course_id"], twins["free_course_id"]],
    )
    return own


async def require(tx: Tx, enrollment: dict[str, Any], twins: dict[str, UUID]) -> UUID:
    """Creates two custom fields and two requirements, with people in every state of the worker."""
    requirement = uuid4()
    ids = {"first": requirement, "second": twins["requirement_id"], "third": uuid4()}
    await tx.execute(
        """
        WITH fields AS (
            INSERT INTO custom_fields (tenant_id, key, name, type, position, created_at, updated_at)
            SELECT :tenant, 'own_' || n, 'Own', 'text', n, :now, :now FROM generate_series(1, 2) AS n)
        INSERT INTO requirements (tenant_id, id, title, rule, course_id, due_days, window_days, active,
                                  cancel_not_started, created_at, updated_at)
        SELECT :tenant, id, 'Own', '{"all": []}', :course_id, 30, 60, true, false, :now, :now
        FROM unnest(ARRAY[CAST(:first AS uuid), CAST(:second AS uuid), CAST(:third AS uuid)]) AS id
        """,
        course_id=UUID(enrollment["course_id"]),
        **ids,
    )
    await tx.execute(
        """
        WITH terms AS (
            INSERT INTO renewal_terms (tenant_id, user_id, course_id, window_days)
            VALUES (:tenant, :user_id, :course_id, 60)),
        people AS (
            INSERT INTO requirement_people (tenant_id, requirement_id, user_id, applies_since, state, due_at,
                                            business_unit_id)
            SELECT :tenant, requirement, person, :now, 'MISSING', :now, '00000000-0000-0000-0000-000000000000'
            FROM unnest(ARRAY[CAST(:first AS uuid), CAST(:second AS uuid), CAST(:third AS uuid)])
                      AS requirement,
                 unnest(ARRAY[CAST(:user_id AS uuid), CAST(:twin_id AS uuid)]) AS person),
        history AS (
            INSERT INTO requirement_history (tenant_id, requirement_id, user_id, business_unit_id, changed_at)
            VALUES (:tenant, :first, :user_id, '00000000-0000-0000-0000-000000000000', :now)),
        totals AS (
            INSERT INTO requirement_totals (tenant_id, requirement_id, business_unit_id, state, people)
            VALUES (:tenant, :first, '00000000-0000-0000-0000-000000000000', 'MISSING', 2)),
        excuses AS (
            INSERT INTO requirement_excuses (tenant_id, requirement_id, user_id, reason, created_at)
            VALUES (:tenant, :first, :user_id, 'Own', :now)),
        extensions AS (
            INSERT INTO requirement_extensions (tenant_id, requirement_id, user_id, due_at, created_at)
            VALUES (:tenant, :first, :user_id, :now, :now)),
        checks AS (
            INSERT INTO requirement_checks (tenant_id, user_id, created_at) VALUES (:tenant, :user_id, :now)),
        sweeps AS (
            INSERT INTO requirement_sweeps (tenant_id, created_at) VALUES (:tenant, :now))
        INSERT INTO requirement_engines (tenant_id, swept_at) VALUES (:tenant, :now)
        """,
        user_id=UUID(enrollment["user_id"]),
        twin_id=twins["user_id"],
        course_id=UUID(enrollment["course_id"]),
        **ids,
    )
    return requirement


async def dress(tx: Tx) -> None:
    """Creates the design and the signature of certificates."""
    for statement in (
        """
        INSERT INTO certificate_templates (tenant_id, name, design, orientation, texts, signatories,
                                           logo_from, syllabus, created_at, updated_at)
        VALUES (:tenant, 'Course', 'classic', 'portrait', '{}', '[]', 'none', true, :now, :now)
        """,
        """
        INSERT INTO signing_identities (tenant_id, sealed, subject, issuer, serial, not_before, not_after,
                                        fingerprint, created_at)
        VALUES (:tenant, '', 'Company', 'Authority', '1f', :now, :now, sha256(''), :now)
        """,
        """
        INSERT INTO badge_keys (tenant_id, kid, sealed, public, created_at)
        VALUES (:tenant, 'kid', '', '{}', :now)
        """,
    ):
        await tx.execute(statement)


async def certify(tx: Tx, enrollment_id: UUID, id: UUID, replaced_by: UUID | None = None) -> None:
    """Creates a certificate, and one that is due to be issued."""
    await tx.execute(
        """
        WITH missing AS (
            INSERT INTO missing_certificates (tenant_id, enrollment_id) VALUES (:tenant, :enrollment_id)
            ON CONFLICT DO NOTHING)
        INSERT INTO certificates (tenant_id, id, code, user_id, enrollment_id, course_id, holder_name,
                                  course_title, issued_by, locale, workload_minutes, started_at, completed_at,
                                  syllabus, paper, issued_at, revoked_at, revoked_by, revocation_reason,
                                  replaced_by, created_at, updated_at)
        SELECT :tenant, :id, :code, user_id, id, course_id, 'Own', '', '', 'en', 0, :now, :now, '[]', '{}',
               :now, :revoked_at, :revoked_by, :revoked_by, :replaced_by, :now, :now
        FROM enrollments WHERE tenant_id = :tenant AND id = :enrollment_id
        """,
        id=id,
        code=new_code(),
        enrollment_id=enrollment_id,
        revoked_at=tx.now if replaced_by else None,
        revoked_by="x" if replaced_by else None,
        replaced_by=replaced_by,
    )
    await tx.execute(
        """
        INSERT INTO certificate_papers (tenant_id, certificate_id, form, file_key, file_sha256, file_size,
                                        created_at)
        VALUES (:tenant, :id, 'PDF_A1B', 'x', sha256('x'), 1, :now)
        """,
        id=id,
    )


async def learn(tx: Tx, enrollment: dict[str, Any]) -> None:
    """Creates one row in each table of learning."""
    await tx.execute(
        """
        WITH ids AS (
            SELECT e.id AS enrollment_id, e.user_id, gen_random_uuid() AS attempt_id,
                   gen_random_uuid() AS launch_id,
                   (SELECT id FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = e.course_id
                    ORDER BY position LIMIT 1) AS module_id
            FROM enrollments e WHERE e.tenant_id = :tenant AND e.id = :enrollment_id),
        heads AS (
            INSERT INTO learning_heads (tenant_id, enrollment_id) SELECT :tenant, enrollment_id FROM ids),
        entries AS (
            INSERT INTO learning_log (tenant_id, enrollment_id, number, kind, at, detail, hash)
            SELECT :tenant, enrollment_id, 1, '', :now, '{}', '' FROM ids),
        tries AS (
            INSERT INTO attempts (tenant_id, id, enrollment_id, module_id, number, started_at)
            SELECT :tenant, attempt_id, enrollment_id, module_id, 1, :now FROM ids),
        reached AS (
            INSERT INTO module_progress (tenant_id, enrollment_id, module_id, started_at)
            SELECT :tenant, enrollment_id, module_id, :now FROM ids),
        opened AS (
            INSERT INTO launches (tenant_id, id, number, enrollment_id, attempt_id, fingerprint, review,
                                  beat_at, seen_at, source, agent, started_at)
            SELECT :tenant, launch_id, 1, enrollment_id, attempt_id, '', false, :now, :now, '', '', :now
            FROM ids),
        sequences AS (
            INSERT INTO sequencing_states (tenant_id, enrollment_id, package_id, state, updated_at)
            SELECT :tenant, enrollment_id, gen_random_uuid(), '{}', :now FROM ids),
        clocks AS (
            INSERT INTO learner_clocks (tenant_id, user_id, launch_id, credited_until)
            SELECT :tenant, user_id, launch_id, :now FROM ids),
        links AS (
            INSERT INTO launch_links (tenant_id, fingerprint, user_id, epoch, enrollment_id, module_id,
                                      created_at, expires_at, delete_at)
            SELECT :tenant, '', user_id, 0, enrollment_id, module_id, :now, :now, :now FROM ids),
        quizzes AS (
            INSERT INTO quizzes (tenant_id, id, pass_mark, shuffle_questions, shuffle_choices, feedback,
                                 created_at, updated_at)
            SELECT :tenant, attempt_id, 0, false, false, 'never', :now, :now FROM ids),
        questions AS (
            INSERT INTO questions (tenant_id, quiz_id, position, kind, text, weight, answer_key, created_at,
                                   updated_at)
            SELECT :tenant, attempt_id, 1, 'voice', '', 1, '{}', :now, :now FROM ids),
        translated AS (
            INSERT INTO questions (tenant_id, id, quiz_id, position, kind, text, weight, answer_key,
                                   created_at, updated_at)
            SELECT :tenant, launch_id, attempt_id, 2, 'voice', '', 1, '{}', :now, :now FROM ids),
        texts AS (
            INSERT INTO question_translations (tenant_id, question_id, language, texts, source, updated_at)
            SELECT :tenant, launch_id, 'en', '{}', '', :now FROM ids),
        asked AS (
            INSERT INTO quiz_attempts (tenant_id, attempt_id, quiz_id, questions, pass_mark, feedback)
            SELECT :tenant, attempt_id, attempt_id, '[]', 0, '' FROM ids),
        said AS (
            INSERT INTO quiz_answers (tenant_id, attempt_id, question_id, response, latency_seconds,
                                      answered_at)
            SELECT :tenant, attempt_id, attempt_id, '""', 0, :now FROM ids),
        spoken AS (
            INSERT INTO voice_recordings (tenant_id, id, attempt_id, question_id, media_type, size,
                                          created_at)
            SELECT :tenant, gen_random_uuid(), attempt_id, attempt_id, '', 1, :now FROM ids),
        answers AS (
            INSERT INTO interactions (tenant_id, attempt_id, index, interaction_id, type, description,
                                      response, raw_response, correct_response, result, client_time,
                                      updated_at)
            SELECT :tenant, attempt_id, 0, '', '', '', '', '', '', '', '', :now FROM ids)
        , looked AS (
            INSERT INTO previews (tenant_id, user_id, module_id, fingerprint, started_at)
            SELECT :tenant, user_id, module_id, '', :now FROM ids)
        , rendered AS (
            INSERT INTO rendered_articles (tenant_id, module_id, digest, html)
            SELECT :tenant, module_id, '', '' FROM ids)
        , versions AS (
            INSERT INTO lesson_versions (tenant_id, module_id, number, body, author_id, created_at)
            SELECT :tenant, module_id, 1, '', user_id, :now FROM ids)
        , drafts AS (
            INSERT INTO lesson_drafts (tenant_id, module_id, author_id, base, revision, document, saved_at)
            SELECT :tenant, module_id, user_id, 0, 1, '{}', :now FROM ids)
        , lessons AS (
            INSERT INTO rendered_lessons (tenant_id, module_id, digest, html)
            SELECT :tenant, module_id, '', '' FROM ids)
        , refused AS (
            INSERT INTO unapplied_reports (tenant_id, launch_id, hash, kind, outcome, sequence, status,
                                           answers, size, received_at)
            SELECT :tenant, launch_id, '', 'commit', 'EXPIRED', 1, '', 0, 0, :now FROM ids)
        INSERT INTO launch_traces (tenant_id, launch_id, number, calls, at)
        SELECT :tenant, launch_id, 1, '[]', :now FROM ids
        """,
        enrollment_id=UUID(enrollment["id"]),
    )


async def follow_path(tx: Tx, enrollment: dict[str, Any], group_id: UUID) -> None:
    """Creates one row in each table of learning paths and review flags."""
    await tx.execute(
        """
        WITH ids AS (
            SELECT e.id AS enrollment_id, e.user_id, e.course_id, gen_random_uuid() AS path_id,
                   (SELECT id FROM modules m WHERE m.tenant_id = :tenant AND m.course_id = e.course_id
                    ORDER BY position LIMIT 1) AS module_id
            FROM enrollments e WHERE e.tenant_id = :tenant AND e.id = :enrollment_id),
        paths AS (
            INSERT INTO learning_paths (tenant_id, id, title, slug, created_at, updated_at)
            SELECT :tenant, path_id, 'Own', 'own', :now, :now FROM ids),
        parts AS (
            INSERT INTO learning_path_courses (tenant_id, path_id, course_id, position)
            SELECT :tenant, path_id, course_id, 1 FROM ids),
        audiences AS (
            INSERT INTO learning_path_audiences (tenant_id, path_id, group_id, created_at)
            SELECT :tenant, path_id, :group_id, :now FROM ids),
        assigned AS (
            INSERT INTO learning_path_assignments (tenant_id, path_id, user_id, assigned_at)
            SELECT :tenant, path_id, user_id, :now FROM ids),
        problems AS (
            INSERT INTO learning_path_problems (tenant_id, path_id, user_id, course_id, code, at)
            SELECT :tenant, path_id, user_id, course_id, '', :now FROM ids),
        rollouts AS (
            INSERT INTO learning_path_rollouts (tenant_id, path_id, kind, actor_kind, actor, source,
                                                created_at, finished_at)
            SELECT :tenant, path_id, 'ASSIGNED', '', '', '', :now, :now FROM ids),
        changes AS (
            INSERT INTO learning_path_changes (tenant_id, path_id, user_id, joins, created_at)
            SELECT :tenant, path_id, user_id, false, :now FROM ids),
        observed AS (
            INSERT INTO module_observations (tenant_id, enrollment_id, module_id, user_id, answers,
                                             observed_at)
            SELECT :tenant, enrollment_id, module_id, user_id, 0, :now FROM ids),
        flagged AS (
            INSERT INTO review_flags (tenant_id, enrollment_id, module_id, kind, detail, flagged_at)
            SELECT :tenant, enrollment_id, module_id, 'NO_ANSWERS', '{}', :now FROM ids)
        INSERT INTO review_checks (tenant_id, enrollment_id, created_at)
        SELECT :tenant, enrollment_id, :now FROM ids
        """,
        enrollment_id=UUID(enrollment["id"]),
        group_id=group_id,
    )


def key(route: Route) -> str:
    return f"{route.method} {route.path}"


def filled(body: Any, ids: dict[str, str]) -> Any:
    """Returns the body with its braces replaced."""
    if isinstance(body, dict):
        return {name: filled(value, ids) for name, value in body.items()}
    if isinstance(body, list):
        return [filled(value, ids) for value in body]
    return body.format(**ids) if isinstance(body, str) else body


def named(body: Any) -> set[str]:
    """Returns the names in braces."""
    return set(re.findall(r"{(\w+_id)}", str(body)))


async def call(world: World, route: Route, ids: dict[str, str], **options: Any) -> Any:
    body = filled(BODIES[key(route)], ids | {"new": uuid4().hex}) if route.data else None
    options = {"json": body} | options if route.data else options
    path = route.path.format(**ids, language="en")
    return await world.http.request(route.method, f"/v1{path}", **options)


OWN = (
    "xapi_keys",
    "cmi5_sessions",
    "cmi5_progress",
    "statement_settings",
    "xapi_pipes",
    "statement_outbox",
    "xapi_clocks",
    "xapi_statements",
    "xapi_references",
    "xapi_targets",
    "xapi_activities",
    "xapi_attachments",
    "xapi_agents",
    "xapi_documents",
    "users",
    "user_words",
    "business_units",
    "business_unit_managers",
    "unit_counters",
    "unit_countings",
    "learning_groups",
    "learning_group_members",
    "course_teachers",
    "imports",
    "import_problems",
    "packages",
    "media_files",
    "courses",
    "modules",
    "changed_courses",
    "previews",
    "rendered_articles",
    "rendered_lessons",
    "lesson_versions",
    "lesson_drafts",
    "course_translations",
    "module_translations",
    "question_translations",
    "categories",
    "enrollments",
    "learning_heads",
    "attempts",
    "launches",
    "learner_clocks",
    "module_progress",
    "sequencing_states",
    "interactions",
    "quizzes",
    "questions",
    "quiz_attempts",
    "quiz_answers",
    "voice_recordings",
    "launch_traces",
    "unapplied_reports",
    "certificates",
    "certificate_papers",
    "pedagogic_projects",
    "pedagogic_project_versions",
    "missing_certificates",
    "certificate_templates",
    "signing_identities",
    "badge_keys",
    "learning_paths",
    "learning_path_courses",
    "learning_path_audiences",
    "learning_path_assignments",
    "learning_path_problems",
    "learning_path_rollouts",
    "learning_path_changes",
    "review_checks",
    "calendar_feeds",
    "company_feeds",
    "extension_requests",
    "enrollment_requests",
    "practice_assessments",
    "practice_ratings",
    "practice_photos",
    "qualifications",
    "external_certificates",
    "course_evaluations",
    "course_evaluation_batches",
    "bank_questions",
    "bank_question_tags",
    "question_imports",
    "module_imports",
    "bulk_actions",
    "bulk_action_items",
    "saved_views",
    "learner_questions",
    "learner_question_messages",
    "learner_question_sharing",
    "reminder_schedules",
    "reminders",
    "reminder_deliveries",
    "reminder_settings",
    "reminder_texts",
    "reminder_addresses",
    "push_keys",
    "custom_fields",
    "renewal_terms",
    "requirements",
    "requirement_people",
    "requirement_history",
    "requirement_totals",
    "requirement_excuses",
    "requirement_extensions",
    "requirement_checks",
    "requirement_sweeps",
    "requirement_engines",
    "review_flags",
    "module_observations",
    "course_counters",
    "people_counters",
    "course_completions",
    "course_deadlines",
    "events",
    "archive_files",
    "exports",
    "report_mails",
    "mail_messages",
    "mail_counters",
    "usage_counters",
    "usage_months",
    "tenant_quotas",
    "sessions",
    "authenticators",
    "passkeys",
    "passkey_challenges",
    "identity_settings",
    "identity_texts",
    "identity_rules",
    "identity_consents",
    "identity_photos",
    "identity_references",
    "identity_checks",
    "identity_confirmations",
    "recovery_codes",
    "password_resets",
    "email_changes",
    "file_sealings",
    "sso_connections",
    "sso_connection_domains",
    "sso_oidc",
    "sso_saml",
    "sso_identities",
    "sso_flows",
    "sso_tickets",
    "launch_links",
    "classes",
    "class_sessions",
    "class_instructors",
    "class_registrations",
    "class_attendance",
    "attendance_corrections",
    "presence_checks",
    "signatures",
    "class_notices",
    "class_invitees",
    "class_invitations",
    "meeting_services",
    "meeting_requests",
    "attendance_marks",
    "attendance_scans",
    "record_erasures",
    "record_retention_runs",
    "sso_replays",
    "sso_sign_ins",
    "tenant_settings",
    "webhook_endpoints",
    "webhook_secrets",
    "webhook_deliveries",
    "webhook_replays",
)


async def rows(world: World) -> list[str]:
    """Returns everything that a tenant has, except the traces of its own requests."""
    async with world.tx() as tx:
        return [
            row["line"]
            for table in OWN
            for row in await tx.rows(
                f"SELECT t::text AS line FROM {table} t WHERE tenant_id = :tenant ORDER BY 1"
            )
        ]


def parts(kind: Any) -> Iterator[Any]:
    """Returns a type and all its component types."""
    yield kind
    for each in get_args(kind):
        yield from parts(each)


def id_members(kind: Any) -> set[str]:
    """Returns every member of a Struct, or of nested ones, that holds an id."""
    found: set[str] = set()
    for field in msgspec.structs.fields(kind):
        for part in parts(field.type):
            if part is UUID:
                found.add(field.name)
            elif isinstance(part, type) and issubclass(part, msgspec.Struct):
                found |= id_members(part)
    return found


# Objects that not every person of a tenant may see.
OF_A_TENANT = [each for each in ROUTES if each.values[0].scope is not None]


def test_what_is_for_everybody() -> None:
    public = [each.values[0].path for each in ROUTES if each not in OF_A_TENANT]
    assert public == ["/certificates/verify/{code}"]


@pytest.mark.parametrize("route", [each for each in OF_A_TENANT if each.values[0].path_params])
async def test_their_ids_in_the_path_are_not_there(both: Both, route: Route) -> None:
    before = await rows(both.theirs)
    for name in route.path_params.keys() - {"language"}:
        answer = await call(both.mine, route, both.my_ids | {name: both.their_ids[name]})
        code = f"{name.removesuffix('_id')}_not_found"
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, code)
        nobody = await call(both.mine, route, both.my_ids | {name: str(uuid4())})
        ours, unknown = answer.json()["error"], nobody.json()["error"]
        # The answer does not reveal that another tenant has such a row.
        assert ours | {"request_id": ""} == unknown | {"request_id": ""}
    assert await rows(both.theirs) == before


@pytest.mark.parametrize("route", [each for each in ROUTES if each.values[0].data])
async def test_their_ids_in_the_body_are_not_there(both: Both, route: Route) -> None:
    body = BODIES[key(route)]
    known = {
        ALIASES.get(f"{key(route)} {name}", ALIASES.get(name, name))
        for name in id_members(route.described_body) - INSTEAD.get(key(route), set())
    }
    assert named(body) == known, "name each id of the body in BODIES"
    before = [await rows(both.theirs), await rows(both.mine)]
    for name in named(body):
        answer = await call(both.mine, route, both.my_ids | {name: both.their_ids[name]})
        code = f"{name.removesuffix('_id')}_not_found"
        if route.path.endswith(("/bulk", "/import")):
            result = answer.json()["data"]
            told = UNKNOWN[name][1] if name in UNKNOWN else code
            made = result.get("created", result.get("registered"))
            assert (made, [each["code"] for each in result["errors"]]) == (0, [told])
        else:
            expected = UNKNOWN.get(f"{key(route)} {name}", UNKNOWN.get(name, (404, code)))
            assert (answer.status_code, answer.json()["error"]["code"]) == expected
    assert [await rows(both.theirs), await rows(both.mine)] == before


@pytest.mark.parametrize("route", LISTS)
async def test_their_ids_in_the_query_find_nothing(both: Both, route: Route) -> None:
    for name in id_members(route.query):
        answer = await call(both.mine, route, both.my_ids, params={name: both.their_ids[name]})
        assert (answer.status_code, answer.json()["data"]) == (200, [])


@pytest.mark.parametrize("route", [each for each in OF_A_TENANT if each.values[0].method == "GET"])
async def test_no_answer_shows_anything_of_theirs(both: Both, route: Route) -> None:
    for ids in (both.my_ids, both.twin_ids):
        answer = await call(both.mine, route, ids)
        assert answer.status_code == 200
        theirs = await rows(both.theirs)
        shared = set(both.twin_ids.values()) | set(both.my_ids.values())
        shown = [] if route.media_type else answer.json()["data"]
        for row in shown if isinstance(shown, list) else [shown]:
            if "id" in row and row["id"] not in shared:
                assert not any(row["id"] in line for line in theirs)
        for id in both.their_ids.values():
            assert id not in answer.text


@pytest.mark.parametrize("route", LISTS)
async def test_their_cursors_open_nothing(both: Both, route: Route) -> None:
    """This includes rows with the same id in both tenants, so that only the tenant differs."""
    page = (await call(both.theirs, route, both.twin_ids, params={"limit": 1})).json()
    assert page["has_more"] is (route.path not in EMPTY_LISTS)
    cursor = page["next_cursor"]
    if cursor is None:
        cursor = (await both.theirs.http.get("/v1/users?limit=1")).json()["next_cursor"]
    else:
        own = await call(both.theirs, route, both.twin_ids, params={"cursor": cursor})
        assert own.status_code == 200
    answer = await call(both.mine, route, both.twin_ids, params={"cursor": cursor})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_cursor")


@pytest.mark.parametrize("route", POSTS)
async def test_their_idempotency_keys_repeat_nothing(both: Both, route: Route) -> None:
    headers = {"idempotency-key": f"key of {key(route)}"}
    ids = both.twin_ids | {"new": uuid4().hex}
    ids |= {name: ids[other] for name, other in OTHERS.get(key(route), {}).items()}
    if key(route) in OTHERS:
        # An earlier route may have suspended the user.
        for world in (both.mine, both.theirs):
            await world.http.post(f"/v1/users/{ids['user_id']}/reactivate")
    body = filled(BODIES.get(key(route)), ids)
    path = "/v1" + route.path.format(**ids)
    theirs = await both.theirs.http.post(path, json=body, headers=headers)
    again = await both.theirs.http.post(path, json=body, headers=headers)
    assert again.headers["idempotent-replayed"] == "true"
    # The same body to the same address with the same key, from the other tenant.
    mine = await both.mine.http.post(path, json=body, headers=headers)
    assert "idempotent-replayed" not in mine.headers
    assert mine.status_code == theirs.status_code
    assert theirs.is_success, theirs.text
    # From here on, each tenant has its own answer for that key.
    for world, answer in ((both.mine, mine), (both.theirs, theirs)):
        repeated = await world.http.post(path, json=body, headers=headers)
        assert (repeated.headers["idempotent-replayed"], repeated.content) == ("true", answer.content)


async def test_what_is_unique_is_so_within_a_tenant(both: Both) -> None:
    body = {"email": "shared@example.com", "name": "Eva", "password": "correct horse"}
    for world in (both.mine, both.theirs):
        assert (await world.http.post("/v1/users", json=body)).status_code == 201
        assert (await world.http.post("/v1/users", json=body)).status_code == 409
