"""The hosts of the content origin: one for each package of a tenant, so that none reads another's storage."""

import hmac
from urllib.parse import urlsplit
from uuid import UUID

from trilha.core.secrets import Keyring

_LABEL_LENGTH = 20
# All media of a tenant share a host: the only scripts there are ours.
_MEDIA = b"media"


class ContentOrigin:
    """`url` is `scheme://*.host`, with or without a port; `application` are the origins that may frame it.

    With `follows_port` the content has the port of the request: on a developer's machine a server may be
    reached at several.
    """

    def __init__(self, url: str, application: str, keyring: Keyring, *, follows_port: bool = False) -> None:
        parts = urlsplit(url.replace("*", "any"))
        self._scheme = parts.scheme
        self._port = parts.port
        self._suffix = (parts.hostname or "").removeprefix("any")
        self._keyring = keyring
        self._follows_port = follows_port
        self.application = application

    @property
    def pattern(self) -> str:
        """All hosts of content, as a source of a content policy."""
        port = ":*" if self._follows_port else f":{self._port}" if self._port else ""
        return f"{self._scheme}://*{self._suffix}{port}"

    def accepts(self, host: str) -> bool:
        """Whether a request with this Host header is for content."""
        return _hostname(host).endswith(self._suffix)

    def label_of(self, host: str) -> str:
        return _hostname(host).removesuffix(self._suffix)

    def label(self, tenant_id: UUID, sha256: str | None) -> str:
        """Returns the host label of a package of this tenant, or of its media if there is no package."""
        what = sha256.encode() if sha256 else _MEDIA
        return self._keyring.mac(b"content", tenant_id.bytes, what).hex()[:_LABEL_LENGTH]

    def worker_path(self, host: str) -> str:
        """Returns the path of the service worker of this host."""
        mac = self._keyring.mac(b"offline worker", self.label_of(host).encode())
        return f"/offline-worker/{mac.hex()[:_LABEL_LENGTH]}.js"

    def is_own_worker(self, host: str, name: str) -> bool:
        """Whether this is the name of the host's worker. Only pages of media learn it, never packages."""
        return hmac.compare_digest(self.worker_path(host).encode(), f"/offline-worker/{name}".encode())

    def address(self, label: str, host: str) -> str:
        """Returns the origin, without a trailing slash, for a request with this Host header."""
        port = (_port_of(host) or self._port) if self._follows_port else self._port
        return f"{self._scheme}://{label}{self._suffix}" + (f":{port}" if port else "")


def _hostname(host: str) -> str:
    name = host.rpartition(":")[0] if ":" in host else host
    return name.lower().rstrip(".")


def _port_of(host: str) -> int | None:
    port = host.rpartition(":")[2]
    return int(port) if port.isascii() and port.isdecimal() else None
