"""`chickenfoot agents`: the agents there are, and whether one keeps to what is asked of agents."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from experiments.cli import progress
from experiments.cli.console import show

app = typer.Typer(help="List the agents, or check one.", invoke_without_command=True)


@app.callback()
def list_agents(context: typer.Context) -> None:
    """List the agents and their options, with the defaults; or check one."""
    if context.invoked_subcommand is not None:
        return
    from rich.table import Table

    from agents import DESCRIPTIONS, others

    table = Table("agent", "what it does", "options", box=None, pad_edge=False)
    for name, description in {**DESCRIPTIONS, **others()}.items():
        table.add_row(name, description, _options(name))
    show(table)


def _options(name: str) -> str:
    """The options of an agent, as they are typed."""
    from agents import AgentError, options

    try:
        known = options(name)
    except AgentError:  # one of somebody else, that cannot be imported
        return "-"
    chosen = (
        f"{option}={value:g}" if isinstance(value, float) else f"{option}={value}"
        for option, value in known.items()
    )
    return ", ".join(chosen) or "-"


@app.command()
def check(
    spec: Annotated[str, typer.Argument(help="An agent, as for a tournament.")],
    positions: Annotated[int, typer.Option(help="Positions of each rule set.")] = 24,
    decision_seconds: Annotated[float, typer.Option(help="Time that it has a decision.")] = 10.0,
    memory_mb: Annotated[int, typer.Option(help="Memory that it may take, in MiB.")] = 2048,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings as one JSON object.")
    ] = False,
) -> None:
    """Try whether an agent keeps to what is asked of agents; exit code 1 if it does not."""
    from rich.table import Table

    from experiments.isolation import compliance
    from experiments.isolation.limits import Limits

    with progress.of_stages() as tell:
        limits = Limits(decision_seconds, memory_mb)
        findings = compliance.examine(spec, limits, positions, tell)
    if as_json:
        told = [vars(finding) for finding in findings]
        print(json.dumps({"agent": spec, "checks": told}, allow_nan=False))
    else:
        table = Table("check", "result", "", box=None, pad_edge=False)
        for finding in findings:
            table.add_row(finding.check, finding.result, finding.detail)
        show(table)
    if any(finding.result == compliance.FAILED for finding in findings):
        raise typer.Exit(1)
