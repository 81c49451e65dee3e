"""A mail server on loopback with configurable answers, and a dispatcher for the mail of one tenant."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_string
from email.message import EmailMessage
from email.policy import SMTPUTF8
from typing import TYPE_CHECKING, Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from trilha.core.outbound.mail_server import MailServer, Tls
from trilha.platform.mail import queries
from trilha.platform.mail.delivery.dispatcher import Dispatcher
from trilha.platform.mail.delivery.smtp import SmtpTransport, Transport
from trilha.platform.mail.queries import DueTenant

if TYPE_CHECKING:
    from conftest import World

SENDER = "Academia <learn@example.com>"
Reply = str | Callable[[Envelope], Awaitable[str]]


@dataclass
class MailReceiver:
    """`recipients` and `replies` are the answers to RCPT and DATA. They are used in turn, and the last one is
    repeated.
    """

    recipients: list[Reply] = field(default_factory=lambda: ["250 OK"])
    replies: list[Reply] = field(default_factory=lambda: ["250 OK"])
    mails: list[EmailMessage] = field(default_factory=list)
    envelopes: list[Envelope] = field(default_factory=list)
    sessions: set[int] = field(default_factory=set)
    users: list[LoginPassword] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    port: int = 0

    async def handle_RCPT(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        answer = await _answer(self.recipients, envelope)
        if answer.startswith("2"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.sessions.add(id(server))
        self.encrypted.append(session.ssl is not None)
        self.envelopes.append(envelope)
        assert isinstance(envelope.original_content, bytes)
        self.mails.append(message_from_string(envelope.original_content.decode(), policy=SMTPUTF8))
        return await _answer(self.replies, envelope)

    def authenticate(self, _: SMTP, __: Session, ___: Envelope, ____: str, given: Any) -> AuthResult:
        self.users.append(given)
        return AuthResult(success=given.password == b"p:ss/word", handled=False)

    def url(self, **changes: Any) -> MailServer:
        return MailServer(**{"host": "127.0.0.1", "port": self.port, "implicit_tls": False} | changes)


async def _answer(replies: list[Reply], envelope: Envelope) -> str:
    reply = replies.pop(0) if len(replies) > 1 else replies[0]
    return await reply(envelope) if callable(reply) else reply


@asynccontextmanager
async def receiving_mail(
    *replies: Reply, tls: ssl.SSLContext | None = None, auth: bool = False, utf8: bool = True
) -> AsyncIterator[MailReceiver]:
    receiver = MailReceiver(replies=list(replies) or ["250 OK"])
    options: dict[str, Any] = {"tls_context": tls, "enable_SMTPUTF8": utf8, "hostname": "mail.test"}
    if auth:
        options |= {"authenticator": receiver.authenticate, "auth_require_tls": False, "auth_required": True}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: SMTP(receiver, loop=loop, **options), "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()


def transport_to(receiver: MailReceiver, *, seconds: float = 5, **server: Any) -> SmtpTransport:
    return SmtpTransport(receiver.url(**server), Tls.OFFERED, seconds=seconds)


def dispatcher_of(
    *worlds: "World", transport: Transport, seconds: float = 5, places: int = 8, sender: str = SENDER
) -> Dispatcher:
    """Returns a dispatcher that sends only these tenants' mail, because tests share the database server."""
    ids = {world.tenant.id for world in worlds}

    async def find_due() -> list[DueTenant]:
        # Starts at each tenant in turn, because more tenants may have mail due than one query returns.
        found = [await queries.find_due(worlds[0].database, each) for each in ids]
        return list({due.tenant_id: due for each in found for due in each if due.tenant_id in ids}.values())

    return Dispatcher(
        worlds[0].database, transport, sender=sender, seconds=seconds, places=places, find_due=find_due
    )
