"""The content of certificates, extracted from the PDF by independent tools, and hostile content in it."""

import io
import os
import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pypdf
import pytest
from PIL import Image

from conftest import CPF, World
from training.certificates.paperwork import EVIDENCE, Paperwork
from training.certificates.test_signatures import PASSWORD, archive
from trilha.core.types import Name
from trilha.training.certificates.signatures import actions as signatures
from trilha.training.certificates.signatures import identities
from trilha.training.certificates.templates import actions as templates
from trilha.training.certificates.templates import pictures
from trilha.training.certificates.templates.schema import (
    Line,
    NewTemplate,
    Passage,
    PictureName,
    Signer,
    Texts,
)

LIBRARY = Path(__file__).parent / "verapdf" / "lib"
RTL = "שלום בן־גוריון"
NAMES = {
    "accents": "João Gonçalves de Araújo Conceição",
    "long": " ".join(["Maximiliano"] * 10),
    "one long word": "W" * 120,
    "Hebrew": RTL,
    "Arabic": "محمد علي بن عبد الله",
    "Chinese, Japanese, Korean": "山田太郎 김철수 们",
    "emoji": "Ana 👩‍🚀 🇧🇷 ❤️",
    "no font has these": "ก \u0378 \U000f0000",
    "turned around": "Ana\u202eamiL\u202c\u2067",
}
MARKUP = (
    '#panic("x") $x$ *b* _i_ `c` <l> @r // /* \\ #{while true {}} #import "@preview/a:0.1.0" '
    '#read("/etc/passwd") = h'
)


@pytest.fixture
async def paperwork(world: World, tmp_path: Path) -> AsyncIterator[Paperwork]:
    made = Paperwork(world, tmp_path)
    yield made
    await made.close()


def tool(name: str) -> str:
    """Returns a program that CI installs. Elsewhere, the test is skipped if it is missing."""
    if (found := shutil.which(name)) is None:
        if os.environ.get("CI"):
            pytest.fail(f"{name} is not installed")
        pytest.skip(f"{name} is not installed")
    return found


