"""What a new author does first: a course from a Word text, a video and a PDF, and a quiz that draws from 30
imported questions.

The steps are counted, so that they do not become more.
"""

from playwright.async_api import FilePayload, Locator, expect

from browser.flows import Entering, Visit
from conftest import World
from media_files import pdf, webm
from web.panel.authoring import modules
from web.panel.test_lesson_pages import word

_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_CHAPTERS = ("Antes de subir", "Durante o trabalho", "Depois de descer")
# A question needs another text, or it is in the bank already.
_GIFT = "$CATEGORY: nr-35\n\n" + "\n\n".join(
    f"Pergunta {n} sobre trabalho em altura? {{=Sim ~Não ~Talvez}}" for n in range(1, 31)
)


class Journey:
    """A visit that counts clicks, typed fields and loaded pages."""

    def __init__(self, visit: Visit) -> None:
        self.visit = visit
        self.page = visit.page
        self.clicks = self.fields = self.loads = 0
        self.page.on("load", lambda _: self._count_load())

    def _count_load(self) -> None:
        self.loads += 1

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def link(self, name: str) -> Locator:
        return self.page.get_by_role("link", name=name, exact=True).first

    async def click(self, place: Locator) -> None:
        self.clicks += 1
        await place.click()

    async def type(self, text: str, place: Locator | None = None) -> None:
        """Types where the focus is, or else into the field."""
        self.fields += 1
        if place is not None:
            await place.fill("")
            await place.focus()
        await self.page.keyboard.type(text)

    async def choose(self, place: Locator, *files: FilePayload) -> None:
        """Chooses files in the browser's own window."""
        self.clicks += 1
        await place.set_input_files(files)

    async def is_titled(self, text: str) -> None:
        await self.visit.is_titled(text)


def chosen(name: str, media_type: str, content: bytes) -> FilePayload:
    return {"name": name, "mimeType": media_type, "buffer": content}


async def test_a_course_from_a_word_text_a_video_and_a_pdf(world: World, entered: Entering) -> None:
    visit = await entered("admin")
    await visit.go("/admin")
    journey = Journey(visit)
    page = journey.page
    await journey.click(journey.link("Cursos"))
    await journey.click(journey.link("Criar curso"))
    await expect(page.locator("#title")).to_be_focused()
    await journey.type("Trabalho em altura")
    await journey.type("Planejar, ancorar e subir.", page.locator("#description"))
    await journey.click(journey.button("Criar curso"))
    await journey.is_titled("Trabalho em altura")
    await expect(journey.button("Publicar curso")).to_have_count(0)
    text = [
        pair for title in _CHAPTERS for pair in (("Heading1", title), ("Normal", "Acima de dois metros."))
    ]
    await journey.choose(
        page.locator("#file"),
        chosen("Trabalho em altura.docx", _WORD, word(*text)),
        chosen("Ancoragem.webm", "video/webm", webm(4)),
        chosen("Manual.pdf", "application/pdf", pdf(3)),
    )
    titles = page.locator(".outline__title")
    await expect(titles).to_have_count(5)
    values = [await each.input_value() for each in await titles.all()]
    assert values == [*_CHAPTERS, "Ancoragem", "Manual"]
    await journey.click(journey.button("Publicar curso"))
    await visit.is_told("O curso foi publicado")
    await journey.click(journey.link("Ver como aluno"))
    seen = page.frame_locator("main iframe")
    await expect(seen.locator(".modules__title")).to_have_count(5)
    await journey.click(seen.get_by_role("link", name=_CHAPTERS[0]))
    await expect(page.frame_locator("#content").locator("article")).to_contain_text("Acima de dois metros.")
    assert journey.clicks <= 7
    assert journey.fields == 2
    assert journey.loads <= 6


async def test_thirty_questions_of_a_file_are_drawn_by_their_tag(world: World, entered: Entering) -> None:
    course_id = await world.course(
        publish=False, title="NR-35", modules=[{"title": "A", "duration_minutes": 1, "body": "B"}]
    )
    visit = await entered("admin")
    await visit.go(f"/admin/courses/{course_id}")
    journey = Journey(visit)
    page = journey.page
    await journey.click(journey.button("Adicionar módulo"))
    await journey.click(page.locator("#add-module").get_by_role("button", name="Questionário"))
    await expect(page.locator(".outline__title").last).to_be_focused()
    await journey.type("Prova final")
    await page.keyboard.press("Enter")
    await expect(page.locator("#announce")).to_contain_text("Prova final")
    await journey.click(page.get_by_role("link", name="Editar questões"))
    await journey.click(journey.link("Importar questões"))
    await journey.choose(page.locator("#file"), chosen("nr-35.gift", "text/plain", _GIFT.encode()))
    await journey.click(journey.button("Enviar arquivo"))
    await journey.click(journey.button("Importar 30 questões"))
    await visit.is_told("Questões importadas: 30")
    await journey.is_titled("Prova final")
    await journey.click(journey.button("Sortear questões"))
    await visit.is_told("Cada tentativa agora sorteia questões do banco.")
    await expect(page.locator("main")).to_contain_text("10 questões com a etiqueta nr-35 de 30 no banco")
    assert journey.clicks <= 8
    assert journey.fields == 1
    assert journey.loads <= 5
    quiz = (await modules(world, course_id))[-1]
    assert (quiz.title, quiz.type) == ("Prova final", "QUIZ")
