"""How many processes the suite runs in, and in which order: `make test` gives each a file at a time."""

import os
from pathlib import Path

import pytest

# More than ten seconds each, about the longest first.
LONGEST = (
    "browser/test_losing_nothing.py",
    "browser/test_every_page.py",
    "browser/test_hostile_packages.py",
    "openapi/test_tools.py",
    "chaos/test_kill_sender.py",
    "fuzz/test_api.py",
    "cli/test_up.py",
    "examples/test_hr_sync.py",
    "docs/test_shown_commands.py",
    "chaos/test_slow_clients.py",
    "core/test_own_folders.py",
    "browser/test_ways_in.py",
    "browser/test_company_flows.py",
    "browser/test_studying_modules.py",
    "browser/test_people_flows.py",
    "browser/test_sign_in.py",
    "browser/test_gallery.py",
    "browser/test_integration_flows.py",
    "browser/test_taking_quizzes.py",
    "cli/test_commands.py",
    "personal_data/test_export.py",
    "contract/test_every_surface.py",
    "oauth/test_real_clients.py",
    "contract/test_limits.py",
    "webhooks/test_dispatcher.py",
    "contract/test_logins.py",
    "mail/test_mail_delivery.py",
    "chaos/test_noisy_neighbour.py",
    "chaos/test_kill.py",
    "chaos/test_kill_mail.py",
    "browser/test_enrolling.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """More than there are processors: a good part of the time a test waits for something else than those."""
    return max(1, (os.cpu_count() or 1) * 3 // 2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first, so that all processes of a run end together."""
    items.sort(key=lambda item: _place(item.path.relative_to(Path(__file__).parent)))


def _place(file: Path) -> int:
    name = file.as_posix()
    if name in LONGEST:
        return LONGEST.index(name)
    return len(LONGEST) + (not name.startswith("browser/"))
