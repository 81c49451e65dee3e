"""How long the server takes for every page, in a tenant of 100,000 people and 1,000,000 enrollments.

`python -m bench pages`, or in parts that take minutes: `--keep /tmp/company --part 1/6`, each with some
addresses of every page. Each address is asked for alone, as an administrator, a manager of half the company,
an instructor of its largest course and a learner with 2,000 enrollments, whoever may. The bound is of each
page, over all its addresses alike; no single address may take more than twice that. The first page of a
browser has a budget beside that.
"""

import gzip
import html
import http.client
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from rich.console import Console
from rich.table import Table

from bench.company import ADMIN, LEARNING, Viewer, company
from bench.contestants import Contestant, running
from bench.visits import LEADS, Visit, pages, visits

# The bound of a page, and of one address, each of the p95.
MOST_MS, MOST_OF_ONE_MS = 50.0, 100.0
# Each address counts a FEW times in its page's p95; what takes longer than the bound of a page, and not much
# more, is asked for more often, for a p95 of its own.
FEW, SAMPLES = 4, 20
FAR = 20
SLOWEST, SLOWEST_PAGES = 15, 5
PATIENCE = 10  # seconds
MOST_BYTES, MOST_REQUESTS = 120 * 1024, 6
_NEXT = re.compile(r'href="([^"]*[?&;]cursor=[^"]*)"')
_LAUNCHES = re.compile(r'data-launches="([^"]+)"')
_FRAME = re.compile(r'<iframe\b[^>]*\bsrc="([^"]+)"')
_LOADED = re.compile(r'<(?:link|script|img)\b[^>]*?\b(?:href|src)="([^"]+)"')
_IN_STYLES = re.compile(rb"url\(\s*['\"]?([^'\")]+)")


class Timed(NamedTuple):
    visit: Visit
    status: int
    taken_ms: Sequence[float]

    @property
    def median_ms(self) -> float:
        return median(self.taken_ms)

    @property
    def p95_ms(self) -> float:
        return _p95(self.taken_ms)

    @property
    def is_missed(self) -> bool:
        return self.p95_ms > MOST_OF_ONE_MS or self.status >= 400


def main(only: str = "", kept: Path | None = None, part: tuple[int, int] = (1, 1)) -> int:
    """How many pages and addresses miss their bound, are not shown to anybody, or exceed a budget.

    Of `part` 2 of 6: every sixth address, from the second on.
    """
    began = time.monotonic()
    words = only.split(",")
    asked = [visit for page in pages() if any(word in page.path for word in words) for visit in visits(page)]
    number, parts = part
    asked = asked[number - 1 :: parts]
    with company(kept) as world:
        print(f"Measuring {len(asked):,} addresses after {time.monotonic() - began:.0f} s", flush=True)
        with running([("ours", world)]) as (ours,):
            browser = Browser(ours)
            first = [_said(each) for visit in asked for each in browser.time(visit)]
            # What misses is looked at once more: something else may have run on the machine meanwhile.
            timed = [_said(browser.again(each)) if each.p95_ms > MOST_OF_ONE_MS else each for each in first]
            budgets = list(_budgets(browser))
    _show(timed, budgets)
    _show_slowest(timed)
    # What one part is not shown, another may be.
    unseen = {each.visit.page for each in timed if parts == 1} - {
        each.visit.page for each in timed if _is_seen(each)
    }
    for path in sorted(unseen):
        print(f"{path}: nobody was shown it; bench/visits.py has no value that is there")
    missed = _show_missed(timed)
    print(f"{len(timed):,} addresses in {time.monotonic() - began:.0f} s")
    return missed + len(unseen) + sum(not each.is_kept for each in budgets)


