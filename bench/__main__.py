"""python -m bench [table | people | growth | webhooks | oauth | scim | worst | learning | certificates |
                 reports | all]
                [--rounds N] [--seconds S] [--only TEXT]
python -m bench explain
python -m bench paired --before PATH
python -m bench pages [--only TEXT] [--keep FOLDER] [--part K/N]
python -m bench growth [--only TEXT] [--keep FOLDER]
python -m bench learning [--smallest]
python -m bench reports [--only TEXT] [--smallest]

Ends with 1 where a bound is missed.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench import certificates, explain, growth, oauth, pages, paired, people, reports, scim, webhooks, worst
from bench.contestants import Contestant, Kind, running
from bench.far_page import far_page
from bench.learning import measures as learning
from bench.learning.scale import SMALLEST, Scale
from bench.routes import ROUTES, Route, get
from bench.table import Entry, Report, take_turns
from bench.world import LARGE, SMALL, World, make_world, server

OF_THE_USUAL_WAY = 5.0
FAR = 1_000
PAGES_APART = 1.5


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m bench")
    arguments.add_argument(
        "what",
        nargs="?",
        choices=[
            "table",
            "people",
            "growth",
            "webhooks",
            "oauth",
            "scim",
            "worst",
            "learning",
            "certificates",
            "reports",
            "pages",
            "all",
            "explain",
            "paired",
        ],
        default="table",
    )
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=1.0, help="length of a round")
    arguments.add_argument(
        "--only",
        default="",
        help="routes or pages with this in their name; of pages and growth, several words with commas",
    )
    arguments.add_argument(
        "--before", type=Path, help="paired: another checkout of this repository, set up with make"
    )
    arguments.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="pages, growth: where what is seeded stays, to be used again",
    )
    arguments.add_argument(
        "--part", type=_part, default=(1, 1), metavar="K/N", help="pages: of N parts the K-th, such as 1/6"
    )
    arguments.add_argument(
        "--smallest",
        action="store_true",
        help="learning: as little as shows that the bench works; reports: 60,000 enrollments",
    )
    asked = arguments.parse_args()
    if asked.what == "explain":
        explain.main()
        return
    if asked.what == "paired":
        if asked.before is None:
            arguments.error("paired needs --before PATH")
        sys.exit(bool(paired.main(asked.before, asked.rounds, asked.seconds, asked.only)))
    tables: dict[str, Callable[[], int]] = {
        "table": lambda: Bench(asked.rounds, asked.seconds, asked.only).run(),
        "people": people.main,
        "growth": lambda: growth.main(asked.only if asked.what == "growth" else "", asked.keep),
        "webhooks": webhooks.main,
        "oauth": lambda: oauth.main(asked.rounds, asked.seconds),
        "scim": lambda: scim.main(asked.rounds, asked.seconds),
        "worst": worst.main,
        "learning": lambda: learning.main(SMALLEST if asked.smallest else Scale()),
        "certificates": certificates.main,
        "reports": lambda: reports.main(
            asked.only if asked.what == "reports" else "", reports.SMALLEST if asked.smallest else LARGE
        ),
        "pages": lambda: pages.main(asked.only if asked.what == "pages" else "", asked.keep, asked.part),
    }
    missed = [measure() for name, measure in tables.items() if asked.what in (name, "all")]
    sys.exit(any(missed))


def _part(text: str) -> tuple[int, int]:
    number, _, parts = text.partition("/")
    if not 1 <= int(number) <= int(parts):
        raise ValueError(text)
    return int(number), int(parts)


class Bench:
    def __init__(self, rounds: int, seconds: float, only: str) -> None:
        self.rounds = rounds
        self.seconds = seconds
        self.only = only
        self.report = Report()

    def run(self) -> int:
        """How many bounds are missed."""
        began = time.monotonic()
        with server() as (folder, url):
            print("Seeding 10,000 and 1,000,000 enrollments", flush=True)
            small, large = (make_world(folder, url, size) for size in (SMALL, LARGE))
            print(f"Measuring after {time.monotonic() - began:.0f} s", flush=True)
            wanted: list[tuple[Kind, World]] = [
                ("floor", small),
                ("ours", small),
                ("usual", small),
                ("ours", large),
            ]
            with running(wanted) as (floor, ours, usual, grown):
                for route in ROUTES:
                    if self.only in route.name:
                        self._measure(route, floor, ours, usual, grown)
                for path in ("/v1/users", "/v1/enrollments"):
                    if self.only in path:
                        self._measure_far_page(path, grown)
        print(f"{time.monotonic() - began:.0f} s")
        return self.report.show()

    def _measure(
        self, route: Route, floor: Contestant, ours: Contestant, usual: Contestant, grown: Contestant
    ) -> None:
        contestants = [floor, ours, grown] + ([usual] if route.has_usual else [])
        entries = [
            Entry(each, route.requests(each.world), route.bodies is not None, route.connections)
            for each in contestants
        ]
        of_floor, of_ours, of_grown, *rest = take_turns(entries, self.rounds, self.seconds)
        self.report.add(route.name, of_ours, "floor", of_floor, at_least=route.of_floor)
        if rest:
            self.report.add(route.name, of_ours, "the usual way", rest[0], at_least=OF_THE_USUAL_WAY)
        self.report.add(f"{route.name} at 1M", of_grown, "at 10,000", of_ours, at_most=route.growth)

    def _measure_far_page(self, path: str, grown: Contestant) -> None:
        address, _ = far_page(grown, path, FAR)
        entries = [Entry(grown, [get(each, grown.world.key)]) for each in (path, address)]
        first, far = take_turns(entries, self.rounds, self.seconds)
        self.report.add(f"GET {path[3:]} page {FAR:,} at 1M", far, "page 1", first, at_most=PAGES_APART)


if __name__ == "__main__":
    main()
