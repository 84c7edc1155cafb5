"""Whether the figures of tournaments keep what they promise, measured.

    python -m experiments.trust docs/trust.json       # all of it, half an hour; `make trust`
    python -m experiments.trust /tmp/trust.json --quick

Every measurement is a row: what was measured, how often, what came out, and what is allowed.
"""
