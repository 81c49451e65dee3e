"""The gallery as a surface, and a server for it that needs no database."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct, structs
from uvicorn import Server

from trilha import kit
from trilha.core.clock import system_clock
from trilha.core.database import Database
from trilha.core.database.logins import ServingUrls
from trilha.core.errors import (
    Conflict,
    Forbidden,
    InternalError,
    Invalid,
    NotFound,
    RateLimited,
    Unauthenticated,
    problem,
)
from trilha.core.secrets import Keyring
from trilha.core.web.admission import Admission
from trilha.core.web.answers import Answer, Html
from trilha.core.web.callers import PUBLIC
from trilha.core.web.gateway import Gateway
from trilha.core.web.request import Request
from trilha.core.web.routes import Routes
from trilha.core.web.surface import Surface
from trilha.kit import Form, MenuItem, Page, brand, rendering
from trilha.serving import config_of

rendering.EXTRA["gallery"] = Path(__file__).parent
NOW = datetime(2026, 11, 21, 17, 32, tzinfo=UTC)
LONG = (
    "Treinamento obrigatório de segurança do trabalho em altura para equipes de manutenção predial "
    "da unidade de São José"
)
LONGEST_WORD = "anticonstitucionalissimamente" * 4
assert len(LONG) < 120 < len(LONG) + 10
MENU = (
    MenuItem(label="Visão geral", href="/gallery", icon="layout-dashboard"),
    MenuItem(label="Pessoas", href="/gallery/list", icon="users", section="Treinamento"),
    MenuItem(label="Matrículas", href="/gallery/long", icon="graduation-cap", section="Treinamento"),
    MenuItem(label="Cursos", href="/gallery/courses", icon="book-open", section="Treinamento"),
    MenuItem(label="Relatórios", href="/gallery/charts", icon="chart-column", section="Treinamento"),
    MenuItem(label="Chaves de API", href="/gallery/text", icon="key-round", section="Integração"),
    MenuItem(label="Webhooks", href="/gallery/states", icon="webhook", section="Integração"),
    MenuItem(label="Configurações", href="/gallery/form", icon="settings", section="Empresa"),
)
LEARNER_MENU = (
    MenuItem(label="Meus cursos", href="/gallery/learner", icon="book-open"),
    MenuItem(label="Certificados", href="/gallery/certificates", icon="award"),
    MenuItem(label="Perfil", href="/gallery/profile", icon="circle-user-round"),
)
NAMES = (
    "Ana Beatriz Lima",
    "Bruno Carvalho",
    "Célia Nogueira",
    "Diego Fontes",
    "Elisa Prado",
    "Fábio Antunes",
)
PEOPLE = [
    {
        "id": str(number),
        "name": NAMES[number % len(NAMES)],
        "email": f"pessoa.{number}@aurora.example",
        "unit": ("Matriz", "Fábrica Campinas", "Loja Recife")[number % 3],
        "state": ("ok", "ok", "warn", "")[number % 4],
        "status": ("Ativa", "Ativa", "Suspensa", "Inativa")[number % 4],
        "courses": number * 7 % 40,
        "seen": NOW - timedelta(hours=5 * number, minutes=3),
    }
    for number in range(12)
]
TEMPLATES = ("states", "text", "charts", "covers", "job")
routes = Routes("Gallery", "Every component.")


class Search(Struct, frozen=True):
    q: str = ""
    status: str = ""
    unit: str = ""
    role: str = ""
    cursor: str = ""


class Typed(Struct, frozen=True):
    typed: str = ""
    csrf_token: str = ""


class Look(Struct, frozen=True):
    brand: str = ""
    wrong: str = ""


def page(request: Request, **changed: Any) -> Page:
    """Returns the page of a signed-in person."""
    menu = tuple(structs.replace(each, current=each.href == request.full_path) for each in MENU)
    shown: dict[str, Any] = {
        "tenant_name": "Aurora Alimentos",
        "home": "/gallery",
        "viewer_name": "Marina Duarte",
        "account": (kit.MenuItem(label="My profile", href="/gallery/profile", icon="circle-user-round"),),
        "menu": menu,
        "csrf_token": "t0ken",
        "now": NOW,
    }
    return structs.replace(kit.page_of(request), **(shown | changed))


@routes.get("", access=PUBLIC)
async def show_overview(request: Request, query: Look) -> Html:
    address = brand.address(f"#{query.brand}") if query.brand else None
    return kit.render("gallery/overview.html", page(request, brand_url=address), now=NOW)


@routes.get("/list", access=PUBLIC)
async def list_people(request: Request, query: Search) -> Html:
    found = [each for each in PEOPLE if query.q.lower() in str(each["name"]).lower()]
    found = [each for each in found if not query.status or each["status"] == query.status]
    start = int(query.cursor or 0)
    following = f"/gallery/list?q={query.q}&cursor={start + 6}" if len(found) > start + 6 else ""
    template = "list"
    if request.header(b"hx-request"):
        template = "_rows" if query.cursor else "_list"
    told = {"people": found[start : start + 6], "total": len(found), "query": query, "following": following}
    return kit.render(f"gallery/{template}.html", page(request), **told)


@routes.get("/long", access=PUBLIC)
async def show_long(request: Request) -> Html:
    """Shows names of 120 characters, and an endless word."""
    person = PEOPLE[0] | {"name": LONG, "email": f"{LONGEST_WORD}@aurora.example", "unit": LONG}
    word = PEOPLE[1] | {"name": LONGEST_WORD, "unit": LONGEST_WORD}
    shown = page(request, tenant_name=LONG, viewer_name=LONG, homologation=True)
    shown = structs.replace(shown, flash=kit.Flash("warn", f"{LONG} {LONGEST_WORD}"))
    return kit.render(
        "gallery/long.html", shown, people=[person, word], long=LONG, word=LONGEST_WORD, now=NOW
    )


@routes.get("/form", access=PUBLIC)
async def show_form(request: Request, query: Look) -> Html:
    if query.wrong:
        values = {"name": "", "email": "ana@", "units": ["1"], "note": LONG}
        error = Invalid(
            [problem("name", "required"), problem("email", "invalid_email"), problem("role", "required")]
        )
        return kit.render(
            "gallery/form.html", page(request), status=422, form=kit.build_refused_form(values, error)
        )
    return kit.render("gallery/form.html", page(request), form=Form({"name": "Ana Lima", "role": "learner"}))


@routes.get("/confirm", access=PUBLIC)
async def ask(request: Request) -> Html:
    return kit.render("gallery/confirm.html", page(request), form=Form())


@routes.post("/confirm", access=PUBLIC)
async def confirm(request: Request, form: Typed) -> Answer:
    if form.typed != "Ana Beatriz Lima":
        told = Form({}, {"typed": "Digite o nome exatamente como aparece."})
        return kit.render("gallery/confirm.html", page(request), status=422, form=told)
    return kit.redirect(request, "/gallery/list", "ok", "Os dados de Ana Beatriz Lima foram apagados.")


@routes.get("/empty", access=PUBLIC)
async def show_empty(request: Request) -> Html:
    return kit.render("gallery/empty.html", page(request))


@routes.get("/learner", access=PUBLIC)
async def show_learner(request: Request) -> Html:
    menu = tuple(structs.replace(each, current=each.href == request.full_path) for each in LEARNER_MENU)
    return kit.render("gallery/learner.html", page(request, menu=menu), now=NOW)


@routes.get("/sign-in", access=PUBLIC)
async def sign_in(request: Request, query: Look) -> Html:
    shown = structs.replace(kit.page_of(request), tenant_name="Aurora Alimentos", home="/gallery/sign-in")
    general = "O e-mail ou a senha não está certo." if query.wrong else ""
    form = Form({"email": "marina@aurora.example"}, general=general)
    return kit.render("gallery/sign_in.html", shown, status=422 if query.wrong else 200, form=form)


@routes.get("/public", access=PUBLIC)
async def show_public(request: Request) -> Html:
    shown = structs.replace(kit.page_of(request), now=NOW, home="/gallery/public")
    return kit.render("gallery/public.html", shown, now=NOW)


@routes.get("/failures/{code}", access=PUBLIC)
async def fail(code: str, query: Look) -> Html:
    failures = {
        "401": Unauthenticated("credential_missing"),
        "403": Forbidden("insufficient_scope"),
        "404": NotFound("route_not_found"),
        "409": Conflict("idempotency_in_progress"),
        "429": RateLimited("rate_limit_exceeded"),
        "500": InternalError("internal_error"),
        "503": InternalError("unavailable"),
    }
    raise failures[code]


@routes.get("/parts/{name}", access=PUBLIC)
async def show_part(request: Request, name: str) -> Html:
    if name not in TEMPLATES:
        raise NotFound("route_not_found")
    return kit.render(f"gallery/{name}.html", page(request), now=NOW)


SURFACE = Surface(
    name="gallery",
    prefixes=["/gallery"],
    features=[routes],
    errors=kit.PageErrors(),
    media_type="text/html",
    headers=kit.HEADERS,
)


def make_app() -> Any:
    """Creates the application. Nothing in it queries the database."""
    keyring = Keyring([b"k" * 32])
    nowhere = Database(ServingUrls("postgresql:///", "postgresql:///"), system_clock, keyring)
    elsewhere = Surface(name="elsewhere", prefixes=[""], features=[])
    gateway = Gateway([SURFACE, *kit.SURFACES, elsewhere], nowhere, Admission(nowhere, []))

    async def without_lifespan(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while True:
                kind = (await receive())["type"]
                await send({"type": f"{kind}.complete"})
                if kind == "lifespan.shutdown":
                    return
        await gateway(scope, receive, send)

    return without_lifespan


def main() -> None:
    Server(config_of("browser.gallery.server:make_app", factory=True, port=int(sys.argv[1]))).run()
