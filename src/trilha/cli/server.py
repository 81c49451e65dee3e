"""trilha up, serve, work, migrate, openapi"""

import asyncio
import gc
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import uvloop

from trilha import __version__, settings
from trilha.cli.output import EXPECTED_ERRORS, CommandError, explain, run
from trilha.core import logs, metrics, tracing
from trilha.core.database import Database, master_keys
from trilha.core.database.connection_limits import find_connection_limits
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.logins import ServingUrls
from trilha.core.database.migrate import pending
from trilha.runtime import bring_up_to_date, keyring, open_database, run_embedded, serving_urls
from trilha.settings import Settings

# A process that ran this long has started properly; its count of restarts starts again.
_STEADY_SECONDS = 5
_MAX_RESTARTS = 20
# Each described API, and the address of its description.
_DESCRIPTIONS = {
    "v1": "/openapi.json",
    **{name: f"/{name}/openapi.json" for name in ("api", "oauth", "scim")},
}

attached_option = click.option("--attached", is_flag=True, hidden=True, help="End when standard input ends.")


@contextmanager
def _command_errors() -> Iterator[None]:
    """Turns errors that the operator can fix into one sentence."""
    try:
        yield
    except EXPECTED_ERRORS as error:
        raise CommandError(explain(error)) from None


@click.command("migrate")
def migrate_command() -> None:
    """Bring the database schema up to date."""

    async def do_nothing(*_: object) -> None:
        pass

    run(do_nothing, makes_folder=True)
    click.echo("The schema is up to date.")


@click.command("openapi")
@click.option(
    "--surface",
    type=click.Choice(list(_DESCRIPTIONS)),
    default="v1",
    show_default=True,
    help="Which part of the server.",
)
def openapi_command(surface: str) -> None:
    """Print the OpenAPI description."""

    from trilha.app import descriptions

    with _command_errors():
        click.echo(json.dumps(descriptions(settings.load())[_DESCRIPTIONS[surface]], indent=2))


@click.command()
@attached_option
def serve(attached: bool) -> None:
    """Serve the API. The schema must be up to date."""
    from trilha import serving

    with _command_errors():
        current = settings.load()
        settings.check_content(current)
        _check_port(current)
        check_certificate(current)
        keyring(current)
        if attached:
            _end_with_parent()
        logs.configure(current.log_format)
        _enable_metrics(current)
        with serving_urls(current) as urls:
            asyncio.run(_check(current, urls, serving.count_processes(current)))
            # Serving processes never know the owner's login.
            os.environ.pop("TRILHA_DATABASE_URL", None)
            os.environ["TRILHA_DATABASE_APP_URL"] = urls.app
            os.environ["TRILHA_DATABASE_UNSCOPED_URL"] = urls.unscoped
            # `trilha up` runs one server, which no load balancer watches.
            serving.serve(current, delay=0 if attached else current.shutdown_delay)


@click.command()
@attached_option
def work(attached: bool) -> None:
    """Run the background work: webhooks, e-mails, expiries, clean-up."""
    with _command_errors():
        current = settings.load()
        logs.configure(current.log_format)
        _enable_metrics(current)
        if attached:
            _end_with_parent()
        tracing.enable("work", __version__)
        try:
            with serving_urls(current) as urls:
                uvloop.run(_work(current, urls))
        finally:
            tracing.close()


def _enable_metrics(current: Settings) -> None:
    if current.metrics_token is not None:
        metrics.enable(Path(current.data_dir).absolute() / "metrics")


async def _work(current: Settings, urls: ServingUrls) -> None:
    # Imported modules stay for good, so there is no garbage to collect while they load.
    gc.disable()
    from trilha import worker

    # Sending webhooks makes thousands of short-lived objects with few cycles: collect garbage less often.
    gc.freeze()
    gc.enable()
    gc.set_threshold(100_000, 10, 10)
    stop = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    async with open_database(current, urls, "work") as database:
        await check_schema(database)
        await worker.run(current, database, stop)


@click.command()
@click.option("--demo", "with_demo", is_flag=True, help="Also make the demo tenant, and show how to use it.")
def up(with_demo: bool) -> None:
    """Start everything: database, migrations, server, worker. Ctrl-C stops all of it."""
    with _command_errors():
        current = settings.load()
        settings.check_content(current)
        logs.configure(current.log_format)
        _enable_metrics(current)
        _check_port(current)
        check_certificate(current)
        _check_key(current)
        if current.database_url:
            _Supervisor(current, None, with_demo).run(current.database_url)
        else:
            with run_embedded(current, makes_folder=True) as postgres:
                _Supervisor(current, postgres, with_demo).run(postgres.url)


