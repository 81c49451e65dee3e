"""Every environment variable, typed, in one place. `trilha settings` prints this list."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from trilha.core.file_store import files_url
from trilha.core.net import Network, parse_networks
from trilha.core.outbound.dns import NameServer, parse_name_servers
from trilha.core.outbound.guard import Guard
from trilha.core.outbound.mail_server import MailServer, parse_mail_server, parse_sender
from trilha.core.variables import (
    LIMIT_FORM,
    SettingDescription,
    SettingError,
    choice,
    content_url,
    describe_all,
    ip,
    limit,
    master_key,
    matching,
    number,
    origin,
    postgresql_url,
    read_all,
    setting,
)
from trilha.core.web.rate_limits import Limit

# The sender of messages that only go to a folder (RFC 2606).
_UNSENT = "trilha@trilha.invalid"
# Read by clients of the API, which may share the server's environment.
_CLIENT_VARIABLES = ("TRILHA_URL", "TRILHA_API_KEY", "TRILHA_WEBHOOK_SECRET")
_SECRET = ("master_key", "database_url", "database_app_url", "database_unscoped_url", "smtp_url")
_TOGETHER = (("tls_cert", "tls_key"), ("database_app_url", "database_unscoped_url"))


@dataclass(frozen=True, kw_only=True)
class Settings:
    env: Literal["development", "production"] = setting(
        "development",
        choice("development", "production"),
        "development or production",
        "In production, what does not come by HTTPS is refused, and nothing is called without it.",
    )
    data_dir: Path = setting(
        Path(".trilha"),
        Path,
        "a folder",
        "Where the embedded database, the master key and files live; unset, `.trilha` in the folder that a "
        "command is run in.",
    )
    files_url: str | None = setting(
        None,
        files_url,
        "s3://bucket/path, gs://, az:// or file:///folder",
        "Where packages and media are kept; unset, in `files` in the data folder. A bucket's credentials are "
        "read from its provider's own variables.",
    )
    database_url: str | None = setting(
        None,
        postgresql_url,
        "postgresql://user:password@host:5432/name",
        "A PostgreSQL 16 or newer to use instead of the embedded one; the user owns the database.",
    )
    database_app_url: str | None = setting(
        None,
        postgresql_url,
        "postgresql://user:password@host:5432/name",
        "The database as a user with trilha_app's rights; unset, `trilha migrate` makes that user.",
    )
    database_unscoped_url: str | None = setting(
        None,
        postgresql_url,
        "postgresql://user:password@host:5432/name",
        "The database as a user with trilha_unscoped's rights; unset, `trilha migrate` makes that user.",
    )
    master_key: str | None = setting(
        None,
        master_key,
        "64 hexadecimal digits, one key a line, the newest first",
        "Encrypts personal documents; unset, it is made once in the data folder.",
    )
    host: str = setting(
        "127.0.0.1", ip, "an IP address, such as 127.0.0.1, 0.0.0.0 or ::1", "The address to listen on."
    )
    port: int = setting(8000, number(1, 65_535), "1 to 65535", "The port to listen on.")
    workers: int = setting(1, number(1, 64), "1 to 64", "How many processes serve requests.")
    pool_size: int = setting(10, number(1, 200), "1 to 200", "Database connections of each serving process.")
    connections: int = setting(
        16_384,
        number(256, 1_000_000),
        "256 to 1000000",
        "Connections that a serving process holds at a time, fewer where it may not open as many files; "
        "requests on one more are answered 503.",
    )
    requests: int = setting(
        4096,
        number(128, 1_000_000),
        "128 to 1000000",
        "Requests that a serving process has in flight at a time; one more is answered 503.",
    )
    requests_per_address: int = setting(
        512,
        number(4, 1_000_000),
        "4 to 1000000",
        "Requests in flight of one address, and fewer when the process is nearly full; one more is "
        "answered 503.",
    )
    keep_alive: int = setting(
        10, number(1, 600), "1 to 600 seconds", "How long a connection is kept open between two requests."
    )
    body_timeout: int = setting(20, number(1, 600), "1 to 600 seconds", "How long a request's body may take.")
    body_rate: int = setting(
        1024,
        number(1, 1_000_000),
        "bytes a second",
        "How fast a body must come at least, counted from its sixth second.",
    )
    answer_timeout: int = setting(
        60, number(1, 600), "1 to 600 seconds", "How long a client may leave an answer unread."
    )
    tls_cert: Path | None = setting(
        None,
        Path,
        "a PEM file",
        "The certificate to serve HTTPS with, and its chain; needs TRILHA_TLS_KEY.",
    )
    tls_key: Path | None = setting(None, Path, "a PEM file", "The certificate's private key, unencrypted.")
    base_url: str | None = setting(
        None,
        origin,
        "https://learn.example.com",
        "The public address of the server; unset, made of host and port.",
    )
    content_url: str | None = setting(
        None,
        content_url,
        "https://*.content.example",
        "Where what is taught is served from, a host for each package: a name of its own, with a wildcard in "
        "DNS and certificate. Unset, `*.content.localhost` at this port; production needs it.",
    )
    trusted_proxies: tuple[Network, ...] = setting(
        (),
        parse_networks,
        "addresses or CIDRs, separated by commas",
        "Proxies whose X-Forwarded-For is trusted.",
    )
    net_allow: tuple[Network, ...] = setting(
        (),
        parse_networks,
        "addresses or CIDRs, separated by commas",
        "Private networks that outgoing requests may reach, on any port; in development also without HTTPS.",
    )
    dns_servers: tuple[NameServer, ...] = setting(
        (),
        parse_name_servers,
        "addresses with or without a port, separated by commas",
        "Name servers that are asked for the records of companies' domains; unset, those of the machine.",
    )
    log_format: Literal["auto", "json", "text"] = setting(
        "auto",
        choice("auto", "json", "text"),
        "auto, json or text",
        "How log lines look; auto is text in a terminal and JSON elsewhere.",
    )
    api_key_prefix: str = setting(
        "trl_live_",
        matching("[A-Za-z0-9_]{1,20}"),
        "up to 20 letters, digits and _",
        "What every API key begins with.",
    )
    limit_key: Literal["ip", "credential", "both"] = setting(
        "ip",
        choice("ip", "credential", "both"),
        "ip, credential or both",
        "What requests to /v1 are counted by.",
    )
    limit_v1: Limit = setting(Limit(1500, 900), limit, LIMIT_FORM, "Requests to /v1.")
    limit_verify: Limit = setting(
        Limit(60, 60), limit, LIMIT_FORM, "Requests to /v1/certificates/verify, by address."
    )
    limit_scim: Limit = setting(
        Limit(1000, 900), limit, LIMIT_FORM, "Requests to /scim/v2, by address; a tenant's may be raised."
    )
    limit_token: Limit = setting(
        Limit(10, 60), limit, LIMIT_FORM, "Requests to /oauth/token, by address and by client."
    )
    limit_discover_ip: Limit = setting(
        Limit(600, 60), limit, LIMIT_FORM, "Requests to /api/sso/discover, by address."
    )
    limit_discover_domain: Limit = setting(
        Limit(120, 60),
        limit,
        LIMIT_FORM,
        "Requests to /api/sso/discover, by address and domain.",
    )
    limit_login: Limit = setting(
        Limit(5, 60),
        limit,
        LIMIT_FORM,
        "Tries of a password, a code or a reset link, by address and by e-mail.",
    )

    header_prefix: str = setting(
        "X-Service-",
        matching("[A-Za-z][A-Za-z0-9-]{0,40}"),
        "the beginning of a header's name",
        "The beginning of the names of webhook headers.",
    )
    webhook_agent: str = setting(
        "Trilha-Webhooks/1",
        matching("[!-~]([ -~]{0,200}[!-~])?"),
        "a header value",
        "The User-Agent of webhook requests.",
    )
    webhook_slots: int = setting(500, number(1, 2_000), "1 to 2000", "Webhooks a worker sends at a time.")
    webhook_per_endpoint: int = setting(
        10, number(1, 200), "1 to 200", "Webhooks in flight to one endpoint at a time."
    )
    webhook_endpoints: int = setting(
        100, number(1, 10_000), "1 to 10000", "Webhook endpoints a tenant may have."
    )
    webhook_timeout: int = setting(
        10, number(1, 20), "1 to 20 seconds", "How long to wait for the answer to a webhook."
    )
    signing_key_days: int = setting(
        90, number(1, 3650), "1 to 3650 days", "How long access tokens are signed with one key."
    )
    webhook_retention_days: int = setting(
        30, number(1, 3_650), "1 to 3650 days", "How long finished webhook deliveries are kept."
    )
    event_retention_days: int = setting(30, number(1, 3_650), "1 to 3650 days", "How long events are kept.")

    smtp_url: MailServer | None = setting(
        None,
        parse_mail_server,
        "smtp://user:password@host:587?from=learn@example.com, or smtps://",
        "The server that takes e-mail; unset, messages are written to `mail` in the data folder.",
    )
    mail_from: str | None = setting(
        None,
        parse_sender,
        "an e-mail address, or Name <address>",
        "Whom e-mail is from; without a name, it bears the tenant's. Goes before the `from` of the URL.",
    )
    smtp_timeout: int = setting(
        30, number(1, 300), "1 to 300 seconds", "How long giving one message to the mail server may take."
    )
    mail_retention_days: int = setting(
        30, number(1, 3_650), "1 to 3650 days", "How long it is kept which e-mail was sent to whom."
    )
    invitations_per_day: int = setting(
        500,
        number(1, 1_000_000),
        "1 to 1000000",
        "Invitations that a tenant's integrations may have sent in a day; a tenant's may be raised.",
    )

    @property
    def address(self) -> str:
        """The public address of the server, with no slash at its end."""
        scheme = "https" if self.tls_cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.base_url.rstrip("/") if self.base_url else f"{scheme}://{host}:{self.port}"

    @property
    def content(self) -> str:
        """The origins of content, with a `*` for the label."""
        if self.content_url:
            return self.content_url.rstrip("/")
        return f"{'https' if self.tls_cert else 'http'}://*.content.localhost:{self.port}"

    @property
    def framing(self) -> str:
        """The origins whose pages may frame content."""
        if self.env == "production":
            return self.address
        # On one's own machine a server has several names.
        return f"{self.address} http://localhost:* http://127.0.0.1:*"

    @property
    def sender(self) -> str:
        """Whom e-mail is from."""
        return self.mail_from or (self.smtp_url and self.smtp_url.sender) or _UNSENT

    @property
    def guard(self) -> Guard:
        return Guard(allow=self.net_allow, plain_http=self.env == "development")


def check_content(settings: Settings) -> None:
    """What is taught may not be served where people sign in. Raises SettingError."""
    if settings.env != "production":
        return
    name = "TRILHA_CONTENT_URL"
    if not settings.content_url:
        raise SettingError(f"{name} is needed in production: https://*.content.example, a host of its own.")
    suffix = (urlsplit(settings.content_url.replace("*.", "")).hostname or "").lower()
    host = (urlsplit(settings.address).hostname or "").lower()
    if host == suffix or host.endswith(f".{suffix}"):
        raise SettingError(f"{name} shares its host with the application ({host}); it takes another one.")
    if not settings.content_url.startswith("https://"):
        raise SettingError(f"{name} begins with https:// in production.")


def load(environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this environment. Raises SettingError."""
    values = read_all(Settings, environ, others=_CLIENT_VARIABLES, secret=_SECRET, together=_TOGETHER)
    if values.get("smtp_url") and not values["smtp_url"].sender and "mail_from" not in values:
        raise SettingError("TRILHA_SMTP_URL needs a sender: end it in ?from=, or set TRILHA_MAIL_FROM.")
    return Settings(**values)


def describe(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[SettingDescription]:
    return describe_all(settings, environ, secret=_SECRET)
