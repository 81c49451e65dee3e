"""trilha webhooks …"""

import json
import re
import signal
import sys
import time
from datetime import datetime
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from queue import SimpleQueue
from textwrap import indent
from threading import Thread
from typing import Any

import click
import msgspec

from trilha.cli.output import CommandError, as_json
from trilha.core.clock import system_clock
from trilha.platform.webhooks.delivery.signing import verify_signature

_HOST = "127.0.0.1"


class Arrival(msgspec.Struct, frozen=True):
    """A request and its answer. `data` is the event's data, or the body if it is no event."""

    time: datetime
    type: str | None
    event_id: str | None
    delivery_id: str | None
    signature: str
    status: int
    data: Any


class _Webhooks(click.Group):
    """Imports the commands that need the database only when they are used; `listen` does not need it."""

    def _rest(self) -> None:
        from trilha.cli.webhook_history import COMMANDS

        for each in COMMANDS:
            self.add_command(each)

    def list_commands(self, ctx: click.Context) -> list[str]:
        self._rest()
        return super().list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.commands:
            self._rest()
        return super().get_command(ctx, cmd_name)


@click.group(cls=_Webhooks)
def webhooks() -> None:
    """Webhooks: events sent to other programs."""


@webhooks.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=9000,
    show_default=True,
    metavar="PORT",
    help="Where to listen; 0 takes one that is free.",
)
@click.option(
    "--secret",
    envvar="TRILHA_WEBHOOK_SECRET",
    show_envvar=True,
    metavar="WHSEC",
    help="The endpoint's secret, to check signatures with.",
)
@click.option("--fail", type=click.IntRange(0), default=0, metavar="N", help="Answer the first N with 500.")
@click.option(
    "--status",
    type=click.IntRange(200, 599),
    default=204,
    show_default=True,
    metavar="CODE",
    help="Answer the others with this.",
)
@click.option(
    "--delay", type=click.FloatRange(0, 3600), default=0, metavar="SECONDS", help="Wait before each answer."
)
@as_json
def listen(port: int, secret: str | None, fail: int, status: int, delay: float, as_json: bool) -> None:
    """Receive events on this machine and print them until Ctrl-C. --json prints one line per event."""
    try:
        receiver = _Receiver(port, secret, fail, status, delay)
    except OSError as error:
        raise CommandError(
            f"Port {port} on {_HOST} cannot be used ({error.strerror}); "
            "stop what uses it or choose another with --port."
        ) from None
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: receiver.arrivals.put(None))
    Thread(target=receiver.serve_forever, daemon=True).start()
    checked = "" if secret else " Signatures are not checked; --secret has them checked."
    # On standard error, so that standard output has only events.
    click.echo(f"Listening at http://{_HOST}:{receiver.server_port}. Ctrl-C ends it.{checked}", err=True)
    for arrival in iter(receiver.arrivals.get, None):
        click.echo(_line(arrival) if as_json else _readable(arrival))


class _Receiver(ThreadingHTTPServer):
    """Answers in threads and queues what arrived. One thread prints, so that events do not mix.

    None in the queue means the end.
    """

    request_queue_size = 128

    def __init__(self, port: int, secret: str | None, fail: int, status: int, delay: float) -> None:
        super().__init__((_HOST, port), _Handler)
        self.arrivals = SimpleQueue[Arrival | None]()
        self.secret = secret
        self.delay = delay
        self._fail = fail
        self._status = status
        self._number = count()

    def next_status(self) -> int:
        return 500 if next(self._number) < self._fail else self._status

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores senders that disconnect, for example after a time-out."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Receiver
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        # No chunked bodies, and no lengths that do not fit into memory: webhooks have neither.
        if not re.fullmatch("[0-9]{1,8}", length):
            self.close_connection = True
            self._answer(411)
            return
        status = self.server.next_status()
        self.server.arrivals.put(self._arrival(self.rfile.read(int(length)), status))
        time.sleep(self.server.delay)
        self._answer(status)

    def _arrival(self, body: bytes, status: int) -> Arrival:
        event = _parse_body(body)
        envelope = event if isinstance(event, dict) else {}
        return Arrival(
            time=system_clock(),
            type=_header(self.headers, "event-type") or envelope.get("type"),
            event_id=_header(self.headers, "event-id") or envelope.get("id"),
            delivery_id=_header(self.headers, "delivery-id"),
            signature=self._signature(body),
            status=status,
            data=envelope.get("data", event),
        )

    def _signature(self, body: bytes) -> str:
        if not self.server.secret:
            return "not checked"
        genuine = verify_signature(body, _header(self.headers, "signature"), self.server.secret)
        return "ok" if genuine else "wrong"

    def _answer(self, status: int) -> None:
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


def _header(headers: Message, name: str) -> str | None:
    """Finds a header by the end of its name, because its prefix is a setting of the server."""
    for each, value in headers.items():
        if each.lower().endswith(f"-{name}") and not each.lower().startswith("webhook-"):
            return str(value)
    return None


def _parse_body(body: bytes) -> Any:
    """Returns the JSON, or the text if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode(errors="replace")


def _line(arrival: Arrival) -> str:
    return json.dumps(msgspec.to_builtins(arrival))


def _readable(arrival: Arrival) -> str:
    data = json.dumps(arrival.data, ensure_ascii=False, indent=2)
    text = f"""\
{arrival.time.astimezone():%H:%M:%S}  {arrival.type or "(no type)"}
  event      {arrival.event_id or "(no id)"}
  delivery   {arrival.delivery_id or "(no id)"}
  signature  {arrival.signature}
  answered   {arrival.status}
{indent(data, "  ")}
"""
    # The sender chooses the text, which must not control the terminal.
    return "".join(each if each.isprintable() or each == "\n" else "\ufffd" for each in text)
