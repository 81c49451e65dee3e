"""/accessibility: the statement, in the reader's language and in the company's colors."""

from conftest import World


async def test_the_statement_is_public_and_in_both_languages(world: World) -> None:
    client = world.client()
    portuguese = await client.get("/accessibility")
    assert portuguese.status_code == 200
    assert "Lei 13.146/2015" in portuguese.text
    assert "até 400% sem rolagem" in portuguese.text
    english = await client.get("/accessibility", headers={"cookie": "trilha_locale=en"})
    assert "WCAG) 2.2, level AA" in english.text
    assert 'href="/accessibility"' in (await client.get("/login")).text


async def test_it_has_the_companys_name(world: World) -> None:
    page = await world.client().get(f"/accessibility?tenant={world.tenant.slug}")
    assert f"<title>Acessibilidade · {world.tenant.name}</title>" in page.text
