"""`bragbook`: the command line (contract.md §1).

Each command lives in service/commands/ and is loaded only when it is asked for: `replay` and `audit` start without a
database driver or a web server in sight.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from service.commands.terminal import Failure, complain

# Command -> where it is defined, in the order in which they are listed.
COMMANDS = {
    "serve": "service.commands.serve:serve",
    "replay": "service.commands.offline:replay",
    "audit": "service.commands.offline:audit",
    "import": "service.commands.transfer:import_files",
    "export": "service.commands.transfer:export",
    "token": "service.commands.store:token",
    "erase": "service.commands.store:erase",
    "rebuild": "service.commands.store:rebuild",
    "verify": "service.commands.store:verify",
    "key": "service.commands.evidence:key",
    "backup": "service.commands.backup:backup",
    "restore": "service.commands.backup:restore",
    "db": "service.commands.database:db",
}
USAGE_FAULT = 2
INTERRUPTED = 130


class _Late(click.Group):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, name = place.split(":")
        command: click.Command = getattr(import_module(module), name)
        return command


@click.group(cls=_Late, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="bragbook", prog_name="bragbook")
def bragbook() -> None:
    """Keep the score of an evening of Brag: record it, replay it, settle it, audit it."""


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line, and ends the process with its exit code. What goes wrong is one line on standard error."""
    try:
        bragbook.main(arguments, prog_name="bragbook", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(USAGE_FAULT)
    except click.UsageError as error:
        asked = error.ctx.command_path if error.ctx else "bragbook"
        complain(f"{error.format_message()} (see {asked} --help)")
        sys.exit(USAGE_FAULT)
    except Failure as error:
        complain(error.message)
        sys.exit(error.code)
    except click.ClickException as error:
        complain(error.format_message())
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        complain("stopped")
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has gone: nothing is left to say, and nowhere to say it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()
