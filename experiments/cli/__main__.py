"""`python -m experiments.cli`, the same as `chickenfoot`."""

from experiments.cli import main

main()
