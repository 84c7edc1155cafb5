"""Weights of a policy in a file: plain arrays and a JSON description, never pickled objects.

A file is what `numpy.savez` writes: an array for each parameter of the policy network, by its name
in PyTorch, and `about`, a JSON text as bytes. Its keys:

    format      1
    features    the digest of the feature table that the policy has learned to read
    max_pip, width, rounds, standings    as in `agents.ppo.shape.Shape`
    training    what made it, for people: rules, command, versions, seed, decisions, exam

A file is checked before anything of it is used: that it is one, what it was made for, that the
arrays have the shapes that follow, and that all numbers are finite.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import reprlib
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.base import AgentError
from agents.ppo.dense import LANES
from agents.ppo.forward import Weights
from agents.ppo.shape import HIDDEN_WEIGHT, PIP_BLOCKS, PIP_INPUTS, Shape
from chickenfoot_env import encode
from chickenfoot_env.tiles import MAX_PIP

FORMAT: Final = 1
MAX_BYTES: Final = 2**26  # of all arrays together, unpacked
MAX_ABOUT: Final = 2**20  # of them for what a file says of itself, when it is made
MAX_WIDTH: Final = 1024
MAX_ROUNDS: Final = 16
_short: Final = reprlib.repr  # in one line, however long what a file holds is

Arrays = dict[str, NDArray[np.float32]]


class Policy(NamedTuple):
    """What a file holds."""

    shape: Shape
    arrays: Arrays
    training: dict[str, Any]


def save(path: Path, policy: Policy) -> None:
    """Write a file, in one go: whoever reads it finds all of it or what was there before.

    Raises:
        OSError: if it cannot be written.
    """
    about = {
        "format": FORMAT,
        "features": table_digest(policy.shape.max_pip),
        "max_pip": policy.shape.max_pip,
        "width": policy.shape.width,
        "rounds": policy.shape.rounds,
        "standings": policy.shape.standings,
        "training": policy.training,
    }
    text = np.frombuffer(json.dumps(about, indent=1).encode(), np.uint8)
    aside = path.with_name(path.name + ".part")
    with open(aside, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, about=text, **policy.arrays)
    os.replace(aside, path)


def load(path: Path | str) -> Policy:
    """Read a file, whoever it is from.

    Raises:
        AgentError: if it is no such file, or made for another feature table; in one line.
    """
    try:
        about, arrays = _read(path)
    except FileNotFoundError:
        raise AgentError(f"{path}: there is no such file of weights") from None
    except AgentError:
        raise
    except OSError as error:
        raise AgentError(f"{path} cannot be read: {error.strerror or error}") from None
    except Exception:  # zipfile, zlib, numpy, json: a damaged file makes them raise all kinds
        raise AgentError(
            f"{path} is no file of weights, or damaged: wanted is one that training wrote"
        ) from None
    return _checked(str(path), about, arrays)


def _read(path: Path | str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > MAX_BYTES:
        raise AgentError(f"{path}: {size:,} bytes of weights; allowed are {MAX_BYTES:,}")
    with warnings.catch_warnings(), np.load(path, allow_pickle=False) as archive:
        warnings.simplefilter("error")  # of headers that NumPy has to guess at
        arrays = {name: archive[name] for name in archive.files}
    about = json.loads(arrays.pop("about").tobytes())
    if not isinstance(about, dict) or not all(isinstance(a, np.ndarray) for a in arrays.values()):
        raise ValueError("not what `save` writes")
    return about, arrays


def _checked(path: str, about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Policy:
    if about.get("format") != FORMAT:
        raise AgentError(f"{path} has format {_short(about.get('format'))}: readable is {FORMAT}")
    keys = ("max_pip", "width", "rounds", "standings")
    max_pip, width, rounds, standings = (about.get(key) for key in keys)
    if type(max_pip) is not int or not 2 <= max_pip <= MAX_PIP:
        raise AgentError(f"{path} is for max_pip={_short(max_pip)}: allowed are 2 to {MAX_PIP}")
    if (
        type(width) is not int
        or type(rounds) is not int
        or type(standings) is not bool
        or not (2 <= width <= MAX_WIDTH and 1 <= rounds <= MAX_ROUNDS)
    ):
        told = f"width={_short(width)}, rounds={_short(rounds)}, standings={_short(standings)}"
        raise AgentError(f"{path} has {told}: no such network")
    if about.get("features") != table_digest(max_pip):
        raise AgentError(
            f"{path} was made for another table of features than that of this version: train anew, "
            "or install the version that made it"
        )
    shape = Shape(max_pip, width, rounds, standings)
    wanted = parameter_shapes(shape)
    for name in sorted(wanted.keys() | arrays.keys()):
        got = arrays[name].shape if name in arrays else None
        if got is None or got != wanted.get(name) or arrays[name].dtype != np.float32:
            found = "not there" if got is None else f"{arrays[name].dtype} {got}"
            wants = f"float32 {wanted[name]}" if name in wanted else "no such array"
            raise AgentError(f"{path}: {_short(name)} is {found}, wanted is {wants}: damaged")
        if not np.isfinite(arrays[name]).all():
            raise AgentError(f"{path}: {name} holds numbers that are not finite: damaged")
    training = about.get("training")
    return Policy(shape, arrays, training if isinstance(training, dict) else {})


def table_digest(max_pip: int) -> str:
    """A short text that changes whenever a feature changes its place or meaning."""
    table = encode.feature_table(max_pip)
    lines = [f"{each.name} {each.slice.start} {each.slice.stop} {each.meaning}" for each in table]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def parameter_shapes(shape: Shape) -> dict[str, tuple[int, ...]]:
    """The name and shape of each parameter of the network in PyTorch."""
    width, half = shape.width, shape.width // 2 + 1
    linear = {  # inputs, outputs, whether there is a bias
        "pip_input": (PIP_INPUTS, width, True),
        "table_input": (len(shape.table_scale()), width, False),
        "attach": (width, half, True),
        "free": (width, half, True),
        "double_bonus": (width, 1, True),
        "no_play": (width, 2, True),
    }
    for number in range(shape.rounds):
        for name in ("own", "by_hand", "by_hidden", "by_all"):
            linear[f"rounds.{number}.{name}"] = (width, width, name == "own")
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (inputs, outputs, has_bias) in linear.items():
        shapes[f"{name}.weight"] = (outputs, inputs)
        if has_bias:
            shapes[f"{name}.bias"] = (outputs,)
    return shapes


def fits(shape: Shape) -> bool:
    """Whether a file of such a network is small enough to be read."""
    numbers = sum(math.prod(size) for size in parameter_shapes(shape).values())
    return numbers * np.dtype(np.float32).itemsize + MAX_ABOUT <= MAX_BYTES


def prepare(shape: Shape, arrays: Mapping[str, NDArray[np.float32]]) -> Weights:
    """The weights in the form in which compiled code reads them, for views of one set.

    Args:
        shape: with the set that is played; a network has the same parameters for any.
        arrays: of a Policy.
    """
    width = -(-shape.width // LANES) * LANES

    def rows(name: str, inputs: int = 0) -> NDArray[np.float32]:
        return _filled(arrays[f"{name}.weight"].T, inputs)

    def row(name: str) -> NDArray[np.float32]:
        return _filled(arrays[f"{name}.bias"][None])

    def stack(**names: float) -> NDArray[np.float32]:
        """Some layers of every round one below the other, each times a number."""
        return np.concatenate(
            [
                rows(f"rounds.{n}.{name}", width) * np.float32(scale)
                for n in range(shape.rounds)
                for name, scale in names.items()
            ]
        )

    def with_bias(name: str) -> NDArray[np.float32]:
        weight, bias = _filled(arrays[f"{name}.weight"]), arrays[f"{name}.bias"]
        return np.ascontiguousarray(np.concatenate([weight, bias[:, None]], 1))

    def half(name: str, place: int, scale: float) -> tuple[NDArray[np.float32], ...]:
        """What a play's half says by itself is multiplied by a 1 of the other half."""
        ends = [np.zeros((shape.width + 1, 1), np.float32) for _ in range(2)]
        whole = np.concatenate([arrays[f"{name}.weight"].T, arrays[f"{name}.bias"][None]])
        ends[place], ends[1 - place][-1] = whole[:, :1], 1.0
        both = np.concatenate([whole[:, 1:] * np.float32(scale), *ends], 1)
        return _filled(both[:-1], width), _filled(both[-1:])

    attach, attach_bias = half("attach", 0, shape.scale)
    free, free_bias = half("free", 1, 1.0)
    blocks = [shape.block(name) for name in shape.table_blocks]
    value = len(PIP_BLOCKS) + 2
    return Weights(
        pip_input=rows("pip_input"),
        table_input=rows("table_input") * shape.table_scale()[:, None],
        first_bias=shape.pip_values().T @ rows("pip_input")[value : value + 2] + row("pip_input"),
        own=stack(own=1.0),
        near=stack(by_hand=1.0, by_hidden=HIDDEN_WEIGHT),
        by_all=stack(by_all=1.0 / shape.pips),
        round_bias=np.concatenate([row(f"rounds.{n}.own") for n in range(shape.rounds)]),
        attach=attach,
        attach_bias=attach_bias,
        free=free,
        free_bias=free_bias,
        double_bonus=with_bias("double_bonus"),
        no_play=with_bias("no_play"),
        table_features=np.concatenate([np.arange(each.start, each.stop) for each in blocks]),
        pip_features=np.array([shape.block(name).start for name in PIP_BLOCKS], np.int64),
        lacks=np.array([shape.block("lacks").start], np.int64),
    )


def _filled(matrix: NDArray[np.float32], rows: int = 0) -> NDArray[np.float32]:
    """With columns of zeros up to a multiple of LANES, and with rows of zeros up to `rows`."""
    filled = np.zeros((max(rows, len(matrix)), -(-matrix.shape[1] // LANES) * LANES), np.float32)
    filled[: len(matrix), : matrix.shape[1]] = matrix
    return filled
