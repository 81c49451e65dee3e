"""Checks of what people's browsers meet: certificates, the proxy, and the origins of content."""

import asyncio
import http.client
import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit
from uuid import uuid4

from cryptography import x509
from msgspec import Struct

from trilha.cli.doctor.findings import Finding, fail, ok, skip, warn
from trilha.cli.output import CommandError
from trilha.cli.server import check_certificate as check_certificate_files
from trilha.settings import Settings

_SECONDS = 10
_SOON = timedelta(days=14)
# Every response of Trilha has this header, also through a proxy.
_OWN_HEADER = "x-request-id"


class _Answer(Struct, frozen=True):
    """The answer to one request. `error` says why there is none."""

    status: int = 0
    body: bytes = b""
    is_ours: bool = False
    error: str = ""
    refused_certificate: bool = False


async def check_certificate(current: Settings) -> AsyncIterator[Finding]:
    """Checks the certificate of TRILHA_TLS_CERT: it can be read, fits its key, and names both hosts."""
    name = "certificate"
    if current.tls_cert is None:
        yield skip(name, "TRILHA_TLS_CERT is not set; a proxy serves HTTPS, or this is a development server.")
        return
    try:
        check_certificate_files(current)
    except CommandError as error:
        yield fail(name, error.message, "Set both variables to the files of one certificate.")
        return
    certificate = x509.load_pem_x509_certificates(current.tls_cert.read_bytes())[0]
    days = (certificate.not_valid_after_utc - datetime.now(UTC)).days
    cure = "Renew it, and restart `trilha serve`."
    if days < 0:
        yield fail(name, f"It expired {-days} days ago.", cure)
    elif days < _SOON.days:
        yield warn(name, f"It expires in {days} days.", cure)
    missing = [
        host for host in (_host(current.address), _host(current.content)) if not _covers(certificate, host)
    ]
    for host in missing:
        yield fail(name, f"It is not valid for {host}.", f"Order a certificate that also names {host}.")
    if days >= _SOON.days and not missing:
        yield ok(name, f"It is valid for {days} more days.")


async def check_proxy(current: Settings) -> AsyncIterator[Finding]:
    """Asks for a page at the public address, the way that a browser does."""
    name = "public address"
    answer = await asyncio.to_thread(_get, current.address, "/v1/courses")
    if answer.error and current.env == "development":
        yield skip(name, f"{current.address} does not answer: {answer.error}.")
    elif answer.error:
        yield _explain_failure(name, current.address, answer)
    elif not answer.is_ours:
        yield fail(
            name,
            f"{current.address} answers, but it is not Trilha.",
            "Point the proxy to Trilha's host and port, or correct TRILHA_BASE_URL.",
        )
    elif answer.status == http.HTTPStatus.FORBIDDEN and b"https_required" in answer.body:
        yield fail(
            name,
            "Trilha takes requests through the proxy for unencrypted ones.",
            "Let the proxy send X-Forwarded-Proto and X-Forwarded-For, and list its address in "
            "TRILHA_TRUSTED_PROXIES.",
        )
    elif answer.status >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
        yield fail(
            name, f"{current.address} answers with {answer.status}.", "`trilha status` lists recent errors."
        )
    else:
        yield ok(name, f"{current.address} answers.")


async def check_content_origin(current: Settings) -> AsyncIterator[Finding]:
    """Asks for a file that does not exist on a random host of the content domain."""
    name = "content origin"
    if current.env == "development" and not current.content_url:
        yield skip(name, "Browsers resolve *.localhost by themselves.")
        return
    origin = current.content.replace("*", uuid4().hex)
    answer = await asyncio.to_thread(_get, origin, "/")
    if answer.error:
        yield _explain_failure(name, origin, answer)
    elif not answer.is_ours:
        yield fail(
            name,
            f"{current.content} is answered by another server.",
            "Let the proxy pass every host of the content domain to Trilha, with its Host header.",
        )
    else:
        yield ok(name, f"{current.content} answers.")


def _explain_failure(name: str, origin: str, answer: _Answer) -> Finding:
    if answer.refused_certificate:
        return fail(
            name,
            f"The certificate of {origin} is refused: {answer.error}.",
            "Install a certificate that browsers trust, with its whole chain, for this host.",
        )
    return fail(
        name,
        f"{origin} does not answer ({answer.error}).",
        "Start Trilha and the proxy, and check DNS and firewall for this address.",
    )


def _get(origin: str, path: str) -> _Answer:
    parts = urlsplit(origin)
    host = parts.hostname or ""
    if parts.scheme == "https":
        context = ssl.create_default_context()
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            host, parts.port or 443, timeout=_SECONDS, context=context
        )
    else:
        connection = http.client.HTTPConnection(host, parts.port or 80, timeout=_SECONDS)
    try:
        connection.request("GET", path, headers={"User-Agent": "trilha-doctor"})
        response = connection.getresponse()
        return _Answer(response.status, response.read(4096), response.headers.get(_OWN_HEADER) is not None)
    except ssl.SSLCertVerificationError as error:
        return _Answer(error=error.verify_message, refused_certificate=True)
    except (OSError, http.client.HTTPException) as error:
        return _Answer(error=str(error) or type(error).__name__)
    finally:
        connection.close()


def _host(origin: str) -> str:
    return (urlsplit(origin).hostname or "").lower()


def _covers(certificate: x509.Certificate, host: str) -> bool:
    """Returns whether the certificate names the host, which may be a wildcard itself."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return False
    dns_names = {each.lower() for each in names.get_values_for_type(x509.DNSName)}
    addresses = {str(each) for each in names.get_values_for_type(x509.IPAddress)}
    return host in dns_names | addresses or f"*.{host.partition('.')[2]}" in dns_names
