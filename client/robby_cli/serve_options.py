"""What a server is to be: the command line over the configuration file over the defaults, and whether that works."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from robby_cli.exits import CommandError
from robby_cli.secret import read_password
from robby_cli.server_folder import check_folder, data_folder
from robby_client import exit_codes
from robby_protocol.i18n import _
from robby_server.config import Config, ConfigError, read_config
from robby_server.tls import Tls, TlsError


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """The command line; None: not given."""

    config: Path | None = None
    host: str | None = None
    port: int | None = None
    name: str | None = None
    max_connections: int | None = None
    max_per_address: int | None = None
    max_tables: int | None = None
    password_file: Path | None = None
    data: Path | None = None
    durability: str | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    quiet: bool = False

    def read(self) -> Config:
        """The file and the command line put together, the password read. Raises CommandError with all problems."""
        try:
            config = Config() if self.config is None else read_config(self.config)
        except ConfigError as error:
            raise CommandError("\n".join(error.problems), exit_codes.BAD_CONFIG) from error
        config = config.over(
            hosts=None if self.host is None else (self.host,),
            port=self.port,
            server_name=self.name,
            connections=self.max_connections,
            connections_per_address=self.max_per_address,
            tables=self.max_tables,
            password_file=self.password_file,
            data=self.data,
            durability=self.durability,
            tls_certificate=self.tls_cert,
            tls_key=self.tls_key,
            log_level="warning" if self.quiet else None,
        )
        return replace(config, settings=replace(config.settings, password=read_password(config.serving.password_file)))


def folder_of(config: Config) -> Path:
    """Where this server keeps its things."""
    return config.serving.data or data_folder()


def open_tls(config: Config) -> Tls | None:
    """The certificate and key, if there are any. Raises CommandError."""
    certificate, key = config.serving.tls_certificate, config.serving.tls_key
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise CommandError(_("TLS needs both: give --tls-cert and --tls-key."), exit_codes.BAD_TLS)
    try:
        return Tls(certificate, key)
    except TlsError as error:
        raise CommandError(str(error), exit_codes.BAD_TLS) from error


def check(options: ServeOptions) -> tuple[list[str], list[str], int]:
    """Look at everything that can be looked at without starting or changing anything.

    Returns what is wrong, what is odd though a server would start, and the exit code of the first problem.
    """
    problems: list[str] = []
    code = exit_codes.WELL
    warnings: list[str] = []
    try:
        config = options.read()
    except CommandError as problem:
        return problem.text.split("\n"), [], problem.code
    try:
        tls = open_tls(config)
        warnings += tls.warnings if tls is not None else ()
    except CommandError as problem:
        problems.append(problem.text)
        code = code or problem.code
    if config.settings.log_file is not None:
        file = folder_of(config) / config.settings.log_file
        # The data folder itself is made by the server; any other must be there.
        if file.parent != folder_of(config) and not os.access(file.parent, os.W_OK | os.X_OK):
            text = _("The log cannot be written to {file}: its folder is not there, or not to be written.")
            problems.append(text.format(file=file))
            code = code or exit_codes.BAD_CONFIG
    try:
        check_folder(folder_of(config))
    except CommandError as problem:
        problems.append(problem.text)
        code = code or problem.code
    return problems, warnings, code
