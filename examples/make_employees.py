#!/usr/bin/env python3
"""Writes an HR export like those of Brazilian payroll systems: Portuguese headers, semicolons, DD/MM/YYYY.

    python examples/make_employees.py 5000 employees.csv
    python examples/make_employees.py 5000 employees.csv --dirty 30   # with 30 invalid rows

The people are invented; their CPFs and CNHs have valid check digits. The same seed gives the same file in the
same year.
"""

import argparse
import csv
import random
import unicodedata
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from validate_docbr import CNH, CPF

Row = dict[str, str]

FIRST = """
Adriana Alexandre Aline Amanda Ana André Antônio Beatriz Bruna Bruno Caio Camila Carlos Cássia Cecília
Cláudia Cristiano Daniel Débora Diego Eduardo Elisângela Emanuel Érica Fábio Felipe Fernanda Flávia
Francisco Gabriel Giovana Graça Guilherme Gustavo Heloísa Henrique Igor Inês Isabela Ítalo Jéssica João
Jorge José Júlia Juliana Larissa Leandro Letícia Lívia Lúcia Luís Luíza Marcelo Márcia Mariana Mateus
Mônica Natália Otávio Patrícia Paulo Rafael Raquel Regina Renata Rodrigo Sérgio Simão Sônia Tânia Tatiane
Thaís Thiago Úrsula Valéria Vânia Vinícius Vítor Wesley Yasmin Zélia
"""
LAST = """
Almeida Alves Andrade Araújo Assunção Barbosa Barros Batista Brandão Cardoso Carvalho Castro Conceição
Correia Costa Cunha Dias Falcão Faria Fernandes Ferreira Figueirêdo Freitas Galvão Gomes Gonçalves
Guimarães Leitão Lima Lopes Magalhães Marques Martins Medeiros Melo Mendes Monteiro Moraes Moreira Moura
Nascimento Nóbrega Nunes Oliveira Pereira Pinheiro Queirós Ramos Ribeiro Rocha Rodrigues Santos Silva
Simões Soares Souza Tavares Teixeira Vasconcelos Vieira Xavier
"""
# Departments, their jobs, and how many of a hundred people work there.
DEPARTMENTS = (
    ("Logística", ("Motorista Carreteiro", "Motorista", "Conferente", "Auxiliar de Expedição"), 38),
    ("Operações", ("Operador de Empilhadeira", "Operador de Máquinas", "Supervisor de Produção"), 24),
    ("Manutenção", ("Mecânico", "Eletricista", "Técnico de Manutenção"), 12),
    ("Segurança do Trabalho", ("Técnico de Segurança", "Engenheiro de Segurança"), 4),
    ("Comercial", ("Vendedor", "Representante Comercial", "Analista de Preços"), 9),
    ("Financeiro", ("Analista Fiscal", "Assistente Contábil", "Tesoureiro"), 6),
    ("Recursos Humanos", ("Analista de RH", "Psicóloga Organizacional"), 4),
    ("Tecnologia da Informação", ("Analista de Suporte", "Desenvolvedora"), 3),
)
AREA_CODES = (11, 13, 19, 21, 27, 31, 41, 47, 51, 61, 62, 71, 81, 85, 91, 92)
PHONES = (
    "({ddd}) 9{a}-{b}",
    "({ddd})9{a}-{b}",
    "+55 {ddd} 9{a}-{b}",
    "+55 ({ddd}) 9{a} {b}",
    "55{ddd}9{a}{b}",
    "0{ddd} 9{a}-{b}",
    "{ddd}9{a}{b}",
    "{ddd}.9{a}.{b}",
    "{ddd} 9 {a} {b}",
    "({ddd}) 3{c}-{b}",
)
BLANK_CNH = {"CNH": "", "Categoria CNH": "", "Validade CNH": "", "EAR": ""}


