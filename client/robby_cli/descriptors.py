"""As many open files as a server's connections need."""

import structlog

SPARE = 100
"""Descriptors beside those of connections: store, log, listeners, admin."""

log = structlog.get_logger("robby.server")


def allow_descriptors(connections: int) -> None:
    """Raise this process's limit of open files as far as that needs and the system lets it; log if it is too little."""
    try:
        import resource
    except ImportError:
        return  # a platform without such limits
    wanted = connections + SPARE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        most = soft
    if most < wanted:
        log.warning("few_descriptors", allowed=most, wanted=wanted, connections=connections)
