"""`chickenfoot bench`: how fast the environment is, beside peers measured in the same run.

`measurement` says what a measurement and a ratio are; `core`, `tables` and `vectors` hold those of
the batch core, of the PettingZoo environment and of the vector environments; `peers` those of other
libraries; `once` what is measured once, memory and compilation; `runner` runs them in turn and
returns the figures; `printed` makes a table of the figures.
"""
