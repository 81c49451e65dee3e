"""Files of people, with good rows and bad ones of every kind."""

import random
from collections.abc import Sequence

from validate_docbr import CPF

HEADER = ("Nome completo", "E-mail", "Matrícula", "CPF", "Celular", "Data de nascimento", "Cargo", "Unidade")
# The fault of each kind of bad row, by its code in the report.
BAD = (
    "invalid_cpf",
    "invalid_email",
    "required",
    "underage",
    "invalid_birth_date",
    "invalid_phone",
    "unknown_business_unit",
    "duplicate_row",
    "too_many_cells",
    "too_long",
)


def people(count: int, bad: int) -> tuple[list[list[str]], dict[int, str]]:
    """Returns the rows below the header, and the code of each bad one by its line in the file."""
    chance = random.Random(7)
    cpf = CPF()
    rows: list[list[str]] = []
    wrong: dict[int, str] = {}
    places = set(chance.sample(range(1, count), bad))
    for n in range(count):
        row = [
            f"José Conceição {n}",
            f"pessoa.{n}@empresa.com.br",
            f"M{n:06}",
            cpf.mask(cpf.generate()),
            f"(11) 9{chance.randrange(10**7, 10**8)}",
            f"{chance.randrange(1, 29):02}/{chance.randrange(1, 13):02}/{chance.randrange(1960, 2000)}",
            "Operação",
            "Matriz" if n % 2 else "sp-01",
        ]
        if n in places:
            code = BAD[len(wrong) % len(BAD)]
            _spoil(row, code, rows)
            wrong[n + 2] = code
        rows.append(row)
    return rows, wrong


# The column and the value to write there.
_SPOILS = {
    "invalid_cpf": (3, "529.982.247-26"),
    "invalid_email": (1, "ninguém"),
    "underage": (5, "01/01/2020"),
    "invalid_birth_date": (5, "31/02/1990"),
    "invalid_phone": (4, "123"),
    "unknown_business_unit": (7, "Lua"),
    "too_long": (6, "x" * 201),
}


def _spoil(row: list[str], code: str, before: Sequence[list[str]]) -> None:
    if code in _SPOILS:
        place, value = _SPOILS[code]
        row[place] = value
    elif code == "required":
        row[1] = row[2] = ""
    elif code == "duplicate_row":
        row[1] = before[0][1].upper()
    else:
        row.append("?")


def text(rows: Sequence[Sequence[str]], separator: str = ";", header: Sequence[str] = HEADER) -> str:
    def cell(value: str) -> str:
        return f'"{value}"' if separator in value else value

    return "".join(separator.join(map(cell, row)) + "\r\n" for row in (header, *rows))
