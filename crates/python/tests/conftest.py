"""What the tests share: models, data of others, and a loud word where something is not tested."""

from __future__ import annotations

import pytest

import stiction
from shared import ARM

@pytest.fixture(scope="session")
def arm() -> stiction.Model:
    """A ball joint and a hinge, and a free box."""
    return stiction.loads(ARM)


@pytest.fixture(scope="session")
def quadruped() -> stiction.Model:
    """A standing robot of twelve joints."""
    return stiction.load("quadruped")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what was not tested, and why."""
    skipped = terminalreporter.stats.get("skipped", [])
    for reason in sorted({str(report.longrepr[2]).removeprefix("Skipped: ") for report in skipped}):
        terminalreporter.write_line(f"*** NOT TESTED: {reason} ***", yellow=True)
