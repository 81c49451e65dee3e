"""trilha certificate: list, revoke, reissue."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner, Result

from conftest import World
from training.certificates.holders import completed, stored
from trilha.cli import main


async def trilha(world: World, *arguments: str, tmp_path: Any) -> Result:
    environment = {
        "TRILHA_DATABASE_URL": world.url,
        "TRILHA_MASTER_KEY": "6b" * 32,
        "TRILHA_DATA_DIR": str(tmp_path),
    }
    run = [*arguments[:2], "--tenant", world.tenant.slug, *arguments[2:]]
    return await asyncio.to_thread(lambda: CliRunner().invoke(main, run, env=environment))


def printed(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


async def test_they_are_listed_newest_first(world: World, tmp_path: Any) -> None:
    assert printed(await trilha(world, "certificate", "list", "--json", tmp_path=tmp_path)) == []
    first = await completed(world, title="Altura")
    world.clock.move(seconds=1)
    second = await completed(world)
    told = printed(await trilha(world, "certificate", "list", "--json", tmp_path=tmp_path))
    assert [each["id"] for each in told] == [str(second), str(first)]
    kept = await stored(world, first)
    assert told[1] == {
        "id": str(first),
        "code": kept.display_code,
        "status": "VALID",
        "holder_name": "Ana Lima",
        "course_title": "Altura",
        "issued_at": kept.issued_at,
        "expires_at": None,
        "revoked_at": None,
        "revocation_reason": None,
        "replaced_by": None,
        "pdf": False,
    }
    shown = await trilha(world, "certificate", "list", tmp_path=tmp_path)
    assert kept.display_code in shown.stdout


async def test_one_is_revoked_once(world: World, tmp_path: Any) -> None:
    id = str(await completed(world))
    arguments = ("certificate", "revoke", "--id", id, "--reason", " Taken by  another ", "--json")
    first = printed(await trilha(world, *arguments, tmp_path=tmp_path))
    assert (first["status"], first["revocation_reason"]) == ("REVOKED", "Taken by another")
    assert printed(await trilha(world, *arguments, tmp_path=tmp_path)) == first
    assert len(await world.events("certificate.revoked")) == 1


async def test_one_is_reissued_once(world: World, tmp_path: Any) -> None:
    id = str(await completed(world))
    arguments = ("certificate", "reissue", "--id", id, "--json")
    first = printed(await trilha(world, *arguments, tmp_path=tmp_path))
    assert (first["status"], first["id"] == id) == ("VALID", False)
    assert printed(await trilha(world, *arguments, tmp_path=tmp_path)) == first
    told = printed(await trilha(world, "certificate", "list", "--json", tmp_path=tmp_path))
    old = next(each for each in told if each["id"] == id)
    assert (old["status"], old["replaced_by"]) == ("REVOKED", first["id"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("revoke", "--id", str(uuid4()), "--reason", "x"), 1, "There is no such certificate."),
        (("reissue", "--id", str(uuid4())), 1, "There is no such certificate."),
        (("revoke", "--id", str(uuid4()), "--reason", "  "), 1, "reason: The value is too short."),
        (("revoke", "--id", str(uuid4()), "--reason", "x" * 501), 1, "reason: The value is too long."),
        (("revoke", "--id", "7", "--reason", "x"), 2, "'7' is not a valid UUID."),
        (("revoke", "--id", str(uuid4())), 2, "Missing option '--reason'."),
        (("reissue",), 2, "Missing option '--id'."),
    ],
)
async def test_what_is_refused(
    world: World, arguments: tuple[str, ...], code: int, said: str, tmp_path: Any
) -> None:
    result = await trilha(world, "certificate", *arguments, tmp_path=tmp_path)
    assert (result.exit_code, said in result.stderr) == (code, True), result.output


async def test_one_that_has_expired_is_not_reissued(world: World, tmp_path: Any) -> None:
    world.clock.move(days=-60)
    id = str(await completed(world, certificate_validity_months=1))
    result = await trilha(world, "certificate", "reissue", "--id", id, tmp_path=tmp_path)
    assert result.exit_code == 1
    assert result.stderr == "trilha: The certificate has expired and cannot be reissued.\n"
