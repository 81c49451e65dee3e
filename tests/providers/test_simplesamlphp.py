"""SimpleSAMLphp from Debian, unchanged, with a running Trilha: `make providers`.

The test needs `php` with its XML and mbstring extensions, and a Debian whose packages can be downloaded.
Otherwise it is skipped.
"""

import html
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from access.sso.saml.provider import SigningKey
from npm import CACHE
from running import Running, free_port, running, wait_until
from trilha.access.sso import actions as connections
from trilha.access.sso.saml import actions
from trilha.access.sso.saml.schema import NewSamlConnection
from trilha.cli.output import in_transaction
from trilha.core.database import Tx
from trilha.core.net import parse_networks
from trilha.core.outbound.fetching import Fetcher
from trilha.core.outbound.guard import Guard
from trilha.core.web.parsing import convert
from trilha.settings import Settings

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
HERE = Path(__file__).parent / "simplesamlphp"
OWN_PAGE = {"sec-fetch-site": "same-origin"}
SIGNING = {
    "assertion": ("true", "false", "false"),
    "response": ("false", "true", "false"),
    "both": ("true", "true", "false"),
    "encrypted": ("true", "true", "true"),
}


def package() -> Path:
    """Returns the unpacked files of the Debian package. It is not installed, so it needs no Apache."""
    root = CACHE / "simplesamlphp"
    if not (root / "usr").exists():
        root.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["apt-get", "download", "simplesamlphp"], cwd=root, check=False)
        found = list(root.glob("*.deb"))
        if done.returncode or not found:
            pytest.skip("the package cannot be downloaded")
        subprocess.run(["dpkg", "-x", found[0], root], check=True)
    return root


class Provider:
    def __init__(self, folder: Path, url: str) -> None:
        self.folder = folder
        self.url = f"{url}/simplesaml"
        self.browser = httpx2.Client()

    def trust(self, shown: dict[str, Any], certificate: str, mode: str) -> None:
        """Enters what the provider's administrator would enter for Trilha. The provider requires our
        signatures.
        """
        assertion, response, encrypted = SIGNING[mode]
        (self.folder / "cert" / "sp.crt").write_text(certificate)
        entry = (
            f"<?php $metadata['{shown['entity_id']}'] = ["
            f"'AssertionConsumerService' => '{shown['acs_url']}',"
            f"'SingleLogoutService' => '{shown['slo_url']}',"
            "'certificate' => 'sp.crt', 'validate.authnrequest' => true, 'validate.logout' => true,"
            f"'sign.logout' => true, 'saml20.sign.assertion' => {assertion},"
            f"'saml20.sign.response' => {response}, 'assertion.encryption' => {encrypted}];"
        )
        (self.folder / "conf" / "metadata" / "saml20-sp-remote.php").write_text(entry)

    def sign_in(self, address: str) -> tuple[str, dict[str, str]]:
        """Signs in as Alice with her password. Returns the address and the fields that the provider's page
        posts.
        """
        page = self.browser.get(address, follow_redirects=True)
        if 'name="username"' in page.text:
            typed = {"username": "alice", "password": "alicepw"}
            page = self.browser.post(str(page.url), data=fields(page) | typed, follow_redirects=True)
        action = re.search(r'<form[^>]*action="([^"]+)"', page.text)
        assert action, page.text
        sent = {name: value for name, value in fields(page).items() if name in ("SAMLResponse", "RelayState")}
        return html.unescape(action[1]), sent


def fields(page: httpx2.Response) -> dict[str, str]:
    found = re.findall(r'name="([^"]+)" value="([^"]*)"', page.text)
    return {name: html.unescape(value) for name, value in found}


