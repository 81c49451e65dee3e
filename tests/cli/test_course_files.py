"""Courses created from packages, and from files beside a course file."""

import asyncio
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from click.testing import CliRunner, Result
from PIL import Image

from media_files import mp4, pdf
from training.scorm.packages import HOSTILE, item, manifest, package, resource
from trilha.cli import main
from trilha.cli.course_files import CourseFile, check
from trilha.core.errors import Invalid
from trilha.core.web.parsing import convert

Command = Callable[..., Result]
TWO_PARTS = package(
    xml=manifest(
        item("a", title="Riscos") + item("b", title="Resgate"),
        resource("r-a", "index.html") + resource("r-b", "index.html"),
    )
)


@pytest.fixture
def course(database_url: str, tmp_path: Path) -> Command:
    """Runs a course command in its own tenant."""
    environment = {
        "TRILHA_DATABASE_URL": database_url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(tmp_path / "data"),
    }
    slug = f"t-{uuid4().hex}"
    runner = CliRunner()
    made = runner.invoke(main, ["tenant", "create", "--slug", slug, "--name", "Acme"], env=environment)
    assert made.exit_code == 0

    def run(command: str, *arguments: str) -> Result:
        return runner.invoke(main, ["course", command, "--tenant", slug, *arguments], env=environment)

    return run


