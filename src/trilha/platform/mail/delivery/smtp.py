"""Sends messages over SMTP. Every response or failure of the server is a `SendResult`."""

import asyncio
import ssl
from typing import Protocol

import aiosmtplib
from aiosmtplib import SMTP

from trilha.core.outbound.mail_server import MailServer, Tls
from trilha.platform.mail.rules import printable
from trilha.platform.mail.schema import Mail, SendResult

# Maximum messages for each connection, and the seconds for which an idle one is kept. Servers limit both.
_MESSAGES, _KEEP = 50, 3.0


class Transport(Protocol):
    """A destination for messages."""

    @property
    def place(self) -> str:
        """Describes the destination for people."""
        ...

    async def send(self, mail: Mail, /) -> SendResult: ...

    async def close(self) -> None: ...


class SmtpTransport:
    """A pool of SMTP connections, one for each message in progress. Recently used connections are reused."""

    def __init__(
        self, server: MailServer, tls: Tls, *, seconds: float, context: ssl.SSLContext | None = None
    ) -> None:
        """`seconds` is the time limit for one message, including connecting and signing in."""
        self._server = server
        self._tls = tls
        self._seconds = seconds
        self._context = context or server.tls_context()
        self._idle: list[_Connection] = []

    @property
    def place(self) -> str:
        return self._server.place

    async def send(self, mail: Mail) -> SendResult:
        try:
            async with asyncio.timeout(self._seconds):
                return await self._send(mail)
        except Exception as error:
            return result_of(error)

    async def check(self) -> SendResult:
        """Connects and signs in, without sending a message."""
        try:
            async with asyncio.timeout(self._seconds):
                await (await self._connect()).end()
        except Exception as error:
            return result_of(error)
        return SendResult()

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        for each in idle:
            await each.end()

    async def _send(self, mail: Mail) -> SendResult:
        while connection := self._take():
            try:
                return await self._give(connection, mail)
            except (aiosmtplib.SMTPServerDisconnected, _ConnectionClosed):
                # The server closed the idle connection. Try again on a new one.
                continue
        return await self._give(await self._connect(), mail)

    async def _give(self, connection: "_Connection", mail: Mail) -> SendResult:
        try:
            await connection.send(mail)
        except BaseException:
            connection.close()
            raise
        if connection.messages < _MESSAGES:
            connection.idle_since = _now()
            self._idle.append(connection)
        else:
            await connection.end()
        return SendResult()

    def _take(self) -> "_Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if _now() - connection.idle_since < _KEEP:
                return connection
            connection.close()
        return None

    async def _connect(self) -> "_Connection":
        client = SMTP(
            hostname=self._server.host,
            port=self._server.port,
            timeout=self._seconds,
            use_tls=self._tls is Tls.AT_ONCE,
            start_tls=False,
            tls_context=self._context,
        )
        try:
            await client.connect()
            if self._tls is not Tls.AT_ONCE:
                await self._start_tls(client)
            if self._server.user is not None and self._server.password is not None:
                await client.login(self._server.user, self._server.password)
        except BaseException:
            client.close()
            raise
        return _Connection(client)

    async def _start_tls(self, client: SMTP) -> None:
        await client.ehlo()
        if client.supports_extension("starttls"):
            await client.starttls(tls_context=self._context)
        elif self._tls is Tls.REQUIRED:
            raise _NoTls


class _Connection:
    def __init__(self, client: SMTP) -> None:
        self._client = client
        self.messages = 0
        self.idle_since = 0.0

    async def send(self, mail: Mail) -> None:
        if not self._client.is_connected:
            raise _ConnectionClosed
        if mail.utf8 and not self._client.supports_extension("smtputf8"):
            raise _NoUtf8
        self.messages += 1
        options = ["SMTPUTF8"] if mail.utf8 else []
        await self._client.sendmail(mail.sender, [mail.to_email], mail.content, mail_options=options)

    async def end(self) -> None:
        try:
            async with asyncio.timeout(1):
                await self._client.quit()
        except (OSError, TimeoutError, aiosmtplib.SMTPException):
            pass
        finally:
            self.close()

    def close(self) -> None:
        self._client.close()


class _NoTls(Exception):
    """The server does not offer STARTTLS."""


class _NoUtf8(Exception):
    """The server does not accept addresses beyond ASCII."""


class _ConnectionClosed(Exception):
    """The connection was closed while it was idle."""


def result_of(error: Exception) -> SendResult:
    """Converts an error to a result.

    A result is final if the error concerns only this message, its recipient or its text. Errors of the
    server or of its settings are retried, because the operator can correct them.
    """
    if isinstance(error, aiosmtplib.SMTPRecipientsRefused):
        refused = error.recipients[0]
        return _build_refusal("recipient_refused", refused, final=refused.code >= 500)
    if isinstance(error, aiosmtplib.SMTPDataError):
        return _build_refusal("message_refused", error, final=error.code >= 500)
    if isinstance(error, aiosmtplib.SMTPSenderRefused):
        return _build_refusal("sender_refused", error)
    if isinstance(error, aiosmtplib.SMTPAuthenticationError):
        # Without the server's reply: some servers quote the credentials in it.
        return SendResult(error="sign_in_refused")
    if isinstance(error, aiosmtplib.SMTPResponseException):
        return _build_refusal("server_refused", error)
    return _unsaid(error)


def _unsaid(error: Exception) -> SendResult:
    """Returns a result for an error without a reply from the server."""
    if isinstance(error, _NoUtf8):
        return SendResult(error="utf8_not_supported", final=True)
    if isinstance(error, _NoTls):
        return SendResult(error="tls_not_offered")
    if isinstance(error, ssl.SSLError) or isinstance(error.__cause__, ssl.SSLError):
        return SendResult(error="tls_failed")
    if isinstance(error, TimeoutError):
        return SendResult(error="timeout")
    if isinstance(error, (OSError, aiosmtplib.SMTPException)):
        return SendResult(error="connection_failed")
    return SendResult(error="failed")


def _build_refusal(code: str, error: aiosmtplib.SMTPResponseException, *, final: bool = False) -> SendResult:
    return SendResult(error=code, reply=printable(f"{error.code} {error.message}"), final=final)


def _now() -> float:
    return asyncio.get_running_loop().time()
