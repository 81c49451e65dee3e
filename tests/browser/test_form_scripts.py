"""Scripts of forms in the panel: checkboxes of whole groups, presets, and chips that insert placeholders."""

from playwright.async_api import expect

from browser.flows import Entering
from conftest import World


async def test_a_group_of_events_follows_its_checkboxes(world: World, entered: Entering) -> None:
    visit = await entered()
    await visit.go("/admin/webhooks/new")
    group = visit.page.locator("fieldset.choices__group:has([data-group])").first
    whole = group.locator("[data-group]")
    events = group.locator("input[name=events]")
    count = await events.count()
    await whole.check()
    await expect(group.locator("input[name=events]:checked")).to_have_count(count)
    await events.first.uncheck()
    await expect(whole).not_to_be_checked()
    assert await whole.evaluate("(box) => box.indeterminate")
    await events.first.check()
    await expect(whole).to_be_checked()
    await whole.uncheck()
    await expect(group.locator("input[name=events]:checked")).to_have_count(0)
    # A refused form shows the group as it was sent.
    await whole.check()
    await visit.send(url="")
    await visit.is_refused("Preencha este campo.")
    await expect(whole).to_be_checked()
    await expect(group.locator("input[name=events]:checked")).to_have_count(count)


async def test_a_preset_of_an_api_key_fills_the_form(world: World, entered: Entering) -> None:
    visit = await entered()
    await visit.go("/admin/api-keys/new")
    await expect(visit.page.locator("input[name=scopes]:checked")).to_have_count(0)
    await visit.page.locator(".preset").first.click()
    await expect(visit.page.locator(".preset").first).to_have_attribute("aria-current", "true")
    await expect(visit.page.locator("input[name=scopes]:checked").first).to_be_visible()


async def test_chips_insert_placeholders_where_the_person_writes(world: World, entered: Entering) -> None:
    visit = await entered()
    await visit.go("/admin/certificates/templates/new")
    await visit.fill(name="NR-35")
    chips = visit.page.locator("[data-insert]")
    if not await chips.count():
        await visit.page.locator("main form .btn--primary").first.click()
        await visit.page.wait_for_url("**/certificates/templates/*-*")
    text = await chips.first.get_attribute("data-insert")
    title, body = visit.page.locator("#title"), visit.page.locator("#body")
    # Before anything has the focus, the first long text gets it.
    await chips.first.click()
    await expect(body).to_have_value(text or "")
    await expect(body).to_be_focused()
    await title.fill("Certificado de conclusão")
    await title.evaluate("(field) => field.setSelectionRange(11, 11)")
    await chips.first.click()
    await expect(title).to_have_value(f"Certificado{text} de conclusão")
    await expect(title).to_be_focused()
