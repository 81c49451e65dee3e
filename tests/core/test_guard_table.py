"""Which addresses are public, compared with a list of those that are not."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trilha.core.outbound.guard import BlockedAddress, Guard

PUBLIC = Guard()


@pytest.mark.parametrize(
    "address",
    [
        *("::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:0:7f00:1", "::5efe:7f00:1", "::808:808"),
        *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::", "2002:a9fe:a9fe::"),
        *("2001::1", "2001:db8::1", "3fff::1", "100::1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1"),
        *("fd00:ec2::254", "fd20:ce::254", "ff02::1", "5f00::1", "4000::1", "::ffff:0:808:808"),
        *("2606:4700::5efe:a00:1", "2606:4700::200:5efe:a00:1"),
        *("192.0.0.9", "192.88.99.1", "224.0.0.1", "255.255.255.255", "168.63.129.16", "100.100.100.200"),
    ],
)
def test_addresses_that_are_not_public(address: str) -> None:
    with pytest.raises(BlockedAddress, match="address_not_allowed"):
        PUBLIC.check(ip_address(address), 443)


# The reference: IANA's special-purpose registries and multicast, first and last address. One row is not
# IANA's: 168.63.129.16, through which machines on Azure reach their host.
SPECIAL_4 = [
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.31.196.0", "192.31.196.255"),
    ("192.52.193.0", "192.52.193.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("192.175.48.0", "192.175.48.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "239.255.255.255"),
    ("240.0.0.0", "255.255.255.255"),
]
SPECIAL_6 = [
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
]
RANGES_4 = [(int(IPv4Address(first)), int(IPv4Address(last))) for first, last in SPECIAL_4]
RANGES_6 = [(int(IPv6Address(first)), int(IPv6Address(last))) for first, last in SPECIAL_6]


def is_public_4(number: int) -> bool:
    return not any(first <= number <= last for first, last in RANGES_4)


def is_public_6(number: int) -> bool:
    groups = IPv6Address(number).exploded.split(":")
    if groups[:6] in (["0000"] * 5 + ["ffff"], ["0064", "ff9b"] + ["0000"] * 4):
        return is_public_4(number % 2**32)
    tunnel = groups[4] in ("0000", "0200") and groups[5] == "5efe"
    return not tunnel and not any(first <= number <= last for first, last in RANGES_6)


def around(ranges: list[tuple[int, int]], most: int) -> st.SearchStrategy[int]:
    ends = st.sampled_from([end for each in ranges for end in each])
    near = st.builds(lambda end, step: min(max(end + step, 0), most), ends, st.integers(-2, 2))
    inside = st.sampled_from(ranges).flatmap(lambda each: st.integers(*each))
    return near | inside | st.integers(0, most)


any_4, any_6 = around(RANGES_4, 2**32 - 1), around(RANGES_6, 2**128 - 1)
embedded = st.builds(
    lambda prefix, number: int(IPv6Address(prefix)) + number,
    st.sampled_from(["::ffff:0:0", "64:ff9b::", "::", "::ffff:0:0:0", "2606:4700::5efe:0:0", "2606:4700::"]),
    any_4,
)


def is_let_through(address: IPv4Address | IPv6Address) -> bool:
    try:
        PUBLIC.check(address, 443)
    except BlockedAddress:
        return False
    return True


def is_accepted(url: str) -> bool:
    try:
        PUBLIC.parse(url)
    except BlockedAddress:
        return False
    return True


@given(any_4)
def test_the_ipv4_table_is_the_registry(number: int) -> None:
    assert is_let_through(IPv4Address(number)) == is_public_4(number)
    assert is_accepted(f"https://{IPv4Address(number)}/") == is_public_4(number)


@given(any_6 | embedded)
def test_the_ipv6_table_is_the_registry(number: int) -> None:
    assert is_let_through(IPv6Address(number)) == is_public_6(number)
    assert is_accepted(f"https://[{IPv6Address(number)}]/") == is_public_6(number)


@given(st.ip_addresses(), st.integers(1, 65535), st.integers(0, 32))
def test_inside_what_is_allowed_anything_goes(address: IPv4Address, port: int, bits: int) -> None:
    Guard(allow=(ip_network(f"{address}/{bits}", strict=False),)).check(address, port)
