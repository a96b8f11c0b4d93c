"""Notices that lie over a screen for a moment, and that the program goes on whatever the clocks say."""

import time
from pathlib import Path

import pytest
from textual.widgets import _toast

from robby_tui.toasts import Toast
from tests.tui.kit import Stage, run


def test_its_time_is_never_less_than_none_and_no_wall_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    toast = Toast("The connection is back.", timeout=5)
    assert 4 < toast.time_left <= 5
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 4 < toast.time_left <= 5
    toast.raised_at -= 6
    assert toast.has_expired
    assert toast.time_left > 0


def test_one_whose_time_passes_while_it_is_drawn_goes_and_the_program_goes_on(tmp_path: Path) -> None:
    async def scene(stage: Stage) -> None:
        stage.app.notify("The connection is back.")
        await stage.sees("The connection is back.")
        (notice,) = stage.app._notifications
        notice.raised_at -= 60
        # As a screen does that is shown when the time has just run out.
        await stage.screen.mount(_toast.Toast(notice))
        await stage.until(lambda: not any(one._notification is notice for one in stage.screen.query(_toast.Toast)))

    run(scene, tmp_path)
