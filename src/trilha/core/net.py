"""IP addresses and networks, and the address of a caller behind proxies."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def parse_networks(text: str) -> tuple[Network, ...]:
    """`10.0.0.0/8, 192.168.1.7` as networks. Raises ValueError."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def within(address: Address, networks: Sequence[Network]) -> bool:
    return any(address.version == network.version and address in network for network in networks)


@lru_cache(4096)
def parse_address(text: str) -> Address | None:
    """An address in its one plain form: an IPv4 address mapped into IPv6 is that IPv4 address."""
    try:
        address = ip_address(text.strip().strip("[]").partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return address.ipv4_mapped
    return address


def client_address(peer: str, forwarded_for: str, trusted: Sequence[Network]) -> Address:
    """The caller's address: the nearest one that is not a trusted proxy's.

    `X-Forwarded-For` is read from the right and only as far as trusted proxies wrote it; whatever
    stands left of that is the caller's own claim.
    """
    address = parse_address(peer) or IPv4Address(0)
    hops = forwarded_for.split(",") if forwarded_for else []
    while hops and within(address, trusted):
        claimed = parse_address(hops.pop())
        if claimed is None:
            break
        address = claimed
    return address
