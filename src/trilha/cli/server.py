"""trilha up, serve, work, migrate, openapi"""

import asyncio
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
import uvloop

from trilha import settings
from trilha.cli import demo
from trilha.cli.output import EXPECTED, Sentence, explain, run
from trilha.core import logs
from trilha.core.database.embedded import EmbeddedPostgres
from trilha.core.database.migrate import migrate, pending
from trilha.runtime import database_url, embedded, keyring, opened
from trilha.settings import Settings

# A child that lived this long did start; before, it stumbled.
_STEADY_SECONDS = 5
_STUMBLES_MOST = 20

attached = click.option("--attached", is_flag=True, hidden=True, help="End when standard input ends.")


@contextmanager
def _spoken() -> Iterator[None]:
    try:
        yield
    except EXPECTED as error:
        raise Sentence(explain(error)) from None


@click.command("migrate")
def migrate_command() -> None:
    """Bring the database's schema up to date."""

    async def work(_: Settings, url: str) -> list[str]:
        return await migrate(url)

    run(work)
    click.echo("The schema is up to date.")


@click.command("openapi")
def openapi_command() -> None:
    """Print the OpenAPI description."""

    from trilha.app import descriptions

    with _spoken():
        click.echo(json.dumps(descriptions(settings.load())["/openapi.json"], indent=2))


@click.command()
@attached
def serve(attached: bool) -> None:
    """Serve the API. The schema must be up to date."""
    from trilha import serving

    with _spoken():
        current = settings.load()
        _check_port(current)
        keyring(current)
        if attached:
            _end_with_parent()
        with database_url(current) as url:
            _check_schema(url)
            os.environ["TRILHA_DATABASE_URL"] = url
            serving.serve(current)


@click.command()
@attached
def work(attached: bool) -> None:
    """Run what is due: webhooks, expiries, clean-ups."""
    with _spoken():
        current = settings.load()
        logs.configure(current.log_format)
        if attached:
            _end_with_parent()
        with database_url(current) as url:
            _check_schema(url)
            uvloop.run(_work(current, url))


async def _work(current: Settings, url: str) -> None:
    from trilha import worker

    # Sending makes and drops objects by the thousand, few of them in circles.
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)
    stop = asyncio.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, stop.set)
    async with opened(current, url) as database:
        await worker.run(current, database, stop)


@click.command()
@click.option("--demo", "with_demo", is_flag=True, help="Also make the demo tenant, and show how to use it.")
def up(with_demo: bool) -> None:
    """Start everything: database, migrations, server, worker. Ctrl-C stops all of it."""
    with _spoken():
        current = settings.load()
        logs.configure(current.log_format)
        _check_port(current)
        keyring(current)
        if current.database_url:
            _Supervisor(current, None, with_demo).run(current.database_url)
        else:
            with embedded(current) as postgres:
                _Supervisor(current, postgres, with_demo).run(postgres.url)


class _Supervisor:
    """Keeps the server, the worker and the embedded database running until it is told to stop."""

    def __init__(self, current: Settings, postgres: EmbeddedPostgres | None, with_demo: bool) -> None:
        self._settings = current
        self._postgres = postgres
        self._with_demo = with_demo
        self._stop = threading.Event()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._births: dict[str, float] = {}
        self._stumbles: dict[str, int] = {}
        self._answered = False

    def run(self, url: str) -> None:
        for each in (signal.SIGTERM, signal.SIGINT):
            signal.signal(each, lambda *_: self._stop.set())
        asyncio.run(migrate(url))
        greeting = demo.prepare(self._settings, url) if self._with_demo else None
        try:
            for name in ("serve", "work"):
                self._spawn(name)
            if self._answers():
                click.echo(greeting or f"Trilha answers at {self._settings.address}. Ctrl-C stops it.")
            while not self._stop.wait(0.25):
                self._watch()
        finally:
            self._end()

    def _spawn(self, name: str) -> None:
        # Its own session: Ctrl-C reaches this process alone, which then ends the others in order.
        self._births[name] = time.monotonic()
        self._children[name] = subprocess.Popen(
            [sys.executable, "-m", "trilha", name, "--attached"],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )

    def _answers(self) -> bool:
        """Waits until the server takes connections; False when it is told to stop first."""
        while not self._stop.wait(0.05):
            self._watch()
            try:
                socket.create_connection((self._settings.host, self._settings.port), 1).close()
            except OSError:
                continue
            self._answered = True
            return True
        return False

    def _watch(self) -> None:
        if self._postgres:
            self._postgres.ensure_running()
        for name, child in self._children.items():
            if child.poll() is None:
                continue
            if time.monotonic() - self._births[name] > _STEADY_SECONDS:
                self._stumbles[name] = 0
            # What never worked is told at once; what did may need the port or the database to come free.
            if not self._answered or self._stumbles.get(name, 0) == _STUMBLES_MOST:
                raise Sentence(f"`trilha {name}` ended with exit code {child.returncode}; its log says why.")
            self._stumbles[name] = self._stumbles.get(name, 0) + 1
            logs.note(f"{name} ended; starting it again", exit_code=child.returncode)
            self._spawn(name)

    def _end(self) -> None:
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
            raise Sentence(
                f"Port {current.port} on {current.host} cannot be used ({error.strerror}); "
                "stop what uses it or set TRILHA_PORT."
            ) from None


def _check_schema(url: str) -> None:
    if missing := asyncio.run(pending(url)):
        raise Sentence(f"The schema lacks {missing[0]}; run `trilha migrate` first.")


def _end_with_parent() -> None:
    """Standard input is a pipe from the supervisor: when that is gone, however it went, so are we."""

    def watch() -> None:
        while os.read(0, 1024):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    # Until the server or the worker has a handler of its own: whoever leaves last stops the database.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    threading.Thread(target=watch, daemon=True).start()
