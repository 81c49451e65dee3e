"""RFC 6749 section 10.10: the time of a refusal does not tell whether the client exists, or how much of a
guessed secret is right.
"""

import time
from collections.abc import Callable
from statistics import quantiles

import pytest

from access.oauth.clients import GRANT, basic, new_client, refused
from conftest import World


@pytest.mark.parametrize(
    ("times", "apart", "timer"),
    [
        # Beside other tests, only processor time is comparable.
        (80, 1.3, time.process_time),
        pytest.param(1000, 1.1, time.perf_counter, marks=[pytest.mark.long, pytest.mark.timeout(600)]),
    ],
)
async def test_an_unknown_client_and_a_wrong_secret_take_alike(
    world: World, times: int, apart: float, timer: Callable[[], float]
) -> None:
    client = await new_client(world)
    last = "A" if client.secret[-1] != "A" else "B"
    tried = {
        "unknown client": basic("trl_client_" + "0" * 32, client.secret),
        "wrong secret": basic(client.name, "trl_secret_" + "0" * 43),
        "one character off": basic(client.name, client.secret[:-1] + last),
    }
    took: dict[str, list[float]] = {name: [] for name in tried}
    for turn in range(times + 5):
        # The cases alternate, each second time in reverse order, so that the machine's other work affects all
        # of them alike.
        for name, header in list(tried.items())[:: -1 if turn % 2 else 1]:
            began = timer()
            answer = await client.post("token", GRANT, headers=header)
            if turn >= 5:
                took[name].append(timer() - began)
            refused(answer, 401, "invalid_client")
    # The tenth that other tests disturbed least.
    quickest = {name: quantiles(each, n=10)[0] for name, each in took.items()}
    print({name: f"{each * 1000:.2f} ms" for name, each in quickest.items()})
    assert max(quickest.values()) <= apart * min(quickest.values()), quickest
