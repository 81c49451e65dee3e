"""A separate process parses large bodies, with the same result as for small ones."""

import os
from datetime import date

import psutil
import pytest

from trilha.core.errors import BadRequest, Invalid
from trilha.core.web.large_bodies import parse_large
from trilha.core.web.parsing import MAX_PROBLEMS, parse_body
from trilha.people.users.schema import NewUser
from trilha.training.enrollments.schema import BulkEnrollments

TODAY = date(2026, 7, 1)
PAIR = (
    b'{"user_id":"0ad0756e-b138-4d04-9a62-d9f5655efef0","course_id":"0ad0756e-b138-4d04-9a62-d9f5655efef0"}'
)


def parsers() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if "trilha.core.web.large_bodies" in each.cmdline()]


async def test_what_is_right_is_the_same() -> None:
    body = b'{"enrollments":[%s]}' % b",".join([PAIR] * 1000)
    assert await parse_large(BulkEnrollments, body, TODAY) == parse_body(BulkEnrollments, body, TODAY)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (BulkEnrollments, b'{"enrollments":[%s]}' % b",".join([b"{}"] * 500_000)),
        (BulkEnrollments, b'{"enrollments":[%s]}' % b",".join([b"{}"] * 500)),
        (NewUser, b'{"email":"%s","cpf":"1"}' % (b"a" * 100_000)),
    ],
    ids=["too many", "each of them wrong", "a code of a feature"],
)
async def test_problems_are_the_same(kind: type[NewUser] | type[BulkEnrollments], body: bytes) -> None:
    with pytest.raises(Invalid) as there:
        await parse_large(kind, body, TODAY)
    with pytest.raises(Invalid) as here:
        parse_body(kind, body, TODAY)
    assert there.value.detail == here.value.detail
    assert len(there.value.detail) <= MAX_PROBLEMS + 1


async def test_what_is_no_json_is_told() -> None:
    with pytest.raises(BadRequest, match="malformed_json"):
        await parse_large(BulkEnrollments, b"[" * 1_000_000, TODAY)


async def test_the_process_gives_way_and_is_replaced_when_it_is_killed() -> None:
    body = b'{"enrollments":[%s]}' % PAIR
    await parse_large(BulkEnrollments, body, TODAY)
    (parser,) = parsers()
    assert parser.nice() > os.nice(0)
    parser.kill()
    parser.wait(10)
    assert len((await parse_large(BulkEnrollments, body, TODAY)).enrollments) == 1
    assert len(parsers()) == 1


async def test_the_process_is_told_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in parsers():
        each.kill()
        each.wait(10)
    monkeypatch.setenv("TRILHA_MASTER_KEY", "a secret")
    await parse_large(BulkEnrollments, b'{"enrollments":[%s]}' % PAIR, TODAY)
    (parser,) = parsers()
    assert not [name for name in parser.environ() if name.startswith("TRILHA_")]
