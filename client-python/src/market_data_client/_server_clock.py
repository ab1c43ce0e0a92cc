from __future__ import annotations

import math
from dataclasses import dataclass, replace

from .clock import Clock

LIMIT_WINDOW = 60.0
"""Length of a counting window; windows start with the full minute of the server's clock."""

_DRIFT = 100e-6
"""How far two clocks can drift apart in a second: the bounds widen by this as they age."""
_PRECISE_WIDTH = 2.0
"""A measurement at least this exact takes precedence over the local wall clock."""
_CLOCK_STEP_MIN = 1.0
"""When wall clock and steady clock diverge by more, the clock was set or the machine slept."""


@dataclass(frozen=True, slots=True)
class _Known:
    earliest: float
    """Lower bound of server time minus steady time, at ``at``."""
    latest: float
    at: float
    wall_gap: float
    """Wall time minus steady time, at ``at``."""

    @property
    def width(self) -> float:
        return self.latest - self.earliest


class ServerClock:
    """The server's time, kept as a lower and an upper bound.

    Each answer that states an instant was written between sending and receiving, so it narrows both bounds. The middle of
    one answer's bounds is the classic "half of the round trip". Built on the steady clock: setting the local clock changes
    nothing.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: _Known | None = None
        self._precise_at = -math.inf

    def record(self, server: float, sent: float, received: float) -> None:
        """Records the server time that an answer stated."""
        # The server truncates to whole milliseconds: its time was up to one later.
        self._narrow(server - received, server + 0.001 - sent)
        if self.width <= _PRECISE_WIDTH:
            self._precise_at = self._clock.steady()

    def record_window_end(self, reset: float, sent: float, received: float) -> None:
        """Records the end of the minute in which an answer was counted."""
        self._narrow(reset - LIMIT_WINDOW - received, reset - sent)

    @property
    def width(self) -> float:
        """How wide the bounds are; infinite before the first answer."""
        known = self._widened()
        return math.inf if known is None else known.width

    @property
    def uncertainty(self) -> float:
        """How far the true server time can be from ``now()``; infinite before the first answer."""
        return self.width / 2 if self.width <= _PRECISE_WIDTH else self.width

    @property
    def latest(self) -> float:
        """The latest that the server's time can be now; infinite before the first answer."""
        known = self._widened()
        return math.inf if known is None else max(self.now(), self._clock.steady() + known.latest)

    @property
    def precise_age(self) -> float:
        """Time since an answer last stated a precise server time; infinite when none did."""
        return self._clock.steady() - self._precise_at

    @property
    def offset(self) -> float:
        """Server time minus local wall time; 0 while nothing is known."""
        return self.now() - self._clock.wall()

    def now(self) -> float:
        """The server's time, in seconds since the Unix epoch."""
        known = self._widened()
        wall = self._clock.wall()
        if known is None:
            return wall
        steady = self._clock.steady()
        if known.width <= _PRECISE_WIDTH:
            offset = (known.earliest + known.latest) / 2
        else:
            offset = min(known.latest, max(known.earliest, wall - steady))
        # While the machine sleeps the wall clock advances and the steady clock may not. When they disagree, the later one
        # counts until the next answer, so that stale data never looks fresh.
        slept = wall - steady - known.wall_gap
        return steady + offset + (slept if slept > _CLOCK_STEP_MIN else 0)

    def certainly_reached_at(self, server: float) -> float:
        """The steady instant by which the server's clock has certainly reached ``server``."""
        known = self._widened()
        return math.inf if known is None else server - known.earliest

    def _narrow(self, earliest: float, latest: float) -> None:
        before = self._widened()
        at = self._clock.steady()
        wall_gap = self._clock.wall() - at
        narrowed = _Known(earliest, latest, at, wall_gap)
        if before is not None:
            narrowed = _Known(max(before.earliest, earliest), min(before.latest, latest), at, wall_gap)
        # Contradictory bounds mean that a clock was set: only the newest hold.
        self._known = narrowed if narrowed.width >= 0 else _Known(earliest, latest, at, wall_gap)

    def _widened(self) -> _Known | None:
        known = self._known
        if known is None:
            return None
        slack = (self._clock.steady() - known.at) * _DRIFT
        return replace(known, earliest=known.earliest - slack, latest=known.latest + slack)