def ran(folder: Path, program: str, *arguments: str | Path) -> str:
    """Runs a command and returns its output."""
    command = [tool(program), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout.decode()


def text_of(pdf: bytes, folder: Path) -> str:
    """Extracts the text with pdftotext."""
    (folder / "text.pdf").write_bytes(pdf)
    return " ".join(ran(folder, "pdftotext", "-raw", "text.pdf", "-").split())


async def dress(paperwork: Paperwork, **members: Any) -> None:
    async with paperwork.world.tx() as tx:
        made = await templates.create(tx, NewTemplate(name=Name("Padrão"), **members))
        await templates.make_default(tx, made.id)


@pytest.mark.parametrize("design", ["classic", "modern"])
@pytest.mark.parametrize("orientation", ["landscape", "portrait"])
async def test_it_says_all_there_is_to_say(
    paperwork: Paperwork, tmp_path: Path, design: Any, orientation: Any
) -> None:
    world = paperwork.world
    await dress(
        paperwork,
        design=design,
        orientation=orientation,
        signatories=[Signer(name=Name("Carla Dias"), role=Line("Diretora de {{company}}"))],
        texts=Texts(closing=Passage("Em {{completed_on}}, com {{ workload }}.")),
    )
    course = await world.course(
        title="Direção defensiva",
        duration_hours=40,
        certificate_validity_months=24,
        regulation={"kind": "traffic", "minimum_workload_minutes": 0, "required_profile_fields": []},
        modules=[{"title": "Legislação", "duration_minutes": 90}],
    )
    pdf = await paperwork.rendered(course=course, cpf=CPF)
    [row] = (await paperwork.rows()).values()

    text = text_of(pdf, tmp_path)
    code = "-".join(row["code"][at : at + 4] for at in range(0, 16, 4))
    for said in (
        *("João Gonçalves de Araújo Conceição", "CPF 529.982.247-25", "Direção defensiva", "40 horas"),
        *("92,5%", world.tenant.name, "Carla Dias", f"Diretora de {world.tenant.name}", code),
        *("Curso regulamentado: trânsito.", "Legislação", "1 h 30 min", "Válido até".upper()),
        *("Conteúdo programático", f"nº {EVIDENCE.number}", EVIDENCE.hash.hex(), "com 40 horas."),
    ):
        assert said.casefold() in text.casefold(), (said, text)
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    assert reader.metadata is not None
    assert reader.metadata.author == world.tenant.name
    assert "João Gonçalves de Araújo Conceição" in (reader.metadata.title or "")
    root: Any = reader.trailer["/Root"]
    assert root["/Lang"] == "pt-BR"
    assert root["/MarkInfo"]["/Marked"]


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
async def test_every_name_has_a_certificate(paperwork: Paperwork, tmp_path: Path, name: str) -> None:
    pdf = await paperwork.rendered(names=[name])
    assert len(pypdf.PdfReader(io.BytesIO(pdf)).pages) == 2
    if name in (NAMES["accents"], NAMES["long"]):
        assert name in text_of(pdf, tmp_path)
    if name == NAMES["turned around"]:
        assert "AnaamiL" in text_of(pdf, tmp_path)


async def test_markup_is_shown_as_it_is(paperwork: Paperwork, tmp_path: Path) -> None:
    await dress(
        paperwork,
        texts=Texts(body=Passage(MARKUP), footer=Passage(MARKUP)),
        signatories=[Signer(name=Name(MARKUP[:120]), role=Line(MARKUP[:120]))],
    )
    course = await paperwork.world.course(title=MARKUP, modules=[{"title": MARKUP, "duration_minutes": 1}])
    name = MARKUP[:100] + " {{code}}"
    text = text_of(await paperwork.rendered(names=[name], course=course), tmp_path)
    for said in (
        "#panic",
        "#{while true {}}",
        '#read("/etc/passwd")',
        "$x$ *b* _i_ `c` <l> @r // /*",
        "{{code}}",
    ):
        assert said in text.replace("\u201c", '"').replace("\u201d", '"'), (said, text)
    assert "root:" not in text


async def test_the_code_is_read_back(paperwork: Paperwork, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(await paperwork.rendered())
    [row] = (await paperwork.rows()).values()
    ran(tmp_path, "pdftoppm", "-r", "150", "-png", "-singlefile", "a.pdf", "page")
    read = ran(tmp_path, "zbarimg", "-q", "--raw", "page.png")
    code = "-".join(row["code"][at : at + 4] for at in range(0, 16, 4))
    assert read.strip() == f"{paperwork.address}/verify/{code}"


async def test_the_badge_is_attached(paperwork: Paperwork, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(await paperwork.rendered())
    [row] = (await paperwork.rows()).values()
    ran(tmp_path, "pdfdetach", "-save", "1", "-o", "badge", "a.pdf")
    assert (tmp_path / "badge").read_text() == row["badge"]


async def test_an_independent_validator_finds_pdf_a(paperwork: Paperwork, tmp_path: Path) -> None:
    if not LIBRARY.is_dir() or shutil.which("java") is None:
        pytest.skip("veraPDF is not installed: see tests/training/certificates/verapdf/pom.xml")
    await dress(paperwork, design="modern", orientation="portrait")
    (tmp_path / "plain.pdf").write_bytes(await paperwork.rendered(names=[f"{RTL} 山田 👩‍🚀"]))
    async with paperwork.world.tx() as tx:
        await signatures.put(tx, identities.read(archive(), PASSWORD, tx.now))
    (tmp_path / "signed.pdf").write_bytes(await paperwork.rendered())
    plain = (tmp_path / "plain.pdf").read_bytes()
    (tmp_path / "broken.pdf").write_bytes(plain + b"after the end")
    found = ran(
        tmp_path,
        "java",
        *("-cp", f"{LIBRARY}/*", LIBRARY.parent / "Check.java", "plain.pdf", "signed.pdf", "broken.pdf"),
    )
    assert [line for line in found.splitlines() if line.startswith(("true", "false"))] == [
        "true plain.pdf declares 3b",
        "true signed.pdf declares 3b",
        "false broken.pdf declares 3b",
    ], found


async def test_an_own_logo_and_signatures_are_shown(paperwork: Paperwork, tmp_path: Path) -> None:
    image = tmp_path / "sent.png"
    Image.effect_noise((900, 300), 60).convert("RGB").save(image)
    picture = pictures.read(image, image.stat().st_size, "signature")
    async with paperwork.world.tx() as tx:
        name = PictureName(await templates.keep_picture(paperwork.files, tx, picture))
    without = await paperwork.rendered()
    await dress(
        paperwork,
        signatories=[Signer(name=Name("Carla"), picture=name), Signer(name=Name("Davi"), picture=name)],
        logo_from="own",
        logo=name,
    )
    pdf = await paperwork.rendered()
    # Shown three times and embedded once.
    assert len(pypdf.PdfReader(io.BytesIO(pdf)).pages[0].images) == 1
    assert not pypdf.PdfReader(io.BytesIO(without)).pages[0].images
