"""Custom fields in imports: converted by their type, sealed, and refused line by line."""

from pathlib import Path
from typing import Any

import pytest

from conftest import World
from people.custom_fields.test_custom_fields import field
from people.people_import.test_import import counts, done
from trilha.core.errors import CODES, Invalid
from trilha.people.custom_fields import queries as custom_fields
from trilha.people.people_import import actions, cells
from trilha.people.people_import.applying import Batch
from trilha.people.people_import.schema import CheckedRow, PersonRow

HEADER = "email,nome,custom_fields.pis,custom_fields.level,custom_fields.since,custom_fields.shift"


@pytest.fixture
async def with_fields(world: World) -> None:
    await field(world, "pis", personal=True)
    await field(world, "level", "number")
    await field(world, "since", "date")
    await field(world, "shift", "choice", choices=["Manhã", "Noite"])


def file(*lines: str, header: str = HEADER) -> bytes:
    return "\n".join((header, *lines, "")).encode()


async def values_of(world: World, email: str) -> tuple[dict[str, Any], str | None]:
    """Returns the values as they are read, and the personal ones in clear."""
    async with world.tx() as tx:
        (row,) = await tx.rows(
            "SELECT id, custom_fields, custom_fields_sealed FROM users "
            "WHERE tenant_id = :tenant AND email = :email",
            email=email,
        )
        sealed = row["custom_fields_sealed"]
        opened = sealed and tx.keyring.open(sealed, tx.tenant_id, "users", row["id"], "custom_fields")
    return row["custom_fields"], opened


@pytest.mark.usefixtures("with_fields")
async def test_new_people_and_changes(world: World, tmp_path: Path) -> None:
    raw = file('ana@example.com,Ana,120.1,"2,5",31/01/2020,manha')
    finished, problems = await done(world, tmp_path, raw)
    assert (counts(finished), problems) == ((1, 0, 0, 0), [])
    shown = {"pis": "***", "level": 2.5, "since": "2020-01-31", "shift": "Manhã"}
    assert await values_of(world, "ana@example.com") == (shown, '{"pis":"120.1"}')
    finished, _ = await done(world, tmp_path, raw)
    assert counts(finished) == (0, 0, 1, 0)
    finished, _ = await done(world, tmp_path, file("ana@example.com,,120.2,,,NOITE"))
    assert counts(finished) == (0, 1, 0, 0)
    shown["shift"] = "Noite"
    assert await values_of(world, "ana@example.com") == (shown, '{"pis":"120.2"}')
    ((_, data),) = await world.events("user.updated")
    assert data["changed"] == ["custom_fields"]


@pytest.mark.usefixtures("with_fields")
async def test_an_empty_cell_keeps_the_value(world: World, tmp_path: Path) -> None:
    await done(world, tmp_path, file("ana@example.com,Ana,1,3,,"))
    finished, _ = await done(world, tmp_path, file("ana@example.com,Ana,,,,"))
    assert counts(finished) == (0, 0, 1, 0)
    assert await values_of(world, "ana@example.com") == ({"pis": "***", "level": 3}, '{"pis":"1"}')


@pytest.mark.usefixtures("with_fields")
async def test_a_dry_run_changes_nothing(world: World, tmp_path: Path) -> None:
    await done(world, tmp_path, file("ana@example.com,Ana,1,3,,"))
    finished, _ = await done(world, tmp_path, file("ana@example.com,Ana,2,4,,"), dry_run=True)
    assert counts(finished) == (0, 1, 0, 0)
    assert (await values_of(world, "ana@example.com"))[1] == '{"pis":"1"}'


@pytest.mark.usefixtures("with_fields")
async def test_wrong_values_are_problems_of_their_line(world: World, tmp_path: Path) -> None:
    finished, problems = await done(
        world,
        tmp_path,
        file(
            "ana@example.com,Ana,1,muito,31/02/2020,tarde,x",
            "rui@example.com,Rui," + "9" * 201 + ",1,,,",
            "eva@example.com,Eva,1,1,,noite,",
            header=f"{HEADER},custom_fields.nada",
        ),
    )
    assert counts(finished) == (1, 0, 0, 2)
    assert sorted((each.line, each.column, each.code, each.value) for each in problems) == [
        (2, "custom_fields.level", "invalid_number", "muito"),
        (2, "custom_fields.nada", "unknown_custom_field", "***"),
        (2, "custom_fields.shift", "invalid_value", "tarde"),
        (2, "custom_fields.since", "invalid_date", "**/**/**20"),
        (3, "custom_fields.pis", "too_long", "***"),
    ]
    (unknown,) = [each for each in problems if each.code == "unknown_custom_field"]
    assert unknown.message == CODES["unknown_custom_field"].message


async def test_a_field_that_is_deleted_meanwhile_is_a_problem_of_the_line(world: World) -> None:
    await field(world, "area")
    person = PersonRow(email="ana@example.com", name="Ana")  # type: ignore[arg-type]
    row = CheckedRow(2, person, custom_fields={"area": "Sul", "gone": "x"})
    async with world.tx() as tx:
        batch = Batch(tx, {"custom_fields.gone": "Antigo"}, dry_run=False)
        await batch.take([row], {})
    (problem,) = batch.problems
    assert (problem.column, problem.code, problem.value) == ("Antigo", "unknown_custom_field", "")


async def test_another_company_has_other_fields(world: World, stranger: World, tmp_path: Path) -> None:
    await field(stranger, "area")
    raw = file("ana@example.com,Ana,x", header="email,nome,custom_fields.area")
    finished, (problem,) = await done(world, tmp_path, raw)
    assert (counts(finished), problem.code) == ((0, 0, 0, 1), "unknown_custom_field")


def test_a_column_can_be_mapped_to_a_custom_field() -> None:
    raw = b"email,Centro\nana@example.com,x\n"
    draft = actions.inspect(raw, {"email": "email", "Centro": "custom_fields.cost_center"})
    assert draft.mapping["Centro"] == "custom_fields.cost_center"
    with pytest.raises(Invalid, match="invalid_value"):
        actions.inspect(raw, {"email": "email", "Centro": "custom_fields."})


async def test_numbers_and_choices(world: World) -> None:
    await field(world, "level", "number")
    await field(world, "shift", "choice", choices=["Dia", "DIA", "Noite"])
    async with world.tx() as tx:
        fields = {each.key: each for each in await custom_fields.list_fields(tx)}
    for text, number in (("3", 3), ("-2.50", -2.5), ("1234,5", 1234.5), ("1.234,5", "1.234,5")):
        assert cells.custom_value(text, fields["level"]) == number
    for text, choice in (("Dia", "Dia"), ("dia", "dia"), ("noite", "Noite")):
        assert cells.custom_value(text, fields["shift"]) == choice
