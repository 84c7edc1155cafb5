"""An agent that needs no package: it lays its heaviest tile. docs/protocol.md explains the lines.

chickenfoot tournament --agents 'process:cmd="python3 examples/heaviest_agent.py",random'
"""

import json
import sys


def weight(action, rules):
    """The points that a play such as 5-7@5 takes off the hand; -1 for DRAW and PASS."""
    tile, laid, _ = action.partition("@")
    if not laid:
        return -1
    points = sum(int(pip) for pip in tile.split("-"))
    return points or rules["double_blank_points"]


def answer(question):
    """What to write for one line of input."""
    if question["type"] == "hello":
        return {"protocol": "chickenfoot", "version": 1}
    rules = question["view"]["rules"]
    return {"action": max(question["legal_text"], key=lambda action: weight(action, rules))}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
