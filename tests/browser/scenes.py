"""Pages that exist only after some action, and states that an address alone does not produce.

Each scene performs actions, and yields a name at each state that should be checked. Scenes do not read the
words on a page, so they run in either language.
"""

import io
import re
from collections.abc import AsyncIterator, Callable, Mapping
from uuid import uuid4

import pyotp
from playwright.async_api import Page, expect
from xlsxwriter import Workbook

from browser.every_page import Address, declared
from browser.learning_scenes import authoring, packages, playing, studying_offline, tracing, translating
from browser.visiting import Visitor
from trilha.core.web.routes import Route
from trilha.people.users.schema import Role

_WORD = "anticonstitucionalissimamente" * 2
# The fields that a question of each kind needs beside its text.
_QUESTIONS: Mapping[str, Mapping[str, object]] = {
    "single": {"#choice-0": "Dois", "#choice-1": _WORD, "[name=right]": True},
    "multiple": {"#choice-0": "Dois", "#choice-1": _WORD, "[name=right]": True},
    "true_false": {"[name=right]": True},
    "numeric": {"[name=value]": "2,5"},
    "fill_in": {"[name=accepted]": "dois"},
    "essay": {"#criterion-0": "Clareza", "#points-0": "6"},
    "voice": {},
}
Scene = Callable[[Page, Visitor], AsyncIterator[str]]
_MAIN = "main form .btn--primary"
_SHEET = (
    "nome;email;matricula;cargo\n"
    "Bianca Torres;bianca@aurora.test;B1;Analista\n"
    "Renato Viana;renato.viana@aurora;B2;Motorista\n"
    "Tiago Leme;tiago@aurora.test;B3;Motorista\n"
    "Tiago Leme;tiago@aurora.test;B3;Motorista\n"
)
_CLEARED = """(path) => {
    const form = [...document.querySelectorAll("main form[method=post]")]
        .find((each) => new URL(each.action).pathname === path && each.id !== "dialect");
    for (const each of form.elements) {
        if (["checkbox", "radio"].includes(each.type)) each.checked = false;
        else if (!["hidden", "color"].includes(each.type) && each.tagName !== "BUTTON") each.value = "";
    }
    form.noValidate = true;
    form.requestSubmit();
}"""


def refusable(page: Address) -> bool:
    """Tells whether the page has a form that is refused and shown again when it is submitted empty."""
    route = declared().get(("POST", page.path))
    return route is not None and route.refused is page.route.handler and _refuses_nothing(route)


def _refuses_nothing(route: Route) -> bool:
    fields = route.form.__struct_fields__ if route.form else ()
    required = len(fields) - len(route.form.__struct_defaults__) if route.form else 0
    return required > 0


async def send_empty(tab: Page, page: Address) -> bool:
    """Submits the form empty. Returns False if it was not refused."""
    async with tab.expect_navigation():
        await tab.evaluate(_CLEARED, page.url.partition("?")[0])
    return await tab.locator(".summary").count() > 0


