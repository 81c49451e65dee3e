"""Chooses the transport from the settings."""

from trilha.platform.mail.delivery.folder import FolderTransport
from trilha.platform.mail.delivery.smtp import SmtpTransport, Transport
from trilha.settings import Settings


def transport_of(settings: Settings) -> Transport:
    server = settings.smtp_url
    if server is None:
        return FolderTransport(settings.data_dir)
    tls = server.tls(production=settings.env == "production")
    return SmtpTransport(server, tls, seconds=settings.smtp_timeout)
