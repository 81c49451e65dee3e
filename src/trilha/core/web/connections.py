"""Keeps the connections of a serving process in bounds, whatever is or is not sent over them.

The server takes connections as they come, and the application hears of one when a request's head is there.
Those that ask for nothing are found among the files this process has open, as Linux numbers them: where one
address has too many, the oldest of them without a request in flight are shut down. It is looked at a few
times a second, and costs next to nothing while no address can have too many.
"""

import ctypes
import os
import socket
import struct
import threading
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address

from msgspec import Struct

from trilha.core import logs
from trilha.core.net import Address, Network, address_block, parse_address, within
from trilha.core.web.capacity import Busy
from trilha.core.web.unread import Connection, Unread

_SECONDS = 0.25
_UNSENT_BYTES = 128 * 1024  # what the kernel takes of an answer before the client has read
# Connections whose client takes nothing of its answer: each costs some 200 KiB. In all, and of one address.
_UNREAD, _UNREAD_PER_ADDRESS = 256, 64
_FILES = "/proc/self/fd"
_ADDRESS_BYTES = 128  # struct sockaddr_storage
_NO_LINGER = struct.pack("ii", 1, 0)
_IPV4 = struct.Struct(">2xH4s")
_IPV6 = struct.Struct(">2xH4x16s")
# PyDLL keeps the interpreter's lock: taking it anew thousands of times beside a busy loop takes seconds.
_getpeername = ctypes.PyDLL(None).getpeername


class Bounds(Struct, frozen=True):
    """`total` is how many connections the process holds; a quarter of them stays free for new ones. Those
    of `trusted` proxies, which speak for many, are left alone.
    """

    port: int
    total: int
    per_address: int
    answer_seconds: float
    trusted: Sequence[Network] = ()


class Connections:
    """Those of this process, and who has how many."""

    def __init__(self, bounds: Bounds, busy: Busy) -> None:
        self._bounds = bounds
        self._busy = busy
        self._known: dict[bytes, Connection] = {}  # the oldest first
        self._unread = Unread()
        self._listening = False

    def watch(self) -> None:
        threading.Thread(target=self._watch, name="connections", daemon=True).start()

    def _watch(self) -> None:
        while True:
            time.sleep(_SECONDS)
            try:
                self.look()
            except Exception as error:
                logs.failed("connections not looked at", error)

    def look(self) -> int:
        """Shuts down what is too much, and says how many connections that were."""
        files = [int(name) for name in os.listdir(_FILES)]
        if not self._listening:
            self._listening = any(self._bound_answers(file) for file in files)
        if len(files) <= min(self._bounds.per_address, self._bounds.total * 3 // 4, _UNREAD_PER_ADDRESS):
            self._known.clear()
            return 0
        self._known = self._open(files)
        unread = sum([self._shut(each, drop=True) for each in self._too_many_unread()])
        closed = sum([self._shut(each) for each in self._too_many()])
        for count, reason in ((closed, "too many"), (unread, "unread")):
            if count:
                logs.note("connections shut", closed=count, open=len(self._known), reason=reason)
        return closed + unread

    def _bound_answers(self, file: int) -> bool:
        """What a client leaves unread ends its connection: they have this from the listening socket."""
        with suppress(OSError), _socket(file) as found:
            if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN) and self._is_ours(found):
                milliseconds = int(self._bounds.answer_seconds * 1000)
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
                found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
                return True
        return False

    def _open(self, files: Sequence[int]) -> dict[bytes, Connection]:
        """What is connected, in the order in which it was first seen."""
        buffer = ctypes.create_string_buffer(_ADDRESS_BYTES)
        length = ctypes.c_uint()
        now: dict[bytes, int] = {}
        for file in files:
            length.value = _ADDRESS_BYTES
            if not _getpeername(file, buffer, ctypes.byref(length)) and length.value >= _IPV4.size + 8:
                now[buffer.raw[: length.value]] = file
        kept = {
            peer: each if each.file == now[peer] else _connection(now[peer], peer)
            for peer, each in self._known.items()
            if peer in now
        }
        return kept | {peer: _connection(file, peer) for peer, file in now.items() if peer not in kept}

    def _too_many(self) -> list[Connection]:
        """Of each address that has too many the oldest that ask for nothing."""
        busy = {(parse_address(host), int(port)) for host, port in self._busy()}
        held = self._by_address(self._known.values())
        # A quarter of all places stays free.
        most = _most([len(each) for each in held], self._bounds.per_address, self._bounds.total * 3 // 4)
        found = []
        for connections in held:
            excess = len(connections) - most
            if excess > 0:
                idle = [each for each in connections if (each.address, each.port) not in busy]
                found += idle[:excess]
        return found

    def _too_many_unread(self) -> list[Connection]:
        """Of each address that leaves too many answers unread the ones it left longest."""
        held = self._by_address(self._unread.look(self._known.values()))
        most = _most([len(each) for each in held], _UNREAD_PER_ADDRESS, _UNREAD)
        return [each for connections in held for each in connections[: max(0, len(connections) - most)]]

    def _by_address(self, connections: Iterable[Connection]) -> list[list[Connection]]:
        """Without those of trusted proxies."""
        held: dict[str, list[Connection]] = {}
        for each in connections:
            if each.address and not within(each.address, self._bounds.trusted):
                held.setdefault(address_block(each.address), []).append(each)
        return list(held.values())

    def _shut(self, connection: Connection, *, drop: bool = False) -> bool:
        """False for one that has gone meanwhile, or is not one of the server's. With `drop`, the kernel does
        not keep what is unsent.
        """
        with suppress(OSError), _socket(connection.file) as found:
            if self._is_ours(found) and _peer(found) == (connection.address, connection.port):
                if drop:
                    found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                found.shutdown(socket.SHUT_RDWR)
                return True
        return False

    def _is_ours(self, found: socket.socket) -> bool:
        """Whether it came by the server's port: the process has connections to a database, too."""
        name = found.getsockname()
        return isinstance(name, tuple) and name[1] == self._bounds.port


def _most(held: Sequence[int], most: int, room: int) -> int:
    """How many each may have, `most` at most, so that those who hold so many have `room` together."""
    left = len(held)
    for count in sorted(held):
        if count * left > room:
            return min(most, room // left)
        room, left = room - count, left - 1
    return most


def _peer(found: socket.socket) -> tuple[Address | None, int]:
    host, port = found.getpeername()[:2]
    return parse_address(host), port


def _socket(file: int) -> socket.socket:
    """Of its own number, as the server may close the other at any time. Raises OSError for another file."""
    own = os.dup(file)
    try:
        return socket.socket(fileno=own)
    except OSError:
        os.close(own)
        raise


def _connection(file: int, peer: bytes) -> Connection:
    family = int.from_bytes(peer[:2], "little")
    if family == socket.AF_INET:
        port, address = _IPV4.unpack_from(peer)
        return Connection(file, peer, port, IPv4Address(address))
    if family == socket.AF_INET6:
        port, address = _IPV6.unpack_from(peer)
        return Connection(file, peer, port, parse_address(str(IPv6Address(address))))
    return Connection(file, peer, 0, None)
