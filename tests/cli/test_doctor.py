"""`trilha doctor` finds what is wrong with an installation and names the cure."""

import asyncio
import json
import resource
import shutil
from collections import namedtuple
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import asyncpg
import pytest
from click.testing import CliRunner
from cryptography import x509

from authority import DAY, HERE, Authority
from mail_receiver import receiving_mail
from name_server import Zone
from running import free_port, migrated, running, wait_until
from trilha.cli import main
from trilha.cli.doctor.database import check_clock
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.platform.status.schema import DatabaseServer

Usage = namedtuple("Usage", ["total", "used", "free"])
PRODUCTION = {
    "TRILHA_ENV": "production",
    "TRILHA_BASE_URL": "https://learn.invalid",
    "TRILHA_CONTENT_URL": "https://*.content.invalid",
    "TRILHA_TRUSTED_PROXIES": "127.0.0.1",
}


class Installation:
    """A data folder with a running database."""

    def __init__(self, folder: Path, url: str, name_server: str) -> None:
        self.folder, self.url, self._name_server = folder, url, name_server

    def findings(self, **variables: str) -> list[dict[str, Any]]:
        """Runs the command, and checks its exit code."""
        environment = {
            "TRILHA_DATA_DIR": str(self.folder),
            "TRILHA_PORT": str(free_port()),
            "TRILHA_DNS_SERVERS": self._name_server,
        } | variables
        done = CliRunner().invoke(main, ["doctor", "--json"], env=environment)
        findings: list[dict[str, Any]] = json.loads(done.stdout)
        has_problem = any(finding["state"] == "problem" for finding in findings)
        assert done.exit_code == (1 if has_problem else 0), done.output
        for finding in findings:
            assert bool(finding["cure"]) == (finding["state"] in ("problem", "warning")), finding
        return findings

    def find(self, check: str, state: str = "problem", **variables: str) -> str:
        """Returns the message and cure of the only finding of this check."""
        (finding,) = [
            finding
            for finding in self.findings(**variables)
            if (finding["check"], finding["state"]) == (check, state)
        ]
        return f"{finding['message']} {finding['cure']}"

    async def execute(self, *statements: str) -> None:
        connection = await asyncpg.connect(self.url)
        for statement in statements:
            await connection.execute(statement)
        await connection.close()


