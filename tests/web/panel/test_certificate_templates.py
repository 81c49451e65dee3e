"""/admin/certificates/templates"""

import re
from html import unescape
from io import BytesIO
from uuid import UUID

import httpx2
import pytest
from PIL import Image, ImageDraw

from conftest import World
from training.certificates.holders import completed, row
from trilha.training.certificates.templates import queries
from trilha.training.certificates.templates.schema import Template
from web.panel.training_pages import browsing, flash, send, teach

LIST = "/admin/certificates/templates"
FORM = {
    "step": "save",
    "name": "NR-35",
    "design": "modern",
    "orientation": "portrait",
    "colours": "usual",
    "logo_from": "company",
    "syllabus": "true",
}


def signature() -> bytes:
    drawn = Image.new("RGBA", (400, 120))
    ImageDraw.Draw(drawn).line((10, 60, 390, 40), fill="navy", width=5)
    written = BytesIO()
    drawn.save(written, "PNG")
    return written.getvalue()


async def created(client: httpx2.AsyncClient, name: str = "NR-35") -> str:
    answer = await send(client, f"{LIST}/new", name=name, design="modern", orientation="portrait")
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


async def read(world: World, address: str) -> Template:
    async with world.tx() as tx:
        return await queries.get(tx, UUID(address.rpartition("/")[2]))


def pictures(page: str) -> list[str]:
    return [unescape(each) for each in re.findall(r'src="([^"]+preview\.webp[^"]*)"', page)]


async def test_one_is_the_companys_once_somebody_says_so(world: World) -> None:
    admin = await browsing(world)
    assert "Built-in template" in (await admin.get(LIST)).text
    one = await created(admin)
    assert not (await read(world, one)).is_default
    await send(admin, f"{one}/default")
    assert (await read(world, one)).is_default
    two = await created(admin, "NR-11")
    assert not (await read(world, two)).is_default
    refused = await send(admin, f"{LIST}/new", name="NR-11", design="classic", orientation="landscape")
    assert refused.status_code == 422
    assert "Another template already has this name" in refused.text
    await send(admin, f"{two}/default")
    assert (await read(world, two)).is_default
    await send(admin, f"{LIST}/builtin")
    assert not (await read(world, two)).is_default
    assert flash(await send(admin, f"{two}/archive")) == "NR-11 was archived."
    page = (await admin.get(LIST)).text
    assert ">NR-35</a>" in page
    assert ">NR-11</a>" not in page


async def test_what_it_says_and_who_signs(world: World) -> None:
    admin = await browsing(world)
    address = await created(admin)
    files = {"signer_1_file": ("a.png", signature(), "image/png")}
    said = {
        "title": "Diploma",
        "body": "fez {curso}",
        "signer_1_name": "Rui Paz",
        "signer_1_role": "Diretor",
    }
    own = {"colours": "own", "colour": "#112233", "accent": "#aa7700", "signer_2_name": "Eva Sol"}
    assert (await send(admin, address, files=files, **FORM | said | own)).status_code == 303
    kept = await read(world, address)
    assert (kept.texts.title, kept.texts.body, kept.colour) == ("Diploma", "fez {{course}}", "#112233")
    assert [(each.name, each.role) for each in kept.signatories] == [("Rui Paz", "Diretor"), ("Eva Sol", "")]
    picture = kept.signatories[0].picture
    assert picture
    # A template of the same kind is shown, and not saved yet.
    up = said | own | {"signer_1_picture": picture, "step": "up_2"}
    shown = await send(admin, address, files={"logo_file": ("", b"")}, **FORM | up)
    assert shown.status_code == 200
    assert 'name="signer_1_name" type="text" value="Eva Sol"' in shown.text
    assert f'name="signer_2_picture" value="{picture}"' in shown.text
    assert [each.name for each in (await read(world, address)).signatories] == ["Rui Paz", "Eva Sol"]
    again = said | {"signer_1_picture": picture, "signer_1_remove": "true"}
    assert (await send(admin, address, files={"logo_file": ("", b"")}, **FORM | again)).status_code == 303
    kept = await read(world, address)
    assert [(each.name, each.picture) for each in kept.signatories] == [("Rui Paz", None)]
    assert kept.colour is None


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"body": "por {{wage}}"}, "There is no placeholder {wage}. Use one of the list."),
        ({"body": "com {notta}"}, "There is no placeholder {notta}. Did you mean {score}?"),
        ({"signer_1_name": "Eva", "signer_1_role": "{50%}"}, "There is no placeholder {50%}."),
        ({"colours": "own", "colour": "#ffffee", "accent": "#000000"}, "too light for white paper"),
        ({"signer_1_role": "Diretor"}, "This text is too short. Enter a few more characters."),
        ({"logo_from": "own"}, "Choose a logo image."),
        ({"name": " "}, ""),
    ],
)
async def test_what_is_wrong_is_shown_again(world: World, wrong: dict[str, str], sentence: str) -> None:
    admin = await browsing(world)
    address = await created(admin)
    refused = await send(admin, address, files={"logo_file": ("", b"")}, **FORM | {"intro": "Olá"} | wrong)
    assert refused.status_code == 422
    assert sentence in refused.text
    assert 'value="Olá"' in refused.text
    assert (await read(world, address)).texts.intro == ""


