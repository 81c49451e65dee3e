"""IP addresses and networks, and the address of a client behind proxies."""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def parse_networks(text: str) -> tuple[Network, ...]:
    """Parses networks such as `10.0.0.0/8, 192.168.1.7`. Raises ValueError."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def within(address: Address, networks: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


@lru_cache(4096)
def parse_address(text: str) -> Address | None:
    """Normalizes an address: an IPv4 address mapped into IPv6 becomes that IPv4 address.

    A port is ignored: `203.0.113.9:51234`, `[2001:db8::1]:51234`.
    """
    try:
        address = ip_address(_without_port(text.strip()).partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def _without_port(text: str) -> str:
    bracketed = re.fullmatch(r"\[([^][]*)\](:[0-9]{1,5})?", text)
    if bracketed:
        return bracketed[1]
    host, colon, port = text.partition(":")
    # With two or more colons and no brackets, there is no port.
    return host if colon and re.fullmatch("[0-9]{1,5}", port) else text


def client_address(peer: str, forwarded_for: str, trusted: Sequence[Network]) -> Address | None:
    """Returns the client's address: the nearest one that is not a trusted proxy, or None if it cannot be
    read.

    `X-Forwarded-For` is read from the right, only as far as trusted proxies wrote it. The rest is the
    client's own claim.
    """
    address = parse_address(peer)
    hops = forwarded_for.split(",") if forwarded_for else []
    while hops and address is not None and within(address, trusted):
        address = parse_address(hops.pop())
    return address


@lru_cache(4096)
def address_block(address: Address | None) -> str:
    """Returns the block by which requests are counted: for IPv6 the /64, which belongs to one subscriber."""
    if address is None:
        return "unreadable"
    if address.version == 4:
        return str(address)
    return str(IPv6Network((int(address) >> 64 << 64, 64)))
