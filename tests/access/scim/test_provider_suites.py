"""The steps of Okta's and Microsoft's test suites."""

from typing import Any
from uuid import uuid4

from access.scim.providers import ENT, USER, G, Provider, U, a_user, check_error, op
from conftest import World


async def test_oktas_spec(provider: Provider, world: World) -> None:
    """The 11 steps of Okta's SPEC test, in order."""
    await world.user(name="Ana Lima")
    first = (await provider.get(U, count=1, startIndex=1)).json()
    user = first["Resources"][0]
    for name in ("id", "active", "userName"):
        assert name in user
    assert user["name"]["givenName"]
    assert user["name"]["familyName"]
    assert user["emails"][0]["value"]
    assert (await provider.get(f"{U}/{user['id']}")).json()["id"] == user["id"]
    nobody = f"{uuid4().hex}@example.com"
    assert (await provider.filtered(f'userName eq "{nobody}"')).json()["totalResults"] == 0
    check_error(await provider.get(f"{U}/010101001010101011001010101011"), 404)
    name = f"{uuid4().hex}@example.com"
    assert (await provider.filtered(f'userName eq "{name}"')).json()["totalResults"] == 0
    body = {
        "schemas": [USER],
        "userName": name,
        "name": {"givenName": "Runscope", "familyName": "Teste"},
        "emails": [{"primary": True, "value": name, "type": "work"}],
        "displayName": "Runscope Teste",
        "active": True,
    }
    made = await provider.post(body, headers={"content-type": "application/json"})
    assert made.status_code == 201
    told = made.json()
    assert (told["active"], told["name"]["familyName"], told["userName"]) == (True, "Teste", name)
    read = (await provider.get(f"{U}/{told['id']}")).json()
    assert (read["userName"], read["name"]["givenName"]) == (name, "Runscope")
    check_error(await provider.post(body), 409, "uniqueness")
    assert (await provider.filtered(f'userName eq "{name.upper()}"')).json()["totalResults"] == 1
    assert (await provider.get(G)).status_code == 200
    check_error(await provider.get(f"{U}/00919288221112222"), 404)


async def test_oktas_crud(provider: Provider) -> None:
    """Replace, deactivate, read, reactivate and deactivate; the id never changes."""
    made = await provider.user(externalId="00u")
    id = made["id"]
    whole = {**made, "name": {"givenName": "Ana", "familyName": "Reis"}}
    assert (await provider.put(id, whole)).json()["name"]["familyName"] == "Reis"
    for active in (False, True, False):
        told = (await provider.patch(id, op("replace", value={"active": active}))).json()
        assert (told["id"], told["active"]) == (id, active)
        (found,) = (await provider.filtered(f'userName eq "{made["userName"]}"')).json()["Resources"]
        assert (found["id"], found["active"]) == (id, active)


async def test_microsofts_validator_on_users(provider: Provider) -> None:
    """Create, filter, get, update, manager, disable and delete, like the SCIM validator."""
    body: dict[str, Any] = a_user(
        externalId=str(uuid4()),
        displayName="PYTZAKNWZOQW",
        title="QHJXVPGBUEQN",
        emails=[{"type": "work", "value": "leila@example.com", "primary": True}],
        **{"schemas": [USER, ENT], ENT: {"department": "VTAZLNPLIEOB", "employeeNumber": "MNBZPLGJPOKT"}},
    )
    made = await provider.post(body)
    assert made.status_code == 201
    id = made.json()["id"]
    check_error(await provider.post(body), 409, "uniqueness")  # create a duplicate
    name = body["userName"]
    assert await provider.found(f'userName eq "{name}"') == [id]  # filter for an existing user
    assert await provider.found(f'userName eq "{name.upper()}"') == [id]  # in different case
    assert await provider.found(f'userName eq "{uuid4()}"') == []  # for a user that does not exist
    assert await provider.found(f'externalId eq "{body["externalId"]}" and userName eq "{name}"') == [id]
    assert (await provider.get(f"{U}/{id}")).status_code == 200
    replaced = await provider.patch(
        id,
        op("replace", 'emails[type eq "work"].value', "winston@example.com"),
        op("replace", 'emails[type eq "work"].primary', True),
        op(
            "replace",
            value={
                "displayName": "CAUVQGQRUYJD",
                "title": "HOOVMVATNGJW",
                "name.givenName": "Maverick",
                "name.familyName": "Kareem",
                "name.formatted": "Nicolas",
                f"{ENT}:employeeNumber": "OTTHNZTCKYRR",
                f"{ENT}:department": "RBAFVJSUWCFB",
                f"{ENT}:costCenter": "VZQHWKGVLTLR",
                f"{ENT}:organization": "SIRZVBSZZZTI",
                f"{ENT}:division": "WPTEQZDZZBUC",
            },
        ),
    )
    assert replaced.status_code == 200, replaced.text
    told = replaced.json()
    assert told["emails"] == [{"value": "winston@example.com", "type": "work", "primary": True}]
    assert told["name"] == {"formatted": "Nicolas", "givenName": "Maverick", "familyName": "Kareem"}
    assert told[ENT] == {
        "employeeNumber": "OTTHNZTCKYRR",
        "costCenter": "VZQHWKGVLTLR",
        "organization": "SIRZVBSZZZTI",
        "division": "WPTEQZDZZBUC",
        "department": "RBAFVJSUWCFB",
    }
    boss = (await provider.user())["id"]
    for kind, value in (("add", boss), ("replace", {"value": boss})):
        answer = await provider.patch(id, op(kind, f"{ENT}:manager", value))
        assert answer.json()[ENT]["manager"] == {"value": boss}
    assert "manager" not in (await provider.patch(id, op("remove", f"{ENT}:manager"))).json()[ENT]
    renamed = await provider.patch(id, op("replace", "userName", "other@example.com"))
    assert renamed.json()["userName"] == "other@example.com"
    assert (await provider.patch(id, op("replace", "active", "False"))).json()["active"] is False
    assert (await provider.patch(id, op("add", "active", True))).json()["active"] is True
    assert (await provider.delete(id)).status_code == 204
    check_error(await provider.delete(id), 404)
    check_error(await provider.get(f"{U}/{uuid4()}"), 404)


async def test_microsofts_validator_on_groups(provider: Provider) -> None:
    ana, bia = (await provider.user())["id"], (await provider.user())["id"]
    group = await provider.group(displayName="Equipe", externalId=str(uuid4()))
    check_error(await provider.post({"displayName": "Equipe"}, G), 409, "uniqueness")
    told = (await provider.filtered('displayName eq "Equipe"', G, excludedAttributes="members")).json()
    assert [each["id"] for each in told["Resources"]] == [group["id"]]
    assert (await provider.get(f"{G}/{group['id']}", excludedAttributes="members")).status_code == 200
    changed = await provider.patch(group["id"], op("replace", value={"displayName": "Time"}), path=G)
    assert changed.json()["displayName"] == "Time"
    await provider.patch(group["id"], op("add", "members", [{"value": ana}, {"value": bia}]), path=G)
    await provider.patch(group["id"], op("remove", f'members[value eq "{ana}"]'), path=G)
    told = (await provider.get(f"{G}/{group['id']}")).json()
    assert [each["value"] for each in told["members"]] == [bia]
    assert (await provider.delete(group["id"], G)).status_code == 204
