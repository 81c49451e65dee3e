"""Measures every page with every filter, sort and search, and with pairs of them: `python -m bench pages`.

Each address is requested alone, as each of administrator, manager, instructor and learner who may open it.
For a list, the second page is measured too, and without a filter also a far one.
"""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import msgspec

from bench.browser import Browser, Fetched
from bench.company import ADMIN, LEARNING, Company
from bench.deployment import Deployment
from bench.load import percentile
from bench.results import Row, Section, at_most
from bench.visits import LEADS, Visit, pages, visits

PAGE_MS, WORST_MS = 100.0, 250.0
# How often each address is measured. One near the bound is measured more often.
FEW, MANY = 2, 20
MOST_KB, MOST_REQUESTS = 120, 6
_SHOWN = 10
_NEXT = re.compile(r'href="([^"]*[?&;]cursor=[^"]*)"')
_LAUNCHES = re.compile(r'data-launches="([^"]+)"')
_FRAME = re.compile(r'<iframe\b[^>]*\bsrc="([^"]+)"')


class Timed(NamedTuple):
    visit: Visit
    status: int
    times: Sequence[float]

    @property
    def p95(self) -> float:
        return percentile(sorted(self.times), 0.95)

    def __str__(self) -> str:
        return f"{self.p95:.0f} ms  {self.status}  {self.visit.viewer.name}  {self.visit.address}"


def run(company: Company, deployment: Deployment, only: str, share: int) -> Section:
    """`only`: pages with one of these words in their path, separated by commas. One in `share` of their
    addresses is measured.
    """
    browser = Browser(deployment.port)
    chosen = [
        visit
        for page in pages()
        if any(word in page.path for word in only.split(","))
        for visit in visits(page)
    ]
    measured = [timed for visit in chosen[::share] for timed in _time_all(browser, visit)]
    by_page: dict[str, list[float]] = {}
    for each in measured:
        by_page.setdefault(each.visit.page, []).extend(each.times)
    p95s = {path: percentile(sorted(times), 0.95) for path, times in by_page.items()}
    slowest = max(p95s, key=lambda path: p95s[path])
    worst = max(measured, key=lambda each: each.p95)
    failed = [each for each in measured if each.status >= 400]
    seen = {each.visit.page for each in measured if each.status == 200} | set(LEADS)
    # A skipped address may be the one that links to its page.
    unseen = sorted(set(by_page) - seen) if share == 1 else []
    for timed in failed:
        print(f"  {timed}")
    print("The slowest addresses:")
    for timed in sorted(measured, key=lambda each: -each.p95)[:_SHOWN]:
        print(f"  {timed}")
    for path in sorted(p95s, key=lambda path: -p95s[path])[:_SHOWN]:
        print(f"  {p95s[path]:.0f} ms  {path}")
    what = f"{len(p95s):,} pages at {len(measured):,} addresses"
    times = sorted(time for each in measured for time in each.times)
    rows = [
        at_most(f"{what}: p95 of the slowest page", p95s[slowest], PAGE_MS, "ms", slowest),
        at_most(f"{what}: p95 of the slowest address", worst.p95, WORST_MS, "ms", worst.visit.address[:80]),
        Row(f"{what}: p50, p95 of all", f"{median(times):.0f}, {percentile(times, 0.95):.0f} ms"),
        at_most(f"{what}: failed", len(failed), 0, "addresses", ", ".join(map(str, failed[:3]))),
        at_most(f"{what}: shown to nobody", len(unseen), 0, "pages", ", ".join(unseen[:3])),
        *_budgets(browser),
    ]
    return Section(
        f"Pages, {company.size.people:,} people and {company.size.enrollments:,} enrollments", rows
    )


def _time_all(browser: Browser, visit: Visit) -> Iterator[Timed]:
    """Measures the address; for a list, also further pages; for the player, also the content of its frame."""
    timed, fetched = _time(browser, visit)
    if fetched.status in (303, 404):
        # Out of this viewer's reach, or nothing to do in this state.
        yield timed._replace(status=303)
        return
    yield timed
    if frame := _frame_of(browser, visit, fetched.text):
        yield _time(browser, visit._replace(page="/l/{token}", address=frame))[0]
    for number in range(2, visit.walk + 1):
        if (following := _NEXT.search(fetched.text)) is None:
            return
        visit = visit._replace(address=urljoin(visit.address, html.unescape(following[1])))
        if number in (2, visit.walk):
            timed, fetched = _time(browser, visit)
            yield timed
        else:
            fetched = _get(browser, visit)


def _time(browser: Browser, visit: Visit) -> tuple[Timed, Fetched]:
    fetched = _get(browser, visit)  # warm-up
    times = [_get(browser, visit).ms for _ in range(FEW)]
    if max(times) > PAGE_MS:
        times += [_get(browser, visit).ms for _ in range(MANY - FEW)]
        print(f"  {Timed(visit, fetched.status, times)}", flush=True)
    return Timed(visit, fetched.status, times), fetched


def _get(browser: Browser, visit: Visit) -> Fetched:
    # A part of a page, which the page requests itself.
    is_part = urlsplit(visit.address).path.endswith("/progress")
    return browser.fetch(visit.address, visit.viewer.token, headers={"hx-request": "true"} if is_part else {})


def _frame_of(browser: Browser, visit: Visit, text: str) -> str:
    """Returns the address in a player's frame: of a launch that the page's script creates, or of a preview.

    It is requested again each time, because each launch ends the previous one. Empty for any other page.
    """
    if launches := _LAUNCHES.search(text):
        launched = browser.fetch(launches[1], visit.viewer.token, "POST")
        return str(msgspec.json.decode(launched.text)["address"])
    if not _FRAME.search(text):
        return ""
    frame = _FRAME.search(_get(browser, visit).text)
    return html.unescape(frame[1]) if frame else ""


def _budgets(browser: Browser) -> Iterator[Row]:
    """Measures what a browser loads for its first page."""
    for token, address in (("", "/login?tenant=bench"), (ADMIN.token, "/admin"), (LEARNING.token, "/learn")):
        files = browser.load(address, token)
        kb = sum(each.size for each in files.values()) / 1024
        what = f"First visit to {address.partition('?')[0]}"
        yield at_most(f"{what}: loads", kb, MOST_KB, "KB")
        yield at_most(f"{what}: requests", len(files), MOST_REQUESTS, "requests")


def grow(small: Deployment, large: Deployment, share: int) -> Mapping[str, tuple[float, float]]:
    """Returns the milliseconds of every page in the small and in the large company.

    They are medians over one in `share` of its addresses without pairs of filters, measured alternately.
    """
    taken: dict[str, tuple[list[float], list[float]]] = {}
    browsers = Browser(small.port), Browser(large.port)
    for visit in [visit for page in pages() for visit in visits(page, pairs=False)][::share]:
        if any(_get(browser, visit).status != 200 for browser in browsers):
            continue
        for _ in range(FEW):
            for browser, times in zip(browsers, taken.setdefault(visit.page, ([], [])), strict=True):
                times.append(_get(browser, visit).ms)
    return {path: (median(one), median(other)) for path, (one, other) in taken.items()}
