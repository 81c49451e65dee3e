"""Wrong settings and files give one sentence that says what to do. Nothing is created or started."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from running import free_port
from trilha.cli import main
from trilha.settings import load

EMPTY, TEXT = "an empty file", "a file of text"


def up(folder: Path, *arguments: str, **variables: str) -> Result:
    environment = {"TRILHA_DATA_DIR": str(folder / "data"), "TRILHA_PORT": str(free_port())} | variables
    return CliRunner().invoke(main, arguments or ["up"], env=environment)


def one_sentence(done: Result) -> str:
    assert isinstance(done.exception, SystemExit), done.exception
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("trilha: ")
    assert done.stderr.endswith(".\n")
    assert done.stderr.count("\n") == 1
    return done.stderr.removeprefix("trilha: ")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("HOST", "localhost", "it takes an IP address, such as 127.0.0.1"),
        ("HOST", "[::1]", "it takes an IP address"),
        ("HOST", "192.0.2.1", "cannot be used"),
        ("HOST", "2001:db8::1", "cannot be used"),
        ("PORT", "80 80", "it takes 1 to 65535"),
        ("BASE_URL", "learn.example.com", "it takes https://"),
        ("BASE_URL", "https://learn.example.com/trilha", "it takes https://"),
        ("BASE_URL", "https://learn.example.com:https", "it takes https://"),
        ("CONTENT_URL", "https://content.example.com", "it takes https://*."),
        ("DATABASE_URL", "mysql://localhost/trilha", "it takes postgresql://"),
        ("DATABASE_URL", "postgresql://trilha@db.invalid/trilha", "The database cannot be reached"),
        ("DATABASE_URL", "postgresql://trilha@127.0.0.1:9/trilha", "The database cannot be reached"),
        ("DATABASE_URL", "postgresql://trilha@[::1]:9/trilha?sslmode=never", "sslmode"),
        ("DATABASE_APP_URL", "postgresql://app@127.0.0.1/trilha", "set both, or neither"),
        ("MASTER_KEY", "secret", "it takes 64 hexadecimal digits"),
        ("MASTER_KEY", "0" * 63, "it takes 64 hexadecimal digits"),
        ("TRUSTED_PROXIES", "localhost", "it takes addresses or CIDRs"),
        ("NET_ALLOW", "10.0.0.1/8", "it takes addresses or CIDRs"),
        ("FILES_URL", "/srv/files", "it takes s3://"),
        ("SMTP_URL", "mail.example.com:25", "it takes smtp://"),
        ("SMTP_URL", "smtp://mail.example.com", "requires a sender"),
        ("HEADER_PREFIX", "X Service: ", "it takes the beginning of a header's name"),
        ("WEBHOOK_AGENT", "Trilha\r\nx: y", "it takes a header value"),
        ("API_KEY_PREFIX", "trl live", "it takes up to 20 letters"),
        ("LIMIT_V1", "1500", "it takes count/length"),
        ("CLOCK_OFFSET", "4w", "it takes a whole number with s, m, h or d"),
        ("CLOCK_OFFSET", "-1d", "it takes a whole number with s, m, h or d"),
        ("CLOCK_OFFSET", "36501d", "it takes a whole number with s, m, h or d"),
        ("DATA_DRI", "/srv/trilha", "is not a setting"),
    ],
)
def test_a_setting(tmp_path: Path, name: str, value: str, told: str) -> None:
    assert told in one_sentence(up(tmp_path, **{f"TRILHA_{name}": value}))
    assert "secret" not in told
    assert not (tmp_path / "data" / "postgres").exists()


@pytest.mark.parametrize("content", ["", "\n", "not a key", "00" * 31, "\xff" * 90])
def test_a_key_file(tmp_path: Path, content: str) -> None:
    (tmp_path / "data").mkdir(mode=0o711)
    (tmp_path / "data" / "master.key").write_text(content, encoding="latin-1")
    said = one_sentence(up(tmp_path))
    assert said.startswith(f"The master key cannot be read: {tmp_path}/data/master.key: ")
    assert "a master key is 64 hexadecimal digits" in said
    assert ("it is empty" in said) is (not content.strip())


@pytest.mark.parametrize("content", ["", "no certificate"])
def test_a_certificate(tmp_path: Path, content: str) -> None:
    file = tmp_path / "file.pem"
    file.write_text(content)
    said = one_sentence(up(tmp_path, TRILHA_TLS_CERT=str(file), TRILHA_TLS_KEY=str(file)))
    assert "both in PEM" in said


@pytest.mark.parametrize("command", ["serve", "work", "status", "tenant list", "api-key list --tenant acme"])
@pytest.mark.parametrize("relative", [True, False])
def test_no_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, relative: bool
) -> None:
    """If the folder were created by mistake, it would look like an installation without data."""
    monkeypatch.chdir(tmp_path)
    variables = {"TRILHA_DATA_DIR": "" if relative else str(tmp_path / "data")}
    said = one_sentence(up(tmp_path, *command.split(), **variables))
    assert said.startswith(f"There is no data folder {tmp_path / ('.trilha' if relative else 'data')}")
    assert ("in the working folder" in said) is relative
    assert list(tmp_path.iterdir()) == []


def test_an_ipv6_address_is_bracketed_in_urls() -> None:
    assert load({"TRILHA_HOST": "::1"}).address == "http://[::1]:8000"
