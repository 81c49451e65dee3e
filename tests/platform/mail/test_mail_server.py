"""The URL of the mail server, and how the settings read it."""

import pytest

from trilha import settings
from trilha.core.outbound.mail_server import MailServer, Tls, parse_mail_server, parse_sender
from trilha.core.secrets import Keyring
from trilha.platform.mail.delivery.folder import FolderTransport
from trilha.platform.mail.delivery.smtp import SmtpTransport
from trilha.platform.mail.delivery.transports import transport_of
from trilha.settings import SettingError, Settings

KEYRING = Keyring([b"k" * 32])
URL = "smtp://ana%40acme:p%3Ass%2Fword@mail.example.com?from=learn@example.com"


def test_a_whole_url() -> None:
    server = parse_mail_server(URL)
    assert (server.host, server.port, server.implicit_tls) == ("mail.example.com", 587, False)
    assert (server.user, server.password, server.sender) == ("ana@acme", "p:ss/word", "learn@example.com")


@pytest.mark.parametrize(
    ("url", "place", "implicit"),
    [
        ("smtp://mail.example.com:25", "mail.example.com:25", False),
        ("smtps://mail.example.com", "mail.example.com:465", True),
        ("smtps://mail.example.com:4650/", "mail.example.com:4650", True),
        ("smtp://[::1]:1025", "[::1]:1025", False),
        ("smtp://correio.ação.example", "correio.xn--ao-siap.example:587", False),
    ],
)
def test_hosts_and_ports(url: str, place: str, implicit: bool) -> None:
    server = parse_mail_server(url)
    assert (server.place, server.implicit_tls) == (place, implicit)


@pytest.mark.parametrize(
    "bad",
    [
        *("mail.example.com", "http://mail.example.com", "smtp://", "smtp://:25", "smtp://a.example:99999"),
        *("smtp://a.example/path", "smtp://a.example#x", "smtp://a.example?tls=no", "smtp://a.example?from"),
        *("smtp://a.example?from=nobody", "smtp://user@a.example", "smtp://a b.example"),
        *("smtp://a.example?from=a@b.example%0D%0ABcc:%20e@b.example",),
    ],
)
def test_what_is_no_mail_server(bad: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse_mail_server(bad)


@pytest.mark.parametrize(
    ("given", "sender"),
    [
        ("Learn@Example.com", "learn@example.com"),
        ("Academia Acme <learn@ação.example>", "Academia Acme <learn@xn--ao-siap.example>"),
        ('"Academia" <learn@example.com>', "Academia <learn@example.com>"),
        ("<learn@example.com>", "learn@example.com"),
    ],
)
def test_whom_it_is_from(given: str, sender: str) -> None:
    assert parse_sender(given) == sender


@pytest.mark.parametrize("bad", ["", "Academia", "A <learn@example.com", "A\nB <learn@example.com>"])
def test_who_cannot_be_a_sender(bad: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        parse_sender(bad)


@pytest.mark.parametrize(
    ("host", "implicit", "production", "tls"),
    [
        ("mail.example.com", False, False, Tls.OFFERED),
        ("mail.example.com", False, True, Tls.REQUIRED),
        ("10.0.0.5", False, True, Tls.REQUIRED),
        ("127.0.0.1", False, True, Tls.OFFERED),
        ("localhost", False, True, Tls.OFFERED),
        ("::1", False, True, Tls.OFFERED),
        ("localhost.example.com", False, True, Tls.REQUIRED),
        ("mail.example.com", True, True, Tls.AT_ONCE),
        ("mail.example.com", True, False, Tls.AT_ONCE),
    ],
)
def test_when_a_connection_is_encrypted(host: str, implicit: bool, production: bool, tls: Tls) -> None:
    assert MailServer(host, 25, implicit).tls(production=production) is tls


def test_the_settings_choose_where_mail_goes() -> None:
    assert isinstance(transport_of(Settings(), KEYRING), FolderTransport)
    assert isinstance(transport_of(settings.load({"TRILHA_SMTP_URL": URL}), KEYRING), SmtpTransport)


def test_the_senders_order() -> None:
    both = {"TRILHA_SMTP_URL": URL, "TRILHA_MAIL_FROM": "Academia <a@example.com>"}
    assert settings.load(both).sender == "Academia <a@example.com>"
    assert settings.load({"TRILHA_SMTP_URL": URL}).sender == "learn@example.com"
    assert settings.load({}).sender.endswith(".invalid")
    with pytest.raises(SettingError, match="TRILHA_MAIL_FROM"):
        settings.load({"TRILHA_SMTP_URL": "smtp://mail.example.com"})


def test_the_url_is_shown_nowhere() -> None:
    environ = {"TRILHA_SMTP_URL": URL}
    loaded = settings.load(environ)
    assert "ss/word" not in repr(loaded)
    assert "ss/word" not in str(loaded.smtp_url)
    (row,) = [each for each in settings.describe(loaded, environ) if each.name == "TRILHA_SMTP_URL"]
    assert row.value == "(secret)"
    with pytest.raises(SettingError) as refused:
        settings.load({"TRILHA_SMTP_URL": "smtp://ana:p-ss-word@:x"})
    assert "p-ss-word" not in str(refused.value)
