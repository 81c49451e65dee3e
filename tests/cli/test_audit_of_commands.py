"""Every command that changes a tenant records who ran it, and where."""

import asyncio
import getpass
import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import click
import pytest
from click.testing import CliRunner

from cli.issuing import issuing
from cli.test_sso_commands import METADATA
from training.certificates.test_signatures import PASSWORD, archive
from training.scorm.packages import package
from trilha.cli import main
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import serving_urls
from trilha.core.secrets import parse_keyring
from trilha.platform.tenants import unscoped as tenants
from trilha.training.certificates import actions as certificates

READS = {
    *("tenant list", "api-key list", "oauth-client list", "signing-key list", "course list", "audit"),
    *("unit list", "group list", "settings", "routes", "openapi", "webhooks listen"),
    *(
        "evidence verify",
        "path list",
        "requirement list",
        "requirement preview",
        "custom-field list",
        "certificate list",
        "scim token list",
        "xapi-key list",
        "xapi-pipe list",
    ),
    *("certificate check", "sso domain list", "sso list", "sso test", "status"),
    *("webhooks list", "webhooks deliveries", "recount"),
    *("tenant deletion", "doctor", "cluster status", "keys status", "backup list", "backup verify"),
    *("archive list", "archive read"),
    *("practice list", "practice show"),
    *("class list", "class show", "class registrations", "class attendance list"),
    "tenant usage",
    "tenant export",
}
# The sent message is in the tenant's list of e-mails.
SENDS = {"mail test"}
# These use the actions of /v1, which write the records.
AS_V1 = {"webhooks retry", "webhooks replay"}
# A test of cmi5 reads its record.
OF_MODULES = {"course waive"}
# These serve, prepare or move the database. The records of the demo come from the actions that fill it.
NO_TENANT = {
    *("up", "serve", "work", "migrate", "demo", "restore", "backup prune", "keys reseal"),
    *("cluster distribute", "cluster add-node", "cluster rebalance", "cluster drain"),
    *("cluster isolate-tenant", "cluster move-tenant"),
}
# These change what belongs to all tenants, or their records outlive the tenant.
OF_ALL = {"signing-key rotate", "signing-key revoke", "tenant delete"}
# It creates a tenant: see tests/nodes/test_moving_tenants.py.
MOVES = {"tenant import"}


def leaves(command: click.Command, path: str = "") -> Iterator[str]:
    if isinstance(command, click.Group):
        # Some of these modules are imported only when a command needs them.
        context = click.Context(command)
        for name in command.list_commands(context):
            each = command.get_command(context, name)
            assert each is not None
            yield from leaves(each, f"{path} {name}".strip())
    else:
        yield path


