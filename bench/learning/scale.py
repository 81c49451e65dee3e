"""How much is measured of learning."""

from msgspec import Struct


class Scale(Struct, frozen=True):
    """Times are in seconds, packages in MiB. `every` is the time between two commits of a learner, `history`
    how many commits come before the one that is compared, `compared` how many of those are sent."""

    learners: int = 300
    seconds: float = 60.0
    every: float = 15.0
    rounds: int = 5
    history: int = 5_000
    compared: int = 120
    large: int = 200
    small: int = 20


# Shows that the bench works, and nothing about the server.
SMALLEST = Scale(learners=4, seconds=1.0, every=0.2, rounds=1, history=3, compared=3, large=2, small=1)
