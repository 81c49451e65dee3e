"""python -m bench [--rounds N] [--seconds S] [--only TEXT] | python -m bench explain | webhooks | oauth"""

import argparse
import time

from bench import explain, oauth, webhooks
from bench.contestants import Contestant, running
from bench.pages import far_page
from bench.routes import ROUTES, Route, get
from bench.table import Entry, Report, take_turns
from bench.world import LARGE, SMALL, make_world, server

OF_THE_USUAL_WAY = 5.0
FAR = 1_000
PAGES_APART = 1.5


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m bench")
    arguments.add_argument(
        "what", nargs="?", choices=["table", "explain", "webhooks", "oauth"], default="table"
    )
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=1.0, help="length of a round")
    arguments.add_argument("--only", default="", help="routes with this in their name")
    asked = arguments.parse_args()
    if asked.what == "explain":
        explain.main()
    elif asked.what == "webhooks":
        webhooks.main()
    elif asked.what == "oauth":
        oauth.main(asked.rounds, asked.seconds)
    else:
        Bench(asked.rounds, asked.seconds, asked.only).run()


class Bench:
    def __init__(self, rounds: int, seconds: float, only: str) -> None:
        self.rounds = rounds
        self.seconds = seconds
        self.only = only
        self.report = Report()

    def run(self) -> None:
        began = time.monotonic()
        with server() as (folder, url):
            print("Seeding 10,000 and 1,000,000 enrollments", flush=True)
            small, large = (make_world(folder, url, size) for size in (SMALL, LARGE))
            print(f"Measuring after {time.monotonic() - began:.0f} s", flush=True)
            wanted = [("floor", small), ("ours", small), ("usual", small), ("ours", large)]
            with running(wanted) as (floor, ours, usual, grown):
                for route in ROUTES:
                    if self.only in route.name:
                        self._measure(route, floor, ours, usual, grown)
                for path in ("/v1/users", "/v1/enrollments"):
                    if self.only in path:
                        self._measure_far_page(path, grown)
        self.report.show()
        print(f"{time.monotonic() - began:.0f} s; bounds missed: {self.report.missed}")

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
