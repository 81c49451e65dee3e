"""Decides which tests belong to `make test-whole`, how many processes run the suite, and in which order."""

import os
import subprocess
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

# Files that take more than ten seconds on a fast machine, slowest first.
LONGEST = (
    "browser/test_every_page.py",
    "docs/test_release.py",
    "browser/test_losing_nothing.py",
    "fuzz/test_api.py",
    "browser/test_studying_modules.py",
    "cli/test_up.py",
    "browser/test_hostile_packages.py",
    "benches/test_bench.py",
    "docs/test_shown_commands.py",
    "cli/test_commands.py",
    "examples/test_hr_sync.py",
    "web/test_http1.py",
    "core/test_external_postgresql.py",
    "core/test_own_folders.py",
    "sessions/test_login_timing.py",
    "chaos/test_kill_counters.py",
    "docs/test_back_up_and_restore.py",
    "chaos/test_slow_clients.py",
    "browser/test_gallery.py",
    "chaos/test_kill_sender.py",
    "chaos/test_kill.py",
    "browser/test_ways_in.py",
    "browser/test_sign_in.py",
    "contract/test_every_surface.py",
    "contract/test_roles.py",
    "cli/test_status.py",
    "contract/test_limits.py",
    "browser/test_keeping_state.py",
    "cli/test_master_keys.py",
    "cli/test_backups.py",
    "cli/test_keys.py",
    "platform/backups/test_backup_and_restore.py",
    "browser/test_people_flows.py",
    "browser/test_taking_quizzes.py",
    "certificates/test_rendering_papers.py",
    "clients/test_clients.py",
    "clients/test_python_page.py",
    "clients/python_client/test_retries.py",
    "browser/test_playing_scorm.py",
    "chaos/test_noisy_neighbour.py",
    "openapi/test_tools.py",
    "browser/test_certificate_story.py",
    "scim/test_scim2_tester.py",
    "browser/test_integration_flows.py",
    "oauth/test_real_clients.py",
    "sso/test_tickets_in_processes.py",
    "contract/test_processes.py",
    "browser/test_speaking.py",
    "chaos/test_kill_certificates.py",
    "webhooks/test_dispatcher.py",
    "browser/test_company_flows.py",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Returns more processes than processors, because tests spend much of their time waiting."""
    return max(1, (os.cpu_count() or 1) * 3 // 2)


# Folders whose tests start servers, browsers or other programs, or use the whole product.
WHOLE_FOLDERS = {"benches", "browser", "chaos", "cli", "clients", "docs", "examples", "fuzz", "providers"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests of `make test-whole`, and puts the slowest files first, so that all processes end
    together.
    """
    for item in items:
        if _is_whole(item):
            item.add_marker("whole")
    items.sort(key=lambda item: _place(item.path))


def _is_whole(item: pytest.Item) -> bool:
    """Tells whether a test starts processes, by its folder or by the imports of its module."""
    module = item.getparent(pytest.Module)
    folder = item.path.relative_to(Path(__file__).parent).parts[0]
    return folder in WHOLE_FOLDERS or (module is not None and _starts_processes(module.obj))


@cache
def _starts_processes(module: ModuleType) -> bool:
    values = vars(module).values()
    return subprocess in values or any(getattr(value, "__module__", "") == "running" for value in values)


@cache
def _place(file: Path) -> int:
    name = file.relative_to(Path(__file__).parent).as_posix()
    if name in LONGEST:
        return LONGEST.index(name)
    return len(LONGEST) + (not name.startswith("browser/"))
