"""The guides: complete in both languages, consistent with the pages, and served by the product."""

import io
import re
from pathlib import Path

import httpx2
import pytest
from babel.messages.pofile import read_po

from conftest import World
from trilha.kit import Locale
from trilha.kit.translations import LOCALES, catalogues
from trilha.people.users.schema import Role
from trilha.web.guides import texts
from web.panel.signing_in import signed_in

GUIDES = Path(__file__).parents[3] / "docs" / "guides"
FOLDERS: dict[Locale, Path] = {"pt-BR": GUIDES / "pt-br", "en": GUIDES / "en"}
# The first page of each role's guide.
OWN: dict[Role, tuple[str, str]] = {
    "admin": ("/admin/help", "Administrator guide"),
    "gestor": ("/admin/help", "Manager guide"),
    "instrutor": ("/admin/help", "Instructor guide"),
    "learner": ("/learn/help", "Learner guide"),
}


def names(locale: Locale, pattern: str) -> set[str]:
    folder = FOLDERS[locale]
    return {path.relative_to(folder).as_posix() for path in folder.rglob(pattern)}


@pytest.mark.parametrize("pattern", ["*.md", "*.webp"])
def test_both_languages_have_the_same_pages_and_pictures(pattern: str) -> None:
    assert names("pt-BR", pattern) == names("en", pattern) != set()


def test_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in GUIDES.rglob("*.webp")) < 1024 * 1024


def said(locale: Locale) -> set[str]:
    """Returns every text of the pages in this language."""
    messages = [message for path in catalogues() for message in read_po(io.BytesIO(path.read_bytes()))]
    return {str(message.id if locale == "en" else message.string) for message in messages}


@pytest.mark.parametrize("locale", LOCALES)
def test_what_is_bold_is_on_the_pages(locale: Locale) -> None:
    """Guides show buttons, menu entries and fields in bold, with the words of the pages."""
    on_pages = said(locale)
    unknown = [
        f"{path.relative_to(GUIDES)}: {label}"
        for path in sorted(FOLDERS[locale].rglob("*.md"))
        for label in re.findall(r"\*\*(.+?)\*\*", path.read_text(encoding="utf-8"))
        if label not in on_pages
    ]
    assert unknown == []


async def walk(client: httpx2.AsyncClient, start: str) -> set[str]:
    """Opens all pages of the guides that can be reached from here, with their pictures."""
    reached: set[str] = set()
    to_read = {start}
    while to_read:
        address = to_read.pop()
        reached.add(address)
        answer = await client.get(address)
        assert answer.status_code == 200, address
        article = re.search(r'<div class="guide">.*?</main>', answer.text, re.DOTALL)
        assert article, address
        to_read |= set(re.findall(r'<a href="([^"]+)"', article[0])) - reached
        for picture in re.findall(r'<img src="([^"]+)"', article[0]):
            shown = await client.get(picture)
            assert (shown.status_code, shown.headers["content-type"]) == (200, "image/webp")
            assert "immutable" in shown.headers["cache-control"]
    return reached


@pytest.mark.parametrize("locale", LOCALES)
async def test_every_page_is_reached_in_the_panel(world: World, locale: Locale) -> None:
    admin = await signed_in(world, locale=locale)
    every = {
        f"/admin/help/{page.removesuffix('.md')}".removesuffix("/index") for page in names(locale, "*.md")
    }
    assert await walk(admin, "/admin/help/administrators") == every


@pytest.mark.parametrize("role", OWN)
async def test_the_question_mark_leads_to_the_guide_for_the_role(world: World, role: Role) -> None:
    client = await signed_in(world, role)
    address, title = OWN[role]
    page = (await client.get(address.removesuffix("/help"))).text
    assert f'href="{address}" aria-label="Help"' in page
    assert f"<h1>{title}</h1>" in (await client.get(address)).text


async def test_learners_read_their_own_guide(world: World) -> None:
    learner = await signed_in(world, "learner", locale="pt-BR")
    topics = {path.stem for path in FOLDERS["pt-BR"].glob("learners/*.md")} - {texts.INDEX}
    assert await walk(learner, "/learn/help") == {"/learn/help", *(f"/learn/help/{each}" for each in topics)}
    assert (await learner.get("/admin/help")).status_code == 403


@pytest.mark.parametrize("address", ["/admin/help/nobody", "/admin/help/learners/nothing", "/guides/no.webp"])
async def test_what_is_not_there_is_not_found(world: World, address: str) -> None:
    assert (await (await signed_in(world)).get(address)).status_code == 404
