"""The documentation page names the same settings, commands and versions as the tests."""

import re
from pathlib import Path

import pytest

from clients.generators import GENERATORS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = (ROOT / "docs" / "howto" / "generate-a-client.md").read_text()
VERSIONS = {
    "openapi-generator": (HERE / "openapi_generator" / "pom.xml", r"-cli</artifactId>\s*<version>(.+)<"),
    "oapi-codegen": (HERE / "oapi_codegen" / "go.mod", r"oapi-codegen/v2 v(\S+)"),
    "ogen": (HERE / "ogen" / "go.mod", r"ogen-go/ogen v(\S+)"),
    "openapi-python-client": (ROOT / "requirements" / "dev.txt", r"openapi-python-client==(\S+)"),
    "openapi-typescript": (HERE / "package.json", r'"openapi-typescript": "(.+)"'),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_shows_the_command_and_the_settings(name: str) -> None:
    generator = GENERATORS[name]
    settings = HERE / generator.folder / "settings.yaml"
    assert f"```text\n{generator.generate}\n```" in PAGE
    assert not settings.exists() or f"```text\n{settings.read_text()}```" in PAGE


@pytest.mark.parametrize("name", VERSIONS)
def test_names_the_versions(name: str) -> None:
    file, pattern = VERSIONS[name]
    [version] = re.findall(pattern, file.read_text())
    shown = set(re.findall(rf"^\|.*\[{name}\].*\| (\S+) \| \[", PAGE, re.MULTILINE))
    assert shown == {version}
