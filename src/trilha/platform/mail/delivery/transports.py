"""Chooses the transport from the settings."""

from trilha.core.secrets import Keyring
from trilha.platform.mail.delivery.folder import FolderTransport
from trilha.platform.mail.delivery.smtp import SmtpTransport, Transport
from trilha.platform.mail.delivery.store import StoreTransport
from trilha.settings import Settings


def transport_of(settings: Settings, keyring: Keyring) -> Transport:
    server = settings.smtp_url
    if server is None:
        return unsent_mail_of(settings, keyring)
    tls = server.tls(production=settings.env == "production")
    return SmtpTransport(server, tls, seconds=settings.smtp_timeout)


def unsent_mail_of(settings: Settings, keyring: Keyring) -> FolderTransport | StoreTransport:
    """Returns where messages are without a mail server: with a shared file store there, else in the data
    folder, where any mail program can open them.
    """
    if settings.files_url:
        return StoreTransport(settings.open_files(), keyring)
    return FolderTransport(settings.data_dir)
