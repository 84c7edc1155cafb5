"""The colours of plots on a light page, and those that a dark one has in their place."""

from __future__ import annotations

from typing import Final

INK, SOFT, BESIDE = "#1b1f24", "#c4cad2", "#5b6470"
WORSE, BETTER = "#c96d12", "#2f7fc1"  # told apart with any colour vision
DARK: Final = {
    INK: "#e6e9ee",
    SOFT: "#4a515c",
    BESIDE: "#a2abb7",
    WORSE: "#e8963f",
    BETTER: "#5aa3e0",
}