def _show_missed(timed: Sequence[Timed]) -> int:
    """How many addresses and pages."""
    missed = [each for each in timed if each.is_missed]
    for each in sorted(missed, key=lambda each: each.p95_ms):
        print(f"{each.p95_ms:8.1f} ms  {each.status}  {each.visit.viewer.name}  {each.visit.address}")
    by_page = sorted(_by_page(timed).items(), key=lambda each: -each[1])
    slow = [path for path, p95 in by_page if p95 > MOST_MS]
    print("The slowest pages:")
    for path, p95 in by_page[: max(len(slow), SLOWEST_PAGES)]:
        print(f"{p95:8.1f} ms  {path}")
    over = sum(each.p95_ms > MOST_MS for each in timed)
    print(f"Over {MOST_MS:g} ms: {over:,} addresses, {len(slow):,} pages", end="; ")
    print(f"over {MOST_OF_ONE_MS:g} ms: {len(missed):,} addresses")
    return len(missed) + len(slow)


def _by_page(timed: Sequence[Timed]) -> Mapping[str, float]:
    """The p95 of each page in milliseconds, whoever looks at it and whatever is asked of it."""
    taken: dict[str, list[float]] = {}
    for each in timed:
        taken.setdefault(each.visit.page, []).extend(each.taken_ms[:FEW])
    return {path: _p95(all_of) for path, all_of in taken.items()}


def _said(timed: Timed) -> Timed:
    """At once where it is near the bound: a run that is ended early has told something then."""
    if timed.p95_ms > MOST_MS or timed.status >= 400:
        visit = timed.visit
        print(f"{timed.p95_ms:8.1f} ms  {timed.status}  {visit.viewer.name}  {visit.address}", flush=True)
    return timed


def _is_seen(timed: Timed) -> bool:
    return timed.status == 200 or timed.visit.page in LEADS


