"""trilha sso …, as an operator and as a program would use it."""

import asyncio
import json
from uuid import uuid4

import pytest

from cli.test_commands import Command, printed, slug, trilha  # noqa: F401 - fixtures
from name_server import name_server


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
        ("claim", "gmail.com", "domain: Anybody can have an address in this domain; it is no company's."),
        ("claim", "acme", "domain: The value is not a domain of e-mail addresses."),
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