def make_employees(count: int, dirty: int, seed: int) -> list[Row]:
    """Returns `count` rows that the API accepts, and `dirty` invalid ones among them."""
    random.seed(seed)  # validate_docbr uses the module's own generator
    taken: set[str] = set()
    rows = [_employee(number, taken) for number in range(1, count + 1)]
    for number in range(dirty):
        position = random.randrange(1, len(rows) + 1)
        broken = _employee(count + 1 + number, taken)
        _BREAKERS[number % len(_BREAKERS)](broken, rows[:position])
        rows.insert(position, broken)
    return rows


def _employee(number: int, taken: set[str]) -> Row:
    names = [random.choice(FIRST.split()), *random.sample(LAST.split(), random.choice((1, 2, 2)))]
    if len(names) == 3 and random.random() < 0.3:
        names.insert(2, random.choice(("da", "de", "dos")))
    department, jobs, _ = random.choices(DEPARTMENTS, [share for *_, share in DEPARTMENTS])[0]
    job = random.choice(jobs)
    return {
        "Nome": " ".join(names),
        "E-mail": _email(names, taken),
        "Matrícula": f"{number:06}",
        "Departamento": department,
        "Cargo": job,
        "CPF": _cpf(),
        "Celular": _phone(),
        "Data de Nascimento": _day(date(1961, 1, 1), date(2005, 12, 31)),
        **(_cnh(job) if job.startswith(("Motorista", "Operador de Emp")) else BLANK_CNH),
        "Situação": random.choices(("Ativo", "Férias", "Afastado"), (93, 5, 2))[0],
    }


def _email(names: list[str], taken: set[str]) -> str:
    plain = unicodedata.normalize("NFKD", f"{names[0]}.{names[-1]}").encode("ascii", "ignore").decode()
    local, again = plain.lower(), 2
    while local in taken:
        local, again = f"{plain.lower()}{again}", again + 1
    taken.add(local)
    address = f"{local}@aurora.test"
    return address.title() if random.random() < 0.02 else address


def _cpf() -> str:
    cpf: str = CPF().generate(mask=random.random() < 0.8)
    # A spreadsheet that took it for a number has dropped the leading zeros.
    return cpf.lstrip("0") if cpf.isdigit() and random.random() < 0.5 else cpf


def _phone() -> str:
    a, b, c = (random.randrange(1000, 10_000) for _ in range(3))
    return random.choice(PHONES).format(ddd=random.choice(AREA_CODES), a=a, b=b, c=f"{c:04}"[1:])


def _cnh(job: str) -> Row:
    heavy = job == "Motorista Carreteiro"
    this_year = datetime.now(UTC).year
    return {
        "CNH": CNH().generate(),
        "Categoria CNH": random.choice(("E", "AE") if heavy else ("B", "AB", "C", "D", "AD")),
        "Validade CNH": _day(date(this_year + 1, 1, 1), date(this_year + 9, 12, 31)),
        "EAR": "Não" if job.startswith("Operador") else "Sim",
    }


def _day(first: date, last: date) -> str:
    return (first + timedelta(random.randrange((last - first).days + 1))).strftime("%d/%m/%Y")


def _break_cpf(row: Row, _: list[Row]) -> None:
    cpf = f"{row['CPF']:>11}"
    row["CPF"] = cpf[:-1].replace(" ", "0") + str((int(cpf[-1]) + 1) % 10)


def _drop_email(row: Row, _: list[Row]) -> None:
    row["E-mail"] = ""


def _repeat_email(row: Row, before: list[Row]) -> None:
    row["E-mail"] = next((each["E-mail"] for each in reversed(before) if each["E-mail"]), "")


_BREAKERS = (_break_cpf, _drop_email, _repeat_email)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("count", type=int, help="how many employees")
    parser.add_argument("path", type=Path, help="the CSV file to write")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--dirty", type=int, default=0, metavar="K", help="broken rows to put in besides")
    parser.add_argument("--delimiter", choices=(";", ","), default=";")
    options = parser.parse_args()
    rows = make_employees(options.count, options.dirty, options.seed)
    # With the byte order mark that spreadsheets write before UTF-8.
    with options.path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), delimiter=options.delimiter)
        writer.writeheader()
        writer.writerows(rows)
    print(f"{options.path}: {len(rows)} rows")


if __name__ == "__main__":
    main()
