"""A name server on loopback that answers TXT queries with the values of the test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import dns.flags
import dns.message
import dns.rcode
import dns.rdatatype
import dns.rrset

from trilha.core.outbound.dns import NameServer

SILENT = None


class Zone(asyncio.DatagramProtocol):
    """`texts` are the values of each name. SILENT gives no answer, and "SERVFAIL" a failure."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str] | str | None] = {}
        self.asked: list[str] = []
        self.server = NameServer("127.0.0.1")
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self.server = NameServer("127.0.0.1", transport.get_extra_info("sockname")[1])

    def datagram_received(self, data: bytes, addr: Any) -> None:
        question = dns.message.from_wire(data)
        name = question.question[0].name.to_text(omit_final_dot=True)
        self.asked.append(name)
        found = self.texts.get(name, [])
        if found is SILENT:
            return
        answer = dns.message.make_response(question, recursion_available=True)
        if found == "SERVFAIL":
            answer.set_rcode(dns.rcode.SERVFAIL)
        elif not found:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        else:
            quoted = [f'"{each}"' for each in found]
            answer.answer.append(dns.rrset.from_text(f"{name}.", 60, "IN", "TXT", *quoted))
        self._transport.sendto(answer.to_wire(), addr)


@asynccontextmanager
async def name_server() -> AsyncIterator[Zone]:
    loop = asyncio.get_running_loop()
    transport, zone = await loop.create_datagram_endpoint(Zone, ("127.0.0.1", 0))
    try:
        yield zone
    finally:
        transport.close()
