"""`chickenfoot train`: the command line of training runs."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments.cli.console import say
from experiments.training.settings import Settings

app = typer.Typer(no_args_is_help=True, help="Train agents.")


def _ppo(
    out: Path, resume: bool, threads: int, device: str, as_json: bool, **settings: Any
) -> None:
    """Train a policy by PPO self-play; needs the extra train.

    Every seat of every game learns. About once a minute the policy takes an exam against greedy and
    heuristic agents, and the folder gets a checkpoint, the policy for ppo:path=... and the curves.
    """
    chosen = Settings(**settings)
    if threads < 1:
        raise ValueError(f"--threads {threads}: allowed are whole numbers from 1")
    if device not in ("auto", "cpu", "cuda"):
        raise ValueError(f"--device {device}: allowed are auto, cpu and cuda")
    try:
        import torch

        from experiments.training.run import Run
    except ImportError as error:
        raise ValueError(f'training needs {error.name}: pip install "chickenfoot[train]"') from None
    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("--device cuda: PyTorch sees no GPU here; allowed are auto and cpu")
    torch.set_num_threads(threads)
    again = f"{chosen.command()} --out {shlex.quote(str(out))} --resume"
    with _progress(chosen) as tell:
        run = Run(chosen, out, resume=resume, device=device, tell=tell)
        try:
            found = run.train()
        except KeyboardInterrupt:
            say(f"interrupted. To go on from the last checkpoint: {again}")
            raise
    summary = {"out": str(out), "decisions": run.model.num_timesteps, "seconds": run.seconds(),
               "exam": found}  # fmt: skip
    if as_json:
        print(json.dumps(summary, indent=1))
        return
    rate = run.model.num_timesteps / run.seconds()
    print(
        f"{run.model.num_timesteps:,} decisions in {run.seconds() / 60:.1f} minutes, {rate:,.0f}/s"
    )
    for name, each in found.items():
        anchor, _, seats = name.partition("/")
        print(
            f"against {int(seats) - 1} {anchor}: {each['margin']:+.2f} pips a {chosen.horizon} "
            f"({each['low']:+.2f} to {each['high']:+.2f}, p = {each['p']:.1g}), "
            f"wins {each['win_share']:.1%}"
        )
    print(f"play it as ppo:path={out / 'policy.npz'}; the curves are in {out / 'curves.png'}")


@contextlib.contextmanager
def _progress(settings: Settings) -> Iterator[Callable[[dict[str, float]], None]]:
    """A bar with the latest figures on stderr; where that is no terminal, lines."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    bar = Progress(
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}", markup=False),
        console=console,
        disable=not console.is_terminal,
    )
    task, exam, told = bar.add_task("", total=1.0, figures="compiling"), "", 0

    def tell(figures: dict[str, float]) -> None:
        nonlocal exam, told
        taken = [f"{name[5:]} {value:+.2f}" for name, value in figures.items() if "exam/" in name]
        exam = "  exam " + ", ".join(taken) if taken else exam
        text = f"{figures['time/decisions'] / 1e6:.2f} M decisions"
        text += f"  {figures['time/decisions_per_second']:,.0f}/s"
        text += f"  return {figures['rollout/return']:+.2f}"
        if "train/entropy_loss" in figures:
            text += f"  entropy {-figures['train/entropy_loss']:.2f}"
            text += f"  explained {figures['train/explained_variance']:.2f}"
        bar.update(task, completed=figures["progress"], figures=text + exam)
        percent = int(100 * figures["progress"])
        if bar.disable and (percent >= told + 2 or taken):
            told = percent
            print(f"{percent:3d}%  {text}{exam}", file=sys.stderr, flush=True)

    with bar:
        yield tell


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give the command an option for each field of Settings, and its own."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    options: dict[str, tuple[Any, Any]] = {
        "out": (Annotated[Path, typer.Option(help="Folder of the run.")], Path("runs/ppo")),
    }
    types = {"str": str, "int": int, "float": float, "bool": bool}
    for field in dataclasses.fields(Settings):
        kind = types[str(field.type)]
        help_text = typer.Option(help=field.metadata["help"])
        options[field.name] = (Annotated[kind, help_text], field.default)
    flags = {
        "resume": (bool, "--resume", "Go on with the run in --out.", False),
        "threads": (int, "--threads", "Of PyTorch. More than 1 only where nothing else runs.", 1),
        "device": (str, "--device", "auto, cpu or cuda.", "auto"),
        "as_json": (bool, "--json", "Print the last exam as one JSON object.", False),
    }
    for name, (kind, flag, text, default) in flags.items():
        options[name] = (Annotated[kind, typer.Option(flag, help=text)], default)
    parameters = [
        inspect.Parameter(name, keyword, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]

    def command(**given: Any) -> None:
        function(**given)

    command.__doc__ = function.__doc__
    command.__annotations__ = {name: kind for name, (kind, _) in options.items()}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


app.command("ppo")(_with_options(_ppo))
