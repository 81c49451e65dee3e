"""Which URLs the server may call."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from yarl import URL

from trilha import settings
from trilha.core.errors import FIELD_CODES
from trilha.core.net import parse_networks
from trilha.core.outbound.guard import BlockedAddress, Guard

PUBLIC = Guard()
PRIVATE = Guard(allow=parse_networks("10.0.0.0/8, 127.0.0.0/8, ::1, fd00::/8"), plain_http=True)


def refusal(url: str, guard: Guard = PUBLIC) -> str:
    """Returns the code, or an empty text."""
    try:
        guard.parse(url)
    except BlockedAddress as blocked:
        return str(blocked) if str(blocked) in FIELD_CODES else "unknown"
    return ""


@pytest.mark.parametrize(
    ("url", "stored"),
    [
        ("https://example.com", "https://example.com"),
        ("https://example.com:443/a?b=c", "https://example.com/a?b=c"),
        ("HTTPS://Example.COM:8443/Hook", "https://example.com:8443/Hook"),
        ("https://example.com/a/../b/%7Eana", "https://example.com/b/~ana"),
        ("https://bücher.example/ção", "https://xn--bcher-kva.example/%C3%A7%C3%A3o"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://ｅｘａｍｐｌｅ。com/", "https://example.com/"),
        ("https://r3---sn-a_b.example.com/", "https://r3---sn-a_b.example.com/"),
        ("https://8.8.8.8/", "https://8.8.8.8/"),
        ("https://[2606:4700:0:0::1111]/", "https://[2606:4700::1111]/"),
        ("https://[64:ff9b::8.8.8.8]/", "https://[64:ff9b::808:808]/"),
    ],
)
def test_stores_the_form_the_client_uses(url: str, stored: str) -> None:
    assert PUBLIC.parse(url) == stored


@pytest.mark.parametrize(
    "host",
    [
        *("2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "0"),
        *("0xA9FEA9FE", "169.254.43518", "0251.0376.0251.0376", "0x", "1.2.3.4.5", "256.1.1.1", "1.1.1.01"),
        *("example.0x7f", "example.1", "１２７.1", "0ｘ7f000001", "٣.٣.٣.٣"),
        *("[::1%25lo]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[127.0.0.1]", "[v1.fe80]", "[::1", "::1"),
        *("[::1]x", "x[::1]", "[::1][::1]", "[]"),
        *("", ".", "localhost.", "127.0.0.1.", "example.com.", "example..com", ".example.com"),
        *("-a.example.com", "a-.example.com", "a" * 64 + ".com", "a." * 127 + "com"),
        *("user@example.com", "user:word@example.com", "@example.com", ":@example.com"),
        *("8.8.8.8@127.0.0.1", "8.8.8.8%2f@127.0.0.1", "8.8.8.8#@127.0.0.1", "8.8.8.8\\@127.0.0.1"),
        *("127%2e0%2e0%2e1", "ex%61mple.com", "example.com%00", "example.com%2f.internal", "8.8.8.8%00"),
        *("exam\tple.com", "exam\nple.com", "example.com\r\n", "ex ample.com", " example.com", "a\x00b.com"),
        *("a\u200db.com", "a\u00adb.com", "a\u3000b.com", "\ud800.com", "℀.com", "example.com／x", "é..com"),
        *("xn--a.com", "xn--zzzzzz99999.com", "xn--ls8h.la", "💩.la", "xn--127-.com", "a*b.com", "a,b.com"),
        *("example.com:0", "example.com:99999", "example.com:-1", "example.com:+443", "example.com:4_43"),
        *("example.com:", "example.com:x", "example.com:٤٤٣", "example.com:443:443"),
        *("example.com#", "example.com/#there", "example.com/?a#"),
        *("example.com/a b", "example.com/\\x", "example.com/\x7f", "example.com/\u2028"),
        *("example.com/" + "a" * 2048, "example.com/" + "ã" * 400),
    ],
)
def test_refuses_what_cannot_be_read_in_one_way_only(host: str) -> None:
    url = "https://" + host
    assert refusal(url) == "invalid_url"
    assert refusal(url, PRIVATE) == "invalid_url"


@pytest.mark.parametrize("url", ["https:///x", "https:", "https:example.com", "https:/x.com", "https:\\\\x"])
def test_needs_a_host(url: str) -> None:
    assert refusal(url) == "invalid_url"
    assert refusal("http:127.0.0.1", PRIVATE) == "invalid_url"


@pytest.mark.parametrize(
    "url",
    [
        *("http://example.com/", "http:127.0.0.1", "ftp://example.com/", "file:///etc/passwd"),
        *("ws://example.com", "gopher://127.0.0.1:6379/_x", "//example.com/", "example.com", ""),
        "httpſ://example.com/",
    ],
)
def test_needs_https(url: str) -> None:
    assert refusal(url) == "https_required"
    assert refusal(url, Guard(allow=PRIVATE.allow)) == "https_required"


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "0.0.0.0", "169.254.169.254"),
        *("localhost", "LOCALHOST", "ⓛocalhost", "hook.localhost", "intranet", "xn--bcher-kva"),
        *("printer.local", "metadata.google.internal", "router.home.arpa", "nas.lan", "a.corp"),
        *("api.default.svc.cluster.local", "metadata.google。internal", "hr.intranet"),
    ],
)
def test_refuses_what_is_known_to_be_inside(host: str) -> None:
    assert refusal(f"https://{host}/") == "address_not_allowed"


@pytest.mark.parametrize("port", [1, 22, 25, 80, 5432, 6379, 11211, 65535])
def test_two_ports_are_open(port: int) -> None:
    assert refusal(f"https://example.com:{port}/") == "port_not_allowed"
    assert refusal(f"https://8.8.8.8:{port}/") == "port_not_allowed"
    assert refusal(f"https://[2606:4700::1111]:{port}/") == "port_not_allowed"
    assert refusal(f"https://8.8.8.8:{port}/", PRIVATE) == "port_not_allowed"


def test_what_the_operator_allows() -> None:
    for url in [
        *("http://127.0.0.1:9000/hook", "https://10.1.2.3:22/", "http://[::1]:8080/", "https://[fd00::7]/"),
        *("https://[::ffff:127.0.0.1]/", "https://[64:ff9b::10.0.0.1]/", "https://①②⑦.⓪.⓪.①/"),
        *("http://localhost:3000/", "https://hooks.internal:9443/", "https://my_service/"),
    ]:
        assert refusal(url, PRIVATE) == "", url
    for url in [
        *("http://192.168.0.1/", "https://[::2]/", "https://[::ffff:169.254.169.254]/", "https://0.0.0.0/"),
    ]:
        assert refusal(url, PRIVATE) == "address_not_allowed"
    assert refusal("http://example.com/", Guard(plain_http=True)) == "port_not_allowed"
    assert refusal("http://example.com:8443/", Guard(plain_http=True)) == ""


label = st.text("abZ09-_éßｆ①０", min_size=1, max_size=6)
host = st.builds(
    lambda dot, labels: dot.join(labels), st.sampled_from(".。"), st.lists(label, min_size=1, max_size=4)
)
tail = st.text("aZ0~/.?&=+%41é①:@[]|\"'", max_size=12)


@given(st.builds("https://{}.com/{}".format, host, tail) | st.text().map("https://".__add__))
@example("https://a.com/%41%2e%2E/?%")
def test_what_is_stored_is_read_again_as_itself(url: str) -> None:
    try:
        stored = PUBLIC.parse(url)
    except BlockedAddress:
        return
    read = URL(stored)
    assert stored == PUBLIC.parse(stored) == str(read)
    assert stored.isascii()
    assert read.scheme == "https"
    assert (read.user, read.password, read.fragment) == (None, None, "")
    assert "." in (read.raw_host or "")


def test_the_settings_say_what_is_allowed() -> None:
    loaded = settings.load({"TRILHA_NET_ALLOW": "10.0.0.0/8, 127.0.0.1"})
    assert loaded.guard == Guard(allow=parse_networks("10.0.0.0/8,127.0.0.1"), plain_http=True)
    assert settings.load({"TRILHA_ENV": "production"}).guard == Guard()
    with pytest.raises(settings.SettingError, match="TRILHA_NET_ALLOW"):
        settings.load({"TRILHA_NET_ALLOW": "localhost"})
