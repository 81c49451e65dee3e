"""Every environment variable, typed, in one place. `trilha settings` prints this list."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from trilha.core import clock, file_store, variables
from trilha.core.file_store import FileStore, files_url, open_file_store
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
    duration,
    ip,
    limit,
    limits_url,
    master_key,
    matching,
    number,
    origin,
    postgresql_url,
    read_all,
    setting,
)
from trilha.core.web.rate_limits import Limit, LimitsFailure

# the sender of messages that only go to a folder (RFC 2606)
_UNSENT = "trilha@trilha.invalid"
# Variables of API clients, which may share the server's environment.
_CLIENT_VARIABLES = ("TRILHA_URL", "TRILHA_API_KEY", "TRILHA_WEBHOOK_SECRET")
_SECRET = (
    "master_key",
    "backup_key",
    "transfer_key",
    "database_url",
    "database_app_url",
    "database_unscoped_url",
    "smtp_url",
    "limits_url",
    "metrics_token",
    "operator_token",
    "whatsapp_token",
)
_TOGETHER = (
    ("tls_cert", "tls_key"),
    ("database_app_url", "database_unscoped_url"),
    ("whatsapp_url", "whatsapp_token"),
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    env: Literal["development", "production"] = setting(
        "development",
        choice("development", "production"),
        "development or production",
        "In production, requests without HTTPS are refused, and outgoing requests require it.",
    )
    clock_offset: timedelta = setting(
        timedelta(),
        duration,
        "a whole number with s, m, h or d, such as 400d",
        "How far the clock of every process is ahead, to test due dates and expirations. Development only.",
    )
    data_dir: Path = setting(
        Path(".trilha"),
        Path,
        "a folder",
        "The folder of the embedded database, the master key and files. The default is `.trilha` in the "
        "current directory.",
    )
    files_url: str | None = setting(
        None,
        files_url,
        "s3://bucket/path, gs://, az:// or file:///folder",
        "Where packages, media and other files are stored. Several nodes need the same one. The default is "
        "`files` in the data folder. A bucket's credentials are read from its provider's own variables.",
    )
    database_url: str | None = setting(
        None,
        postgresql_url,
        "postgresql://user:password@host:5432/name",
        "PostgreSQL 16 or newer, instead of the embedded server. The user must own the database.",
    )
    database_app_url: str | None = setting(
        None,
        postgresql_url,
        "postgresql://user:password@host:5432/name",
        "The database as a user with the rights of trilha_app. By default `trilha migrate` creates the user.",
    )
    database_unscoped_url: str | None = setting(
        None,
        postgresql_url,
        "postgresql://user:password@host:5432/name",
        "The database as a user with the rights of trilha_unscoped. By default `trilha migrate` creates it.",
    )
    master_key: str | None = setting(
        None,
        master_key,
        "64 hexadecimal digits, one key per line, newest first",
        "Encrypts personal documents. By default a key is created once in the data folder.",
    )
    backup_url: str | None = setting(
        None,
        file_store.files_url,
        "s3://bucket/path, gs://, az:// or file:///folder",
        "Where `trilha backup` stores backups. A bucket's credentials are read as for TRILHA_FILES_URL.",
    )
    backup_key: str | None = setting(
        None,
        variables.master_key,
        "64 hexadecimal digits, one key per line, newest first",
        "Encrypts backups. Keep it where you can find it without this installation.",
    )
    transfer_key: str | None = setting(
        None,
        variables.master_key,
        "64 hexadecimal digits, one key per line, newest first",
        "Encrypts what `trilha tenant export` writes. `trilha tenant import` needs the same key.",
    )
    host: str = setting(
        "127.0.0.1", ip, "an IP address, such as 127.0.0.1, 0.0.0.0 or ::1", "The address to listen on."
    )
    port: int = setting(8000, number(1, 65_535), "1 to 65535", "The port to listen on.")
    workers: int = setting(
        0,
        number(0, 64),
        "0 to 64",
        "The number of serving processes. 0 starts one for each processor core, at most 4.",
    )
    pool_size: int = setting(
        8,
        number(5, 200),
        "5 to 200",
        "Database connections of each serving process and each worker. Four of them are reserved: two for "
        "credentials and limits, one for exports, and one for readiness.",
    )
    migration_lock_timeout: int = setting(
        5,
        number(1, 600),
        "1 to 600 seconds",
        "How long a migration waits for a lock, while requests wait behind it. It tries 12 times.",
    )
    migration_statement_timeout: int = setting(
        900,
        number(0, 86_400),
        "0 to 86400 seconds",
        "The time limit for one statement of a migration. 0 is no limit.",
    )
    connections: int = setting(
        16_384,
        number(256, 1_000_000),
        "256 to 1000000",
        "Maximum open connections of each serving process, or fewer if it may not open as many files. "
        "Requests on further connections get a 503.",
    )
    requests: int = setting(
        4096,
        number(128, 1_000_000),
        "128 to 1000000",
        "Maximum concurrent requests of each serving process. Further requests get a 503.",
    )
    requests_per_address: int = setting(
        512,
        number(4, 1_000_000),
        "4 to 1000000",
        "Maximum concurrent requests from one address, and fewer when the process is nearly full. Further "
        "requests get a 503.",
    )
    keep_alive: int = setting(
        10, number(1, 600), "1 to 600 seconds", "How long an idle connection is kept open."
    )
    body_timeout: int = setting(20, number(1, 600), "1 to 600 seconds", "How long a request body may take.")
    body_rate: int = setting(
        1024,
        number(1, 1_000_000),
        "bytes per second",
        "The minimum rate of a request body, from its sixth second on.",
    )
    answer_timeout: int = setting(
        60, number(1, 600), "1 to 600 seconds", "How long a client may take to read a response."
    )
    shutdown_delay: int = setting(
        5,
        number(0, 600),
        "0 to 600 seconds",
        "How long `trilha serve` still accepts requests after SIGTERM, while `/readyz` answers 503.",
    )
    tls_cert: Path | None = setting(
        None,
        Path,
        "a PEM file",
        "The certificate for HTTPS, with its chain. Requires TRILHA_TLS_KEY.",
    )
    tls_key: Path | None = setting(None, Path, "a PEM file", "The certificate's private key, unencrypted.")
    base_url: str | None = setting(
        None,
        origin,
        "https://learn.example.com",
        "The public URL of the server. The default is built from host and port.",
    )
    content_url: str | None = setting(
        None,
        content_url,
        "https://*.content.example",
        "The domain that serves course content, with a host for each package. It requires a wildcard in DNS "
        "and in the certificate, and is required in production. The default is `*.content.localhost`.",
    )
    offline: Literal["on", "off"] = setting(
        "on",
        choice("on", "off"),
        "on or off",
        "Whether learners can save modules on their devices and use them offline. off also removes what "
        "browsers have saved.",
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
        "Private networks that outgoing requests may reach, on any port. In development HTTPS is optional.",
    )
    dns_servers: tuple[NameServer, ...] = setting(
        (),
        parse_name_servers,
        "addresses with or without a port, separated by commas",
        "Name servers for verifying companies' domains. The default are those of the machine.",
    )
    log_format: Literal["auto", "json", "text"] = setting(
        "auto",
        choice("auto", "json", "text"),
        "auto, json or text",
        "The format of log lines. auto is text in a terminal and JSON elsewhere.",
    )
    api_key_prefix: str = setting(
        "trl_live_",
        matching("[A-Za-z0-9_]{1,20}"),
        "up to 20 letters, digits and _",
        "The prefix of every API key.",
    )
    limit_key: Literal["ip", "credential", "both"] = setting(
        "ip",
        choice("ip", "credential", "both"),
        "ip, credential or both",
        "Whether requests to /v1 are limited by address, by credential, or by both.",
    )
    metrics_token: str | None = setting(
        None,
        matching(r"[!-~]{20,200}"),
        "20 to 200 printable characters without blanks",
        "A bearer token for `/metrics`. Without it, nothing is counted, and `/metrics` answers 404.",
    )
    metrics_port: int | None = setting(
        None,
        number(1, 65_535),
        "1 to 65535",
        "A port on which `trilha work` answers `/metrics`, at TRILHA_HOST. It requires TRILHA_METRICS_TOKEN.",
    )
    operator_token: str | None = setting(
        None,
        matching(r"[!-~]{20,200}"),
        "20 to 200 printable characters without blanks",
        "A bearer token for `/operator/v1`. Without it, the operator API answers 404.",
    )
    whatsapp_url: str | None = setting(
        None,
        matching(r"https?://[!-~]{1,500}"),
        "an address",
        "The messages endpoint of a provider that speaks the WhatsApp Cloud API. Then people can be reminded "
        "by WhatsApp.",
    )
    whatsapp_token: str | None = setting(
        None,
        matching(r"[!-~]{1,1000}"),
        "printable characters without blanks",
        "The bearer token for TRILHA_WHATSAPP_URL.",
    )
    timestamp_url: str | None = setting(
        None,
        matching(r"https?://[!-~]{1,2000}"),
        "an address",
        "A timestamp server (RFC 3161) for the signatures of certificates, unless a company has chosen its "
        "own.",
    )
    limits_url: str | None = setting(
        None,
        limits_url,
        "redis://user:password@host:6379/0, or rediss:// for TLS",
        "A Valkey or Redis server that counts requests for rate limits, instead of the database.",
    )
    limits_failure: LimitsFailure = setting(
        "closed",
        choice("open", "closed"),
        "open or closed",
        "What happens while the server of TRILHA_LIMITS_URL does not answer: open admits requests without "
        "counting them, closed answers 503.",
    )
    limit_v1: Limit = setting(Limit(1500, 900), limit, LIMIT_FORM, "Rate limit of /v1.")
    limit_verify: Limit = setting(
        Limit(60, 60), limit, LIMIT_FORM, "Rate limit of /v1/certificates/verify, by address."
    )
    limit_calendar: Limit = setting(
        Limit(600, 900), limit, LIMIT_FORM, "Rate limit of /calendar, by address."
    )
    limit_scim: Limit = setting(
        Limit(1000, 900),
        limit,
        LIMIT_FORM,
        "Rate limit of /scim/v2, by address. It can be raised per tenant.",
    )
    limit_xapi: Limit = setting(
        Limit(60_000, 60), limit, LIMIT_FORM, "Rate limit of /xapi, by credential, otherwise by address."
    )
    limit_token: Limit = setting(
        Limit(10, 60), limit, LIMIT_FORM, "Rate limit of /oauth/token, by address and by client."
    )
    limit_discover_ip: Limit = setting(
        Limit(600, 60), limit, LIMIT_FORM, "Rate limit of /api/sso/discover, by address."
    )
    limit_discover_domain: Limit = setting(
        Limit(120, 60),
        limit,
        LIMIT_FORM,
        "Rate limit of /api/sso/discover, by address and domain.",
    )
    limit_login: Limit = setting(
        Limit(5, 60),
        limit,
        LIMIT_FORM,
        "Rate limit of passwords, codes and reset links, by address and by e-mail. For a signature on another"
        " person's device, by the two people.",
    )

    header_prefix: str = setting(
        "X-Service-",
        matching("[A-Za-z][A-Za-z0-9-]{0,40}"),
        "the beginning of a header's name",
        "The prefix of the names of webhook headers.",
    )
    webhook_agent: str = setting(
        "Trilha-Webhooks/1",
        matching("[!-~]([ -~]{0,200}[!-~])?"),
        "a header value",
        "The User-Agent of webhook requests.",
    )
    webhook_slots: int = setting(
        500, number(1, 2_000), "1 to 2000", "Maximum concurrent webhook requests of a worker."
    )
    webhook_per_endpoint: int = setting(
        10, number(1, 200), "1 to 200", "Maximum concurrent webhook requests to one endpoint."
    )
    webhook_endpoints: int = setting(
        100, number(1, 10_000), "1 to 10000", "Maximum webhook endpoints of a tenant."
    )
    webhook_timeout: int = setting(
        10, number(1, 20), "1 to 20 seconds", "The time limit of a webhook request."
    )
    signing_key_days: int = setting(
        90, number(1, 3650), "1 to 3650 days", "How long a key for signing access tokens is used."
    )
    webhook_retention_days: int = setting(
        30, number(1, 3_650), "1 to 3650 days", "How long finished webhook deliveries are kept."
    )
    event_retention_days: int = setting(30, number(1, 3_650), "1 to 3650 days", "How long events are kept.")

    archive: Literal["on", "off"] = setting(
        "on",
        choice("on", "off"),
        "on or off",
        "Whether entries of logs are archived in the file store before they are deleted.",
    )

    smtp_url: MailServer | None = setting(
        None,
        parse_mail_server,
        "smtp://user:password@host:587?from=learn@example.com, or smtps://",
        "The mail server. By default messages are written to `mail` in the data folder, or, with "
        "TRILHA_FILES_URL, encrypted to `mail` in the file store.",
    )
    mail_from: str | None = setting(
        None,
        parse_sender,
        "an e-mail address, or Name <address>",
        "The sender of e-mail. Without a name, the tenant's is used. It overrides the `from` of the URL.",
    )
    smtp_timeout: int = setting(
        30, number(1, 300), "1 to 300 seconds", "The time limit for sending one message."
    )
    mail_retention_days: int = setting(
        30, number(1, 3_650), "1 to 3650 days", "How long the outbox keeps sent messages."
    )
    invitations_per_day: int = setting(
        500,
        number(1, 1_000_000),
        "1 to 1000000",
        "Invitations that a tenant's integrations may send in a day. It can be raised per tenant.",
    )

    @property
    def address(self) -> str:
        """The public URL of the server, without a trailing slash."""
        scheme = "https" if self.tls_cert else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return self.base_url.rstrip("/") if self.base_url else f"{scheme}://{host}:{self.port}"

    @property
    def content(self) -> str:
        """The origins of content, with a `*` for the first label."""
        if self.content_url:
            return self.content_url.rstrip("/")
        return f"{'https' if self.tls_cert else 'http'}://*.content.localhost:{self.port}"

    @property
    def framing(self) -> str:
        """The origins whose pages may frame content."""
        if self.env == "production":
            return self.address
        # A server on one's own machine has several names.
        return f"{self.address} http://localhost:* http://127.0.0.1:*"

    @property
    def sender(self) -> str:
        """The sender of e-mail."""
        return self.mail_from or (self.smtp_url and self.smtp_url.sender) or _UNSENT

    @property
    def scratch(self) -> Path:
        """The folder for temporary files of this machine."""
        return self.data_dir / "scratch"

    def open_files(self) -> FileStore:
        """Opens the file store."""
        return open_file_store(self.files_url, self.data_dir / "files")

    @property
    def guard(self) -> Guard:
        return Guard(allow=self.net_allow, plain_http=self.env == "development")


def check_content(settings: Settings) -> None:
    """Checks that content is not served from the host where people sign in. Raises SettingError."""
    if settings.env != "production":
        return
    name = "TRILHA_CONTENT_URL"
    if not settings.content_url:
        raise SettingError(
            f"{name} is required in production. Set a separate domain: https://*.content.example"
        )
    suffix = (urlsplit(settings.content_url.replace("*.", "")).hostname or "").lower()
    host = (urlsplit(settings.address).hostname or "").lower()
    if host == suffix or host.endswith(f".{suffix}"):
        raise SettingError(f"{name} shares its host with the application ({host}). Use another domain.")
    if not settings.content_url.startswith("https://"):
        raise SettingError(f"{name} must begin with https:// in production.")


def load(environ: Mapping[str, str] = os.environ) -> Settings:
    """Loads the settings from the environment, and sets the clock of this process. Raises SettingError."""
    values = read_all(Settings, environ, others=_CLIENT_VARIABLES, secret=_SECRET, together=_TOGETHER)
    if values.get("smtp_url") and not values["smtp_url"].sender and "mail_from" not in values:
        raise SettingError("TRILHA_SMTP_URL requires a sender. Append ?from=, or set TRILHA_MAIL_FROM.")
    if "clock_offset" in values and values.get("env") == "production":
        raise SettingError("TRILHA_CLOCK_OFFSET works only in development. Remove it in production.")
    settings = Settings(**values)
    clock.shift(settings.clock_offset)
    return settings


def describe(settings: Settings, environ: Mapping[str, str] = os.environ) -> list[SettingDescription]:
    return describe_all(settings, environ, secret=_SECRET)
