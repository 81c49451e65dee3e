"""Which URLs and addresses the server may call when somebody else chose them.

A URL is checked when it is stored and again before each use. The addresses of a host name are checked each
time a connection is opened, since they may have changed; `core.outbound.http` does that.
"""

import asyncio
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import idna
from yarl import URL

from trilha.core.net import Address, Network, parse_address, within

_LONGEST = 2048
_PORTS = (443, 8443)

# Stricter than HTTP clients: no user name, escape or zone in the host, no unusual spelling of the port.
_SHAPE = re.compile(r"https?://(\[[0-9a-f:.]+\]|[^][/?#@%:]+)(:[0-9]{1,5})?([/?][^#]*)?", re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
# The C library reads a name that ends like this as an IPv4 address: 2130706433, 0x7f.1, 0177.0.0.1.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that only mean something inside a network.
_INTERNAL = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".corp", ".intranet")

_MAPPED = ip_network("::ffff:0:0/96")
_NAT64 = ip_network("64:ff9b::/96")
_GLOBAL_IPV6 = ip_network("2000::/3")
# Interface ids that hold an IPv4 address, which a tunnel would reach (ISATAP, RFC 5214).
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
# A table of our own: Python's `is_global` differs between releases, and is true of tunnels and multicast.
# It has everything in IANA's special-purpose registries, also what could be reached: no receiver is there.
_SPECIAL: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "168.63.129.16/32",  # public in form, but what Azure's machines reach their host by
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "192.175.48.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",  # multicast and reserved
            "2001::/23",  # Teredo, ORCHID, benchmarking and their like
            "2001:db8::/32",
            "2002::/16",
            "2620:4f:8000::/48",
            "3fff::/20",
        ),
    )
)


class Blocked(ValueError):
    """A URL or an address that may not be called. The message is a code of `core.errors.FIELD_CODES`:
    `invalid_url`, `https_required`, `port_not_allowed` or `address_not_allowed`."""


@dataclass(frozen=True, slots=True)
class Guard:
    """`allow` is what may be reached besides public addresses; `plain_http`, whether http:// may be used."""

    allow: tuple[Network, ...] = ()
    plain_http: bool = False

    def parse(self, text: str) -> str:
        """The URL in the form in which the HTTP client reads it, to be stored so. Raises Blocked."""
        if len(text) > _LONGEST or not text.isprintable() or " " in text or "\\" in text:
            raise Blocked("invalid_url")
        if not text.lower().startswith(("https:", "http:") if self.plain_http else "https:"):
            raise Blocked("https_required")
        url = _parse_url(text)
        host, port = url.raw_host or "", url.port or 0
        if address := _literal(host):
            self.check(address, port)
        elif not _is_name(host):
            raise Blocked("invalid_url")
        elif not self.allow:  # else the name may be an internal one, and its addresses are checked later
            if "." not in host or host.endswith(_INTERNAL):
                raise Blocked("address_not_allowed")
            if port not in _PORTS:
                raise Blocked("port_not_allowed")
        return str(url)

    def check(self, address: Address, port: int) -> None:
        """Raises Blocked unless a connection to here may be made."""
        destination = _destination(address)
        if within(address, self.allow) or within(destination, self.allow):
            return
        if not _is_public(destination):
            raise Blocked("address_not_allowed")
        if port not in _PORTS:
            raise Blocked("port_not_allowed")

    async def resolve(self, host: str, port: int) -> list[Address]:
        """The addresses of a host name. One that may not be called blocks them all.

        Raises Blocked, and OSError where there is no answer. It has no time limit of its own.
        """
        # Without AI_ADDRCONFIG, so that the result does not depend on the network interfaces of this machine.
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(_resolver_threads, look_up)
        addresses = dict.fromkeys(parse_address(str(each[4][0])) for each in found)
        checked = []
        for address in addresses:
            if address is None:
                raise Blocked("address_not_allowed")
            self.check(address, port)
            checked.append(address)
        if not checked:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        return checked


# A look-up cannot be cancelled: in the event loop's few threads, one dead name server would block all others.
_resolver_threads = ThreadPoolExecutor(256, "resolver")


def _parse_url(text: str) -> URL:
    """By the HTTP client's own parser, since another one might see another host."""
    try:
        url = URL(text)
        normal = str(url)
        stable = str(URL(normal)) == normal
    except ValueError as error:
        raise Blocked("invalid_url") from error
    if not stable or not _SHAPE.fullmatch(text) or len(normal) > _LONGEST or not url.port:
        raise Blocked("invalid_url")
    return url


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_name(host: str) -> bool:
    labels = host.split(".")
    return len(host) <= 253 and not _NUMBER.fullmatch(labels[-1]) and all(map(_is_label, labels))


def _is_label(text: str) -> bool:
    if not text.startswith("xn--"):
        return _LABEL.fullmatch(text) is not None
    try:
        return idna.alabel(idna.ulabel(text)) == text.encode()
    except UnicodeError:
        return False


def _destination(address: Address) -> Address:
    """The IPv4 address inside an IPv6 one where that is mapped or for a NAT64 gateway; else the address."""
    if address in _MAPPED or address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        interface = int(address) >> 32 & 0xFFFF_FFFF
        if address not in _GLOBAL_IPV6 or interface in _ISATAP:
            return False
    return not within(address, _SPECIAL)
