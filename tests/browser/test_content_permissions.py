"""The device features that content may use, as the browser sees them."""

import asyncio

from browser.flows import Visits, enter_as
from conftest import World
from training.scorm.packages import package
from trilha.settings import Settings
from trilha.training.courses import module_actions, module_queries
from trilha.training.courses.schema import ModulePatch
from web.panel.signing_in import made
from web.player.playing import enrolled, taught

_ALLOWED = "name => document.featurePolicy.allowsFeature(name)"
SENSORS = ("accelerometer", "gyroscope", "magnetometer", "autoplay", "fullscreen", "clipboard-write")
DEVICES = ("camera", "microphone", "geolocation")


async def test_a_panorama_turns_with_the_device_and_films_nobody_unasked(
    world: World, visits: Visits, settings: Settings
) -> None:
    user = await made(world, "learner")
    learner = await enrolled(world, await taught(world, settings, package()), user)
    visit = await enter_as(world, visits, user)

    async def allowed() -> set[str]:
        await visit.go(learner.path())
        outer = await (await visit.page.wait_for_selector("#content")).content_frame()  # type: ignore[union-attr]
        assert outer is not None
        inner = await (await outer.wait_for_selector("#sco[src]")).content_frame()  # type: ignore[union-attr]
        assert inner is not None
        await inner.wait_for_url("**/p/**")
        names = SENSORS + DEVICES
        answers = await asyncio.gather(*(inner.evaluate(_ALLOWED, name) for name in names))
        return {name for name, is_allowed in zip(names, answers, strict=True) if is_allowed}

    assert await allowed() == set(SENSORS)
    async with world.tx() as tx:
        (module,) = await module_queries.list_all(tx, learner.taught.course_id)
        patch = ModulePatch(content=module.content | {"camera": True, "microphone": True})
        await module_actions.change(tx, learner.taught.course_id, module.id, patch)
    assert await allowed() == {*SENSORS, "camera", "microphone"}
