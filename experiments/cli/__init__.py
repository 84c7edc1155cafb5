"""The command line, `chickenfoot`: a file for each group of commands.

Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted. Errors are one line on stderr; with
CHICKENFOOT_TRACEBACK=1 in the environment they are tracebacks. Whatever takes long to import is
imported by the command that needs it.
"""

from __future__ import annotations

import os
import sys

import typer

from experiments.cli import agents, games, installation, rules, tournaments, train
from experiments.cli.console import say

BAD_INPUT, INTERRUPTED = 2, 130

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    help="Chicken Foot: play agents against one another and measure who is better.",
)
app.command()(tournaments.tournament)
app.command()(tournaments.report)
app.add_typer(agents.app, name="agents")
app.add_typer(train.app, name="train")
app.command()(games.play)
app.command()(games.serve)
app.command()(games.replay)
app.command(name="rules")(rules.show_rules)
app.command()(installation.bench)
app.command()(installation.doctor)


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(_exit_code())


def _exit_code() -> int:
    try:
        return app(standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if os.environ.get("CHICKENFOOT_TRACEBACK"):
            raise
        usage = getattr(error, "format_message", None)  # typer's errors about the command line
        if usage is not None:
            if usage():  # empty where the help is shown instead
                say(f"error: {usage()}")
            return BAD_INPUT
        if isinstance(error, ValueError):
            say(f"error: {error}")
            return BAD_INPUT
        say(f"error: {type(error).__name__}: {error}")
        return 1
