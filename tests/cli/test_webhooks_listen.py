"""`trilha webhooks listen` in its own process."""

import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from running import TRILHA, wait_until
from trilha import settings
from trilha.platform.webhooks.delivery.signing import generate_secret, sign

SECRET = generate_secret()
EVENT = {"id": "evt_1f", "type": "user.created", "data": {"name": "João", "role": "student"}}
BODY = json.dumps(EVENT).encode()
HEADERS = {
    "X-Service-Event-Id": "evt_1f",
    "X-Service-Event-Type": "user.created",
    "X-Service-Delivery-Id": "3f0c9a8e",
}


class Listener:
    """`trilha webhooks listen` on a free port."""

    def __init__(self, folder: Path, *options: str, **variables: str) -> None:
        self._errors = folder / "errors"
        with self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [TRILHA, "webhooks", "listen", "--port", "0", *options],
                env=os.environ | variables,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        wait_until(lambda: self.errors.endswith("\n"))
        self.port = int(self.errors.partition("127.0.0.1:")[2].partition(".")[0])

    @property
    def errors(self) -> str:
        return self._errors.read_text()

    def post(self, body: bytes = BODY, **headers: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(
            "POST", "/hook", body, HEADERS | {k.replace("_", "-"): v for k, v in headers.items()}
        )
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def signed(self, secret: str = SECRET, body: bytes = BODY) -> int:
        return self.post(body, X_Service_Signature=sign([secret], int(time.time()), body))

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline()

    def event(self) -> Any:
        return json.loads(self.line())

    def stop(self, how: int = signal.SIGINT) -> tuple[int, str]:
        """Stops the process. Returns its exit code and the output since the last call."""
        self.process.send_signal(how)
        printed, _ = self.process.communicate(timeout=10)
        return self.process.returncode, printed


@pytest.fixture
def listen(tmp_path: Path) -> Iterator[Callable[..., Listener]]:
    started: list[Listener] = []

    def start(*options: str, **variables: str) -> Listener:
        started.append(Listener(tmp_path, *options, **variables))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.communicate()


def test_prints_an_event_to_read(listen: Callable[..., Listener]) -> None:
    listener = listen("--secret", SECRET)
    assert listener.signed() == 204
    code, printed = listener.stop()
    assert code == 0
    assert re.sub(r"^\d\d:\d\d:\d\d", "12:00:00", printed) == (
        "12:00:00  user.created\n"
        "  event      evt_1f\n"
        "  delivery   3f0c9a8e\n"
        "  signature  ok\n"
        "  answered   204\n"
        "  {\n"
        '    "name": "João",\n'
        '    "role": "student"\n'
        "  }\n"
        "\n"
    )


def test_prints_an_event_as_one_line_of_json(listen: Callable[..., Listener]) -> None:
    listener = listen("--secret", SECRET, "--json")
    listener.signed()
    event = listener.event()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", event.pop("time"))
    assert event == {
        "type": "user.created",
        "event_id": "evt_1f",
        "delivery_id": "3f0c9a8e",
        "signature": "ok",
        "status": 204,
        "data": EVENT["data"],
    }
    assert listener.stop() == (0, "")


def test_tells_a_signature_that_is_wrong(listen: Callable[..., Listener]) -> None:
    listener = listen("--json", TRILHA_WEBHOOK_SECRET=SECRET)
    listener.signed(generate_secret())
    listener.post()
    listener.post(X_Service_Signature="t=1,v1=zz")
    listener.signed()
    assert [listener.event()["signature"] for _ in range(4)] == ["wrong", "wrong", "wrong", "ok"]


def test_tells_that_it_checks_no_signature(listen: Callable[..., Listener]) -> None:
    listener = listen("--json")
    assert "Signatures are not checked" in listener.errors
    listener.signed()
    assert listener.event()["signature"] == "not checked"


def test_finds_headers_that_begin_otherwise(listen: Callable[..., Listener]) -> None:
    listener = listen("--json", "--secret", SECRET)
    headers = {"Webhook_Signature": "v1,a", "Acme_Signature": sign([SECRET], int(time.time()), BODY)}
    listener.post(**headers)
    assert listener.event()["signature"] == "ok"


def test_fails_the_first_and_then_answers_as_told(listen: Callable[..., Listener]) -> None:
    listener = listen("--fail", "2", "--status", "202", "--json")
    assert [listener.post() for _ in range(4)] == [500, 500, 202, 202]
    assert [listener.event()["status"] for _ in range(4)] == [500, 500, 202, 202]


def test_takes_its_time(listen: Callable[..., Listener]) -> None:
    listener = listen("--delay", "0.4")
    start = time.monotonic()
    assert listener.post() == 204
    assert time.monotonic() - start >= 0.4


def test_prints_what_is_no_event_too(listen: Callable[..., Listener]) -> None:
    listener = listen("--json")
    for body, data in [
        (b"", ""),
        (b"a: b", "a: b"),
        (b"\xff", "\ufffd"),
        (b"[1]", [1]),
        (b'{"id": "evt_1f"}', {"id": "evt_1f"}),
        (b"[" * 100_000, "[" * 100_000),
    ]:
        assert listener.post(body) == 204
        assert listener.event()["data"] == data


def test_is_not_to_steer_the_terminal(listen: Callable[..., Listener]) -> None:
    listener = listen()
    listener.post('{"data": "\x9b2J\\ud800"}'.encode(), X_Service_Delivery_Id="\x1b[2J")
    _, printed = listener.stop()
    assert "\ufffd[2J" in printed
    assert re.search(r"[^\n -~\ufffd]", printed) is None


def test_a_body_needs_a_length(listen: Callable[..., Listener]) -> None:
    listener = listen()
    for headers in ({}, *({"Content-Length": length} for length in ("-1", "9" * 5000, "x", "1_0"))):
        connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=10)
        connection.putrequest("POST", "/")
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.getresponse().status == 411
        connection.close()
    assert listener.stop() == (0, "")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ends_at_once_and_without_a_word(listen: Callable[..., Listener], how: int) -> None:
    listener = listen("--delay", "60", "--json")
    greeting = listener.errors
    with socket.create_connection(("127.0.0.1", listener.port)) as sender:
        sender.sendall(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        listener.event()
        assert listener.stop(how) == (0, "")
    assert listener.errors == greeting


def test_a_sender_that_hangs_up_leaves_no_trace(listen: Callable[..., Listener]) -> None:
    listener = listen("--delay", "0.2", "--json")
    greeting = listener.errors
    for _ in range(3):
        with socket.create_connection(("127.0.0.1", listener.port)) as sender:
            # A reset instead of a normal close.
            sender.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sender.sendall(b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
            listener.event()
    assert listener.post() == 204
    assert listener.errors == greeting


def test_a_busy_port_is_one_sentence() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = subprocess.run(
            [TRILHA, "webhooks", "listen", "--port", port], capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"trilha: Port {port} on 127.0.0.1 cannot be used (Address already in use); "
        "stop what uses it or choose another with --port.\n"
    )


def test_the_server_starts_where_the_secret_is_set() -> None:
    settings.load({"TRILHA_WEBHOOK_SECRET": SECRET})
