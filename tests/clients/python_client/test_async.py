"""The Python client for coroutines: calls, lists, retries and errors."""

import asyncio

import pytest

from clients.python_client.company import Company
from clients.python_client.faulty_proxy import LOST_ANSWER, FaultyProxy, Refusal
from trilha_client import AsyncTrilha, ConflictError, NetworkError, ServerError


async def test_calls_run_side_by_side_and_lists_are_read_page_by_page(company: Company) -> None:
    async with AsyncTrilha(company.url, api_key=company.key) as client:
        new = [client.users.create(email=f"side{number}@example.com", name="Lado") for number in range(5)]
        ids = {user["id"] for user in await asyncio.gather(*new)}
        assert {user["id"] async for user in client.users.list(q="Lado", limit=2)} == ids
        assert [len(page.data) async for page in client.users.list(q="Lado", limit=2).pages()] == [2, 2, 1]
        (course,) = [each async for each in client.courses.list(slug="boas-vindas")]
        enrollment = await client.enrollments.create(user_id=ids.pop(), course_id=course["id"])
        await client.enrollments.cancel(enrollment["id"])
        with pytest.raises(ConflictError):
            await client.users.create(email="side0@example.com", name="Lado")


async def test_a_post_is_repeated_with_its_key(company: Company, proxy: FaultyProxy) -> None:
    proxy.faults += [LOST_ANSWER, Refusal(429, "1")]
    async with AsyncTrilha(proxy.url, api_key=company.key) as client:
        await client.users.create(email="async@example.com", name="Ana")
        assert len({request.idempotency_key for request in proxy.requests}) == 1
        assert len([user async for user in client.users.list(email="async@example.com")]) == 1


async def test_it_gives_up_after_the_last_attempt(company: Company, proxy: FaultyProxy) -> None:
    async with AsyncTrilha(proxy.url, api_key=company.key, max_retries=0) as client:
        for fault, kind in ((LOST_ANSWER, NetworkError), (Refusal(500), ServerError)):
            proxy.faults.append(fault)
            with pytest.raises(kind):
                await client.request("GET", "/users")
