"""Decides which URLs and addresses, chosen by others, the server may call.

A URL is checked when it is stored and before each use. The addresses of a host name are checked for each
connection, because they may change; `core.outbound.http` does that.
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

# Stricter than HTTP clients: no user name, escape or zone in the host, and only plain port numbers.
_SHAPE = re.compile(r"https?://(\[[0-9a-f:.]+\]|[^][/?#@%:]+)(:[0-9]{1,5})?([/?][^#]*)?", re.IGNORECASE)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
# The C library reads a name that ends like this as an IPv4 address: 2130706433, 0x7f.1, 0177.0.0.1.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Names that have a meaning only inside a network.
_INTERNAL = (".localhost", ".local", ".internal", ".home.arpa", ".lan", ".corp", ".intranet")

_MAPPED_IPV4 = ip_network("::ffff:0:0/96")
_NAT64 = ip_network("64:ff9b::/96")
_GLOBAL_IPV6 = ip_network("2000::/3")
# Interface ids with an embedded IPv4 address that a tunnel would reach (ISATAP, RFC 5214).
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)
# We use our own table: Python's `is_global` differs between releases, and is true for tunnels and multicast.
# The table has everything in IANA's special-purpose registries, including reachable networks, because no
# receiver is there.
_SPECIAL: tuple[Network, ...] = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "168.63.129.16/32",  # looks public, but is the address of the host on Azure
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
            "2001::/23",  # Teredo, ORCHID, benchmarking and similar
            "2001:db8::/32",
            "2002::/16",
            "2620:4f:8000::/48",
            "3fff::/20",
        ),
    )
)


class BlockedAddress(ValueError):
    """A URL or address that may not be called. The message is a code of `core.errors.FIELD_CODES`:
    `invalid_url`, `https_required`, `port_not_allowed` or `address_not_allowed`.
    """


@dataclass(frozen=True, slots=True)
class Guard:
    """The address guard. `allow` are networks allowed in addition to public addresses; `plain_http` allows
    http:// URLs.
    """

    allow: tuple[Network, ...] = ()
    plain_http: bool = False

    def parse(self, text: str) -> str:
        """Returns the URL in the form that the HTTP client reads; store it in this form. Raises
        BlockedAddress.
        """
        if len(text) > _LONGEST or not text.isprintable() or " " in text or "\\" in text:
            raise BlockedAddress("invalid_url")
        if not text.lower().startswith(("https:", "http:") if self.plain_http else "https:"):
            raise BlockedAddress("https_required")
        url = _parse_url(text)
        host, port = url.raw_host or "", url.port or 0
        if address := _literal(host):
            self.check(address, port)
        elif not _is_name(host):
            raise BlockedAddress("invalid_url")
        elif not self.allow:  # else the name may be internal, and its addresses are checked later
            if "." not in host or host.endswith(_INTERNAL):
                raise BlockedAddress("address_not_allowed")
            if port not in _PORTS:
                raise BlockedAddress("port_not_allowed")
        return str(url)

    def check(self, address: Address, port: int) -> None:
        """Raises BlockedAddress unless a connection to this address is allowed."""
        destination = _destination(address)
        if within(address, self.allow) or within(destination, self.allow):
            return
        if not _is_public(destination):
            raise BlockedAddress("address_not_allowed")
        if port not in _PORTS:
            raise BlockedAddress("port_not_allowed")

    async def resolve(self, host: str, port: int) -> list[Address]:
        """Resolves a host name. A single forbidden address blocks all of them.

        Raises BlockedAddress, and OSError if the look-up fails. It has no time limit of its own.
        """
        # Without AI_ADDRCONFIG, so that the result does not depend on this machine's network interfaces.
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await asyncio.get_running_loop().run_in_executor(_resolver_threads, look_up)
        addresses = dict.fromkeys(parse_address(str(each[4][0])) for each in found)
        checked = []
        for address in addresses:
            if address is None:
                raise BlockedAddress("address_not_allowed")
            self.check(address, port)
            checked.append(address)
        if not checked:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        return checked


# A look-up cannot be cancelled. In the event loop's few threads, one dead name server would block all others.
_resolver_threads = ThreadPoolExecutor(256, "resolver")


def _parse_url(text: str) -> URL:
    """Uses the HTTP client's own parser, because another parser might see another host."""
    try:
        url = URL(text)
        normal = str(url)
        stable = str(URL(normal)) == normal
    except ValueError as error:
        raise BlockedAddress("invalid_url") from error
    if not stable or not _SHAPE.fullmatch(text) or len(normal) > _LONGEST or not url.port:
        raise BlockedAddress("invalid_url")
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
    """Returns the IPv4 address inside a mapped or NAT64 IPv6 address; else the address."""
    if address in _MAPPED_IPV4 or address in _NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address):
        interface = int(address) >> 32 & 0xFFFF_FFFF
        if address not in _GLOBAL_IPV6 or interface in _ISATAP:
            return False
    return not within(address, _SPECIAL)
