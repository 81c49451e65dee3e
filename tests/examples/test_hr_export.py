"""Reading HR exports and matching people, without a server."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
HEADER = ["Matrícula", "Nome", "E-mail", "Situação"]
ROWS = [["1", "Ana", "ANA@example.com", "Ativo"], ["2", "Íris", "iris@café.example", "Desligado "]]


@pytest.fixture(scope="module")
def export() -> Any:
    sys.path.insert(0, str(EXAMPLES))
    yield importlib.import_module("hr_export")
    sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="module")
def matching(export: Any) -> Any:
    return importlib.import_module("hr_matching")


def text(separator: str, *, header: list[str] = HEADER) -> str:
    return "\r\n".join(separator.join(cells) for cells in [header, *ROWS]) + "\r\n"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (text(";"), "utf-8"),
        (text(","), "utf-8-sig"),
        (text("\t"), "utf-16"),
        (text("\t"), "utf-16-le"),
        (text("|"), "cp1252"),
        ("sep=;\r\n" + text(";"), "utf-8-sig"),
        ('"sep=,"\n' + text(","), "utf-16"),
        ("sep=\t\n" + text("\t"), "cp1252"),
        (text(";", header=["MATRÍCULA ", " nome", "e-mail", "SITUAÇÃO"]) + ";;;\r\n\r\n", "utf-8"),
    ],
)
def test_whatever_spreadsheets_write_is_read(
    export: Any, tmp_path: Path, content: str, encoding: str
) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(content.encode(encoding))
    employees, problems = export.read_employees(path)
    assert problems == []
    found = [(each.number, each.email, each.has_left, each.body["name"]) for each in employees]
    # The domain as Trilha stores it.
    assert found == [
        ("1", "ana@example.com", False, "Ana"),
        ("2", "iris@xn--caf-dma.example", True, "Íris"),
    ]
    first = 3 if "sep=" in content else 2
    assert [each.line for each in employees] == [first, first + 1]


def test_a_mapping_says_what_things_are_called(export: Any, tmp_path: Path) -> None:
    mapping = tmp_path / "hr.toml"
    mapping.write_text(
        """
        separator = "pipe"
        date = "%Y-%m-%d"
        [headers]
        name = "Colaborador"
        email = "Correio"
        status = "St."
        birth_date = "Nasc."
        [statuses]
        left = ["Demitido", "Aposentado"]
        active = ["Ativo", "Férias"]
        """
    )
    path = tmp_path / "export.csv"
    path.write_text(
        "Colaborador|Correio|St.|Nasc.|Cursos\n"
        "Ana|ana@example.com|ativo|1990-01-02|um, dois\n"
        "Bia|bia@example.com|DEMITIDO|1990-01-02|\n"
        "Cid|cid@example.com|Licença|1990-01-02|\n"
    )
    employees, [(unknown, why)] = export.read_employees(path, export.read_mapping(mapping))
    assert [(each.email, each.has_left, each.courses) for each in employees] == [
        ("ana@example.com", False, ("um", "dois")),
        ("bia@example.com", True, ()),
    ]
    assert employees[0].body["birth_date"] == "1990-01-02"
    assert (unknown.line, why) == (4, "The mapping does not say what the status 'Licença' is.")


@pytest.mark.parametrize(
    ("mapping", "told"),
    [
        ("separator = ", "is not TOML"),
        ("colour = 1", "says colour"),
        ("[headers]\nsurname = 'x'", "says surname"),
        ("[statuses]\ngone = ['x']", "says gone"),
    ],
)
def test_a_wrong_mapping_is_one_sentence(export: Any, tmp_path: Path, mapping: str, told: str) -> None:
    path = tmp_path / "hr.toml"
    path.write_text(mapping)
    with pytest.raises(ValueError, match=told):
        export.read_mapping(path)


def test_rows_that_fit_nobody_are_told(export: Any, tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(
        "Matrícula;Nome;E-mail\n1;Ana;ana@example.com\n1;Eva;eva@example.com\n3;Ivo;ANA@example.com\n4;Léo;\n"
    )
    employees, problems = export.read_employees(path)
    assert [each.number for each in employees] == ["1"]
    assert [(each.line, why) for each, why in problems] == [
        (3, "Line 2 has the same employee number."),
        (4, "Line 2 has the same e-mail."),
        (5, "The row has no e-mail."),
    ]
    path.write_text("Matrícula;Nome\n1;Ana\n")
    with pytest.raises(ValueError, match="has no column E-mail"):
        export.read_employees(path)


def user(number: str | None, email: str, **members: Any) -> dict[str, Any]:
    rest = {"id": email, "name": email.partition("@")[0].title(), "status": "ACTIVE", "role": "learner"}
    return {**rest, "employee_number": number, "email": email, **members}


def matched(export: Any, matching: Any, rows: list[tuple[str, str]], users: list[dict[str, Any]]) -> Any:
    employees = [
        export.Employee(line, email, number or None, False, {"name": email.partition("@")[0].title()})
        for line, (number, email) in enumerate(rows, 2)
    ]
    return matching.match(employees, users, frozenset())


def test_the_number_comes_before_the_e_mail(export: Any, matching: Any) -> None:
    users = [user("1", "ana@x"), user(None, "bia@x"), user("3", "cid@x"), user("4", "dia@x")]
    rows = [("1", "ana.nova@x"), ("2", "bia@x"), ("5", "new@x"), ("", "cid@x"), ("44", "dia@x")]
    found = matched(export, matching, rows, users)
    pairs = {row.email: each and each["email"] for row, each in found.pairs}
    assert pairs == {
        "ana.nova@x": "ana@x",
        "bia@x": "bia@x",
        "new@x": None,
        "cid@x": "cid@x",
        "dia@x": "dia@x",
    }
    assert (found.leavers, found.problems, found.after) == ([], [], [])


def test_an_e_mail_that_was_passed_on_makes_nobody_another_person(export: Any, matching: Any) -> None:
    users = [user("1", "contato@x", name="Ana"), user("2", "vendas@x", name="Bia")]
    found = matched(export, matching, [("1", "ana@x"), ("9", "contato@x"), ("8", "vendas@x")], users)
    assert [(row.number, owner) for row, owner in found.after] == [("9", "1")]
    ((row, why),) = found.problems
    assert (row.number, why) == ("8", "Its e-mail is that of Bia, number 2, who is not in the file.")


def test_leavers_came_from_hr_and_work_here(export: Any, matching: Any) -> None:
    users = [
        user("1", "gone@x"),
        user(None, "external@x"),
        user("3", "boss@x", role="admin"),
        user("4", "left@x", status="SUSPENDED"),
        user("5", "two@x"),
        user("5", "too@x"),
    ]
    found = matched(export, matching, [("5", "two@x")], users)
    assert [each["email"] for each in found.leavers] == ["gone@x"]
    assert [why for _, why in found.problems] == ["2 people in Trilha have its employee number."]