@pytest.fixture(scope="module")
def name_server() -> Iterator[str]:
    """A name server that knows no name, in a thread because the commands block the test."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    zone = asyncio.run_coroutine_threadsafe(loop.create_datagram_endpoint(Zone, ("127.0.0.1", 0)), loop)
    transport, protocol = zone.result()
    yield str(protocol.server)
    loop.call_soon_threadsafe(transport.close)
    loop.call_soon_threadsafe(loop.stop)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, name_server: str) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("doctor")
    folder.chmod(0o711)
    postgres = EmbeddedPostgres(migrated(folder))
    postgres.start()
    yield Installation(folder / "data", postgres.url, name_server)
    postgres.stop()


@contextmanager
def renamed(path: Path) -> Iterator[None]:
    aside = path.with_name(f"{path.name}.aside")
    path.rename(aside)
    yield
    aside.rename(path)


@asynccontextmanager
async def changed(installation: Installation, change: str, undo: str) -> AsyncIterator[None]:
    await installation.execute(change)
    try:
        yield
    finally:
        await installation.execute(undo)


def test_a_healthy_installation_has_no_problem(installation: Installation) -> None:
    findings = installation.findings()
    assert {finding["state"] for finding in findings} == {"ok", "skipped"}
    assert {"settings", "master key", "disk", "file store", "database", "schema", "clock"} <= {
        finding["check"] for finding in findings if finding["state"] == "ok"
    }
    # nothing is left behind
    assert not list((installation.folder / "files").glob("doctor/*"))


def test_the_report_is_for_people(installation: Installation) -> None:
    environment = {"TRILHA_DATA_DIR": str(installation.folder), "TRILHA_CONNECTIONS": "1000000"}
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    done = CliRunner().invoke(main, ["doctor"], env=environment)
    assert "ok       master key: " in done.stdout
    if limits[1] < 1_000_000:
        assert "warning  open files: " in done.stdout
        assert "→ Raise the limit" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("0 problems, ")


@pytest.mark.parametrize(
    ("variables", "check", "expected"),
    [
        ({"TRILHA_PORT": "http"}, "settings", "TRILHA_PORT"),
        ({"TRILHA_CLOCK_OFFSET": "1d", "TRILHA_ENV": "production"}, "settings", "TRILHA_CLOCK_OFFSET"),
        (PRODUCTION | {"TRILHA_BASE_URL": "http://learn.invalid"}, "settings", "Set TRILHA_BASE_URL"),
        (
            PRODUCTION | {"TRILHA_CONTENT_URL": "https://*.learn.invalid"},
            "settings",
            "shares its host with the application",
        ),
        (PRODUCTION | {"TRILHA_TRUSTED_PROXIES": ""}, "settings", "https_required"),
        (PRODUCTION | {"TRILHA_TRUSTED_PROXIES": "0.0.0.0/0"}, "settings", "trusts every address"),
        (PRODUCTION, "public address", "does not answer"),
        (PRODUCTION, "content origin", "does not answer"),
        ({"TRILHA_DATABASE_URL": "postgresql://t@127.0.0.1:9/trilha"}, "database", "TRILHA_DATABASE_URL"),
        ({"TRILHA_MASTER_KEY": "0" * 64}, "master key", "Put back the key"),
        ({"TRILHA_DATA_DIR": "/nowhere/trilha"}, "data folder", "Set TRILHA_DATA_DIR"),
        ({"TRILHA_FILES_URL": "file:///proc/trilha"}, "file store", "Check TRILHA_FILES_URL"),
        ({"TRILHA_LIMITS_URL": "redis://127.0.0.1:9"}, "limits", "Start Valkey or Redis"),
        ({"TRILHA_POOL_SIZE": "200"}, "connections", "Raise max_connections"),
        ({"TRILHA_SMTP_URL": "smtp://127.0.0.1:9?from=a@example.com"}, "mail", "Check host and port"),
        (
            {"TRILHA_TLS_CERT": "/nowhere/cert.pem", "TRILHA_TLS_KEY": "/nowhere/key.pem"},
            "certificate",
            "cannot be read",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_setting_is_found(
    installation: Installation, variables: dict[str, str], check: str, expected: str
) -> None:
    assert expected in installation.find(check, **variables)


def test_host_names_that_do_not_resolve_are_found(installation: Installation) -> None:
    messages = [
        finding["message"] + finding["cure"]
        for finding in installation.findings(**PRODUCTION)
        if finding["check"] == "host names"
    ]
    assert ["learn.invalid" in messages[0], "wildcard" in messages[1]] == [True, True]


def test_name_servers_that_do_not_answer_are_found(installation: Installation) -> None:
    # the port of discarded datagrams
    message = installation.find("name servers", TRILHA_DNS_SERVERS="127.0.0.1:9")
    assert "Set TRILHA_DNS_SERVERS" in message


def test_a_missing_mail_server_is_a_warning(installation: Installation) -> None:
    assert "Set TRILHA_SMTP_URL" in installation.find("settings", "warning", **PRODUCTION)


def test_a_moved_clock_is_a_warning(installation: Installation) -> None:
    assert "TRILHA_CLOCK_OFFSET" in installation.find("settings", "warning", TRILHA_CLOCK_OFFSET="1d")
    installation.findings()  # puts the clock of this process back


def test_a_missing_master_key_is_found(installation: Installation) -> None:
    with renamed(installation.folder / "master.key"):
        assert "master.key is missing" in installation.find("master key")


def test_a_master_key_that_others_can_read_is_found(installation: Installation) -> None:
    key = installation.folder / "master.key"
    key.chmod(0o644)
    try:
        assert "chmod 600" in installation.find("master key")
    finally:
        key.chmod(0o600)


def test_a_full_disk_is_found(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 1 << 40, 1 << 20))
    assert "Make room" in installation.find("disk")


def test_too_few_open_files_are_a_warning(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    assert "LimitNOFILE" in installation.find("open files", "warning")


async def test_a_schema_that_lacks_a_migration_is_found(installation: Installation) -> None:
    aside = "INSERT INTO schema_migrations SELECT * FROM aside; DROP TABLE aside"
    take = """
        CREATE TABLE aside AS SELECT * FROM schema_migrations WHERE name = '0150_hire_date.sql';
        DELETE FROM schema_migrations WHERE name = '0150_hire_date.sql'
        """
    async with changed(installation, take, aside):
        assert "trilha migrate" in await asyncio.to_thread(installation.find, "schema")


async def test_a_login_that_may_do_more_is_found(installation: Installation) -> None:
    login = installation.url.rpartition("/")[2].partition("?")[0]
    grant, revoke = (
        f'ALTER ROLE "trilha_app_{login}" {attribute}' for attribute in ("CREATEDB", "NOCREATEDB")
    )
    async with changed(installation, grant, revoke):
        assert "may do more than trilha_app" in await asyncio.to_thread(installation.find, "database")


@pytest.mark.parametrize(("days", "state"), [(0, "ok"), (3, "warning")])
async def test_an_old_backup_is_a_warning(installation: Installation, days: int, state: str) -> None:
    add = f"""
        INSERT INTO backup_runs (id, started_at, finished_at, outcome)
        VALUES (gen_random_uuid(), now(), now() - interval '{days} days', 'DONE')
        """
    async with changed(installation, add, "DELETE FROM backup_runs"):
        message = await asyncio.to_thread(installation.find, "backup", state)
    assert f"{days} days ago" in message


def test_a_backup_that_never_succeeded_is_found(installation: Installation) -> None:
    variables = PRODUCTION | {"TRILHA_BACKUP_URL": "file:///nowhere", "TRILHA_BACKUP_KEY": "b" * 64}
    assert "no backup was ever finished" in installation.find("backup", **variables)


async def test_a_sort_order_that_changed_is_a_warning(installation: Installation) -> None:
    change = "UPDATE pg_database SET datcollversion = '0' WHERE datname = current_database()"
    undo = """
        UPDATE pg_database SET datcollversion = pg_database_collation_actual_version(oid)
        WHERE datname = current_database()
        """
    async with changed(installation, change, undo):
        assert "REINDEX DATABASE" in await asyncio.to_thread(installation.find, "database", "warning")


def test_a_database_without_fsync_is_not_for_production(installation: Installation) -> None:
    # the databases of the tests run without it
    assert "Turn fsync, full_page_writes on" in installation.find("database", **PRODUCTION)


@pytest.mark.parametrize(("minutes", "state"), [(0, "ok"), (5, "problem"), (-5, "problem")])
def test_a_clock_that_differs_is_found(minutes: int, state: str) -> None:
    now = datetime.now(UTC)
    shifted = (now + timedelta(minutes=minutes)).isoformat()
    server = DatabaseServer(18, "UTF8", True, [], False, shifted)
    assert check_clock(server, now).state == state


async def test_a_mail_server_that_refuses_the_login_is_found(installation: Installation) -> None:
    async with receiving_mail(auth=True) as receiver:
        place = f"127.0.0.1:{receiver.port}?from=a@example.com"
        for login, state, expected in (
            ("ana:p%3Ass%2Fword@", "ok", "accepts connections and the login"),
            ("ana:wrong@", "problem", "Check the user and password"),
        ):
            url = f"smtp://{login}{place}"
            assert expected in await asyncio.to_thread(installation.find, "mail", state, TRILHA_SMTP_URL=url)
        assert receiver.mails == []


@pytest.mark.parametrize(
    ("names", "until", "state", "expected"),
    [
        (["learn.example.com", "*.content.example.com"], 90 * DAY, "ok", "valid for"),
        (["learn.example.com", "*.content.example.com"], 5 * DAY, "warning", "expires in"),
        (["learn.example.com", "*.content.example.com"], -DAY / 2, "problem", "expired"),
        (["learn.example.com"], 90 * DAY, "problem", "not valid for *.content.example.com"),
    ],
)
def test_the_certificate_is_examined(
    *,
    installation: Installation,
    tmp_path: Path,
    names: list[str],
    until: timedelta,
    state: str,
    expected: str,
) -> None:
    certificate, key = Authority(tmp_path).issue("server", *map(x509.DNSName, names), until=until)
    variables = {"TRILHA_TLS_CERT": str(certificate), "TRILHA_TLS_KEY": str(key)}
    variables["TRILHA_BASE_URL"] = "https://learn.example.com"
    variables["TRILHA_CONTENT_URL"] = "https://*.content.example.com"
    assert expected in installation.find("certificate", state, **variables)


async def test_another_server_at_the_public_address_is_found(installation: Installation) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        message = await asyncio.to_thread(installation.find, "public address", TRILHA_BASE_URL=url)
    assert "it is not Trilha" in message


async def test_a_certificate_that_nobody_trusts_is_found(installation: Installation, tmp_path: Path) -> None:
    context = Authority(tmp_path).server(HERE)
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=context) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        variables = PRODUCTION | {"TRILHA_BASE_URL": url}
        message = await asyncio.to_thread(lambda: installation.find("public address", **variables))
    assert "whole chain" in message


@pytest.fixture(scope="module")
def unproxied(tmp_path_factory: pytest.TempPathFactory, name_server: str) -> Iterator[dict[str, str]]:
    """The findings about a production server that is asked without its proxy."""
    with running(tmp_path_factory.mktemp("unproxied"), **PRODUCTION) as server:
        wait_until(lambda: "work" in {each["kind"] for each in server.command("status")["processes"]})
        own = {"TRILHA_BASE_URL": server.url, "TRILHA_DNS_SERVERS": name_server}
        environment = server.environment | own
        done = CliRunner().invoke(main, ["doctor", "--json"], env=environment)
        yield {each["check"]: each["message"] + each["cure"] for each in json.loads(done.stdout)}


def test_a_proxy_that_does_not_say_https_is_found(unproxied: dict[str, str]) -> None:
    assert "X-Forwarded-Proto" in unproxied["public address"]


def test_a_running_worker_is_found(unproxied: dict[str, str]) -> None:
    assert unproxied["worker"] == "A worker is running."
