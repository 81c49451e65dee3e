"""The commands of `trilha sso`, used by an operator and by a program."""

import asyncio
import json
from pathlib import Path
from uuid import uuid4

import pytest

from cli.issuing import issuing
from cli.test_commands import Command, printed, slug, trilha  # noqa: F401 - fixtures
from name_server import name_server

METADATA = Path(__file__).parents[2] / "examples" / "single-sign-on" / "provider-metadata.xml"


@pytest.fixture
def domain() -> str:
    return f"{uuid4().hex}.test"


def test_a_domain_is_claimed_verified_listed_and_removed(trilha: Command, slug: str, domain: str) -> None:  # noqa: F811
    on = ("--tenant", slug, "--domain", domain, "--json")
    claimed = printed(trilha("sso", "domain", "claim", *on))
    assert (claimed["domain"], claimed["verified"], claimed["record_type"]) == (domain, False, "TXT")
    assert claimed["record_name"] == f"_trilha-challenge.{domain}"
    assert claimed["record_value"].startswith("trilha-domain-verification=")
    verified = printed(trilha("sso", "domain", "verify", *on, "--assume-verified"))
    assert (verified["state"], verified["verified_by"]) == ("verified", "operator")
    (listed,) = printed(trilha("sso", "domain", "list", "--tenant", slug, "--json"))
    assert listed == verified
    records = printed(trilha("audit", "--tenant", slug, "--json"))
    (record,) = [each for each in records if each["action"] == "sso.domain_verified"]
    assert (record["actor_kind"], record["detail"]) == ("operator", {"by": "operator"})
    assert printed(trilha("sso", "domain", "remove", *on)) == {"domain": domain, "removed": True}
    assert printed(trilha("sso", "domain", "list", "--tenant", slug, "--json")) == []


async def test_the_record_of_a_domain_is_looked_for(
    trilha: Command,  # noqa: F811
    slug: str,  # noqa: F811
    domain: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on = ("--tenant", slug, "--domain", domain, "--json")
    async with name_server() as zone:
        monkeypatch.setenv("TRILHA_DNS_SERVERS", str(zone.server))
        claimed = printed(await asyncio.to_thread(trilha, "sso", "domain", "claim", *on))
        missing = await asyncio.to_thread(trilha, "sso", "domain", "verify", *on)
        assert (missing.exit_code, json.loads(missing.stdout)["finding"]) == (1, "no_record")
        zone.texts[claimed["record_name"]] = [claimed["record_value"]]
        verified = printed(await asyncio.to_thread(trilha, "sso", "domain", "verify", *on))
    assert (verified["finding"], verified["verified_by"]) == ("found", "dns")


@pytest.mark.parametrize(
    ("command", "name", "said"),
    [
        (
            "claim",
            "gmail.com",
            "domain: This domain belongs to a public e-mail provider. Add a domain of your company.",
        ),
        ("claim", "acme", "domain: The value is not a valid e-mail domain."),
        ("verify", "nobody.test", "There is no such domain."),
        ("remove", "a b", "There is no such domain."),
    ],
)
def test_what_is_wrong_is_one_sentence(
    trilha: Command,  # noqa: F811
    slug: str,  # noqa: F811
    command: str,
    name: str,
    said: str,
) -> None:
    result = trilha("sso", "domain", command, "--tenant", slug, "--domain", name)
    assert (result.exit_code, result.stderr) == (1, f"trilha: {said}\n")


@pytest.fixture
def reachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRILHA_NET_ALLOW", "127.0.0.0/8")


def verified(trilha: Command, slug: str, domain: str) -> None:  # noqa: F811
    on = ("--tenant", slug, "--domain", domain, "--json")
    printed(trilha("sso", "domain", "claim", *on))
    printed(trilha("sso", "domain", "verify", *on, "--assume-verified"))


@pytest.mark.usefixtures("reachable")
def test_a_provider_of_openid_connect_is_added_tested_enabled_and_disabled(
    trilha: Command,  # noqa: F811
    slug: str,  # noqa: F811
    domain: str,
) -> None:
    with issuing() as issuer:
        create = ("sso", "oidc", "create", "--tenant", slug, "--issuer", issuer, "--client-id", "trilha")
        given = ("--client-secret-stdin", "--domains", f"{domain}, other.test", "--json")
        made = printed(trilha(*create, *given, input="s3cr3t\n"))
        assert (made["kind"], made["enabled"], made["name"]) == ("OIDC", False, "127.0.0.1")
        assert made["domains"] == sorted([domain, "other.test"])
        assert made["redirect_uri"].endswith("/api/sso/oidc/callback")
        assert "s3cr3t" not in json.dumps(made)
        on = ("--tenant", slug, "--id", made["id"], "--json")
        assert printed(trilha("sso", "test", *on))["passed"] is True
    early = trilha("sso", "enable", *on)
    assert (early.exit_code, early.stderr) == (
        1,
        "trilha: Verify one of the connection's domains before you enable it.\n",
    )
    verified(trilha, slug, domain)
    assert printed(trilha("sso", "enable", *on))["enabled"] is True
    (listed,) = printed(trilha("sso", "list", "--tenant", slug, "--json"))
    assert (listed["id"], listed["enabled"]) == (made["id"], True)
    assert printed(trilha("sso", "disable", *on))["enabled"] is False
    gone = trilha("sso", "test", *on)
    assert (gone.exit_code, json.loads(gone.stdout)["reason"]) == (1, "provider_unreachable")


@pytest.mark.usefixtures("reachable")
def test_a_provider_that_is_none_adds_nothing(trilha: Command, slug: str) -> None:  # noqa: F811
    with issuing(issuer="https://other.example") as issuer:
        given = ("--issuer", issuer, "--client-id", "trilha", "--client-secret-stdin", "--json")
        result = trilha("sso", "oidc", "create", "--tenant", slug, *given, input="s3cr3t\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "issuer differs from the one" in result.stderr
    assert printed(trilha("sso", "list", "--tenant", slug, "--json")) == []


def test_a_provider_of_saml_is_added_by_its_metadata(trilha: Command, slug: str, domain: str) -> None:  # noqa: F811
    given = ("--metadata", str(METADATA), "--domains", domain, "--idp-initiated", "--json")
    made = printed(trilha("sso", "saml", "create", "--tenant", slug, *given))
    base = f"/api/sso/saml/{made['id']}"
    assert made["entity_id"].endswith(f"{base}/metadata")
    assert (made["metadata_url"], made["acs_url"].endswith(f"{base}/acs")) == (made["entity_id"], True)
    assert made["provider_entity_id"] == "https://login.acme.example/saml"
    missing = trilha("sso", "saml", "create", "--tenant", slug, "--metadata", "nowhere.xml")
    assert missing.exit_code == 1
    assert "nowhere.xml" in missing.stderr