async def test_a_file_that_is_no_image_is_refused(world: World) -> None:
    admin = await browsing(world)
    address = await created(admin)
    files = {"signer_1_file": ("a.png", b"<svg onload=alert(1)>", "image/png")}
    refused = await send(admin, address, files=files, **FORM | {"signer_1_name": "Rui"})
    assert refused.status_code == 422
    assert "Choose an image in PNG, JPEG or WebP." in refused.text


async def test_the_preview_follows_the_fields(world: World) -> None:
    admin = await browsing(world)
    address = await created(admin)
    (saved,) = pictures((await admin.get(address)).text)
    part = (await admin.get(f"{LIST}/preview", params=FORM | {"title": "#text(red)[Diploma]"})).text
    assert "<html" not in part
    (typed,) = pictures(part)
    drawn = [await admin.get(each) for each in (saved, typed)]
    for each in drawn:
        assert each.headers["content-type"] == "image/webp"
        assert Image.open(BytesIO(each.content)).size[0] > 400
    assert drawn[0].content != drawn[1].content
    half = await admin.get(f"{LIST}/preview", params=FORM | {"title": "{{na}}"})
    assert half.status_code == 200
    assert pictures(half.text) == []
    # Without scripts, a button shows it, which saves nothing.
    shown = await send(
        admin, address, files={"logo_file": ("", b"")}, **FORM | {"step": "preview", "title": "Diploma"}
    )
    assert "title=Diploma" in pictures(shown.text)[0]
    assert (await read(world, address)).texts.title == ""
    other = await admin.get(
        f"{LIST}/preview.webp", params=FORM | {"logo_from": "own", "logo": "0" * 32 + ".png"}
    )
    assert other.status_code == 404


async def test_a_course_has_a_template_of_its_own(world: World) -> None:
    admin = await browsing(world)
    await created(admin, "Usual")
    address = await created(admin)
    template = address.rpartition("/")[2]
    course = await world.course(title="Altura")
    edit = f"/admin/courses/{course}/edit"
    assert f'<option value="{template}">NR-35</option>' in (await admin.get(edit)).text
    form = {"title": "Altura", "duration_hours": "1", "certificate_template": template}
    assert (await send(admin, edit, **form)).status_code == 303
    assert f'<option value="{template}" selected>NR-35</option>' in (await admin.get(edit)).text
    id = await completed(world, enrollment=await world.enrollment(course_id=course))
    assert str((await row(world, id))["template_id"]) == template
    await send(admin, f"{address}/archive")
    other = await world.user()
    id = await completed(world, enrollment=await world.enrollment(course_id=course, user_id=other["id"]))
    assert str((await row(world, id))["template_id"]) != template


async def test_who_teaches_chooses_and_does_not_edit(world: World) -> None:
    address = await created(await browsing(world))
    teacher = await browsing(world, "instrutor")
    course = await world.course()
    await teach(world, course, UUID(teacher.headers["x-user-id"]))
    assert "NR-35" in (await teacher.get(f"/admin/courses/{course}/edit")).text
    for path in (LIST, address, f"{LIST}/preview.webp?name=x"):
        assert (await teacher.get(path)).status_code == 403
