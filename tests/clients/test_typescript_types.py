"""The program in the README of the types for TypeScript compiles and runs. A wrong one does not compile."""

import json
import shutil
from pathlib import Path

import pytest

from clients.python_client.company import company_on_server
from markdown_pages import ROOT, blocks
from npm import installed, node

HERE = Path(__file__).parent
TYPES = ROOT / "clients" / "typescript"
((PROGRAM),) = (block.text for block in blocks(TYPES / "README.md") if block.language == "ts")
OPTIONS = {
    "strict": True,
    "module": "nodenext",
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "types": ["node"],
}


def compile_program(folder: Path, program: str, *options: str) -> str:
    """Returns the errors that the compiler prints."""
    package = folder / "node_modules" / "trilha-client"
    if not package.exists():
        (folder / "node_modules").mkdir()
        for each in (installed(HERE) / "node_modules").iterdir():
            (folder / "node_modules" / each.name).symlink_to(each)
        shutil.copytree(TYPES, package)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": ["program.ts"]}))
    (folder / "program.ts").write_text(program)
    return node("tsc", "--project", ".", *options, folder=folder).stdout


@pytest.mark.parametrize(
    ("right", "wrong", "error"),
    [
        ("user.email", "user.nickname", "'nickname' does not exist"),
        ('"ACTIVE"', '"GONE"', "is not assignable"),
        ('"/users"', '"/people"', "is not assignable"),
        ('name: "Ana Lima", ', "", "'name' is missing"),
        ("event.data.user_id", "event.data.nickname", "'nickname' does not exist"),
    ],
)
def test_a_wrong_program_does_not_compile(tmp_path: Path, right: str, wrong: str, error: str) -> None:
    assert right in PROGRAM
    assert error in compile_program(tmp_path, PROGRAM.replace(right, wrong, 1), "--noEmit")


def test_the_program_compiles_and_runs(tmp_path: Path) -> None:
    assert compile_program(tmp_path, PROGRAM) == ""
    (tmp_path / "server").mkdir()
    with company_on_server(tmp_path / "server") as company:
        variables = {"TRILHA_URL": company.url, "TRILHA_API_KEY": company.key}
        done = node("node", "program.js", folder=tmp_path, **variables)
    assert (done.stdout, done.stderr) == ("created Ana Lima true\n", "")
