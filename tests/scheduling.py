"""How many processes the suite runs in, and in which order: `make test` gives each a file at a time."""

import os
from functools import cache
from pathlib import Path

import pytest

# More than ten seconds each, about the longest first.
LONGEST = (
    "browser/test_losing_nothing.py",
    "browser/test_every_page.py",
    "fuzz/test_api.py",
    "openapi/test_tools.py",
    "core/test_own_folders.py",
    "docs/test_shown_commands.py",
    "browser/test_studying_modules.py",
    "browser/test_hostile_packages.py",
    "cli/test_up.py",
    "examples/test_hr_sync.py",
    "browser/test_ways_in.py",
    "chaos/test_kill_sender.py",
    "cli/test_commands.py",
    "chaos/test_slow_clients.py",
    "browser/test_playing_scorm.py",
    "certificates/test_rendering_papers.py",
    "browser/test_integration_flows.py",
    "chaos/test_kill_counters.py",
    "personal_data/test_export.py",
    "browser/test_single_sign_on.py",
    "browser/test_people_flows.py",
    "browser/test_company_flows.py",
    "contract/test_limits.py",
    "docs/test_back_up_and_restore.py",
    "browser/test_certificate_story.py",
    "browser/test_speaking.py",
    "chaos/test_kill.py",
    "browser/test_taking_quizzes.py",
    "chaos/test_kill_certificates.py",
    "scim/test_scim2_tester.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """More than there are processors: a good part of the time a test waits for something else than those."""
    return max(1, (os.cpu_count() or 1) * 3 // 2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first, so that all processes of a run end together."""
    items.sort(key=lambda item: _place(item.path))


@cache
def _place(file: Path) -> int:
    name = file.relative_to(Path(__file__).parent).as_posix()
    if name in LONGEST:
        return LONGEST.index(name)
    return len(LONGEST) + (not name.startswith("browser/"))
