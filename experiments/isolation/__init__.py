"""Agents in processes of their own, which cannot harm whoever asks them.

guard: asks an agent that lives in a process (host, child) by messages (frames) and stops it at its
limits. compliance: whether an agent keeps to its contract.
"""
