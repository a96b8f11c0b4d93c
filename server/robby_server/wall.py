"""The one place that reads the wall clock: for what is counted in days and must outlive the process.

Games, limits and waits never do (they run on trio's clock): a wall clock may be wrong, and may jump.
"""

import time


def wall_now() -> float:
    """Seconds since 1970, as this machine believes."""
    return time.time()
