"""Which clients leave their answers unread, as the kernel tells of their connections (Linux)."""

import ctypes
import socket
import struct
import time
from collections.abc import Iterable

from msgspec import Struct

from trilha.core.net import Address

_UNSENT = 0x5411  # SIOCOUTQ: bytes that were not acknowledged
_INFO_BYTES = 128
_ACKNOWLEDGED = struct.Struct("=120xQ")  # struct tcp_info, tcpi_bytes_acked
# PyDLL keeps the interpreter's lock: taking it anew thousands of times beside a busy loop takes seconds.
_c = ctypes.PyDLL(None)


class Connection(Struct, frozen=True):
    file: int
    peer: bytes  # as the kernel gives it: family, port and address
    port: int
    address: Address | None


class Unread:
    """Of a process's connections those whose clients take nothing of what is there for them."""

    def __init__(self) -> None:
        self._since: dict[bytes, tuple[int, float]] = {}  # bytes taken at the last look; since when

    def look(self, connections: Iterable[Connection]) -> list[Connection]:
        """Those that took nothing since the last look, the longest first."""
        now = time.monotonic()
        since: dict[bytes, tuple[int, float]] = {}
        found = []
        unsent = ctypes.c_int()
        for each in connections:
            if _c.ioctl(each.file, _UNSENT, ctypes.byref(unsent)) or not unsent.value:
                continue
            taken = acknowledged(each.file)
            before, moment = self._since.get(each.peer, (-1, now))
            if before == taken:
                since[each.peer] = before, moment
                found.append(each)
            else:
                since[each.peer] = taken, now
        self._since = since
        return sorted(found, key=lambda each: since[each.peer][1])


def acknowledged(file: int) -> int:
    """How many bytes the client's side has taken."""
    told = ctypes.create_string_buffer(_INFO_BYTES)
    length = ctypes.c_uint(_INFO_BYTES)
    _c.getsockopt(file, socket.IPPROTO_TCP, socket.TCP_INFO, told, ctypes.byref(length))
    taken: int = _ACKNOWLEDGED.unpack(told.raw)[0]
    return taken
