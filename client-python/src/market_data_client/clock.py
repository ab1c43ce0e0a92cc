"""The only source of time and chance."""

from __future__ import annotations

import random
import time


class Clock:
    """The platform's clocks. Pass your own to test what you build on the client."""

    speed: float = 1.0
    """How many of its seconds pass in a real one. With a fast clock waits are as much shorter."""

    def wall(self) -> float:
        """Seconds since the Unix epoch."""
        return time.time()

    def steady(self) -> float:
        """Seconds since an arbitrary origin; never goes back."""
        return time.monotonic()


system_clock = Clock()


def system_random() -> float:
    """Uniform in [0, 1): for jitter only."""
    return random.random()
