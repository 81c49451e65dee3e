"""The page around cmi5 content. Its script asks for a session, which has the content's address."""

from trilha.core.database import Tx
from trilha.training.learning.launches import units
from trilha.training.learning.launches.schema import LoadedLaunch
from trilha.web.player.frame import LaunchPage
from trilha.web.player.permissions_policy import devices_of, frame_permissions

# Assignable units may be on other servers.
_POLICY = {"frame-src": "*"}


async def make(tx: Tx, opened: LoadedLaunch) -> LaunchPage:
    has_attempt = opened.attempt.package_id is not None
    loaded = await units.load_unit(tx, opened.module, opened.attempt if has_attempt else None)
    return LaunchPage(
        template="player/cmi5/page.html",
        values={
            "own_window": loaded.unit.launch_method == "OwnWindow",
            "allow": frame_permissions(devices_of(opened.module.type, opened.module.content)),
        },
        policy=_POLICY,
    )
