"""The time of a refused sign-in does not tell whether the company or the person exists."""

import time
from collections.abc import Callable
from statistics import median

import pytest
from argon2 import PasswordHasher

from conftest import World
from trilha.core import passwords

PASSWORD = "correct horse"
APART = 0.005  # seconds
Body = dict[str, str]


@pytest.fixture
def _dear_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Uses the real cost of passwords, so that a skipped comparison is noticed."""
    monkeypatch.setattr(
        passwords, "PASSWORDS", PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
    )


TIMES = pytest.mark.parametrize(
    ("times", "timer"),
    [
        # Beside other tests, only processor time is comparable. The hash takes nearly all of it.
        (16, time.process_time),
        pytest.param(200, time.perf_counter, marks=[pytest.mark.long, pytest.mark.timeout(600)]),
    ],
)


@pytest.mark.usefixtures("_dear_passwords")
@TIMES
async def test_every_login_that_fails_takes_alike(
    world: World, times: int, timer: Callable[[], float]
) -> None:
    known, suspended = [await world.user(password=PASSWORD) for _ in range(2)]
    await world.http.post(f"/v1/users/{suspended['id']}/suspend")
    right = {"tenant_slug": world.tenant.slug, "email": known["email"], "password": PASSWORD}
    tried = {
        "unknown tenant": right | {"tenant_slug": "nobody-here"},
        "unknown person": right | {"email": "nobody@example.com"},
        "wrong password": right | {"password": "correct hors"},
        "suspended": right | {"email": suspended["email"]},
    }
    # Each sign-in follows one of the same company, because sign-ins of one company take turns.
    await _check(world, {name: (each, each) for name, each in tried.items()}, times, timer)


@pytest.mark.usefixtures("_dear_passwords")
@TIMES
async def test_nothing_is_told_by_the_next_login(
    world: World, times: int, timer: Callable[[], float]
) -> None:
    """Nor does it tell about a company that was tried just before."""
    wrong = {"email": "nobody@example.com", "password": PASSWORD}
    known, unknown, other = [
        wrong | {"tenant_slug": slug} for slug in (world.tenant.slug, "nobody-here", "nobody-there")
    ]
    await _check(world, {"after a known": (known, other), "after an unknown": (unknown, other)}, times, timer)


async def _check(
    world: World, tried: dict[str, tuple[Body, Body]], times: int, timer: Callable[[], float]
) -> None:
    """Checks that the second of two sign-ins takes the same time in every case."""
    took: dict[str, list[float]] = {name: [] for name in tried}
    http = world.client()
    for turn in range(times + 5):
        # The cases alternate, each second time in reverse order, so that the machine's other work affects all
        # of them alike.
        for name, (first, second) in list(tried.items())[:: -1 if turn % 2 else 1]:
            await http.post("/api/auth/login", json=first)
            began = timer()
            answer = await http.post("/api/auth/login", json=second)
            if turn >= 5:
                took[name].append(timer() - began)
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, "invalid_login")
    medians = {name: median(each) for name, each in took.items()}
    print({name: f"{each * 1000:.2f} ms" for name, each in medians.items()})
    assert min(medians.values()) > APART  # hashes: fewer would show no difference
    assert max(medians.values()) - min(medians.values()) <= APART, medians
