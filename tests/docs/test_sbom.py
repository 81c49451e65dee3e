"""The bill of materials, and the audit of its packages."""

import json
import subprocess
from importlib.metadata import distribution

import pytest

from docs import audit, sbom
from trilha.core.database import embedded


def test_is_fresh() -> None:
    assert sbom.main(["--check"]) == 0


def test_lists_what_is_locked_with_its_version() -> None:
    document = json.loads(sbom.PAGE.read_text())
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    listed = {each["purl"] for each in document["components"]}
    installed = distribution("asyncpg").version
    assert {f"pkg:pypi/asyncpg@{installed}", "pkg:npm/htmx.org@2.0.11"} <= listed
    lock = sbom.PYTHON_LOCK.read_text()
    assert len([each for each in listed if each.startswith("pkg:pypi/")]) == lock.count("==") > 30
    assert len(listed) == len(document["components"])


def test_knows_the_version_of_the_bundled_database() -> None:
    said = subprocess.run(
        [embedded._BINARIES / "postgres", "--version"], capture_output=True, text=True, check=True
    ).stdout
    assert said.split()[-1] == sbom.BUNDLED["postgresql"][0]


@pytest.mark.parametrize(
    ("code", "said", "known"),
    [
        (0, "No known vulnerabilities found", False),
        (0, "found 0 vulnerabilities", False),
        (1, "Found 2 known vulnerabilities in 1 package", True),
        (1, "1 high severity vulnerability", True),
        (0, "No known vulnerabilities found\nyarl  Dependency not found and could not be audited", None),
        (1, "npm error audit endpoint returned an error", None),
        (1, "Traceback (most recent call last):", None),
    ],
)
def test_no_answer_is_not_taken_for_a_good_one(code: int, said: str, known: bool | None) -> None:
    assert audit.verdict(code, said) is known


def test_tells_since_when_each_version_is_in_use() -> None:
    lines = audit.in_use_since(sbom.PYTHON_LOCK, r"[A-Za-z0-9][\w.-]*==\S+")
    assert len(lines) == len(list(sbom.python_packages()))
    assert any(line.endswith(f"asyncpg=={distribution('asyncpg').version}") for line in lines)
