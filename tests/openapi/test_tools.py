"""What linters make of the descriptions; clients: tests/clients."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from npm import installed, node
from openapi.described import DOCUMENTS

HERE = Path(__file__).parent
each_description = pytest.mark.parametrize(
    "description", [pytest.param(each.content, id=address) for address, each in DOCUMENTS.items()]
)


@each_description
def test_is_openapi_3_1(description: dict[str, Any]) -> None:
    assert list(OpenAPIV31SpecValidator(description).iter_errors()) == []


def test_spectral_finds_nothing(tmp_path: Path) -> None:
    """In all of them at once: to start takes it longer than to read one."""
    tools = installed(HERE)
    files = [tmp_path / f"{number}.json" for number in range(len(DOCUMENTS))]
    for file, each in zip(files, DOCUMENTS.values(), strict=True):
        file.write_text(json.dumps(each.content))
    shutil.copy(HERE / ".spectral.yaml", tmp_path)
    told = node(
        "spectral",
        *("lint", *map(str, files), "--ruleset", str(tmp_path / ".spectral.yaml")),
        *("--fail-severity", "hint", "--format", "text"),
        folder=tools,
    )
    assert told.returncode == 0, told.stdout + told.stderr
