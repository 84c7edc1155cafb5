"""Agents that have learned by playing themselves, and how they learn.

Playing needs NumPy and Numba alone (`agent`, `search_agent`, `forward`, `policy_file`). Learning
needs `pip install "chickenfoot[train]"` (`learner`, `policy`, `network`).
"""
