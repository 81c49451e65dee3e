"""Keys, clients, webhooks and events in a browser, with a receiver on loopback."""

import re
from datetime import timedelta
from typing import Any

import httpx2
from playwright.async_api import expect

from browser.flows import Entering, Visit
from browser.ways import played
from conftest import World
from posting import Post
from receiver import receiving


async def secret(visit: Visit) -> str:
    """Returns the secret, which the page shows only once: it is gone after a reload."""
    shown = await visit.page.locator("#secret").input_value()
    await visit.page.reload()
    await expect(visit.page.get_by_role("heading", name=re.compile("já foi mostrad"))).to_be_visible()
    assert shown not in await visit.page.content()
    return shown


async def status_with(world: World, key: str) -> int:
    async with world.client(key) as client:
        return (await client.get("/v1/users")).status_code


@played("phone-no-scripts")
async def test_a_key_is_made_rotated_and_revoked(
    world: World, entered: Entering, options: dict[str, Any]
) -> None:
    visit = await entered(**options)
    page = visit.page
    await visit.go("/admin/api-keys/new")
    await visit.fill(name="ERP", networks="nowhere")
    await visit.press("Criar chave de API")
    await visit.is_refused("Informe endereços ou redes")
    await visit.fill(networks="127.0.0.0/8")
    await page.get_by_label("Ver pessoas").check()
    await visit.press("Criar chave de API")
    first = await secret(visit)
    assert await status_with(world, first) == 200
    async with world.client(first, address="198.51.100.7") as elsewhere:
        refused = await elsewhere.get("/v1/users")
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "ip_not_allowed")
    await visit.go("/admin/api-keys")
    await visit.follow("ERP")
    await expect(page.get_by_text("127.0.0.0/8")).to_be_visible()
    await expect(page.get_by_text("users:read")).to_be_visible()
    await visit.follow("Trocar segredo")
    await page.get_by_label("O que acontece com o segredo atual").select_option("Vale por mais 1 hora")
    await visit.press("Trocar segredo")
    second = await secret(visit)
    assert (await status_with(world, first), await status_with(world, second)) == (200, 200)
    await visit.go("/admin/api-keys")
    await visit.follow("ERP")
    await expect(page.get_by_role("heading", name="Um segredo anterior ainda vale")).to_be_visible()
    await visit.follow("Revogar chave")
    await visit.press("Revogar chave")
    await visit.is_told("A chave ERP foi revogada.")
    assert (await status_with(world, first), await status_with(world, second)) == (401, 401)


async def test_keys_are_found(world: World, entered: Entering) -> None:
    await world.key("users:read", lifetime=timedelta(days=10))
    visit = await entered(locale="en")
    await visit.go("/admin/api-keys")
    await visit.page.get_by_label("Any status").select_option("Expires within 30 days")
    await visit.lists("Test")
    await visit.page.get_by_label("Any status").select_option("Revoked")
    await expect(visit.page.get_by_role("heading", name="No results for these filters")).to_be_visible()
    await visit.follow("Clear filters")
    await visit.page.get_by_role("searchbox").press_sequentially("tes")
    await expect(visit.page).to_have_url(re.compile("q=tes"))


@played("scripts")
async def test_an_oauth_client_gets_tokens_until_it_is_disabled(
    world: World, entered: Entering, options: dict[str, Any]
) -> None:
    visit = await entered(**options)
    page = visit.page
    await visit.go("/admin/oauth-clients/new")
    await visit.press("Criar cliente OAuth")
    await visit.is_refused("Nome")
    await visit.fill(name="Folha")
    await page.get_by_label("Ver pessoas").check()
    await visit.press("Criar cliente OAuth")
    name = await page.locator("#client_id").input_value()
    first = await secret(visit)

    async def asked(secret: str) -> int:
        async with world.client() as client:
            answer: httpx2.Response = await client.post(
                "/oauth/token", data={"grant_type": "client_credentials"}, auth=(name, secret)
            )
        return answer.status_code

    assert await asked(first) == 200
    await visit.go("/admin/oauth-clients")
    await visit.follow("Folha")
    await visit.follow("Trocar segredo")
    await page.get_by_label("O que acontece com o segredo atual").select_option("Deixa de valer agora")
    await visit.press("Trocar segredo")
    second = await secret(visit)
    assert (await asked(first), await asked(second)) == (401, 200)
    await visit.go("/admin/oauth-clients")
    await visit.follow("Folha")
    await visit.follow("Desabilitar cliente")
    await visit.press("Desabilitar cliente")
    await visit.is_told("O cliente Folha foi desabilitado.")
    assert await asked(second) == 401
    await visit.press("Habilitar cliente")
    await visit.is_told("O cliente Folha foi habilitado.")
    assert await asked(second) == 200
    await visit.follow("Excluir cliente")
    await visit.press("Excluir cliente")
    await visit.is_told("O cliente Folha foi excluído.")


