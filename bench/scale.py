"""How much is measured."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.company import LARGE, SMALL, Size
from bench.learners import Load


@dataclass(frozen=True)
class Scale:
    """`steps` are the loads in the search for the knee. `samples` is how often one call is measured alone,
    `bulk` the number of items in one call, and `bulks` the number of such calls.
    One in `share` of the page addresses and worst requests is measured; `reads` is the number of another
    person's reads beside those. `statements` is how many statements are in the learning record store.
    """

    company: Size
    loads: Sequence[Load]
    steps: Sequence[Load]
    opening: int
    signing: int
    start_seconds: float
    calls_per_second: float
    calls_seconds: float
    samples: int
    bulk: int
    bulks: int
    share: int
    reads: int
    deliveries: int
    webhook_seconds: float
    certificates: int
    scim_seconds: float
    xapi_seconds: float
    statements: int
    settle_seconds: float

    def with_load(self, load: Load) -> "Scale":
        """Returns the same scale with only this load of learners."""
        return replace(self, loads=(load,), steps=())


FULL = Scale(
    company=LARGE,
    loads=(Load(2_000, 600.0),),
    steps=tuple(Load(count, 60.0) for count in (2_500, 3_000, 3_500, 4_000, 5_000, 6_000, 8_000)),
    opening=3_000,
    signing=2_000,
    start_seconds=60.0,
    calls_per_second=300.0,
    calls_seconds=60.0,
    samples=100,
    bulk=1_000,
    bulks=10,
    share=1,
    reads=150,
    deliveries=20_000,
    webhook_seconds=20.0,
    certificates=200,
    scim_seconds=20.0,
    xapi_seconds=20.0,
    statements=10_000_000,
    settle_seconds=900.0,
)
# Shows that everything can be measured, and nothing about the server.
SHORT = Scale(
    company=SMALL,
    loads=(Load(10, 3.0, every=0.5),),
    steps=(Load(20, 2.0, every=0.5), Load(30, 2.0, every=0.5)),
    opening=5,
    signing=5,
    start_seconds=2.0,
    calls_per_second=50.0,
    calls_seconds=2.0,
    samples=5,
    bulk=50,
    bulks=2,
    share=50,
    reads=3,
    deliveries=400,
    webhook_seconds=1.0,
    certificates=4,
    scim_seconds=1.0,
    xapi_seconds=1.0,
    statements=20_000,
    settle_seconds=3.0,
)