async def missing(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/nothing")
    yield "error-404"
    await tab.goto("/admin/people?cursor=nonsense")
    yield "error-400"


async def forbidden(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/settings")
    yield "error-403"


async def no_match(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    for each in ("people", "enrollments", "certificates", "courses", "webhooks", "audit"):
        await tab.goto(f"/admin/{each}?q=zzzzzz")
        yield f"{each}-no-match"


async def offline(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/people")
    await visitor.context.set_offline(True)
    await tab.fill("#q", "ana")
    await expect(tab.locator("#flash [role=alert]")).to_be_visible()
    yield "offline"
    await visitor.context.set_offline(False)


async def menus(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin")
    if await tab.locator(".topbar button").is_visible():
        await tab.click(".topbar button")
        yield "menu"
    await tab.click(".sidebar .account__button")
    yield "account"
    await tab.goto("/admin/units")
    await tab.locator("main table button[popovertarget]").first.click()
    yield "row-actions"
    await tab.goto("/admin/people")
    await tab.click(".filters__more summary")
    yield "more-filters"


async def searching(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/people")
    await tab.keyboard.press("Control+k")
    await expect(tab.get_by_role("option").first).to_be_visible()
    yield "palette"
    await tab.locator(".palette__input").fill("ana")
    await expect(tab.locator("#palette [href^='/admin/people/']").first).to_be_visible()
    yield "palette-results"
    await tab.locator(".palette__input").fill(_WORD)
    await expect(tab.locator(".palette__none")).to_be_visible()
    yield "palette-none"
    await tab.goto("/admin/search?q=ma")
    yield "search-results"
    await tab.goto(f"/admin/search?q={_WORD}")
    yield "search-none"


async def dialogs(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/people")
    await tab.locator("tbody .table__link").first.click()
    await tab.locator(".pagehead__actions button[popovertarget]").click()
    yield "person-actions"
    await tab.locator(".pagehead__actions [href$='/suspend']").click()
    await expect(tab.locator("#dialog[open]")).to_be_visible()
    yield "dialog-suspend"
    await tab.locator("#dialog [data-close]").click()
    await tab.locator(".pagehead__actions button[popovertarget]").click()
    await tab.locator(".pagehead__actions [href$='/erase']").click()
    await tab.locator("#dialog[open] .btn--danger").click()
    await expect(tab.locator("#typed-error")).to_be_visible()
    yield "dialog-erase-wrong"


async def secrets(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    for kind, member, events in (
        ("api-keys", "name", "scopes"),
        ("oauth-clients", "name", "scopes"),
        ("webhooks", "url", "events"),
    ):
        await tab.goto(f"/admin/{kind}/new")
        await tab.fill(f"[name={member}]", "https://erp.example.com/trilha" if kind == "webhooks" else "ERP")
        await tab.locator(f"[name={events}]").first.check()
        await tab.locator(_MAIN).click()
        await tab.wait_for_url("**/secret")
        yield f"{kind}-secret"
    await tab.goto("/admin/scim/tokens/new")
    await tab.fill("[name=name]", "Entra ID")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/secret")
    yield "scim-secret"
    await tab.goto("/admin/xapi-keys/new")
    await tab.fill("[name=name]", "Simulador de empilhadeira")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/secret")
    yield "xapi-keys-secret"


async def temporary_password(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/people/new")
    await tab.fill("[name=name]", "Nova Pessoa")
    await tab.fill("[name=email]", f"{uuid4().hex[:12]}@example.com")
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "person-added"


async def new_address(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Changes a manager's address, which waits for confirmation, and cancels the change."""
    await tab.goto("/admin/people?role=gestor")
    await tab.locator("tbody .table__link").first.click()
    person = tab.url
    await tab.goto(f"{person}/edit")
    await tab.fill("[name=email]", f"{uuid4().hex[:12]}@example.com")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(person)
    yield "new-address-pending"
    await tab.locator("main [href$='/confirm-email']").click()
    await expect(tab.locator("#dialog[open]")).to_be_visible()
    yield "new-address-dialog"
    await tab.goto(f"{person}/discard-email")
    await tab.locator("main form .btn").first.click()
    await tab.wait_for_url(person)


async def importing(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/people/import/new")
    file = {"name": "admissoes.csv", "mimeType": "text/csv", "buffer": _SHEET.encode()}
    await tab.set_input_files("[name=file]", [file])  # type: ignore[list-item]
    yield "import-file-chosen"
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile("/import/[0-9a-f-]{36}$"))
    yield "import-columns"
    await tab.locator(_MAIN).first.click()
    # The worker checks the file, and the page updates itself.
    await tab.locator(".stats").wait_for()
    yield "import-checked"
    await tab.goto(f"{tab.url}/columns")
    yield "import-columns-again"
    await tab.goto("/admin/people/import/new")
    file = {"name": f"{_WORD}.xlsx", "mimeType": "application/octet-stream", "buffer": _make_workbook()}
    await tab.set_input_files("[name=file]", [file])  # type: ignore[list-item]
    await tab.locator("[name=path_id]").select_option(index=1, force=True)
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile("/import/[0-9a-f-]{36}$"))
    yield "import-workbook-columns"
    await tab.locator(_MAIN).first.click()
    await tab.locator(".stats").wait_for()
    yield "import-workbook-checked"
    await tab.locator("main form[action$='/start'] button").click()
    await tab.locator(".stats").first.wait_for()
    yield "import-workbook-done"


def _make_workbook() -> bytes:
    """Builds a workbook with an ignored column, and numbers that have lost their zeros."""
    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Colaboradores")
        for number, row in enumerate(
            [
                ["Relatório de colaboradores"],
                ["Nome do colaborador", "E-mail corporativo", "Matrícula", "Ramal", f"Observações {_WORD}"],
                ["Lia Prado", "lia.prado@example.com", 417, 2031, "Turno da noite"],
                ["Caio Nunes", "caio.nunes@example.com", 418, 2032, _WORD],
                ["Sem e-mail", "caio.nunes@", 419, 2033, ""],
            ]
        ):
            sheet.write_row(number, 0, row)
    return file.getvalue()


async def enrolling(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/enrollments/many/emails")
    await tab.locator("[name=course_id]").select_option(index=1, force=True)
    await tab.fill("[name=emails]", "nobody@example.com, not-an-address")
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "enrollments-many-result"


async def reporting(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/reports/questions")
    options = await tab.locator("[name=course] option").evaluate_all("each => each.map(one => one.value)")
    for number, course in enumerate([each for each in options if each][:3], 1):
        await tab.goto(f"/admin/reports/questions?course={course}")
        yield f"reports-questions-{number}"
    await tab.goto("/admin/reports/files")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile("/files/[0-9a-f-]{36}$"))
    # The worker creates the file, and the page updates itself.
    await tab.locator("a[href$='/download']").wait_for()
    yield "reports-file-ready"
    await tab.goto("/admin/reports/files")
    yield "reports-files-made"


async def reviewing(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/enrollments?status=to_review")
    yield "enrollments-to-review"
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_load_state()
    yield "enrollment-to-review"
    address = await tab.locator("a[href$='/dismiss']").first.get_attribute("href")
    assert address
    await tab.goto(address)
    yield "flag-dismiss"
    await tab.locator(_MAIN).click()
    await expect(tab.locator("#reason-error")).to_be_visible()
    yield "flag-dismiss-refused"
    await tab.goto(address.partition("/flags/")[0])
    await tab.locator("a[href$='/dismiss']").first.click()
    await expect(tab.locator("#dialog[open]")).to_be_visible()
    yield "dialog-flag-dismiss"


async def excusing(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    # The worker judges where people stand.
    await tab.goto("/admin/requirements/matrix?state=MISSING")
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_load_state()
    await tab.locator(".tabs a[href$='/requirements']").click()
    await tab.wait_for_load_state()
    yield "person-requirements"
    await tab.locator("a[href$='/excuse']").first.click()
    await tab.wait_for_load_state()
    yield "person-excuse"


async def external_certificate(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/learn")
    await tab.locator(".course__title a").first.click()
    await tab.wait_for_load_state()
    await tab.goto(f"{tab.url.partition('?')[0]}/external-certificate")
    await tab.locator("#completed_on").fill("2026-01-02")
    await tab.locator("#issuer").fill("Senai São Paulo")
    file = {"name": "nr35.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.7"}
    await tab.locator("input[type=file]").set_input_files(file)
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "external-certificate-sent"
    await tab.goto("/admin/external-certificates")
    yield "external-certificates"
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_load_state()
    yield "external-certificate"


async def asking(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Asks the instructor, answers, and looks at the lists."""
    await tab.goto("/learn")
    await tab.locator(".course__title a").first.click()
    await tab.wait_for_load_state()
    questions = f"{tab.url.partition('?')[0]}/questions"
    await tab.goto(questions)
    await tab.locator("#text").fill(
        "Posso usar o cinto de segurança do meu setor?\n\nEle tem só um talabarte, e o vídeo mostra dois."
    )
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "my-question-waiting"
    await tab.goto("/admin")
    yield "overview-with-question"
    await tab.goto("/admin/learner-questions")
    yield "learner-questions-waiting"
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_load_state()
    yield "learner-question"
    await tab.locator("#text").fill("Não. Acima de dois metros, use sempre o cinto com talabarte duplo.")
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "learner-question-answered"
    await tab.goto("/admin/learner-questions?state=all")
    yield "learner-questions-log"
    await tab.goto(questions)
    yield "my-questions"
    await tab.locator(".notes__text a").first.click()
    await tab.wait_for_load_state()
    yield "my-question-answered"


async def _open_class(tab: Page, title: str) -> None:
    """Opens a class of the demo. Not all of them have people."""
    await tab.goto("/admin/classes?when=month")
    link = await tab.locator("tbody .table__link", has_text=title).get_attribute("href")
    await tab.goto(link or "")


async def classes(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Schedules a class, changes a session, registers a person, and cancels the registration."""
    await _open_class(tab, "Turma da semana")
    here = tab.url.partition("?")[0]
    yield "class-with-people"
    for state in ("waitlisted", "cancelled"):
        await tab.goto(f"{here}?state={state}")
        yield f"class-{state}"
    edit = await tab.locator(".sessions__actions a[href$='/edit']").first.get_attribute("href")
    await tab.goto(edit or "")
    yield "class-session"
    await tab.locator("#ends").fill("00:00")
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "class-session-refused"
    await tab.goto((edit or "").replace("/edit", "/cancel"))
    yield "class-session-cancel"
    await tab.goto(here)
    cancel = await tab.locator("a[href*='/people/'][href$='/cancel']").first.get_attribute("href")
    await tab.goto(cancel or "")
    yield "class-registration-cancel"
    course = await tab.request.get("/admin/classes/new")
    module = re.search(r'<option value="([0-9a-f-]{36})"', await course.text())
    assert module
    await tab.goto(f"/admin/classes/new?module={module[1]}")
    yield "class-new"
    for view in ("month", "week", "list"):
        await tab.goto(f"/admin/calendar?view={view}")
        yield f"calendar-{view}"


async def attending(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """The attendance of a session: the list, one person, the signature, the code for the room, and scans."""
    await _open_class(tab, "Turma de hoje")
    attendance = await tab.locator(".sessions__actions a[href$='/attendance']").first.get_attribute("href")
    await tab.goto(attendance or "")
    yield "attendance"
    person = await tab.locator(".attendance__name").first.get_attribute("href")
    await tab.goto(person or "")
    yield "attendance-person"
    await tab.goto(f"{person}/signature")
    yield "attendance-signature"
    session = (attendance or "").removesuffix("/attendance")
    for page in ("check-in", "scans"):
        await tab.goto(f"{session}/{page}")
        yield f"attendance-{page}"
    await tab.locator("input[type=file]").set_input_files(
        {"name": "lista.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4"}
    )
    await tab.locator(_MAIN).click()
    removal = tab.locator("a[href*='/scans/'][href$='/remove']").first
    await removal.wait_for()
    yield "attendance-scans-one"
    await removal.click()
    await tab.wait_for_url("**/remove")
    yield "attendance-scan-remove"


async def assessing_practice(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """The assessments of the demo: open, waiting for the learner, unsatisfactory, and signed."""
    await tab.goto("/admin/practice")
    yield "practice-modules"
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_load_state()
    yield "practice-people"
    await tab.goto("/admin/practice/assessments")
    yield "practice-assessments"
    for status in ("OPEN", "ASSESSED", "SIGNED"):
        await tab.goto(f"/admin/practice/assessments?status={status}")
        await tab.locator("tbody .table__link").first.click()
        await tab.wait_for_load_state()
        yield f"practice-{status.lower()}"
    await tab.goto(f"{tab.url}/annul")
    yield "practice-annul"


async def rating_practice(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """The assessor rates the items on their phone, and comes to the field to sign."""
    await tab.goto("/admin/practice/assessments?status=OPEN")
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_load_state()
    yield "rate-practice"
    for number in (3, 4):
        await tab.locator(f"#item-{number} button[value=SATISFACTORY]").click()
        await tab.wait_for_load_state()
    yield "sign-practice"


async def signing_practice(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """The practical part of a course, as the learner sees it."""
    await tab.goto("/learn")
    link = tab.locator(".course__title a", has_text="painel").first
    if not await link.count():
        return
    await link.click()
    await tab.wait_for_load_state()
    yield "course-with-practice"
    await tab.locator("a[href*='/practice/']").first.click()
    await tab.wait_for_load_state()
    yield "my-practice"


async def choosing_a_class(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Registers in a class, and cancels it."""
    await tab.goto("/learn")
    yield "home-with-sessions"
    await tab.goto("/learn/calendar?view=list")
    yield "my-calendar-list"
    await tab.goto("/learn/calendar?view=week")
    yield "my-calendar-week"
    link = tab.locator("a[href*='/classes#class-']")
    if not await link.count():
        await tab.goto("/learn/calendar?view=month")
    await tab.goto((await link.first.get_attribute("href") or "").partition("#")[0])
    yield "my-classes"
    await tab.locator("form[action$='/register'] button").first.click()
    await tab.wait_for_load_state()
    yield "my-class-registered"
    await tab.locator("main a[href$='/cancel']").first.click()
    await tab.wait_for_load_state()
    yield "my-class-cancel"


async def acting_on_rows(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Selects enrollments, extends them and undoes it; then saves the filters as a view."""
    await tab.goto("/admin/enrollments?status=open")
    await tab.locator("tbody .tick input").first.check()
    yield "bulk-bar-one"
    if (tab.viewport_size or {"width": 0})["width"] > 1000:  # cards have no heading
        await tab.locator("[data-all]").check()
    yield "bulk-bar-all"
    await tab.locator("button[formaction$='/bulk/set-due-date']").click()
    await tab.wait_for_load_state()
    await tab.locator("#day").fill("2099-01-31")
    yield "bulk-question"
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "bulk-undo"
    undo = tab.locator(".alert__undo .btn")
    if await undo.count():
        result = (await tab.locator(".alert__undo").get_attribute("action") or "").removesuffix("/undo")
        await undo.click()
        await tab.wait_for_load_state()
        yield "bulk-undone"
        await tab.goto(result)
        yield "bulk-result"
    await tab.goto("/admin/enrollments?status=open&sort=updated")
    await tab.goto(await tab.locator("a[href^='/admin/views/new']").get_attribute("href") or "")
    yield "view-new"
    await tab.locator("#name").fill(_WORD[:50])
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "view-saved"
    await tab.goto(
        await tab.locator(".popover a[href*='/edit'][href^='/admin/views/']").get_attribute("href") or ""
    )
    yield "view-edit"
    await tab.goto(tab.url.replace("/edit", "/delete"))
    yield "view-delete"
    await tab.locator("main form .btn--danger").click()
    await tab.wait_for_load_state()


async def asking_for_a_course(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/learn/catalog?q=NR-35")
    await tab.locator(".course__title a").first.click()
    await tab.wait_for_load_state()
    yield "catalog-course"
    ask = tab.locator("main form[action$='/enroll'] .btn--primary")
    if await ask.count():  # in another look, the request waits already
        await ask.click()
        await tab.wait_for_load_state()
        yield "catalog-asked"


async def quizzes(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Creates a quiz with a question of each kind."""
    await tab.goto("/admin/courses")
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_url(re.compile("/courses/[0-9a-f-]{36}$"))
    await tab.goto(f"{tab.url}/modules/new/quiz")
    await tab.fill("[name=title]", "Prova")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/quiz")
    yield "quiz-empty"
    quiz = tab.url
    for kind, fields in _QUESTIONS.items():
        await tab.goto(f"{quiz}/questions/new/{kind}")
        if kind == "single":
            await tab.locator(_MAIN).click()
            await expect(tab.locator(".summary")).to_be_visible()
        yield f"question-{kind}"
        await tab.fill("[name=text]", f"Quantos metros? {_WORD}")
        for selector, value in fields.items():
            field = tab.locator(f"main {selector}").first
            await (field.check() if value is True else field.fill(str(value)))
        await tab.fill("[name=pool]", f"Banco {_WORD}"[:60])
        await tab.locator(_MAIN).click()
        await tab.wait_for_url("**/quiz")
    yield "quiz"
    await tab.locator(".module__body a[href$='/preview']").first.click()
    await expect(tab.locator("#dialog[open]")).to_be_visible()
    yield "question-preview"
    await tab.goto(f"{quiz}/settings")
    yield "quiz-settings"
    await tab.goto(quiz)
    question = await tab.locator(".module__title").first.get_attribute("href")
    for path in ("", "/preview", "/remove", "/media/picture", "/media/audio", "/bank"):
        await tab.goto(f"{question}{path}")
        yield f"question-of-a-quiz{path.replace('/', '-')}"
    await tab.goto(quiz)
    await tab.locator(".module__title").first.click()
    await expect(tab.locator("#editor [name=text]")).to_be_focused()
    yield "quiz-editing"


_GIFT = f"""$CATEGORY: nr-35/básico

De que altura em diante se fala em trabalho em altura? {{=2 metros ~1 metro ~5 metros####Acima de 2 metros.}}

Quais destes são EPIs? {{~%50%Capacete ~%50%Luvas ~%-100%Extintor}}

O cinto de segurança deve ser inspecionado. {{T}}

Associe {{=a -> b =c -> d}}

{_WORD} {{=Brasília =%50%Rio}}
"""


async def question_bank(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Imports questions, and shows the bank and one of its questions."""
    await tab.goto("/admin/questions")
    yield "question-bank-empty"
    await tab.goto("/admin/questions/import")
    await tab.set_input_files(
        "[name=file]", {"name": "nr-35.gift", "mimeType": "text/plain", "buffer": _GIFT.encode()}
    )
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile("/import/[0-9a-f-]{36}$"))
    yield "question-import"
    await tab.fill("[name=tags]", "avaliação final")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/questions")
    yield "question-bank"
    await tab.locator("tbody [name=id]").first.check()
    await tab.locator(".bulk__actions .btn").click()
    await tab.wait_for_url("**/selected")
    yield "question-bank-selected"
    await tab.goto("/admin/questions/new/single")
    yield "question-bank-new"
    await tab.goto("/admin/questions")
    question = await tab.locator("tbody .table__link").first.get_attribute("href")
    for path in ("", "/archive", "/restore"):
        await tab.goto(f"{question}{path}")
        yield f"question-bank-question{path.replace('/', '-')}"
    await tab.goto("/admin/courses")
    await tab.locator("tbody .table__link").first.click()
    await tab.wait_for_url(re.compile("/courses/[0-9a-f-]{36}$"))
    await tab.goto(f"{tab.url}/modules/new/quiz")
    await tab.fill("[name=title]", "Prova do banco")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/quiz")
    await tab.goto(f"{tab.url}/bank")
    yield "quiz-add-from-bank"


async def certificates(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Shows the public page of a certificate before and after it is revoked."""
    await tab.goto("/verify?code=7K2M")
    yield "verify-refused"
    await tab.goto("/verify/0000-0000-0000-0000")
    yield "verify-unknown"
    await tab.goto(f"/verify?file={'0' * 64}")
    yield "verify-unknown-file"
    await tab.goto("/admin/certificates")
    await tab.locator("tbody input[type=checkbox]").first.check()
    yield "certificates-ticked"
    await tab.locator("tbody .table__link").first.click()
    public = await tab.locator("main a[href^='/verify/']").get_attribute("href")
    certificate = tab.url
    assert public
    await tab.goto(public)
    yield "verify-valid"
    await tab.goto(certificate)
    await tab.locator(".pagehead__actions button[popovertarget]").click()
    await tab.locator(".pagehead__actions [href$='/reissue']").click()
    await expect(tab.locator("#dialog[open]")).to_be_visible()
    yield "dialog-reissue"
    await tab.locator("#dialog .btn--primary").click()
    await tab.wait_for_url(lambda url: url.startswith(certificate.rpartition("/")[0]) and url != certificate)
    yield "certificate-reissued"
    await tab.goto(public)
    yield "verify-replaced"
    await tab.goto(certificate)
    yield "certificate-replaced"
    await tab.goto("/admin/certificates?status=valid")
    await tab.locator("tbody .table__link").first.click()
    public = await tab.locator("main a[href^='/verify/']").get_attribute("href")
    certificate = tab.url
    await tab.goto(f"{certificate}/revoke")
    await tab.locator("main .btn--danger").click()
    yield "certificate-revoke-refused"
    await tab.fill("[name=reason]", f"Respostas copiadas {_WORD}")
    typed = (await tab.locator("label[for=typed]").text_content() or "").strip()
    title = await tab.locator("h1").text_content() or ""
    await tab.fill("[name=typed]", _common_end(typed, title))
    await tab.locator("main .btn--danger").click()
    await tab.wait_for_url(certificate)
    yield "certificate-revoked"
    assert public
    await tab.goto(public)
    yield "verify-revoked"


def _common_end(one: str, other: str) -> str:
    """Returns the name at the end of both sentences."""
    words = zip(reversed(one.split()), reversed(other.split()), strict=False)
    same = [a for a, b in words if a == b]
    return " ".join(reversed(same))


async def templates(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/certificates/templates/new")
    await tab.fill("[name=name]", f"NR-35 {_WORD}")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile("/templates/[0-9a-f-]{36}$"))
    editor = tab.url
    yield "template"
    await tab.fill("[name=body]", "{{salary}}")
    await tab.fill("[name=signer_1_name]", f"Rui {_WORD}")
    await tab.locator("main .btn--primary").click()
    await expect(tab.locator(".summary")).to_be_visible()
    yield "template-refused"
    await tab.fill("[name=body]", "concluiu {{course}}")
    await tab.locator("main .btn--primary").click()
    await tab.wait_for_url(editor)
    yield "template-saved"
    await tab.goto("/admin/certificates/templates")
    yield "templates"
    await tab.locator("main a[href$='/archive']").first.click()
    await expect(tab.locator("#dialog[open]")).to_be_visible()
    yield "dialog-template-archive"


async def evaluating(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Evaluates a completed course."""
    await tab.goto("/learn?show=completed")
    await tab.locator(".course__title a").first.click()
    await tab.wait_for_load_state()
    yield "course-completed"
    await tab.goto(f"{tab.url.partition('?')[0]}/evaluation")
    yield "evaluation"
    if not await tab.locator("[name=nps]").count():
        return  # evaluated before, and published since
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "evaluation-refused"
    for name in ("content", "clarity", "instructor", "platform", "applicability"):
        await tab.locator(f"[name={name}][value='4']").check()
    await tab.locator("[name=nps][value='9']").check()
    await tab.locator("#text").fill("Os exemplos são do nosso dia a dia.")
    yield "evaluation-filled"
    await tab.locator(_MAIN).click()
    await tab.wait_for_load_state()
    yield "evaluation-saved"


async def my_certificate(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/learn/certificates")
    await tab.locator("main h2 a").first.click()
    await tab.locator("main a[href^='/learn/enrollments/']").last.click()
    await tab.wait_for_url(re.compile("/enrollments/[0-9a-f-]{36}$"))
    yield "course-with-certificate"
    await tab.goto(f"{tab.url}/certificate?looks=100")
    yield "certificate-takes-long"


async def second_factor(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    """Turns the learner's two-step verification on and off."""
    await tab.goto("/learn/security/authenticator")
    await tab.locator("main form .btn--primary").click()
    key = (await tab.locator("#key, [id^=key]").first.input_value()).replace(" ", "")
    yield "authenticator-code"
    await tab.fill("[name=code]", pyotp.TOTP(key).now())
    await tab.locator(_MAIN).click()
    await tab.locator(".secret").wait_for()
    yield "recovery-codes-shown"
    for path in ("/learn/security", "/learn/security/recovery-codes", "/learn/security/authenticator/remove"):
        await tab.goto(path)
        yield path.removeprefix("/learn/").replace("/", "-") + "-on"
    await tab.fill("[name=password]", visitor.company.password)
    await tab.locator("main form .btn--danger").click()
    await tab.wait_for_url("**/learn/security")
    yield "security-told"


async def signing_in(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto(f"/login?tenant={visitor.company.slug}")
    await tab.fill("[name=email]", "nobody@example.com")
    await tab.fill("[name=password]", "not this one")
    await tab.locator(_MAIN).click()
    yield "login-refused"
    await tab.goto("/login/reset/nothing")
    yield "reset-used"
    await tab.goto("/login/email/nothing")
    yield "new-address-used"


# By the role of the person who performs them.
async def calendar(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/learn/calendar/subscribe")
    await tab.locator("main form[action='/learn/calendar/subscribe'] button").first.click()
    await expect(tab.locator("#address")).to_be_visible()
    yield "calendar-address"
    await tab.goto("/learn/calendar/subscribe")
    yield "calendar-active"


async def video_calls(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/meetings/zoom")
    for name in ("organizer", "account", "client_id", "secret"):
        await tab.fill(f"[name={name}]", "cursos@example.com" if name == "organizer" else f"{name}-1")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/admin/meetings")
    yield "video-calls-zoom"
    await tab.goto("/admin/meetings/zoom/remove")
    yield "video-calls-remove"


async def xapi_pipes(tab: Page, visitor: Visitor) -> AsyncIterator[str]:
    await tab.goto("/admin/xapi-pipes")
    yield "xapi-pipes-empty"
    await tab.goto("/admin/xapi-pipes/new")
    await tab.locator(_MAIN).click()
    yield "xapi-pipes-new-errors"
    fields = {
        "name": "LRS da área de análise de dados da matriz e de todas as filiais",
        "url": "https://93.184.216.34/data/xAPI",
        "username": "trilha",
        "password": "s3cret",
        "verbs": "http://adlnet.gov/expapi/verbs/completed\nhttp://adlnet.gov/expapi/verbs/passed",
        "activity_prefix": "https://cursos.example.com/activities/",
    }
    for name, value in fields.items():
        await tab.fill(f"[name={name}]", value)
    await tab.locator(_MAIN).click()
    await tab.wait_for_url(re.compile(r"/admin/xapi-pipes/[0-9a-f-]{36}$"))
    yield "xapi-pipes-pipe"
    for each in ("edit", "pause", "delete"):
        await tab.goto(f"{tab.url.rstrip('/')}/{each}")
        yield f"xapi-pipes-{each}"
        await tab.go_back()
    await tab.goto("/admin/xapi-pipes")
    yield "xapi-pipes-list"
    await tab.goto("/admin/settings/statements")
    await tab.check("[name=recorded]")
    await tab.locator(_MAIN).click()
    await tab.wait_for_url("**/admin/settings/statements")
    yield "settings-statements-on"


SCENES: Mapping[Role | None, tuple[Scene, ...]] = {
    None: (signing_in,),
    "admin": (
        missing,
        no_match,
        offline,
        acting_on_rows,
        menus,
        searching,
        dialogs,
        secrets,
        temporary_password,
        new_address,
        importing,
        enrolling,
        reporting,
        reviewing,
        excusing,
        external_certificate,
        asking,
        classes,
        attending,
        assessing_practice,
        quizzes,
        question_bank,
        packages,
        authoring,
        translating,
        tracing,
        certificates,
        templates,
        video_calls,
        xapi_pipes,
    ),
    "gestor": (forbidden,),
    "instrutor": (rating_practice,),
    "learner": (
        *(second_factor, playing, studying_offline, evaluating, my_certificate),
        *(signing_practice, asking_for_a_course, calendar, choosing_a_class),
    ),
}
# Scenes that wait for the worker.
BY_WORKER = (importing, packages, reporting, excusing)
