"""Files of weights: what is written is read again, and anything else is refused in one line."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from literal_network import random_policy

import agents
from agents.base import AgentError
from agents.ppo import policy_file
from agents.ppo.shape import Shape
from chickenfoot_env import encode

POLICY = random_policy(1)
ABOUT: dict[str, Any] = {
    **{
        "format": 1,
        "max_pip": 9,
        "width": 8,
        "rounds": 1,
        "standings": False,
        "training": {"seed": 1},
    },
    "features": policy_file.table_digest(9),
}


def as_bytes(about: Any) -> np.ndarray:
    text = about if isinstance(about, bytes) else json.dumps(about).encode()
    return np.frombuffer(text, np.uint8)


def write(path: Path, changes: Any = None, /, **arrays: Any) -> None:
    """A file that would be right but for what is given; None leaves an array out."""
    every = {"about": as_bytes({**ABOUT, **(changes or {})}), **POLICY.arrays, **arrays}
    np.savez(path, **{name: array for name, array in every.items() if array is not None})


def refusal(path: Path) -> str:
    """What `load` and `make` say of a file, behind its name; it is one short line."""
    told = []
    for attempt in (
        lambda: policy_file.load(path),
        lambda: agents.make(f"ppo:path={path}"),
    ):
        with pytest.raises(AgentError) as caught:
            attempt()
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert told[0].startswith(str(path))
    rest = told[0][len(str(path)) :]
    assert rest.isprintable() and len(rest) < 250
    return rest


@pytest.mark.parametrize(
    "shape", [{"width": 8}, {"max_pip": 6, "width": 5, "standings": True}, {"max_pip": 18}], ids=str
)
def test_what_is_saved_is_loaded(shape: dict[str, Any], tmp_path: Path) -> None:
    policy = random_policy(2, **shape)._replace(training={"command": "x", "exam": {"a": [1.5]}})
    path = tmp_path / "policy.npz"
    policy_file.save(path, policy)
    found = policy_file.load(path)
    assert found.shape == policy.shape
    assert found.training == policy.training
    assert found.arrays.keys() == policy.arrays.keys()
    for name, array in policy.arrays.items():
        assert found.arrays[name].dtype == np.float32
        assert found.arrays[name].tobytes() == array.tobytes()
    assert [each.name for each in tmp_path.iterdir()] == ["policy.npz"]


def test_a_file_is_replaced_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "policy.npz"
    policy_file.save(path, POLICY)
    before = path.read_bytes()

    def full(file: Any, **_arrays: Any) -> None:
        file.write(b"PK")
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="no space left"):
        policy_file.save(path, random_policy(2))
    assert path.read_bytes() == before


def test_every_parameter_is_in_the_table() -> None:
    shapes = policy_file.parameter_shapes(Shape(9, 8))
    assert {name: array.shape for name, array in POLICY.arrays.items()} == shapes
    assert policy_file.parameter_shapes(Shape(12, 8)) == shapes  # the same for any set
    assert shapes["pip_input.weight"] == (8, 22) and shapes["attach.weight"] == (5, 8)


def test_the_digest_changes_with_any_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    table = encode.feature_table(9)
    digests = {policy_file.table_digest(9), policy_file.table_digest(12)}
    for changed in (
        table[:-1],
        (table[1], table[0], *table[2:]),
        (table[0]._replace(meaning="other"), *table[1:]),
    ):
        monkeypatch.setattr(encode, "feature_table", lambda max_pip, changed=changed: changed)
        digests.add(policy_file.table_digest(9))
    assert len(digests) == 5


# Files that are none.


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.npz") == ": there is no such file of weights"
    assert refusal(tmp_path) == " cannot be read: Is a directory"


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"x" * 1000, np.random.default_rng(1).bytes(5000)],
    ids=["empty", "start of a zip", "start of an npy", "text", "noise"],
)
def test_bytes_that_are_no_archive_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    path.write_bytes(content)
    assert "is no file of weights, or damaged" in refusal(path)


def test_truncated_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    policy_file.save(path, POLICY)
    whole = path.read_bytes()
    for length in np.linspace(0, len(whole) - 1, 25).astype(int):
        path.write_bytes(whole[:length])
        assert "is no file of weights, or damaged" in refusal(path)


@pytest.mark.parametrize("compressed", [True, False])
def test_flipped_bytes_are_refused_or_do_no_harm(compressed: bool, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    policy_file.save(path, POLICY)
    if not compressed:
        write(path)
    whole, rng, refused = path.read_bytes(), np.random.default_rng(4), 0
    for _ in range(250):
        spoilt = bytearray(whole)
        for place in rng.integers(len(whole), size=rng.integers(1, 4)):
            spoilt[place] = rng.integers(256)
        path.write_bytes(spoilt)
        try:
            found = policy_file.load(path)
        except AgentError as error:
            assert str(error).isprintable() and len(str(error)) < 400
            refused += 1
        else:
            assert all((found.arrays[n] == array).all() for n, array in POLICY.arrays.items())
    assert refused > 150


# Files that mean harm.


class Harm:
    """What runs a command when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self._marker = str(marker)

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self._marker, "w")


