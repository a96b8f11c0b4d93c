"""What SIGHUP (and `robby admin reload`) does: read configuration, password and certificate again while games go on.

All or nothing: if anything is wrong, everything stays as it was and the log says what.
"""

from dataclasses import replace
from pathlib import Path

import structlog
import trio

from robby_cli.announced import tell_systemd
from robby_cli.exits import CommandError
from robby_cli.serve_options import ServeOptions, folder_of, open_tls
from robby_protocol.i18n import _
from robby_server.admin import Reloaded
from robby_server.app import Server
from robby_server.config import Config, changed
from robby_server.log import log_level, set_up_logging

DAY_SECONDS = 86_400.0

log = structlog.get_logger("robby.server")


def start_logging(config: Config) -> None:
    """Log as the configuration says. Raises OSError where the log file cannot be opened."""
    settings = config.settings
    file = None if settings.log_file is None else folder_of(config) / settings.log_file
    set_up_logging(
        level=log_level(settings.log_level), file=file, file_bytes=settings.log_bytes, files=settings.log_files
    )


class Reloader:
    """Knows what the server runs with, and by which command line. config: as it was read when the server started."""

    def __init__(self, server: Server, options: ServeOptions, config: Config) -> None:
        self._server = server
        self._options = options
        self._config = config

    @property
    def useful(self) -> bool:
        """Whether there is anything to read again."""
        return self._options.config is not None or self._server.tls is not None

    async def reload(self) -> Reloaded:
        """Read everything again. Without problems it counts from now on."""
        tell_systemd("RELOADING=1")
        try:
            return self._reload()
        finally:
            tell_systemd("READY=1")

    async def keep_warning(self) -> None:
        """Say each day in the log what is odd about the certificate, such as that it ends soon."""
        while True:
            self._warn()
            await trio.sleep(DAY_SECONDS)

    def _warn(self) -> list[str]:
        warnings = [] if self._server.tls is None else self._server.tls.warnings
        for sentence in warnings:
            log.warning("certificate", text=sentence)
        return warnings

    def _reload(self) -> Reloaded:
        old = self._config
        try:
            asked = new = self._options.read()
            if (old.serving.tls_certificate is None) != (new.serving.tls_certificate is None):
                # Clients and their links were told one thing.
                new = _kept(old, new, "tls_certificate", "tls_key")
            tls = open_tls(new)
            start_logging(new)
        except CommandError as error:
            problems = error.text.split("\n")
        except OSError as error:
            problems = [log_problem(new, error)]
        else:
            differing = changed(old, new)
            counting = [key.field for key in differing if key.reloaded]
            waiting = [key.path for key in changed(new, asked)] + [key.path for key in differing if not key.reloaded]
            self._server.tls = tls
            self._config = replace(
                old,
                settings=replace(
                    old.settings,
                    password=new.settings.password,
                    **{name: getattr(new.settings, name) for name in counting if hasattr(new.settings, name)},
                ),
                serving=replace(
                    old.serving,
                    **{name: getattr(new.serving, name) for name in counting if hasattr(new.serving, name)},
                ),
            )
            self._server.use(self._config.settings)
            warnings = self._warn()
            if waiting:
                log.warning("reload_needs_restart", keys=waiting)
                text = _("These keys count only when the server starts anew: {keys}.")
                warnings = [*warnings, text.format(keys=", ".join(waiting))]
            log.info("reloaded", changed=[key.path for key in differing if key.reloaded])
            return Reloaded(warnings=warnings)
        for problem in problems:
            log.error("reload_failed", problem=problem)
        return Reloaded(problems)


def log_problem(config: Config, error: OSError) -> str:
    """A sentence for a log file that cannot be opened."""
    file = Path(config.settings.log_file or "")
    text = _("The log cannot be written to {file}: {cause}. Choose another file, or give its folder to the server.")
    return text.format(file=folder_of(config) / file, cause=error.strerror)


def _kept(old: Config, new: Config, *names: str) -> Config:
    return replace(new, serving=replace(new.serving, **{name: getattr(old.serving, name) for name in names}))
