"""The operator's mail server, given by a URL. It needs no address guard, because only the operator chooses
it.
"""

import ssl
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import parse_qsl, unquote, urlsplit

import idna
from msgspec import Struct

from trilha.core.types import Email, InvalidValue, Name

_PORTS = {"smtp": 587, "smtps": 465}


class Tls(StrEnum):
    """How a connection is encrypted: from the first byte, or by STARTTLS, always or if offered."""

    AT_ONCE = "at_once"
    REQUIRED = "required"
    OFFERED = "offered"


class MailServer(Struct, frozen=True):
    """A mail server. `sender` is the address of `?from=`, or None."""

    host: str
    port: int
    implicit_tls: bool
    user: str | None = None
    password: str | None = None
    sender: str | None = None

    def __repr__(self) -> str:
        return f"MailServer({self.place})"

    @property
    def place(self) -> str:
        """Describes the server for people, without secrets."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def tls(self, *, production: bool) -> Tls:
        """Returns when to encrypt. A connection within this machine may be unencrypted."""
        if self.implicit_tls:
            return Tls.AT_ONCE
        return Tls.REQUIRED if production and not self._is_here else Tls.OFFERED

    def tls_context(self) -> ssl.SSLContext:
        """Returns a context that verifies certificates, except for a server on this machine, whose
        certificate seldom matches.
        """
        context = ssl.create_default_context()
        if self._is_here:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context

    @property
    def _is_here(self) -> bool:
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse_mail_server(text: str) -> MailServer:
    """Parses `smtp://user:password@host:587?from=learn@example.com`, or `smtps://`. Raises ValueError."""
    parts = urlsplit(text)
    port = parts.port  # raises ValueError
    query = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    if parts.scheme not in _PORTS or not parts.hostname or parts.path.strip("/") or parts.fragment:
        raise ValueError("not the URL of a mail server")
    if query.keys() - {"from"} or (parts.username is None) != (parts.password is None):
        raise ValueError("not the URL of a mail server")
    return MailServer(
        host=_host(parts.hostname),
        port=port or _PORTS[parts.scheme],
        implicit_tls=parts.scheme == "smtps",
        user=None if parts.username is None else unquote(parts.username),
        password=None if parts.password is None else unquote(parts.password),
        sender=parse_sender(query["from"]) if "from" in query else None,
    )


def parse_sender(text: str) -> str:
    """Normalizes `learn@example.com` or `Academy <learn@example.com>`. Raises ValueError."""
    name, bracket, address = text.strip().rpartition("<")
    if not bracket:
        return Email.normalise(address)
    if not address.endswith(">"):
        raise InvalidValue("invalid_email")
    name = name.strip().strip('"')
    email = Email.normalise(address[:-1])
    return f"{Name.normalise(name)} <{email}>" if name else email


def _host(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        return idna.encode(host, uts46=True).decode()  # its error is a ValueError
