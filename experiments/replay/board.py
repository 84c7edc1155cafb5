"""The table as text, for a terminal of 80 columns or more, with colours where it has them.

    9-9
    ├─ 9-4 4-4
    │  ├─ 4-1 1-7
    │  ├─ (4)
    │  └─ (4)
    ├─ 9-2
    ├─ 9-0
    └─ 9-7

A tile is written by the half that touches the one before it, so equal numbers meet. A line is a
chain of tiles; behind the starter and behind a foot it branches. The last play is in [brackets],
and (4) is a tile that must be laid first. Any other end is the number that its line ends with.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from chickenfoot_env.notation import format_tile
from chickenfoot_env.render.layout import Layout
from chickenfoot_env.render.picture import Hand, Picture

WIDTH: Final = 80
NAME: Final = 18  # columns for the name of a seat
_TILE, _END, _LAST, _OWED, _SOFT = "", "bold green", "bold reverse", "yellow", "dim"
_ACTING: Final = "bold"


def board(
    picture: Picture,
    told: str = "",
    evidence: Sequence[str] = (),
    width: int = WIDTH,
    laid: bool = True,
) -> Text:
    """A position in lines of at most `width` columns.

    Args:
        picture: what is shown.
        told: what led to it.
        evidence: what is known of each hand, in the order of the picture.
        width: 60 or more.
        laid: whether the last tile on the table has just been laid.
    """
    lines = [
        _two(picture.heading, f"boneyard: {_count(picture.boneyard, 'tile')}", width),
        _two(told, picture.phase, width),
        Text(),
        *table(picture.layout, width, laid),
        Text(),
    ]
    for seat, hand in enumerate(picture.hands):
        known = evidence[seat] if evidence else ""
        lines += _hand(hand, known, seat == picture.to_act, width)
    return Text("\n").join(lines)


def table(layout: Layout, width: int = WIDTH, laid: bool = True) -> list[Text]:
    """The tiles on the table, a line or more for each chain of them."""
    children: list[list[int]] = [[] for _ in layout.tiles]
    for index, tile in enumerate(layout.tiles):
        if tile.parent is not None:
            children[tile.parent].append(index)
    owed: list[list[int]] = [[] for _ in layout.tiles]
    for end in layout.ends:
        if end.owed:
            owed[end.tile].append(end.pip)
    last = len(layout.tiles) - 1 if laid else -1
    return list(_branch(_Tree(layout, children, owed, last), 0, "", "", width))


class _Tree:
    def __init__(
        self, layout: Layout, children: list[list[int]], owed: list[list[int]], last: int
    ) -> None:
        self.layout, self.children, self.owed, self.last = layout, children, owed, last

    def chain(self, first: int) -> list[int]:
        """The tiles from this one on, up to one that branches or is the last."""
        found = [first]
        while first and len(self.children[first]) == 1 and not self.owed[first]:
            first = self.children[first][0]
            found.append(first)
        return found

    def word(self, index: int) -> Text:
        """A tile; the half of it that is an end stands out."""
        tile = self.layout.tiles[index]
        if index == self.last:
            return Text(f"[{tile.attach}-{tile.free}]", _LAST)
        word = Text(f"{tile.attach}-{tile.free}", _TILE)
        if not self.children[index] and not self.owed[index] and not tile.is_double:
            word.stylize(_END, word.plain.index("-") + 1)
        return word


def _branch(tree: _Tree, first: int, lead: str, below: str, width: int) -> Iterator[Text]:
    """The lines of a chain and of all that lies behind it.

    Args:
        tree: the table.
        first: the first tile of the chain.
        lead: what stands before it.
        below: what stands before the lines below it.
        width: of a line, at most.
    """
    chain = tree.chain(first)
    branches = [*tree.children[chain[-1]], *(-1 - pip for pip in tree.owed[chain[-1]])]
    yield from _wrapped([tree.word(index) for index in chain], lead, below, bool(branches), width)
    for number, branch in enumerate(branches):
        is_last = number == len(branches) - 1
        fork, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        if branch < 0:
            yield Text(below + fork, _SOFT).append(f"({-1 - branch})", _OWED)
        else:
            yield from _branch(tree, branch, below + fork, below + rest, width)


def _wrapped(
    words: Sequence[Text], lead: str, below: str, branches: bool, width: int
) -> Iterator[Text]:
    line = Text(lead, _SOFT)
    room = False  # whether the line has a word yet
    for word in words:
        if room and line.cell_len + 1 + word.cell_len > width:
            yield line
            line, room = Text(below + ("│  " if branches else "   "), _SOFT), False
        line.append(" " if room else "", "").append_text(word)
        room = True
    yield line


def _hand(hand: Hand, known: str, acts: bool, width: int) -> Iterator[Text]:
    """A seat's line: name, points, count and tiles, and below it what is known of them."""
    name = hand.name if len(hand.name) <= NAME else hand.name[: NAME - 1] + "…"
    style = _ACTING if acts else ""
    head = f"{'>' if acts else ' '} {name:<{NAME}} {hand.points:>4} pts  "
    head += f"{_count(hand.count, 'tile'):<8}  "
    tiles = [] if hand.tiles is None else [format_tile(tile) for tile in hand.tiles]
    if hand.tiles is None:
        tiles = ["?"] * hand.count
    yield from _words(Text(head, style), tiles or ["-"], style, width)
    if known:
        yield from _words(Text("    "), known.split(), _SOFT, width)


def _words(head: Text, words: Sequence[str], style: str, width: int) -> Iterator[Text]:
    line, indent, room = head, head.cell_len, False
    for word in words:
        if room and line.cell_len + 1 + len(word) > width:
            yield line
            line, room = Text(" " * indent), False
        line.append(f" {word}" if room else word, style)
        room = True
    yield line


def _two(left: str, right: str, width: int) -> Text:
    """A line with text at both of its ends, or two lines where they do not fit on one."""
    if not right:
        return Text(left[:width])
    room = width - len(right) - 2
    if len(left) > room:
        return Text(f"{left[:width]}\n{right:>{width}}")
    return Text(left.ljust(room + 2)).append(right, _OWED)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
