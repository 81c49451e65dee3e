"""Linters accept the descriptions. For generated clients, see tests/clients."""

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


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Returns all descriptions: a linter takes longer to start than to read one."""
    written = [tmp_path / f"{number}.json" for number in range(len(DOCUMENTS))]
    for file, each in zip(written, DOCUMENTS.values(), strict=True):
        file.write_text(json.dumps(each.content))
    return list(map(str, written))


@pytest.mark.timeout(400)  # includes the installation, on a busy machine
def test_spectral_finds_nothing(files: list[str], tmp_path: Path) -> None:
    shutil.copy(HERE / ".spectral.yaml", tmp_path)
    told = node(
        "spectral",
        *("lint", *files, "--ruleset", str(tmp_path / ".spectral.yaml")),
        *("--fail-severity", "hint", "--format", "text"),
        folder=installed(HERE),
    )
    assert told.returncode == 0, told.stdout + told.stderr


@pytest.mark.timeout(400)
def test_redocly_finds_nothing(files: list[str]) -> None:
    told = node(
        "redocly",
        *("lint", *files, "--extends", "recommended-strict", "--format", "stylish"),
        folder=installed(HERE),
        REDOCLY_TELEMETRY="off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE="true",
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "warning" not in told.stdout + told.stderr
