"""A proxy that passes on requests, and loses or refuses those that a test names."""

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# The request, or its answer, is lost.
LOST_REQUEST, LOST_ANSWER = "lost request", "lost answer"


@dataclass(frozen=True)
class Refusal:
    status: int
    retry_after: str | None = None


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    idempotency_key: str | None
    authorization: str


@dataclass
class FaultyProxy:
    """`faults` are what happens to the next requests; those after them are passed on."""

    url: str = ""
    faults: list[str | Refusal] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)


@contextmanager
def faulty_proxy(port: int) -> Iterator[FaultyProxy]:
    """Runs a proxy in front of a server at this port until the block ends."""
    proxy = FaultyProxy()
    methods = {f"do_{method}": _Handler.answer for method in ("GET", "POST", "PUT", "PATCH", "DELETE")}
    handler = type("Handler", (_Handler,), {"proxy": proxy, "port": port, **methods})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    proxy.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    proxy: FaultyProxy
    port: int
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        key, authorization = self.headers.get("idempotency-key"), self.headers.get("authorization", "")
        self.proxy.requests.append(Request(self.command, self.path, key, authorization))
        fault = self.proxy.faults.pop(0) if self.proxy.faults else None
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if isinstance(fault, Refusal):
            self._send(fault.status, {"retry-after": fault.retry_after or ""}, b"<html>refused</html>")
            return
        self.close_connection = fault is not None
        if fault == LOST_REQUEST:
            return
        status, headers, answer = self._pass_on(body)
        if fault is None:
            self._send(status, headers, answer)

    def _pass_on(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
        connection.request(self.command, self.path, body, headers)
        response = connection.getresponse()
        names = ("content-type", "retry-after", "x-request-id", "content-encoding")
        passed = {name: value for name in names if (value := response.headers.get(name))}
        answer = response.read()
        connection.close()
        return response.status, passed, answer

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if status != 204 else b"")

    def log_message(self, format: str, *args: object) -> None:
        """Prints nothing."""