@pytest.fixture(scope="module")
def provider(key: SigningKey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    php = shutil.which("php") or pytest.skip("there is no php")
    folder = tmp_path_factory.mktemp("simplesamlphp")
    for name in ("cert", "log", "data", "tmp", "sess"):
        (folder / name).mkdir()
    shutil.copytree(HERE, folder / "conf")
    (folder / "root").symlink_to(package())
    private = key.key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    (folder / "cert" / "idp.pem").write_bytes(private)
    (folder / "cert" / "idp.crt").write_text(key.pem)
    host = f"127.0.0.1:{free_port()}"
    quiet = ["-d", "display_errors=0", "-d", "error_reporting=0"]
    variables = os.environ | {
        "SSP_DIR": str(folder),
        "SSP_URL": f"http://{host}",
        "SIMPLESAMLPHP_CONFIG_DIR": str(folder / "conf"),
    }
    command = [php, *quiet, "-d", "opcache.enable=0", "-S", host, HERE / "router.php"]
    with subprocess.Popen(command, env=variables, stderr=subprocess.DEVNULL) as process:
        provider = Provider(folder, f"http://{host}")
        wait_until(lambda: answers(provider.url))
        yield provider
        process.terminate()


def answers(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/saml2/idp/metadata.php").status_code < 500
    except httpx2.TransportError:
        return False


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("trilha")
    with running(folder, "--demo", TRILHA_NET_ALLOW="127.0.0.0/8") as each:
        domain = ("--tenant", "demo", "--domain", "acme.test")
        each.command("sso", "domain", "claim", *domain)
        each.command("sso", "domain", "verify", *domain, "--assume-verified")
        yield each


def connect(server: Running, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, str]:
    """Creates the connection. Returns what Trilha shows for it, and its certificate."""
    document = httpx2.get(f"{provider.url}/saml2/idp/metadata.php").text
    guard = Guard(parse_networks("127.0.0.0/8"), plain_http=True)
    found = actions.MetadataReader(Fetcher(guard), guard).read(document)

    async def create(settings: Settings, tx: Tx) -> tuple[Any, str]:
        raw = {"name": "SSP", "metadata": document, "domains": ["acme.test"], "idp_initiated": True}
        made = await actions.create(tx, convert(NewSamlConnection, raw, tx.today), found)
        await connections.enable(tx, made.connection.id)
        return made.to_dict(settings.address), made.detail.certificate

    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    return in_transaction("demo", create)


def test_signs_in_and_out(server: Running, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    shown, certificate = connect(server, provider, monkeypatch)
    assert httpx2.get(shown["metadata_url"]).status_code == 200
    browser = httpx2.Client(base_url=server.url, headers=OWN_PAGE)

    def sign_in() -> None:
        start = browser.get("/api/sso/saml/start", params={"tenant_slug": "demo"})
        address, sent = provider.sign_in(start.headers["location"])
        answer = httpx2.post(address, data=sent)
        ticket = dict(parse_qsl(urlsplit(answer.headers["location"]).fragment))["ticket"]
        signed_in = browser.post("/api/sso/exchange", json={"ticket": ticket})
        assert signed_in.json()["user"]["email"] == "alice@acme.test"

    for mode in SIGNING:
        provider.trust(shown, certificate, mode)
        sign_in()
        print(f"signs in: {mode}")

    begin = f"{provider.url}/saml2/idp/SSOService.php?spentityid={shown['entity_id']}&RelayState=/learn"
    address, sent = provider.sign_in(begin)
    assert 'name="continuation"' in httpx2.post(address, data=sent).text
    print("begins by itself")

    menu = browser.get("/learn/profile", follow_redirects=True)
    left = browser.post("/logout", data={"csrf_token": fields(menu)["csrf_token"]})
    answer = provider.browser.get(left.headers["refresh"].partition("; url=")[2])
    while answer.headers["location"].startswith(provider.url):
        answer = provider.browser.get(answer.headers["location"])
    assert answer.headers["location"].startswith(f"{shown['slo_url']}?SAMLResponse=")
    assert browser.get(answer.headers["location"]).headers["location"] == "/login"
    print("is told of a sign-out")

    sign_in()
    provider.browser.get(f"{provider.url}/saml2/idp/initSLO.php?RelayState=/", follow_redirects=True)
    assert browser.get("/api/auth/session").status_code == 401
    print("signs out")
