"""The administration commands, used by a person and by a program."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from click.testing import CliRunner, Result
from joserfc.jwk import ECKey
from xlsxwriter import Workbook

from trilha.app import all_routes, descriptions
from trilha.cli import main
from trilha.settings import Settings

Command = Callable[..., Result]

COURSE = """
title: Trabalho em altura
slug: trabalho-em-altura
duration_hours: 8
difficulty: BEGINNER
tags: [nr-35, segurança]
category: Normas regulamentadoras
certificate_validity_months: 24
regulation: {kind: occupational_safety, minimum_workload_minutes: 480, minimum_score: 70}
modules:
  - {title: Riscos, type: ARTICLE, duration_minutes: 240, required: true, body: "# Riscos"}
  - {title: Equipamentos, duration_minutes: 240}
"""


@pytest.fixture
def trilha(database_url: str, tmp_path: Path) -> Command:
    environment = {
        "TRILHA_DATABASE_URL": database_url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(tmp_path),
    }

    def run(*arguments: str, **options: Any) -> Result:
        return CliRunner().invoke(main, arguments, env=environment, **options)

    return run


@pytest.fixture
def slug(trilha: Command) -> str:
    slug = f"t-{uuid4().hex}"
    assert trilha("tenant", "create", "--slug", slug, "--name", "Acme").exit_code == 0
    return slug


def printed(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_tenant_is_created_listed_suspended_and_activated(trilha: Command, slug: str) -> None:
    (tenant,) = [each for each in printed(trilha("tenant", "list", "--json")) if each["slug"] == slug]
    assert (tenant["name"], tenant["environment"], tenant["locale"]) == ("Acme", "production", "pt-BR")
    assert printed(trilha("tenant", "suspend", slug, "--json"))["status"] == "SUSPENDED"
    assert printed(trilha("tenant", "activate", slug, "--json"))["status"] == "ACTIVE"


@pytest.mark.parametrize("bad", ["Acme", "-a", "a-", "a_b", "", "x" * 64, "ação"])
def test_a_slug_has_a_form(trilha: Command, bad: str) -> None:
    result = trilha("tenant", "create", "--slug", bad, "--name", "Acme")
    assert result.exit_code == 1
    assert result.stderr == "trilha: slug: The value is not one of the allowed values.\n"


def test_a_taken_slug_is_one_sentence(trilha: Command, slug: str) -> None:
    result = trilha("tenant", "create", "--slug", slug, "--name", "Acme")
    assert (result.exit_code, result.stderr) == (1, f"trilha: There is a tenant with the slug {slug}.\n")


def test_only_a_homologation_tenant_is_wiped(trilha: Command, slug: str) -> None:
    assert "not a homologation tenant" in trilha("tenant", "wipe", slug, "--yes").stderr
    test = f"t-{uuid4().hex}"
    trilha("tenant", "create", "--slug", test, "--name", "Test", "--environment", "homologation")
    trilha("admin", "create", "--tenant", test, "--email", "a@example.com", "--name", "A")
    assert trilha("tenant", "wipe", test, input="n\n").exit_code == 1
    wiped = printed(trilha("tenant", "wipe", test, "--yes", "--json"))
    assert (wiped["users"], wiped["events"]) == (1, 1)


def test_an_administrator_gets_a_temporary_password(trilha: Command, slug: str) -> None:
    made = printed(
        trilha("admin", "create", "--tenant", slug, "--email", "Ana@Example.com", "--name", "Ana", "--json")
    )
    assert (made["email"], made["role"], len(made["temporary_password"])) == ("ana@example.com", "admin", 16)


def test_a_key_is_created_rotated_and_revoked(trilha: Command, slug: str) -> None:
    in_tenant = ("--tenant", slug, "--json")
    made = printed(
        trilha(
            *("api-key", "create", "--name", "hr", "--scopes", "users:read, users:write"),
            *("--allow", "10.0.0.0/8,192.168.1.7", "--expires", "90d", *in_tenant),
        )
    )
    assert made["key"].startswith("trl_live_")
    assert len(made["key"]) == len("trl_live_") + 40
    assert made["scopes"] == ["users:read", "users:write"]
    assert made["networks"] == "10.0.0.0/8,192.168.1.7/32"
    rotated = printed(trilha("api-key", "rotate", "--id", made["id"], "--grace", "24h", *in_tenant))
    assert rotated["id"] == made["id"]
    assert rotated["key"] != made["key"]
    assert printed(trilha("api-key", "revoke", "--id", made["id"], *in_tenant))["revoked_at"]
    assert [each["id"] for each in printed(trilha("api-key", "list", *in_tenant))] == [made["id"]]
    assert trilha("api-key", "rotate", "--id", made["id"], *in_tenant).exit_code == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--scopes", "users:fly"), "There is no scope users:fly."),
        (("--scopes", ","), "A credential needs at least one scope."),
        (("--scopes", "users:read", "--allow", "10.0.0.0/99"), "That is not a network"),
    ],
)
def test_a_key_that_cannot_be_is_one_sentence(
    trilha: Command, slug: str, options: tuple[str, ...], sentence: str
) -> None:
    result = trilha("api-key", "create", "--tenant", slug, "--name", "hr", *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"trilha: {sentence}")


def test_a_course_file_becomes_a_published_course(trilha: Command, slug: str, tmp_path: Path) -> None:
    file = tmp_path / "course.yaml"
    file.write_text(COURSE)
    made = printed(trilha("course", "create", "--tenant", slug, "--file", str(file), "--publish", "--json"))
    assert (made["slug"], made["status"], made["duration_hours"]) == ("trabalho-em-altura", "PUBLISHED", 8.0)
    assert made["category_id"]
    again = trilha("course", "create", "--tenant", slug, "--file", str(file))
    assert (again.exit_code, again.stderr) == (1, "trilha: A course with this slug exists.\n")
    assert len(printed(trilha("course", "list", "--tenant", slug, "--json"))) == 1


def test_a_course_may_come_as_json_and_be_published_later(trilha: Command, slug: str, tmp_path: Path) -> None:
    file = tmp_path / "course.json"
    file.write_text(json.dumps({"title": "T", "slug": "t", "modules": []}))
    made = printed(trilha("course", "create", "--tenant", slug, "--file", str(file), "--json"))
    assert made["status"] == "DRAFT"
    result = trilha("course", "publish", "--tenant", slug, "t")
    assert result.stderr == "trilha: A course needs a required module before it is published.\n"
    result = trilha("course", "publish", "--tenant", slug, "nothing")
    assert result.stderr == "trilha: There is no such course.\n"


def test_a_wrong_course_file_names_every_fault(trilha: Command, slug: str, tmp_path: Path) -> None:
    file = tmp_path / "course.yaml"
    file.write_text("title: ''\nslug: Não\nmodules:\n  - {title: A}\n  - {title: B, duration_minutes: -1}\n")
    result = trilha("course", "create", "--tenant", slug, "--file", str(file))
    assert result.exit_code == 1
    for field in ("title", "slug", "modules.0.duration_minutes", "modules.1.duration_minutes"):
        assert f"{field}: " in result.stderr
    file.write_text("a: [")
    assert "neither YAML nor JSON" in trilha("course", "create", "--tenant", slug, "--file", str(file)).stderr


def test_an_unknown_tenant_is_one_sentence(trilha: Command) -> None:
    result = trilha("api-key", "list", "--tenant", "nobody")
    assert (result.exit_code, result.stderr) == (1, "trilha: There is no tenant with the slug nobody.\n")


def test_an_unreachable_database_is_one_sentence(trilha: Command, tmp_path: Path) -> None:
    url = f"postgresql://nobody@/none?host={tmp_path}"
    result = CliRunner().invoke(main, ["tenant", "list"], env={"TRILHA_DATABASE_URL": url})
    assert result.exit_code == 1
    assert result.stderr.startswith("trilha: ")
    assert result.stderr.count("\n") == 1


def test_settings_tell_value_source_and_meaning(trilha: Command) -> None:
    rows = {row["name"]: row for row in printed(trilha("settings", "--json"))}
    assert rows["TRILHA_LIMIT_V1"]["value"] == "1500/15m"
    assert rows["TRILHA_LIMIT_V1"]["source"] == "default"
    assert rows["TRILHA_MASTER_KEY"]["value"] == "(secret)"
    assert all(row["meaning"] for row in rows.values())
    assert "6b6b" not in trilha("settings").output


def test_routes_and_description_come_from_the_same_declarations(trilha: Command) -> None:
    routes = printed(trilha("routes", "--json"))
    assert len(routes) == len(all_routes())
    described = json.loads(trilha("openapi").stdout)
    assert {each["path"] for each in routes} == {f"/v1{path}" for path in described["paths"]}


def test_every_description_is_printed(trilha: Command) -> None:
    usual = printed(trilha("openapi"))
    names = ("api", "oauth", "scim")
    shown = {f"/{name}/openapi.json": printed(trilha("openapi", "--surface", name)) for name in names}
    assert shown | {"/openapi.json": usual} == descriptions(Settings())
    assert printed(trilha("openapi", "--surface", "v1")) == usual
    assert trilha("openapi", "--surface", "soap").exit_code == 2


def test_the_demo_is_made_once_with_enrollments_in_every_state(trilha: Command, admin_url: str) -> None:
    made = printed(trilha("demo", "--json"))
    assert made["key"].startswith("trl_live_")
    assert printed(trilha("demo", "--json")) == made
    trilha("tenant", "wipe", "demo", "--yes")
    again = printed(trilha("demo", "--json"))
    assert (again["key"], again["admin_password"] != made["admin_password"]) == (made["key"], True)

    async def states() -> set[tuple[str, bool]]:
        connection = await asyncpg.connect(admin_url)
        rows = await connection.fetch(
            """
            SELECT DISTINCT e.status, e.expires_at <= now() AS run_out FROM enrollments e
            JOIN tenants t ON t.id = e.tenant_id WHERE t.slug = 'demo'
            """
        )
        await connection.close()
        return {(row["status"], row["run_out"]) for row in rows}

    async def never_used() -> set[str]:
        connection = await asyncpg.connect(admin_url)
        rows = await connection.fetch(
            """
            SELECT k.name FROM api_keys k JOIN tenants t ON t.id = k.tenant_id
            WHERE t.slug = 'demo' AND k.last_used_at IS NULL
            UNION ALL
            SELECT k.name FROM scim_tokens k JOIN tenants t ON t.id = k.tenant_id
            WHERE t.slug = 'demo' AND k.last_used_at IS NULL
            """
        )
        await connection.close()
        return {row["name"] for row in rows}

    assert asyncio.run(never_used()) == {"BI (antigo)", "Demo"}
    found = asyncio.run(states())
    assert {status for status, _ in found} == {"NOT_STARTED", "IN_PROGRESS", "COMPLETED", "EXPIRED"}
    assert {("IN_PROGRESS", False), ("EXPIRED", True)} <= found
    assert {made[each] for each in ("admin", "manager", "instructor", "learner")} == {
        f"{name}@demo.trilha.test" for name in ("admin", "gestor", "instrutor", "colaborador")
    }


def test_an_oauth_client_is_created_rotated_disabled_enabled_and_deleted(trilha: Command, slug: str) -> None:
    def run(command: str, *options: str) -> Any:
        return printed(trilha("oauth-client", command, "--tenant", slug, *options, "--json"))

    made = run("create", "--name", "erp", "--scopes", "users:read, courses:read", "--allow", "10.0.0.0/8")
    assert list(made)[:3] == ["id", "client_id", "client_secret"]
    assert (made["scopes"], made["networks"]) == (["users:read", "courses:read"], "10.0.0.0/8")
    rotated = run("rotate", "--id", made["id"], "--grace", "1h")
    assert rotated["client_secret"] != made["client_secret"]
    assert rotated["previous_expires_at"]
    assert run("disable", "--id", made["id"])["disabled_at"]
    assert run("enable", "--id", made["id"])["disabled_at"] is None
    (listed,) = run("list")
    assert listed["client_id"] == made["client_id"]
    assert "client_secret" not in listed
    run("delete", "--id", made["id"])
    assert run("list") == []
    told = [each["action"] for each in printed(trilha("audit", "--tenant", slug, "--json"))]
    actions = ("deleted", "enabled", "disabled", "rotated", "created")
    assert told == [*(f"oauth_client.{action}" for action in actions), "tenant.created"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["create", "--name", "x", "--scopes", "users:fly"], "There is no scope users:fly."),
        (["create", "--name", "x", "--scopes", ","], "A credential needs at least one scope."),
        (["create", "--name", "x", "--scopes", "users:read", "--allow", "here"], "That is not a network"),
        (["rotate", "--id", str(uuid4())], "There is no active client"),
        (["rotate", "--id", str(uuid4()), "--grace", "8d"], "The grace is 0 to 7 days."),
        (["disable", "--id", str(uuid4())], "There is no active client"),
        (["enable", "--id", str(uuid4())], "There is no disabled client"),
        (["delete", "--id", str(uuid4())], "There is no client"),
    ],
)
def test_what_cannot_be_done_to_a_client_is_one_sentence(
    trilha: Command, slug: str, options: list[str], sentence: str
) -> None:
    result = trilha("oauth-client", *options, "--tenant", slug)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"trilha: {sentence}")


def test_a_client_may_come_with_keys_of_its_own(trilha: Command, slug: str, tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    create = ["oauth-client", "create", "--tenant", slug, "--name", "x", "--scopes", "users:read"]
    for text, sentence in (("{", f"{file} is not JSON."), ("{}", "Not a JWK set of 1 to 8 public keys")):
        file.write_text(text)
        assert trilha(*create, "--keys", str(file)).stderr.startswith(f"trilha: {sentence}")
    file.write_text(json.dumps({"keys": [ECKey.generate_key("P-256").as_dict(private=False)]}))
    assert "client_secret" not in printed(trilha(*create, "--keys", str(file), "--json"))


def test_signing_keys_are_listed_and_made(trilha: Command) -> None:
    made = printed(trilha("signing-key", "rotate", "--json"))
    assert made in printed(trilha("signing-key", "list", "--json"))
    assert trilha("signing-key", "revoke", "--kid", "x").stderr.startswith("trilha: There is no signing key")
    assert printed(trilha("signing-key", "revoke", "--kid", made["kid"], "--json")) == made


def test_units_groups_and_people_come_by_command(trilha: Command, slug: str, tmp_path: Path) -> None:
    def run(*arguments: str, **options: Any) -> Any:
        return printed(trilha(*arguments, "--tenant", slug, "--json", **options))

    run("admin", "create", "--email", "a@example.com", "--name", "A")
    top = run("unit", "create", "--name", "Matriz", "--code", "M")
    shop = run("unit", "create", "--name", "Loja", "--parent", "M")
    assert shop["parent_id"] == top["id"]
    assert [each["path"] for each in run("unit", "list")] == [["Matriz"], ["Matriz", "Loja"]]
    file = tmp_path / "people.csv"
    file.write_text("E-mail;Nome;Unidade;Cor\nb@example.com;Bia;loja;azul\nx;X;;\n", encoding="cp1252")
    options = ("import", "people", "--file", str(file))
    tried = run(*options, "--dry-run")
    assert (tried["created"], tried["refused"], tried["ignored"]) == (1, 1, ["Cor"])
    report = tmp_path / "problems.csv"
    came = run(*options, "--report", str(report))
    assert [(each["line"], each["code"]) for each in came["problems"]] == [(3, "invalid_email")]
    assert "3,E-mail,invalid_email" in report.read_text(encoding="utf-8-sig")
    again = run(*options)
    assert (again["state"], again["created"], again["unchanged"]) == ("DONE", 0, 1)
    assert file.exists()
    assert [path for path in (tmp_path / "files").glob("imports/**/*") if path.is_file()] == []
    group = run("group", "create", "--name", "CIPA", "--member", "b@example.com")
    assert run("group", "list") == [group]
    assert group["members"] == 1


def test_imported_people_are_enrolled_by_command(trilha: Command, slug: str, tmp_path: Path) -> None:
    def run(*arguments: str) -> Any:
        return printed(trilha(*arguments, "--tenant", slug, "--json"))

    course_file = tmp_path / "course.yaml"
    course_file.write_text("title: C\nslug: c\nmodules: [{title: M, duration_minutes: 1}]\n")
    course = run("course", "create", "--file", str(course_file), "--publish")["id"]
    file = tmp_path / "people.xlsx"
    with Workbook(file) as book:
        book.add_worksheet().write_row(0, 0, ["E-mail", "Nome"])
        book.worksheets()[0].write_row(1, 0, ["b@example.com", "Bia"])
    options = ("import", "people", "--file", str(file), "--course", course)
    result = run(*options, "--due", "2099-12-31T23:59:59")
    assert (result["created"], result["enrolled"], result["not_enrolled"]) == (1, 1, 0)
    assert run(*options, "--new-only")["enrolled_before"] == 0
    assert run(*options)["enrolled_before"] == 1
    for refused, sentence in (
        (("--path", course), "There is no such learning path."),
        (("--path", course, "--course", course), "Give --course or --path, not both."),
    ):
        answer = trilha("import", "people", "--file", str(file), *refused, "--tenant", slug)
        assert (answer.exit_code, answer.stderr.count("\n")) == (1, 1)
        assert answer.stderr.startswith(f"trilha: {sentence}")


def test_learning_paths_come_by_command(trilha: Command, slug: str, tmp_path: Path) -> None:
    def run(*arguments: str) -> Any:
        return printed(trilha(*arguments, "--tenant", slug, "--json"))

    for name in ("um", "dois"):
        file = tmp_path / f"{name}.yaml"
        file.write_text(f"title: {name}\nslug: {name}\nmodules: [{{title: M, duration_minutes: 1}}]\n")
        run("course", "create", "--file", str(file), "--publish")
    run("admin", "create", "--email", "a@example.com", "--name", "A")
    run("group", "create", "--name", "CIPA", "--member", "a@example.com")
    options = ("--course", "um", "--course", "dois", "--in-order", "--days", "30")
    made = run("path", "create", "--title", "Primeiros passos", *options)
    assert (made["slug"], made["status"], len(made["courses"])) == ("primeiros-passos", "DRAFT", 2)
    early = trilha("path", "assign", "--tenant", slug, "--group", "CIPA", "primeiros-passos")
    assert "not published" in early.stderr
    assert run("path", "publish", "primeiros-passos")["status"] == "PUBLISHED"
    given = run("path", "assign", "--group", "CIPA", "--person", "a@example.com", "primeiros-passos")
    assert given == {"people": 1, "completed": 0, "overdue": 0, "with_problems": 0, "problems": []}
    assert [(each["title"], each["courses"]) for each in run("path", "list")] == [("Primeiros passos", 2)]
    assert run("path", "archive", made["id"])["status"] == "ARCHIVED"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["path", "create", "--title", "P", "--course", "x"], "There is no such course."),
        (["path", "publish", "x"], "There is no such learning path."),
        (["path", "create", "--title", "P", "--days", "0"], "deadline_days: The number is outside"),
        (["unit", "create", "--name", "A", "--parent", "X"], "There is no such business unit."),
        (["unit", "create", "--name", "A", "--manager", "a@example.com"], "Only people with the role gestor"),
        (["unit", "create", "--name", "A", "--manager", "z@example.com"], "There is no such user."),
        (["group", "create", "--name", " "], "name: The value is too short."),
        (["import", "people", "--file", "/nowhere.csv"], "/nowhere.csv cannot be read"),
        (["import", "people", "--file", "/dev/null"], "file: The file is not a readable table"),
        (["user", "password", "--email", "z@example.com"], "There is no user with the e-mail"),
        (["user", "password", "--email", "a@example.com", "--password-stdin"], "password: The value is too"),
    ],
)
def test_what_cannot_be_done_to_people_is_one_sentence(
    trilha: Command, slug: str, options: list[str], sentence: str
) -> None:
    trilha("admin", "create", "--tenant", slug, "--email", "a@example.com", "--name", "A")
    result = trilha(*options, "--tenant", slug, input="short\n")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith(f"trilha: {sentence}")


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        ("Senha123", "Many people use this password"),
        ("Marina.99", "The password is a name or an e-mail address"),
    ],
)
def test_an_easy_password_is_refused(trilha: Command, slug: str, password: str, sentence: str) -> None:
    of = ("--tenant", slug, "--email", "marina@example.com")
    for options in (("admin", "create", *of, "--name", "Marina"), ("user", "password", *of)):
        refused = trilha(*options, "--password-stdin", input=f"{password}\n")
        assert (refused.exit_code, refused.stderr.startswith(f"trilha: password: {sentence}")) == (1, True)
        trilha("admin", "create", *of, "--name", "Marina")


def test_a_company_name_is_no_password(trilha: Command, slug: str) -> None:
    options = ("admin", "create", "--tenant", slug, "--email", "a@example.com", "--name", "A")
    refused = trilha(*options, "--password-stdin", input=f"{slug}2026\n")
    assert (refused.exit_code, "is a name" in refused.stderr) == (1, True)


def test_a_password_comes_by_command(trilha: Command, slug: str) -> None:
    made = trilha(
        *("admin", "create", "--tenant", slug, "--email", "a@example.com", "--name", "A", "--json"),
        "--password-stdin",
        input="correct horse battery\n",
    )
    assert "temporary_password" not in printed(made)
    changed = trilha("user", "password", "--tenant", slug, "--email", "A@example.com", "--json")
    assert len(printed(changed)["temporary_password"]) == 16


def test_the_only_administrator_gets_another_address_by_command(trilha: Command, slug: str) -> None:
    of = ("--tenant", slug, "--json")
    assert trilha("admin", "create", "--email", "a@example.com", "--name", "A", *of).exit_code == 0
    assert trilha("admin", "create", "--email", "b@example.com", "--name", "B", *of).exit_code == 0

    def change(old: str, new: str) -> Result:
        return trilha("user", "change-email", "--email", old, "--new-email", new, *of)

    assert printed(change("A@example.com", " New@Example.com "))["email"] == "new@example.com"
    assert printed(change("new@example.com", "new@example.com"))["email"] == "new@example.com"
    for old, new, sentence in (
        ("a@example.com", "c@example.com", "There is no user with the e-mail a@example.com"),
        ("new@example.com", "b@example.com", "A user with this e-mail address already exists"),
        ("new@example.com", "nobody", "--new-email is not an e-mail address"),
    ):
        refused = change(old, new)
        assert (refused.exit_code, sentence in refused.stderr) == (1, True), refused.stderr


def test_of_what_is_sent_to_an_endpoint(trilha: Command, slug: str) -> None:
    """An endpoint's deliveries are listed, retried and replayed as through the API."""
    nobody = str(uuid4())
    of = ("--tenant", slug, "--id", nobody)
    assert printed(trilha("webhooks", "list", "--tenant", slug, "--json")) == []
    span = ("--since", "2026-01-01", "--until", "2026-02-01")
    for command in (("deliveries",), ("retry", "--delivery", nobody), ("replay", *span)):
        name, *more = command
        refused = trilha("webhooks", name, *of, *more)
        assert (refused.exit_code, "The webhook endpoint does not exist" in refused.output) == (1, True)
    for wrong in (("--type", "user.made"), ("--since", "yesterday")):
        assert trilha("webhooks", "replay", *of, *span, *wrong).exit_code == 2
    assert trilha("webhooks", "deliveries", *of, "--status", "gone").exit_code == 2