class _Supervisor:
    """Keeps the server, the worker and the embedded database running until SIGTERM or SIGINT."""

    def __init__(self, current: Settings, postgres: EmbeddedPostgres | None, with_demo: bool) -> None:
        self._settings = current
        self._postgres = postgres
        self._with_demo = with_demo
        self._stop = threading.Event()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._started_at: dict[str, float] = {}
        self._restarts: dict[str, int] = {}
        self._was_ready = False

    def run(self, url: str) -> None:
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: self._stop.set())
        asyncio.run(bring_up_to_date(self._settings, url, makes_folder=True))
        logs.note("data folder", path=str(self._settings.data_dir.absolute()))
        greeting = self._prepare_demo(url) if self._with_demo else None
        try:
            for name in ("serve", "work"):
                self._spawn(name)
            if self._wait_until_ready():
                click.echo(greeting or f"Trilha answers at {self._settings.address}. Ctrl-C stops it.")
            while not self._stop.wait(0.25):
                self._restart_ended()
        finally:
            self._stop_children()

    def _prepare_demo(self, url: str) -> str:
        from trilha.cli import demo

        return demo.prepare(self._settings, url)

    def _spawn(self, name: str) -> None:
        # Its own session: Ctrl-C reaches this process alone, which then stops the children.
        self._started_at[name] = time.monotonic()
        self._children[name] = subprocess.Popen(
            [sys.executable, "-m", "trilha", name, "--attached"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def _wait_until_ready(self) -> bool:
        """Waits until the server accepts connections. Returns False if a signal comes first."""
        while not self._stop.wait(0.05):
            self._restart_ended()
            try:
                socket.create_connection((self._settings.host, self._settings.port), 1).close()
            except OSError:
                continue
            self._was_ready = True
            return True
        return False

    def _restart_ended(self) -> None:
        """Restarts processes that ended. Raises CommandError if restarting cannot help."""
        if self._postgres:
            self._postgres.ensure_running()
        for name, child in self._children.items():
            if child.poll() is None:
                continue
            if time.monotonic() - self._started_at[name] > _STEADY_SECONDS:
                self._restarts[name] = 0
            # A failure at the first start is final; later, the port or the database may soon be
            # available again.
            if not self._was_ready or self._restarts.get(name, 0) == _MAX_RESTARTS:
                raise CommandError(
                    f"`trilha {name}` ended with exit code {child.returncode}; its log says why."
                )
            self._restarts[name] = self._restarts.get(name, 0) + 1
            logs.note(f"{name} ended; starting it again", exit_code=child.returncode)
            self._spawn(name)

    def _stop_children(self) -> None:
        for child in self._children.values():
            if child.poll() is None:
                child.terminate()
        for child in self._children.values():
            try:
                child.wait(40)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


def _check_port(current: Settings) -> None:
    family = socket.AF_INET6 if ":" in current.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((current.host, current.port))
        except OSError as error:
            raise CommandError(
                f"Port {current.port} on {current.host} cannot be used ({error.strerror}); "
                "stop what uses it or set TRILHA_PORT."
            ) from None


def check_certificate(current: Settings) -> None:
    """Checks the certificate before the serving processes start, because their error would say less."""
    if current.tls_cert is None or current.tls_key is None:
        return
    for name, file in (("TRILHA_TLS_CERT", current.tls_cert), ("TRILHA_TLS_KEY", current.tls_key)):
        try:
            file.read_bytes()
        except OSError as error:
            raise CommandError(f"{name}: {file} cannot be read ({error.strerror}).") from None
    try:
        # Without a password, OpenSSL would ask for the one of an encrypted key on the terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            current.tls_cert, current.tls_key, password=""
        )
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            told = "The key of TRILHA_TLS_KEY does not fit the certificate of TRILHA_TLS_CERT."
        else:
            told = (
                "TRILHA_TLS_CERT and TRILHA_TLS_KEY take a certificate and an unencrypted key, both in PEM."
            )
        raise CommandError(told) from None


def _check_key(current: Settings) -> None:
    """Checks the master key before a database is created or started. Whether a new one may be created is
    decided later.
    """
    if (current.data_dir / "master.key").exists() or current.master_key:
        keyring(current)


async def _check(current: Settings, urls: ServingUrls, processes: int) -> None:
    async with open_database(current, urls, "serve") as database:
        await check_schema(database)
        async with database.unscoped() as unscoped:
            # The serving processes of this machine, and one worker.
            limits = await find_connection_limits(unscoped, processes + 1, current.pool_size)
        if not limits.is_enough:
            logs.trouble(
                "the database allows too few connections", needed=limits.needed, allowed=limits.allowed
            )


async def check_schema(database: Database) -> None:
    """Checks that this version and these keys can serve the database. Raises CommandError."""
    async with database.unscoped() as unscoped:
        missing = await pending(unscoped)
        if missing:
            raise CommandError(f"The schema lacks {missing[0]}; run `trilha migrate` first.")
        await master_keys.check(unscoped, database.keyring)


def _end_with_parent() -> None:
    """Sends this process SIGTERM when standard input, a pipe from the supervisor, is closed.

    The pipe is also closed when the supervisor is killed.
    """

    parent = os.getppid()

    def watch() -> None:
        while os.read(0, 1024):
            pass
        # A killed process closes its files one by one. Until all are closed, it counts as a user of
        # the embedded database, and nobody would be the last user.
        deadline = time.monotonic() + 5
        while os.getppid() == parent and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    # Until the server or the worker sets its own handler: exit normally, so that the embedded database stops.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    threading.Thread(target=watch, daemon=True).start()
