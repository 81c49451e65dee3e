"""Compares the cost in a large company with that in a small one: `python -m bench growth`.

It requests every page with each of its filters, and API calls, alternating between a company with 10,000
enrollments and one with 1,000,000.
"""

import random
from collections.abc import Mapping
from statistics import median

from bench import pages, traffic
from bench.browser import Browser
from bench.company import Company, row_id
from bench.deployment import Deployment
from bench.results import Section, at_most

MOST_TIMES = 1.5
# A difference this small is not noticeable, whatever the ratio.
FREE_MS = 5.0
_SAMPLES = 40
_SHOWN = 10
# By name: the path, with placeholders for numbers of people, enrollments and courses.
CALLS: Mapping[str, str] = {
    "GET /v1/users/{id}": "/v1/users/{user}",
    "GET /v1/users": "/v1/users?limit=20",
    "GET /v1/users?q= (a common word)": "/v1/users?q=maria&limit=20",
    "GET /v1/users?q= (a rare word)": "/v1/users?q=zoroastro&limit=20",
    "GET /v1/users?employee_number=": "/v1/users?employee_number=M{number:06}",
    "GET /v1/users?department=": "/v1/users?department=Log%C3%ADstica&limit=20",
    "GET /v1/enrollments/{id}": "/v1/enrollments/{enrollment}",
    "GET /v1/enrollments": "/v1/enrollments?limit=20",
    "GET /v1/enrollments?status=": "/v1/enrollments?status=in_progress,expired&limit=20",
    "GET /v1/enrollments?user_id=": "/v1/enrollments?user_id={user}",
    "GET /v1/enrollments?completed_since=": "/v1/enrollments?completed_since=2024-01-01T00:00:00Z&limit=20",
    "GET /v1/courses/{id}/stats": "/v1/courses/{course}/stats",
    "GET /v1/certificates": "/v1/certificates?limit=20",
    "GET /v1/events": "/v1/events?limit=20",
}


def run(small: tuple[Company, Deployment], large: tuple[Company, Deployment], share: int) -> Section:
    found = {f"page {path}": both for path, both in pages.grow(small[1], large[1], share).items()}
    found |= _time_calls(small, large)
    times = {name: after / before for name, (before, after) in found.items()}
    dearer = [
        name
        for name, (before, after) in found.items()
        if times[name] > MOST_TIMES and after - before > FREE_MS
    ]
    print("What grows most:")
    for name in sorted(times, key=lambda name: -times[name])[:_SHOWN]:
        print(f"  × {times[name]:.2f}  {found[name][0]:.1f} and {found[name][1]:.1f} ms  {name}")
    told = ", ".join(f"{name} (× {times[name]:.1f})" for name in dearer[:5])
    what = f"{len(times)} pages and calls at {large[0].size.enrollments:,} enrollments beside "
    what += f"{small[0].size.enrollments:,}"
    rows = [
        at_most(f"{what}: time, median", median(times.values()), MOST_TIMES, "times"),
        at_most(f"{what}: dearer by more than half and {FREE_MS:g} ms", len(dearer), 0, "of them", told),
    ]
    return Section("Growth", rows)


def _time_calls(
    small: tuple[Company, Deployment], large: tuple[Company, Deployment]
) -> dict[str, tuple[float, float]]:
    found = {}
    both = [(company, Browser(deployment.port)) for company, deployment in (small, large)]
    chance = random.Random(6)
    for name, path in CALLS.items():
        taken: list[list[float]] = [[], []]
        for _ in range(_SAMPLES):
            for (company, browser), times in zip(both, taken, strict=True):
                number = chance.randrange(700, company.size.people)
                address = path.format(
                    number=number,
                    user=row_id("user", number),
                    enrollment=row_id("enrollment", number),
                    course=row_id("course", number % 3),
                )
                headers = {
                    "authorization": f"Bearer {company.key}",
                    "x-forwarded-for": traffic.client(chance),
                }
                fetched = browser.fetch(address, headers=headers)
                if fetched.status != 200:
                    raise RuntimeError(f"{address}: {fetched.status} {fetched.text[:200]}")
                times.append(fetched.ms)
        found[name] = (median(taken[0]), median(taken[1]))
    return found