def printed(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def stored(folder: Path) -> list[Path]:
    return [each for each in (folder / "data" / "files").rglob("*") if each.is_file()]


def test_a_package_becomes_a_published_course(course: Command, tmp_path: Path) -> None:
    path, law = tmp_path / "nr-35.zip", tmp_path / "law.yaml"
    path.write_bytes(TWO_PARTS)
    law.write_text("{kind: occupational_safety, minimum_workload_minutes: 481, minimum_score: 70}")
    arguments = ("--title", "Trabalho em Altura", "--regulation", str(law), "--publish", str(path), "--json")
    made = printed(course("import", *arguments))
    assert (made["slug"], made["status"], made["title"]) == (
        "trabalho-em-altura",
        "PUBLISHED",
        "Trabalho em Altura",
    )
    assert [(each["position"], each["title"], each["duration_minutes"]) for each in made["modules"]] == [
        (1, "Riscos", 241),
        (2, "Resgate", 240),
    ]
    parts = [each["content"] for each in made["modules"]]
    assert parts == [{"package_id": made["package_id"], "item": each} for each in "ab"]
    assert (made["report"]["verdict"], made["report"]["scos"]) == ("accepted", 2)
    # A second run without a slug creates another course from the same files. A slug that is taken creates
    # none.
    assert printed(course("import", *arguments))["slug"] == "trabalho-em-altura-2"
    count = len(stored(tmp_path))
    taken = course("import", "--slug", "trabalho-em-altura", *arguments)
    assert (taken.exit_code, taken.stderr) == (1, "trilha: A course with this slug exists.\n")
    assert len(stored(tmp_path)) == count
    assert len(printed(course("list", "--json"))) == 2
    assert "Riscos" in course("import", *arguments[:-1]).stdout


@pytest.mark.parametrize(
    ("law", "documents"),
    [
        ("{kind: traffic}", ["cpf", "cnh"]),
        ("{kind: occupational_safety}", ["cpf"]),
        ("{kind: finance}", ["cpf"]),
        ("{kind: other, required_profile_fields: [phone]}", ["phone"]),
        ("{kind: traffic, required_profile_fields: []}", []),
    ],
)
def test_a_law_asks_for_its_usual_documents(
    course: Command, database_url: str, tmp_path: Path, law: str, documents: list[str]
) -> None:
    path = tmp_path / "course.yaml"
    path.write_text(f"{{title: Curso, slug: curso, regulation: {law}}}")
    made = printed(course("create", "--file", str(path), "--json"))
    regulation = asyncio.run(stored_regulation(database_url, made["id"]))
    assert regulation["required_profile_fields"] == documents


async def stored_regulation(url: str, course_id: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return json.loads(
            await connection.fetchval("SELECT regulation FROM courses WHERE id = $1", course_id)
        )
    finally:
        await connection.close()


async def stored_presence(url: str, course_id: str) -> list[tuple[Any, ...]]:
    """The type, the minutes and the percentage of presence of each module."""
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(
            """
            SELECT type, duration_minutes, presence_percent FROM modules
            WHERE course_id = $1 ORDER BY position
            """,
            course_id,
        )
    finally:
        await connection.close()
    return [tuple(row) for row in rows]


@pytest.mark.parametrize("code", ["no_manifest", "symbolic_link", "not_a_zip"])
def test_a_refused_package_says_why_and_leaves_nothing(course: Command, tmp_path: Path, code: str) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(HOSTILE[code]())
    result = course("import", "--title", "Bad", str(path), "--json")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith("trilha: bad.zip was refused. ")
    assert len(result.stderr) > 60
    assert stored(tmp_path) == []
    assert printed(course("list", "--json")) == []


COURSE = """
title: Completo
slug: completo
modules:
  - {title: Pacote, type: SCORM, package: nr.zip, duration_minutes: 30}
  - title: Filme
    type: VIDEO
    file: film.mp4
    captions: [{file: film.vtt, language: pt-BR}]
    duration_minutes: 5
  - {title: Norma, type: DOCUMENT, file: nr.pdf, duration_minutes: 10, required: false}
  - {title: Texto, body: Leia., duration_minutes: 1}
"""


def test_a_course_file_takes_the_files_beside_it(course: Command, tmp_path: Path) -> None:
    (tmp_path / "course.yaml").write_text(COURSE)
    (tmp_path / "nr.zip").write_bytes(package())
    (tmp_path / "film.mp4").write_bytes(mp4(90))
    (tmp_path / "film.vtt").write_bytes(b"WEBVTT\n")
    lost = course("create", "--file", str(tmp_path / "course.yaml"))
    assert (lost.exit_code, "nr.pdf is not there." in lost.stderr) == (1, True)
    (tmp_path / "nr.pdf").write_bytes(b"MZ")
    wrong = course("create", "--file", str(tmp_path / "course.yaml"))
    assert wrong.exit_code == 1
    assert "a PDF" in wrong.stderr
    assert stored(tmp_path) == []
    (tmp_path / "nr.pdf").write_bytes(pdf(3))
    made = printed(course("create", "--file", str(tmp_path / "course.yaml"), "--publish", "--json"))
    assert made["status"] == "PUBLISHED"
    count = len(stored(tmp_path))
    assert count == 5
    # A second run is refused, and the first course does not change.
    again = course("create", "--file", str(tmp_path / "course.yaml"))
    assert (again.exit_code, again.stderr) == (1, "trilha: A course with this slug exists.\n")
    assert len(stored(tmp_path)) == count


@pytest.mark.parametrize(
    ("field", "members"),
    [
        ("package", {"type": "SCORM"}),
        ("file", {"type": "VIDEO"}),
        ("file", {"type": "DOCUMENT", "file": None}),
        ("file", {"type": "SCORM", "package": "a.zip", "file": "a.pdf"}),
        ("package", {"package": "a.zip"}),
        ("captions", {"type": "DOCUMENT", "file": "a", "captions": [{"file": "b", "language": "pt"}]}),
        ("body", {"type": "DOCUMENT", "file": "a", "body": "x"}),
        ("body", {"type": "CLASS", "body": "x"}),
        ("file", {"type": "CLASS", "file": "a.pdf"}),
        ("presence_percent", {"presence_percent": 75}),
    ],
)
def test_a_module_names_the_file_of_its_type(field: str, members: dict[str, Any]) -> None:
    raw = {"title": "T", "slug": "t", "modules": [{"title": "M", "duration_minutes": 1} | members]}
    given = convert(CourseFile, raw, None)  # type: ignore[arg-type]
    with pytest.raises(Invalid) as error:
        check(given.modules)
    assert [each.field for each in error.value.detail] == [f"modules.0.{field}"]


def test_a_class_is_written_in_the_course_file(course: Command, tmp_path: Path, database_url: str) -> None:
    practice = {"title": "Prática", "type": "CLASS", "duration_minutes": 240, "presence_percent": 75}
    modules = [practice, {"title": "Aula", "type": "CLASS", "duration_minutes": 60}]
    file = tmp_path / "course.json"
    file.write_text(json.dumps({"title": "NR-35", "slug": "nr-35", "modules": modules}))
    made = printed(course("create", "--file", str(file), "--publish", "--json"))
    assert asyncio.run(stored_presence(database_url, made["id"])) == [("CLASS", 240, 75), ("CLASS", 60, 100)]


def test_a_quiz_is_written_in_the_course_file(course: Command, tmp_path: Path) -> None:
    file = tmp_path / "course.yaml"
    file.write_text(
        """
        title: Chuva
        slug: chuva
        modules:
          - title: Prova
            type: QUIZ
            duration_minutes: 15
            quiz: {pass_mark: 60, attempts: 2, draws: {A: 1}}
            questions:
              - {kind: true_false, text: Um, right: true, pool: A}
              - {kind: numeric, text: Dois, value: 2.5}
              - kind: single
                text: Três
                choices: [{text: a, right: true}, {text: b}]
        """
    )
    made = printed(course("create", "--file", str(file), "--publish", "--json"))
    assert made["status"] == "PUBLISHED"
    copied = printed(course("duplicate", "chuva", "--json"))
    assert copied["slug"] == "chuva-2"


@pytest.mark.parametrize(
    ("module", "field", "code"),
    [
        ({"type": "QUIZ"}, "modules.0.questions", "required"),
        (
            {"type": "QUIZ", "questions": [{"kind": "numeric", "text": "?"}]},
            "modules.0.questions.0.value",
            "required",
        ),
        (
            {"type": "QUIZ", "questions": [{"kind": "voice", "text": "?"}], "quiz": {"draws": {"A": 1}}},
            "modules.0.quiz.draws",
            "unknown_pool",
        ),
        ({"questions": [{"kind": "voice", "text": "?"}]}, "modules.0.questions", "invalid_value"),
        ({"quiz": {"pass_mark": 1}}, "modules.0.quiz", "invalid_value"),
        ({"type": "QUIZ", "quiz": {"pass_mark": 101}}, "modules.0.quiz.pass_mark", "out_of_range"),
    ],
)
def test_what_is_wrong_with_a_quiz_is_told(module: dict[str, Any], field: str, code: str) -> None:
    raw = {"title": "T", "slug": "t", "modules": [{"title": "M", "duration_minutes": 1} | module]}
    with pytest.raises(Invalid) as refused:
        check(convert(CourseFile, raw, date(2026, 11, 22)).modules)
    assert [(each.field, each.code) for each in refused.value.detail] == [(field, code)]


def test_questions_have_pictures_and_audio_beside_the_file(course: Command, tmp_path: Path) -> None:
    Image.new("RGB", (20, 10), "#0b6677").save(tmp_path / "sinal.png")
    (tmp_path / "fala.mp3").write_bytes(b"ID3" + bytes(100))
    picture = {"file": "sinal.png", "alt": "Um sinal verde"}
    question = {
        "kind": "single",
        "text": "De que cor?",
        "picture": picture,
        "audio": {"file": "fala.mp3", "transcript": "De que cor é o sinal?"},
        "choices": [{"text": "Verde", "right": True, "picture": picture}, {"text": "Azul"}],
    }
    module = {"title": "Prova", "type": "QUIZ", "duration_minutes": 5, "questions": [question]}
    path = tmp_path / "course.json"
    path.write_text(json.dumps({"title": "Sinais", "slug": "sinais", "modules": [module]}))
    assert printed(course("create", "--file", str(path), "--json"))["slug"] == "sinais"
    assert len(stored(tmp_path)) == 2
    question["audio"] = {"file": "sinal.png", "transcript": "?"}
    del question["picture"], question["choices"][0]["picture"]  # type: ignore[attr-defined, index]
    path.write_text(json.dumps({"title": "Sinais", "slug": "sinais-2", "modules": [module]}))
    assert "MP3" in course("create", "--file", str(path), "--json").output


def test_a_course_file_has_texts_in_further_languages(course: Command, tmp_path: Path) -> None:
    file = tmp_path / "course.yaml"
    text = """
        title: Chuva
        slug: chuva-traduzida
        language: pt-BR
        translations: {en: {title: Rain}}
        modules:
          - {title: Texto, body: Leia., duration_minutes: 1, translations: {es: {title: Texto, body: Lea.}}}
    """
    file.write_text(text)
    made = printed(course("create", "--file", str(file), "--json"))
    assert made["languages"] == ["pt-BR", "en", "es"]
    file.write_text(text.replace("en:", "pt-BR:").replace("chuva-traduzida", "chuva-2"))
    refused = course("create", "--file", str(file))
    assert (refused.exit_code, "in this language already" in refused.stderr) == (1, True)
