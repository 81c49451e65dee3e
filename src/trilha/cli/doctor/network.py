"""Checks of mail, name servers and host names."""

import asyncio
import socket
from collections.abc import AsyncIterator
from urllib.parse import urlsplit
from uuid import uuid4

from trilha.cli.doctor.findings import Finding, fail, ok, skip
from trilha.core.outbound.dns import TxtRecords
from trilha.core.web.limit_counters import LimitCounters
from trilha.platform.mail.delivery.smtp import SmtpTransport
from trilha.settings import Settings

_CHECK_ADDRESS = "Check host and port in TRILHA_SMTP_URL, and that a firewall lets this machine connect."
_MAIL_CURES = {
    "sign_in_refused": "Check the user and password in TRILHA_SMTP_URL.",
    "tls_not_offered": "Use a port with TLS, or smtps://: production never sends mail unencrypted.",
    "tls_failed": "Use the host name of the server's certificate, and install the authority that signed it.",
    "timeout": _CHECK_ADDRESS,
    "connection_failed": _CHECK_ADDRESS,
}


async def check_mail(current: Settings) -> AsyncIterator[Finding]:
    """Connects to the mail server and signs in. No message is sent."""
    name = "mail"
    if current.smtp_url is None:
        place = "the file store" if current.files_url else str(current.data_dir / "mail")
        yield skip(name, f"Messages are written to {place}.")
        return
    transport = SmtpTransport(
        current.smtp_url,
        current.smtp_url.tls(production=current.env == "production"),
        seconds=current.smtp_timeout,
    )
    result = await transport.check()
    if result.error:
        reply = f" ({result.reply})" if result.reply else ""
        yield fail(
            name,
            f"{transport.place} does not take messages: {result.error}{reply}.",
            _MAIL_CURES.get(result.error, "The server's reply says why it refuses."),
        )
        return
    yield ok(name, f"{transport.place} accepts connections{' and the login' if _has_login(current) else ''}.")


def _has_login(current: Settings) -> bool:
    return current.smtp_url is not None and current.smtp_url.user is not None


async def check_limits_server(current: Settings) -> AsyncIterator[Finding]:
    name = "limits"
    if current.limits_url is None:
        yield skip(name, "They are counted in the database.")
        return
    counters = LimitCounters(current.limits_url, current.limits_failure)
    try:
        await counters.ping()
    # A client error of the driver, or one of the connection.
    except Exception as error:
        yield fail(
            name,
            f"The server of TRILHA_LIMITS_URL does not answer ({type(error).__name__}).",
            "Start Valkey or Redis, and check the address, the password and TLS in TRILHA_LIMITS_URL.",
        )
    else:
        yield ok(name, "The server of TRILHA_LIMITS_URL answers.")
    finally:
        await counters.close()


async def check_name_servers(current: Settings) -> AsyncIterator[Finding]:
    """Asks for the TXT records of the public host, as the verification of a company's domain does."""
    name = "name servers"
    if current.env == "development" and not current.dns_servers:
        yield skip(name, "Not asked in development.")
        return
    host = urlsplit(current.address).hostname or ""
    if await TxtRecords(current.dns_servers).find(host) is None:
        servers = ", ".join(map(str, current.dns_servers)) or "The name servers of this machine"
        yield fail(
            name,
            f"{servers} do not answer, so companies cannot verify their domains.",
            "Set TRILHA_DNS_SERVERS to name servers that this machine can reach.",
        )
        return
    yield ok(name, "They answer queries for TXT records.")


async def check_host_names(current: Settings) -> AsyncIterator[Finding]:
    """Resolves the public host, and a random host below the content domain."""
    name = "host names"
    if current.env == "development":
        yield skip(name, "Not resolved in development.")
        return
    host = urlsplit(current.address).hostname or ""
    suffix = (urlsplit(current.content).hostname or "").removeprefix("*.")
    has_host, has_content = await _resolves(host), await _resolves(f"{uuid4().hex}.{suffix}")
    if not has_host:
        yield fail(
            name, f"{host} does not resolve.", "Create its A or AAAA record, or correct TRILHA_BASE_URL."
        )
    if not has_content:
        yield fail(
            name,
            f"*.{suffix} does not resolve, so courses do not open.",
            f"Create a wildcard A or AAAA record for *.{suffix}.",
        )
    if has_host and has_content:
        yield ok(name, f"{host} and *.{suffix} resolve.")


async def _resolves(host: str) -> bool:
    try:
        async with asyncio.timeout(5):
            return bool(await asyncio.get_running_loop().getaddrinfo(host, 443, type=socket.SOCK_STREAM))
    except (OSError, TimeoutError, UnicodeError):
        return False
