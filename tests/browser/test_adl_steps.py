"""The steps of ADL's conformance suite through the player's own runtime. The resulting state survives a
commit and the next launch.
"""

import json
from typing import Any

import pytest
from playwright.async_api import Frame

from browser.flows import Visits, enter_as
from conftest import FIXTURES, World
from training.scorm.packages import manifest, zipped
from trilha.settings import Settings
from trilha.training.learning.commits import actions as commits
from trilha.training.learning.commits.schema import Commit
from trilha.training.learning.launches import pages as launch_pages
from web.panel.signing_in import made
from web.player.playing import Enrolled, enrolled, taught

STEPS = FIXTURES / "scorm" / "adl-steps"
pytestmark = pytest.mark.skipif(not STEPS.is_dir(), reason="The fixtures are not here.")
_RUN = """
async ([base, version, activities]) => {
  const { Runtime } = await import(base + "scorm/runtime.js");
  const { Connection } = await import(base + "scripts/connection.js");
  const { State } = await import(base + "scripts/state.js");
  const page = JSON.parse(document.getElementById("launch").textContent);
  const address = (kind) => location.origin + location.pathname + kind;
  const results = [];
  for (const { cmi, steps } of activities) {
    const launch = { ...page, scorm: { ...page.scorm, version, cmi } };
    const state = new State(launch);
    const { api } = await Runtime.make(launch, new Connection(launch, address, state), state, address);
    const prefix = version === "1.2" ? "LMS" : "";
    const names = version === "1.2" ? { Terminate: "LMSFinish" } : {};
    const answers = steps.map(({ method, element, value }) => {
      const given = [element, value].filter((each) => each !== undefined);
      const result = api[names[method] ?? prefix + method](...(given.length ? given : [""]));
      return [String(result), String(api[prefix + "GetLastError"]())];
    });
    results.push([answers, api.renderCommitCMI(false).cmi]);
  }
  return results;
}
"""


def activities(version: str) -> list[dict[str, Any]]:
    found = []
    for path in sorted(STEPS.rglob("*.json")):
        case = json.loads(path.read_text())
        if case["scormVersion"] == version:
            found += [each | {"name": f"{path.stem} {each['id']}"} for each in case["activities"]]
    return found


def holds(step: dict[str, Any], result: str, error: str) -> bool:
    expected = step["expectedReturn"]
    if isinstance(expected, dict):
        returned = expected == {"match": "nonEmptyMax255"} and 0 < len(result) <= 255
    else:
        returned = result == expected
    return returned and error == step["expectedErrorCode"]


async def frame_of(world: World, visits: Visits, settings: Settings, version: str) -> tuple[Frame, Enrolled]:
    user = await made(world, "learner")
    package = zipped([("imsmanifest.xml", manifest(version=version)), ("index.html", "<p>Silent</p>")])
    learner = await enrolled(world, await taught(world, settings, package), user)
    visit = await enter_as(world, visits, user)
    await visit.go(learner.path())
    frame = await (await visit.page.wait_for_selector("#content")).content_frame()  # type: ignore[union-attr]
    assert frame is not None
    await frame.wait_for_selector("#launch", state="attached")
    return frame, learner


# The short form compares the state after every fourth activity of the suite, the long form after each.
@pytest.mark.parametrize(
    ("version", "steps", "every"),
    [("1.2", 34, 1), ("2004", 599, 4), pytest.param("2004", 599, 1, marks=pytest.mark.long)],
)
async def test_every_step_gives_what_is_expected(
    world: World, visits: Visits, settings: Settings, version: str, steps: int, every: int
) -> None:
    given = activities(version)
    assert sum(len(each["steps"]) for each in given) == steps
    frame, learner = await frame_of(world, visits, settings, version)
    base = await frame.evaluate(
        "document.querySelector('script[type=module]').src.replace('scorm/page.js', '')"
    )
    asked = [
        {"cmi": (each.get("initialState") or {}).get("cmi", {}), "steps": each["steps"]} for each in given
    ]
    results = await frame.evaluate(_RUN, [base, version, asked])
    wrong = [
        (each["name"], step, answer)
        for each, (answers, _) in zip(given, results, strict=True)
        for step, answer in zip(each["steps"], answers, strict=True)
        if not holds(step, *answer) and "knownDivergence" not in step
    ]
    assert wrong == []
    await _survives(learner, [cmi for _, cmi in results][::every])


async def _survives(learner: Enrolled, left: list[dict[str, Any]]) -> None:
    """Commits the state that each activity has left, and loads it in the next launch."""
    for number, cmi in enumerate(left):
        async with learner.world.tx() as tx:
            await tx.execute(
                "DELETE FROM attempts WHERE tenant_id = :tenant AND enrollment_id = :id", id=learner.id
            )
        first = await learner.launch()
        async with learner.world.tx() as tx:
            sent = Commit(cmi=cmi, sequence=1, final=False, hash=bytes(32), raw=b"")
            assert (await commits.apply_commit(tx, first.launch_id, sent)).outcome == "APPLIED"
        again = await learner.launch()
        async with learner.world.tx() as tx:
            scorm = (await launch_pages.load_launch(tx, again.launch_id)).scorm
        assert scorm is not None
        assert _own(scorm.cmi) == _own(cmi), number


# Elements of one launch, of the person or of the manifest, which each launch sets anew.
_NOT_KEPT = (
    *("entry", "exit", "session_time", "total_time", "credit", "mode", "lesson_mode", "launch_data"),
    *("student_id", "student_name", "learner_id", "learner_name", "student_data"),
    *("scaled_passing_score", "completion_threshold", "max_time_allowed", "time_limit_action"),
)


def _own(cmi: dict[str, Any]) -> dict[str, Any]:
    """Returns the elements that the content has set, as text and without empty ones."""
    found = {}
    for name, value in cmi.items():
        if name in _NOT_KEPT:
            continue
        kept = _own(value) if isinstance(value, dict) else "" if value is None else str(value)
        if kept not in ("", {}):
            found[name] = kept
    return found
