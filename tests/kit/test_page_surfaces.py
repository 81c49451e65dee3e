"""The files that pages load, the switches, and error pages."""

import gzip
from typing import Any

import httpx2
import pytest

from browser.gallery.server import make_app
from trilha.kit import assets, brand


@pytest.fixture
def http() -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=make_app())
    return httpx2.AsyncClient(transport=transport, base_url="http://trilha.test")


@pytest.mark.parametrize("name", ["font", "icon", "styles", "script"])
async def test_an_asset_is_kept_for_ever(http: httpx2.AsyncClient, name: str) -> None:
    address = assets.url(name)
    whole = await http.get(address, headers={"accept-encoding": "identity"})
    assert whole.status_code == 200
    assert whole.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert whole.content == assets.assets()[name].content
    again = await http.get(address, headers={"if-none-match": whole.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    stale = await http.get(address.replace(".", ".0", 1))
    assert (stale.status_code, stale.headers.get("cache-control")) == (404, None)


async def test_what_is_packed_unpacks(http: httpx2.AsyncClient) -> None:
    packed = assets.assets()["script"].packed
    assert packed is not None
    assert gzip.decompress(packed) == assets.assets()["script"].content
    answer = await http.get(assets.url("script"), headers={"accept-encoding": "gzip, br"})
    assert answer.headers["content-encoding"] == "gzip"
    assert int(answer.headers["content-length"]) == len(packed) < 29 * 1024
    assert answer.headers["vary"] == "accept-encoding"


@pytest.mark.parametrize(
    ("accepted", "is_packed"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("*;q=0, gzip", True),
        ("gzip;q=0, *", False),
        ("identity", False),
        ("br, gzip;q=0.0", False),
        ("xgzip", False),
        ("", False),
    ],
)
async def test_pages_are_packed_for_who_takes_it(
    http: httpx2.AsyncClient, accepted: str, is_packed: bool
) -> None:
    whole = await http.get("/gallery/sign-in", headers={"accept-encoding": "identity"})
    answer = await http.get("/gallery/sign-in", headers={"accept-encoding": accepted})
    assert answer.text == whole.text
    assert answer.headers.get("content-encoding") == ("gzip" if is_packed else None)
    assert "accept-encoding" in answer.headers["vary"]
    assert answer.headers["vary"] == whole.headers["vary"]
    if is_packed:
        assert int(answer.headers["content-length"]) < len(whole.content) / 2


async def test_a_brand(http: httpx2.AsyncClient) -> None:
    answer = await http.get(brand.address("#b3005e"))
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert "--brand:#b3005e" in answer.text
    assert (await http.get("/brand/b3005e-00000000.css")).status_code == 404


async def test_a_choice_is_kept_in_a_cookie(http: httpx2.AsyncClient) -> None:
    chosen = {"theme": "dark", "locale": "en", "next": "/gallery/sign-in"}
    answer = await http.post("/preferences", data=chosen)
    assert (answer.status_code, answer.headers["location"]) == (303, "/gallery/sign-in")
    page = await http.get("/gallery/sign-in")
    assert '<html lang="en" data-theme="dark">' in page.text
    away = await http.post("/preferences", data={"theme": "auto", "next": "//evil.example"})
    assert away.headers["location"] == "/"
    assert '<html lang="en">' in (await http.get("/gallery/sign-in")).text


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (403, "Você não tem acesso"),
        (404, "Página não encontrada"),
        (409, "Outra pessoa alterou"),
        (429, "Tentativas demais"),
        (500, "Ocorreu um erro no sistema"),
        (503, "Voltamos já"),
    ],
)
async def test_a_failure_is_a_page(http: httpx2.AsyncClient, status: int, words: str) -> None:
    answer = await http.get(f"/gallery/failures/{status}")
    assert answer.status_code == status
    assert words in answer.text
    assert (answer.headers["x-request-id"] in answer.text) == (status >= 500)
    assert answer.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    part = await http.get(f"/gallery/failures/{status}", headers={"hx-request": "true"})
    assert part.status_code == status
    assert part.text.startswith('<div class="alert" data-state="bad" role="alert">')


async def test_who_is_not_signed_in_is_led_there_and_back(http: httpx2.AsyncClient) -> None:
    plain = await http.get("/gallery/failures/401?brand=b&wrong=ã")
    assert plain.status_code == 303
    assert plain.headers["location"] == "/login?next=/gallery/failures/401%3Fbrand%3Db%26wrong%3D%25C3%25A3"
    headers = {"hx-request": "true", "hx-current-url": "https://evil.example/gallery/list?q=a"}
    part = await http.get("/gallery/failures/401", headers=headers)
    assert (part.status_code, part.headers["hx-redirect"]) == (204, "/login?next=/gallery/list%3Fq%3Da")


async def test_a_flash_is_told_once(http: httpx2.AsyncClient) -> None:
    told = await http.post("/gallery/confirm", data={"typed": "Ana Beatriz Lima"})
    assert told.status_code == 303
    cookie = told.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    first, second = [(await http.get("/gallery/list")).text for _ in range(2)]
    assert "foram apagados" in first
    assert "foram apagados" not in second


@pytest.mark.parametrize("cookie", ["x", "%%%", "W10=", "WyJvayJd", "bnVsbA==", "WyJldmlsIiwieCJd"])
async def test_a_cookie_of_anothers_making_is_no_flash(http: httpx2.AsyncClient, cookie: str) -> None:
    answer = await http.get("/gallery/list", headers={"cookie": f"trilha_flash={cookie}"})
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers


async def test_what_people_write_is_text(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/gallery/list", params={"q": "<script>alert(1)</script>\"'"})
    assert "<script>alert" not in answer.text
    assert "&lt;script&gt;alert" in answer.text


async def test_the_summary_names_the_fields_in_their_order(http: httpx2.AsyncClient) -> None:
    page: Any = (await http.get("/gallery/form?wrong=1")).text
    assert "<title>Erro: " in page
    summary = page[page.index('class="summary"') : page.index("<h1>")]
    labels = ["Nome completo: ", "E-mail: ", "Papel: "]
    assert [summary.index(label) for label in labels] == sorted(summary.index(label) for label in labels)
    assert 'aria-describedby="email-hint email-error" aria-invalid="true"' in page
