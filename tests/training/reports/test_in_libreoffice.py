"""The CSV file in LibreOffice."""

import asyncio
import io
import os
import shutil
from pathlib import Path

import openpyxl
import pytest

from conftest import World
from training.reports.test_export_csv import NAMES, PATH

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
# Comma, quote, UTF-8, from the first line on; cells are detected, and formulas are evaluated.
_AS_CSV = "CSV:44,34,76,1,,0,false,true,false,false,false,-1"


@pytest.mark.skipif(SOFFICE is None and not os.environ.get("CI"), reason="LibreOffice is not installed")
async def test_cells_are_what_they_were_and_none_is_run(world: World, tmp_path: Path) -> None:
    names = [name for name in NAMES if "\r" not in name and "\x02" not in name]
    for name in names:
        user = (await world.user())["id"]
        await world.enrollment(user_id=user)
        async with world.tx() as tx:
            await tx.execute(
                "UPDATE users SET name = :name WHERE tenant_id = :tenant AND id = :id", name=name, id=user
            )
    file = tmp_path / "export.csv"
    file.write_bytes((await world.http.get(PATH)).content)
    opened = await _opened(file)
    found = {str(row[0].value) for row in opened[1:]}
    # LibreOffice keeps a tab at the start of a cell.
    assert found == {f"'{name}" if name[0] in "=+-@\t" else name for name in names}
    assert {cell.data_type for row in opened for cell in row} <= {"s", "n", "d", "f"} - {"f"}
    assert [cell.value for cell in opened[0]][:3] == ["student_name", "student_email", "course"]
    assert len(opened) == len(names) + 1


async def _opened(file: Path) -> list[tuple[openpyxl.cell.Cell, ...]]:
    """Returns the rows of the first sheet, after LibreOffice has converted the file."""
    assert SOFFICE is not None
    process = await asyncio.create_subprocess_exec(
        SOFFICE,
        f"-env:UserInstallation=file://{file.parent}/profile",
        "--headless",
        f"--infilter={_AS_CSV}",
        *("--convert-to", "xlsx", "--outdir", str(file.parent), str(file)),
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert await process.wait() == 0
    book = openpyxl.load_workbook(io.BytesIO(file.with_suffix(".xlsx").read_bytes()))
    return list(book.worksheets[0].iter_rows())
