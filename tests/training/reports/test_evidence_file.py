"""/admin/enrollments/{id}/evidence.json and .pdf, and the script that verifies them without Trilha."""

import importlib.util
import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from conftest import World
from training.learning.learners import Learner, learner
from trilha.training.certificates.badges import keys
from trilha.training.reports.evidence import chain
from web.panel.training_pages import actions_on_record, browsing, id_of, manage, teach, unit

SCRIPT = Path(__file__).parents[3] / "examples" / "check_evidence.py"


def problem_of() -> Callable[..., str | None]:
    spec = importlib.util.spec_from_file_location("check_evidence", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., str | None] = module.problem_of
    return found


async def learnt(world: World) -> Learner:
    """Creates six entries: launched, two heartbeats, two commits, completed."""
    ana = await learner(world)
    player = await ana.launch()
    await player.watch(60)
    await player.status("incomplete")
    assert (await player.status("passed", score={"raw": "90"})).completed
    return ana


async def download(world: World, id: Any, form: str = "json") -> bytes:
    http = await browsing(world)
    answer = await http.get(f"/admin/enrollments/{id}/evidence.{form}")
    await http.aclose()
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == f'attachment; filename="evidence-{id}.{form}"'
    return answer.content


def run(file: Path, *arguments: str) -> tuple[int, str]:
    # Isolated: the script cannot import anything of ours.
    done = subprocess.run([sys.executable, "-I", SCRIPT, file, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout


async def test_a_stranger_checks_it(world: World, tmp_path: Path) -> None:
    ana = await learnt(world)
    raw = await download(world, ana.id)
    (tmp_path / "evidence.json").write_bytes(raw)
    file = json.loads(raw)
    assert [each["kind"] for each in file["log"]] == [
        *("launched", "beat", "beat", "commit", "commit", "completed")
    ]
    assert file["summary"] == {"entries": 6, "credited_seconds": 60.0, "whole": True}
    assert file["subject"]["enrollment"]["status"] == "COMPLETED"
    assert file["subject"]["certificate"]["entry"] == 6
    code, printed = run(tmp_path / "evidence.json")
    assert code == 0
    assert "6 entries, 1.0 minutes credited" in printed
    assert file["digest"] in printed
    assert run(tmp_path / "evidence.json", file["digest"])[0] == 0
    assert run(tmp_path / "evidence.json", "0" * 64)[0] == 1


async def test_it_is_signed_with_a_key_that_the_company_publishes(world: World, tmp_path: Path) -> None:
    ana = await learnt(world)
    (tmp_path / "evidence.json").write_bytes(await download(world, ana.id))
    answer = await world.http.get(f"/badges/{world.tenant.slug}/keys.json")
    (tmp_path / "keys.json").write_bytes(answer.content)
    file = json.loads((tmp_path / "evidence.json").read_bytes())
    assert file["signature"]["keys"].endswith(f"/badges/{world.tenant.slug}/keys.json")
    code, printed = run(tmp_path / "evidence.json", file["digest"], "--keys", str(tmp_path / "keys.json"))
    assert (code, "Signed with a key that is published at" in printed) == (0, True)
    # Signatures of a replaced key stay valid.
    async with world.tx() as tx:
        await keys.rotate(tx)
    (tmp_path / "keys.json").write_bytes((await world.http.get(answer.url.path)).content)
    assert run(tmp_path / "evidence.json", "--keys", str(tmp_path / "keys.json"))[0] == 0


async def test_a_file_that_somebody_else_signed_is_found(world: World, stranger: World) -> None:
    file = json.loads(await download(world, (await learnt(world)).id))
    published = (await world.http.get(f"/badges/{world.tenant.slug}/keys.json")).content
    async with stranger.tx() as tx:
        other = await keys.signing(tx)
    forged = file | {"signature": chain.signature(other, file["signature"]["keys"], file["digest"])}
    raw = "{" + ",".join(f'"{name}":{_written(name, value)}' for name, value in forged.items()) + "}\n"
    check = problem_of()
    assert check(raw.encode()) is None
    assert check(raw.encode(), None, published) == "it is signed with a key that is not among the company's"
    moved = raw.replace(file["digest"], "0" * 64).encode()
    assert check(moved) is not None


def _written(name: str, value: Any) -> str:
    return f"[{','.join(map(chain.canonical, value))}]" if name == "log" else chain.canonical(value)


def test_the_script_verifies_as_a_library_does() -> None:
    """RFC 8032, section 7.1, test 3, and random keys."""
    is_signed = problem_of().__globals__["is_signed"]
    key = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
    value = "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
    value += "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
    assert is_signed(bytes.fromhex(key), bytes.fromhex("af82"), bytes.fromhex(value))
    for number in range(10):
        private = Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32)
        own, message = private.public_key().public_bytes_raw(), b"evidence" * number
        signature = private.sign(message)
        assert is_signed(own, message, signature)
        assert not is_signed(own, message + b"!", signature)
        assert not is_signed(own[::-1], message, signature)
        for place in (0, 31, 32, 63):
            changed = signature[:place] + bytes([signature[place] ^ 1]) + signature[place + 1 :]
            assert not is_signed(own, message, changed)


async def test_any_byte_that_is_changed_is_found(world: World, tmp_path: Path) -> None:
    raw = await download(world, (await learnt(world)).id)
    check, chance = problem_of(), random.Random(5)
    assert check(raw) is None
    for place in {0, len(raw) - 1, len(raw) - 2, *(chance.randrange(len(raw)) for _ in range(600))}:
        other = chance.choice([each for each in range(32, 127) if each != raw[place]])
        changed = raw[:place] + bytes([other]) + raw[place + 1 :]
        assert check(changed) is not None, (place, changed[place - 20 : place + 20])
    for wrong in (raw[:-1], raw + b" ", b"", b"{}", b"[]", b"null", raw.replace(b",", b", ")):
        assert check(wrong) is not None
    (tmp_path / "changed.json").write_bytes(raw.replace(b"passed", b"failed", 1))
    code, printed = run(tmp_path / "changed.json")
    assert code == 1
    assert printed.startswith("NOT as it was made")


async def test_an_entry_that_is_left_out_or_added_is_found(world: World) -> None:
    file = json.loads(await download(world, (await learnt(world)).id))
    check = problem_of()
    for log in (file["log"][1:], file["log"][:-1], [*file["log"], file["log"][-1]], file["log"][::-1]):
        assert check(json.dumps(file | {"log": log}).encode()) is not None


async def test_a_log_that_was_changed_in_the_database_says_so(world: World, admin_url: str) -> None:
    ana = await learnt(world)
    connection = await asyncpg.connect(admin_url)
    await connection.execute("SET session_replication_role = replica")
    await connection.execute(
        "UPDATE learning_log SET detail = replace(detail, '90', '91') WHERE enrollment_id = $1", ana.id
    )
    await connection.close()
    raw = await download(world, ana.id)
    assert json.loads(raw)["summary"]["whole"] is False
    assert problem_of()(raw) == "the server itself found that its log was changed"


def _text_of(pdf: Path) -> str:
    command = ["pdftotext", "-layout", pdf, "-"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


async def test_the_pdf_shows_the_digest_of_the_file(world: World, tmp_path: Path) -> None:
    ana = await learnt(world)
    digest = json.loads(await download(world, ana.id))["digest"]
    world.clock.move(minutes=5)  # without new study activity, the file is always the same
    (tmp_path / "evidence.pdf").write_bytes(await download(world, ana.id, "pdf"))
    text = _text_of(tmp_path / "evidence.pdf")
    assert digest in text.replace("\n", "")
    assert "Training evidence" in text


async def test_what_nobody_began_has_an_empty_log(world: World) -> None:
    enrollment = await world.enrollment()
    raw = await download(world, enrollment["id"])
    assert json.loads(raw)["log"] == []
    assert problem_of()(raw) is None
    assert (await download(world, enrollment["id"], "pdf")).startswith(b"%PDF")


async def test_downloading_is_on_record(world: World) -> None:
    await download(world, (await world.enrollment())["id"])
    assert "evidence.downloaded" in await actions_on_record(world)


@pytest.mark.parametrize("form", ["json", "pdf"])
async def test_only_of_whom_one_may_see(world: World, stranger: World, form: str) -> None:
    people = [await browsing(world, role) for role in ("gestor", "instrutor", "learner")]
    manager, teacher, other = people
    branch = await unit(world, "Filial")
    await manage(world, branch, await id_of(world, "gestor"))
    course = await world.course()
    await teach(world, course, await id_of(world, "instrutor"))
    member = (await world.user(business_unit_id=str(branch)))["id"]
    taught = (await world.enrollment(course_id=course))["id"]
    managed = (await world.enrollment(user_id=member))["id"]
    foreign = (await stranger.enrollment())["id"]

    async def seen(http: Any) -> list[int]:
        addresses = [f"/admin/enrollments/{id}/evidence.{form}" for id in (taught, managed, foreign, uuid4())]
        return [(await http.get(each)).status_code for each in addresses]

    assert await seen(manager) == [404, 200, 404, 404]
    assert await seen(teacher) == [200, 404, 404, 404]
    assert set(await seen(other)) == {403}
    for each in people:
        await each.aclose()