class Browser:
    """One connection to the server, which stays open."""

    def __init__(self, ours: Contestant) -> None:
        self.port = ours.port
        self._connect()

    def _connect(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def time(self, visit: Visit) -> Iterator[Timed]:
        """The address; of a list, the second and a far page, too; of the player, what is in its frame."""
        timed, body = self._time(visit)
        if timed.status == 404 or timed.status == 303:
            # Not within this viewer's reach, or nothing to do here in this state.
            yield timed._replace(status=303)
            return
        yield timed
        if frame := self._frame_of(visit, body):
            yield self._time(visit._replace(page="/l/{token}", address=frame))[0]
        if not visit.is_list:
            return
        for number in range(2, FAR + 1):
            if (following := _NEXT.search(body)) is None:
                return
            visit = visit._replace(address=urljoin(visit.address, html.unescape(following[1])))
            if number in (2, FAR):
                timed, body = self._time(visit)
                yield timed
            else:
                body = self.get(visit.viewer, visit.address)[2]

    def _frame_of(self, visit: Visit, body: str) -> str:
        """Where the frame of a player leads: to a launch that the page's script makes, or to a preview. Asked
        anew, since each ends the one before. Empty for any other page."""
        if launches := _LAUNCHES.search(body):
            return str(json.loads(self.get(visit.viewer, launches[1], "POST")[2])["address"])
        if not _FRAME.search(body):
            return ""
        frame = _FRAME.search(self.get(visit.viewer, visit.address)[2])
        return html.unescape(frame[1]) if frame else ""

    def again(self, timed: Timed) -> Timed:
        return self._time(timed.visit)[0]

    def _time(self, visit: Visit) -> tuple[Timed, str]:
        _, status, body = self.get(visit.viewer, visit.address)  # warms up
        taken = self._take(visit, FEW)
        if max(taken) > MOST_MS and median(taken) < MOST_OF_ONE_MS * 2:
            taken += self._take(visit, SAMPLES - FEW)
        return Timed(visit, status, taken), body

    def _take(self, visit: Visit, times: int) -> list[float]:
        return [self.get(visit.viewer, visit.address)[0] for _ in range(times)]

    def get(self, viewer: Viewer, address: str, method: str = "GET") -> tuple[float, int, str]:
        """Milliseconds, the status and the body. 504 where no answer came in time."""
        started = time.perf_counter()
        try:
            status, body, headers = self.fetch(viewer, address, method)
        except TimeoutError:
            self.connection.close()
            self._connect()
            status, body, headers = 504, b"", {}
        taken = (time.perf_counter() - started) * 1000
        return taken, status, _unpacked(body, headers).decode(errors="replace")  # pictures and PDFs, too

    def fetch(
        self, viewer: Viewer | None, address: str, method: str = "GET"
    ) -> tuple[int, bytes, dict[str, str]]:
        """As nobody where there is no viewer."""
        headers = {"accept-encoding": "gzip"}
        parts = urlsplit(address)
        if parts.netloc:  # content, which has hosts of its own and gets no cookie
            headers["host"] = parts.netloc
            address = parts._replace(scheme="", netloc="").geturl()
        elif viewer:
            headers["cookie"] = f"trilha_session={viewer.token}"
        if parts.path.endswith("/progress"):  # a part of a page, which asks for it by itself
            headers["hx-request"] = "true"
        if method != "GET":
            headers["sec-fetch-site"] = "same-origin"
        self.connection.request(method, address, headers=headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()}


def _unpacked(body: bytes, headers: Mapping[str, str]) -> bytes:
    return gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body


def _p95(taken: Sequence[float]) -> float:
    return quantiles(taken, n=20, method="inclusive")[-1]


class Budget(NamedTuple):
    """What a browser that has nothing of ours yet loads for one page."""

    address: str
    requests: int
    bytes: int
    elsewhere: list[str]

    @property
    def is_kept(self) -> bool:
        return self.requests <= MOST_REQUESTS and self.bytes <= MOST_BYTES and not self.elsewhere


def _budgets(browser: Browser) -> Iterator[Budget]:
    yield _budget(browser, None, "/login?tenant=bench")
    yield _budget(browser, ADMIN, "/admin")
    yield _budget(browser, LEARNING, "/learn")


def _budget(browser: Browser, viewer: Viewer | None, address: str) -> Budget:
    wanted, sizes, elsewhere = [address], dict[str, int](), []
    while wanted:
        one = wanted.pop()
        if one in sizes:
            continue
        if urlsplit(one).netloc:
            elsewhere.append(one)
            continue
        _, body, headers = browser.fetch(viewer, one)
        sizes[one] = len(body)
        content = _unpacked(body, headers)
        if "text/html" in headers["content-type"]:
            wanted += [html.unescape(each) for each in _LOADED.findall(content.decode())]
        if "text/css" in headers["content-type"]:
            wanted += [each.decode() for each in _IN_STYLES.findall(content) if not each.startswith(b"data:")]
    return Budget(address, len(sizes) + len(elsewhere), sum(sizes.values()), elsewhere)


def _show(timed: Sequence[Timed], budgets: Sequence[Budget]) -> None:
    table = Table("page", "viewer", "addresses", "median ms", "p95 ms", "of", "")
    for column in table.columns[2:5]:
        column.justify = "right"
    groups: dict[tuple[str, str], list[Timed]] = {}
    for each in timed:
        groups.setdefault((each.visit.page, each.visit.viewer.name), []).append(each)
    pages = _by_page(timed)
    for (page, viewer), all_of in groups.items():
        worst = max(all_of, key=lambda each: each.p95_ms)
        table.add_row(
            page,
            viewer,
            f"{len(all_of):,}",
            f"{median(each.median_ms for each in all_of):.1f}",
            f"{worst.p95_ms:.1f}",
            _query_of(worst),
            "missed" if pages[page] > MOST_MS or any(each.is_missed for each in all_of) else "",
        )
    for budget in budgets:
        first = f"{budget.requests} requests, {budget.bytes / 1024:.0f} KB, {len(budget.elsewhere)} elsewhere"
        table.add_row(budget.address, "", "", "", "", first, "" if budget.is_kept else "missed")
    Console(width=150, soft_wrap=True).print(table)


def _show_slowest(timed: Sequence[Timed]) -> None:
    print(f"The slowest {SLOWEST}:")
    for each in sorted(timed, key=lambda each: -each.p95_ms)[:SLOWEST]:
        print(f"{each.p95_ms:8.1f} ms  {each.visit.viewer.name}  {each.visit.page}  {_query_of(each)}")


def _query_of(timed: Timed) -> str:
    """What is shown of an address: without the cursors, which say nothing."""
    query = urlsplit(timed.visit.address).query
    return re.sub(r"cursor=[^&]*", "cursor", query)[:70]
