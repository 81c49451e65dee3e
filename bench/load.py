"""The load: a process of its own, a few connections kept alive, each sending its next request at once.

Reads from standard input a `Round` in MessagePack, writes a `Result` to standard output.
"""

import selectors
import socket
import sys
import time

import msgspec


class Round(msgspec.Struct):
    port: int
    connections: int
    seconds: float
    status: int
    requests: list[bytes]
    repeat: bool  # start over when they run out; otherwise the round ends


class Result(msgspec.Struct):
    per_second: float
    p50: float  # milliseconds
    requests: int
    unanswered: int = 0


# Who has waited so long waits for nothing, and counts with all of that time.
PATIENCE = 30.0


class Unexpected(RuntimeError):
    """An answer of another status than the round's."""


class Client:
    """One connection: at most one request in flight."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sent = 0.0
        self.answer = b""

    def send(self, request: bytes) -> None:
        self.answer = b""
        self.sent = time.perf_counter()
        self.socket.sendall(request)

    def receive(self, status: bytes) -> bool:
        """True once the whole answer is here."""
        piece = self.socket.recv(1 << 20)
        self.answer += piece
        head, found, body = self.answer.partition(b"\r\n\r\n")
        if not piece or (found and head[9:12] != status):
            raise Unexpected(self.answer[:500].decode(errors="replace"))
        return bool(found) and len(body) >= _length(head)


def _length(head: bytes) -> int:
    return int(head.lower().partition(b"content-length:")[2].partition(b"\r")[0])


def run(plan: Round) -> Result:
    ready = selectors.DefaultSelector()
    clients = [Client(plan.port) for _ in range(plan.connections)]
    for client in clients:
        ready.register(client.socket, selectors.EVENT_READ, client)
    status = b"%d" % plan.status
    count, at, times, unanswered = len(plan.requests), 0, [], 0
    start = time.perf_counter()
    end = start + plan.seconds
    in_flight = 0
    for client in clients:
        client.send(plan.requests[at % count])
        at, in_flight = at + 1, in_flight + 1
    while in_flight:
        answered = ready.select(PATIENCE)
        if not answered:
            times += [PATIENCE] * in_flight
            unanswered = in_flight
            break
        for key, _ in answered:
            client = key.data
            if not client.receive(status):
                continue
            now = time.perf_counter()
            times.append(now - client.sent)
            if now < end and (plan.repeat or at < count):
                client.send(plan.requests[at % count])
                at += 1
            else:
                in_flight -= 1
    elapsed = time.perf_counter() - start
    times.sort()
    answers = len(times) - unanswered
    return Result(answers / elapsed, times[len(times) // 2] * 1000, len(times), unanswered)


if __name__ == "__main__":
    plan = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=Round)
    sys.stdout.buffer.write(msgspec.msgpack.encode(run(plan)))