class Operator:
    """Runs commands one after another on one tenant."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.environment = {
            "TRILHA_DATABASE_URL": database_url,
            "TRILHA_MASTER_KEY": "6b" * 32,
            "TRILHA_DATA_DIR": str(folder),
        }
        self.slug = f"t-{uuid4().hex}"
        self.made: dict[str, Any] = {}

    def run(self, *arguments: str) -> Any:
        # A password, for the command that asks for one.
        result = CliRunner().invoke(main, [*arguments, "--json"], input=PASSWORD, env=self.environment)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    def records(self) -> list[dict[str, Any]]:
        told: list[dict[str, Any]] = self.run("audit", "--tenant", self.slug, "--limit", "1000")
        return told


@pytest.fixture
def operator(database_url: str, tmp_path: Path) -> Operator:
    course = """
        {title: Altura, slug: altura, modules: [
            {title: Um, duration_minutes: 10},
            {title: Dois, type: CLASS, duration_minutes: 60, presence_percent: 100}]}
        """
    (tmp_path / "course.yaml").write_text(course)
    (tmp_path / "class.yaml").write_text(
        """
        {course: altura, title: Turma 1, maximum_people: 5, sessions: [
            {starts_at: "2020-03-09T09:00:00-03:00", ends_at: "2020-03-09T10:00:00-03:00"}]}
        """
    )
    (tmp_path / "attendance.yaml").write_text("[{email: bia@example.com, minutes: 60}]")
    (tmp_path / "course.zip").write_bytes(package())
    (tmp_path / "template.yaml").write_text("name: Azul\ndesign: modern\n")
    (tmp_path / "company.p12").write_bytes(archive(before=datetime.now(UTC) - timedelta(days=1)))
    (tmp_path / "people.csv").write_text("email,nome\nana@example.com,Ana\nbia@example.com,Bia\n")
    return Operator(database_url, tmp_path)


IN_TENANT = ("--tenant", "{slug}")
CREDENTIAL = (*IN_TENANT, "--name", "hr", "--scopes", "users:read")
CERTIFICATE = (*IN_TENANT, "--id", "{certificate}")
KEY, CLIENT = (*IN_TENANT, "--id", "{key}"), (*IN_TENANT, "--id", "{client}")
TOKEN = (*IN_TENANT, "--id", "{token}")
LATER = ("--starts", "2100-03-09T09:00:00-03:00", "--ends", "2100-03-09T10:00:00-03:00")
DOMAIN = (*IN_TENANT, "--domain", "{slug}.test")
# The order in which each command has something to change.
CHANGES: dict[str, tuple[tuple[str, ...], str]] = {
    "tenant create": (
        ("--slug", "{slug}", "--name", "Acme", "--environment", "homologation"),
        "tenant.created",
    ),
    "tenant suspend": (("{slug}",), "tenant.suspended"),
    "tenant activate": (("{slug}",), "tenant.activated"),
    "tenant statements": ((*IN_TENANT, "--on"), "tenant.statements_changed"),
    "tenant retention": ((*IN_TENANT, "--events", "90"), "tenant.settings_changed"),
    "admin create": ((*IN_TENANT, "--email", "eva@example.com", "--name", "Eva"), "user.created"),
    "user password": ((*IN_TENANT, "--email", "eva@example.com"), "user.password_set"),
    "user change-email": (
        (*IN_TENANT, "--email", "eva@example.com", "--new-email", "eve@example.com"),
        "user.updated user.email_change_confirmed",
    ),
    "user erase": ((*IN_TENANT, "--email", "eve@example.com", "--confirm", "Eva"), "user.deleted"),
    "unit create": ((*IN_TENANT, "--name", "Norte"), "business_unit.created"),
    "group create": ((*IN_TENANT, "--name", "Frota"), "learning_group.created"),
    "import people": (
        (*IN_TENANT, "--file", "{folder}/people.csv"),
        "import.started user.created user.created import.finished",
    ),
    "course create": ((*IN_TENANT, "--file", "{folder}/course.yaml"), "course.created"),
    "course publish": ((*IN_TENANT, "altura"), "course.updated"),
    "course archive": ((*IN_TENANT, "altura"), "course.archived"),
    "course restore": ((*IN_TENANT, "altura"), "course.updated"),
    "class create": ((*IN_TENANT, "--file", "{folder}/class.yaml"), "class.created"),
    "class register": (
        (*IN_TENANT, "--email", "bia@example.com", "{class}"),
        "registration.created enrollment.created",
    ),
    "class attendance record": (
        (*IN_TENANT, "--file", "{folder}/attendance.yaml", "{session}"),
        "attendance.recorded",
    ),
    "class unregister": ((*IN_TENANT, "--email", "bia@example.com", "{class}"), "registration.cancelled"),
    "class session add": ((*IN_TENANT, *LATER, "{class}"), "class.updated"),
    "class session change": ((*IN_TENANT, "--room", "Sala 2", "{session}"), "class.updated"),
    "class session cancel": ((*IN_TENANT, "--reason", "Chuva", "{session}"), "class.updated"),
    "class cancel": ((*IN_TENANT, "--reason", "Chuva", "{class}"), "class.cancelled"),
    "course duplicate": ((*IN_TENANT, "altura"), "course.created"),
    "course import": (
        (*IN_TENANT, "--title", "NR-35", "{folder}/course.zip"),
        "package.uploaded package.imported course.created",
    ),
    "custom-field create": (
        (*IN_TENANT, "--key", "area", "--name", "Area", "--type", "text"),
        "custom_field.created",
    ),
    "custom-field update": ((*IN_TENANT, "--key", "area", "--name", "Setor"), "custom_field.updated"),
    "custom-field delete": ((*IN_TENANT, "--key", "area"), "custom_field.deleted"),
    "question import": ((*IN_TENANT, "--file", "{folder}/questions.gift"), "bank_question.created"),
    "requirement create": ((*IN_TENANT, "--file", "{folder}/requirement.json"), "requirement.created"),
    "path create": (
        (*IN_TENANT, "--title", "Motoristas", "--course", "altura"),
        "learning_path.created learning_path.courses_changed",
    ),
    "path publish": ((*IN_TENANT, "motoristas"), "learning_path.published"),
    "path assign": ((*IN_TENANT, "motoristas", "--group", "Frota"), "learning_path.audience_added"),
    "path archive": ((*IN_TENANT, "motoristas"), "learning_path.archived"),
    "api-key create": (CREDENTIAL, "api_key.created"),
    "api-key rotate": (KEY, "api_key.rotated"),
    "api-key revoke": (KEY, "api_key.revoked"),
    "oauth-client create": (CREDENTIAL, "oauth_client.created"),
    "oauth-client rotate": (CLIENT, "oauth_client.rotated"),
    "oauth-client disable": (CLIENT, "oauth_client.disabled"),
    "oauth-client enable": (CLIENT, "oauth_client.enabled"),
    "oauth-client delete": (CLIENT, "oauth_client.deleted"),
    "certificate template": (
        (*IN_TENANT, "--file", "{folder}/template.yaml"),
        "certificate_template.created",
    ),
    "certificate identity": ((*IN_TENANT, "--file", "{folder}/company.p12"), "signing_identity.set"),
    "certificate reissue": (CERTIFICATE, "certificate.reissued"),
    # The certificate that replaced it.
    "certificate revoke": ((*CERTIFICATE, "--reason", "Fraud"), "certificate.revoked"),
    "scim token create": ((*IN_TENANT, "--name", "Okta"), "scim.token_created"),
    "scim token rotate": (TOKEN, "scim.token_rotated"),
    "scim token revoke": (TOKEN, "scim.token_revoked"),
    "xapi-key create": (
        (*IN_TENANT, "--name", "LMS", "--scopes", "xapi:read,xapi:write"),
        "xapi.key_created",
    ),
    "xapi-pipe create": (
        (
            *IN_TENANT,
            "--name",
            "LRS",
            "--url",
            "https://93.184.216.34/xapi",
            "--username",
            "u",
            "--password-stdin",
        ),
        "xapi_pipe.created",
    ),
    "xapi-pipe delete": ((*IN_TENANT, "--id", "{xapi_pipe}"), "xapi_pipe.deleted"),
    "xapi-key revoke": ((*IN_TENANT, "--id", "{xapi_key}"), "xapi.key_revoked"),
    "sso domain claim": (DOMAIN, "sso.domain_claimed"),
    "sso domain verify": ((*DOMAIN, "--assume-verified"), "sso.domain_verified"),
    "sso oidc create": (
        (*IN_TENANT, "--issuer", "{issuer}", "--client-id", "trilha", "--client-secret-stdin"),
        "sso.connection_created",
    ),
    "sso saml create": (
        (*IN_TENANT, "--metadata", "{metadata}", "--domains", "{slug}.test"),
        "sso.connection_created",
    ),
    "sso enable": ((*IN_TENANT, "--id", "{connection}"), "sso.connection_enabled"),
    "sso disable": ((*IN_TENANT, "--id", "{connection}"), "sso.connection_disabled"),
    "sso domain remove": (DOMAIN, "sso.domain_removed"),
    "mail invitations": ((*IN_TENANT, "--limit", "5000"), "mail.limit_changed"),
    "scim limit": ((*IN_TENANT, "--requests", "5000"), "scim.limit_changed"),
    "tenant quota": ((*IN_TENANT, "--people", "500", "--mails", "none"), "tenant.quotas_changed"),
    "tenant wipe": (("{slug}", "--yes"), "tenant.wiped"),
}


# What later commands call the object that a command creates.
NAMED = {
    "api-key create": "key",
    "certificate reissue": "certificate",
    "class create": "class",
    "scim token create": "token",
    "sso saml create": "connection",
    "xapi-key create": "xapi_key",
    "xapi-pipe create": "xapi_pipe",
}


def certified(operator: Operator) -> str:
    """Lets a person of the tenant complete a course. Returns the id of the certificate."""
    asyncio.run(complete_a_course(operator.environment["TRILHA_DATABASE_URL"], operator.slug))
    (certificate,) = operator.run("certificate", "list", "--tenant", operator.slug)
    return str(certificate["id"])


async def complete_a_course(url: str, slug: str) -> None:
    keyring = parse_keyring("6b" * 32)
    database = Database(serving_urls(url, keyring), system_clock, keyring)
    await database.open()
    try:
        async with database.unscoped() as unscoped:
            tenant = await tenants.find_by_slug(unscoped, slug)
        assert tenant is not None
        async with database.transaction(tenant.id) as tx:
            await tx.execute(
                """
                INSERT INTO enrollments (tenant_id, user_id, course_id, status, progress, started_at,
                                         completed_at, created_at, updated_at)
                SELECT :tenant, u.id, c.id, 'COMPLETED', 100, :now, :now, :now, :now
                FROM users u, courses c
                WHERE u.tenant_id = :tenant AND u.email = 'ana@example.com'
                  AND c.tenant_id = :tenant AND c.slug = 'altura'
                RETURNING tenant_id
                """
            )
            id = await tx.value(
                "SELECT id FROM enrollments WHERE tenant_id = :tenant AND status = 'COMPLETED'"
            )
            await certificates.issue_all(tx, {id: None}, announced=False)
    finally:
        await database.close()


def test_every_command_is_known_here() -> None:
    assert set(leaves(main)) == READS | SENDS | AS_V1 | OF_MODULES | NO_TENANT | OF_ALL | MOVES | set(CHANGES)


@pytest.fixture
def issuer(operator: Operator) -> Iterator[str]:
    operator.environment["TRILHA_NET_ALLOW"] = "127.0.0.0/8"
    with issuing() as issuer:
        yield issuer


def test_every_change_of_a_tenant_is_on_record(operator: Operator, issuer: str) -> None:
    values = {
        "slug": operator.slug,
        "folder": operator.environment["TRILHA_DATA_DIR"],
        "issuer": issuer,
        "metadata": str(METADATA),
    }
    (Path(values["folder"]) / "questions.gift").write_text("Pare no vermelho. {T}\n")
    told: list[dict[str, Any]] = []
    for command, (arguments, actions) in CHANGES.items():
        made = operator.run(*command.split(), *(each.format(**values) for each in arguments))
        if command == "course create":
            requirement = {"title": "NR-35", "rule": {"all": []}, "course_id": made["id"], "due_days": 30}
            (Path(values["folder"]) / "requirement.json").write_text(json.dumps(requirement))
        if command in NAMED:
            values[NAMED[command]] = made["id"]
        if command == "class create":
            values["session"] = made["sessions"][0]["id"]
        if command == "path archive":
            values["certificate"] = certified(operator)
        if command == "oauth-client create":
            values["client"] = next(each["target_id"] for each in operator.records())
        before, told = {each["id"] for each in told}, operator.records()
        added = [each for each in told if each["id"] not in before]
        assert sorted(each["action"] for each in added) == sorted(actions.split())
        by = {(each["actor_kind"], each["actor"], each["source"]) for each in added}
        assert by == {("operator", getpass.getuser(), socket.gethostname())}


def test_a_tenant_that_is_suspended_already_is_not_suspended_again(operator: Operator) -> None:
    operator.run("tenant", "create", "--slug", operator.slug, "--name", "Acme")
    for _ in range(2):
        assert operator.run("tenant", "suspend", operator.slug)["status"] == "SUSPENDED"
    assert [each["action"] for each in operator.records()] == ["tenant.suspended", "tenant.created"]


def test_erasing_asks_for_the_name(operator: Operator) -> None:
    operator.run("tenant", "create", "--slug", operator.slug, "--name", "Acme")
    tenant = ("--tenant", operator.slug)
    operator.run("admin", "create", *tenant, "--email", "eva@example.com", "--name", "Eva")
    for email, name in (("eva@example.com", "eva"), ("nobody@example.com", "Eva")):
        arguments = ["user", "erase", *tenant, "--email", email, "--confirm", name]
        result = CliRunner().invoke(main, arguments, env=operator.environment)
        assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert [each["action"] for each in operator.records()] == ["user.created", "tenant.created"]
