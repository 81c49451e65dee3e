"""Checks of the settings and the master key."""

import stat
from collections.abc import AsyncIterator

from trilha.cli.doctor.findings import Finding, fail, ok, warn
from trilha.core.database.embedded import EmbeddedError
from trilha.core.variables import SettingError
from trilha.runtime import keyring
from trilha.settings import Settings, check_content


async def check_settings(current: Settings) -> AsyncIterator[Finding]:
    findings = _check_production(current) if current.env == "production" else _check_development(current)
    for finding in findings or [ok("settings", f"They are valid; TRILHA_ENV is {current.env}.")]:
        yield finding


def _check_development(current: Settings) -> list[Finding]:
    if not current.clock_offset:
        return []
    cure = "Remove the variable when the test is over."
    return [warn("settings", "TRILHA_CLOCK_OFFSET moves the clock.", cure)]


def _check_production(current: Settings) -> list[Finding]:
    name = "settings"
    findings = []
    try:
        check_content(current)
    except SettingError as error:
        findings.append(
            fail(name, str(error), "Set TRILHA_CONTENT_URL to a domain that serves nothing else.")
        )
    if not current.address.startswith("https://"):
        findings.append(
            fail(
                name,
                f"The public address is {current.address}, but production serves HTTPS only.",
                "Set TRILHA_BASE_URL to the address that people type, such as https://learn.example.com.",
            )
        )
    if not current.tls_cert and not current.trusted_proxies:
        findings.append(
            fail(
                name,
                "There is neither a certificate nor a trusted proxy, so every request is refused with "
                "https_required.",
                "Set TRILHA_TLS_CERT and TRILHA_TLS_KEY, or TRILHA_TRUSTED_PROXIES to your proxy's address.",
            )
        )
    if any(network.prefixlen == 0 for network in current.trusted_proxies):
        findings.append(
            fail(
                name,
                "TRILHA_TRUSTED_PROXIES trusts every address, so anyone can pretend to have another one.",
                "List the addresses of your own proxies only.",
            )
        )
    if not current.smtp_url:
        findings.append(
            warn(
                name,
                "No mail server is set: nobody receives invitations or links to reset a password.",
                "Set TRILHA_SMTP_URL.",
            )
        )
    return findings


async def check_master_key(current: Settings) -> AsyncIterator[Finding]:
    name = "master key"
    if not current.master_key and not current.data_dir.exists():
        yield fail(
            "data folder",
            f"There is no data folder {current.data_dir.absolute()}.",
            "Set TRILHA_DATA_DIR to yours, or create one with `trilha up` or `trilha migrate`.",
        )
        return
    try:
        keyring(current)
    except (SettingError, EmbeddedError, OSError) as error:
        yield fail(
            name,
            str(error),
            "Put the key in its place again; without it, sealed personal documents cannot be read.",
        )
        return
    path = current.data_dir / "master.key"
    if not current.master_key and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        yield fail(name, f"Other users of this machine can read {path.absolute()}.", f"chmod 600 {path}")
        return
    place = "TRILHA_MASTER_KEY" if current.master_key else str(path.absolute())
    yield ok(name, f"It is read from {place}. Keep a copy apart from the backups of the database.")
