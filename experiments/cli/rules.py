"""`chickenfoot rules`: the published rule sets."""

from __future__ import annotations

from typing import Annotated

import typer

from experiments.cli.console import show


def show_rules(
    name: Annotated[
        str | None,
        typer.Argument(help='A preset, with changes if wanted, such as "puremco,toes=2".'),
    ] = None,
    players: Annotated[
        int | None, typer.Option(help="Seats at the table; 4 if the rules are for 4.")
    ] = None,
) -> None:
    """List the published rule sets, or tell one in plain sentences."""
    from experiments import rule_sheet

    if name is None:
        if players is not None:
            raise ValueError("--players goes with the name of rules; chickenfoot rules lists them")
        show(rule_sheet.listing())
    else:
        print(rule_sheet.sheet(name, players))
