"""Pages that change with a choice: the filters of reports, and the regulation of a course."""

from playwright.async_api import expect

from browser.flows import Visits, enter_as
from conftest import World
from web.panel.signing_in import made


async def test_a_filter_of_a_report_puts_no_page_into_the_page(world: World, visits: Visits) -> None:
    await world.enrollment()
    visit = await enter_as(world, visits, await made(world, "admin"))
    await visit.go("/admin/reports")
    for months in ("3", "1"):
        await visit.page.focus("#filter-months")
        await visit.page.select_option("#filter-months", months)
        await visit.page.wait_for_url(f"**/admin/reports?months={months}")
        await expect(visit.page.locator("#filter-months")).to_have_value(months)
        for once in ("main", "h1", "nav.sidebar"):
            await expect(visit.page.locator(once)).to_have_count(1)
    await expect(visit.page.locator("#filter-months")).to_be_focused()


async def test_a_law_chooses_its_usual_documents_until_somebody_does(world: World, visits: Visits) -> None:
    visit = await enter_as(world, visits, await made(world, "admin"))
    await visit.go("/admin/courses/new")
    await visit.page.get_by_text("Mais configurações").click()
    license_ = visit.page.locator("input[value=cnh]")
    for kind, is_usual in (("traffic", True), ("finance", False), ("traffic", True)):
        await visit.page.select_option("#kind", kind)
        await expect(license_).to_be_checked(checked=is_usual)
    await license_.uncheck()
    for kind in ("other", "traffic"):
        await visit.page.select_option("#kind", kind)
        await expect(license_).not_to_be_checked()
