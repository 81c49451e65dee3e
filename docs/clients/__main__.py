"""Writes the generated files of `clients`, or with `--check` only compares them."""

import subprocess
import sys
from pathlib import Path

from docs.api_changes import current_descriptions
from docs.clients.python_models import write_models
from docs.clients.python_resources import write_resources
from docs.clients.typescript import write_types
from trilha import __version__

ROOT = Path(__file__).parents[2]
_PYTHON = Path("clients/python/src/trilha_client")


def generate() -> dict[Path, str]:
    """Returns the content of each file."""
    document = current_descriptions()["v1.json"]
    python = {
        "_version.py": f'"""The version of the API."""\n\n__version__ = "{__version__}"\n',
        "models.py": write_models(document),
        "_resources.py": write_resources(document, is_async=False),
        "_async_resources.py": write_resources(document, is_async=True),
    }
    files = {_PYTHON / name: _format(text) for name, text in python.items()}
    files[Path("clients/typescript/index.d.ts")] = write_types(document)
    files[Path("clients/typescript/package.json")] = _package()
    return files


def _format(source: str) -> str:
    command = [str(Path(sys.executable).with_name("ruff")), "format", "--stdin-filename=client.py", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def _package() -> str:
    """Returns the package.json with the current version."""
    template = Path(__file__).with_name("package.json").read_text(encoding="utf-8")
    return template.replace("VERSION", __version__)


def main(arguments: list[str]) -> int:
    files = generate()
    stale = [name for name, text in files.items() if not _is(ROOT / name, text)]
    if arguments == ["--check"]:
        if stale:
            names = ", ".join(map(str, stale))
            sys.stderr.write(f"{names} no longer agree with the API; run `make docs`.\n")
        return int(bool(stale))
    for name in stale:
        (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / name).write_text(files[name], encoding="utf-8")
    return 0


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
