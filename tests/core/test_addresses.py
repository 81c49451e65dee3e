"""The address of the caller, behind any number of proxies."""

from ipaddress import IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trilha.core.net import address_block, client_address, parse_address, parse_networks, within

PROXIES = parse_networks("10.0.0.0/8, fd00::/8")
outside = st.ip_addresses(network="198.51.100.0/24") | st.ip_addresses(network="2001:db8::/32")
inside = st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="fd00::/8")
claims = st.lists(st.ip_addresses().map(str) | st.text().filter(lambda text: "," not in text))


@given(outside, claims)
def test_a_stranger_is_whom_he_connects_as(peer: object, claimed: list[str]) -> None:
    assert client_address(str(peer), ",".join(claimed), PROXIES) == parse_address(str(peer))


@given(st.lists(inside, min_size=1), outside, claims)
def test_proxies_are_believed_as_far_as_they_wrote(
    proxies: list[object], caller: object, claimed: list[str]
) -> None:
    peer, *hops = map(str, proxies)
    header = ", ".join([*claimed, str(caller), *hops])
    assert client_address(peer, header, PROXIES) == caller


@given(st.text(), st.text())
def test_no_text_raises(peer: str, header: str) -> None:
    assert client_address(peer, header, PROXIES) == parse_address(peer)
    client_address("10.0.0.1", header, PROXIES)


@pytest.mark.parametrize(
    ("peer", "header", "expected"),
    [
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.2", "10.0.0.2"),
        # An unreadable entry gives no address, and not that of the proxy that wrote it.
        ("10.0.0.1", "203.0.113.9, nonsense", "None"),
        ("10.0.0.1", "203.0.113.9, nonsense, 10.0.0.3", "None"),
        ("10.0.0.1", "203.0.113.9:51234", "203.0.113.9"),
        ("10.0.0.1", "[2001:db8::1]:51234", "2001:db8::1"),
        ("10.0.0.1", "203.0.113.9, 10.0.0.2:443", "203.0.113.9"),
        ("10.0.0.1", "[::ffff:203.0.113.9]:80", "203.0.113.9"),
        ("10.0.0.1", "203.0.113.9:", "None"),
        ("10.0.0.1", "203.0.113.9:x", "None"),
        ("10.0.0.1", "[203.0.113.9", "None"),
        ("10.0.0.1", "unknown", "None"),
        ("10.0.0.1", "_hidden", "None"),
        ("10.0.0.1", '"203.0.113.9"', "None"),
        ("10.0.0.1", ",", "None"),
        ("::ffff:10.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "[2001:db8::7]", "2001:db8::7"),
        ("10.0.0.1", "::ffff:203.0.113.9", "203.0.113.9"),
        ("", "203.0.113.9", "None"),
        ("unix:", "", "None"),
    ],
)
def test_addresses_by_example(peer: str, header: str, expected: str) -> None:
    assert str(client_address(peer, header, PROXIES)) == expected


@given(st.ip_addresses(v=4))
def test_an_address_mapped_into_ipv6_is_itself(address: object) -> None:
    assert parse_address(f"::ffff:{address}") == address
    assert within(ip_address(str(address)), (ip_network("0.0.0.0/0"),))
    assert not within(ip_address(str(address)), (ip_network("::/0"),))


@given(st.ip_addresses(v=6))
def test_ipv6_counts_by_its_64_bits(address: IPv6Address) -> None:
    one = parse_address(str(address))
    other = parse_address(str(IPv6Address(int(address) ^ 1)))
    if one and one.version == 6:
        assert address_block(one) == address_block(other)
        assert address_block(one) != address_block(parse_address(str(IPv6Address(int(address) ^ 1 << 64))))


def test_ipv4_counts_by_itself_and_what_is_unreadable_apart() -> None:
    assert address_block(parse_address("203.0.113.9")) == "203.0.113.9"
    assert address_block(None) == "unreadable"
