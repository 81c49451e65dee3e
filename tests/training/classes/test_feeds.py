"""Which sessions a calendar address shows if there are more than it may have."""

from datetime import timedelta

from conftest import World
from training.classes.classes import offer
from trilha.training.classes import sessions_in_calendars


async def test_coming_sessions_have_priority_over_past_ones(world: World) -> None:
    classes = await offer(world)
    starts = [-72, -48, -24, -1, 24, 48, 72]
    made = await classes.create(*(classes.session(each, 2) for each in starts))
    ids = [each["id"] for each in made["sessions"]]
    for limit, expected in ((3, ids[3:6]), (4, ids[3:]), (5, ids[2:]), (100, ids)):
        async with world.tx() as tx:
            listed = await sessions_in_calendars.list_all(tx, tx.now - timedelta(days=90), limit)
        assert [str(each.id) for each in listed] == expected