@pytest.mark.parametrize("name", ["rounds.0.own.bias", "about", "extra"])
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_pickled_objects_are_refused_and_not_executed(name: str, tmp_path: Path) -> None:
    path, marker = tmp_path / "policy.npz", tmp_path / "executed"
    write(path, **{name: np.array([Harm(marker)], object)})
    with np.load(path, allow_pickle=True) as archive:
        archive[name]
    assert marker.exists()  # so it would have been
    marker.unlink()
    assert "is no file of weights, or damaged" in refusal(path)
    assert not marker.exists()


def test_a_pickle_in_place_of_the_archive_is_not_executed(tmp_path: Path) -> None:
    path, marker = tmp_path / "policy.npz", tmp_path / "executed"
    path.write_bytes(b"cbuiltins\nopen\n(V" + str(marker).encode() + b"\nVw\ntR.")
    assert "is no file of weights, or damaged" in refusal(path)
    assert not marker.exists()


def add(path: Path, member: str, header: dict[str, Any], body: bytes) -> None:
    """Put an array's file with this header into the archive."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, header)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, file.getvalue() + body)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    write(path, **{"rounds.0.own.bias": None})
    count = policy_file.MAX_BYTES // 4
    header = {"descr": "<f4", "fortran_order": False, "shape": (count,)}
    add(path, "rounds.0.own.bias.npy", header, bytes(4 * count))
    assert path.stat().st_size < policy_file.MAX_BYTES / 100
    tracemalloc.start()
    try:
        told = refusal(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert told.endswith(" bytes of weights; allowed are 67,108,864")
    assert peak < policy_file.MAX_BYTES / 10


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    """The directory says 8 bytes; no more than these are unpacked."""
    path = tmp_path / "policy.npz"
    write(path, **{"rounds.0.own.bias": None})
    count = policy_file.MAX_BYTES // 4
    header = {"descr": "<f4", "fortran_order": False, "shape": (8,)}
    add(path, "rounds.0.own.bias.npy", header, bytes(4 * count))
    content = path.read_bytes()
    size = struct.pack("<I", 4 * count + 128)
    assert content.count(size) == 2  # before the member, and in the directory
    path.write_bytes(content.replace(size, struct.pack("<I", 128 + 32)))
    tracemalloc.start()
    try:
        told = refusal(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "is no file of weights, or damaged" in told
    assert peak < policy_file.MAX_BYTES / 10


@pytest.mark.parametrize("shape", [(10**5, 10**5), (2**62, 2**62), (10**18, 0), (-3,), (8.5,)])
def test_a_header_that_promises_more_than_there_is_is_refused(shape: Any, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    write(path, **{"rounds.0.own.bias": None})
    header = {"descr": "<f4", "fortran_order": False, "shape": shape}
    add(path, "rounds.0.own.bias.npy", header, bytes(32))
    assert "damaged" in refusal(path)


@pytest.mark.parametrize(
    "text",
    [
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (8L,), }",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (",
        b"__import__('os').system('touch executed')",
        b"(" * 3000,
        b"\xff" * 50,
    ],
)
def test_a_header_that_is_none_is_refused(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    write(path, **{"rounds.0.own.bias": None})
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + 1) + text + b"\n"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("rounds.0.own.bias.npy", head + bytes(32))
    assert "is no file of weights, or damaged" in refusal(path)


# Archives with something else in them.


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"rounds.0.own.bias": None}, "'rounds.0.own.bias' is not there, wanted is float32 (8,)"),
        ({"extra": np.zeros(3, np.float32)}, "'extra' is float32 (3,), wanted is no such array"),
        (
            {"rounds.0.own.bias": np.zeros(9, np.float32)},
            "'rounds.0.own.bias' is float32 (9,), wanted is float32 (8",
        ),
        (
            {"rounds.0.own.bias": np.zeros(8)},
            "'rounds.0.own.bias' is float64 (8,), wanted is float32 (8,)",
        ),
        (
            {"rounds.0.own.bias": np.zeros(8, ">f4")},
            "'rounds.0.own.bias' is >f4 (8,), wanted is float32 (8,)",
        ),
        (
            {"rounds.0.own.bias": np.array(["a"] * 8)},
            "'rounds.0.own.bias' is <U1 (8,), wanted is float32 (8,)",
        ),
        (
            {"rounds.0.own.bias": np.full(8, np.nan, np.float32)},
            "rounds.0.own.bias holds numbers that are not fin",
        ),
        ({"no_play.weight": np.full((2, 8), -np.inf, np.float32)}, "no_play.weight holds numbers"),
        ({"own.weight": np.zeros((8, 8, 1), np.float32)}, "'own.weight' is float32 (8, 8, 1), "),
        ({"two\nlines": np.zeros(3, np.float32)}, r"'two\nlines' is float32 (3,), wanted is no "),
        ({"long" * 5000: np.zeros(3, np.float32)}, "'longlonglong"),
        ({"about": None}, "is no file of weights, or damaged"),
    ],
    ids=range(12),
)
def test_other_arrays_are_refused(arrays: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    write(path, **arrays)
    assert message in refusal(path)


@pytest.mark.parametrize("member", ["notes.txt", "about", "rounds.0.own.bias"])
def test_members_that_are_no_arrays_are_refused(member: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    write(path, **({} if member == "notes.txt" else {member: None}))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(member, b"hello")
    assert "is no file of weights, or damaged" in refusal(path)


@pytest.mark.parametrize(
    "about",
    [b"", b"{", b"\xff\xfe", b"[]", b"null", b"7", b'"text"', b"[" * 100_000, b"9" * 10_000,
     b'{"a":' * 50_000],
    ids=range(10),
)  # fmt: skip
def test_a_description_that_is_none_is_refused(about: bytes, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    np.savez(path, about=as_bytes(about), **POLICY.arrays)
    assert "is no file of weights, or damaged" in refusal(path)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"format": 2}, " has format 2: readable is 1"),
        ({"format": None}, " has format None: readable is 1"),
        ({"format": "x" * 10**6}, " has format 'xxx"),
        ({"features": "0" * 16}, " was made for another table of features than that of this versi"),
        ({"features": policy_file.table_digest(12)}, " was made for another table of features"),
        ({"features": None}, " was made for another table of features"),
        ({"max_pip": 12}, " was made for another table of features"),
        ({"max_pip": 19}, " is for max_pip=19: allowed are 2 to 18"),
        ({"max_pip": "9"}, " is for max_pip='9': allowed are 2 to 18"),
        ({"max_pip": 9.0}, " is for max_pip=9.0: allowed are 2 to 18"),
        ({"max_pip": True}, " is for max_pip=True: allowed are 2 to 18"),
        ({"width": 10**9}, " has width=1000000000, rounds=1, standings=False: no such network"),
        ({"width": 1025}, " has width=1025, rounds=1, standings=False: no such network"),
        ({"width": 1}, " has width=1, rounds=1, standings=False: no such network"),
        ({"width": [8] * 10**5}, " has width=[8, 8, 8, 8, 8, 8, ...], rounds=1, "),
        ({"rounds": 0}, " has width=8, rounds=0, standings=False: no such network"),
        ({"rounds": 17}, " has width=8, rounds=17, standings=False: no such network"),
        ({"rounds": True}, " has width=8, rounds=True, standings=False: no such network"),
        ({"rounds": 2}, "'rounds.1.by_all.weight' is not there, wanted is float32 (8, 8): damaged"),
        ({"width": 9}, "wanted is float32 (5, 9): damaged"),
        ({"standings": 1}, " has width=8, rounds=1, standings=1: no such network"),
        ({"standings": True}, "'table_input.weight' is float32 (8, 27), wanted is float32 (8, 40)"),
    ],
)
def test_other_descriptions_are_refused(
    about: dict[str, Any], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "policy.npz"
    write(path, about)
    assert message in refusal(path)


@pytest.mark.parametrize("training", [None, [1], "text", 7])
def test_what_made_the_weights_may_be_untold(training: Any, tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    write(path, {"training": training})
    assert policy_file.load(path).training == {}
