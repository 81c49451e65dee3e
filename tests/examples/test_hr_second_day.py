"""Runs examples/hr_sync.py on the two days of a messy company: the result equals the model, and a further run
changes nothing.
"""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from examples.hr_company import Company, at_length, company_of, counts
from examples.messy_company import MAPPING, MessyCompany, Sizes, accounts_of
from running import running

SHORT = Sizes(people=150, leavers=8, rehires=4, changed=6, wrong=4)
WHOLE = Sizes(people=3000, leavers=50, rehires=20, changed=30, wrong=10)


@pytest.fixture
async def company(tmp_path: Path) -> AsyncIterator[Company]:
    with running(tmp_path) as server:
        async with company_of(server, tmp_path) as company:
            yield company


async def holds(company: Company, model: MessyCompany) -> None:
    """Checks that people and enrollments are exactly those of the model."""
    people = await company.people()
    wanted = model.accounts()
    found = {
        each["employee_number"]: {name: each[name] for name in wanted[each["employee_number"]]}
        for each in people
    }
    assert found == wanted
    numbers = {each["id"]: each["employee_number"] for each in people if each["status"] == "ACTIVE"}
    async with company.world.tx() as tx:
        places = await tx.rows(
            "SELECT user_id, slug FROM enrollments e JOIN courses c ON c.id = e.course_id"
            " AND c.tenant_id = e.tenant_id WHERE e.tenant_id = :tenant"
        )
    assert {
        (numbers[each["user_id"]], each["slug"]) for each in places if each["user_id"] in numbers
    } == model.places()


def tells(company: Company, model: MessyCompany) -> None:
    """Checks that each wrong row is reported with its reason."""
    _, _, told = company.summary.partition("\nFailed:\n")
    assert [sum(why in line for line in told.splitlines()) for why in model.reasons()] == list(
        model.reasons().values()
    ), told


async def seed(company: Company, model: MessyCompany) -> None:
    """Creates suspended accounts for the people who left before the first day."""
    with httpx2.Client(base_url=company.server.url, headers=company.authorization) as http:
        for body in accounts_of(model.rehired):
            made = await asyncio.to_thread(http.post, "/v1/users", json=body)
            assert made.status_code == 201, made.text
            path = f"/v1/users/{made.json()['data']['id']}/suspend"
            assert (await asyncio.to_thread(http.post, path)).status_code == 204


@pytest.mark.parametrize("sizes", [SHORT, at_length(WHOLE)])
async def test_two_days_of_a_messy_company(company: Company, tmp_path: Path, sizes: Sizes) -> None:
    mapping = tmp_path / "hr.toml"
    mapping.write_text(MAPPING)
    options = (f"--mapping={mapping}", "--leavers=suspend", "--wrong-enrollments=cancel")
    company.in_courses = False
    first = MessyCompany.first_day(sizes)
    await seed(company, first)

    company.path = tmp_path / "monday.csv"
    first.write(company.path, "utf-16", "\t", hint=False)
    here = sizes.people - sizes.rehires
    enrolled = len(first.places())
    assert company.sync(*options, code=1) == counts(
        created=here,
        unchanged=sizes.rehires,
        enrolled=enrolled,
        failed=len(first.wrong),
        changes=here + enrolled,
    )
    tells(company, first)
    await holds(company, first)

    company.path = tmp_path / "tuesday.csv"
    second = first.second_day()
    second.write(company.path, "cp1252", ";", hint=True)
    done = company.sync(*options, code=1)
    gone = sum(not each.listed and not each.active for each in second.people)
    assert (done["suspended"], done["leavers"]) == (sizes.leavers, gone)
    assert (done["reactivated"], done["cancelled"]) == (sizes.rehires, sizes.wrong)
    # The corrected row is a valid person now, and the people who came back were never sent before.
    assert (done["created"], done["skipped"]) == (1, 0)
    assert done["updated"] == sizes.changed + sizes.rehires
    assert done["failed"] == len(second.wrong) + sizes.misspelt
    tells(company, second)
    await holds(company, second)
    assert done["wrong enrollments"] == sizes.wrong

    again = company.sync(*options, code=1)
    assert (again["changes"], again["failed"]) == (0, done["failed"])
    await holds(company, second)
