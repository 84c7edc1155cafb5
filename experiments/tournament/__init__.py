"""Tournaments: what is played, by whom, in which order, and into which file.

spec: what a tournament is. formats: who meets whom. deals: the deals of a seed. blocks: one deal
under all seatings, played. runner: the run that plays them into a results file, by itself, by
processes (workers) or on a cluster (ray_cluster). until: when it is decided.
"""
