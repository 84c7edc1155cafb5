"""A training run in a folder of its own.

settings.json    what it was started with, versions, machine and command
progress_1.csv   a line for each update: decisions, rate, return, entropy, losses, exams;
                 progress_2.csv after the first --resume, and so on
tensorboard/     the same for TensorBoard, where it is installed
checkpoint.pt    all that --resume needs
policy.npz       the policy at the last exam, for `ppo:path=...`
curves.png       drawn from them
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, make_output_format

import chickenfoot_env
from agents.ppo.agent import SHIPPED, PPOAgent
from agents.ppo.learner import SelfPlayPPO
from agents.ppo.policy import SeatPolicy
from agents.ppo.policy_file import Policy, load, save
from agents.ppo.shape import Shape
from agents.ppo.standings import Standings
from agents.ppo.vec_env import SelfPlayVecEnv
from chickenfoot_env.self_play import SelfPlayVectorEnv
from experiments.training import checkpoint, curves
from experiments.training.exam import exam
from experiments.training.pool import Pool
from experiments.training.settings import Settings

ANCHORS: Final = ("greedy", "heuristic")
EXAM_DEALS: Final = 200
FINAL_DEALS: Final = 2000
EXAM_EVERY: Final = 60.0  # seconds, or more: so many times as long as the last one took
EXAM_COSTS: Final = 15.0
SAVE_EVERY: Final = 120.0
MANIFEST: Final = "settings.json"
SNAPSHOTS: Final = 50  # in a run, evenly spread over its progress

Tell = Callable[[dict[str, float]], None]


@dataclasses.dataclass
class Counters:
    """What goes on over interruptions."""

    seconds: float = 0.0  # of training, all sittings together
    update: int = 0
    snapshots: int = 0


class Run:
    """A run that can be started, interrupted and gone on with.

    Args:
        settings: what it is made of.
        folder: its own; made if it is not there.
        resume: go on with what is there.
        device: of PyTorch, "auto", "cpu" or "cuda".
        tell: called with the figures of each update.

    Raises:
        ValueError: if the folder holds a run and `resume` is False, or another run, or cannot be
            written.
    """

    def __init__(
        self,
        settings: Settings,
        folder: Path,
        *,
        resume: bool = False,
        device: str = "auto",
        tell: Tell = lambda figures: None,
    ) -> None:
        self.settings, self.folder, self.tell = settings, folder, tell
        self.counters = Counters()
        self.last_exam: dict[str, Any] = {}
        self._began = time.monotonic()
        self.tables = settings.tables()
        self._check_folder(resume)
        self.pool = Pool(settings.snapshots, settings.seed)
        kinds = len(self.tables)
        games = SelfPlayVectorEnv(
            settings.games,
            rules=[self.tables[number % kinds] for number in range(settings.games)],
            episode="game" if settings.whole_games else "round",
            reward="win" if settings.whole_games else "points",
            opponents=self.pool.members if settings.pool else None,
            share=settings.pool,
        )
        worth = None
        if settings.whole_games:
            worth = {table.players: Standings(table) for table in dict.fromkeys(self.tables)}
        self.env = SelfPlayVecEnv(games, settings.sees_all, worth)
        self.shape = Shape(
            self.tables[0].max_pip, settings.width, settings.rounds, settings.whole_games
        )
        self.model = SelfPlayPPO(
            SeatPolicy,
            self.env,
            warm_up=settings.warm_up,
            worlds=settings.worlds,
            entropy=lambda remaining: settings.entropy * remaining,
            learning_rate=lambda remaining: settings.learning_rate * max(remaining, 0.01),
            n_steps=settings.ticks,
            batch_size=settings.batch,
            n_epochs=settings.epochs,
            gae_lambda=settings.trace,
            clip_range=settings.clip,
            policy_kwargs={"shape": self.shape, "value_width": settings.value_width},
            seed=settings.seed,
            device=device,
        )
        self.model.progress = self.progress
        self.start: dict[str, Any] | None = None
        if resume and (folder / checkpoint.FILE).exists():
            found = checkpoint.load(
                folder / checkpoint.FILE, self.model, self.env, self.pool, self.policy()
            )
            self.counters = Counters(**found)
            self.start = json.loads((folder / MANIFEST).read_text(encoding="utf-8")).get("start")
        elif settings.start:
            self.start = self._begin_with(settings.start)
        self._enter_folder()

    def _begin_with(self, start: str) -> dict[str, Any]:
        """Take over the weights of a file; what it says of itself."""
        path = SHIPPED if start == "shipped" else Path(start)
        found = load(path)
        if found.shape != self.shape:
            raise ValueError(
                f"start={start!r} holds {_told(found.shape)}, but the settings ask for "
                f"{_told(self.shape)}: give the same"
            )
        arrays = {name: torch.from_numpy(array) for name, array in found.arrays.items()}
        self.model.policy.mlp_extractor.actor.load_state_dict(arrays)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return {"sha256": digest, "training": found.training}

    def _check_folder(self, resume: bool) -> None:
        """See that the folder is free, or holds the same run; nothing is written."""
        path = self.folder / MANIFEST
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"{self.folder} is no folder: choose another with --out")
        mine = dataclasses.asdict(self.settings)
        if path.exists():
            if not resume:
                raise ValueError(
                    f"{self.folder} already holds a run; add --resume to go on with it, or choose "
                    "another folder with --out"
                )
            try:
                theirs = dict(json.loads(path.read_text(encoding="utf-8"))["settings"])
            except (ValueError, KeyError, TypeError):
                raise ValueError(
                    f"{path} is damaged: choose another folder with --out, or remove this one"
                ) from None
            free = ("minutes", "steps")  # more of the same run
            other = [name for name in mine if name not in free and mine[name] != theirs.get(name)]
            if other:
                raise ValueError(
                    f"{self.folder} holds a run with {other[0]}={theirs.get(other[0])!r}, not "
                    f"{mine[other[0]]!r}: give it the same, or choose another folder with --out"
                )

    def _enter_folder(self) -> None:
        """Write who this is, once all is made, so that a run that cannot be leaves no folder."""
        path = self.folder / MANIFEST
        aside = path.with_name(path.name + ".part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            aside.write_text(json.dumps(self.manifest(), indent=1) + "\n", encoding="utf-8")
            os.replace(aside, path)
        except OSError as error:
            raise ValueError(
                f"{self.folder} cannot be written, {error.strerror or error}: choose another "
                "folder with --out"
            ) from None

    def manifest(self) -> dict[str, Any]:
        """What the run is, for people and for files of weights."""
        packages = ("numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
        return {
            "command": self.settings.command(),
            "start": self.start,
            "settings": dataclasses.asdict(self.settings),
            "versions": {
                "chickenfoot": chickenfoot_env.__version__,
                "python": platform.python_version(),
                **{name: importlib.metadata.version(name) for name in packages},
            },
            "machine": {
                "system": platform.system(),
                "processor": platform.machine(),
                "cores": os.cpu_count(),
                "threads": torch.get_num_threads(),
            },
        }

    def seconds(self) -> float:
        """Of training, all sittings together."""
        return self.counters.seconds + time.monotonic() - self._began

    def progress(self) -> float:
        """From 0 to 1, by the clock or by decisions."""
        if self.settings.steps:
            return min(1.0, float(self.model.num_timesteps / self.settings.steps))
        return min(1.0, self.seconds() / (60 * self.settings.minutes))

    def policy(self, training: dict[str, Any] | None = None) -> Policy:
        """The policy as it is now."""
        state = self.model.policy.mlp_extractor.actor.state_dict()
        arrays = {name: value.detach().cpu().numpy() for name, value in state.items()}
        return Policy(self.shape, arrays, training or {})

    def train(self) -> dict[str, Any]:
        """Train to the end, hold the last exam and write everything.

        Returns:
            The last exam.
        """
        self._began = time.monotonic()
        self.model.set_logger(_logger(self.folder))
        try:
            self.model.learn(2**62, callback=_Keeper(self), reset_num_timesteps=False)
        finally:
            self.model.logger.close()
        found = self.hold_exam(FINAL_DEALS)
        self.save(found)
        curves.draw(self.folder)
        return found

    def hold_exam(self, deals: int) -> dict[str, Any]:
        """The margins of the policy as it is, by anchor and by seats."""
        agent = PPOAgent.of(self.policy())
        found: dict[str, Any] = {}
        for table in dict.fromkeys(self.tables):
            for anchor in ANCHORS:
                got = exam(agent, anchor, table, deals, self.settings.whole_games)
                found[f"{anchor}/{table.players}"] = {
                    "margin": got.margin.mean,
                    "low": got.margin.low,
                    "high": got.margin.high,
                    "p": got.p,
                    "win_share": got.wins.mean,
                    "deals": deals,
                }
        return dict(sorted(found.items()))

    def begin_update(self) -> None:
        """Take a snapshot if one is due, and draw the opponents."""
        self.counters.update += 1
        while self.counters.snapshots < SNAPSHOTS * self.progress():
            self.pool.add(self.policy())
            self.counters.snapshots += 1
        self.pool.pick(self.counters.update)

    def save(self, found: dict[str, Any] | None = None) -> None:
        """Write the checkpoint, and with an exam the policy and the curves."""
        counters = dataclasses.asdict(self.counters) | {"seconds": self.seconds()}
        checkpoint.save(self.folder / checkpoint.FILE, self.model, self.env, self.pool, counters)
        if found is not None:
            done = {"decisions": self.model.num_timesteps, "seconds": round(self.seconds())}
            training = {**self.manifest(), **done, "exam": found}
            save(self.folder / "policy.npz", self.policy(training))


class _Keeper(BaseCallback):
    """Stops the run, holds exams, takes snapshots and writes checkpoints, between updates."""

    def __init__(self, run: Run) -> None:
        super().__init__()
        self._run = run
        self._examined = self._saved = time.monotonic()
        self._wait = EXAM_EVERY

    def _on_rollout_start(self) -> None:
        run, now = self._run, time.monotonic()
        if now - self._examined > self._wait:
            run.last_exam = run.hold_exam(EXAM_DEALS)
            run.save(run.last_exam)
            curves.draw(run.folder)
            self._examined = self._saved = time.monotonic()
            self._wait = max(EXAM_EVERY, EXAM_COSTS * (self._examined - now))
            for name, result in run.last_exam.items():
                self.logger.record(f"exam/{name}", result["margin"])
        elif now - self._saved > SAVE_EVERY:
            run.save()
            self._saved = time.monotonic()
        run.begin_update()

    def _on_step(self) -> bool:
        # However short the time is, and slow the compiler: one update, or there is nothing learned.
        return self._run.progress() < 1.0 or self._run.counters.update == 1

    def _on_rollout_end(self) -> None:
        run, model = self._run, self._run.model
        self.logger.record("time/decisions_per_second", model.num_timesteps / run.seconds())
        for name, seconds in model.seconds.items():
            self.logger.record(f"time/{name}_seconds", seconds)
        self.logger.record("rollout/illegal_samples", model.illegal_samples)
        self.logger.record("time/decisions", model.num_timesteps)
        run.tell(dict(self.logger.name_to_value) | {"progress": run.progress()})


def _told(shape: Shape) -> str:
    """A network in the words of the settings."""
    horizon = "game" if shape.standings else "round"
    return (
        f"a network of width {shape.width}, rounds {shape.rounds}, horizon {horizon}, for "
        f"double-{shape.max_pip}"
    )


def _logger(folder: Path) -> Logger:
    """A CSV file of this sitting, and TensorBoard where it is installed."""
    sitting = len(list(folder.glob("progress*.csv"))) + 1
    writers = [make_output_format("csv", str(folder), f"_{sitting}")]
    with contextlib.suppress(ImportError, AssertionError):
        writers.append(make_output_format("tensorboard", str(folder / "tensorboard")))
    return Logger(str(folder), writers)