async def test_a_client_that_signs_shows_no_secret(world: World, entered: Entering) -> None:
    visit = await entered(locale="en")
    await visit.go("/admin/oauth-clients/new")
    await visit.fill(name="Signer", public_keys="{}")
    await visit.page.get_by_label("With its own signature").check()
    await visit.page.get_by_label("See people").check()
    await visit.press("Create OAuth client")
    await visit.is_refused("Paste a JWK set of 1 to 8 public keys")


@played("phone-no-scripts")
async def test_a_webhook_is_made_and_tested(
    world: World, entered: Entering, post: Post, options: dict[str, Any]
) -> None:
    visit = await entered(**options)
    page = visit.page
    async with receiving(204) as receiver:
        await visit.go("/admin/webhooks/new")
        await visit.fill(url=receiver.url, description="ERP")
        await visit.press("Adicionar webhook")
        await visit.is_refused("Eventos a enviar")
        await page.get_by_label("Pessoa suspensa").check()
        await visit.press("Adicionar webhook")
        shown = await page.locator("#secret").input_value()
        assert shown.startswith("whsec_")
        await visit.follow("Já guardei")
        await visit.press("Enviar teste")
        await visit.is_told("Um teste está a caminho.")
        await post.send()
        if options:
            await page.reload()
        await expect(page.get_by_text("Respondeu 204")).to_be_visible()  # the page refreshed itself
        assert len(receiver.calls) == 1
        await visit.go("/admin/webhooks")
        await visit.follow(receiver.url)
        await page.get_by_role("button", name="Mais ações").click()
        await visit.follow("Trocar segredo")
        await visit.press("Trocar segredo")
        assert await page.locator("#secret").input_value() != shown
        await visit.follow("Já guardei")
        await expect(page.get_by_role("heading", name="Um segredo anterior ainda vale")).to_be_visible()
        await page.get_by_role("button", name="Mais ações").click()
        await visit.follow("Desativar webhook")
        await visit.press("Desativar webhook")
        await visit.is_told("O webhook foi desativado.")
        await visit.press("Ativar webhook")
        await visit.is_told("O webhook foi ativado.")
        await visit.follow("Editar webhook")
        await visit.fill(description="Folha")
        await visit.press("Salvar webhook")
        await visit.is_told("O webhook foi salvo.")
        await page.get_by_role("button", name="Mais ações").click()
        await visit.follow("Excluir webhook")
        await visit.press("Excluir webhook")
        await visit.is_told("O webhook foi excluído.")


async def test_why_a_delivery_fails_is_found_and_it_is_sent_again(
    world: World, entered: Entering, post: Post
) -> None:
    visit = await entered()
    page = visit.page
    async with receiving(503, 503, 200) as receiver:
        made = await post.endpoint(receiver.url)
        await post.happen()
        await post.send()
        await visit.go("/admin/webhooks")
        await expect(page.get_by_text("Falhando").last).to_be_visible()
        await visit.follow(receiver.url)
        await expect(page.get_by_role("heading", name="O destino recusa as entregas")).to_be_visible()
        await page.get_by_label("Qualquer situação").select_option("Entregue")
        await expect(page.get_by_role("heading", name="Nenhum resultado para estes filtros")).to_be_visible()
        await page.get_by_label("Qualquer situação").select_option("Pendente")
        await visit.lists("Pessoa suspensa")
        await visit.follow("Pessoa suspensa")
        timeline = page.locator("#attempts")
        await expect(timeline).to_contain_text("Respondeu 503")
        await expect(timeline).to_contain_text("Próxima tentativa")
        await visit.press("Enviar de novo")
        await visit.is_told("A entrega está sendo enviada de novo.")
        await post.send()
        await visit.press("Enviar de novo")
        await post.send()
        await page.reload()
        await expect(timeline.get_by_role("listitem").filter(has_text="Respondeu")).to_have_count(3)
        await expect(timeline).to_contain_text("Respondeu 200")
        await expect(timeline).to_contain_text("Entregue")
        # Its event and the delivery; then a replay of a period.
        await page.locator("main a[href^='/admin/events/']").click()
        await visit.is_titled("Pessoa suspensa")
        await expect(page.get_by_role("region", name="O evento em JSON")).to_contain_text('"user.suspended"')
        await visit.lists(receiver.url)
        await visit.go(f"/admin/webhooks/{made['id']}/replay")
        await visit.fill(until="2020-01-01T10:00")
        await visit.press("Reenviar eventos")
        await visit.is_refused("Escolha um fim depois do começo.")
        await visit.go(f"/admin/webhooks/{made['id']}/replay")
        await visit.press("Reenviar eventos")
        await visit.is_told("Os eventos estão entrando na fila de reenvio.")


async def test_events_are_found(world: World, entered: Entering) -> None:
    await world.user(name="Ana Lima")
    await world.course(title="Altura")
    visit = await entered("admin", "phone", locale="en")
    await visit.go("/admin/events")
    await visit.page.get_by_label("Any event type").select_option("Course created")
    await visit.lists("Course created")
    await visit.follow("Course created")
    await expect(visit.page.get_by_text("Not sent: no webhook receives")).to_be_visible()
    await visit.follow("See events of this type")
    await visit.lists("Course created")
